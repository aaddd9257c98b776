"""A layout: a plane with marks by two numbers, each with its label beside it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selfexec.report.svg.canvas import (
    SMALL_LETTERS,
    Drawing,
    Kind,
    Scale,
    Sheet,
    Sign,
    Valued,
    belonging,
    breadth,
    drawing,
    fitting_ticks,
    legend,
    mark,
    shortened,
    span,
    stroke,
    tick_label,
    write,
)
from selfexec.report.svg.order import ModelOrder

LEFT, RIGHT = 44.0, 14.0
HEIGHT = 340.0  # of the plane
LABEL_ROOM = 232.0
LABELLED = 30  # marks: of more, only those are labelled that stand apart, and the others say whose they are on hover


@dataclass(frozen=True)
class Spot:
    """A mark at x, y with both intervals."""

    key: str
    series: str
    x: Valued
    y: Valued
    title: str
    kind: Kind = "main"


@dataclass(frozen=True)
class Axis:
    text: str
    domain: tuple[float, float]
    log: bool = False


def plane(
    model_order: ModelOrder,
    id: str,
    title: str,
    description: str,
    spots: Sequence[Spot],
    x: Axis,
    y: Axis,
    signs: Sequence[Sign] = (),
    *,
    height: float = HEIGHT,
    line: float | None = None,
) -> Drawing:
    """The drawing of these marks, the y axis's text above the plane, the x axis's below. `line`: a height to be
    marked.
    """

    def drawn(sheet: Sheet) -> str:
        key, top = legend(sheet, signs, 2)
        across, up = scales(sheet, x, y, top + 4, height)
        parts = [key, *backdrop(x, y, across, up, line), *_marks(model_order, spots, across, up)]
        return drawing(sheet, id, title, description, top + height + 50, parts)

    return drawn


def _marks(model_order: ModelOrder, spots: Sequence[Spot], across: Scale, up: Scale) -> Iterator[str]:
    marks = [(across(spot.x.value), up.clipped(spot.y.value)) for spot in spots]
    spans = [box for spot in spots for box in _spans(spot, across, up)]
    labels = _placed([model_order.labels[spot.key] for spot in spots], marks, spans, across, up)
    for spot, (cx, cy), label in zip(spots, marks, labels, strict=True):
        whose = model_order.whose(spot.key, spot.series)
        cross = span(across, spot.x.low, spot.x.high, cx) + span(up, spot.y.low, spot.y.high, cy)
        yield mark(cx, cy, spot.kind, whose, spot.title, cross)
        if label is not None:
            lead = [stroke(*label.lead, "sx-lead")] if label.lead else []
            yield belonging(whose, *lead, write(label.x, label.y, label.text, "sx-tick", "start", spot.key))


def scales(sheet: Sheet, x: Axis, y: Axis, top: float, height: float, right: float = RIGHT) -> tuple[Scale, Scale]:
    """From left to right, and from below to the y axis's text."""
    across = Scale(*x.domain, LEFT, sheet.width - right, x.log)
    return across, Scale(*y.domain, top + height, top + 26, y.log, upright=True)


def backdrop(x: Axis, y: Axis, across: Scale, up: Scale, line: float | None = None) -> list[str]:
    """Both axes with their grid and text."""
    texts = [write(4, up.end - 19, y.text, "sx-strong"), *_grid(across, up, line)]
    return [*texts, write(across.end, up.start + 32, x.text, "sx-soft", "end")]


def _grid(across: Scale, up: Scale, line: float | None) -> Iterator[str]:
    for value in fitting_ticks(across):
        yield stroke(across(value), up.end, across(value), up.start, "sx-grid")
        yield write(across(value), up.start + 12, tick_label(value), "sx-soft sx-tick", "middle")
    for value in up.ticks(5):
        yield stroke(across.start, up(value), across.end, up(value), "sx-grid")
        yield write(across.start - 6, up(value), tick_label(value), "sx-soft sx-tick", "end")
    if line is not None and up.holds(line):
        yield stroke(across.start, up(line), across.end, up(line), "sx-half")


# --- labels that stand clear of each other ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Placed:
    """Where a label starts, and the line from its mark where it had to go further off."""

    text: str
    x: float
    y: float
    lead: tuple[float, float, float, float] | None = None


