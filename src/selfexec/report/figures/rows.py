"""The layout of most figures: a row for each model, one panel beside the other, a mark where the number is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from selfexec.report.figures.figure import ROWS
from selfexec.report.figures.numbers import Baseline, Number, Numbers
from selfexec.report.svg import (
    BOLD,
    SMALL_LETTERS,
    WIDTH,
    Anchor,
    Kind,
    Scale,
    Sign,
    Whose,
    at,
    bar,
    belonging,
    breadth,
    clean,
    drawing,
    escape,
    key_of,
    legend,
    mark,
    reach_of_shares,
    shortened,
    stroke,
    tick_label,
    wrapped,
    write,
)

NAMES = 196.0  # the greatest room for names
GAP = 18.0  # between panels, at least
APART = 14.0  # between the last number below a panel and the first below the next
ROW, FAMILY, HEADING = 21.0, 5.0, 20.0
EDGE = 10.0
BASELINE = "most accurate baseline"
LEAST_BAR = 0.8  # what is there shows, however little it is


@dataclass(frozen=True)
class Dot:
    """One mark in a row. `lane`: how many units below the middle of the row it lies. `title`: what it says on hover."""

    model: str
    series: str
    value: float
    title: str
    kind: Kind = "main"
    low: float | None = None
    high: float | None = None
    inner: tuple[float, float] | None = None
    lane: float = 0.0


@dataclass(frozen=True)
class Piece:
    """A part of a bar, from one value to another."""

    model: str
    series: str
    start: float
    end: float
    fill: int
    title: str


@dataclass(frozen=True)
class Panel:
    """A scale with the marks of all models. `tied`: the marks of a row are joined by a line. `line`: a value that
    stands for all models. `counts`: what stands at the end of each model's bar.
    """

    title: str
    dots: Sequence[Dot] = ()
    pieces: Sequence[Piece] = ()
    domain: tuple[float, float] = (0.0, 1.0)
    log: bool = False
    tied: bool = False
    line: float | None = None
    share: float = 1.0  # of the width, beside the other panels
    counts: Mapping[str, str] = field(default_factory=dict)
    axis: str = ""  # what its scale measures, where its title does not say so


@dataclass(frozen=True)
class Frame:
    """Where the rows stand."""

    left: float
    top: float
    bottom: float
    row: float  # the height of one
    places: dict[str, float] = field(default_factory=dict)
    headings: tuple[tuple[float, str], ...] = ()


def rows(
    numbers: Numbers,
    id: str,
    title: str,
    description: str,
    panels: Sequence[Panel],
    signs: Sequence[Sign],
    height: float = ROW,
) -> str:
    """The drawing of these panels; a model without any mark has no row."""
    marked = {dot.model for panel in panels for dot in panel.dots}
    marked |= {piece.model for panel in panels for piece in panel.pieces}
    shown = [model for model in numbers.models if model in marked]
    key, below = legend(signs, 2)
    left = min(max((breadth(numbers.name(m), SMALL_LETTERS) for m in shown), default=0.0), NAMES) + 12
    gap = _gap(panels)
    widths = list(_widths(panels, left, gap))
    titles = [
        wrapped(panel.title, width + gap - 6, SMALL_LETTERS * BOLD) for panel, width in zip(panels, widths, strict=True)
    ]
    top = below + 18 * max(map(len, titles)) + 6
    frame = _placed(numbers, shown, left, top, height)
    parts = [key, *_names(numbers, shown, frame)]
    x = left
    for panel, width, lines in zip(panels, widths, titles, strict=True):
        scale = Scale(*panel.domain, x, x + width, panel.log)
        first = top - 6 - 18 * len(lines) + 9
        heads = [write(x, first + 18 * k, line, "sx-strong") for k, line in enumerate(lines)]
        parts += [f'<g class="sx-panel" data-panel="{escape(panel.title)}">', *heads]
        parts += [*_backdrop(numbers, panel, scale, frame, shown), *_marks(numbers, panel, scale, frame), "</g>"]
        x += width + gap
    foot = 40 if any(panel.axis for panel in panels) else 24
    return drawing(id, title, description, frame.bottom + foot, parts, layout=ROWS)


def _gap(panels: Sequence[Panel]) -> float:
    """Between panels, so that the number at the end of one scale is not read together with the next one's first."""
    ends = []
    for panel in panels:
        ticks = Scale(*panel.domain, 0.0, 1.0, panel.log).ticks()
        ends.append([breadth(tick_label(tick), SMALL_LETTERS) / 2 for tick in (ticks[0], ticks[-1])])
    return max([GAP, *(one[1] + two[0] + APART for one, two in pairwise(ends))])


def _widths(panels: Sequence[Panel], left: float, gap: float) -> Iterator[float]:
    last = Scale(*panels[-1].domain, 0.0, 1.0, panels[-1].log).ticks()[-1:]
    edge = max([EDGE, *(breadth(tick_label(tick), SMALL_LETTERS) / 2 for tick in last)])
    room = WIDTH - left - edge - gap * (len(panels) - 1)
    whole = sum(panel.share for panel in panels)
    yield from (room * panel.share / whole for panel in panels)


def _placed(numbers: Numbers, shown: Sequence[str], left: float, top: float, height: float) -> Frame:
    places: dict[str, float] = {}
    headings: list[tuple[float, str]] = []
    y, last = top, None
    model_order = numbers.model_order
    for model in shown:
        if model_order.headed and (last is None or model_order.family(last) != model_order.family(model)):
            y += HEADING
            headings.append((y - HEADING / 2, model_order.family(model)))
        elif last is not None and model_order.apart(last, model):
            y += FAMILY
        places[model] = y + height / 2
        y, last = y + height, model
    return Frame(left, top, y + 3, height, places, tuple(headings))


