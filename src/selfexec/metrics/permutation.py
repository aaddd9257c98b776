"""Permutation test of skill: would the predictions do as well, dealt out over the items at random?"""

import math
from typing import Any

import numpy as np

from selfexec.claims import Claims, Floats, Numbers, Signs, occurring
from selfexec.metrics.kinds import NO_CONTRAST, claim_kind, scorable
from selfexec.metrics.rows import LEAST_COVERAGE, Estimate
from selfexec.text.numbers import number_of

PERMUTED = 499
SEED = 0
ROUNDING = 1e-9  # skills that are no further apart are equal
UNREAD, READ = 1, 2  # 0: not asked


def shuffled_p(claims: Claims, strict: bool) -> Estimate:
    """One-sided p of a permutation test: how often a model's own predictions, dealt out over the items at random, have
    as much skill (Youden's J, Kendall's tau) as where they belong. A deal with just as much counts.

    Predictions change places by whole items, among items with the same claims, asked and read: so each has a place
    wherever it comes to (first of five options to first of five, Q1 before Q2 to Q1 before Q2, epoch to epoch), and
    what was lost is lost where it was. What was said of a pair of questions that tied goes along. An item like no other
    keeps its predictions; one without a known outcome takes no part.
    """
    mask = scorable(claims, strict)
    weights = np.zeros(len(claims))
    weights[mask] = claim_kind(claims).weights(claims.where(mask))
    if np.isnan(weights).any():
        return Estimate(math.nan, reason=NO_CONTRAST)
    items = occurring(claims.item[mask & (claims.predicted != 0)])
    if len(items) < 2:
        return Estimate(math.nan, reason="fewer than two items")
    place = _places(claims)
    predicted, weight, asked = (
        _table(claims, place, values)[items]
        for values in (claims.predicted, weights, np.where(claims.predicted != 0, READ, UNREAD))
    )
    groups = _alike(asked)
    dealt = sum(map(len, groups))
    if not dealt:
        return Estimate(math.nan, reason="no two items have the same claims read, so that nothing can be dealt")
    rng = np.random.default_rng(SEED)
    gains = np.sum([_gains(predicted[group], weight[group], rng) for group in groups], axis=0)
    p = (1 + int((gains >= -ROUNDING).sum())) / (1 + PERMUTED)
    few = f"p rests on {dealt:,} of {number_of(len(items), 'item')}: the others have no item with the same claims read"
    return Estimate(p, reason=few if dealt < LEAST_COVERAGE * len(items) else None)


def _places(claims: Claims) -> Numbers:
    """The place of each claim in its item, epoch by epoch: by name where every item has claims of the same names, else
    in the order in which the item has them.
    """
    epochs, epoch = np.unique(claims.epoch, return_inverse=True)
    attempt = claims.item * len(epochs) + epoch
    sizes = np.bincount(attempt)
    most = int(sizes.max())
    if len(claims.claim_names) <= most:
        return epoch * most + claims.claim_name
    order = np.argsort(attempt, kind="stable")
    rank = np.empty(len(claims), np.int64)
    rank[order] = np.arange(len(claims)) - (np.cumsum(sizes) - sizes)[attempt[order]]
    return epoch * most + rank


def _table(claims: Claims, place: Numbers, values: Any) -> Any:
    """Shape (items, places), 0 where an item has no claim."""
    table = np.zeros((len(claims.items), int(place.max()) + 1), values.dtype)
    table[claims.item, place] = values
    return table


def _alike(asked: Numbers) -> list[Numbers]:
    """The rows that are the same, group by group, without those that are like no other."""
    _, group, sizes = np.unique(asked, axis=0, return_inverse=True, return_counts=True)
    rows = np.split(np.argsort(group, kind="stable"), np.cumsum(sizes)[:-1])
    return [alike for alike in rows if len(alike) > 1]


def _gains(predicted: Signs, weight: Floats, rng: np.random.Generator) -> Floats:
    """What each deal of these items' predictions among them adds to skill."""
    deals = rng.permuted(np.tile(np.arange(len(predicted)), (PERMUTED, 1)), axis=1)
    dealt = np.zeros(PERMUTED)
    for said, counts in zip(predicted.T.astype(np.float64), weight.T, strict=True):
        dealt += said.take(deals) @ counts  # place by place: no table of items by items
    return dealt - float((predicted * weight).sum())
