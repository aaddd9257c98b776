"""Would the predictions do as well, dealt out over the items at random?"""

import math

import numpy as np
import polars as pl
from numpy.typing import NDArray

from selfexec.scores.rows import Estimate

DEALS = 499
SEED = 0
Signs = NDArray[np.int8]


def shuffled_p(claims: pl.DataFrame) -> Estimate:
    """One-sided p of a permutation test: how often a model's own predictions, dealt out over the items at random, whole
    items at a time, are right as often as they are where they belong.

    The claims of an item stay together, in their places (first option to first option, Q1 before Q2 to Q1 before Q2,
    epoch to epoch). An item counts for as much as it has claims; an unread prediction is wrong wherever it goes.
    """
    rows = claims.sort("item", "epoch", maintain_order=True)
    item = (rows["item"].rank("dense") - 1).cast(pl.Int64).to_numpy()
    if len(rows) == 0 or item[-1] < 1:
        return Estimate(math.nan, reason="fewer than two items")
    place = rows.select(pl.int_range(pl.len()).over("item")).to_series().to_numpy()
    yes, did = (_signs(rows[column], item, place) for column in ("predicted", "observed"))
    rng = np.random.default_rng(SEED)
    deals = np.stack([rng.permutation(len(yes)) for _ in range(DEALS)])
    dealt = np.zeros(DEALS, dtype=np.int64)
    right = 0
    for mine, theirs in zip(yes.T, did.T, strict=True):  # place by place, so that no table of items by items is needed
        dealt += np.count_nonzero(mine[deals] * theirs > 0, axis=1)
        right += int(np.count_nonzero(mine * theirs > 0))
    return Estimate((1 + int((dealt >= right).sum())) / (1 + DEALS))


def _signs(column: pl.Series, item: NDArray[np.int64], place: NDArray[np.int64]) -> Signs:
    """+1 for yes, -1 for no, 0 where nothing is known; shape (items, places)."""
    table = np.zeros((int(item[-1]) + 1, int(place.max()) + 1), dtype=np.int8)
    table[item, place] = column.cast(pl.Int8).fill_null(0).to_numpy() * 2 - column.is_not_null().to_numpy()
    return table
