"""Numbers of counts by item: what the tool adds, for each call and for each 1,000 tokens, and shares of use and belief.

All are formulas of totals over items, so that their intervals are Student's t on the items by the delta method; those
of shares are Wilson's with as many items as tell as much.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from selfexec.claims import Claims
from selfexec.metrics import Estimate, Record, claim_kind, common_items, contrast, share_interval
from selfexec.stats import Array, Interval

COSTS = ("calls", "tokens", "predictions")
NO_CALLS = "no prompt was executed"
NO_TOKENS = "the conversations took no more tokens than the predictions without the tool"


def gain_of(experiment: str, tool: Claims, without: Claims, strict: bool) -> tuple[Estimate, Estimate, Estimate]:
    """Skill with the tool, skill without it, and their difference, on the items that both have: paired by item."""
    kind = claim_kind(experiment)
    records = [kind.count(claims, strict) for claims in (tool, without)]
    common = common_items(records)
    on_common = [Record(common, record.on(common)) for record in records]
    with_tool, plain = (kind.skill_estimate(record) for record in on_common)
    return with_tool, plain, kind.skill_difference(*on_common)


def gain_for_cost(
    experiment: str, tool: Claims, without: Claims, strict: bool, costs: Mapping[str, Sequence[float]]
) -> tuple[Estimate, Estimate]:
    """The gain for each call, and for each 1,000 tokens more than predictions without the tool take.

    Estimator: the paired difference of skills, divided by the mean number of calls (of thousands of tokens) of a
    prediction: both are formulas of totals over the items that both have.

    Args:
        experiment: Whose claims these are.
        tool: The claims with the tool.
        without: The claims without it.
        strict: Whether what could not be read counts as wrong.
        costs: By item what its predictions took, as `COSTS` names it.
    """
    kind = claim_kind(experiment)
    records = [kind.count(claims, strict) for claims in (tool, without)]
    common = tuple(item for item in common_items(records) if item in costs)
    spent = np.array([costs[item] for item in common], dtype=float).reshape(len(common), len(COSTS))
    counts = np.hstack([*(record.on(common) for record in records), spent])
    cells = records[0].counts.shape[1]
    gain, record = kind.skill_difference(*records), Record(common, counts)
    return (
        _per(kind.skill, cells, 0, 1.0, record, gain, NO_CALLS),
        _per(kind.skill, cells, 1, 1000.0, record, gain, NO_TOKENS),
    )


def _per(skill: Any, cells: int, cost: int, unit: float, record: Record, gain: Estimate, nothing: str) -> Estimate:
    """The gain for each unit of a cost. Where few items tell the predictions with the tool from those without, its
    interval is no narrower than that of the gain, which has made-up items then (docs/decisions/0008).
    """
    totals = record.counts.sum(0)[2 * cells :]
    if not len(record.items) or totals[cost] <= 0:
        return Estimate(math.nan, reason=nothing)
    rate = contrast(_rate(skill, cells, cost, unit), [record], [1.0])
    if not gain.interval_only:
        return rate
    per_unit = unit * float(totals[-1] / totals[cost])
    low, high = (end * per_unit for end in gain.interval)
    return replace(rate, interval=Interval(min(low, rate.interval.low), max(high, rate.interval.high)))


@cache
def _rate(skill: Callable[[Any], Any], cells: int, cost: int, unit: float) -> Callable[[Any], Any]:
    """The formula: cells with the tool, cells without it, then the costs, on the last axis."""

    def rate(totals: Any) -> Any:
        gain = skill(totals[..., :cells]) - skill(totals[..., cells : 2 * cells])
        return gain * unit * totals[..., 2 * cells + len(COSTS) - 1] / totals[..., 2 * cells + cost]

    return rate


def share_of(by_item: Mapping[str, tuple[float, float]], nothing: str) -> Estimate:
    """A share of trials, pooled over items, of (hits, trials) by item: with Wilson's interval (1927) at the number of
    items that would tell as much if they were independent.
    """
    counts: Array = np.array([pair for pair in by_item.values() if pair[1]], dtype=float).reshape(-1, 2)
    if not len(counts):
        return Estimate(math.nan, reason=nothing)
    record = Record(tuple(str(n) for n in range(len(counts))), counts)
    if len(counts) < 2:
        return Estimate(float(counts[0, 0] / counts[0, 1]), reason="only one item tells it")
    share = contrast(_share, [record], [1.0])
    return Estimate(share.value, share_interval(share.value, share.error, counts[:, 1]), share.error)


def _share(totals: Any) -> Any:
    return totals[..., 0] / totals[..., 1]
