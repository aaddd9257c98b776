"""The paper's Figure 9: which numbers go together among models, with how much certainty."""

import math
from collections.abc import Iterator, Mapping, Sequence, Set

from selfexec.report.figures.figure import Figure
from selfexec.report.figures.numbers import FigureNumbers
from selfexec.report.figures.page_correlations import Names, Related, page_correlations, related_numbers
from selfexec.report.figures.said import AdjustedCorrelation
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
from selfexec.report.svg.canvas import BOLD
from selfexec.stats import Correlation
from selfexec.text.numbers import count_in_a_cell, in_a_cell

TITLE = "Which numbers go together"
CAPTION = (
    "Pearson's correlation of two numbers over models, with its 95% interval by Fisher's z, of all models (n first) "
    "and of those with an overall score; bold: shown to go together."
)
ROW = 26.0
WITH_SCORE = "models with an overall score"


def correlations(numbers: FigureNumbers) -> Figure | None:
    shown = [pair for pair in related_numbers(numbers) if not math.isnan(pair.all.value)]
    if not shown:
        return None
    tested = page_correlations(numbers)
    columns = ["one", "two", "models", "correlation", "with an overall score", "their correlation", "adjusted"]
    cells = [_cells(pair, tested.get((pair.one, pair.two))) for pair in shown]
    clear = {both for both, found in tested.items() if not found.low <= 0 <= found.high}
    return Figure(
        "correlations",
        TITLE,
        CAPTION,
        lambda sheet: _drawn(sheet, shown, clear),
        columns,
        cells,
        _finding(tested, shown),
    )


def _drawn(sheet: Sheet, shown: Sequence[Related], clear: Set[Names]) -> str:
    signs = [Sign("main", "all models"), Sign("diamond", WITH_SCORE), Sign("half", "no correlation")]
    key, top = legend(sheet, signs, 2)
    top += 6
    bottom = top + ROW * len(shown) + 3
    left = max(breadth(pair.names, SMALL_LETTERS * BOLD) for pair in shown) + 12
    right = max(breadth(pair.sizes, SMALL_LETTERS) for pair in shown) + 14
    scale = Scale(-1, 1, left, sheet.width - right)
    parts = [key]
    for value in (-1, -0.5, 0, 0.5, 1):
        parts.append(stroke(scale(value), top, scale(value), bottom, "sx-half" if value == 0 else "sx-grid"))
        parts.append(write(scale(value), bottom + 11, tick_label(value), "sx-soft sx-tick", "middle"))
    for k, pair in enumerate(shown):
        parts += _row(pair, scale, top + ROW * (k + 0.5), "sx-strong" if (pair.one, pair.two) in clear else "sx-tick")
    return drawing(sheet, "correlations", TITLE, CAPTION, bottom + 24, parts)


def _finding(tested: Mapping[Names, AdjustedCorrelation], shown: Sequence[Related]) -> str:
    """How many go together, adjusted for all that the page has."""
    names = {(pair.one, pair.two) for pair in shown}
    apart = {both: found for both, found in tested.items() if both in names}
    clear = {both: found for both, found in apart.items() if not found.low <= 0 <= found.high}
    if not apart:
        return ""
    among = next(iter(apart.values())).among
    if not clear:
        why = f"adjusted for {among} correlations, " if among > 1 else ""
        reaches = "each interval reaches 0" if len(apart) > 1 else "its interval reaches 0"
        return f"Of {len(apart)} pairs of numbers none is shown to go together ({why}{reaches})"
    one, two = max(clear, key=lambda both: abs(clear[both].value))
    which = f"{one} and {two} ({clear[one, two].text})".replace("_", " ")
    many = f"are shown to go together, most {which}" if len(clear) > 1 else f"is shown to go together: {which}"
    count = f"All {len(apart)}" if len(clear) == len(apart) > 2 else f"{len(clear)} of {len(apart)}"
    return f"{count} pairs of numbers {many}"


def _row(pair: Related, scale: Scale, y: float, letters: str) -> Iterator[str]:
    yield write(scale.start - 10, y, pair.names, letters, "end")
    yield stroke(scale.start, y, scale.end, y, "sx-grid")
    if pair.fewer:
        yield _dot(pair, pair.eligible, "diamond", WITH_SCORE, scale, y + 5)
    yield _dot(pair, pair.all, "main", "all models", scale, y - 5 if pair.fewer else y)
    yield write(scale.end + 10, y, pair.sizes, "sx-soft sx-tick")


def _dot(pair: Related, found: Correlation, kind: Kind, who: str, scale: Scale, y: float) -> str:
    x = scale(found.value)
    low, high = found.interval
    interval = "" if math.isnan(low) else span(scale, low, high, x)
    title = f"{pair.one} and {pair.two}, {who}: {_text(found)}, n = {found.n}"
    return mark(x, y, kind, Whose(series=f"{pair.one}, {pair.two}, {who}"), title, interval)


def _cells(pair: Related, tested: AdjustedCorrelation | None) -> list[str]:
    models, eligible = (count_in_a_cell(found.n, "models") for found in (pair.all, pair.eligible))
    adjusted = in_a_cell(tested.value, tested.low, tested.high, digits=2) if tested else ""
    return [pair.one, pair.two, models, _text(pair.all), eligible, _text(pair.eligible), adjusted]


def _text(found: Correlation) -> str:
    if math.isnan(found.value):
        return found.reason or ""
    return in_a_cell(found.value, *found.interval, digits=2)
