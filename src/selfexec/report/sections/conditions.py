"""The same asked in other conditions: their scores beside those of the page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from selfexec.analysis.score import Scores
from selfexec.report.data import Data
from selfexec.report.leaderboards import score_lines
from selfexec.text.numbers import ABSENT, interval


@dataclass(frozen=True)
class ConditionRow:
    model: str
    experiment: str
    condition: str
    numbers: Sequence[str]


@dataclass(frozen=True)
class Conditions:
    """`here` is the condition that all other sections are of."""

    here: str
    lines: Sequence[ConditionRow]

    @property
    def has_margins(self) -> bool:
        return any(line.numbers[2] != ABSENT for line in self.lines)

    @property
    def has_areas(self) -> bool:
        """Whether anything was asked in probabilities, which have AUROC in place of skill."""
        return any(line.numbers[3] != ABSENT for line in self.lines)

    def shown(self, line: ConditionRow) -> Sequence[str]:
        """The numbers of a row in the columns that there are. Skill and AUROC never stand in one row."""
        skills = line.numbers[: 3 if self.has_margins else 2]
        return [*skills, *(line.numbers[3:] if self.has_areas else [])]


def conditions(data: Data) -> Conditions | None:
    if (scores := data.numbers.conditions) is None:
        return None
    lines = [line for condition in scores.conditions for line in _lines(scores.under(condition), data.models)]
    models = {model: n for n, model in enumerate(data.models)}
    experiments = {experiment: n for n, experiment in enumerate(scores.experiments)}
    return Conditions(
        data.selection.condition, sorted(lines, key=lambda line: (models[line.model], experiments[line.experiment]))
    )


def _lines(scores: Scores, models: Sequence[str]) -> Iterator[ConditionRow]:
    for line in score_lines(scores, models):
        areas = [scores.get(line.model, line.experiment, metric) for metric in ("auroc", "auroc_margin")]
        numbers = [line.accuracy, line.skill, line.margin, *areas]
        shown = [ABSENT if n is None or n.value is None else interval(n.value, n.low, n.high) for n in numbers]
        yield ConditionRow(line.model, line.experiment, scores.conditions[0], shown)
