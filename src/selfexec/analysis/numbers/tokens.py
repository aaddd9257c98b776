"""Tokens of replies: of the answers that an experiment takes, and of the predictions about them."""

import math
from dataclasses import dataclass

import numpy as np
import polars as pl

from selfexec.analysis.numbers.number import Number, estimated, unit_of
from selfexec.experiments import EXPERIMENTS
from selfexec.metrics import Estimate
from selfexec.stats import mean_interval

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
KIND = pl.col("session").str.split(".").list.first()


@dataclass(frozen=True)
class TokenSpread:
    """Tokens of the answers of one model: quantiles (10, 25, 50, 75, 90%), and `within` an item: their standard
    deviation (over n - 1) as a share of their mean, averaged over items; None where no item has two answers.
    """

    quantiles: tuple[float, ...]
    answers: int
    within: float | None


def counted_sessions(sessions: pl.DataFrame, experiment: str) -> pl.DataFrame:
    """Sessions of an experiment whose tokens were counted."""
    known = pl.col("output_tokens").is_not_null() & (pl.col("state") != "missing")
    return sessions.filter((pl.col("experiment") == experiment) & known)


def answer_tokens(sessions: pl.DataFrame, experiment: str) -> dict[str, TokenSpread]:
    """Of each model with a token in any answer."""
    answers = counted_sessions(sessions, experiment).filter(pl.lit(EXPERIMENTS[experiment].answers) == KIND)
    found = {}
    for (model,), own in answers.partition_by("model", as_dict=True).items():
        tokens = own["output_tokens"].to_numpy().astype(np.float64)
        if tokens.max() > 0:
            quantiles = tuple(float(q) for q in np.quantile(tokens, QUANTILES))
            found[str(model)] = TokenSpread(quantiles, len(tokens), _within_items(own))
    return found


def _within_items(answers: pl.DataFrame) -> float | None:
    """The error bar of the paper's Figure 5: what the answers to one item scatter by, relatively."""
    tokens = pl.col("output_tokens")
    items = answers.group_by("item", "epoch", maintain_order=True).agg(share=tokens.std() / tokens.mean())
    shares = items["share"].drop_nulls().drop_nans().to_numpy()
    return float(shares.mean()) if len(shares) else None


def prediction_tokens(sessions: pl.DataFrame, experiment: str) -> dict[str, Number]:
    """Mean tokens of a prediction, over items; epochs of an item are averaged first."""
    predictions = counted_sessions(sessions, experiment).filter(KIND.is_in(EXPERIMENTS[experiment].predictions))
    means = predictions.group_by("model", "item").agg(pl.col("output_tokens").mean()).sort("model", "item")
    found: dict[str, Number] = {}
    for (model,), rows in means.partition_by("model", as_dict=True).items():
        values = rows["output_tokens"].to_numpy().astype(np.float64)
        interval, error = mean_interval(values)
        if (mean := float(values.mean())) > 0:
            number = estimated(Estimate(mean, interval.within(0, math.inf), error), len(values), unit_of(experiment))
            found |= {str(model): number} if number else {}
    return found
