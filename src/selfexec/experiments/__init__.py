"""The experiments. Each is one file with a subclass of `Experiment`; to add one, write it and list it here, have an
extension name its place, or have a package of your own announce the class under the entry point `selfexec.experiments`.
`EXPERIMENTS` has one instance of each by name."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from selfexec.experiments.association import Association
from selfexec.experiments.base import (
    LEAST_LOGPROB,
    MISSING_READING,
    Answer,
    Ask,
    AskFunction,
    Baseline,
    Capability,
    ClaimState,
    Experiment,
    Facets,
    FactColumns,
    Facts,
    Floats,
    Injection,
    InjectionKind,
    Item,
    JobKey,
    Judging,
    Key,
    Keying,
    KindName,
    Likely,
    Message,
    Naive,
    Name,
    NoAnswerKey,
    Observation,
    Options,
    Prompt,
    Prompts,
    Readings,
    Spread,
    Token,
    Wording,
    Words,
    concurrently,
    letter_alone,
    messages_of,
    reads_probability_of,
    repeated,
    session_kind,
    state_of,
    thresholded,
    without_shares,
    yes_by_tokens,
)
from selfexec.experiments.difficulty import Difficulty, chance_fewer, predicted_order
from selfexec.experiments.failing_question import FailingQuestion
from selfexec.experiments.given import given_letter, given_ranking, letter_as_asked
from selfexec.experiments.restriction import Restriction
from selfexec.experiments.sources import HUMAN, JUDGE, LOG, RULE, SELF, VISIBLE, by_source, judges_later, source_name
from selfexec.extension import Registry
from selfexec.renamed import module_getattr

OURS: tuple[type[Experiment], ...] = (
    Association,
    Restriction,
    Difficulty,
    FailingQuestion,
)


if not TYPE_CHECKING:  # names that are nowhere are errors to a type checker
    __getattr__ = module_getattr(__name__)

EXPERIMENTS: Registry[Experiment] = Registry(
    Experiment,  # type: ignore[type-abstract]  # no instance of it is made
    "experiments",
    OURS,
    lambda experiment: experiment.name,
    ("overall",),
)


@dataclass(frozen=True)
class Headline:
    """A named mean over named experiments. What else there is never changes it."""

    name: str
    experiments: tuple[str, ...]


PAPER_HEADLINE = Headline("paper", ("association", "restriction", "difficulty"))
