"""What all figures share: the numbers of the models, and the models in their order."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING

import polars as pl

from selfexec.analysis.findings import TOO_CLOSE, Finding, FindingAnswer, against_naive, how_often
from selfexec.analysis.in_probabilities import condition_in_probabilities
from selfexec.analysis.names import baselines_of
from selfexec.analysis.numbers import (
    Baseline,
    Number,
    accuracies,
    as_published,
    items_that_count,
    most_accurate,
    prediction_tokens,
    scored_number,
    whole,
)
from selfexec.analysis.options import WITH_SKILL, Convention
from selfexec.analysis.score import Score, Scores, score
from selfexec.analysis.selection import Selection, added_convention, rows_by
from selfexec.analysis.words import behind_naive
from selfexec.claims import Tables
from selfexec.experiments import EXPERIMENTS
from selfexec.facets import DEFAULT_NAME
from selfexec.metrics import rows_over_naive
from selfexec.report.figures.abilities import known_ability, published_abilities
from selfexec.report.figures.model_order import Merit, merit_of, order_models
from selfexec.report.svg import Dot, Kind, ModelOrder, RowPanel, Sign
from selfexec.text.numbers import count_in_a_cell

if TYPE_CHECKING:
    from selfexec.runs import Run

BASELINE, NO_VERDICT = "most accurate baseline", "no verdict"
LOOKS: Mapping[FindingAnswer, Kind] = {"yes": "main", "no": "main", "open": "open"}


class FigureNumbers:
    """What figures show of these runs. What takes time is found when it is first wanted."""

    def __init__(
        self,
        runs: "Sequence[Run]",
        scores: Scores,
        abilities: Mapping[str, float] | None = None,
        groups: Mapping[str, str] | None = None,
        selection: Selection | None = None,
    ) -> None:
        self.runs, self.scores, self.selection = runs, scores, selection
        self.convention: Convention = scores[0].convention if len(scores) else "strict"
        self.strict = self.convention == "strict"
        self._by_added_convention: dict[str, Scores] = {}
        self.model_order = self._in_order(groups)
        self.abilities = self._abilities(abilities)

    def _in_order(self, groups: Mapping[str, str] | None) -> ModelOrder:
        return order_models({model: self._merit(model) for model in sorted(self.scores.models)}, groups)

    def _merit(self, model: str) -> Merit:
        overall = self.row(model, "overall", "skill")
        rows = (self.row(model, experiment, "skill") for experiment in EXPERIMENTS)
        known = [row.value for row in rows if row and row.value is not None]
        caution = bool(overall and overall.reason)
        return merit_of(overall.value if overall else None, known, caution=caution)

    def _abilities(self, given: Mapping[str, float] | None) -> dict[str, float]:
        known = published_abilities() if given is None else given
        return whole({model: known_ability(model, known) for model in self.models})

    @property
    def models(self) -> tuple[str, ...]:
        return self.model_order.keys

    @cached_property
    def tables(self) -> Tables:
        """Of the models that the scores are of."""
        selection = Selection.of(self.runs)
        tables = selection.tables
        if set(selection.everybody) == set(self.models):
            return tables
        ours = pl.col("model").is_in(self.models)
        observations, sessions = tables.observations.filter(ours), tables.sessions.filter(ours)
        found = replace(tables, observations=observations, sessions=sessions)
        return replace(found, outcomes=tables.outcomes.filter(ours), expected=tables.expected.filter(ours))

    @cached_property
    def conditions(self) -> Scores | None:
        """The scores of every condition in which the same was asked; None where there is one."""
        selection = self.selection or Selection.of(self.runs, self.convention)
        return score(selection) if len(selection.shown_conditions) > 1 else None

    @cached_property
    def in_probabilities(self) -> tuple[str, Tables]:
        """The same predictions as probabilities, and their condition, where they were asked for; else its own."""
        known = self.conditions.conditions if self.conditions else []
        name = condition_in_probabilities(self.condition, known)
        if name is None:
            return self.condition, self.tables
        whole = self.selection or Selection.of(self.runs, self.convention)
        return name, whole.under(name).tables

    @property
    def scores_in_probabilities(self) -> Scores:
        """The scores in the condition of `in_probabilities`."""
        name = self.in_probabilities[0]
        return self.conditions.under(name) if self.conditions else self.scores

    @property
    def condition(self) -> str:
        """That of the scores."""
        return self.scores.conditions[0] if len(self.scores) else DEFAULT_NAME

    def row(self, model: str, experiment: str, metric: str) -> Score | None:
        return self.scores.get(model, experiment, metric)

    def number(self, model: str, experiment: str, metric: str) -> Number | None:
        return scored_number(self.row(model, experiment, metric), self._items_that_count)

    @cached_property
    def _items_that_count(self) -> Callable[[str, str], int]:
        """Found once: each of thirty numbers of a model in an experiment asks for them."""
        return cache(partial(items_that_count, self.tables, self.strict))

    def scored(self, experiment: str, metric: str) -> dict[str, Number]:
        """The score of every model that has it."""
        return whole({model: self.number(model, experiment, metric) for model in self.models})

    def how_often(self, experiment: str) -> tuple[dict[str, Number], dict[str, Number]]:
        """The shares of yes that every model predicted and did, both of the claims whose prediction and outcome were
        read, as every table has them. The second has no interval, as what is tested is their difference, the rate
        bias; and it is no row of the scores.
        """
        rates = {finding.subject: finding.rates for finding in how_often(self.scores, experiment) if finding.rates}
        predicted = self.scored(experiment, "predicted_rate")
        observed = {
            model: replace(predicted[model], value=both[1], low=None, high=None, score="")
            for model, both in rates.items()
            if model in predicted
        }
        return predicted, observed

    def baselines(self, experiment: str) -> dict[str, Baseline]:
        """For each model the baseline that is right most often on its claims."""
        return whole({model: self._baseline(model, experiment) for model in self.models})

    def _baseline(self, model: str, experiment: str) -> Baseline | None:
        return most_accurate(
            experiment,
            {name: self.number(model, experiment, metric) for metric, name in baselines_of(experiment).items()},
        )

    def accuracies(self, experiment: str, convention: str) -> dict[str, Number]:
        """Accuracy under any convention, from the scores where they are of this one."""
        if convention == self.convention:
            return self.scored(experiment, "accuracy")
        if convention in WITH_SKILL:
            found = accuracies(self.tables, experiment, convention == "strict")
        else:
            found = as_published(self.scores_by(convention), experiment)
        return {model: found[model] for model in self.models if model in found}

    def behind_naive(self, experiment: str) -> str:
        """Than which models the baseline that takes no model is right more often; empty where it is so of none."""
        if (naive := EXPERIMENTS[experiment].naive) is None:
            return ""
        gaps = rows_over_naive(self.scores.of(experiment, "accuracy"), self.tables.claims[experiment])
        levels = {row.model: row for row in self.scores.of(experiment, naive.metric)}
        said = behind_naive(found) if (found := against_naive(gaps, levels)) else None
        return said.text.removesuffix(".") if said else ""

    def prediction_tokens(self, experiment: str) -> dict[str, Number]:
        """Mean tokens of a prediction, of every model whose tokens were counted."""
        return prediction_tokens(self.tables.sessions, experiment)

    def scores_by(self, convention: str) -> Scores:
        """By a convention that an extension adds, which knows an experiment's own sources alone; no scores where none
        does, or where another source says what was done.
        """
        if convention not in self._by_added_convention:
            counted = added_convention(convention) and not any(run.sources for run in self.scores.runs)
            rows = [row for run in self.runs for row in rows_by(convention, run)] if counted else []
            self._by_added_convention[convention] = Scores(rows)
        return self._by_added_convention[convention]


# --- as marks, and in print ------------------------------------------------------------------------------------------


def dots(
    numbers: FigureNumbers,
    series: str,
    found: Mapping[str, Number],
    kind: Kind = "main",
    *,
    offset: float = 0.0,
    interval: bool = True,
    findings: Iterable[Finding] = (),
) -> list[Dot]:
    """A dot for each model: open where its finding is too close to call, faint where it has no verdict or is to be read
    with caution. An interval that is not drawn is shown on hover all the same.
    """
    looks = {finding.subject: LOOKS.get(finding.answer, "faint") for finding in findings}
    marks = []
    for model in numbers.models:
        if number := found.get(model):
            title = f"{model}: {series} {number.full}"
            low, high = (number.low, number.high) if interval else (None, None)
            own: Kind = "faint" if number.note else looks.get(model, "main")
            shape = own if kind == "main" else kind
            marks.append(Dot(model, series, number.value, title, shape, low, high, offset=offset))
    return marks


def signs_of(signs: Sequence[Sign], *found: Mapping[str, Number]) -> list[Sign]:
    """With that of what has no verdict, where anything is to be read with caution."""
    caution = any(number.note for numbers in found for number in numbers.values())
    return [*signs, *([Sign("faint", NO_VERDICT)] if caution else [])]


def signs_in(panels: Iterable[RowPanel], signs: Sequence[Sign]) -> list[Sign]:
    """With those of what is too close to call, and of what has no verdict, where any dot is drawn so."""
    kinds = {dot.kind for panel in panels for dot in panel.dots}
    more = (("open", TOO_CLOSE), ("faint", NO_VERDICT))
    return [*signs, *(Sign(kind, text) for kind, text in more if kind in kinds)]


def baseline_dots(numbers: FigureNumbers, found: Mapping[str, Baseline]) -> list[Dot]:
    """The mark of the most accurate baseline for each model that has one."""
    return [
        Dot(model, BASELINE, baseline.number.value, f"{BASELINE} for {model}: {baseline.text}", "baseline")
        for model in numbers.models
        if (baseline := found.get(model))
    ]


def texts(found: Mapping[str, Number | Baseline]) -> dict[str, str]:
    return {model: one.text for model, one in found.items()}


def sizes(*found: Mapping[str, Number]) -> dict[str, str]:
    """How many items the numbers of each model rest on."""
    known = ((model, n.items, n.unit) for one in found for model, n in one.items() if n.items is not None)
    return {model: count_in_a_cell(items, f"{unit}s") for model, items, unit in known}
