"""One row of a page's table as a drawing: a value, what it is held against, and the gap between them. Places are shares
of the width there is, so that it fits any.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from selfexec.report.svg.canvas import at

THICK = 8  # of the bar between the two


@dataclass(frozen=True)
class Gap:
    """`low` and `high` are the ends of the gap's interval, `held` not given where there is nothing to hold it against:
    then they are those of the value. `faint`: to be read with caution.
    """

    value: float
    held: float | None = None
    low: float | None = None
    high: float | None = None
    faint: bool = False

    @property
    def ends(self) -> tuple[float, float] | None:
        """Of the interval, from where the gap begins: where it reaches the dash, the gap may be none."""
        if self.low is None or self.high is None:
            return None
        start = self.held or 0.0
        return start + self.low, start + self.high

    @property
    def reach(self) -> tuple[float, ...]:
        return tuple(x for x in (self.value, self.held, *(self.ends or ())) if x is not None)


def gap(found: Gap, scale: tuple[float, float], ticks: Sequence[float]) -> str:
    """A dot at the value, a dash at what it is held against, a bar between, and a thin line for the interval."""
    parts = [_upright(tick, scale, "tick" if tick else "zero", 0, 100) for tick in ticks]
    if found.held is not None:
        start, end = sorted((found.value, found.held))
        ahead = "ahead" if found.value > found.held else "behind"
        width = _place(end, scale, start)
        bar = f'x="{_place(start, scale)}" y="50%" width="{width}" height="{THICK}" class="gap {ahead}"'
        parts += [f"<rect {bar}/>", _upright(found.held, scale, "held", 14, 86)]
    if ends := found.ends:
        x1, x2 = (_place(end, scale) for end in ends)
        parts.append(f'<line class="whisker" x1="{x1}" x2="{x2}" y1="50%" y2="50%"/>')
    parts.append(f'<circle cx="{_place(found.value, scale)}" cy="50%" r="5"/>')
    return f'<svg class="mini{" faint" if found.faint else ""}" aria-hidden="true">{"".join(parts)}</svg>'


def _upright(value: float, scale: tuple[float, float], kind: str, top: int, bottom: int) -> str:
    x = _place(value, scale)
    return f'<line class="{kind}" x1="{x}" x2="{x}" y1="{top}%" y2="{bottom}%"/>'


def _place(value: float, scale: tuple[float, float], start: float | None = None) -> str:
    """In per cent of the width, from the scale's own start or from another."""
    low, high = scale
    return f"{at(100 * (value - (low if start is None else start)) / (high - low))}%"
