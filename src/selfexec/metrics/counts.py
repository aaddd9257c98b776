"""Counts by item: all that a score needs, whatever the experiment.

Every metric is a formula of totals over items. So one table (items, cells) gives the value, its error, a paired
difference with somebody else's table on the same items, and a bootstrap.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np

from selfexec.claims import Claims, Flags, Numbers
from selfexec.claims.arrays import READ, UNREADABLE
from selfexec.metrics import formulas
from selfexec.metrics.formulas import CELLS, Cells
from selfexec.metrics.rows import Estimate
from selfexec.stats import Array, ratio_error, student

NO_CONTRAST = "predictions or outcomes are all the same"
Formula = Callable[[Any], Any]  # totals, cells on the last axis -> value


@dataclass(frozen=True)
class Counted:
    """`counts` has shape (items, cells); its rows belong to `items`."""

    items: tuple[str, ...]
    counts: Array

    def on(self, items: Mapping[str, int]) -> Array:
        """The rows of these items, in the order of their numbers; zeros where there are none."""
        rows = np.zeros((len(items), self.counts.shape[1]))
        here = [n for n, id in enumerate(self.items) if id in items]
        rows[[items[self.items[n]] for n in here]] = self.counts[here]
        return rows


def accuracy_of_orders(totals: Any) -> Any:
    """Mean over groups; cells are the sum of their shares of pairs ranked rightly, and their number."""
    return totals[..., 0] / totals[..., 1]


def of_cells(formula: Callable[[Cells], Any]) -> Formula:
    return lambda totals: formula(Cells.of(totals))


ACCURACY: Mapping[str, Formula] = {
    "association": of_cells(formulas.accuracy),
    "restriction": of_cells(formulas.accuracy),
    "difficulty": accuracy_of_orders,
}
SKILL: Mapping[str, Formula] = {
    "association": of_cells(formulas.youden_j),
    "restriction": of_cells(formulas.youden_j),
    "difficulty": lambda totals: 2 * accuracy_of_orders(totals) - 1,
}


def count(claims: Claims, strict: bool) -> Counted:
    """A model's own record: its predictions against its behaviour. Items without a claim that counts are left out."""
    return _orders(claims, strict) if claims.experiment == "difficulty" else _yes_no(claims, strict)


def scorable(claims: Claims, strict: bool) -> Flags:
    """Claims with a known outcome that count: those read, and under the strict convention the unread predictions."""
    counts = np.isin(claims.state, [READ, UNREADABLE] if strict else [READ])
    found: Flags = counts & (claims.observed != 0)
    return found


def _yes_no(claims: Claims, strict: bool) -> Counted:
    unread = (claims.state == UNREADABLE) & strict
    cells = {
        **confusion(claims),
        "unread_true": unread & (claims.observed > 0),
        "unread_false": unread & (claims.observed < 0),
        "unread_outcome": unread & (claims.observed == 0),
    }
    counts = np.stack([claims.by_item(cells[name]) for name in CELLS], axis=1)
    return _present(claims, counts, counts.sum(1) > 0)


def confusion(claims: Claims) -> dict[str, Flags]:
    """Which of the claims that were read are true positives, false positives, and so on."""
    read, said, did = claims.state == READ, claims.predicted, claims.observed
    return {
        "tp": read & (said > 0) & (did > 0),
        "fp": read & (said > 0) & (did < 0),
        "fn": read & (said < 0) & (did > 0),
        "tn": read & (said < 0) & (did < 0),
    }


def _orders(claims: Claims, strict: bool) -> Counted:
    claims = claims.where(scorable(claims, strict))
    return order_counts(claims, claims.right)


def order_counts(claims: Claims, right: Any) -> Counted:
    """Share of decided pairs ranked rightly (`right`: 0 to 1, nan where it does not count), by group; epochs of a group
    are averaged first.
    """
    epochs = int(claims.epoch.max(initial=0)) + 1
    shares = _means(claims.item * epochs + claims.epoch, right, len(claims.items) * epochs)
    by_item = _means(np.arange(len(shares)) // epochs, shares, len(claims.items))
    return _present(claims, np.stack([by_item, np.ones_like(by_item)], axis=1), ~np.isnan(by_item))


def _means(group: Numbers, values: Any, groups: int) -> Array:
    """The mean of each group, over the values that are not nan; nan where there are none."""
    known = ~np.isnan(values)
    sums = np.bincount(group[known], values[known], groups)
    with np.errstate(invalid="ignore"):
        return sums / np.bincount(group[known], minlength=groups)


def baseline_counts(claims: Claims, chance: Array) -> Counted:
    """A baseline's record on these claims: `chance` (0 to 1) is that of its saying yes, nan where it says nothing."""
    happened = claims.observed > 0
    right = np.where(happened, chance, 1 - chance)
    if claims.experiment == "difficulty":
        return order_counts(claims, right)
    right, wrong = np.nan_to_num(right), np.nan_to_num(1 - right)
    counts = np.zeros((len(claims.items), len(CELLS)))
    cells = {"tp": right * happened, "fp": wrong * ~happened, "fn": wrong * happened, "tn": right * ~happened}
    for name, amounts in cells.items():
        counts[:, CELLS.index(name)] = claims.by_item(amounts)
    return _present(claims, counts, counts.sum(1) > 0)


def _present(claims: Claims, counts: Array, keep: Flags) -> Counted:
    return Counted(tuple(compress(claims.items, keep)), counts[keep])


def value(formula: Formula, counted: Counted) -> float:
    """A formula of the totals; nan where it is not defined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = float(formula(counted.counts.sum(0)))
    return found if math.isfinite(found) else math.nan


# --- estimates -------------------------------------------------------------------------------------------------------


def difference(formula: Formula, one: Counted, two: Counted) -> Estimate:
    """`formula` of one less `formula` of two on their common items, paired: Student's t on the items."""
    return contrast(formula, [one, two], [1.0, -1.0])


def contrast(formula: Formula, records: Sequence[Counted], weights: Sequence[float]) -> Estimate:
    """The sum of weight times `formula` of each record, on the items common to all: Student's t on the items."""
    common = common_items(records)
    if len(common) < 2:
        return Estimate(math.nan, reason="fewer than two common items")
    width = records[0].counts.shape[1]
    counts = np.concatenate([record.on(common) for record in records], axis=1)

    def total(totals: Any) -> Any:
        return sum(w * formula(totals[..., n * width : (n + 1) * width]) for n, w in enumerate(weights))

    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(total(counts.sum(0)))
        if not math.isfinite(value):
            return Estimate(math.nan, reason=NO_CONTRAST)
        error = ratio_error(total, counts)
    return Estimate(value, student(value, error, len(counts)), error)


def common_items(records: Sequence[Counted]) -> dict[str, int]:
    """The items that all records have, numbered in an order that does not depend on theirs."""
    return {id: n for n, id in enumerate(sorted(set.intersection(*(set(record.items) for record in records))))}
