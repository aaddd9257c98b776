"""How often a model says yes, against how often it does it, and what skill is possible at that yes rate."""

import math
from typing import Any

import numpy as np
from scipy.special import betaincinv

from selfexec.metrics.kinds.formulas import (
    Cells,
    CellsFormula,
    base_rate,
    ceiling_at_own_rate,
    predicted_rate,
    read_claims,
    share_of_ceiling,
    youden_j,
)
from selfexec.metrics.rows import FEW, Estimate
from selfexec.stats import (
    NO_SPREAD,
    NONE,
    Array,
    Interval,
    effective_n,
    influence,
    influence_error,
    ratio_error,
    student,
    sum_interval,
    wilson,
)

ROUNDING = 1e-12
TAIL = 0.025
NOTHING_POSSIBLE = "all predictions are the same, so that no skill is possible"


def rate_bias_estimate(counts: Array) -> Estimate:
    """Predicted less observed share of yes, of counts of shape (items, cells).

    That is the share of claims predicted and not done, less that of claims done and not predicted. Its interval is put
    together from Wilson's intervals of the two (MOVER: Zou and Donner 2008), which hold near 0 as well.
    """
    counts = counts[read_claims(Cells.of(counts)) > 0]
    if not len(counts):
        return Estimate(math.nan, reason="no claim was read")
    over, under = (float(side(counts.sum(0))) for side in (_falsely_predicted, _falsely_denied))
    if len(counts) < 2:
        return Estimate(over - under)
    added = [influence(side, counts) for side in (_falsely_predicted, _falsely_denied)]
    errors = [influence_error(each) for each in added]
    first, second = (
        wilson(share, effective_n(share, error, len(counts)))
        for share, error in zip((over, under), errors, strict=True)
    )
    both = errors[0] * errors[1] * (len(counts) - 1) / len(counts)
    correlation = -float(added[0] @ added[1]) / both if both > NO_SPREAD**2 else 0.0
    interval = sum_interval([over, -under], [first, Interval(-second.high, -second.low)], correlation)
    return Estimate(over - under, interval.within(-1, 1), influence_error(added[0] - added[1]), interval_only=True)


def _falsely_predicted(totals: Any) -> Any:
    c = Cells.of(totals)
    return c.fp / read_claims(c)


def _falsely_denied(totals: Any) -> Any:
    c = Cells.of(totals)
    return c.fn / read_claims(c)


def ceiling_estimate(counts: Array) -> Estimate:
    """The greatest J that is possible at the yes rate that these counts have, with Student's t interval."""
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(ceiling_at_own_rate(Cells.of(counts.sum(0)))) if len(counts) else math.nan
        if not math.isfinite(value):
            return Estimate(math.nan, reason="predictions were not read, or outcomes are all the same")
        error = ratio_error(lambda totals: ceiling_at_own_rate(Cells.of(totals)), counts)
    if not error > NO_SPREAD:
        return Estimate(value, NONE, error)
    return Estimate(value, student(value, error, len(counts)).within(0, 1), error)


def ceiling_share_estimate(own: Array, counts: Array | None = None, added: Array | None = None) -> Estimate:
    """The share of the ceiling at a model's yes rate that J reaches (Loevinger's H, 1948).

    It is 1 less the errors of the kind that a perfect predictor of this rate would not make (misses from a rate at the
    base rate on, false alarms below), over those that chance would make. Where fewer than ten items have such errors,
    a standard error says too little; then the interval is that of the share of these errors.

    Args:
        own: The model's counts, shape (items, cells), which set the rate and the base rate.
        counts: Those of somebody else who says yes at this rate, on the same items; the model's without them.
        added: What each item adds to the share, where that is not what the counts alone say.
    """
    counts = own if counts is None else counts
    with np.errstate(divide="ignore", invalid="ignore"):
        rate, base = (float(f(Cells.of(own.sum(0)))) for f in (predicted_rate, base_rate))
        ceiling = float(ceiling_at_own_rate(Cells.of(own.sum(0))))
        value = float(youden_j(Cells.of(counts.sum(0)))) / ceiling if ceiling > 0 else math.nan
    if not math.isfinite(value):
        return Estimate(math.nan, reason=NOTHING_POSSIBLE if ceiling == 0 else "outcomes are all the same")
    if abs(value - 1) < ROUNDING:
        value = 1.0
    if added is None:
        added = influence(_share_of_ceiling, counts) if len(counts) > 1 else np.zeros(len(counts))
    error = influence_error(added)
    errs = _misses if rate >= base else _false_alarms
    if int((errs(Cells.of(counts)) > 0).sum()) < FEW and len(counts) > 1:
        by_chance = (1 - rate) * base if rate >= base else rate * (1 - base)
        interval = _by_errors(counts, errs, by_chance)
        interval = Interval(min(interval.low, value), max(interval.high, value))
        return Estimate(value, _up_to_the_peak(interval, own, ceiling), error, interval_only=True)
    if not error > NO_SPREAD:
        return Estimate(value, NONE, error)
    interval = student(value, error, len(counts)).within(-math.inf, 1)
    return Estimate(value, _up_to_the_peak(interval, own, ceiling), error)


def _up_to_the_peak(interval: Interval, own: Array, ceiling: float) -> Interval:
    """The interval of a share with a lower end that allows for a ceiling of 1, where the rate may be the base rate. At
    that rate the ceiling has its peak, and in no sample is it above that: so shares come out too high.
    """
    bias = rate_bias_estimate(own).interval
    if interval.low > 0 and bias.low <= 0 <= bias.high:
        return Interval(interval.low * ceiling, interval.high)
    return interval


def _share_of_ceiling(totals: Any) -> Any:
    return share_of_ceiling(Cells.of(totals))


def _misses(c: Cells) -> Any:
    return c.fn + c.unread_true


def _false_alarms(c: Cells) -> Any:
    return c.fp + c.unread_false


def _by_errors(counts: Array, errs: CellsFormula, by_chance: float) -> Interval:
    """1 less the share of errors over what chance makes. Of that share the upper end is Wilson's. The lower one is
    exact (Clopper and Pearson 1934): Wilson's is too high where there is an error or two.
    """

    def share(totals: Any) -> Any:
        c = Cells.of(totals)
        return errs(c) / c.with_outcome

    value = float(share(counts.sum(0)))
    n = effective_n(value, ratio_error(share, counts), len(counts))
    low = float(betaincinv(value * n, (1 - value) * n + 1, TAIL)) if value > 0 else 0.0
    return Interval(1 - wilson(value, n).high / by_chance, min(1 - low / by_chance, 1.0))
