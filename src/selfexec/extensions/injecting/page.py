"""Token injection in the report: a part of its appendix."""

from collections.abc import Sequence
from dataclasses import dataclass

from selfexec.extensions.injecting.experiment import TokenInjection
from selfexec.extensions.injecting.scores import (
    BEFORE_NUMBERS,
    COLUMNS,
    PREDICTION_COLUMNS,
    InjectionScore,
    InjectionScores,
    PredictionScore,
    cells_of,
    found_in,
    prediction_cells,
)
from selfexec.report.data import Data


@dataclass(frozen=True)
class Section:
    """Scores of token injection, and how their rows are shown behind model and condition."""

    scores: InjectionScores

    @property
    def columns(self) -> Sequence[str]:
        return [name.capitalize() for name in COLUMNS[BEFORE_NUMBERS:]]

    @property
    def prediction_columns(self) -> Sequence[str]:
        return [name.capitalize() for name in PREDICTION_COLUMNS[BEFORE_NUMBERS:]]

    @staticmethod
    def cells(row: InjectionScore) -> Sequence[str]:
        return cells_of(row)[BEFORE_NUMBERS:]

    @staticmethod
    def prediction_cells(row: PredictionScore) -> Sequence[str]:
        return prediction_cells(row)[BEFORE_NUMBERS:]


def injection(data: Data) -> Section | None:
    """The scores that the appendix shows; None where nobody was asked."""
    if not any(TokenInjection.name in run.items.experiments for run in data.selection.whole_runs):
        return None
    result = data.once(_scores)
    return Section(result) if result.shams else None


def _scores(data: Data) -> InjectionScores:
    return found_in(data.selection)