Box = tuple[float, float, float, float]  # left, top, right, bottom
Boxes = NDArray[np.float64]  # one a row


def _spans(spot: Spot, across: Scale, up: Scale) -> Iterator[Box]:
    """Where the intervals lie."""
    x, y = across(spot.x.value), up.clipped(spot.y.value)
    if spot.x.low is not None and spot.x.high is not None:
        yield across.clipped(spot.x.low), y - 1, across.clipped(spot.x.high), y + 1
    if spot.y.low is not None and spot.y.high is not None:
        yield x - 1, up.clipped(spot.y.high), x + 1, up.clipped(spot.y.low)


def _placed(
    labels: Sequence[str],
    marks: Sequence[tuple[float, float]],
    spans: Sequence[Box],
    across: Scale,
    up: Scale,
) -> list[Placed | None]:
    """Each label at the nearest free place around its mark, the most crowded marks first; of many the least crowded
    first, and those alone that cover nothing.
    """
    taken = np.array([*((x - 6, y - 6, x + 6, y + 6) for x, y in marks), *spans]).reshape(-1, 4)
    crowd = [sum(math.hypot((x - a) / 2, y - b) < 40 for a, b in marks) for x, y in marks]
    many = len(labels) > LABELLED
    found: dict[int, Placed] = {}
    for k in sorted(range(len(labels)), key=lambda k: (crowd[k] if many else -crowd[k], marks[k], labels[k])):
        text = shortened(labels[k], LABEL_ROOM, SMALL_LETTERS)
        label, where = _nearest(text, marks[k], taken, across, up)
        if many and (_overlaps(where, taken).any() or where[2] > across.end + RIGHT):
            continue
        found[k] = label
        taken = np.vstack([taken, where])
    return [found.get(k) for k in range(len(labels))]


def _nearest(text: str, spot: tuple[float, float], taken: Boxes, across: Scale, up: Scale) -> tuple[Placed, Box]:
    width, half = breadth(text, SMALL_LETTERS), SMALL_LETTERS * 0.55
    best: tuple[float, Placed, Box] | None = None
    candidates = list(_candidates(spot, width))
    lefts, middles = [x for _, x, _ in candidates], [y for _, _, y in candidates]
    reach = (min(lefts), min(middles) - half, max(lefts) + width, max(middles) + half)
    near = taken[_overlaps(reach, taken) > 0]
    for penalty, x, y in candidates:
        where = (x, y - half, x + width, y + half)
        out = (
            max(0.0, across.start - x)
            + max(0.0, x + width - across.end - RIGHT)
            + max(0.0, up.end - y)
            + max(0.0, y - up.start)
        )
        if best is not None and penalty + 50 * out >= best[0]:
            continue  # whatever it would cover
        cost = penalty + 50 * out + 3 * float(_overlaps(where, near).sum())
        if best is None or cost < best[0]:
            far = penalty >= 20
            end = min(max(spot[0], x), x + width)
            lead = (*spot, end, y + (half - 2) * (1 if y < spot[1] else -1)) if far else None
            best = (cost, Placed(text, x, y, lead), where)
    assert best
    return best[1], best[2]


def _candidates(spot: tuple[float, float], width: float) -> Iterator[tuple[float, float, float]]:
    """Cost, left end and middle height of a label: to the right, to the left, above, below, and further off."""
    x, y = spot
    for k in range(3):
        yield k * 1.5, x + 9 + 6 * k, y
        yield 1 + k * 1.5, x - 9 - 6 * k - width, y
    for k, off in enumerate((13.0, 24.0, 36.0, 48.0, 62.0)):
        for sign in (-1, 1):
            for j, start in enumerate((x + 5, x - width / 2, x - 5 - width)):
                yield 3 + 17 * k + j + (sign > 0) * 0.5, start, y + sign * off


def _overlaps(one: Box, others: Boxes) -> NDArray[np.float64]:
    """The area that each of the others shares with this one."""
    width = np.minimum(one[2], others[:, 2]) - np.maximum(one[0], others[:, 0])
    height = np.minimum(one[3], others[:, 3]) - np.maximum(one[1], others[:, 1])
    shared: NDArray[np.float64] = np.maximum(width, 0.0) * np.maximum(height, 0.0)
    return shared
