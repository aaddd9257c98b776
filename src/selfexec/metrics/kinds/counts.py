"""Counts by item: all that a score needs, whatever the experiment.

Every metric is a formula of totals over items. So one table (items, cells) gives the value, its error, a paired
difference with somebody else's table on the same items, and a bootstrap.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import compress
from typing import Any, TypeVar

import numpy as np

from selfexec.claims import Claims, Flags, Numbers
from selfexec.claims.arrays import READ, UNREADABLE
from selfexec.metrics.rows import Estimate
from selfexec.stats import Array, influence, influence_error, student

NO_CONTRAST = "predictions or outcomes are all the same"
Formula = Callable[[Any], Any]  # totals, cells on the last axis -> value
T = TypeVar("T")


@dataclass(frozen=True)
class Record:
    """Counts by item, of shape (items, cells), whose rows belong to `items`: of a model, or of a predictor."""

    items: tuple[str, ...]
    counts: Array
    _computed: dict[Callable[[Array], Any], Any] = field(default_factory=dict, init=False, compare=False, repr=False)

    def computed(self, function: Callable[[Array], T], items: tuple[str, ...]) -> T:
        """What a function makes of the counts of these items. Of all items of the record it is computed once and kept:
        of a hundred models, each is compared with 99 others on the same items.
        """
        if items != self.items:
            return function(self.on(items))
        if function not in self._computed:
            self._computed[function] = function(self.counts)
        value: T = self._computed[function]
        return value

    def on(self, items: tuple[str, ...]) -> Array:
        """The rows of these items, in their order; zeros where there are none."""
        if items == self.items:
            return self.counts
        rows = np.zeros((len(items), self.counts.shape[1]))
        there, here = _shared(items, self.items)
        rows[there] = self.counts[here]
        return rows


# Of a hundred models there are five thousand pairs, and few different sets of items: these are looked up once.
@lru_cache(maxsize=256)
def _shared(items: tuple[str, ...], mine: tuple[str, ...]) -> tuple[Numbers, Numbers]:
    """Where the items of both stand, in the one and in the other."""
    at = {id: n for n, id in enumerate(items)}
    here = [n for n, id in enumerate(mine) if id in at]
    return np.array([at[mine[n]] for n in here], np.intp), np.array(here, np.intp)


@lru_cache(maxsize=256)
def _common(*items: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(set.intersection(*map(set, items))))


def scorable(claims: Claims, strict: bool) -> Flags:
    """Claims that skill is scored on: those with a known outcome whose prediction was read or, under the strict
    convention, could not be read. Under it, a kind's `count` also has claims with an outcome that could not be read
    (`unread_outcome`).
    """
    counts = claims.state == READ
    if strict:
        counts |= claims.state == UNREADABLE
    found: Flags = counts & (claims.observed != 0)
    return found


def present(claims: Claims, counts: Array, keep: Flags) -> Record:
    """The rows of the items that are kept."""
    return Record(tuple(compress(claims.items, keep)), counts[keep])


def value(formula: Formula, counted: Record) -> float:
    """A formula of the totals; nan where it is not defined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = float(formula(counted.counts.sum(0)))
    return found if math.isfinite(found) else math.nan


# --- estimates -------------------------------------------------------------------------------------------------------


def difference(formula: Formula, one: Record, two: Record) -> Estimate:
    """`formula` of one less `formula` of two on their common items, paired: Student's t on the items."""
    return contrast(formula, [one, two], [1.0, -1.0])


def contrast(formula: Formula, records: Sequence[Record], weights: Sequence[float]) -> Estimate:
    """The sum of weight times `formula` of each record, on the items common to all: Student's t on the items."""
    common = common_items(records)
    if len(common) < 2:
        return Estimate(math.nan, reason="fewer than two common items")
    effects = [record.computed(effects_of(formula), common) for record in records]
    value = sum(weight * of_record for weight, (of_record, _) in zip(weights, effects, strict=True))
    if not math.isfinite(value):
        return Estimate(math.nan, reason=NO_CONTRAST)
    added = (weight * by_item for weight, (_, by_item) in zip(weights, effects, strict=True))
    error = influence_error(sum(added, np.zeros(len(common))))
    return Estimate(value, student(value, error, len(common)), error)


@cache
def effects_of(formula: Formula) -> Callable[[Array], tuple[float, Array]]:
    """What makes of counts a formula's value and what each item adds to it."""

    def effects(counts: Array) -> tuple[float, Array]:
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(formula(counts.sum(0))), influence(formula, counts)

    return effects


def common_items(records: Sequence[Record]) -> tuple[str, ...]:
    """The items that all records have, in an order that does not depend on theirs."""
    return _common(*(record.items for record in records))
