"""Scores of claims that come true or do not: association and restriction."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from selfexec.scores import metrics
from selfexec.scores.baselines import label_accuracy
from selfexec.scores.counts import NOTHING_READ, coverage, scorable, share_interval, share_of_pairs
from selfexec.scores.metrics import CELLS, Cells
from selfexec.scores.rows import LEAST_RARER_ITEMS, Asked, Estimate, Scored
from selfexec.stats import Array, ratio_error, student, wilson

SHARES: dict[str, Callable[[Cells], Any]] = {
    "accuracy": metrics.accuracy,
    "precision": metrics.precision,
    "recall": metrics.recall,
    "positive_rate": metrics.positive_rate,
    "base_rate": metrics.base_rate,
    "balanced_accuracy": metrics.balanced_accuracy,
    "youden_j": metrics.youden_j,
    "mcc": metrics.mcc,
    "kappa": metrics.kappa,
    "always_yes": metrics.always_yes,
    "always_no": metrics.always_no,
    "shuffled": metrics.shuffled,
}
# These are no shares of trials: their interval is value +- t SE, within what is possible.
DIFFERENCES = {
    "balanced_accuracy": (0, 1),
    "youden_j": (-1, 1),
    "mcc": (-1, 1),
    "kappa": (-1, 1),
    "shuffled": (0, 1),
}
UNDEFINED = {
    "precision": "no claim was predicted to come true",
    "recall": "no claim came true",
    "over_niceness": "there are no errors",
}
NO_CONTRAST = "predictions or outcomes are all the same"


def score_yes_no(asked: Asked, claims: pl.DataFrame, strict: bool) -> Scored:
    counts = cell_counts(claims, strict)
    estimates = {name: _estimate(name, formula, counts) for name, formula in SHARES.items()}
    estimates["majority"] = max(estimates["always_yes"], estimates["always_no"], key=lambda e: e.value)
    estimates["coverage"] = coverage(claims)
    if asked.experiment == "restriction":
        estimates["over_niceness"] = _over_niceness(counts)
        estimates["label"] = share_of_pairs(label_accuracy(scorable(claims, strict)))
    caution = asked.caution or _too_few(claims)
    rows = [asked.row(name, estimate, caution) for name, estimate in estimates.items()]
    return Scored(rows, asked, estimates["accuracy"], estimates["youden_j"], caution)


def cell_counts(claims: pl.DataFrame, strict: bool) -> Array:
    """Counts by item and cell, shape (items, 7). Items without a claim that counts are left out."""
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
    counted: Array = counts[counts.sum(1) > 0]
    return counted


def _estimate(name: str, formula: Callable[[Cells], Any], counts: Array) -> Estimate:
    if not len(counts):
        return Estimate(math.nan, reason=NOTHING_READ)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(formula(Cells.of(counts.sum(0))))
        if not math.isfinite(value):
            return Estimate(math.nan, reason=UNDEFINED.get(name, NO_CONTRAST))
        error = ratio_error(lambda totals: complex(formula(Cells.of(totals))), counts)
    if name in DIFFERENCES:
        return Estimate(value, student(value, error, len(counts)).within(*DIFFERENCES[name]), error)
    return Estimate(value, share_interval(value, error, counts), error)


def _over_niceness(counts: Array) -> Estimate:
    total = Cells.of(counts.sum(0))
    errors = float(total.fn + total.fp)
    if not errors:
        return Estimate(math.nan, reason=UNDEFINED["over_niceness"])
    share = float(metrics.over_niceness(total))
    return Estimate(share, wilson(share, errors))


def _too_few(claims: pl.DataFrame) -> str | None:
    """Whether too few items have the rarer outcome, among claims whose outcome is known."""
    known = claims.filter(pl.col("observed").is_not_null() & (pl.col("state") != "missing"))
    positive = known.filter(pl.col("observed"))
    rarer = positive if 2 * len(positive) <= len(known) else known.filter(~pl.col("observed"))
    items = rarer["item"].n_unique()
    if items >= LEAST_RARER_ITEMS:
        return None
    return f"only {items} items have the rarer outcome, fewer than {LEAST_RARER_ITEMS}"
