"""Thinking: whether a model is let think before it replies. Nothing is sent of it anyway.

Two facets, so that each kind of session is touched by one of them:

thinking        in predictions: does it predict what it does, or work the task out on the spot?
behaviour-thinking   in all other sessions: what it does, and what it judges

How a model is told so depends on where it is asked; its engine knows, or refuses.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from selfexec.experiments import EXPERIMENTS
from selfexec.facets.base import Facet

THINKING = "thinking mode"  # the name under which a level reaches an engine; no field of a body is called so
ON, OFF, BUDGET = "on", "off", "budget:"
LEVELS = {ON: "it is told to think first", OFF: "it is told not to"}


def accepts(level: str) -> bool:
    """`budget:N`: a number of tokens, written in one way only."""
    return re.fullmatch(rf"{BUDGET}[1-9]\d{{0,6}}", level, re.ASCII) is not None


def budget_of(level: str) -> int | None:
    """How many tokens it may think for, where the level says it."""
    return int(level.removeprefix(BUDGET)) if level.startswith(BUDGET) else None


def settings(level: str, experiment: str, kind: str) -> Mapping[str, Any]:
    return {THINKING: level}


def _predicts(experiment: str, kind: str) -> bool:
    return kind in EXPERIMENTS[experiment].predictions


def _does(experiment: str, kind: str) -> bool:
    return not _predicts(experiment, kind)


PREDICTING = Facet(
    name="thinking",
    about="Whether the model thinks before it predicts",
    default="default",
    usual="as it does anyway",
    levels=LEVELS,
    further="budget:N",
    accepts=accepts,
    touches=_predicts,
    settings=settings,
)
DOING = replace(
    PREDICTING, name="behaviour-thinking", about="Whether the model thinks in all other sessions", touches=_does
)
