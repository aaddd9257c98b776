"""The same predictions asked once more as probabilities: which ones, in AUROC, beside what yes and no say of it."""

from collections.abc import Sequence
from typing import Protocol, Self, TypeVar

from selfexec.analysis.findings import ConditionScores
from selfexec.facets import ELICIT, FACETS, condition_named


class ScoresByCondition(ConditionScores, Protocol):
    """Scores of one condition or several; look-ups are of the first."""

    @property
    def conditions(self) -> Sequence[str]: ...
    def under(self, condition: str) -> Self: ...


Known = TypeVar("Known", bound=ConditionScores)
Everywhere = TypeVar("Everywhere", bound=ScoresByCondition)


def condition_in_probabilities(condition: str, known: Sequence[str]) -> str | None:
    """The condition that differs from a choice-condition in the form of the prediction alone; of several, the one
    whose level the facet lists first. None where there is none, or where the condition is one of probabilities itself.
    """
    levels = dict(condition_named(condition))
    if ELICIT in levels:
        return None
    wanted = [{**levels, ELICIT: level} for level in FACETS[ELICIT].levels]
    named = {name: dict(condition_named(name)) for name in known}
    return next((name for each in wanted for name, here in named.items() if here == each), None)


def areas_beside(scores: Everywhere, everywhere: Everywhere | None) -> Everywhere | None:
    """The scores of the same predictions as probabilities, from those of every condition; None where nobody was asked
    for them.
    """
    if everywhere is None or not scores.conditions:
        return None
    name = condition_in_probabilities(scores.conditions[0], everywhere.conditions)
    return None if name is None else everywhere.under(name)


def lead_in(scores: Known, areas: Known | None, experiment: str) -> Known:
    """The scores that say which ones in an experiment: those in AUROC where all models that have a skill were asked for
    probabilities, and at least one of them has a margin; else the scores as they are.
    """
    if areas is None:
        return scores
    margins = {row.model: row.value for row in areas.of(experiment, "auroc_margin")}
    skilled = {row.model for row in scores.of(experiment, "skill") if row.value is not None}
    complete = skilled <= margins.keys() and any(value is not None for value in margins.values())
    return areas if complete else scores
