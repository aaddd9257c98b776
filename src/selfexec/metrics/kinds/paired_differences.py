"""Paired differences of two records of yes and no: in skill, in rate bias, and in the share of the ceiling.

Where fewer than ten items tell the two apart, the interval of a difference does not rest on this handful: two made-up
items are added, one on which only the first record comes out ahead, and one on which only the second does (Bonett and
Price 2012, for paired shares). The value stays, and the interval is that of the enlarged data: it is centred on their
difference, which lies nearer 0. See docs/decisions/0008.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from selfexec.metrics.kinds.counts import Formula, Record, common_items, difference
from selfexec.metrics.kinds.formulas import CELLS, of_cells, rate_bias, share_of_ceiling, youden_j
from selfexec.metrics.rows import FEW, Estimate
from selfexec.stats import Array, student

SKILL, BIAS, SHARE = (of_cells(formula) for formula in (youden_j, rate_bias, share_of_ceiling))
SIDES = [("tp",), ("tn",)]
MISSES, FALSE_ALARMS, ERRORS = ("fn", "unread_true"), ("fp", "unread_false"), ("fp", "fn")
# group of cells in which items of two records differ -> the cell of the one and of the other in a made-up item
MADE_UP: Mapping[tuple[str, ...], tuple[str, str]] = {
    ("tp",): ("tp", "fn"),
    ("tn",): ("tn", "fp"),
    MISSES: ("tp", "fn"),
    FALSE_ALARMS: ("tn", "fp"),
    ERRORS: ("fp", "tn"),
}


def skill_difference(one: Record, two: Record) -> Estimate:
    """J of one less J of two, on the items that both have. Made-up items are added on each side where few items tell
    the two apart.
    """
    return _with_made_up(SKILL, one, two, SIDES, 2)


def rests_on_few(first: Array, second: Array) -> bool:
    """Whether so few items tell two apart that `skill_difference` adds made-up ones. The rows of both are of the same
    items.
    """
    return any(differing(first, second, cells) < FEW for cells in SIDES)


def rate_bias_difference(one: Record, two: Record) -> Estimate:
    """Rate bias of one less rate bias of two, on the items that both have."""
    return _with_made_up(BIAS, one, two, [ERRORS], 2)


def ceiling_share_difference(one: Record, two: Record) -> Estimate:
    """Share of the ceiling of one less that of two, on the items that both have. What keeps a share from 1 are misses
    where yes is said too often, false alarms where it is said too seldom, and both where it is said as often as it is
    true: so made-up items are of both.
    """
    return _with_made_up(SHARE, one, two, [MISSES, FALSE_ALARMS], math.inf)


def _with_made_up(
    formula: Formula, one: Record, two: Record, groups: Sequence[tuple[str, ...]], most: float
) -> Estimate:
    """A difference that lies between -`most` and `most`. Made-up items are added for each group of cells (`groups`) by
    which few items tell the two apart.
    """
    gap = difference(formula, one, two)
    if math.isnan(gap.value):
        return gap
    mine, theirs = _on_common_items(one, two)
    added = [_made_up(*MADE_UP[cells]) for cells in groups if differing(mine, theirs, cells) < FEW]
    return _widened(gap, formula, mine, theirs, added, most) if added else gap


def _widened(gap: Estimate, formula: Formula, one: Array, two: Array, added: Sequence[Array], most: float) -> Estimate:
    """The difference with the interval that it has with made-up items of shape (2 records, items, cells)."""
    rows = np.concatenate([np.stack([one, two]), *added], axis=1)
    names = tuple(str(n) for n in range(rows.shape[1]))
    wider = difference(formula, *(Record(names, part) for part in rows)).interval
    half = (wider.high - wider.low) / 2
    error = half / student(0.0, 1.0, len(one)).high
    return Estimate(gap.value, wider.within(-most, most), max(error, gap.error), interval_only=True)


def _on_common_items(one: Record, two: Record) -> list[Array]:
    common = common_items([one, two])
    return [one.on(common), two.on(common)]


def differing(one: Array, two: Array, cells: Sequence[str]) -> int:
    """How many items tell the two apart by any of these cells."""
    columns = [CELLS.index(cell) for cell in cells]
    return int((one[:, columns] != two[:, columns]).any(1).sum())


def _made_up(cell: str, other: str) -> Array:
    """Two items of one claim, shape (2 records, 2 items, cells): each record has this cell in one, in the other the
    other.
    """
    rows = np.zeros((2, 2, len(CELLS)))
    rows[[0, 1], [0, 1], CELLS.index(cell)] = 1
    rows[[0, 1], [1, 0], CELLS.index(other)] = 1
    return rows
