"""All correlations that a page has: titles say what these show, adjusted for all of them together.

A title is about numbers that are not withheld: of models with an overall score, where any has one;
of a number that is to be read with caution it says nothing.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from selfexec.analysis.correlate import correlations as correlate_columns
from selfexec.analysis.correlate import eligible_models, score_columns
from selfexec.analysis.numbers import Number
from selfexec.experiments import EXPERIMENTS, PAPER_HEADLINE
from selfexec.report.figures.numbers import FigureNumbers
from selfexec.report.figures.said import AdjustedCorrelation, adjusted, related
from selfexec.stats import Correlation

SCORE, ABILITY = "mean accuracy", "ability"
ORDERING, KNOWING = "tokens of a ranking", "knowing what is right"
Names = tuple[str, str]


@dataclass(frozen=True)
class Related:
    """Two columns, and Pearson's correlation over all models, and over those with an overall score. `overall`: whether
    any model has one.
    """

    one: str
    two: str
    all: Correlation
    eligible: Correlation
    overall: bool

    @property
    def names(self) -> str:
        return f"{self.one}, {self.two}".replace("_", " ")

    @property
    def fewer(self) -> bool:
        """Whether some models have no overall score, and a correlation is there without them."""
        return not math.isnan(self.eligible.value) and self.eligible.n < self.all.n

    @property
    def titled(self) -> Correlation:
        """The one that a title may be about."""
        return self.eligible if self.overall else self.all

    @property
    def sizes(self) -> str:
        return f"n = {self.all.n}" + (f"; {self.eligible.n}" if self.fewer else "")


def related_numbers(numbers: FigureNumbers) -> list[Related]:
    """Every pair of accuracies, their mean and ability, but for a whole with its parts, which go together anyway."""
    means = score_columns(numbers.scores)
    columns = {
        **{experiment: means.get(f"{experiment} accuracy", {}) for experiment in EXPERIMENTS},
        SCORE: means.get("overall accuracy", {}),
        ABILITY: numbers.abilities,
    }
    columns = {name: column for name, column in columns.items() if column}
    eligible = eligible_models(numbers.scores)
    pairs = correlate_columns(columns, eligible=eligible or [])
    return [
        Related(
            pair.one, pair.two, pair.pearson, pairs.pair(pair.one, pair.two, "eligible").pearson, eligible is not None
        )
        for pair in pairs
        if pair.among == "all" and not (SCORE in (pair.one, pair.two) and {pair.one, pair.two} & {*EXPERIMENTS})
    ]


def ability_experiments() -> list[str]:
    """The experiments in which a model predicts whether it will be right."""
    return [name for name, experiment in EXPERIMENTS.items() if experiment.is_of_ability]


def page_correlations(numbers: FigureNumbers) -> dict[Names, AdjustedCorrelation]:
    """By the names of the two (within one experiment: its name and `KNOWING` or `ORDERING`): all that a page has."""
    correlations = {(pair.one, pair.two): pair.titled for pair in related_numbers(numbers)}
    for experiment in (name for name in PAPER_HEADLINE.experiments if EXPERIMENTS[name].claim_kind == "order"):
        tokens, ranking = numbers.prediction_tokens(experiment), numbers.scored(experiment, "accuracy")
        log_tokens = {model: math.log(one.value) for model, one in tokens.items()}
        correlations[experiment, ORDERING] = related(log_tokens, _sound(ranking))
    for experiment in ability_experiments():
        accuracy, skill = (numbers.scored(experiment, metric) for metric in ("base_rate", "skill"))
        correlations[experiment, KNOWING] = related(_sound(accuracy), _sound(skill))
    return adjusted(correlations)


def _sound(numbers: Mapping[str, Number]) -> dict[str, float]:
    """Without what is to be read with caution."""
    return {model: number.value for model, number in numbers.items() if not number.note}
