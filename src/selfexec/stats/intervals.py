"""95% intervals on clustered data.

The cluster (an item: a target word, a request, a group of questions) is the unit: claims of one item are not
independent. Shapes: `counts` is (clusters, cells), a `totals` vector is (cells,).
"""

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
NO_SPREAD = 1e-12  # a standard error below it is zero, but for rounding
STEP = 1e-30
Z = 1.959963984540054  # the 97.5% point of the standard normal distribution
POWER_80 = 0.8416212335729143  # its 80% point


class Interval(NamedTuple):
    """Both ends, nan where no interval can be had."""

    low: float
    high: float

    def within(self, least: float, most: float) -> "Interval":
        """The part that is possible: no share is below 0, whatever a small sample says."""
        if math.isnan(self.low) or math.isnan(self.high):
            return self
        return Interval(min(max(self.low, least), most), max(min(self.high, most), least))


NONE = Interval(math.nan, math.nan)


def ratio_error(statistic: Callable[[NDArray[np.complex128]], Any], counts: Array) -> float:
    """Standard error of a smooth function of cluster totals, by the delta method. It takes many totals at once,
    the cells on the last axis.

    With g the gradient at the totals and u = counts g the clusters' influence, SE = sqrt(T/(T-1) sum (u - mean u)^2).
    For a ratio R = sum s / sum n this is sqrt(T/(T-1) sum (s - R n)^2) / sum n. nan for fewer than two clusters.

    The gradient is a complex step (Squire and Trapp 1998): exact to the last digit for functions made of arithmetic
    and square roots. `abs`, `max` and whatever else is no analytic function are not allowed: they drop the step, and
    the error would be too small without a sign of it. A comparison of real parts may choose between two such formulas,
    and a function may carry the step itself, by its derivative. Raises TypeError where the step is dropped whole.
    """
    return influence_error(influence(statistic, counts)) if len(counts) > 1 else math.nan


def influence(statistic: Callable[[NDArray[np.complex128]], Any], counts: Array) -> Array:
    """What each cluster adds to a statistic, less the mean of that (`ratio_error`): shape (..., clusters), of counts of
    shape (..., clusters, cells). That of a sum of statistics of the same clusters is the sum of theirs.
    """
    clusters, cells = counts.shape[-2:]
    with np.errstate(divide="ignore", invalid="ignore"):  # nan where the statistic is not defined
        stepped = statistic(counts.sum(-2)[..., None, :] + _steps(cells))
    if not np.iscomplexobj(stepped):
        raise TypeError("the statistic drops the complex step: write it with arithmetic and square roots alone.")
    added: Array = (counts @ (stepped.imag / STEP)[..., None])[..., 0]
    added -= added.sum(-1, keepdims=True) / clusters
    return added


def influence_error(added: Array) -> float:
    """The standard error that follows from what each cluster adds."""
    return float(influence_errors(added))


def influence_errors(added: Array) -> Array:
    """`influence_error` of many statistics, of what clusters add in shape (..., clusters)."""
    clusters = added.shape[-1]
    squares: Array = (added**2).sum(-1)
    return np.sqrt(clusters / (clusters - 1) * squares) if clusters > 1 else np.full_like(squares, math.nan)


@cache
def _steps(cells: int) -> NDArray[np.complex128]:
    """A complex step in each cell. It is made once: that takes as long as a formula."""
    return np.eye(cells, dtype=np.complex128) * (1j * STEP)


def wilson(share: float, n: float) -> Interval:
    """Wilson's (1927) score interval for a share of n independent trials; n may be an effective number."""
    if not (n > 0 and 0 <= share <= 1):
        return NONE
    centre = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    return Interval(max(centre - half, 0.0), min(centre + half, 1.0))


def effective_n(share: float, error: float, clusters: int) -> float:
    """How many independent trials would give this standard error; the number of clusters where there is no spread."""
    if share in (0.0, 1.0) or not error > NO_SPREAD:
        return float(clusters)
    return share * (1 - share) / error**2


def normal(value: float, error: float) -> Interval:
    """value +- z SE."""
    return Interval(value - Z * error, value + Z * error)


def student(value: float, error: float, clusters: int) -> Interval:
    """value +- t SE, with the 97.5% point of Student's t on clusters - 1 degrees of freedom."""
    if clusters < 2:
        return NONE
    half = _student_point(clusters - 1) * error
    return Interval(value - half, value + half)


@cache
def _student_point(freedom: int) -> float:
    """The 97.5% point of Student's t. It is worked out once: it takes as long as all else of an interval."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.975))


def sum_interval(values: Sequence[float], intervals: Sequence[Interval], correlation: float = 0.0) -> Interval:
    """Interval of a sum from those of its terms, which need not be symmetric (MOVER: Zou and Donner 2008): the arms
    below the values add up as standard errors do, and so do those above. `correlation` is that of two terms.
    """
    total = math.fsum(values)
    if any(math.isnan(end) for interval in intervals for end in interval):
        return NONE
    below = [value - interval.low for value, interval in zip(values, intervals, strict=True)]
    above = [interval.high - value for value, interval in zip(values, intervals, strict=True)]
    return Interval(total - _together(below, correlation), total + _together(above, correlation))


def _together(arms: Sequence[float], correlation: float) -> float:
    squares = math.fsum(arm**2 for arm in arms)
    shared = 2 * correlation * arms[0] * arms[1] if correlation else 0.0
    return math.sqrt(max(squares + shared, 0.0))


def mean_interval(values: Array) -> tuple[Interval, float]:
    """Student's t interval for a mean, and its standard error; nan for fewer than two values."""
    n = len(values)
    if n < 2:
        return NONE, math.nan
    error = float(values.std(ddof=1)) / math.sqrt(n)
    return student(float(values.mean()), error, n), error
