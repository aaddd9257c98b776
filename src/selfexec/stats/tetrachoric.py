"""Tetrachoric correlation: that of two normal variables, where one sees only whether each is above a threshold."""

import math
from typing import Any

import numpy as np

from selfexec.stats.intervals import Array

GREATEST = 0.995  # nearer to 1, a table's counts say nothing of how near
STEPS = 20
SETTLED = 1e-10
NODES, WEIGHTS = (part / 2 for part in np.polynomial.legendre.leggauss(16))  # on an interval of length 1
PARTS = NODES[:, None] + 0.5


def tetrachoric(both: Any, first: Any, second: Any, neither: Any) -> Array:
    """The tetrachoric correlation (Pearson 1900) of many tables of two by two at once, each of the four counts an array
    of the same shape: both are yes, the first alone, the second alone, neither.

    With thresholds h, k from the margins, P(both) = Phi(h) Phi(k) + 1/(2 pi) int_0^arcsin(rho) exp(-(h^2 + k^2 - 2 h k
    sin t) / (2 cos^2 t)) dt (Plackett 1954) is solved for rho by Newton's method, held between bounds. A table with an
    empty cell gets half a case in each of its four (Brown and Benedetti 1977); no correlation is further from zero than
    .995. nan where one of the two never changes, or there are no cases.
    """
    from scipy.special import ndtri

    counts: Array = np.stack([np.asarray(part, dtype=np.float64) for part in (both, first, second, neither)])
    margins = np.stack([counts[0] + counts[1], counts[2] + counts[3], counts[0] + counts[2], counts[1] + counts[3]])
    counts = counts + 0.5 * (counts.min(0) <= 0)
    n = counts.sum(0)
    one, two, p = (counts[0] + counts[1]) / n, (counts[0] + counts[2]) / n, counts[0] / n
    excess = p - one * two
    h, k = ndtri(one), ndtri(two)
    angle = _angles((h * h + k * k).ravel() / 2, (h * k).ravel(), excess.ravel()).reshape(n.shape)
    return np.where(margins.min(0) > 0, np.sin(angle), math.nan)


def _angles(squares: Array, product: Array, excess: Array) -> Array:
    """The arcsine of each correlation, from (h^2 + k^2) / 2, h k, and how much more often both are yes than by chance.
    A table that is settled is left alone: most are after a few steps, a few take them all.
    """
    most = math.asin(GREATEST)
    found: Array = np.clip(excess / _density(0.0, squares, product), -most, most)
    low, high = np.full(len(excess), -most), np.full(len(excess), most)
    left, angle = np.arange(len(excess)), found
    for _ in range(STEPS):
        missed = WEIGHTS @ _density(angle * PARTS, squares, product) * angle - excess
        low, high = np.where(missed <= 0, angle, low), np.where(missed > 0, angle, high)
        newton = angle - missed / _density(angle, squares, product)
        step = np.where((newton >= low) & (newton <= high), newton, (low + high) / 2) - angle
        found[left] = angle + step
        if not (rest := np.abs(step) >= SETTLED).any():
            break
        left, squares, product, excess = left[rest], squares[rest], product[rest], excess[rest]
        low, high, angle = low[rest], high[rest], found[left]
    return found


def _density(angle: Any, squares: Array, product: Array) -> Any:
    """What the integral adds up."""
    sine = np.sin(angle)
    return np.exp(-(squares - product * sine) / (1 - sine * sine)) / (2 * math.pi)
