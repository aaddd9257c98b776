"""Whether groups have equal rates of success."""

import numpy as np
from numpy.typing import NDArray

from selfexec.stats.intervals import Array

ROUNDING = 1e-9  # of a statistic: equal ones are counted as equal


def equal_rates_p(
    group: NDArray[np.int64], stratum: NDArray[np.int64], success: Array, *, draws: int, rng: np.random.Generator
) -> float:
    """The p-value of the hypothesis that success is as frequent in each group, by a permutation test.

    The statistic is that of the likelihood-ratio test of groups against successes, summed over strata; its
    distribution is that over permutations of the groups within strata.

    Args:
        group: The number of each trial's group, shape (trials,).
        stratum: The number of each trial's stratum; rates may differ between strata.
        success: 1 or 0 for each trial.
        draws: How many permutations are drawn.
        rng: What they are drawn by.

    Returns:
        The p-value; nan where fewer than two groups have a trial in any one stratum.
    """
    statistics = np.zeros(draws + 1)
    comparable = False
    for number in np.unique(stratum):
        rows = stratum == number
        member = np.eye(int(group.max()) + 1)[group[rows]]
        comparable |= len(np.unique(group[rows])) > 1
        permuted = rng.permuted(np.tile(success[rows], (draws, 1)), axis=1)
        successes = np.vstack([success[rows], permuted]) @ member
        statistics += _deviance(successes, member.sum(0))
    if not comparable:
        return float("nan")
    return float((statistics >= statistics[0] - ROUNDING).sum() / (draws + 1))


def _deviance(successes: Array, trials: Array) -> Array:
    """The likelihood-ratio statistic of equal rates, over the last axis."""
    rate = successes.sum(-1, keepdims=True) / trials.sum()
    total: Array = _terms(successes, rate * trials) + _terms(trials - successes, (1 - rate) * trials)
    return total


def _terms(observed: Array, expected: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(observed > 0, observed * np.log(observed / expected), 0.0)
    total: Array = 2 * terms.sum(-1)
    return total