def _names(numbers: Numbers, shown: Sequence[str], frame: Frame) -> Iterator[str]:
    for y, family in frame.headings:
        heading = write(4, y, shortened(clean(family), WIDTH / 2), "sx-strong")
        yield f'<g data-family="{key_of(family)}" data-band="{at(y)} {at(HEADING)}">{heading}</g>'
    for model in shown:
        short, y = shortened(numbers.name(model), NAMES, SMALL_LETTERS), frame.places[model]
        name = write(frame.left - 8, y, short, "sx-tick", "end", model)
        yield belonging(numbers.whose(model), name, band=(y, frame.row))


def _backdrop(numbers: Numbers, panel: Panel, scale: Scale, frame: Frame, shown: Sequence[str]) -> Iterator[str]:
    """The page's script knows lines that go down (`sx-down`) and what is below all rows (`sx-foot`): it moves rows
    together where models are hidden.
    """
    for model in shown:
        y = frame.places[model]
        yield belonging(numbers.whose(model), stroke(scale.start, y, scale.end, y, "sx-grid"))
    for value in fitting_ticks(scale):
        x = scale(value)
        yield stroke(x, frame.top, x, frame.bottom, "sx-grid sx-down")
        yield write(x, frame.bottom + 11, tick_label(value), "sx-soft sx-tick sx-foot", "middle")
    if panel.axis:
        yield write(scale.end, frame.bottom + 27, panel.axis, "sx-soft sx-small sx-foot", "end")
    if panel.line is not None and scale.holds(panel.line):
        x = scale(panel.line)
        yield stroke(x, frame.top, x, frame.bottom, "sx-half sx-down")


def fitting_ticks(scale: Scale) -> list[float]:
    """As many as have room for their labels beside each other."""
    width = abs(scale.end - scale.start)
    for most in (6, 5, 4, 3, 2):
        found = scale.ticks(most)
        widest = max((breadth(tick_label(value), SMALL_LETTERS) for value in found), default=0.0)
        if len(found) < 2 or (widest + 8) * (len(found) - 1) <= width:
            return found
    return found[:: max(1, len(found) - 1)]


def _marks(numbers: Numbers, panel: Panel, scale: Scale, frame: Frame) -> Iterator[str]:
    for piece in panel.pieces:
        x, end = scale.clipped(piece.start), scale.clipped(piece.end)
        y = frame.places[piece.model]
        yield bar(
            x, y - 6, max(end - x, LEAST_BAR), 12, piece.fill, numbers.whose(piece.model, piece.series), piece.title
        )
    anchor: Anchor
    for model, text in panel.counts.items():
        end = max(scale.clipped(piece.end) for piece in panel.pieces if piece.model == model)
        fits = end + 5 + breadth(text, SMALL_LETTERS) <= scale.end + EDGE
        place, anchor = (end + 5, "start") if fits else (end - 5, "end")
        yield belonging(numbers.whose(model), write(place, frame.places[model], text, "sx-small", anchor))
    if panel.tied:
        yield from _ties(numbers, panel, scale, frame)
    for dot in panel.dots:
        whose = numbers.whose(dot.model, dot.series)
        x, y = scale.clipped(dot.value), frame.places[dot.model] + dot.lane
        yield mark(x, y, dot.kind, whose, dot.title, _intervals(dot, scale, x))


def _ties(numbers: Numbers, panel: Panel, scale: Scale, frame: Frame) -> Iterator[str]:
    for model, y in frame.places.items():
        values = [scale.clipped(dot.value) for dot in panel.dots if dot.model == model]
        if len(values) > 1:
            whose: Whose = numbers.whose(model)
            yield belonging(whose, stroke(min(values), y, max(values), y, "sx-axis"))


def _intervals(dot: Dot, scale: Scale, x: float) -> str:
    """From the mark's own place."""
    spans = []
    if dot.low is not None and dot.high is not None:
        spans.append((dot.low, dot.high, "sx-span"))
    if dot.inner:
        spans.append((*dot.inner, "sx-span sx-thick"))
    return "".join(
        f'<path d="M{at(scale.clipped(low) - x)} 0H{at(scale.clipped(high) - x)}" class="{kind}"/>'
        for low, high, kind in spans
    )


def shares(*found: Sequence[Dot]) -> tuple[float, float]:
    """A scale of shares for these marks and their intervals: marks, unlike bars, need no zero."""
    dots = [dot for marks in found for dot in marks]
    ends = [end for dot in dots for end in (dot.value, dot.low, dot.high) if end is not None]
    return reach_of_shares(ends) if ends else (0.0, 1.0)


def dots(
    numbers: Numbers,
    series: str,
    found: Mapping[str, Number],
    kind: Kind = "main",
    *,
    lane: float = 0.0,
    interval: bool = True,
) -> list[Dot]:
    """A dot for each model. An interval that is not drawn is told on hover all the same."""
    marks = []
    for model in numbers.models:
        if number := found.get(model):
            title = f"{model}: {series} {number.full}"
            low, high = (number.low, number.high) if interval else (None, None)
            marks.append(Dot(model, series, number.value, title, kind, low, high, lane=lane))
    return marks


def baseline_dots(numbers: Numbers, found: Mapping[str, Baseline], *, lane: float = 0.0) -> list[Dot]:
    """The mark of the most accurate baseline for each model that has one."""
    return [
        Dot(model, BASELINE, baseline.number.value, f"{BASELINE} for {model}: {baseline.text}", "baseline", lane=lane)
        for model in numbers.models
        if (baseline := found.get(model))
    ]
