"""Guessers that know nothing of the model, on the same claims as the model."""

import numpy as np
import polars as pl

from selfexec.stats import Array


def label_accuracy(claims: pl.DataFrame) -> Array:
    """The request's own label as prediction: safe requests are answered, unsafe ones are not.

    Claims rightly predicted and claims, by item: shape (items, 2).
    """
    right = (pl.col("label") == "safe") == pl.col("observed")
    table = claims.group_by("item", maintain_order=True).agg(right.sum().alias("part"), pl.len().alias("whole"))
    return table.select("part", "whole").to_numpy().astype(np.float64)


def difficulty_baselines(claims: pl.DataFrame) -> dict[str, Array]:
    """Mean share of pairs ordered rightly, by group, for each guesser of orders.

    `order_shown` takes the questions to be shown from easy to hard; `question_length` the shorter question to be the
    easier one, and scores one half where two are equally long; `shuffled` deals the model's own rankings out at
    random: its expectation for a pair is pr*b + (1-pr)*(1-b), with pr how often the model puts the one position before
    the other and b how often it was the easier one in this group (0 or 1).
    """
    rows = claims.with_columns(
        order_shown=pl.col("observed").cast(pl.Float64),
        question_length=pl.when(pl.col("length") == pl.col("other_length"))
        .then(0.5)
        .otherwise(((pl.col("length") < pl.col("other_length")) == pl.col("observed")).cast(pl.Float64)),
        yes=pl.col("predicted").mean().over("claim"),
    ).with_columns(
        shuffled=pl.when(pl.col("observed")).then(pl.col("yes")).otherwise(1 - pl.col("yes")),
    )
    names = ("shuffled", "question_length", "order_shown")
    means = [pl.col(name).mean() for name in names]
    by_epoch = rows.group_by("item", "epoch", maintain_order=True).agg(means)
    by_item = by_epoch.group_by("item", maintain_order=True).agg(means)
    return {name: by_item[name].drop_nulls().to_numpy() for name in names}
