"""One row of a page's table as a drawing: a value, what it is held against, and a bar between the two. Places are
shares of the width there is, so that it fits any.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from selfexec.report.svg.canvas import at

THICK = 8  # of the bar between the two


@dataclass(frozen=True)
class Pair:
    """`held` is not given where there is nothing to hold the value against; then `low` and `high` may be the ends of
    its interval.
    """

    value: float
    held: float | None = None
    low: float | None = None
    high: float | None = None


def pair(found: Pair, scale: tuple[float, float], ticks: Sequence[float], *, hollow: bool, faint: bool) -> str:
    """A dot at the value, hollow where it is too close to call, a dash at what it is held against, a bar between."""
    parts = [_upright(tick, scale, "tick" if tick else "zero", 0, 100) for tick in ticks]
    if found.held is not None:
        start, end = sorted((found.value, found.held))
        width = place(end, scale, start)
        parts.append(f'<rect x="{place(start, scale)}" y="50%" width="{width}" height="{THICK}" class="between"/>')
        parts.append(_upright(found.held, scale, "held", 14, 86))
    elif found.low is not None and found.high is not None:
        x1, x2 = place(found.low, scale), place(found.high, scale)
        parts.append(f'<line class="whisker" x1="{x1}" x2="{x2}" y1="50%" y2="50%"/>')
    hollow_dot = ' class="hollow"' if hollow else ""
    parts.append(f'<circle cx="{place(found.value, scale)}" cy="50%" r="5"{hollow_dot}/>')
    return f'<svg class="mini{" faint" if faint else ""}" aria-hidden="true">{"".join(parts)}</svg>'


def _upright(value: float, scale: tuple[float, float], kind: str, top: int, bottom: int) -> str:
    x = place(value, scale)
    return f'<line class="{kind}" x1="{x}" x2="{x}" y1="{top}%" y2="{bottom}%"/>'


def place(value: float, scale: tuple[float, float], start: float | None = None) -> str:
    """In per cent of the width, from the scale's own start or from another."""
    low, high = scale
    return f"{at(100 * (value - (low if start is None else start)) / (high - low))}%"
