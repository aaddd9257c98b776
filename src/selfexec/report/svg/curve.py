"""A layout: a curve over a plane, beside the diagonal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from selfexec.report.svg.canvas import (
    GREAT_LETTERS,
    Drawing,
    Scale,
    Sheet,
    Sign,
    Valued,
    Whose,
    at,
    belonging,
    drawing,
    legend,
    mark,
    span,
    stroke,
)
from selfexec.report.svg.plane import Axis, backdrop, scales

HEIGHT = 300.0  # of the plane


@dataclass(frozen=True)
class CurvePoint:
    """A value at x, with its interval, and what it says on hover."""

    x: float
    y: Valued
    title: str


def curve(
    id: str,
    title: str,
    description: str,
    whose: Whose,
    points: Sequence[CurvePoint],
    x: Axis,
    y: Axis,
    signs: Sequence[Sign] = (),
) -> Drawing:
    """The drawing of these points, which a line joins from left to right. What lies beyond an axis is drawn at its end;
    a dashed line marks where y is x.
    """
    ordered = sorted(points, key=lambda point: point.x)

    def drawn(sheet: Sheet) -> str:
        key, top = legend(sheet, signs, 2)
        across, up = scales(sheet, x, y, top + 4, HEIGHT)
        parts = [key, *backdrop(x, y, across, up), *_diagonal(across, up)]
        places = [(across.clipped(point.x), up.clipped(point.y.value)) for point in ordered]
        if len(places) > 1:
            steps = "L".join(f"{at(place)} {at(height)}" for place, height in places)
            parts.append(belonging(whose, f'<g class="sx-main"><path d="M{steps}" class="sx-span"/></g>'))
        for point, (place, height) in zip(ordered, places, strict=True):
            parts.append(mark(place, height, "main", whose, point.title, span(up, point.y.low, point.y.high, height)))
        return drawing(sheet, id, title, description, top + HEIGHT + 40 + GREAT_LETTERS / 2, parts)

    return drawn


def _diagonal(across: Scale, up: Scale) -> Iterator[str]:
    """As far as both axes reach."""
    low, high = max(across.low, up.low), min(across.high, up.high)
    if low < high and across.log == up.log:
        yield stroke(across(low), up(low), across(high), up(high), "sx-half")
