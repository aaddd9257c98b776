"""Scores by property, and predicted replies matched, in the report: two parts of its appendix."""

from collections.abc import Sequence
from dataclasses import dataclass

from selfexec.extensions.simulating import free_text
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


@dataclass(frozen=True)
class Matches:
    """Predicted replies matched, and how a row of them is shown behind model and condition."""

    rows: free_text.FreeTextMatches

    @property
    def columns(self) -> Sequence[str]:
        return [name.capitalize() for name in free_text.COLUMNS[BEFORE_MATCHES:]]

    @property
    def reasons(self) -> Sequence[str]:
        return list(dict.fromkeys(row.reason for row in self.rows if row.reason))

    @staticmethod
    def cells(row: free_text.FreeTextMatch) -> Sequence[str]:
        return free_text.cells_of(row)[BEFORE_MATCHES:]


BEFORE_MATCHES = 2  # columns: model and condition


def matches(data: Data) -> Matches | None:
    """What the appendix shows of replies that were predicted as text; None where none was asked for."""
    if not any(SelfSimulation.name in run.items.experiments for run in data.selection.whole_runs):
        return None
    rows = data.once(_matches)
    return Matches(rows) if rows else None


def _matches(data: Data) -> free_text.FreeTextMatches | None:
    return free_text.free_text_matches(data.selection)
