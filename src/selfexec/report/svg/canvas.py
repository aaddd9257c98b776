"""The pencil: scales, ticks, text and marks as SVG.

All lengths are units of a drawing as wide as its Sheet, which the page scales to the room there is. On a narrow screen
the letters grow against the drawing (see STYLE), so whatever must hold text is measured with the greater letters; in
print they have that size.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape as html_escape
from typing import Literal, Protocol

from selfexec.text.numbers import typeset
from selfexec.text.printable import harmless

GREAT_LETTERS = 15.0  # on a narrow screen and in print; on a wide screen they are 11
SMALL_LETTERS = 13.0  # those of names and ticks, on a narrow screen and in print
BOLD = 1.14  # how much wider

STYLE = """
.sx text{fill:var(--ink,#1c2024)}
.sx .sx-soft{fill:var(--muted,#697077)}
.sx .sx-strong{font-weight:600}
.sx .sx-paper{fill:var(--paper,#ffffff)}
.sx .sx-grid{stroke:var(--grid,#e3e6e9);stroke-width:1;fill:none}
.sx .sx-axis{stroke:var(--muted,#697077);stroke-width:1;fill:none}
.sx .sx-half{stroke:var(--muted,#697077);stroke-width:1;stroke-dasharray:3 3;fill:none}
.sx .sx-lead{stroke:var(--muted,#697077);stroke-width:.7;fill:none}
.sx .sx-span{stroke:var(--muted,#697077);stroke-width:1.6;fill:none}
.sx .sx-thick{stroke-width:5;stroke-opacity:.45}
.sx .sx-main .sx-span{stroke:var(--accent,#0b62c4)}
.sx .sx-main .sx-shape{fill:var(--accent,#0b62c4);stroke:var(--paper,#ffffff);stroke-width:.6}
.sx .sx-open .sx-span{stroke:var(--accent,#0b62c4)}
.sx .sx-open .sx-shape{fill:var(--paper,#ffffff);stroke:var(--accent,#0b62c4);stroke-width:1.6}
.sx .sx-diamond .sx-shape{fill:var(--paper,#ffffff);stroke:var(--ink,#1c2024);stroke-width:1.3}
.sx .sx-faint .sx-shape{fill:var(--paper,#ffffff);stroke:var(--muted,#697077);stroke-width:1.3;stroke-dasharray:2 1.5}
.sx .sx-dot .sx-shape{fill:var(--muted,#697077)}
.sx .sx-baseline .sx-shape{stroke:var(--ink,#1c2024);stroke-width:2;fill:none}
.sx .sx-fill-1 .sx-shape{fill:var(--accent,#0b62c4)}
.sx .sx-fill-2 .sx-shape,.sx .sx-fill-3 .sx-shape{fill:var(--paper,#ffffff);stroke-width:.8}
.sx .sx-fill-2 .sx-shape,.sx .sx-fill-3 .sx-shape{stroke:var(--accent,#0b62c4)}
.sx .sx-fill-4 .sx-shape{fill:var(--ink,#1c2024)}
.sx .sx-fill-5 .sx-shape{fill:var(--paper,#ffffff);stroke:var(--ink,#1c2024);stroke-width:.8}
.sx .sx-hatch{stroke:var(--ink,#1c2024);stroke-width:1.1;fill:none}
.sx .sx-fill-2 .sx-hatch,.sx .sx-fill-3 .sx-hatch{stroke:var(--accent,#0b62c4)}
.sx .sx-fill-3 .sx-hatch{stroke-width:2;stroke-linecap:round}
.sx .sx-fill-6 .sx-shape{fill:var(--muted,#697077);fill-opacity:.25;stroke:var(--muted,#697077);stroke-dasharray:2 1.5}
.sx .sx-fill-7 .sx-shape{fill:var(--muted,#697077);fill-opacity:.3}
""".strip()
CROWD = "sx-crowd"  # the class of a drawing whose rows are too thin for names
IN_CROWD = """
.sx-crowd .sx-name{display:none}
.sx-crowd circle{r:2px}
.sx-crowd .sx-baseline .sx-shape{transform:scaleY(.35)}
.sx-crowd :is(.sx-span,.sx-axis){stroke-width:1;stroke-opacity:.4}
""".rstrip()
GREATER = ".sx{font-size:15px}.sx .sx-tick,.sx .sx-small,.sx .sx-strong{font-size:13px}"
ON_SCREEN = f"""
.sx{{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-size:11px}}
svg.sx.sx{{max-width:760px;height:auto;display:block}}
{STYLE}
@media (max-width:600px){{{GREATER}}}
""".strip()
# Helvetica is one of the fonts that every viewer of PDF and every TeX has; the others are as wide
IN_PRINT = f".sx{{font-family:Helvetica,Arial,'Liberation Sans','Nimbus Sans',sans-serif}}\n{GREATER}\n{STYLE}"


# --- what is drawn on ------------------------------------------------------------------------------------------------

POINT = 25.4 / 72  # in mm
LEAST_TYPE = 7.05  # points of the smallest letters in print


@dataclass(frozen=True)
class Sheet:
    """How wide a drawing is, in its units and, in print, in mm. Panels narrower than `least_panel` are not put beside
    each other, nor numbers in smaller letters than `least_letters` into cells.
    """

    width: float
    mm: float | None = None
    least_panel: float = 0.0
    least_letters: float = 0.0


def printed(mm: float) -> Sheet:
    """As many units as make the small letters large enough."""
    return Sheet(mm / POINT / LEAST_TYPE * SMALL_LETTERS, mm, 100.0, SMALL_LETTERS)


SCREEN = Sheet(560.0)
# a phone: as many letters in a line as in a column of print, which come out at 11 pixels in a window of 390
PHONE = Sheet(430.0, None, 100.0, SMALL_LETTERS)
# as wide as a column, and as the text of a page, in the styles of most conferences
SHEETS = {"column": printed(82.5), "page": printed(171.0)}
Drawing = Callable[[Sheet], str]  # laid out anew for each sheet


# --- text ------------------------------------------------------------------------------------------------------------

_NARROW = set("iljtfrI.,:;|!'`()[]{}/ -")
_WIDE = set("mwMWQ@%…—→↓<>=+~#")


def clean(text: str) -> str:
    """The text in one line, with characters to be seen in place of those that XML cannot hold or a screen obeys."""
    return re.sub(r"\s+", " ", harmless(text))


def escape(text: str) -> str:
    return html_escape(clean(text), quote=True)


def leading(of: str) -> str:
    """The attribute by which a page knows what the marks in an element lead to."""
    return f' data-of="{key_of(of)}"' if of else ""


def told(text: str) -> str:
    """What a mark says on hover."""
    return f"<title>{escape(typeset(text))}</title>"


def key_of(text: str) -> str:
    """A name for the page's script, the same as in the page's own attributes."""
    return html_escape(harmless(text), quote=True)


def breadth(text: str, letters: float = GREAT_LETTERS) -> float:
    """How wide the text comes out, about, in broad sans-serif letters (those of DejaVu Sans; most are narrower)."""
    return letters * sum(map(_em, text))


def _em(letter: str) -> float:
    if letter in _NARROW:
        return 0.36
    if letter in _WIDE:
        return 0.98
    if ord(letter) > 0x2E80:
        return 1.0
    return 0.72 if letter.isupper() else 0.6


def shortened(text: str, room: float, letters: float = GREAT_LETTERS) -> str:
    """The text, without its middle where that does not fit: the ends of names tell them apart."""
    if breadth(text, letters) <= room:
        return text
    for kept in range(len(text) - 1, 1, -1):
        tail = (2 * kept + 2) // 3
        short = f"{text[: kept - tail]}…{text[-tail:]}"
        if breadth(short, letters) <= room:
            return short
    return "…"


def wrapped(text: str, room: float, letters: float = GREAT_LETTERS) -> list[str]:
    """The text in lines that fit."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and breadth(longer, letters) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


Anchor = Literal["start", "middle", "end"]


def write(x: float, y: float, text: str, kind: str = "", anchor: Anchor = "start", title: str = "") -> str:
    """Text with its middle at the height y."""
    classes = f' class="{kind}"' if kind else ""
    where = "" if anchor == "start" else f' text-anchor="{anchor}"'
    hover = told(title) if title else ""
    # `dominant-baseline` is not known everywhere; a shift by .35 of the letters is
    return f'<text x="{at(x)}" y="{at(y)}" dy=".35em"{where}{classes}>{hover}{escape(text)}</text>'


def at(place: float) -> str:
    """A coordinate to a hundredth of a unit, without needless zeros."""
    return f"{round(place, 2) + 0.0:.2f}".rstrip("0").rstrip(".")  # -0 + 0 is 0


# --- scales ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scale:
    """From values `low` to `high` onto places `start` to `end`; `log` for equal ratios, `upright` from below."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False
    upright: bool = False

    def __call__(self, value: float) -> float:
        low, high, value = map(math.log, (self.low, self.high, value)) if self.log else (self.low, self.high, value)
        return self.start + (value - low) / (high - low) * (self.end - self.start)

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high

    def clipped(self, value: float) -> float:
        """The place of a value, or the end that it lies beyond."""
        return self(min(max(value, self.low), self.high))

    def ticks(self, most: int = 5) -> list[float]:
        """Round values, no more than `most` of them where that can be had."""
        return log_ticks(self.low, self.high, most) if self.log else even_ticks(self.low, self.high, most)


def even_ticks(low: float, high: float, most: int) -> list[float]:
    """Multiples of 1, 2, 2.5 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    for step in (s * power * scale for scale in (1, 10) for s in (1, 2, 2.5, 5)):
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first + 1 <= most:
            return [round(k * step, 12) + 0.0 for k in range(first, last + 1)]
    return [low, high]


def log_ticks(low: float, high: float, most: int) -> list[float]:
    """1, 2 and 5 times powers of ten; some of them, where those are too many; round values where there are none."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    finer: Sequence[tuple[int, ...]] = ((1, 2, 5), (1, 3), (1,))
    for parts in finer:
        found = [part * 10.0**k for k in powers for part in parts if low <= part * 10.0**k * (1 + 1e-9)]
        found = [value for value in found if value <= high * (1 + 1e-9)]
        if 2 <= len(found) <= most:
            return found
    whole = [10.0**k for k in powers if low <= 10.0**k <= high][:: max(1, len(powers) // most)]
    return whole if len(whole) > 1 else even_ticks(low, high, most)


def fitting_ticks(scale: Scale) -> list[float]:
    """As many as have room for their labels beside each other."""
    width = abs(scale.end - scale.start)
    for most in (6, 5, 4, 3, 2):
        found = scale.ticks(most)
        widest = max((breadth(tick_label(value), SMALL_LETTERS) for value in found), default=0.0)
        if len(found) < 2 or (widest + 8) * (len(found) - 1) <= width:
            return found
    return found[:: max(1, len(found) - 1)]


class Valued(Protocol):
    """A value with its interval, where it has one."""

    @property
    def value(self) -> float: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


def ends_of(marks: Iterable[Valued]) -> list[float]:
    """Values and the ends of their intervals."""
    return [end for mark in marks for end in (mark.value, mark.low, mark.high) if end is not None]


def reach(values: Iterable[float], least: float, most: float) -> tuple[float, float]:
    """From round value to round value around all values and `least` to `most`."""
    found = [value for value in values if math.isfinite(value)]
    low, high = min([least, *found]), max([most, *found])
    step = even_ticks(low, high, 6)
    size = step[1] - step[0] if len(step) > 1 else high - low
    return math.floor(low / size + 1e-9) * size, math.ceil(high / size - 1e-9) * size


def reach_of_shares(values: Iterable[float]) -> tuple[float, float]:
    """From tenth to tenth around all values, at least half of the way from 0 to 1, and within it."""
    found = [value for value in values if math.isfinite(value)]
    low, high = math.floor(min(found) * 10 + 1e-9) / 10, math.ceil(max(found) * 10 - 1e-9) / 10
    low, high = max(low, 0.0), min(high, 1.0)
    if high - low < 0.5:
        high = min(1.0, max(high, low + 0.5))
        low = min(low, high - 0.5)
    return round(max(low, 0.0), 1), round(high, 1)


def reach_log(values: Iterable[float]) -> tuple[float, float]:
    """Around all values by a tenth; at least a factor of two."""
    found = [value for value in values if value > 0]
    low, high = min(found) / 1.1, max(found) * 1.1
    middle = math.sqrt(low * high)
    return min(low, middle / math.sqrt(2)), max(high, middle * math.sqrt(2))


def tick_label(value: float) -> str:
    """As short as can be: .5, 1, 2,000."""
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    short = f"{value:.4f}".rstrip("0").rstrip(".")
    return re.sub(r"^(-?)0\.", r"\1.", short).replace("-", "−")


# --- lines and marks -------------------------------------------------------------------------------------------------


def stroke(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line x1="{at(x1)}" y1="{at(y1)}" x2="{at(x2)}" y2="{at(y2)}" class="{kind}"/>'


def box(x: float, y: float, width: float, height: float, kind: str, more: str = "") -> str:
    return f'<rect x="{at(x)}" y="{at(y)}" width="{at(width)}" height="{at(height)}" class="{kind}"{more}/>'


# around 0, 0
SHAPES = {
    "main": '<circle r="3.4" class="sx-shape"/>',
    "open": '<circle r="3" class="sx-shape"/>',
    "faint": '<circle r="3.4" class="sx-shape"/>',
    "small": '<circle r="2.2" class="sx-shape"/>',
    "diamond": '<path d="M0-4.6L4.6 0L0 4.6L-4.6 0Z" class="sx-shape"/>',
    "baseline": '<path d="M0-6.5V6.5" class="sx-shape"/>',
    "level": '<path d="M-6.5 0H6.5" class="sx-shape"/>',
    "arrow": '<path d="M6 0H-6m4 -3l-4 3l4 3" class="sx-span"/>',
}
LIKE = {"level": "baseline", "small": "dot"}  # how shapes are drawn that have not a style of their own name
Kind = Literal["main", "open", "faint", "small", "diamond", "baseline", "level", "arrow"]


@dataclass(frozen=True)
class Whose:
    """Whose mark it is, in which group, and what it is one of: a page finds marks by these (DATA)."""

    key: str = ""
    group: str = ""
    series: str = ""


# the attributes that a page finds marks by, as they have been promised since the first figure
DATA = {"key": "data-model", "group": "data-family", "series": "data-series", "band": "data-band"}


def mark(x: float, y: float, kind: Kind, whose: Whose, title: str, inside: str = "") -> str:
    """A shape with its middle at x, y. What is `inside` (its intervals) is drawn below it, from there."""
    return (
        f'<g class="sx-mark sx-{LIKE.get(kind, kind)}" transform="translate({at(x)} {at(y)})"{_data(whose)}>'
        f"{told(title)}{inside}{SHAPES[kind]}</g>"
    )


def span(scale: Scale, low: float | None, high: float | None, middle: float, kind: str = "sx-span") -> str:
    """An interval, from the place of its mark on this scale, with the head of an arrow where a row's goes on beyond it;
    nothing where it has no ends.
    """
    if low is None or high is None:
        return ""
    start, end = at(scale.clipped(low) - middle), at(scale.clipped(high) - middle)
    if scale.upright:
        return f'<path d="M0 {start}V{end}" class="{kind}"/>'
    before = f"M{start} 0m4 -3l-4 3l4 3" if low < scale.low else ""
    behind = f"M{end} 0m-4 -3l4 3l-4 3" if high > scale.high else ""
    return f'<path d="M{start} 0H{end}{before}{behind}" class="{kind}"/>'


def belonging(whose: Whose, *parts: str, band: tuple[float, float] | None = None) -> str:
    """What goes with a key's marks, so that it comes and goes with them. `band`: the middle and the height of the
    row that becomes free then.
    """
    row = f' {DATA["band"]}="{at(band[0])} {at(band[1])}"' if band else ""
    return f"<g{_data(whose)}{row}>{''.join(parts)}</g>"


def _data(whose: Whose) -> str:
    """Without what it has not: what is of all keys together no filter hides."""
    found = {DATA[name]: getattr(whose, name) for name in ("key", "group", "series")}
    return "".join(f' {name}="{key_of(text)}"' for name, text in found.items() if text)


def bar(x: float, y: float, width: float, height: float, fill: int, whose: Whose, title: str) -> str:
    return (
        f'<g class="sx-mark sx-bar sx-fill-{fill}"{_data(whose)}>{told(title)}{filled(x, y, width, height, fill)}</g>'
    )


HATCH = 4.0  # between lines, and between dots


def filled(x: float, y: float, width: float, height: float, fill: int) -> str:
    """A box with its pattern, for those who print in grey: stripes that rise (2), dots (3), stripes that fall (5)."""
    lines = {2: _stripes(width, height), 3: _dots(width, height), 5: _stripes(width, height, falling=True)}.get(fill)
    drawn = "".join(f"M{at(x + a)} {at(y + b)}L{at(x + c)} {at(y + d)}" for a, b, c, d in lines or ())
    return box(x, y, width, height, "sx-shape") + (f'<path d="{drawn}" class="sx-hatch"/>' if drawn else "")


def _stripes(width: float, height: float, *, falling: bool = False) -> Iterator[tuple[float, float, float, float]]:
    """Lines from one edge of a box to another, at 45 degrees."""
    for k in range(1, math.ceil((width + height) / HATCH)):
        low, high = max(0.0, k * HATCH - height), min(width, k * HATCH)
        if high - low > 0.1:
            start, end = k * HATCH - low, k * HATCH - high
            yield (low, height - start, high, height - end) if falling else (low, start, high, end)


def _dots(width: float, height: float) -> Iterator[tuple[float, float, float, float]]:
    for row in range(int(height / HATCH)):
        for column in range(int((width - 1) / HATCH)):
            x, y = (column + 0.5 + 0.25 * (-1) ** row) * HATCH, (row + 0.5) * HATCH
            yield x, y, x, y


@dataclass(frozen=True)
class Sign:
    """One entry of a legend: a kind of mark (or `fill-1` and so on for a bar; `half`, `thick`, `thin` for a line), and
    its meaning.
    """

    kind: str
    text: str


def legend(sheet: Sheet, signs: Sequence[Sign], y: float) -> tuple[str, float]:
    """The entries in as many lines as they need, from the height y on, and the height below them."""
    parts: list[str] = []
    x, line = 4.0, 20.0
    for sign in signs:
        room = 20 + breadth(sign.text, SMALL_LETTERS)
        if x > 4 and x + room > sheet.width:
            x, y = 4.0, y + line
        parts.append(_sign(sign.kind, x + 5, y + line / 2) + write(x + 16, y + line / 2, sign.text, "sx-soft sx-small"))
        x += room + 8
    return "".join(parts), y + line if signs else y


def _sign(kind: str, x: float, y: float) -> str:
    if kind.startswith("fill-"):
        return f'<g class="sx-bar sx-{kind}">{filled(x - 6, y - 6, 13, 12, int(kind[5:]))}</g>'
    if kind == "half":
        return stroke(x - 6, y, x + 6, y, "sx-half")
    if kind in ("thick", "thin"):
        classes = "sx-span sx-thick" if kind == "thick" else "sx-span"
        return f'<g class="sx-main">{stroke(x - 6, y, x + 6, y, classes)}</g>'
    return f'<g class="sx-{LIKE.get(kind, kind)}" transform="translate({at(x)} {at(y)})">{SHAPES[kind]}</g>'


def drawing(
    sheet: Sheet, id: str, title: str, description: str, height: float, parts: Iterable[str], layout: str = ""
) -> str:
    """The whole SVG. `layout`: one more class, by which the page knows how it is made."""
    name = f"sx-{id}"
    size = f"{at(sheet.width)} {at(height)}"
    classes = f"sx {layout}".strip()
    style = (IN_PRINT if sheet.mm else ON_SCREEN) + (IN_CROWD if CROWD in layout else "")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{classes}" role="img" width="100%" viewBox="0 0 {size}" '
        f'aria-labelledby="{name}-title {name}-desc"><title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-desc">{escape(description)}</desc><style>{style}</style>'
        f'<rect width="100%" height="100%" class="sx-paper"/>{"".join(parts)}</svg>'
    )
