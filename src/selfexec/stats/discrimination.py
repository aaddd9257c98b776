"""The area under the ROC curve of clustered scores, pooled over clusters and within them.

Scores are compared, never thresholded: what raises or lowers all of them changes nothing. Shapes: an entry for each
claim; `cluster` numbers the clusters from 0 on.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selfexec.stats.intervals import NONE, Array, Interval, effective_n, influence_error, wilson

Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Area:
    """An area under the ROC curve: the share of pairs of a claim that came true and one that did not in which the first
    has the higher score, ties counting half. nan where there are no such pairs.

    `added` is what each cluster adds to it, less the mean, from which its error follows; `ties` is the share of these
    pairs with equal scores.
    """

    value: float
    added: Array
    ties: float

    @property
    def error(self) -> float:
        return influence_error(self.added)

    @property
    def interval(self) -> Interval:
        """Wilson's interval on the number of independent trials that the error amounts to: it holds near 1 as well."""
        clusters = len(self.added)
        if clusters < 2 or math.isnan(self.value):
            return NONE
        return wilson(self.value, effective_n(self.value, self.error, clusters))


def auroc(scores: Array, came_true: Flags, cluster: Numbers, clusters: int) -> Area:
    """Over all pairs, whichever clusters they are of. Its error is by structural components, summed by cluster
    (DeLong, DeLong and Clarke-Pearson 1988; Obuchowski 1997).
    """
    _, place = np.unique(scores, return_inverse=True)
    yes, no = (np.bincount(place[side], minlength=place.max(initial=-1) + 1) for side in (came_true, ~came_true))
    if not (yes.sum() and no.sum()):
        return Area(math.nan, np.full(clusters, math.nan), math.nan)
    no_below, yes_above = no.cumsum() - no / 2, yes.sum() - yes.cumsum() + yes / 2
    won = np.where(came_true, no_below[place] / no.sum(), yes_above[place] / yes.sum())
    value = float(won[came_true].mean())
    part = (won - value) / np.where(came_true, yes.sum(), no.sum())
    added: Array = np.bincount(cluster, part, clusters).astype(np.float64)
    ties = float((yes * no).sum() / (yes.sum() * no.sum()))
    return Area(value, added, ties)


def auroc_within(scores: Array, came_true: Flags, cluster: Numbers, clusters: int) -> Area:
    """Over the pairs within a cluster alone: which of an item's claims, with all that items differ in left out.
    Clusters of one outcome have no pairs, and are none of those that add to it.
    """
    _, value = np.unique(scores, return_inverse=True)
    cell, place = np.unique(cluster * (value.max(initial=-1) + 1) + value, return_inverse=True)
    yes, no = (np.bincount(place[side], minlength=len(cell)) for side in (came_true, ~came_true))
    owner = np.zeros(len(cell), np.int64)
    owner[place] = cluster
    before = no.cumsum() - no  # over all clusters: those before its own are taken off again
    first = np.searchsorted(owner, np.arange(clusters))
    offset = np.append(before, no.sum())[np.minimum(first, len(cell))]
    won = np.bincount(owner, yes * (before - offset[owner] + no / 2), clusters)
    tied = np.bincount(owner, yes * no, clusters)
    pairs = np.bincount(owner, yes, clusters) * np.bincount(owner, no, clusters)
    kept = pairs > 0
    if not kept.any():
        return Area(math.nan, np.zeros(0), math.nan)
    area = float(won.sum() / pairs.sum())
    return Area(area, (won - area * pairs)[kept] / pairs.sum(), float(tied.sum() / pairs.sum()))


def centred(scores: Array, fold: Numbers) -> Array:
    """Scores less the mean of their fold. What is cross-fitted has a level of its own in each fold, lower where more
    came true: pooled as it is, a constant comes out below one half. What is left below rounding is no difference.
    """
    n = np.bincount(fold)
    mean = np.bincount(fold, scores) / np.maximum(n, 1)
    return np.round(scores - mean[fold], 9)
