"""The paper's Figure 9: which numbers go together among models, with how much certainty."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from selfexec.analysis.correlate import correlations as correlate_columns
from selfexec.analysis.correlate import eligible_models, score_columns
from selfexec.analysis.findings import clear_of_zero
from selfexec.analysis.numbers import Number
from selfexec.experiments import EXPERIMENTS
from selfexec.report.figures.figure import Figure
from selfexec.report.figures.numbers import FigureNumbers
from selfexec.report.svg import (
    SMALL_LETTERS,
    Kind,
    Scale,
    Sheet,
    Sign,
    Whose,
    breadth,
    drawing,
    legend,
    mark,
    span,
    stroke,
    tick_label,
    write,
)
from selfexec.stats import Correlation
from selfexec.text.numbers import count_in_a_cell, in_a_cell

TITLE = "Which numbers go together"
CAPTION = (
    "Pearson's correlation of two numbers over models, with its 95% interval by Fisher's z: accuracy in each "
    "experiment, the self-execution score (their mean), and ability by the Rasch model where it is known. Open "
    "marks: only models whose headline is not withheld. Models are few, so intervals are wide; the score contains "
    "its parts. n: all models; those with a headline."
)
SCORE = "score"
ROW = 26.0


def correlations(numbers: FigureNumbers) -> Figure | None:
    shown = [pair for pair in related(numbers) if not math.isnan(pair.all.value)]
    if not shown:
        return None
    columns = ["one", "two", "models", "correlation", "with a headline", "their correlation"]
    cells = [_cells(pair) for pair in shown]
    return Figure("correlations", TITLE, CAPTION, lambda sheet: _drawn(sheet, shown), columns, cells, _finding(shown))


def _drawn(sheet: Sheet, shown: Sequence["Related"]) -> str:
    signs = [Sign("main", "all models"), Sign("open", "models with a headline"), Sign("half", "no correlation")]
    key, top = legend(sheet, signs, 2)
    top += 6
    bottom = top + ROW * len(shown) + 3
    left = max(breadth(pair.names, SMALL_LETTERS) for pair in shown) + 12
    right = max(breadth(pair.sizes, SMALL_LETTERS) for pair in shown) + 14
    scale = Scale(-1, 1, left, sheet.width - right)
    parts = [key]
    for value in (-1, -0.5, 0, 0.5, 1):
        parts.append(stroke(scale(value), top, scale(value), bottom, "sx-half" if value == 0 else "sx-grid"))
        parts.append(write(scale(value), bottom + 11, tick_label(value), "sx-soft sx-tick", "middle"))
    for k, pair in enumerate(shown):
        parts += _row(pair, scale, top + ROW * (k + 0.5))
    return drawing(sheet, "correlations", TITLE, CAPTION, bottom + 24, parts)


@dataclass(frozen=True)
class Related:
    """Two columns, and Pearson's correlation over all models, and over those whose headline is not withheld."""

    one: str
    two: str
    all: Correlation
    eligible: Correlation

    @property
    def names(self) -> str:
        return f"{self.one}, {self.two}".replace("_", " ")

    @property
    def fewer(self) -> bool:
        """Whether some models have no headline, and a correlation is there without them."""
        return not math.isnan(self.eligible.value) and self.eligible.n < self.all.n

    @property
    def sizes(self) -> str:
        return f"n = {self.all.n}" + (f"; {self.eligible.n}" if self.fewer else "")

    @property
    def of_a_whole(self) -> bool:
        """Whether the one is a part of the other."""
        return SCORE in (self.one, self.two) and not {self.one, self.two}.isdisjoint(EXPERIMENTS)


def related(numbers: FigureNumbers) -> list[Related]:
    """Every pair of accuracies, the score and ability."""
    means = score_columns(numbers.scores)
    columns = {
        **{experiment: means.get(f"{experiment} accuracy", {}) for experiment in EXPERIMENTS},
        SCORE: means.get("overall accuracy", {}),
        "ability": numbers.abilities,
    }
    columns = {name: column for name, column in columns.items() if column}
    found = correlate_columns(columns, eligible=eligible_models(numbers.scores) or [])
    return [
        Related(pair.one, pair.two, pair.pearson, found.pair(pair.one, pair.two, "eligible").pearson)
        for pair in found
        if pair.among == "all"
    ]


def _finding(pairs: Sequence[Related]) -> str:
    """How many go together, adjusted for their number (Holm); a whole with its parts does so anyway."""
    apart = [pair for pair in pairs if not pair.of_a_whole and not math.isnan(pair.all.interval.low)]
    numbers = [Number(pair.all.value, *pair.all.interval) for pair in apart]
    clear = [any(both) for both in zip(*(clear_of_zero(numbers, sign) for sign in (1, -1)), strict=True)]
    shown = [pair for pair, found in zip(apart, clear, strict=True) if found]
    if not apart:
        return ""
    if not shown:
        return f"Of {len(apart)} pairs of numbers none is shown to go together; none is the score with a part of it"
    most = max(shown, key=lambda pair: abs(pair.all.value))
    which = f"{most.one} and {most.two} (r = {_text(most.all)})"
    many = f"are shown to go together, most {which}" if len(shown) > 1 else f"is shown to go together: {which}"
    count = f"All {len(apart)}" if len(shown) == len(apart) > 2 else f"{len(shown)} of {len(apart)}"
    return f"{count} pairs of numbers {many}"


def _row(pair: Related, scale: Scale, y: float) -> Iterator[str]:
    yield write(scale.start - 10, y, pair.names, "sx-tick", "end")
    yield stroke(scale.start, y, scale.end, y, "sx-grid")
    if pair.fewer:
        yield _dot(pair, pair.eligible, "open", "models with a headline", scale, y + 5)
    yield _dot(pair, pair.all, "main", "all models", scale, y - 5 if pair.fewer else y)
    yield write(scale.end + 10, y, pair.sizes, "sx-soft sx-tick")


def _dot(pair: Related, found: Correlation, kind: Kind, who: str, scale: Scale, y: float) -> str:
    x = scale(found.value)
    low, high = found.interval
    interval = "" if math.isnan(low) else span(scale, low, high, x)
    title = f"{pair.one} and {pair.two}, {who}: {_text(found)}, n = {found.n}"
    return mark(x, y, kind, Whose(series=f"{pair.one}, {pair.two}, {who}"), title, interval)


def _cells(pair: Related) -> list[str]:
    models, eligible = (count_in_a_cell(found.n, "models") for found in (pair.all, pair.eligible))
    return [pair.one, pair.two, models, _text(pair.all), eligible, _text(pair.eligible)]


def _text(found: Correlation) -> str:
    if math.isnan(found.value):
        return found.reason or ""
    return in_a_cell(found.value, *found.interval, digits=2)
