"""Would the predictions do as well, dealt out over the items at random?"""

import math

import numpy as np

from selfexec.arrays import Claims, Numbers, Signs
from selfexec.scores.rows import Estimate

DEALS = 499
SEED = 0


def shuffled_p(claims: Claims) -> Estimate:
    """One-sided p of a permutation test: how often a model's own predictions, dealt out over the items at random, whole
    items at a time, are right as often as they are where they belong.

    The claims of an item stay together, in their places (first option to first option, Q1 before Q2 to Q1 before Q2,
    epoch to epoch). An item counts for as much as it has claims; an unread prediction is wrong wherever it goes.
    """
    order = np.lexsort((claims.epoch, claims.item))
    _, first, item = np.unique(claims.item[order], return_index=True, return_inverse=True)
    if len(first) < 2:
        return Estimate(math.nan, reason="fewer than two items")
    place = np.arange(len(item)) - first[item]
    yes, did = (_by_place(signs[order], item, place) for signs in (claims.predicted, claims.observed))
    rng = np.random.default_rng(SEED)
    deals = np.stack([rng.permutation(len(yes)) for _ in range(DEALS)])
    dealt = np.zeros(DEALS, dtype=np.int64)
    right = 0
    for mine, theirs in zip(yes.T, did.T, strict=True):  # place by place, so that no table of items by items is needed
        dealt += np.count_nonzero(mine[deals] * theirs > 0, axis=1)
        right += int(np.count_nonzero(mine * theirs > 0))
    return Estimate((1 + int((dealt >= right).sum())) / (1 + DEALS))


def _by_place(signs: Signs, item: Numbers, place: Numbers) -> Signs:
    """Shape (items, places)."""
    table = np.zeros((int(item[-1]) + 1, int(place.max()) + 1), dtype=np.int8)
    table[item, place] = signs
    return table
