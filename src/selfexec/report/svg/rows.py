"""A layout: a row for each key, one panel beside the other, a mark where the number is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from selfexec.report.svg.canvas import (
    BOLD,
    CROWD,
    SCREEN,
    SMALL_LETTERS,
    Anchor,
    Drawing,
    Kind,
    Scale,
    Sheet,
    Sign,
    Whose,
    bar,
    belonging,
    breadth,
    clean,
    drawing,
    ends_of,
    escape,
    fitting_ticks,
    leading,
    legend,
    mark,
    reach_of_shares,
    shortened,
    span,
    stroke,
    tick_label,
    wrapped,
    write,
)
from selfexec.report.svg.order import ModelOrder

ROWS = "sx-rows"  # the class of such a drawing
LABELS = 232.0  # the greatest room for labels; what is shortened to it takes a little less, as widths are estimates
GAP = 18.0  # between panels, at least
APART = 14.0  # between the last number below a panel and the first below the next
ROW, HEADING = 21.0, 20.0
MOST, THIN = 30, 3.0  # of more keys a screen has no names, and rows as thin as this
EDGE = 10.0
LEAST_BAR = 0.8  # what is there shows, however little it is


@dataclass(frozen=True)
class Dot:
    """One mark in a row. `offset`: how many units below the middle of the row it lies. `title`: what it says on
    hover.
    """

    key: str
    series: str
    value: float
    title: str
    kind: Kind = "main"
    low: float | None = None
    high: float | None = None
    inner: tuple[float, float] | None = None
    offset: float = 0.0


@dataclass(frozen=True)
class Piece:
    """A part of a bar, from one value to another."""

    key: str
    series: str
    start: float
    end: float
    fill: int
    title: str


@dataclass(frozen=True)
class RowPanel:
    """A scale with the marks of all keys. `tied`: the marks of a row are joined by a line. `line`: a value that
    stands for all keys. `counts`: what stands at the end of each key's bar.
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
    of: str = ""  # what its marks lead to, where that is not the same in all panels


@dataclass(frozen=True)
class Frame:
    """Where the rows stand."""

    left: float
    top: float
    bottom: float
    row: float  # the height of one
    places: dict[str, float] = field(default_factory=dict)
    headings: tuple[tuple[float, str], ...] = ()

    @property
    def crowded(self) -> bool:
        """Whether its rows are too thin for names, bars and lines of their own."""
        return self.row == THIN


def rows(
    model_order: ModelOrder,
    id: str,
    title: str,
    description: str,
    panels: Sequence[RowPanel],
    signs: Sequence[Sign],
    height: float = ROW,
    beside: int | None = None,
) -> Drawing:
    """The drawing of these panels, in as many lines as they need; a key without any mark has no row. No more than so
    many stand `beside` each other, if it is given.
    """
    marked = {dot.key for panel in panels for dot in panel.dots}
    marked |= {piece.key for panel in panels for piece in panel.pieces}
    shown = [key for key in model_order.keys if key in marked]
    left = min(max((breadth(model_order.labels[key], SMALL_LETTERS) for key in shown), default=0.0), LABELS) + 12
    foot = 40 if any(panel.axis for panel in panels) else 24
    ends = ((end, panel.domain) for panel in panels for end in ends_of(panel.dots))
    if any(not low <= end <= high for end, (low, high) in ends):
        signs = [*signs, Sign("arrow", "interval goes on")]

    def drawn(sheet: Sheet) -> str:
        signed, below = legend(sheet, signs, 2)
        parts = [signed]
        crowded = sheet.mm is None and len(shown) > MOST
        fit = _beside(sheet, panels, left, beside)
        for some in (panels[n : n + fit] for n in range(0, len(panels), fit)):
            # a line that is not full has panels of the same width
            titles, slots = _slots(sheet, [*some, *panels[: fit - len(some)]], left)
            titles = titles[: len(some)]
            top = below + 18 * max(map(len, titles)) + 6
            frame = _placed(model_order, shown, left, top, THIN if crowded else height)
            line = [*_labels(model_order, shown, frame)]
            for panel, heads, (x, end) in zip(some, titles, slots, strict=False):
                line += _panel(model_order, panel, heads, Scale(*panel.domain, x, end, panel.log), frame, shown)
            # where there are several, each has its own rows for a script to move
            parts += line if fit >= len(panels) else ['<g class="sx-line">', *line, "</g>"]
            below = frame.bottom + foot
        return drawing(sheet, id, title, description, below, parts, layout=f"{ROWS} {CROWD}" if crowded else ROWS)

    return drawn


