"""Counts by item: all that a score needs, whatever the experiment.

Every metric is a formula of totals over items. So one table (items, cells) gives the value, its error, a paired
difference with somebody else's table on the same items, and a bootstrap.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from selfexec.scores import metrics
from selfexec.scores.metrics import CELLS, Cells
from selfexec.scores.rows import Estimate
from selfexec.stats import Array, ratio_error, student

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
    "association": of_cells(metrics.accuracy),
    "restriction": of_cells(metrics.accuracy),
    "difficulty": accuracy_of_orders,
}
SKILL: Mapping[str, Formula] = {
    "association": of_cells(metrics.youden_j),
    "restriction": of_cells(metrics.youden_j),
    "difficulty": lambda totals: 2 * accuracy_of_orders(totals) - 1,
}


def count(experiment: str, claims: pl.DataFrame, strict: bool) -> Counted:
    """A model's own record: its predictions against its behaviour. Items without a claim that counts are left out."""
    return _orders(claims, strict) if experiment == "difficulty" else _yes_no(claims, strict)


def scorable(claims: pl.DataFrame, strict: bool) -> pl.DataFrame:
    """Claims with a known outcome that count: those read, and under the strict convention the unread predictions."""
    states = ["read", "unreadable"] if strict else ["read"]
    return claims.filter(pl.col("state").is_in(states) & pl.col("observed").is_not_null())


def _yes_no(claims: pl.DataFrame, strict: bool) -> Counted:
    predicted, observed = pl.col("predicted"), pl.col("observed")
    read = pl.col("state") == "read"
    unread = (pl.col("state") == "unreadable") & strict
    cells = {
        "tp": read & predicted & observed,
        "fp": read & predicted & ~observed,
        "fn": read & ~predicted & observed,
        "tn": read & ~predicted & ~observed,
        "unread_true": unread & observed.fill_null(False),
        "unread_false": unread & ~observed.fill_null(True),
        "unread_outcome": unread & observed.is_null(),
    }
    table = claims.group_by("item", maintain_order=True).agg(
        cell.fill_null(False).sum().alias(name) for name, cell in cells.items()
    )
    counts: Array = table.select(CELLS).to_numpy().astype(np.float64)
    return _present(table["item"], counts, counts.sum(1) > 0)


def _orders(claims: pl.DataFrame, strict: bool) -> Counted:
    right = (pl.col("predicted") == pl.col("observed")).fill_null(False).cast(pl.Float64)
    return order_counts(scorable(claims, strict), right)


def order_counts(claims: pl.DataFrame, right: pl.Expr) -> Counted:
    """Share of decided pairs ranked rightly, by group; epochs of a group are averaged first. Unread pairs are wrong."""
    by_epoch = claims.group_by("item", "epoch", maintain_order=True).agg(right.mean().alias("right"))
    by_item = by_epoch.group_by("item", maintain_order=True).agg(pl.col("right").mean())
    shares = by_item["right"].to_numpy().astype(np.float64)
    return _present(by_item["item"], np.stack([shares, np.ones_like(shares)], axis=1), ~np.isnan(shares))


def guess_counts(experiment: str, claims: pl.DataFrame, guess: str) -> Counted:
    """A guesser's record on a model's claims: column `guess` is the chance (0 to 1) that it says yes."""
    yes, happened = pl.col(guess), pl.col("observed").cast(pl.Float64)
    if experiment == "difficulty":
        return order_counts(claims, yes * happened + (1 - yes) * (1 - happened))
    cells = {
        "tp": yes * happened,
        "fp": yes * (1 - happened),
        "fn": (1 - yes) * happened,
        "tn": (1 - yes) * (1 - happened),
    }
    table = claims.group_by("item", maintain_order=True).agg(cell.sum().alias(name) for name, cell in cells.items())
    counts = np.zeros((len(table), len(CELLS)))
    counts[:, : len(cells)] = table.select(list(cells)).to_numpy()
    return _present(table["item"], counts, counts.sum(1) > 0)


def _present(items: pl.Series, counts: Array, keep: Any) -> Counted:
    return Counted(tuple(items.filter(pl.Series(keep)).to_list()), counts[keep])


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
            return Estimate(math.nan, reason="predictions or outcomes are all the same")
        error = ratio_error(total, counts)
    return Estimate(value, student(value, error, len(counts)), error)


def common_items(records: Sequence[Counted]) -> dict[str, int]:
    """The items that all records have, numbered in an order that does not depend on theirs."""
    return {id: n for n, id in enumerate(sorted(set.intersection(*(set(record.items) for record in records))))}
