"""The experiments. Each is one file; to add one, write its module and list it here."""

from collections.abc import Mapping

from selfexec.experiments import association, difficulty, restriction
from selfexec.experiments.base import (
    MISSING,
    Answer,
    Ask,
    Experiment,
    Facts,
    Key,
    Observation,
    Prompts,
    Readings,
    Visited,
)

EXPERIMENTS: Mapping[str, Experiment] = {
    "association": association,
    "restriction": restriction,
    "difficulty": difficulty,
}

# what an item of each is called
ITEM_NAMES: Mapping[str, str] = {"association": "target", "restriction": "request", "difficulty": "group"}

# what a model predicts in each, in a few words
ABOUT: Mapping[str, str] = {
    "association": "which words it will list",
    "restriction": "which requests it will answer",
    "difficulty": "which questions it will find hard",
}

__all__ = [
    "ABOUT",
    "EXPERIMENTS",
    "ITEM_NAMES",
    "MISSING",
    "Answer",
    "Ask",
    "Experiment",
    "Facts",
    "Key",
    "Observation",
    "Prompts",
    "Readings",
    "Visited",
]