def _beside(sheet: Sheet, panels: Sequence[RowPanel], left: float, wanted: int | None) -> int:
    """How many panels stand beside each other, in lines of like length: none is narrower than it may be, nor than what
    stands below it.
    """
    least = sheet.least_panel and max(sheet.least_panel, *(breadth(panel.axis, SMALL_LETTERS) for panel in panels))
    most = max(1, min(int((sheet.width - left - EDGE + GAP) / (least + GAP)), wanted or len(panels)))
    return -(-len(panels) // -(-len(panels) // most))


def _slots(sheet: Sheet, panels: Sequence[RowPanel], left: float) -> tuple[list[list[str]], list[tuple[float, float]]]:
    """The titles of panels beside each other, in lines, and where each begins and ends."""
    gap, x = _gap(panels), left
    titles, slots = [], []
    for panel, width in zip(panels, _widths(sheet, panels, left, gap), strict=True):
        aside = EDGE if x + width + gap > sheet.width else gap - 6  # the last has no other beside it
        titles.append(wrapped(panel.title, width + aside, SMALL_LETTERS * BOLD))
        slots.append((x, x + width))
        x += width + gap
    return titles, slots


def _panel(
    model_order: ModelOrder, panel: RowPanel, title: Sequence[str], scale: Scale, frame: Frame, shown: Sequence[str]
) -> Iterator[str]:
    first = frame.top - 6 - 18 * len(title) + 9
    yield f'<g class="sx-panel" data-panel="{escape(panel.title)}"{leading(panel.of)}>'
    yield from (write(scale.start, first + 18 * k, line, "sx-strong") for k, line in enumerate(title))
    yield from (*_backdrop(model_order, panel, scale, frame, shown), *_marks(model_order, panel, scale, frame), "</g>")


def _gap(panels: Sequence[RowPanel]) -> float:
    """Between panels, so that the number at the end of one scale is not read together with the next one's first."""
    ends = []
    for panel in panels:
        ticks = Scale(*panel.domain, 0.0, 1.0, panel.log).ticks()
        ends.append([breadth(tick_label(tick), SMALL_LETTERS) / 2 for tick in (ticks[0], ticks[-1])])
    return max([GAP, *(one[1] + two[0] + APART for one, two in pairwise(ends))])


def _widths(sheet: Sheet, panels: Sequence[RowPanel], left: float, gap: float) -> Iterator[float]:
    last = Scale(*panels[-1].domain, 0.0, 1.0, panels[-1].log).ticks()[-1:]
    edge = max([EDGE, *(breadth(tick_label(tick), SMALL_LETTERS) / 2 for tick in last)])
    room = sheet.width - left - edge - gap * (len(panels) - 1)
    whole = sum(panel.share for panel in panels)
    yield from (room * panel.share / whole for panel in panels)


def _placed(model_order: ModelOrder, shown: Sequence[str], left: float, top: float, height: float) -> Frame:
    places: dict[str, float] = {}
    headings: list[tuple[float, str]] = []
    y, last = top, None
    for key in shown:
        if model_order.headed and (last is None or model_order.groups[last] != model_order.groups[key]):
            y += HEADING
            headings.append((y - HEADING / 2, model_order.groups[key]))
        places[key] = y + height / 2
        y, last = y + height, key
    return Frame(left, top, y + 3, height, places, tuple(headings))


def _labels(model_order: ModelOrder, shown: Sequence[str], frame: Frame) -> Iterator[str]:
    for y, group in frame.headings:
        heading = write(4, y, shortened(clean(group), SCREEN.width / 2), "sx-strong")
        yield belonging(Whose(group=group), heading, band=(y, HEADING))
    for key in shown:
        short, y = shortened(model_order.labels[key], LABELS - 4, SMALL_LETTERS), frame.places[key]
        name = write(frame.left - 8, y, short, "sx-tick sx-name" if frame.crowded else "sx-tick", "end", key)
        yield belonging(model_order.whose(key), name, band=(y, frame.row))
    if frame.crowded:  # a script shows the name of the one that is picked in its place
        for n, line in enumerate((f"{len(shown)} in all,", "a line each")):
            yield write(frame.left - 8, frame.top + 8 + 16 * n, line, "sx-soft sx-tick sx-note", "end")


def _backdrop(
    model_order: ModelOrder, panel: RowPanel, scale: Scale, frame: Frame, shown: Sequence[str]
) -> Iterator[str]:
    """A script may move rows together where keys are hidden, by lines that go down (`sx-down`) and by what is below all
    rows (`sx-foot`); what it relies on is listed in `report/templates/CONTRACT.md`.
    """
    for key in () if frame.crowded else shown:
        y = frame.places[key]
        yield belonging(model_order.whose(key), stroke(scale.start, y, scale.end, y, "sx-grid"))
    for value in fitting_ticks(scale):
        x = scale(value)
        yield stroke(x, frame.top, x, frame.bottom, "sx-grid sx-down")
        yield write(x, frame.bottom + 11, tick_label(value), "sx-soft sx-tick sx-foot", "middle")
    if panel.axis:
        yield write(scale.end, frame.bottom + 27, panel.axis, "sx-soft sx-small sx-foot", "end")
    if panel.line is not None and scale.holds(panel.line):
        x = scale(panel.line)
        yield stroke(x, frame.top, x, frame.bottom, "sx-half sx-down")


def _marks(model_order: ModelOrder, panel: RowPanel, scale: Scale, frame: Frame) -> Iterator[str]:
    for piece in panel.pieces:
        x, end = scale.clipped(piece.start), scale.clipped(piece.end)
        y, high = frame.places[piece.key], min(12.0, frame.row)
        whose = model_order.whose(piece.key, piece.series)
        yield bar(x, y - high / 2, max(end - x, LEAST_BAR), high, piece.fill, whose, piece.title)
    anchor: Anchor
    for key, text in () if frame.crowded else panel.counts.items():
        end = max(scale.clipped(piece.end) for piece in panel.pieces if piece.key == key)
        fits = end + 5 + breadth(text, SMALL_LETTERS) <= scale.end + EDGE
        place, anchor = (end + 5, "start") if fits else (end - 5, "end")
        yield belonging(model_order.whose(key), write(place, frame.places[key], text, "sx-small", anchor))
    if panel.tied:
        yield from _ties(model_order, panel, scale, frame)
    for dot in panel.dots:
        whose = model_order.whose(dot.key, dot.series)
        x, y = scale.clipped(dot.value), frame.places[dot.key] + (0.0 if frame.crowded else dot.offset)
        yield mark(x, y, dot.kind, whose, dot.title, _intervals(dot, scale, x))


def _ties(model_order: ModelOrder, panel: RowPanel, scale: Scale, frame: Frame) -> Iterator[str]:
    for key, y in frame.places.items():
        values = [scale.clipped(dot.value) for dot in panel.dots if dot.key == key]
        if len(values) > 1:
            yield belonging(model_order.whose(key), stroke(min(values), y, max(values), y, "sx-axis"))


def _intervals(dot: Dot, scale: Scale, x: float) -> str:
    """From the mark's own place."""
    thick = span(scale, *dot.inner, x, "sx-span sx-thick") if dot.inner else ""
    return span(scale, dot.low, dot.high, x) + thick


def shares(*found: Sequence[Dot]) -> tuple[float, float]:
    """A scale of shares for these marks and their intervals: marks, unlike bars, need no zero."""
    ends = ends_of(dot for marks in found for dot in marks)
    return reach_of_shares(ends) if ends else (0.0, 1.0)
