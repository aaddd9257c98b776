"""One row of a page's table as a drawing: a value, what it is held against, and a bar between the two. Places are
shares of the width there is, so that it fits any.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from selfexec.report.svg.canvas import DATA, at, key_of, told

THICK = 8  # of the bar between the two


@dataclass(frozen=True)
class Pair:
    """`held` is not given where there is nothing to hold the value against. `low` and `high` are the ends of the
    value's interval. `look` of its dot: "hollow", "caution", or filled.
    """

    value: float
    held: float | None = None
    low: float | None = None
    high: float | None = None
    look: str = ""

    def beyond(self, scale: tuple[float, float]) -> list[tuple[float, int]]:
        """The ends of the scale that the interval goes beyond, and in which direction."""
        low, high = (scale[0] if end is None else end for end in (self.low, self.high))
        return [(scale[0], -1)] * (low < scale[0]) + [(scale[1], 1)] * (high > scale[1])


def pair(
    found: Pair, scale: tuple[float, float], ticks: Sequence[float], title: str, dotted: float | None = 0.0
) -> str:
    """A dot at the value with its interval, a dash at what it is held against, a bar between. The tick at `dotted` is
    drawn so.
    """
    parts = [told(title)]
    parts += [_upright(tick, scale, "zero" if tick == dotted else "tick", 0, 100) for tick in ticks]
    if found.held is not None:
        start, end = sorted((found.value, found.held))
        width = place(end, scale, start)
        parts.append(f'<rect x="{place(start, scale)}" y="50%" width="{width}" height="{THICK}" class="between"/>')
        parts.append(_upright(found.held, scale, "held", 14, 86))
    if found.low is not None and found.high is not None:
        x1, x2 = (place(min(max(end, scale[0]), scale[1]), scale) for end in (found.low, found.high))
        parts.append(f'<line class="whisker" x1="{x1}" x2="{x2}" y1="50%" y2="50%"/>')
    for end, side in found.beyond(scale):
        head = f'<path class="whisker" d="M{-5 * side}-4L0 0L{-5 * side} 4"/>'
        parts.append(f'<svg x="{place(end, scale)}" y="50%" overflow="visible">{head}</svg>')
    parts.append(f'<circle cx="{place(found.value, scale)}" cy="50%" r="5" class="{found.look}"/>')
    return f'<svg class="mini" aria-hidden="true">{"".join(parts)}</svg>'


@dataclass(frozen=True)
class ThinRow:
    """One of many rows in one drawing, with what it says on hover."""

    shown: Pair
    title: str


def crowd(
    keys: Sequence[str],
    rows: Mapping[str, ThinRow],
    scale: tuple[float, float],
    ticks: Sequence[float],
    dotted: float | None = 0.0,
) -> str:
    """So many rows that they have no room for names: a thin line for each key, in their order."""
    parts = [_upright(tick, scale, "zero" if tick == dotted else "tick", 0, 100) for tick in ticks]
    thick = 100 / len(keys)
    for n, key in enumerate(keys):
        if row := rows.get(key):
            marks = _thin(row.shown, scale, (n + 0.5) * thick)
            parts.append(f'<g {DATA["key"]}="{key_of(key)}">{told(row.title)}{marks}</g>')
    return f'<svg class="mini" aria-hidden="true">{"".join(parts)}</svg>'


def _thin(shown: Pair, scale: tuple[float, float], middle: float) -> str:
    x, y = place(shown.value, scale), f"{at(middle)}%"
    dot = f'<circle cx="{x}" cy="{y}" r="2.5" class="{shown.look}"/>'
    if shown.held is None:
        return dot
    between = f'<line class="between" x1="{place(shown.held, scale)}" x2="{x}" y1="{y}" y2="{y}"/>'
    return f"{between}{_upright(shown.held, scale, 'held', middle - 1, middle + 1)}{dot}"


def _upright(value: float, scale: tuple[float, float], kind: str, top: float, bottom: float) -> str:
    x = place(value, scale)
    return f'<line class="{kind}" x1="{x}" x2="{x}" y1="{at(top)}%" y2="{at(bottom)}%"/>'


def place(value: float, scale: tuple[float, float], start: float | None = None) -> str:
    """In per cent of the width, from the scale's own start or from another."""
    low, high = scale
    return f"{at(100 * (value - (low if start is None else start)) / (high - low))}%"
