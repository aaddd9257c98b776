"""The predictions of a model that are most surprisingly wrong."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from selfexec.experiments import EXPERIMENTS

WORST = 10
SEVERAL = 2  # other models at the least


@dataclass(frozen=True)
class Surprise:
    """A prediction that was wrong where going by other models would have been right: `others_did` of `others` models
    did it. `alone`: its item has no other claim.
    """

    model: str
    experiment: str
    item: str
    epoch: int
    claim: str
    predicted: bool
    observed: bool
    others_did: float
    others: int
    alone: bool


def surprises(observations: pl.DataFrame, worst: int = WORST) -> Mapping[str, list[Surprise]]:
    """Model -> its worst surprises.

    Of a claim that k of n other models made true (n at least 2), (k + 1/2) / (n + 1) is what they make one expect.
    Wrong predictions are ranked by how far they lie from that in tenths, at least one half, so that nine of nine others
    weigh more than two of two, and no more than eight of eight. Of equals, those come first that the fewest other
    models share: what everybody gets wrong says little of this one. Each item counts once, and the experiments take
    turns, since there are many more claims in one of them. Equals in all that stand in the order of the items. What is
    of a control was not predicted, and surprises nobody.
    """
    against_control = [name for name, experiment in EXPERIMENTS.items() if experiment.claim_kind == "share"]
    votes = (
        observations.drop_nulls("observed")
        .group_by("experiment", "item", "claim", "model")
        .agg(vote=pl.col("observed").mean())
    )
    place = ["experiment", "item", "claim"]
    votes = votes.with_columns(others=pl.len().over(place) - 1, did=pl.col("vote").sum().over(place) - pl.col("vote"))
    expected = (pl.col("did") + 0.5) / (pl.col("others") + 1)
    wrong = (
        observations.with_row_index("row")
        .with_columns(alone=pl.len().over("model", "experiment", "item", "epoch") == 1)
        .filter((pl.col("state") == "read") & (pl.col("predicted") != pl.col("observed")))
        .filter(pl.col("predicted") | ~pl.col("experiment").is_in(against_control))
        .join(votes, on=[*place, "model"], how="left")
        .filter(pl.col("others") >= SEVERAL)
        .with_columns(surprise=(pl.col("predicted").cast(pl.Float64) - expected).abs().round(12))
        .filter(pl.col("surprise") > 0.5)
        .with_columns(
            tenths=(10 * pl.col("surprise")).floor(), alike=pl.col("model").n_unique().over(*place, "predicted")
        )
        .sort(["tenths", "alike", "surprise", "row"], descending=[True, False, True, False])
        .unique(["model", "experiment", "item"], keep="first", maintain_order=True)
        .with_columns(turn=pl.int_range(pl.len()).over("model", "experiment"))
    )
    order = pl.col("experiment").replace_strict({e: n for n, e in enumerate(EXPERIMENTS)}, return_dtype=pl.Int64)
    wrong = wrong.with_columns(order=order).sort("model", "turn", "order", maintain_order=True)
    wrong = wrong.group_by("model", maintain_order=True).head(worst)
    columns = ["model", "experiment", "item", "epoch", "claim", "predicted", "observed", "did", "others", "alone"]
    found: dict[str, list[Surprise]] = {}
    for row in wrong.select(columns).iter_rows():
        found.setdefault(row[0], []).append(Surprise(*row))
    return found
