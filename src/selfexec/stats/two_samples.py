"""Do two samples differ? (scipy.stats has these too, and takes half a second to import.)"""

import math

import numpy as np
from scipy.special import gammaln, ndtr

from selfexec.stats.intervals import Array
from selfexec.stats.ranks import ranks


def fisher_exact(one: Array, two: Array) -> float:
    """Two-sided p of Fisher's exact test (1935) on a table of two rows of two counts: the chance, margins given, of
    all tables that are no likelier than this one.
    """
    first, second = float(one.sum()), float(two.sum())
    column = float(one[0] + two[0])
    cell = np.arange(max(0.0, column - second), min(first, column) + 1)
    log = _log_choose(first, cell) + _log_choose(second, column - cell) - _log_choose(first + second, column)
    chances = np.exp(log)
    seen = chances[int(one[0] - cell[0])]
    return float(min(1.0, chances[chances <= seen * (1 + 1e-7)].sum()))


def rank_sum(one: Array, two: Array) -> float:
    """Two-sided p of the rank-sum test (Wilcoxon 1945, Mann and Whitney 1947), by the normal approximation with
    corrections for ties and continuity.
    """
    n, m = len(one), len(two)
    both = np.concatenate([one, two])
    ties = np.unique(both, return_counts=True)[1]
    if len(ties) < 2:
        return 1.0
    off = abs(ranks(both)[:n].sum() - n * (n + m + 1) / 2)
    spread = math.sqrt(n * m / 12 * (n + m + 1 - (ties**3 - ties).sum() / ((n + m) * (n + m - 1))))
    return float(min(1.0, 2 * ndtr(-(off - 0.5) / spread)))


def _log_choose(n: float, k: Array | float) -> Array:
    found: Array = gammaln(n + 1) - gammaln(np.asarray(k) + 1) - gammaln(n - np.asarray(k) + 1)
    return found
