"""What a judge that errs saw, put right by how often it errs.

A judge says yes to what is so with its sensitivity, and no to what is not with its specificity; both are known from
labels, and not for sure. It is taken to err independently of whatever else the counts are split by.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from selfexec.stats.intervals import STEP, Array, Interval, effective_n, ratio_error, wilson

HIT, MISS, RIGHT_NO, FALSE_YES = range(4)


@dataclass(frozen=True)
class Labelled:
    """A judge held against labels: of each cluster how many it found, missed, rightly denied and wrongly affirmed,
    shape (clusters, 4).
    """

    counts: Array

    @property
    def true(self) -> float:
        """How many labels say yes."""
        return float(self.counts[:, [HIT, MISS]].sum())

    @property
    def false(self) -> float:
        return float(self.counts[:, [RIGHT_NO, FALSE_YES]].sum())

    @property
    def sensitivity(self) -> float:
        """Of what is so, the share that the judge finds; nan without a label that says yes."""
        return float(self.counts[:, HIT].sum()) / self.true if self.true else math.nan

    @property
    def specificity(self) -> float:
        """Of what is not so, the share that it denies."""
        return float(self.counts[:, RIGHT_NO].sum()) / self.false if self.false else math.nan

    @property
    def informedness(self) -> float:
        """Youden's J of the judge: 1 tells everything, 0 nothing."""
        return self.sensitivity + self.specificity - 1

    @property
    def variances(self) -> tuple[float, float]:
        """Of sensitivity and specificity, binomial, with one more hit and one more miss than there were (Agresti and
        Caffo 2000): a judge that never erred on some labels is not known to be perfect.
        """
        return _variance(self.sensitivity, self.true), _variance(self.specificity, self.false)


def _variance(share: float, n: float) -> float:
    held = (share * n + 1) / (n + 2)
    return held * (1 - held) / (n + 2)


def share_interval(labelled: Labelled, hits: int, misses: int) -> Interval:
    """Wilson's interval of a share of labels, on as many independent ones as their clusters amount to."""
    counts = labelled.counts[:, [hits, misses]]
    counts = counts[counts.sum(1) > 0]
    if not len(counts):
        return wilson(math.nan, 0)
    share = float(counts[:, 0].sum() / counts.sum())
    error = ratio_error(lambda totals: totals[..., 0] / totals.sum(-1), counts)
    return wilson(share, effective_n(share, error, len(counts)))


def true_counts(judged: Any, sensitivity: Any, specificity: Any) -> Any:
    """What was so and what was not, shape (..., 2), of what a judge said yes and no to, by Rogan and Gladen (1978):
    if it affirms y of n things, (y - (1 - specificity) n) / (sensitivity + specificity - 1) are so. It may be
    below 0 or above n, where the labels do not fit.
    """
    n = judged.sum(-1)
    so = (judged[..., 0] - (1 - specificity) * n) / (sensitivity + specificity - 1)
    return np.stack([so, n - so], axis=-1)


@dataclass(frozen=True)
class Corrected:
    """A number put right, with its standard error, and the counts that it is of: `true` has what was so, and what not,
    of each group.
    """

    value: float
    error: float
    true: Array


def corrected(statistic: Callable[[Any], Any], judged: Array, certain: Array, labelled: Labelled) -> Corrected:
    """A statistic of true counts, shape (groups, 2), from what a judge said of each cluster's, shape (clusters, groups,
    2), and from what is known without a judge (`certain`, of the same shape). The clusters are those of the labels.

    The error is the delta method's, over both what was judged and the labels: with u_i the influence of cluster i
    through the counts and w_i through its labels, T/(T-1) sum u_i^2 + 2 sum u_i w_i + V, V the larger of sum w_i^2 and
    what the binomial variances of sensitivity and specificity come to. The middle term counts where what was labelled
    is part of what was judged. Gradients are complex steps, as in `ratio_error`.
    """
    clusters, groups, _ = judged.shape
    totals = np.concatenate([judged.sum(0).ravel(), certain.sum(0).ravel()])
    rates = np.array([labelled.sensitivity, labelled.specificity])
    at = np.concatenate([totals, rates])

    def value(parameters: Any) -> Any:
        there = parameters[..., : 4 * groups].reshape(*parameters.shape[:-1], 2, groups, 2)
        rate = parameters[..., 4 * groups :, None]
        return statistic(true_counts(there[..., 0, :, :], rate[..., 0, :], rate[..., 1, :]) + there[..., 1, :, :])

    gradient = value(at + np.eye(len(at)) * (1j * STEP)).imag / STEP
    u = np.concatenate([judged.reshape(clusters, -1), certain.reshape(clusters, -1)], axis=1) @ gradient[:-2]
    inside = (judged.sum((1, 2)) + certain.sum((1, 2))) > 0
    u = np.where(inside, u - u[inside].mean(), 0.0)
    w = _influence(labelled, gradient[-2:])
    variance = max(float((w**2).sum()), float(gradient[-2:] ** 2 @ labelled.variances))
    t = int(inside.sum())
    squared = t / (t - 1) * float((u**2).sum()) + 2 * float(u @ w) + variance if t > 1 else math.nan
    true = true_counts(judged.sum(0), *rates) + certain.sum(0)
    return Corrected(float(value(at)), math.sqrt(max(squared, 0.0)) if t > 1 else math.nan, true)


def _influence(labelled: Labelled, gradient: Array) -> Array:
    """Of each cluster's labels on what sensitivity and specificity are part of."""
    hit, miss, right_no, false_yes = labelled.counts.T
    on_sensitivity = (hit - labelled.sensitivity * (hit + miss)) / labelled.true
    on_specificity = (right_no - labelled.specificity * (right_no + false_yes)) / labelled.false
    found: Array = gradient[0] * on_sensitivity + gradient[1] * on_specificity
    return found
