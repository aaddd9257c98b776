"""What was not read: unreadable, withheld and missing replies, by model and reason."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True)
class Loss:
    """How many replies of a model in an experiment came to a state for a reason, of how many."""

    state: str
    reason: str
    replies: int
    of: int


Losses = Mapping[tuple[str, str], list[Loss]]  # (model, experiment) -> what was not read


def lost_replies(sessions: pl.DataFrame) -> Losses:
    """What was read is what is left of `of`."""
    reason = pl.when(pl.col("state") == "missing").then(pl.lit("")).otherwise(pl.col("reason").fill_null("other"))
    counts = (
        sessions.with_columns(reason=reason, of=pl.len().over("model", "experiment"))
        .filter(pl.col("state") != "read")
        .group_by("model", "experiment", "state", "reason")
        .agg(pl.len(), pl.col("of").first())
        .sort("model", "experiment", "state", "reason")
    )
    found: dict[tuple[str, str], list[Loss]] = {}
    for model, experiment, state, why, replies, of in counts.iter_rows():
        found.setdefault((model, experiment), []).append(Loss(state, why, replies, of))
    return found
