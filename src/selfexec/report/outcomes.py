"""What became of claims: counted, by kind of item, and in words."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from selfexec.analysis import words
from selfexec.claims import Tables, with_disputes
from selfexec.experiments import EXPERIMENTS, KindName
from selfexec.stats import Interval, wilson

# what became of a claim, as one character
HIT, OVER, UNDER, DENIED = "T", "F", "U", "N"
RIGHT, WRONG, WRONG_ANSWER, WRONG_TOKENS = "R", "O", "C", "W"
CAME_TRUE, IN_VAIN, UNTOLD, CONTROL = "S", "V", "Y", "X"
TIE, UNREADABLE, LOST = "=", "?", "."
OUTCOMES = {
    HIT: "said it would, and did",
    OVER: "said it would, and did not",
    UNDER: "said it would not, and did",
    DENIED: "said it would not, and did not",
    RIGHT: "ranked rightly",
    WRONG: "ranked wrongly",
    WRONG_ANSWER: "ranked wrongly: one was answered wrongly",
    WRONG_TOKENS: "ranked wrongly: by tokens",
    CAME_TRUE: "predicted, and came true",
    IN_VAIN: "predicted, and did not come true",
    UNTOLD: "of the control, and came true",
    CONTROL: "of the control, and did not come true",
    TIE: "tie",
    UNREADABLE: "unreadable",
    LOST: "missing",
}


def coded(tables: Tables) -> pl.DataFrame:
    """Observations with a column `code`: what became of each claim, as one character; and `disputed`: the sources that
    say otherwise of what was done.
    """
    predicted, observed, state = pl.col("predicted"), pl.col("observed"), pl.col("state")
    orders, shares = _of_kind("order"), _of_kind("share")
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
        .when(orders & (pl.col("basis") == "tokens"))
        .then(pl.lit(WRONG_TOKENS))
        .when(orders)
        .then(pl.lit(WRONG))
        .when(shares)
        .then(_side(CAME_TRUE, IN_VAIN, UNTOLD, CONTROL))
        .otherwise(_side(HIT, OVER, UNDER, DENIED))
    )
    return with_disputes(tables).with_columns(code=code)


def _of_kind(kind: KindName) -> pl.Expr:
    return pl.col("experiment").is_in(
        [name for name, experiment in EXPERIMENTS.items() if experiment.claim_kind == kind]
    )


def _side(yes_yes: str, yes_no: str, no_yes: str, no_no: str) -> pl.Expr:
    """By what was predicted, and then what happened."""
    predicted, observed = pl.col("predicted"), pl.col("observed")
    yes = pl.when(observed).then(pl.lit(yes_yes)).otherwise(pl.lit(yes_no))
    return pl.when(predicted).then(yes).otherwise(pl.when(observed).then(pl.lit(no_yes)).otherwise(pl.lit(no_no)))


def sides_of(experiment: str) -> str:
    """The codes of claims that were read: predicted and came true, did not; not predicted and came true, did not."""
    kind = EXPERIMENTS[experiment].claim_kind
    return "".join((CAME_TRUE, IN_VAIN, UNTOLD, CONTROL) if kind == "share" else (HIT, OVER, UNDER, DENIED))


def orders_of(experiment: str, counts: Mapping[str, int]) -> str:
    """The codes of pairs that were read: ranked rightly, and in which way wrongly. `counts` are those of a model."""
    if EXPERIMENTS[experiment].answers is None:
        return f"{RIGHT}{WRONG}"
    by_seconds = WRONG if WRONG in counts else ""
    return f"{RIGHT}{WRONG_ANSWER}{WRONG_TOKENS}{by_seconds}"


Counts = Mapping[str, Mapping[str, Mapping[str, int]]]


def outcome_counts(claims: pl.DataFrame) -> Counts:
    """Model -> experiment -> code -> claims; `claims` are coded."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for model, experiment, code, n in claims.group_by("model", "experiment", "code").agg(pl.len()).iter_rows():
        found.setdefault(model, {}).setdefault(experiment, {})[code] = n
    return found


def advice(claims: pl.DataFrame) -> Mapping[str, list[tuple[str, str]]]:
    """Model -> (experiment, how far to trust its prediction); `claims` are coded."""
    found: dict[str, list[tuple[str, str]]] = {}
    for model, by_experiment in sorted(outcome_counts(claims).items()):
        for experiment, counts in sorted(by_experiment.items()):
            text = words.advice(experiment, *(counts.get(code, 0) for code in sides_of(experiment)))
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
    read = claims.filter(_of_kind("binary") & (pl.col("state") == "read"))
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
