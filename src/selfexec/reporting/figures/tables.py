"""The numbers behind the figures, gathered from scores, from cross-prediction and from the two tables.

Whatever a figure shows is found here or in `selfexec.scores`; the figures only lay it out.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import polars as pl

from selfexec.arrays import Claims, Flags
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS
from selfexec.observations import Tables
from selfexec.reporting.figures.canvas import Whose
from selfexec.reporting.figures.lineup import Lineup, line_up
from selfexec.scores import Score, Scores
from selfexec.scores.accuracies import accuracy_of, accuracy_on
from selfexec.scores.authors import authors_scores
from selfexec.scores.correlating import eligible_models, read_tables, score_columns
from selfexec.scores.counted import scorable
from selfexec.scores.cross import Crossed, self_bonuses
from selfexec.scores.guessers import guess_records, guesses
from selfexec.scores.rows import Estimate
from selfexec.scores.table import GUESSERS, with_interval
from selfexec.scores.together import tables_of
from selfexec.stats import Array, Correlation, correlate, mean_interval

if TYPE_CHECKING:
    from selfexec.runs import Run

T = TypeVar("T")
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
RATIOS = (1.0, 1.25, 1.5, 2.0, math.inf)  # of the longer answer's tokens to the shorter one's
FEWEST_MODELS = 4  # of a correlation


@dataclass(frozen=True)
class Number:
    """A value with its interval, the items that it rests on (`lost`: less what of their claims was not read), and what
    is to be said of it.
    """

    value: float
    low: float | None = None
    high: float | None = None
    items: int | None = None
    note: str | None = None
    lost: str = ""

    @property
    def text(self) -> str:
        """As in a table: .531 [.508, .553]."""
        return with_interval(self.value, self.low, self.high)

    @property
    def full(self) -> str:
        """As in a hover text: with n, and the caution."""
        n = f", n = {self.items:,}{self.lost}" if self.items is not None else ""
        return f"{self.text}{n}{f' ({self.note})' if self.note else ''}"


@dataclass(frozen=True)
class Guess:
    """What somebody who never saw the model reaches on its claims."""

    name: str
    number: Number

    @property
    def text(self) -> str:
        return f"{self.number.text} {self.name}"


@dataclass(frozen=True)
class Part:
    """A model's accuracy on a part of its claims, and the best guesser there."""

    own: Number
    best: Guess | None


@dataclass(frozen=True)
class Pairs:
    """A model's pairs of questions, what guessers say of them, whether tokens decide them (else correctness does), and
    the ratio of the longer answer's tokens to the shorter one's, nan where they were not counted.
    """

    claims: Claims
    guessed: Mapping[str, Array]
    by_tokens: Flags
    ratio: Array


@dataclass(frozen=True)
class Spread:
    """Tokens of the answers of one model: quantiles (10, 25, 50, 75, 90%), and their mean."""

    quantiles: tuple[float, ...]
    mean: Number
    answers: int


@dataclass(frozen=True)
class Loss:
    """How many replies of a model in an experiment came to a state for a reason, of how many."""

    state: str
    reason: str
    replies: int
    of: int


@dataclass(frozen=True)
class Related:
    """Two columns, and their correlation over all models, and over those whose headline is not withheld."""

    one: str
    two: str
    all: Correlation
    eligible: Correlation


