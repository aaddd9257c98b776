"""Scores of orders: the difficulty experiment."""

import math

import numpy as np
import polars as pl

from selfexec.scores.baselines import difficulty_baselines
from selfexec.scores.counts import NOTHING_READ, coverage, scorable, share_of_pairs
from selfexec.scores.rows import Asked, Estimate, Scored
from selfexec.stats import Array, Interval, mean_interval, ratio_error, student

LEAST_GROUPS = 20  # with fewer a headline is withheld: their spread says too little of the spread of all


def score_orders(asked: Asked, claims: pl.DataFrame, answers: pl.DataFrame, strict: bool) -> Scored:
    rows = scorable(claims, strict)
    groups = group_accuracies(rows)
    accuracy = _mean(groups, _no_decided_pair(claims, answers))
    tau = Estimate(
        2 * accuracy.value - 1,
        Interval(*(2 * end - 1 for end in accuracy.interval)),
        2 * accuracy.error,
        accuracy.reason,
    )
    estimates = {
        "accuracy": accuracy,
        "tau": tau,
        "coverage": coverage(claims),
        "question_accuracy": _question_accuracy(answers),
        "tokens_mean": _tokens_mean(answers),
    }
    for name, values in difficulty_baselines(rows).items():
        estimates[name] = _mean(values, accuracy.reason or NOTHING_READ)
    too_few = f"only {len(groups)} groups could be scored, fewer than {LEAST_GROUPS}"
    caution = asked.caution or (too_few if len(groups) < LEAST_GROUPS else None)
    scores = [asked.row(name, estimate, caution) for name, estimate in estimates.items()]
    return Scored(scores, asked, accuracy, tau, caution)


def group_accuracies(claims: pl.DataFrame) -> Array:
    """Share of decided pairs ranked rightly, by group; epochs of a group are averaged. Unread pairs are wrong."""
    right = (pl.col("predicted") == pl.col("observed")).fill_null(False).mean().alias("right")
    by_epoch = claims.group_by("item", "epoch", maintain_order=True).agg(right)
    by_item = by_epoch.group_by("item", maintain_order=True).agg(pl.col("right").mean())
    return by_item["right"].to_numpy().astype(np.float64)


def _no_decided_pair(claims: pl.DataFrame, answers: pl.DataFrame) -> str:
    if (answers["state"] == "missing").all():
        return "its answers were never recorded"
    if (claims["state"] == "missing").all():
        return "every pair is missing"
    return "no pair of questions could be decided and read"


def _mean(values: Array, reason: str) -> Estimate:
    if not len(values):
        return Estimate(math.nan, reason=reason)
    interval, error = mean_interval(values)
    return Estimate(float(values.mean()), interval.within(0, 1), error)


def _question_accuracy(answers: pl.DataFrame) -> Estimate:
    table = (
        answers.filter(pl.col("correct").is_not_null())
        .group_by("item", maintain_order=True)
        .agg(pl.col("correct").sum().alias("part"), pl.len().alias("whole"))
    )
    estimate = share_of_pairs(table.select("part", "whole").to_numpy().astype(np.float64))
    return estimate if estimate.reason is None else Estimate(math.nan, reason="no answer was recorded")


def _tokens_mean(answers: pl.DataFrame) -> Estimate:
    """Mean tokens of an answer, over the answers that came and were counted."""
    counted = answers.filter(pl.col("output_tokens").is_not_null() & (pl.col("state") != "missing"))
    if counted.is_empty():
        return Estimate(math.nan, reason="no token counts were recorded")
    table = counted.group_by("item", maintain_order=True).agg(pl.col("output_tokens").sum().alias("part"), pl.len())
    pairs = table.select("part", "len").to_numpy().astype(np.float64)
    mean = float(pairs[:, 0].sum() / pairs[:, 1].sum())
    error = ratio_error(lambda totals: complex(totals[0] / totals[1]), pairs)
    return Estimate(mean, student(mean, error, len(pairs)).within(0, math.inf), error)
