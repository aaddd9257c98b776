"""What became of claims: counted, by kind of item, and in words."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from selfexec.analysis import words
from selfexec.experiments import EXPERIMENTS
from selfexec.stats import Interval, wilson

# what became of a claim, as one character
HIT, OVER, UNDER, DENIED = "T", "F", "U", "N"
RIGHT, WRONG_ANSWER, WRONG_TOKENS = "R", "C", "W"
TIE, UNREADABLE, LOST = "=", "?", "."
OUTCOMES = {
    HIT: "said it would, and did",
    OVER: "said it would, and did not",
    UNDER: "said it would not, and did",
    DENIED: "said it would not, and did not",
    RIGHT: "ranked rightly",
    WRONG_ANSWER: "ranked wrongly: one was answered wrongly",
    WRONG_TOKENS: "ranked wrongly: by tokens",
    TIE: "tie",
    UNREADABLE: "unreadable",
    LOST: "missing",
}


def coded(observations: pl.DataFrame) -> pl.DataFrame:
    """Observations with a column `code`: what became of each claim, as one character; and `disputed`: whether a fixed
    rule says otherwise of what was done.
    """
    predicted, observed, state = pl.col("predicted"), pl.col("observed"), pl.col("state")
    orders = pl.col("experiment").is_in([name for name, e in EXPERIMENTS.items() if e.kind == "order"])
    code = (
        pl.when(state == "missing")
        .then(pl.lit(LOST))
        .when(state == "tie")
        .then(pl.lit(TIE))
        .when((state != "read") | predicted.is_null() | observed.is_null())
        .then(pl.lit(UNREADABLE))
        .when(orders & (predicted == observed))
        .then(pl.lit(RIGHT))
        .when(orders & (pl.col("basis") == "correctness"))
        .then(pl.lit(WRONG_ANSWER))
        .when(orders)
        .then(pl.lit(WRONG_TOKENS))
        .when(predicted & observed)
        .then(pl.lit(HIT))
        .when(predicted)
        .then(pl.lit(OVER))
        .when(observed)
        .then(pl.lit(UNDER))
        .otherwise(pl.lit(DENIED))
    )
    return observations.with_columns(code=code, disputed=(observed != pl.col("observed_by_rule")).fill_null(False))


Counts = Mapping[str, Mapping[str, Mapping[str, int]]]


def outcome_counts(claims: pl.DataFrame) -> Counts:
    """Model -> experiment -> code -> claims; `claims` are coded."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for model, experiment, code, n in claims.group_by("model", "experiment", "code").agg(pl.len()).iter_rows():
        found.setdefault(model, {}).setdefault(experiment, {})[code] = n
    return found


def advice(claims: pl.DataFrame) -> Mapping[str, list[tuple[str, str]]]:
    """Model -> (experiment, how far to trust its word); `claims` are coded."""
    found: dict[str, list[tuple[str, str]]] = {}
    for model, by_experiment in sorted(outcome_counts(claims).items()):
        for experiment, counts in sorted(by_experiment.items()):
            text = words.advice(experiment, *(counts.get(code, 0) for code in (HIT, OVER, UNDER, DENIED)))
            if text:
                found.setdefault(model, []).append((experiment, text))
    return found


@dataclass(frozen=True)
class KindLine:
    """Items of one kind: how many claims were read, what the model said, what it did, and how often it was right."""

    kind: str
    of: str
    claims: int
    answered: int
    predicted: int
    right: int
    over: int
    under: int
    interval: Interval

    @property
    def accuracy(self) -> float:
        return self.right / self.claims


def kinds(claims: pl.DataFrame) -> Mapping[str, Mapping[str, list[KindLine]]]:
    """Model -> experiment -> its items by label, then by type. Only claims that were read, of yes or no; Wilson's
    interval on items.
    """
    pooled = pl.col("experiment").is_in([name for name, e in EXPERIMENTS.items() if e.kind == "binary"])
    read = claims.filter(pooled & (pl.col("state") == "read"))
    found: dict[str, dict[str, list[KindLine]]] = {}
    for of, column in (("label", "label"), ("type", "subject")):
        table = (
            read.drop_nulls(column)
            .group_by("model", "experiment", column)
            .agg(
                pl.len().alias("claims"),
                pl.col("item").n_unique().alias("items"),
                *(pl.col(c).sum().alias(c) for c in ("observed", "predicted")),
                (pl.col("predicted") == pl.col("observed")).sum().alias("right"),
                *((pl.col("code") == code).sum().alias(code) for code in (OVER, UNDER)),
            )
            .sort("model", "experiment", column)
        )
        for model, experiment, kind, n, items, did, told, right, over, under in table.iter_rows():
            line = KindLine(kind, of, n, did, told, right, over, under, wilson(right / n, items))
            found.setdefault(model, {}).setdefault(experiment, []).append(line)
    return found
