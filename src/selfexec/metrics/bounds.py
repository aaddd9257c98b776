"""Worst case and best case: between which values a score lies, whatever the lost claims would have been.

What was read is kept; a claim that is unreadable or missing is dealt out in every way that what is known of it allows
(Manski 1990): a known outcome may have been predicted rightly or wrongly, a known prediction may have come true or not,
a claim of which nothing is known may be anything. No assumption is made of why claims were lost.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from selfexec.claims import Claims
from selfexec.claims.arrays import READ, TIE
from selfexec.experiments import EXPERIMENTS
from selfexec.metrics.counts import confusion, order_counts
from selfexec.metrics.formulas import CELLS, METRICS, Cells
from selfexec.metrics.rows import Score
from selfexec.stats import Array, Interval

Bounds = Mapping[str, Interval]  # metric -> its least and greatest value
PARTS = {  # overall metric -> the metrics that it is the mean of
    "self_execution_score": dict.fromkeys(EXPERIMENTS, "accuracy"),
    "skill": dict.fromkeys(EXPERIMENTS, "skill"),
}


def bounds(claims: Claims) -> dict[str, Interval]:
    """Bounds of the scores of what was read. A metric that is not defined on what was read may have any: nan."""
    return _orders(claims) if claims.experiment == "difficulty" else _yes_no(claims)


def overall_bounds(found: Mapping[str, Bounds]) -> dict[str, Interval]:
    """Means of the bounds: what was lost in one experiment says nothing of another. Of all three, or not at all."""
    return {
        metric: Interval(*(float(np.mean(ends)) for ends in zip(*(found[e][m] for e, m in parts.items()), strict=True)))
        for metric, parts in PARTS.items()
        if all(m in found.get(e, {}) for e, m in parts.items())
    }


def bounded(rows: Iterable[Score], found: Bounds) -> Iterator[Score]:
    """The rows with their bounds. A withheld headline has some too: they hold whatever was lost."""
    for row in rows:
        if row.metric in found and (row.value is not None or row.experiment == "overall"):
            worst, best = found[row.metric]
            row = replace(row, worst=worst, best=best)
        yield row


def _yes_no(claims: Claims) -> dict[str, Interval]:
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
    found["skill"] = found["youden_j"]
    return {name: ends for name, ends in found.items() if all(map(math.isfinite, ends))}


def known_sides(claims: Claims) -> dict[str, int]:
    """How many claims were read, by cell, and how many were lost, by what is known of them: that they came `true` or
    `false`, that the model said `yes` or `no`, or nothing.
    """
    said, did, lost = claims.predicted, claims.observed, claims.lost
    ways = {
        **confusion(claims),
        "true": lost & (did > 0),
        "false": lost & (did < 0),
        "yes": lost & (did == 0) & (said > 0),
        "no": lost & (did == 0) & (said < 0),
        "unknown": lost & (did == 0) & (said == 0),
    }
    return {name: int(which.sum()) for name, which in ways.items()}


def _of_rates(n: Mapping[str, int]) -> dict[str, Interval]:
    """How often the model says yes, how often it does it, and which of its errors are too nice: each claim of which
    the side in question is not known goes one way, or all go the other.
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

    A claim of which one side is known is wrong at worst and right at best. Of claims of which nothing is known any
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


def _orders(claims: Claims) -> dict[str, Interval]:
    """Every lost pair wrong, every one right. Where an answer is lost rather than a ranking, not all of its pairs need
    fit into one order, so that the true bounds may be narrower.
    """
    decided = claims.where(claims.state != TIE)
    read = decided.state == READ
    if not read.any():
        return {}
    right = read & decided.right
    least, greatest = (
        float(order_counts(decided, known.astype(np.float64)).counts[:, 0].mean())
        for known in (right, right | decided.lost)
    )
    return {
        "accuracy": Interval(least, greatest),
        **dict.fromkeys(("tau", "skill"), Interval(2 * least - 1, 2 * greatest - 1)),
    }
