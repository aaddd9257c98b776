"""p values, the difference that would be found, and contrasts of two groups."""

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from selfexec.stats.intervals import NO_SPREAD, NONE, POWER_80, Array, Interval


def two_sided(value: float, error: float, freedom: float) -> float:
    """p value of a difference, by Student's t; infinite degrees of freedom give the normal. nan without an error."""
    return float(p_values(np.float64(value), np.float64(error), np.float64(freedom)))


def p_values(value: Array | np.float64, error: Array | np.float64, freedom: Array | np.float64) -> Array:
    """`two_sided` of many differences at once."""
    from scipy.special import ndtr, stdtr

    t = -np.abs(value) / np.where(error > NO_SPREAD, error, math.nan)
    found: Array = 2 * np.where(np.isinf(freedom), ndtr(t), stdtr(freedom, t))
    return found


def detectable(error: float, freedom: float, level: float = 0.05) -> float:
    """The true difference that is found in 80% of studies with this standard error, at this two-sided level."""
    if math.isinf(freedom):
        return (NormalDist().inv_cdf(1 - level / 2) + POWER_80) * error
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 1 - level / 2) + stdtrit(freedom, 0.8)) * error


class Welch(NamedTuple):
    """Mean of the second group less mean of the first; interval and p are nan where a group has fewer than two values
    or nothing varies.
    """

    difference: float
    interval: Interval
    p: float


def welch(first: Array, second: Array) -> Welch:
    """Two independent groups of unequal variance (Welch 1947), degrees of freedom after Satterthwaite (1946)."""
    from scipy.special import stdtrit

    if not len(first) or not len(second):
        return Welch(math.nan, NONE, math.nan)
    difference = float(np.mean(second) - np.mean(first))
    if min(len(first), len(second)) < 2:
        return Welch(difference, NONE, math.nan)
    parts = [float(np.var(group, ddof=1)) / len(group) for group in (first, second)]
    error = math.sqrt(sum(parts))
    if not error > NO_SPREAD:
        return Welch(difference, NONE, math.nan)
    shares = [(part / sum(parts)) ** 2 / (len(group) - 1) for part, group in zip(parts, (first, second), strict=True)]
    freedom = 1 / sum(shares)
    half = float(stdtrit(freedom, 0.975)) * error
    return Welch(difference, Interval(difference - half, difference + half), two_sided(difference, error, freedom))
