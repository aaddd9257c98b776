"""Scores by property in the report: a part of its appendix."""

from collections.abc import Sequence
from dataclasses import dataclass

from selfexec.extensions.simulating.experiment import SelfSimulation
from selfexec.extensions.simulating.scores import (
    BEFORE_NUMBERS,
    COLUMNS,
    PropertyScore,
    PropertyScores,
    cells_of,
    found_in,
)
from selfexec.report.data import Data


@dataclass(frozen=True)
class Section:
    """Scores by property, and how a row of them is shown behind model, condition and property."""

    scores: PropertyScores

    @property
    def columns(self) -> Sequence[str]:
        return [name.capitalize() for name in COLUMNS[BEFORE_NUMBERS:]]

    @staticmethod
    def cells(row: PropertyScore) -> Sequence[str]:
        return cells_of(row)[BEFORE_NUMBERS:]


def properties(data: Data) -> Section | None:
    """The scores that the appendix shows; None where nobody was asked."""
    if not any(SelfSimulation.name in run.items.experiments for run in data.selection.whole_runs):
        return None
    found = data.once(_scores)
    return Section(found) if found else None


def _scores(data: Data) -> PropertyScores:
    return found_in(data.selection)
