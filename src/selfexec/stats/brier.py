"""The Brier score of clustered probabilities, in three parts, and the calibration curve that two of them rest on.

Brier = reliability - resolution + uncertainty (Murphy 1973), in groups of about equal count. What probabilities differ
by within a group is in the resolution (Stephenson, Coelho and Jolliffe 2008), so that the three add up exactly. The
squares of noisy differences are too large: what is expected of noise alone is taken off (Bröcker 2012; Ferro and
Fricker 2012), by the error over clusters. So the reliability of well calibrated probabilities is 0 but for chance, and
may fall below it.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selfexec.stats.intervals import Array, Interval, effective_n, student, wilson

Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]
GROUPS = 10


@dataclass(frozen=True)
class Part:
    """A value with its standard error over clusters, and its 95% interval."""

    value: float
    error: float
    interval: Interval


@dataclass(frozen=True)
class BrierParts:
    """The score, the mean squared difference of probability and outcome, and its three parts."""

    score: Part
    reliability: Part
    resolution: Part
    uncertainty: Part


def equal_groups(probability: Array, groups: int = GROUPS) -> Numbers:
    """The group of each, from the lowest probability to the highest, of about equal count; equal probabilities stay
    together. Groups that would be empty are none.
    """
    _, place, count = np.unique(probability, return_inverse=True, return_counts=True)
    middle = count.cumsum() - count / 2
    group = np.minimum((groups * middle / max(len(probability), 1)).astype(np.int64), groups - 1)
    return np.unique(group[place], return_inverse=True)[1].astype(np.int64)


def brier_parts(
    probability: Array, came_true: Flags, cluster: Numbers, clusters: int, groups: int = GROUPS
) -> BrierParts:
    """The parts with groups of about equal count. Errors are nan for fewer than two clusters."""
    outcome = came_true.astype(np.float64)
    group = equal_groups(probability, groups)
    n_of_group = np.bincount(group).astype(np.float64)
    share = n_of_group / len(outcome)
    mean_p, mean_y = (np.bincount(group, values) / n_of_group for values in (probability, outcome))
    base = float(outcome.mean())
    excess, lift = mean_p - mean_y, mean_y - base
    from_excess = probability - outcome - excess[group]
    noise = _noise(from_excess, group, n_of_group, cluster, clusters)
    within = 2 * (outcome - mean_y[group]) * (probability - mean_p[group]) - (probability - mean_p[group]) ** 2

    def part(values: Array, less: float = 0.0, curved: Array | None = None) -> Part:
        """The mean of some values, each the derivative of the whole by its claim, with the error over clusters."""
        error = _error(values, cluster, clusters)
        twice = 0.0 if curved is None else float((2 * (share * curved) ** 2).sum())
        value, error = float(values.mean()) - less, math.sqrt(error**2 + twice)
        return Part(value, error, student(value, error, clusters).within(-1, 1))

    noisy, of_base = float((share * noise).sum()), _error(outcome, cluster, clusters) ** 2
    return BrierParts(
        part((probability - outcome) ** 2),
        part(excess[group] ** 2 + 2 * excess[group] * from_excess, noisy, noise),
        part(lift[group] ** 2 + 2 * lift[group] * (outcome - mean_y[group]) + within, noisy - of_base, noise),
        _uncertainty(outcome, cluster, clusters),
    )


def _uncertainty(outcome: Array, cluster: Numbers, clusters: int) -> Part:
    """The variance of the outcomes, base (1 - base), with that of the base rate added, so that the parts add up.

    It is flat at a base rate of one half, where its derivative says nothing of how far off it may be. So its interval
    has the least and the greatest value that it takes in the interval of the base rate (Wilson's): it holds the truth
    whenever that one does.
    """
    base, of_base = float(outcome.mean()), _error(outcome, cluster, clusters)
    value, error = base * (1 - base) + of_base**2, abs(1 - 2 * base) * of_base
    if clusters < 2:
        return Part(value, error, Interval(math.nan, math.nan))
    low, high = wilson(base, effective_n(base, of_base, clusters))
    ends = low * (1 - low), high * (1 - high)
    greatest = 0.25 if low <= 0.5 <= high else max(ends)
    return Part(value, error, Interval(min(*ends, value), max(greatest, value)))


def _noise(deviation: Array, group: Numbers, n_of_group: Array, cluster: Numbers, clusters: int) -> Array:
    """The variance over clusters of each group's mean difference of probability and outcome; 0 in a group of one
    cluster, where nobody knows it.
    """
    cells, place = np.unique(group * clusters + cluster, return_inverse=True)
    sums, owner = np.bincount(place, deviation), cells // clusters
    each = np.bincount(owner).astype(np.float64)
    corrected = np.where(each > 1, each / np.maximum(each - 1, 1), 0.0)
    variance: Array = corrected * np.bincount(owner, sums**2) / n_of_group**2
    return variance


def _error(values: Array, cluster: Numbers, clusters: int) -> float:
    """The standard error of a mean over clusters of different size."""
    if clusters < 2:
        return math.nan
    added = np.bincount(cluster, values - values.mean(), clusters)
    return math.sqrt(clusters / (clusters - 1) * float((added**2).sum())) / len(values)
