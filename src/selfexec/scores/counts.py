"""Counting by item: which claims count, and shares of them."""

import math

import numpy as np
import polars as pl

from selfexec.scores.rows import Estimate
from selfexec.stats import NONE, Array, Interval, effective_n, ratio_error, wilson

NOTHING_READ = "no claim could be scored"


def coverage(claims: pl.DataFrame) -> Estimate:
    table = claims.group_by("item", maintain_order=True).agg(
        pl.col("state").is_in(["read", "tie"]).sum().alias("part"), pl.len().alias("whole")
    )
    return share_of_pairs(table.select("part", "whole").to_numpy().astype(np.float64))


def share_of_pairs(pairs: Array) -> Estimate:
    """A share from parts and wholes by item, shape (items, 2)."""
    pairs = pairs[pairs[:, 1] > 0]
    if not len(pairs):
        return Estimate(math.nan, reason=NOTHING_READ)
    share = float(pairs[:, 0].sum() / pairs[:, 1].sum())
    error = ratio_error(lambda totals: totals[..., 0] / totals[..., 1], pairs)
    return Estimate(share, share_interval(share, error, pairs), error)


def share_interval(share: float, error: float, counts: Array) -> Interval:
    clusters = len(counts)
    if clusters < 2:
        return NONE
    return wilson(share, effective_n(share, error, clusters))
