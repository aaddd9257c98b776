"""Worst case and best case: between which values scores of yes and no lie, whatever the lost claims would have been.

What was read is kept; a claim that is unreadable or missing is dealt out in every way that what is known of it allows
(Manski 1990): a known outcome may have been predicted rightly or wrongly, a known prediction may have come true or not,
a claim about which nothing is known may be anything. No assumption is made of why claims were lost.
"""

import math
from collections.abc import Mapping

import numpy as np

from selfexec.claims import Claims
from selfexec.metrics.kinds.formulas import CELLS, METRICS, Cells, known_sides
from selfexec.stats import Array, Interval


def bounds(claims: Claims) -> dict[str, Interval]:
    """Bounds of the scores of what was read. A metric that is not defined on what was read may have any: nan."""
    n = known_sides(claims)
    if not n["tp"] + n["fp"] + n["fn"] + n["tn"]:
        return {}
    worst, best = extremes(n)
    found = _of_rates(n)
    with np.errstate(divide="ignore", invalid="ignore"):
        for name, metric in METRICS.items():
            if metric.rises:
                ends = metric.formula(Cells.of(worst)).min(), metric.formula(Cells.of(best)).max()
                found[name] = Interval(*map(float, ends))
    return {name: ends for name, ends in found.items() if all(map(math.isfinite, ends))}


def _of_rates(n: Mapping[str, int]) -> dict[str, Interval]:
    """How often the model says yes, how often it does it, and which of its errors are too nice: each claim whose
    side in question is not known goes one way, or all go the other.
    """
    every = sum(n.values())
    yes, did = n["tp"] + n["fp"] + n["yes"], n["tp"] + n["fn"] + n["true"]
    base = Interval(did / every, (did + n["yes"] + n["no"] + n["unknown"]) / every)
    found = {
        "positive_rate": Interval(yes / every, (yes + n["true"] + n["false"] + n["unknown"]) / every),
        "base_rate": base,
        "always_yes": base,
        "always_no": Interval(1 - base.high, 1 - base.low),
    }
    if errors := n["fn"] + n["fp"]:
        bold, nice = n["false"] + n["yes"] + n["unknown"], n["true"] + n["no"] + n["unknown"]
        found["over_niceness"] = Interval(n["fn"] / (errors + bold), (n["fn"] + nice) / (errors + nice))
    return found


def extremes(n: Mapping[str, int]) -> tuple[Array, Array]:
    """Totals that hold the least and the greatest value of each metric that rises with what is right: shape (ways,
    cells).

    A claim with one known side is wrong at worst and right at best. Of claims about which nothing is known any
    number may have come true; J is largest (smallest) for some split in between, hence one row for each number.
    """
    happened = np.arange(n["unknown"] + 1)
    did_not = happened[::-1]
    worst, best = np.zeros((2, len(happened), len(CELLS)))
    worst.T[:4] = (
        n["tp"] + 0 * happened,
        n["fp"] + n["false"] + n["yes"] + did_not,
        n["fn"] + n["true"] + n["no"] + happened,
        n["tn"] + 0 * happened,
    )
    best.T[:4] = (
        n["tp"] + n["true"] + n["yes"] + happened,
        n["fp"] + 0 * happened,
        n["fn"] + 0 * happened,
        n["tn"] + n["false"] + n["no"] + did_not,
    )
    return worst, best
