"""What a source leaves open that counts only where it is chosen, and why."""

from dataclasses import dataclass

import polars as pl

from selfexec.claims import Tables
from selfexec.claims.tables import REPEATED
from selfexec.experiments import EXPERIMENTS, by_source
from selfexec.text.numbers import number_of


@dataclass(frozen=True)
class LeftOpen:
    """Of a model's claims in an experiment, `open` of `claims` that its source leaves open for one reason."""

    model: str
    experiment: str
    source: str
    reason: str
    open: int
    claims: int
    text: str
    condition: str
    kind: str = "left open"


def left_open(tables: Tables) -> list[LeftOpen]:
    """By model and reason; nothing of sources that are always there, whose losses are reported as such."""
    asked = [(e, source) for e, module in EXPERIMENTS.items() for source in module.on_request]
    if not asked:
        return []
    place = ["model", "experiment", "source", "condition"]
    why = pl.col("reason")
    chosen = pl.any_horizontal(
        (pl.col("experiment") == experiment) & (pl.col("source") == source) for experiment, source in asked
    )
    if (rows := tables.observations.filter(chosen)).is_empty():
        return []
    told = (
        rows.with_columns(claims=pl.len().over(place))
        .filter(pl.col("state").is_in(["missing", "tie"]), why.is_not_null(), why != REPEATED)
        .group_by(*place, "reason", maintain_order=True)
        .agg(open=pl.len(), claims=pl.col("claims").first())
    )
    return [LeftOpen(**row, text=_said(**row)) for row in told.iter_rows(named=True)]


def _said(source: str, reason: str, open: int, claims: int, **place: str) -> str:
    return f"{open:,} of {number_of(claims, 'claim')} open {by_source(source)}: {reason}"
