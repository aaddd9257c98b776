"""A layout: lines over a plane, one for each series, its label at its end."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from selfexec.report.svg.canvas import (
    GREAT_LETTERS,
    SMALL_LETTERS,
    Drawing,
    Kind,
    Scale,
    Sheet,
    Sign,
    Whose,
    at,
    belonging,
    breadth,
    drawing,
    legend,
    mark,
    shortened,
    span,
    stroke,
    write,
)
from selfexec.report.svg.plane import RIGHT, Axis, PlaneValue, backdrop, scales

LABELS = 232.0  # the greatest room for labels
AWAY = 16.0  # of a label from the plane
STEP = SMALL_LETTERS * 1.15  # from label to label, at least
HEIGHT = 300.0  # of the plane, unless so many labels take more


@dataclass(frozen=True)
class LinePoint:
    """A value at x, with its interval, and what it says on hover."""

    x: float
    y: PlaneValue
    title: str


@dataclass(frozen=True)
class Curve:
    """The points of one series, which a line joins from left to right."""

    whose: Whose
    label: str
    points: Sequence[LinePoint]
    kind: Kind = "main"


def lines(
    id: str,
    title: str,
    description: str,
    curves: Sequence[Curve],
    x: Axis,
    y: Axis,
    *,
    signs: Sequence[Sign] = (),
    line: float | None = None,
    diagonal: bool = False,
) -> Drawing:
    """The drawing of these curves. `line`: a height to be marked; `diagonal`: mark where y is x. What lies beyond an
    axis is drawn at its end.
    """
    shown = [curve for curve in curves if curve.points]
    widest = max((breadth(curve.label, SMALL_LETTERS) for curve in shown), default=0.0)
    height = max(HEIGHT, STEP * (len(shown) + 2))

    def drawn(sheet: Sheet) -> str:
        signed, top = legend(sheet, signs, 2)
        across, up = scales(sheet, x, y, top + 4, height, right=max(RIGHT, AWAY + 4 + min(widest, LABELS)))
        ways = [_way(curve, across, up) for curve in shown]
        labels = spread([way[-1][1] for way in ways], up.end + STEP / 2, up.start - STEP / 4)
        parts = [signed, *backdrop(x, y, across, up, line), *(_diagonal(across, up) if diagonal else ())]
        for curve, way, label in zip(shown, ways, labels, strict=True):
            parts.append(belonging(curve.whose, _joined(curve, way), *_labelled(curve, way[-1], across.end, label)))
        parts += (one for curve, way in zip(shown, ways, strict=True) for one in _points(curve, way, up))
        return drawing(sheet, id, title, description, top + height + 40 + GREAT_LETTERS / 2, parts)

    return drawn


Place = tuple[float, float]


def _points(curve: Curve, way: Sequence[Place], up: Scale) -> Iterator[str]:
    """Above all lines."""
    for point, (x, y) in zip(_ordered(curve), way, strict=True):
        yield mark(x, y, curve.kind, curve.whose, point.title, span(up, point.y.low, point.y.high, y))


def _ordered(curve: Curve) -> list[LinePoint]:
    return sorted(curve.points, key=lambda point: point.x)


def _way(curve: Curve, across: Scale, up: Scale) -> list[Place]:
    return [(across.clipped(point.x), up.clipped(point.y.value)) for point in _ordered(curve)]


def _joined(curve: Curve, way: Sequence[Place]) -> str:
    """Below a mark of its kind, in whose colour it is."""
    steps = "L".join(f"{at(x)} {at(y)}" for x, y in way)
    return f'<g class="sx-{curve.kind}"><path d="M{steps}" class="sx-span"/></g>' if len(way) > 1 else ""


def _labelled(curve: Curve, end: Place, edge: float, height: float) -> Iterator[str]:
    """The label beside the plane, led to from the end of its line where that is not just beside it."""
    if edge - end[0] > 1 or abs(end[1] - height) > 1:
        yield stroke(end[0], end[1], edge + AWAY - 3, height, "sx-lead")
    text = shortened(curve.label, LABELS, SMALL_LETTERS)
    yield write(edge + AWAY, height, text, "sx-tick", "start", curve.label)


def _diagonal(across: Scale, up: Scale) -> Iterator[str]:
    """As far as both axes reach."""
    low, high = max(across.low, up.low), min(across.high, up.high)
    if low < high and across.log == up.log:
        yield stroke(across(low), up(low), across(high), up(high), "sx-half")


def spread(wanted: Sequence[float], least: float, most: float, step: float = STEP) -> list[float]:
    """Heights at least a step apart, between `least` and `most`, as near to those wanted as can be (least squares, by
    pooling neighbours that are too near).
    """
    order = sorted(range(len(wanted)), key=lambda k: wanted[k])
    pools: list[tuple[float, int]] = []  # the mean of what is wanted less its steps, and of how many
    for place, k in enumerate(order):
        mean, size = wanted[k] - place * step, 1
        while pools and pools[-1][0] >= mean:
            above, many = pools.pop()
            mean, size = (above * many + mean * size) / (many + size), many + size
        pools.append((mean, size))
    most -= step * (len(wanted) - 1)
    starts = [min(max(mean, least), most) for mean, size in pools for _ in range(size)]
    found = {k: start + place * step for place, (k, start) in enumerate(zip(order, starts, strict=True))}
    return [found[k] for k in range(len(wanted))]