class Numbers:
    """Everything that the figures show of these runs. What takes time is found when it is first wanted."""

    def __init__(
        self,
        runs: "Sequence[Run]",
        scores: Scores,
        abilities: Mapping[str, float] | None = None,
        groups: Mapping[str, str] | None = None,
    ) -> None:
        self.runs, self.scores = runs, scores
        self._rows = {(row.model, row.experiment, row.metric): row for row in scores}
        self.convention = scores[0].convention if len(scores) else "strict"
        self.strict = self.convention == "strict"
        self.lineup = self._lined_up(groups)
        self.abilities = self._abilities(abilities)

    def _lined_up(self, groups: Mapping[str, str] | None) -> Lineup:
        names = sorted({row.model for row in self.scores})
        return line_up({model: list(self._accuracies(model)) for model in names}, groups)

    def _accuracies(self, model: str) -> Iterator[float]:
        for experiment in EXPERIMENTS:
            if number := self.number(model, experiment, "accuracy"):
                yield number.value

    def _abilities(self, given: Mapping[str, float] | None) -> dict[str, float]:
        known = published_abilities() if given is None else given
        found = {model: _named(model, known) for model in self.models}
        return {model: ability for model, ability in found.items() if ability is not None}

    @property
    def models(self) -> tuple[str, ...]:
        return self.lineup.models

    def whose(self, model: str, series: str = "") -> Whose:
        return Whose(model, self.lineup.family(model), series)

    def name(self, model: str) -> str:
        return self.lineup.names[model]

    # --- scores ------------------------------------------------------------------------------------------------------

    def row(self, model: str, experiment: str, metric: str) -> Score | None:
        return self._rows.get((model, experiment, metric))

    def number(self, model: str, experiment: str, metric: str) -> Number | None:
        """A score, None where it is withheld, undefined or was not asked for."""
        row = self.row(model, experiment, metric)
        if row is None or row.value is None:
            return None
        return Number(row.value, row.low, row.high, row.items, row.reason, _lost(row))

    def scored(self, experiment: str, metric: str) -> dict[str, Number]:
        """The score of every model that has it."""
        return _whole({model: self.number(model, experiment, metric) for model in self.models})

    def best_guessers(self, experiment: str) -> dict[str, Guess]:
        """For each model the guesser with the greatest accuracy on its claims."""
        return _whole({model: self._best_guesser(model, experiment) for model in self.models})

    def _best_guesser(self, model: str, experiment: str) -> Guess | None:
        return _best({name: self.number(model, experiment, metric) for metric, name in GUESSERS.items()})

    # --- both tables -------------------------------------------------------------------------------------------------

    @cached_property
    def tables(self) -> Tables:
        """Of the models that the scores are of."""
        tables = tables_of(self.runs)
        if {model for run in self.runs for model in run.models} == set(self.models):
            return tables
        ours = pl.col("model").is_in(self.models)
        return Tables(tables.observations.filter(ours), tables.sessions.filter(ours))

    def accuracies(self, experiment: str, convention: str) -> dict[str, Number]:
        """Accuracy under any convention, from the scores where they are of this one."""
        return _whole({model: self._accuracy(model, experiment, convention) for model in self.models})

    def _accuracy(self, model: str, experiment: str, convention: str) -> Number | None:
        if convention == self.convention:
            return self.number(model, experiment, "accuracy")
        if convention == "authors":
            return self._authors.get((model, experiment))
        if (everyone := self.tables.claims.get(experiment)) is None:
            return None
        return _number(*accuracy_on(everyone.of(model), convention == "strict"))

    @cached_property
    def _authors(self) -> dict[tuple[str, str], Number]:
        return {
            (row.model, row.experiment): Number(row.value, items=row.items)
            for run in self.runs
            for row in authors_scores(run)
            if row.metric == "accuracy" and row.value is not None
        }

    # --- tokens ------------------------------------------------------------------------------------------------------

    @cached_property
    def _counted(self) -> pl.DataFrame:
        """Sessions of the difficulty experiment whose tokens were counted."""
        known = pl.col("output_tokens").is_not_null() & (pl.col("state") != "missing")
        return self.tables.sessions.filter((pl.col("experiment") == "difficulty") & known)

    @cached_property
    def answer_tokens(self) -> dict[str, Spread]:
        answers = self._counted.filter(pl.col("session") != "predict")
        found = {}
        for (model,), rows in answers.partition_by("model", as_dict=True).items():
            tokens = rows["output_tokens"].to_numpy().astype(np.float64)
            mean = self.number(str(model), "difficulty", "tokens_mean")
            if mean and tokens.max() > 0:
                quantiles = tuple(float(q) for q in np.quantile(tokens, QUANTILES))
                found[str(model)] = Spread(quantiles, mean, len(tokens))
        return found

    @cached_property
    def ranking_tokens(self) -> dict[str, Number]:
        """Mean tokens of a ranking, over groups; epochs of a group are averaged first."""
        rankings = self._counted.filter(pl.col("session") == "predict")
        means = rankings.group_by("model", "item").agg(pl.col("output_tokens").mean()).sort("model", "item")
        found: dict[str, Number] = {}
        for (model,), rows in means.partition_by("model", as_dict=True).items():
            values = rows["output_tokens"].to_numpy().astype(np.float64)
            interval, error = mean_interval(values)
            if (mean := float(values.mean())) > 0:
                number = _number(Estimate(mean, interval.within(0, math.inf), error), len(values))
                found |= {str(model): number} if number else {}
        return found

    # --- difficulty by parts -----------------------------------------------------------------------------------------

    @cached_property
    def _pairs(self) -> "dict[str, Pairs]":
        """Of each model those that count."""
        if (everyone := self.tables.claims.get("difficulty")) is None:
            return {}
        found = {}
        for model in everyone.models:
            claims = everyone.of(model)
            which = scorable(claims, self.strict)
            others = everyone.outcomes({*everyone.models} - {model})
            guessed = {name: chance[which] for name, chance in guesses(claims, others).items()}
            mine = everyone.model == everyone.models.index(model)
            found[model] = Pairs(claims.where(which), guessed, *(fact[mine][which] for fact in self._decided))
        return found

    @cached_property
    def _decided(self) -> tuple[Flags, Array]:
        """Whether tokens decide it, and their ratio, of each pair."""
        pairs = self.tables.observations.filter(pl.col("experiment") == "difficulty")
        tokens = self._counted.select("model", "item", "epoch", "session", "output_tokens")
        pairs = pairs.with_columns(
            pl.col("claim").str.extract_groups(r"^(?<one>\S+) before (?<two>\S+)$").struct.unnest()
        )
        for side in ("one", "two"):
            asked = tokens.with_columns(pl.col("session").str.strip_prefix("execute.").alias(side)).drop("session")
            asked = asked.rename({"output_tokens": f"tokens_{side}"})
            pairs = pairs.join(asked, on=["model", "item", "epoch", side], how="left", maintain_order="left")
        one, two = (pairs[f"tokens_{side}"].cast(pl.Float64).fill_null(math.nan).to_numpy() for side in ("one", "two"))
        with np.errstate(divide="ignore", invalid="ignore"):
            return pairs["basis"].eq_missing("tokens").to_numpy(), np.maximum(one, two) / np.minimum(one, two)

    def by_basis(self, basis: str) -> dict[str, Part]:
        """Accuracy on the pairs that are decided by `correctness` or `tokens`."""
        return self._parts(lambda pairs: pairs.by_tokens == (basis == "tokens"))

    def by_ratio(self, low: float, high: float) -> dict[str, Part]:
        """The same on pairs decided by tokens, of which the one answer has `low` to `high` times those of the other."""
        return self._parts(lambda pairs: pairs.by_tokens & (pairs.ratio >= low) & (pairs.ratio < high))

    def _parts(self, which: "Callable[[Pairs], Flags]") -> dict[str, Part]:
        return _whole({model: self._part(pairs, which(pairs)) for model, pairs in self._pairs.items()})

    def _part(self, pairs: "Pairs", which: Flags) -> Part | None:
        if (own := _number(*accuracy_on(pairs.claims.where(which), self.strict))) is None:
            return None
        records = guess_records(pairs.claims, pairs.guessed, which)
        guessed = {GUESSERS[name]: _number(accuracy_of("difficulty", r), len(r.items)) for name, r in records.items()}
        return Part(own, _best(guessed))

    # --- the rest ----------------------------------------------------------------------------------------------------

    @cached_property
    def losses(self) -> dict[tuple[str, str], list[Loss]]:
        """(model, experiment) -> what was not read. What was read is what is left of `of`."""
        reason = pl.when(pl.col("state") == "missing").then(pl.lit("")).otherwise(pl.col("reason").fill_null("other"))
        counts = (
            self.tables.sessions.with_columns(reason=reason, of=pl.len().over("model", "experiment"))
            .filter(pl.col("state") != "read")
            .group_by("model", "experiment", "state", "reason")
            .agg(pl.len(), pl.col("of").first())
            .sort("model", "experiment", "state", "reason")
        )
        found: dict[tuple[str, str], list[Loss]] = {}
        for model, experiment, state, why, replies, of in counts.iter_rows():
            found.setdefault((model, experiment), []).append(Loss(state, why, replies, of))
        return found

    @cached_property
    def crossed(self) -> dict[tuple[str, str], Crossed]:
        """(experiment, metric of the self-bonus) -> every model's predictions held against every model's behaviour."""
        return {
            (experiment, metric): found
            for experiment, claims in self.tables.claims.items()
            for metric, found in self_bonuses(claims).items()
        }

    @cached_property
    def means(self) -> dict[str, dict[str, float]]:
        """`overall accuracy`, `overall skill`, ... -> model -> number, withheld or not."""
        return score_columns(self.scores)

    @cached_property
    def related(self) -> list[Related]:
        """Every pair of accuracies, the score and ability."""
        columns = {
            **{experiment: self.means.get(f"{experiment} accuracy", {}) for experiment in EXPERIMENTS},
            "score": self.means.get("overall accuracy", {}),
            "ability": self.abilities,
        }
        columns = {name: column for name, column in columns.items() if column}
        eligible = set(eligible_models(self.scores))
        names = list(columns)
        pairs = [(one, two) for k, one in enumerate(names) for two in names[k + 1 :]]
        return [
            Related(one, two, *(self._correlated(columns[one], columns[two], who) for who in (None, eligible)))
            for one, two in pairs
        ]

    def _correlated(self, one: Mapping[str, float], two: Mapping[str, float], who: set[str] | None) -> Correlation:
        models = sorted(m for m in one.keys() & two.keys() if who is None or m in who)
        x, y = (np.array([column[m] for m in models], dtype=np.float64) for column in (one, two))
        return correlate(x, y)


