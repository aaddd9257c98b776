"""Differences in skill between two who were asked the same items, where few items tell them apart."""

import math

import numpy as np

from selfexec.metrics.counts import SKILL, Counted, common_items, difference
from selfexec.metrics.formulas import CELLS
from selfexec.metrics.rows import FEW, Estimate
from selfexec.stats import Array, student


def skill_difference(experiment: str, one: Counted, two: Counted) -> Estimate:
    """Skill of one less skill of two, on the items that both have.

    Where fewer than ten items tell the two apart among what happened (or what did not), the interval of a difference
    in J does not rest on this handful: two made-up items are added to these, in one of which the one alone is right, in
    the other the other alone (Bonett and Price 2012, for paired shares). The value stays.
    """
    gap = difference(SKILL[experiment], one, two)
    if experiment == "difficulty" or math.isnan(gap.value):
        return gap
    common = common_items([one, two])
    both = [one.on(common), two.on(common)]
    added = [_made_up(side) for side in ("tp", "tn") if _differing(side, *both) < FEW]
    if not added:
        return gap
    rows = np.concatenate([np.stack(both), *added], axis=1)
    names = tuple(str(n) for n in range(rows.shape[1]))
    wider = difference(SKILL[experiment], *(Counted(names, part) for part in rows)).interval
    half = (wider.high - wider.low) / 2
    error = half / student(0.0, 1.0, len(common)).high
    return Estimate(gap.value, wider.within(-2, 2), max(error, gap.error), near_end=True)


def _differing(side: str, one: Array, two: Array) -> int:
    """How many items tell the two apart, by what they got right on one side."""
    right = CELLS.index(side)
    return int((one[:, right] != two[:, right]).sum())


def _made_up(side: str) -> Array:
    """Two items of one claim, shape (2, 2 items, cells): each of the two is right in one of them."""
    right, wrong = (CELLS.index(cell) for cell in (side, {"tp": "fn", "tn": "fp"}[side]))
    rows = np.zeros((2, 2, len(CELLS)))
    rows[[0, 1], [0, 1], right] = 1
    rows[[0, 1], [1, 0], wrong] = 1
    return rows
