"""The numbers that figures share: scores, accuracies under any convention, the baselines beside them, counted tokens.

What one figure alone shows it finds itself.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import polars as pl

from selfexec.analysis.published import authors_scores
from selfexec.analysis.score import Score, Scores
from selfexec.analysis.score_table import BASELINES
from selfexec.analysis.selection import tables_of
from selfexec.claims import Tables
from selfexec.experiments import EXPERIMENTS
from selfexec.metrics import Estimate, accuracy_on, kind_of
from selfexec.report.figures.abilities import known_ability, published_abilities
from selfexec.report.figures.model_order import ModelOrder, line_up
from selfexec.report.svg import Whose
from selfexec.text.numbers import interval

if TYPE_CHECKING:
    from selfexec.runs import Run

T = TypeVar("T")
OF_ANSWERS = ("question_accuracy", "tokens_mean")  # metrics that rest on no prediction


@dataclass(frozen=True)
class Number:
    """A value with its interval, the items that it rests on (`asked`: of how many, where some were lost), and what is
    to be said of it.
    """

    value: float
    low: float | None = None
    high: float | None = None
    items: int | None = None
    asked: int | None = None
    unit: str = "item"
    note: str | None = None

    @property
    def text(self) -> str:
        """As in a table: .531 [.508, .553]."""
        return interval(self.value, self.low, self.high)

    @property
    def full(self) -> str:
        """As in a hover text: with n, and the caution."""
        n = f", n = {self.basis}" if self.items is not None else ""
        return f"{self.text}{n}{f' ({self.note})' if self.note else ''}"

    @property
    def basis(self) -> str:
        """63 of 488 targets."""
        some = f"{self.items:,} of {self.asked:,}" if self.asked else f"{self.items:,}"
        return f"{some} {self.unit}{'' if (self.asked or self.items) == 1 else 's'}"


@dataclass(frozen=True)
class Baseline:
    """What somebody who never saw the model reaches on its claims."""

    name: str
    number: Number

    @property
    def text(self) -> str:
        return f"{self.number.text} {self.name}"


class Numbers:
    """What figures show of these runs. What takes time is found when it is first wanted."""

    def __init__(
        self,
        runs: "Sequence[Run]",
        scores: Scores,
        abilities: Mapping[str, float] | None = None,
        groups: Mapping[str, str] | None = None,
    ) -> None:
        self.runs, self.scores = runs, scores
        self.convention = scores[0].convention if len(scores) else "strict"
        self.strict = self.convention == "strict"
        self.model_order = self._lined_up(groups)
        self.abilities = self._abilities(abilities)

    def _lined_up(self, groups: Mapping[str, str] | None) -> ModelOrder:
        names = sorted(self.scores.models)
        return line_up({model: list(self._accuracies(model)) for model in names}, groups)

    def _accuracies(self, model: str) -> Iterator[float]:
        for experiment in EXPERIMENTS:
            if (row := self.row(model, experiment, "accuracy")) and row.value is not None:
                yield row.value

    def _abilities(self, given: Mapping[str, float] | None) -> dict[str, float]:
        known = published_abilities() if given is None else given
        return whole({model: known_ability(model, known) for model in self.models})

    @property
    def models(self) -> tuple[str, ...]:
        return self.model_order.models

    def whose(self, model: str, series: str = "") -> Whose:
        return Whose(model, self.model_order.family(model), series)

    def name(self, model: str) -> str:
        return self.model_order.names[model]

    # --- scores ------------------------------------------------------------------------------------------------------

    def row(self, model: str, experiment: str, metric: str) -> Score | None:
        return self.scores.get(model, experiment, metric)

    def number(self, model: str, experiment: str, metric: str) -> Number | None:
        """A score, None where it is withheld, undefined or was not asked for."""
        row = self.row(model, experiment, metric)
        if row is None or row.value is None:
            return None
        items = row.items if metric in OF_ANSWERS else self._rests_on(row)
        asked = row.items if items != row.items else None
        return Number(row.value, row.low, row.high, items, asked, unit_of(experiment), row.reason)

    def _rests_on(self, row: Score) -> int:
        """How many items of a model have a claim that counts."""
        if not (row.unreadable or row.missing) or row.experiment not in EXPERIMENTS:
            return row.items
        return len(kind_of(row.experiment).count(self.tables.claims[row.experiment].of(row.model), self.strict).items)

    def scored(self, experiment: str, metric: str) -> dict[str, Number]:
        """The score of every model that has it."""
        return whole({model: self.number(model, experiment, metric) for model in self.models})

    def baselines(self, experiment: str) -> dict[str, Baseline]:
        """For each model the baseline that is right most often on its claims."""
        return whole({model: self._baseline(model, experiment) for model in self.models})

    def _baseline(self, model: str, experiment: str) -> Baseline | None:
        return most_accurate(
            experiment, {name: self.number(model, experiment, metric) for metric, name in BASELINES.items()}
        )

    # --- both tables -------------------------------------------------------------------------------------------------

    @cached_property
    def tables(self) -> Tables:
        """Of the models that the scores are of."""
        tables = tables_of(self.runs)
        if {model for run in self.runs for model in run.models} == set(self.models):
            return tables
        ours = pl.col("model").is_in(self.models)
        return Tables(tables.observations.filter(ours), tables.sessions.filter(ours))

    @cached_property
    def counted(self) -> pl.DataFrame:
        """Sessions of the difficulty experiment whose tokens were counted."""
        known = pl.col("output_tokens").is_not_null() & (pl.col("state") != "missing")
        return self.tables.sessions.filter((pl.col("experiment") == "difficulty") & known)

    def accuracies(self, experiment: str, convention: str) -> dict[str, Number]:
        """Accuracy under any convention, from the scores where they are of this one."""
        return whole({model: self._accuracy(model, experiment, convention) for model in self.models})

    def _accuracy(self, model: str, experiment: str, convention: str) -> Number | None:
        if convention == self.convention:
            return self.number(model, experiment, "accuracy")
        if convention == "authors":
            return self._authors.get((model, experiment))
        if (everyone := self.tables.claims.get(experiment)) is None:
            return None
        return estimated(*accuracy_on(everyone.of(model), convention == "strict"), unit_of(experiment))

    @cached_property
    def _authors(self) -> dict[tuple[str, str], Number]:
        return {
            (row.model, row.experiment): Number(row.value, items=row.items, unit=unit_of(row.experiment))
            for run in self.runs
            for row in authors_scores(run)
            if row.metric == "accuracy" and row.value is not None and row.experiment in EXPERIMENTS
        }


def whole(found: Mapping[str, T | None]) -> dict[str, T]:
    """Without the models that have nothing."""
    return {model: one for model, one in found.items() if one is not None}


def most_accurate(experiment: str, found: Mapping[str, Number | None]) -> Baseline | None:
    """Of two questions, whoever says the same every time is right half of the time."""
    known = whole(found)
    if known and experiment == "difficulty":
        known[BASELINES["always the same"]] = Number(0.5)
    best = max(known, key=lambda name: known[name].value, default=None)
    return Baseline(best, known[best]) if best is not None else None


def estimated(estimate: Estimate, items: int, unit: str) -> Number | None:
    if math.isnan(estimate.value):
        return None
    low, high = (None if math.isnan(end) else end for end in estimate.interval)
    return Number(estimate.value, low, high, items, unit=unit)


# --- in print --------------------------------------------------------------------------------------------------------


def counted(mean: Number) -> str:
    """A mean of counts, tokens say: 1,204 [1,180, 1,228]."""
    if mean.low is None or mean.high is None:
        return f"{mean.value:,.0f}"
    return f"{mean.value:,.0f} [{mean.low:,.0f}, {mean.high:,.0f}]"


def texts(found: Mapping[str, Number | Baseline]) -> dict[str, str]:
    return {model: one.text for model, one in found.items()}


def sizes(*found: Mapping[str, Number]) -> dict[str, str]:
    """How many items the numbers of each model rest on."""
    return {m: f"{n.items:,}" for numbers in found for m, n in numbers.items() if n.items is not None}


def unit_of(experiment: str) -> str:
    """What an item is called; of all experiments together, an item."""
    return EXPERIMENTS[experiment].item_name if experiment in EXPERIMENTS else "item"