def _lost(row: Score) -> str:
    known = [f"{n:,} {what}" for n, what in ((row.unreadable, "unreadable"), (row.missing, "missing")) if n]
    return f" less {' and '.join(known)} of {row.claims:,} claims" if known else ""


def _whole(found: Mapping[str, T | None]) -> dict[str, T]:
    """Without the models that have nothing."""
    return {model: one for model, one in found.items() if one is not None}


def _best(guessed: Mapping[str, Number | None]) -> Guess | None:
    known = _whole(guessed)
    best = max(known, key=lambda name: known[name].value, default=None)
    return Guess(best, known[best]) if best is not None else None


def _number(estimate: Estimate, items: int) -> Number | None:
    if math.isnan(estimate.value):
        return None
    low, high = (None if math.isnan(end) else end for end in estimate.interval)
    return Number(estimate.value, low, high, items)


# --- abilities -------------------------------------------------------------------------------------------------------


def published_abilities() -> dict[str, float]:
    """By the Rasch model, of the models in the paper's Table 1."""
    from selfexec.abilities import rasch

    return {model: ability for model, ability in rasch("paper").abilities.items() if ability is not None}


def read_abilities(path: Path) -> dict[str, float]:
    """Abilities from a file: what `selfexec rasch --format json` prints, or a CSV file whose first column names the
    model and which has a column `ability`, or one column of numbers only.
    """
    columns = read_tables([path])
    if "ability" not in columns and len(columns) != 1:
        raise InputError(f"{path}: there is no column 'ability', but {', '.join(columns)}. Rename the one that is.")
    return columns.get("ability") or next(iter(columns.values()))


def _named(model: str, abilities: Mapping[str, float]) -> float | None:
    """The ability of a model, under its own name or without its provider's."""
    return abilities.get(model, abilities.get(model.split("/")[-1]))


# --- in print --------------------------------------------------------------------------------------------------------


def texts(found: Mapping[str, "Number | Guess"]) -> dict[str, str]:
    return {model: one.text for model, one in found.items()}


def sizes(*found: Mapping[str, Number]) -> dict[str, str]:
    """How many items the numbers of each model rest on."""
    return {m: f"{n.items:,}" for numbers in found for m, n in numbers.items() if n.items is not None}
