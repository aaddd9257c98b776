"""Shares: how often what was foretold came true, against a control of which it was not foretold.

A claim that the model stands for was predicted, one of the control was not. Items are of one or the other; each claim
is a try. Tries of an item go together: items are the clusters.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from selfexec.claims import Answers, Claims, Floats
from selfexec.claims.arrays import UNREADABLE
from selfexec.metrics.coverage import share_of_pairs
from selfexec.metrics.kinds.binary import foretold as foretold
from selfexec.metrics.kinds.binary import of_rehearsals as of_rehearsals
from selfexec.metrics.kinds.binary import rehearsed as rehearsed
from selfexec.metrics.kinds.cells import CELLS, Cells, confusion, known_sides
from selfexec.metrics.kinds.counts import Counted, Formula, difference, present
from selfexec.metrics.rows import LEAST_RARER_ITEMS, Estimate
from selfexec.stats import Array, Interval, sum_interval
from selfexec.text.numbers import number_of

NAME = "share"
SKILL_NAME = "lift"
OF_SKILL: Collection[str] = {"lift"}
OF_OTHERS: Sequence[str] = ()
TELLING_NAME = " on the smaller side"
never_changed = None  # how one execution predicts another has no meaning here


def accuracy(totals: Array) -> Array:
    """Share of tries that came true as foretold; an unread one did not."""
    c = Cells.of(totals)
    share: Array = c.tp / (c.tp + c.fp)
    return share


def control(totals: Array) -> Array:
    """Share of the control's tries that came true, which nobody had foretold."""
    c = Cells.of(totals)
    share: Array = c.fn / (c.fn + c.tn)
    return share


def skill(totals: Array) -> Array:
    """What being foretold adds: 1 is perfect, 0 is no more than the control."""
    return accuracy(totals) - control(totals)


DRAWN: Mapping[str, Formula] = {"accuracy": accuracy, "control": control, "lift": skill}


def count(claims: Claims, strict: bool) -> Counted:
    """A model's own record. Strictly, a try that could not be read did not come true as foretold."""
    cells = {name: which.astype(np.float64) for name, which in confusion(claims).items()}
    if strict:
        cells["fp"] += (claims.state == UNREADABLE) & (claims.predicted > 0)
    nothing = np.zeros(len(claims))
    counts = np.stack([claims.by_item(cells.get(name, nothing)) for name in CELLS], axis=1)
    return present(claims, counts, counts.sum(1) > 0)


def constant(record: Counted) -> Counted:
    """Somebody with skill 0 on the items of this record: one try in two comes true, foretold or not."""
    counts = np.zeros_like(record.counts)
    counts[:, :2] = record.counts[:, :2].sum(1, keepdims=True) / 2
    counts[:, 2:4] = record.counts[:, 2:4].sum(1, keepdims=True) / 2
    return Counted(record.items, counts)


def own_estimates(
    claims: Claims, record: Counted, answers: Answers, wanted: Iterable[str], strict: bool
) -> Mapping[str, Estimate]:
    """What is told by a model's own record alone."""
    return {
        "accuracy": accuracy_estimate(record),
        "control": share_of_pairs(_tries(record.counts, (2, 3))),
        "lift": skill_estimate(record),
    }


def accuracy_estimate(record: Counted) -> Estimate:
    return share_of_pairs(_tries(record.counts, (0, 1)))


def skill_estimate(record: Counted) -> Estimate:
    """Newcombe's hybrid interval (1998, method 10) of the difference of two shares with nothing in common, each with
    Wilson's interval on its items as clusters.
    """
    expected, other = (share_of_pairs(_tries(record.counts, cells)) for cells in ((0, 1), (2, 3)))
    if expected.reason or other.reason:
        return Estimate(math.nan, reason="it takes tries that were foretold, and a control")
    negative = Interval(-other.interval.high, -other.interval.low)
    interval = sum_interval([expected.value, -other.value], [expected.interval, negative])
    return Estimate(
        expected.value - other.value,
        interval.within(-1, 1),
        math.hypot(expected.error, other.error),
        near_end=True,
    )


def _tries(counts: Array, cells: tuple[int, int]) -> Array:
    """How many tries came true, and how many there were, shape (items, 2)."""
    hits, misses = (counts[:, cell] for cell in cells)
    return np.stack([hits, hits + misses], axis=1)


def skill_difference(one: Counted, two: Counted) -> Estimate:
    """Skill of one less skill of two, on the items that both have."""
    return difference(skill, one, two)


def weights(claims: Claims) -> Floats:
    """Lift is the sum, over tries, of this weight times the sign that was predicted, and of a constant."""
    expected, other = (float((claims.predicted * sign > 0).sum()) for sign in (1, -1))
    if not expected or not other:
        return np.full(len(claims), math.nan)
    found: Floats = (claims.observed > 0) / 2 * (1 / expected + 1 / other)
    return found


def bounds(claims: Claims) -> Mapping[str, Interval]:
    """Each lost try came true, or none did. Nothing where it is not known of a try whether it was foretold."""
    n = known_sides(claims)
    if n["unknown"] or n["true"] or n["false"] or not (n["tp"] + n["fp"] and n["fn"] + n["tn"]):
        return {}
    expected, other = n["tp"] + n["fp"] + n["yes"], n["fn"] + n["tn"] + n["no"]
    hits = Interval(n["tp"] / expected, (n["tp"] + n["yes"]) / expected)
    others = Interval(n["fn"] / other, (n["fn"] + n["no"]) / other)
    return {"accuracy": hits, "control": others, "lift": Interval(hits.low - others.high, hits.high - others.low)}


def telling(counts: Array) -> int:
    """How many items are of the smaller of the two sides."""
    return min(int((counts[:, list(cells)].sum(1) > 0).sum()) for cells in ((0, 1), (2, 3)))


def too_few(claims: Claims, record: Counted) -> str | None:
    """Whether too few items were foretold, or too few are of the control."""
    items = telling(record.counts)
    if items >= LEAST_RARER_ITEMS:
        return None
    have = number_of(items, "item is", "items are")
    return f"only {have} on the smaller side of what was foretold and the control, fewer than {LEAST_RARER_ITEMS}"
