"""Tetrachoric correlation: that of two normal variables when all that is seen of each is whether it is above a
threshold.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from selfexec.stats.intervals import Array

GREATEST = 0.995  # nearer to 1, a table's counts say nothing of how near
STEPS = 20
SETTLED = 1e-10
NODES, WEIGHTS = (part / 2 for part in np.polynomial.legendre.leggauss(16))  # on an interval of length 1
PARTS = NODES[:, None, None] + 0.5


class Tetrachoric(NamedTuple):
    """Correlations of shape (...), and by how much another case in a cell moves each: shape (4, strata, ...), on
    average 0 over the cases that there are. Both are nan where one of the two variables changes within no stratum.
    """

    rho: Array
    influence: Array


def tetrachoric(both: Any, first: Any, second: Any, neither: Any) -> Array:
    """The tetrachoric correlation (Pearson 1900) of many tables of two by two at once, each of the four counts an array
    of the same shape: both are yes, the first alone, the second alone, neither. nan where one of the two never changes,
    or there are no cases.
    """
    counts: Array = np.stack([np.asarray(part, dtype=np.float64) for part in (both, first, second, neither)])
    return tetrachoric_over_strata(counts[:, None]).rho


def tetrachoric_over_strata(counts: Array) -> Tetrachoric:
    """One correlation of tables of shape (4, strata, ...), both variables having thresholds of their own in each
    stratum.

    With thresholds h, k from the margins, P(both) = Phi(h) Phi(k) + 1/(2 pi) int_0^arcsin(rho) exp(-(h^2 + k^2 - 2 h k
    sin t) / (2 cos^2 t)) dt (Plackett 1954); rho is where the expected number of cases that are both, added up over
    strata, is the observed one: Newton's method, held between bounds. A table with an empty cell in the sum of its
    strata gets half a case in each of its four (Brown and Benedetti 1977), spread over strata by their size; no
    correlation is further from zero than .995.
    """
    from scipy.special import ndtr, ndtri

    shape = counts.shape[2:]
    counts = counts.reshape(4, counts.shape[1], -1)
    margins = np.stack([counts[0] + counts[1], counts[2] + counts[3], counts[0] + counts[2], counts[1] + counts[3]])
    changes = margins.min(0) > 0
    counts = np.where(changes, counts, 0.0)
    sizes = counts.sum(0)
    empty = (counts.sum(1).min(0) <= 0) & changes.any(0)
    counts = counts + 0.5 * empty * sizes / np.maximum(sizes.sum(0), 1)
    one, two = _shares(counts)
    n = counts.sum(0)
    h, k = ndtri(one), ndtri(two)
    squares, product = (h * h + k * k) / 2, h * k
    angle = _angles(squares, product, counts[0] - n * one * two, n)
    sine = np.sin(angle)
    # the expected number of both moves with the margins, too: by P(second | first at its threshold), and the reverse
    with np.errstate(invalid="ignore", divide="ignore"):
        cosine = np.sqrt(1 - sine * sine)
        by_one, by_two = ndtr((k - sine * h) / cosine), ndtr((h - sine * k) / cosine)
        density = _density(angle, squares, product) / cosine
        level = one * two + _more_than_chance(angle, squares, product) - by_one * one - by_two * two
        moved = np.stack([1 - by_one - by_two - level, -by_one - level, -by_two - level, -level])
        influence = moved / (n * density).sum(0)
    known = changes.any(0)
    influence = np.where(changes, influence, 0.0)
    return Tetrachoric(
        np.where(known, sine, math.nan).reshape(shape),
        np.where(known, influence, math.nan).reshape(4, counts.shape[1], *shape),
    )


def least_expected(counts: Array, rho: float) -> Array:
    """How many cases the emptiest cell of tables of shape (4, strata, ...) has on average at this correlation, with
    their margins.
    """
    from scipy.special import ndtri

    shape = counts.shape[2:]
    counts = counts.reshape(4, counts.shape[1], -1)
    one, two = _shares(counts)
    h, k = ndtri(one), ndtri(two)
    both = one * two + _more_than_chance(math.asin(rho), (h * h + k * k) / 2, h * k)
    cells = np.stack([both, one - both, two - both, 1 - one - two + both])
    least: Array = (cells * counts.sum(0)).sum(1).min(0).reshape(shape)
    return least


def _shares(counts: Array) -> tuple[Array, Array]:
    """How often each variable is yes; one half in a stratum in which one of them never changes."""
    n = counts.sum(0)
    one, two = ((counts[0] + counts[other]) / np.maximum(n, 1) for other in (1, 2))
    changes = (one > 0) & (one < 1) & (two > 0) & (two < 1)
    return np.where(changes, one, 0.5), np.where(changes, two, 0.5)


def _angles(squares: Array, product: Array, excess: Array, n: Array) -> Array:
    """The arcsine of each correlation, from (h^2 + k^2) / 2, h k, by how many cases more are both than by chance, and
    the number of cases, each of shape (strata, tables). A table that is settled is left alone: most are after a few
    steps, a few take them all.
    """
    most = math.asin(GREATEST)
    excess = excess.sum(0)
    with np.errstate(invalid="ignore"):
        found: Array = np.clip(excess / (n * _density(0.0, squares, product)).sum(0), -most, most)
    found = np.nan_to_num(found)
    low, high = np.full(len(excess), -most), np.full(len(excess), most)
    left, angle = np.arange(len(excess)), found
    for _ in range(STEPS):
        missed = (n * _more_than_chance(angle, squares, product)).sum(0) - excess
        low, high = np.where(missed <= 0, angle, low), np.where(missed > 0, angle, high)
        with np.errstate(invalid="ignore", divide="ignore"):
            newton = angle - missed / (n * _density(angle, squares, product)).sum(0)
        step = np.where((newton >= low) & (newton <= high), newton, (low + high) / 2) - angle
        found[left] = angle + step
        if not (rest := np.abs(step) >= SETTLED).any():
            break
        left, squares, product, excess, n = left[rest], squares[:, rest], product[:, rest], excess[rest], n[:, rest]
        low, high, angle = low[rest], high[rest], found[left]
    return found


def _more_than_chance(angle: Any, squares: Array, product: Array) -> Any:
    """How much more often both are yes than if they had nothing to do with each other: the integral."""
    densities = _density(angle * PARTS, squares, product)
    return (WEIGHTS @ densities.reshape(len(WEIGHTS), -1)).reshape(squares.shape) * angle


def _density(angle: Any, squares: Array, product: Array) -> Any:
    """What the integral adds up."""
    sine = np.sin(angle)
    return np.exp(-(squares - product * sine) / (1 - sine * sine)) / (2 * math.pi)
