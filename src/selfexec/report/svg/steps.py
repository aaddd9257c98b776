"""A layout: series of steps over places that have names, one facet below the other, a label at the end of each."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

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
    escape,
    leading,
    legend,
    mark,
    shortened,
    span,
    stroke,
    tick_label,
    write,
)
from selfexec.report.svg.lines import AWAY, LABELS, STEP, spread
from selfexec.report.svg.plane import LEFT, RIGHT, PlaneValue

HEIGHT = 150.0  # of a facet, unless so many labels take more
TITLE = 22.0
SLANT = 35.0  # degrees at least, of the names of places; as many as keep them apart
APART, BESIDE = 0.9, 0.8  # steps: how much further off the last place is, and how far marks may be from it
MOST_APART = 9.0  # of marks there
MANY = 30  # series whose lines are pale, since they lie upon each other


@dataclass(frozen=True)
class Step:
    """A value at a place, with its interval, and what it says on hover."""

    y: PlaneValue
    title: str
    kind: Kind = "small"


@dataclass(frozen=True)
class Series:
    """The steps of one key by place, which a line joins from left to right. One that ends at the last place is labelled
    there.
    """

    whose: Whose
    label: str
    steps: Mapping[str, Step]


@dataclass(frozen=True)
class PlotFacet:
    """One plane: its series, and the reach of their values."""

    title: str
    series: Sequence[Series]
    domain: tuple[float, float]
    of: str = ""  # what its marks lead to


def steps(
    id: str,
    title: str,
    description: str,
    places: Sequence[str],
    plot_facets: Sequence[PlotFacet],
    *,
    axis: str = "",
    signs: Sequence[Sign] = (),
    line: float | None = None,
) -> Drawing:
    """The drawing of these facets over the same places, from left to right. `line`: a height to be marked; `axis`:
    what heights measure.
    """
    series = [curve for plot_facet in plot_facets for curve in plot_facet.series]
    widest = max((breadth(curve.label, SMALL_LETTERS) for curve in series), default=0.0)
    longest = max((breadth(place, SMALL_LETTERS) for place in places), default=0.0)

    def drawn(sheet: Sheet) -> str:
        ground = _ground(places, sheet.width - max(RIGHT, AWAY + 4 + min(widest, LABELS)))
        foot = math.sin(math.radians(ground.slant)) * longest + GREAT_LETTERS
        signed, top = legend(sheet, signs, 2)
        parts = [signed]
        for plot_facet in plot_facets:
            height = max(HEIGHT, STEP * (len(plot_facet.series) + 1))
            up = Scale(*plot_facet.domain, top + TITLE + height, top + TITLE, upright=True)
            heading = write(4, top + TITLE / 2 - 2, plot_facet.title, "sx-strong")
            room = ground.edge - 4 - breadth(plot_facet.title) > breadth(axis, SMALL_LETTERS)
            measured = write(ground.edge, top + TITLE / 2 - 2, axis, "sx-soft sx-small", "end") if axis and room else ""
            within = [*_backdrop(ground, up, line), *_series(plot_facet, ground, up)]
            panel = f'<g class="sx-panel" data-panel="{escape(plot_facet.title)}"{leading(plot_facet.of)}>'
            parts += [panel, heading, measured, *within, "</g>"]
            top = up.start + foot
        return drawing(sheet, id, title, description, top + 4, parts)

    return drawn


@dataclass(frozen=True)
class Ground:
    """Where each place is, from left to right, and `edge`, where the planes end. At the last place marks stand side by
    side on either side of it, up to `beside` from it, the highest first.
    """

    across: Mapping[str, float]
    beside: float
    edge: float

    @property
    def slant(self) -> float:
        apart = min((b - a for a, b in pairwise(self.across.values())), default=STEP)
        return max(SLANT, math.degrees(math.asin(min(1.0, STEP / apart))))

    @property
    def last(self) -> str:
        return list(self.across)[-1]


def _ground(places: Sequence[str], end: float) -> Ground:
    ways = [float(n) for n in range(len(places))]
    ways[-1] += APART if len(ways) > 1 else 0
    scale = Scale(-0.5, ways[-1] + BESIDE + 0.2, LEFT, end)
    return Ground({place: scale(way) for place, way in zip(places, ways, strict=True)}, scale(BESIDE) - scale(0.0), end)


def _backdrop(ground: Ground, up: Scale, line: float | None) -> Iterator[str]:
    for value in up.ticks(5):
        yield stroke(LEFT, up(value), ground.edge, up(value), "sx-grid")
        yield write(LEFT - 6, up(value), tick_label(value), "sx-soft sx-tick", "end")
    if line is not None and up.holds(line):
        yield stroke(LEFT, up(line), ground.edge, up(line), "sx-half")
    for place, x in ground.across.items():
        if place != ground.last:
            yield stroke(x, up.end, x, up.start, "sx-grid")
        yield _slanted(x, up.start + 9, place, ground.slant)


def _slanted(x: float, y: float, text: str, slant: float) -> str:
    """Text that ends at x, y, from the left and below."""
    turned = f' transform="rotate(-{slant:.3g} {at(x)} {at(y)})"'
    return f'<text x="{at(x)}" y="{at(y)}" dy=".35em" text-anchor="end" class="sx-small"{turned}>{escape(text)}</text>'


Place = tuple[float, float]


def _series(plot_facet: PlotFacet, ground: Ground, up: Scale) -> Iterator[str]:
    """Lines and labels first, so that marks lie above all of them."""
    ways = {curve.whose.key: _way(curve, ground, up) for curve in plot_facet.series}
    ended = sorted((key for key in ways if ground.last in ways[key]), key=lambda key: (ways[key][ground.last][1], key))
    for n, key in enumerate(ended):
        x, y = ways[key][ground.last]
        aside = (n / (len(ended) - 1) - 0.5) * 2 if len(ended) > 1 else 0.0
        ways[key][ground.last] = (x + aside * min(ground.beside, MOST_APART * (len(ended) - 1) / 2), y)
    heights = spread([ways[key][ground.last][1] for key in ended], up.end, up.start)
    pale = ' stroke-opacity=".25"' if len(plot_facet.series) > MANY else ""
    for curve in plot_facet.series:
        way = ways[curve.whose.key]
        joined = "L".join(f"{at(x)} {at(y)}" for x, y in way.values())
        label = _label(curve, ground, way, heights[ended.index(curve.whose.key)]) if ground.last in way else ()
        yield belonging(curve.whose, f'<path d="M{joined}" class="sx-lead"{pale}/>', *label)
    for curve in plot_facet.series:
        for place, (x, y) in ways[curve.whose.key].items():
            step = curve.steps[place]
            whose = Whose(curve.whose.key, curve.whose.group, place)
            yield mark(x, y, step.kind, whose, step.title, span(up, step.y.low, step.y.high, y))


def _way(curve: Series, ground: Ground, up: Scale) -> dict[str, Place]:
    there = {place: x for place, x in ground.across.items() if place in curve.steps}
    return {place: (x, up.clipped(curve.steps[place].y.value)) for place, x in there.items()}


def _label(curve: Series, ground: Ground, way: Mapping[str, Place], height: float) -> Iterator[str]:
    """The label beside the plane, led to from the last step."""
    x, y = way[ground.last]
    joint = ground.edge + 2
    yield f'<path d="M{at(x + 4)} {at(y)}H{at(joint)}L{at(joint + AWAY - 5)} {at(height)}" class="sx-lead"/>'
    text = shortened(curve.label, LABELS, SMALL_LETTERS)
    yield write(ground.edge + AWAY, height, text, "sx-tick", "start", curve.label)
