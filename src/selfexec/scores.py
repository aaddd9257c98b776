"""Scores: what the observations amount to, with intervals, beside guessers, and withheld where they would mislead."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from selfexec import metrics
from selfexec.baselines import difficulty_baselines, label_accuracy
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS
from selfexec.metrics import CELLS, Cells
from selfexec.observations import Tables
from selfexec.stats import NONE, Array, Interval, effective_n, mean_interval, normal, ratio_error, student, wilson

if TYPE_CHECKING:
    from selfexec.runs import Run

CONVENTIONS = ("strict", "readable", "authors")

# A headline is withheld below this coverage, below this many items with the rarer outcome, above this width.
LEAST_COVERAGE = 0.9
LEAST_RARER_ITEMS = 20
GREATEST_WIDTH = 0.4

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
# these are no shares of trials: their interval is value +- t SE
DIFFERENCES = {"balanced_accuracy", "youden_j", "mcc", "kappa", "shuffled"}
UNDEFINED = {
    "precision": "no claim was predicted to come true",
    "recall": "no claim came true",
    "over_niceness": "there are no errors",
}
NO_CONTRAST = "predictions or outcomes are all the same"
NOTHING_READ = "no claim could be scored"


@dataclass(frozen=True)
class Score:
    """One number about one model.

    `value` is None where it is withheld or undefined, and `reason` says why. A `reason` beside a value is a caution.
    `items` and `claims` count what was asked; `unreadable` and `missing` those of the claims.
    """

    model: str
    experiment: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    items: int
    claims: int
    unreadable: int
    missing: int
    convention: str
    reason: str | None = None


@dataclass(frozen=True)
class Estimate:
    """A value with its interval and standard error, before it becomes a row. `reason` says why it is nan."""

    value: float
    interval: Interval = NONE
    error: float = math.nan
    reason: str | None = None


@dataclass(frozen=True)
class Asked:
    """How much of what was asked of one model in one experiment came to what."""

    model: str
    experiment: str
    convention: str
    items: int
    claims: int
    unreadable: int
    missing: int

    @property
    def coverage(self) -> float:
        return 1 - (self.unreadable + self.missing) / self.claims

    def row(self, metric: str, estimate: Estimate, caution: str | None = None) -> Score:
        value, low, high = (_or_none(x) for x in (estimate.value, *estimate.interval))
        return Score(
            self.model,
            self.experiment,
            metric,
            value,
            low,
            high,
            self.items,
            self.claims,
            self.unreadable,
            self.missing,
            self.convention,
            estimate.reason or caution,
        )


@dataclass(frozen=True)
class Scored:
    """One experiment of one model: its rows, and what the overall score needs of it."""

    rows: list[Score]
    asked: Asked
    accuracy: Estimate
    skill: Estimate
    rarer_items: int | None


class Scores(Sequence[Score]):
    """Score rows. Prints as a table, and turns into records or a data frame."""

    def __init__(self, rows: Iterable[Score]) -> None:
        self._rows = list(rows)

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def value(self, model: str, experiment: str, metric: str) -> float | None:
        """One number; None where it is withheld."""
        return self.row(model, experiment, metric).value

    def row(self, model: str, experiment: str, metric: str) -> Score:
        for row in self._rows:
            if (row.model, row.experiment, row.metric) == (model, experiment, metric):
                return row
        raise KeyError(f"there is no {metric} of {model} in {experiment}")

    def records(self) -> list[dict[str, Any]]:
        return [asdict(row) for row in self._rows]

    def frame(self) -> pl.DataFrame:
        return pl.DataFrame(self.records(), infer_schema_length=None)

    def __repr__(self) -> str:
        from selfexec.tables import score_table_text

        return score_table_text(self)

    def _repr_html_(self) -> str:
        from selfexec.tables import score_table_html

        return score_table_html(self)


def score(run: "Run", convention: str = "strict") -> Scores:
    """Every metric of every model of a run, under one convention of counting: strict, readable or authors."""
    if convention not in CONVENTIONS:
        raise InputError(f"convention {convention!r}: there are {', '.join(CONVENTIONS)}.")
    if convention == "authors":
        from selfexec.authors import authors_scores

        return Scores(authors_scores(run))
    return Scores(score_tables(run.tables, run.models, convention))


def score_runs(
    folders: Iterable[Path],
    convention: str = "strict",
    *,
    readings: Sequence[Path] = (),
    models: Sequence[str] = (),
    experiments: Sequence[str] = (),
) -> Scores:
    """Scores of several runs together. No model may be in two of them: its rows could not be told apart."""
    from selfexec.formats import load_readings
    from selfexec.runs import load

    given = load_readings(readings) if readings else None
    homes: dict[str, Path] = {}
    rows: list[Score] = []
    for folder in folders:
        run = load(folder)
        for model in run.models:
            if model in homes:
                raise InputError(f"{model} is in {homes[model]} and in {folder}. Score them one at a time.")
            homes[model] = folder
        rows += score(run.with_readings(given) if given is not None else run, convention)
    for wanted, have, what in ((models, homes, "model"), (experiments, EXPERIMENTS, "experiment")):
        if strange := [name for name in wanted if name not in have]:
            raise InputError(f"unknown {what} {strange[0]!r}. There are {', '.join(have)}.")
    return Scores(
        row
        for row in rows
        if (not models or row.model in models) and (not experiments or row.experiment in experiments)
    )


def score_tables(tables: Tables, models: Sequence[str], convention: str) -> Iterator[Score]:
    strict = convention == "strict"
    for model in models:
        claims = tables.observations.filter(pl.col("model") == model)
        sessions = tables.sessions.filter(pl.col("model") == model)
        scored: dict[str, Scored] = {}
        for experiment in EXPERIMENTS:
            if (rows := claims.filter(pl.col("experiment") == experiment)).is_empty():
                continue
            asked = _asked(model, experiment, convention, rows)
            if experiment == "difficulty":
                answers = sessions.filter(
                    (pl.col("experiment") == experiment) & pl.col("session").str.starts_with("execute")
                )
                scored[experiment] = _score_orders(asked, rows, answers, strict)
            else:
                scored[experiment] = _score_yes_no(asked, rows, strict)
            yield from scored[experiment].rows
        yield from _overall(model, convention, scored)


def _asked(model: str, experiment: str, convention: str, claims: pl.DataFrame) -> Asked:
    states = claims["state"]
    return Asked(
        model,
        experiment,
        convention,
        claims["item"].n_unique(),
        len(claims),
        int((states == "unreadable").sum()),
        int((states == "missing").sum()),
    )


# --- association and restriction: claims that come true or do not --------------------------------------------------


def _score_yes_no(asked: Asked, claims: pl.DataFrame, strict: bool) -> Scored:
    counts = cell_counts(claims, strict)
    estimates = {name: _estimate(name, formula, counts) for name, formula in SHARES.items()}
    estimates["majority"] = max(estimates["always_yes"], estimates["always_no"], key=lambda e: e.value)
    estimates["coverage"] = _coverage(claims)
    if asked.experiment == "restriction":
        estimates["over_niceness"] = _over_niceness(counts)
        estimates["label"] = _share_of_pairs(label_accuracy(_scorable(claims, strict)))
    rarer = _rarer_items(claims)
    caution = _caution(asked, rarer)
    rows = [asked.row(name, estimate, caution) for name, estimate in estimates.items()]
    return Scored(rows, asked, estimates["accuracy"], estimates["youden_j"], rarer)


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
        return Estimate(value, student(value, error, len(counts)), error)
    return Estimate(value, _share_interval(value, error, counts), error)


def _share_interval(share: float, error: float, counts: Array) -> Interval:
    clusters = len(counts)
    if clusters < 2:
        return NONE
    return wilson(share, effective_n(share, error, clusters))


def _over_niceness(counts: Array) -> Estimate:
    total = Cells.of(counts.sum(0))
    errors = float(total.fn + total.fp)
    if not errors:
        return Estimate(math.nan, reason=UNDEFINED["over_niceness"])
    share = float(metrics.over_niceness(total))
    return Estimate(share, wilson(share, errors))


def _coverage(claims: pl.DataFrame) -> Estimate:
    table = claims.group_by("item", maintain_order=True).agg(
        pl.col("state").is_in(["read", "tie"]).sum().alias("part"), pl.len().alias("whole")
    )
    return _share_of_pairs(table.select("part", "whole").to_numpy().astype(np.float64))


def _share_of_pairs(pairs: Array) -> Estimate:
    """A share from parts and wholes by item, shape (items, 2)."""
    if not len(pairs) or not pairs[:, 1].sum():
        return Estimate(math.nan, reason=NOTHING_READ)
    share = float(pairs[:, 0].sum() / pairs[:, 1].sum())
    error = ratio_error(lambda totals: complex(totals[0] / totals[1]), pairs)
    return Estimate(share, _share_interval(share, error, pairs), error)


def _rarer_items(claims: pl.DataFrame) -> int:
    """Items with the rarer outcome, among claims whose outcome is known."""
    known = claims.filter(pl.col("observed").is_not_null() & (pl.col("state") != "missing"))
    positive = known.filter(pl.col("observed"))
    rarer = positive if 2 * len(positive) <= len(known) else known.filter(~pl.col("observed"))
    return rarer["item"].n_unique()


# --- difficulty: pairs in the right order ----------------------------------------------------------------------------


def _score_orders(asked: Asked, claims: pl.DataFrame, answers: pl.DataFrame, strict: bool) -> Scored:
    rows = _scorable(claims, strict)
    accuracy = _mean(group_accuracies(rows), _no_decided_pair(claims, answers))
    tau = Estimate(
        2 * accuracy.value - 1,
        Interval(*(2 * end - 1 for end in accuracy.interval)),
        2 * accuracy.error,
        accuracy.reason,
    )
    estimates = {
        "accuracy": accuracy,
        "tau": tau,
        "coverage": _coverage(claims),
        "question_accuracy": _question_accuracy(answers),
        "tokens_mean": _tokens_mean(answers),
    }
    for name, values in difficulty_baselines(rows).items():
        estimates[name] = _mean(values, accuracy.reason or NOTHING_READ)
    caution = _caution(asked, None)
    scores = [asked.row(name, estimate, caution) for name, estimate in estimates.items()]
    return Scored(scores, asked, accuracy, tau, None)


def _scorable(claims: pl.DataFrame, strict: bool) -> pl.DataFrame:
    """Claims with a known outcome that count: those read, and under the strict convention the unread predictions."""
    states = ["read", "unreadable"] if strict else ["read"]
    return claims.filter(pl.col("state").is_in(states) & pl.col("observed").is_not_null())


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
    return Estimate(float(values.mean()), interval, error)


def _question_accuracy(answers: pl.DataFrame) -> Estimate:
    table = (
        answers.filter(pl.col("correct").is_not_null())
        .group_by("item", maintain_order=True)
        .agg(pl.col("correct").sum().alias("part"), pl.len().alias("whole"))
    )
    estimate = _share_of_pairs(table.select("part", "whole").to_numpy().astype(np.float64))
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
    return Estimate(mean, student(mean, error, len(pairs)), error)


# --- overall ---------------------------------------------------------------------------------------------------------


def _overall(model: str, convention: str, scored: Mapping[str, Scored]) -> Iterator[Score]:
    parts = list(scored.values())
    asked = Asked(
        model,
        "overall",
        convention,
        *(sum(getattr(p.asked, name) for p in parts) for name in ("items", "claims", "unreadable", "missing")),
    )
    for metric, estimates in (
        ("self_execution_score", {name: part.accuracy for name, part in scored.items()}),
        ("self_execution_skill", {name: part.skill for name, part in scored.items()}),
    ):
        estimate = combine(estimates)
        reason = estimate.reason or _withheld(scored, estimate)
        yield asked.row(metric, Estimate(math.nan, reason=reason) if reason else estimate)


def combine(estimates: Mapping[str, Estimate]) -> Estimate:
    """Mean over the three experiments; its error is the root of the sum of squares, over three."""
    for experiment in EXPERIMENTS:
        if experiment not in estimates:
            return Estimate(math.nan, reason=f"{experiment} was not run")
        if math.isnan(estimates[experiment].value):
            return Estimate(math.nan, reason=f"{experiment}: {estimates[experiment].reason}")
    value = sum(e.value for e in estimates.values()) / len(estimates)
    error = math.sqrt(sum(e.error**2 for e in estimates.values())) / len(estimates)
    return Estimate(value, normal(value, error), error)


def _withheld(scored: Mapping[str, Scored], estimate: Estimate) -> str | None:
    """Why a headline must not be shown, None where it may."""
    for part in scored.values():
        if caution := _caution(part.asked, part.rarer_items):
            return f"{part.asked.experiment}: {caution}"
    if not estimate.interval.high - estimate.interval.low <= GREATEST_WIDTH:
        return f"its interval is wider than {GREATEST_WIDTH}: too few items"
    return None


def _caution(asked: Asked, rarer_items: int | None) -> str | None:
    if asked.coverage < LEAST_COVERAGE:
        return (
            f"coverage {asked.coverage:.2f} is below {LEAST_COVERAGE} "
            f"({asked.unreadable} claims unreadable, {asked.missing} missing of {asked.claims})"
        )
    if rarer_items is not None and rarer_items < LEAST_RARER_ITEMS:
        return f"only {rarer_items} items have the rarer outcome, fewer than {LEAST_RARER_ITEMS}"
    return None


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
