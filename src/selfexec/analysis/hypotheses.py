"""What became of hypotheses that were written down before the first call: held, failed, or it cannot be told."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from selfexec.analysis.score import Score, Scores, Selection, score
from selfexec.runs import Run
from selfexec.runs.hypotheses import OURS, DeclaredHypotheses, Hypothesis
from selfexec.text.numbers import decimal, interval

Verdict = Literal["held", "failed", "cannot be told"]
EXPLORATORY = "Everything else here is exploratory: it was not written down before the first call."


@dataclass(frozen=True)
class JudgedHypothesis:
    """A hypothesis about one model, and what became of it. `row` is the score that decides, None where there is none;
    `reason` says why it cannot be told.
    """

    hypothesis: Hypothesis
    model: str
    verdict: Verdict
    row: Score | None = None
    reason: str | None = None

    @property
    def expected(self) -> str:
        """baseline_margin above 0.00"""
        expected = self.hypothesis
        return f"{expected.metric} {expected.direction} {decimal(expected.margin, 2)}"

    @property
    def observed(self) -> str:
        """The value with its interval, or why there is none."""
        row = self.row
        if row is None or row.value is None:
            return self.reason or ""
        return f"{interval(row.value, row.low, row.high)}{f' ({self.reason})' if self.reason else ''}"


def declared_in(selection: Selection) -> list[tuple[Run, DeclaredHypotheses]]:
    """The runs that have hypotheses, each with them."""
    return [(run, run.manifest.hypotheses) for run in selection.whole_runs if run.manifest.hypotheses is not None]


def judged_hypotheses(selection: Selection) -> list[JudgedHypothesis]:
    """Each hypothesis of the runs of a selection about each of its models, by the scores of all of these runs together.

    It held where the whole 95% interval lies on the expected side of its margin, and failed where it lies on the
    other. A number that is withheld, or is to be read with caution, decides nothing.
    """

    @cache
    def scores(convention: Literal["strict", "readable"]) -> Scores:
        return score([*selection.whole_runs], convention=convention, panel=selection.panel, groups=selection.groups)

    read_as = _readings_of(selection.readings)
    return [
        _judged(hypothesis, model, scores(hypothesis.convention), read_as)
        for _, declared in declared_in(selection)
        for hypothesis in declared.contents.hypotheses
        for model in hypothesis.models
    ]


def _readings_of(files: Sequence[Path]) -> frozenset[str]:
    """What the readings go by: ours, or the SHA-256 of each file of others that takes their place."""
    return frozenset(hashlib.sha256(path.read_bytes()).hexdigest() for path in files) or frozenset({OURS})


def _judged(hypothesis: Hypothesis, model: str, scores: Scores, read_as: frozenset[str]) -> JudgedHypothesis:
    if read_as != {hypothesis.readings}:
        return JudgedHypothesis(hypothesis, model, "cannot be told", reason="these are other readings than were named")
    row = next(_rows_of(hypothesis, model, scores), None)
    if row is None:
        return JudgedHypothesis(hypothesis, model, "cannot be told", reason="there is no such number")
    if row.value is None or row.reason or row.low is None or row.high is None:
        return JudgedHypothesis(hypothesis, model, "cannot be told", row, row.reason or "it has no interval")
    above, below = row.low > hypothesis.margin, row.high < hypothesis.margin
    held, failed = (above, below) if hypothesis.direction == "above" else (below, above)
    return JudgedHypothesis(hypothesis, model, "held" if held else "failed" if failed else "cannot be told", row)


def _rows_of(hypothesis: Hypothesis, model: str, scores: Scores) -> Iterator[Score]:
    place = (model, hypothesis.experiment, hypothesis.metric, hypothesis.condition)
    return (row for row in scores if (row.model, row.experiment, row.metric, row.condition) == place)
