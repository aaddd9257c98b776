"""Correlations over few units, with their intervals."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from selfexec.stats.intervals import NO_SPREAD, NONE, Array, Interval, Z
from selfexec.stats.ranks import ranks

Method = Literal["pearson", "spearman"]
LEAST_PAIRS = 4  # Fisher's z has a standard error from four pairs on


@dataclass(frozen=True)
class Correlation:
    """A correlation over `n` pairs. `reason` says why it is nan, or has no interval."""

    method: Method
    value: float
    interval: Interval
    n: int
    reason: str | None = None


def correlate(one: Array, two: Array, method: Method = "pearson") -> Correlation:
    """The correlation of two columns, over the pairs without a hole (nan), and its 95% interval by Fisher's z (1921).

    The standard error of z = atanh(r) is 1 / sqrt(n - 3); for Spearman's rho it is sqrt((1 + rho^2 / 2) / (n - 3))
    (Bonett and Wright 2000). A perfect correlation has no interval: its z is infinite.
    """
    whole = np.isfinite(one) & np.isfinite(two)
    one, two = one[whole], two[whole]
    n = len(one)
    if n < LEAST_PAIRS:
        return Correlation(method, math.nan, NONE, n, f"only {n} pair{'' if n == 1 else 's'}, fewer than {LEAST_PAIRS}")
    if method == "spearman":
        one, two = ranks(one), ranks(two)
    one, two = _standardized(one), _standardized(two)
    if not (one.any() and two.any()):
        return Correlation(method, math.nan, NONE, n, "one of the two is the same throughout")
    r = min(max(float(one @ two), -1.0), 1.0)
    if 1 - abs(r) < NO_SPREAD:
        return Correlation(method, math.copysign(1.0, r), NONE, n, "a perfect correlation has no interval")
    error = math.sqrt((1 + r * r / 2 if method == "spearman" else 1) / (n - 3))
    return Correlation(
        method, r, Interval(math.tanh(math.atanh(r) - Z * error), math.tanh(math.atanh(r) + Z * error)), n
    )


def _standardized(values: Array) -> Array:
    """Deviations from the mean, of length 1; zeros where there is no variance but for rounding."""
    scale = float(np.abs(values).max())
    if not scale:
        return np.zeros_like(values)
    values = values / scale
    deviations: Array = values - values.mean()
    length = float(np.sqrt(deviations @ deviations))
    return deviations / length if length > NO_SPREAD else np.zeros_like(values)
