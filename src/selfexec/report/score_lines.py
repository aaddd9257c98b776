"""The scores that people look at first, a line for each model in each experiment, on the page and in tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from selfexec.analysis.compare import Ranking
from selfexec.analysis.score_table import ACCURACY, Scores
from selfexec.experiments import EXPERIMENTS
from selfexec.files import csv_rows
from selfexec.metrics import Score
from selfexec.report.figures.figure import Figure
from selfexec.text.numbers import in_a_cell

SUMMARISED = ("predicted rate", "observed rate", "skill", "margin", "margin at own rate", "coverage")
WHY = "withheld, or with caution"
COMPARED = {"skill": "skill", "margin": "baseline_margin"}  # column -> metric


@dataclass(frozen=True)
class ScoreLine:
    """The numbers of one model in one experiment. Of yes and no also how often it predicts a yes, and how often that
    came true. `places`: column -> the places that the model may have by it, as 1–3; without what was not compared.
    """

    model: str
    experiment: str
    accuracy: Score | None
    skill: Score | None
    rate_bias: Score | None
    baseline: Score | None
    margin: Score | None
    margin_at_own_rate: Score | None
    coverage: Score | None
    predicted: Score | None
    observed: Score | None
    places: Mapping[str, str]

    @property
    def numbers(self) -> tuple[Score | None, ...]:
        """Those of the page's table, without that of the baseline."""
        return (self.accuracy, self.skill, self.rate_bias, self.margin, self.margin_at_own_rate, self.coverage)

    @property
    def summarised(self) -> tuple[Score | None, ...]:
        """Those of a paper's table, as `SUMMARISED` names them."""
        return (self.predicted, self.observed, self.skill, self.margin, self.margin_at_own_rate, self.coverage)

    @property
    def why(self) -> str:
        """What is to be said of the numbers of a paper's table."""
        return "; ".join(dict.fromkeys(row.reason for row in self.summarised if row and row.reason))


def score_lines(scores: Scores, models: Sequence[str], ranking: Ranking) -> list[ScoreLine]:
    """Model by model."""
    places = {
        (column, experiment): places_of(ranking, metric, experiment)
        for column, metric in COMPARED.items()
        for experiment in scores.experiments
    }
    return [
        _score_line(scores, model, experiment, {c: places[c, experiment].get(model, "") for c in COMPARED})
        for model in models
        for experiment in scores.experiments
        if scores.get(model, experiment, ACCURACY.get(experiment, "accuracy"))
    ]


def _score_line(scores: Scores, model: str, experiment: str, places: Mapping[str, str]) -> ScoreLine:
    def row(metric: str) -> Score | None:
        return scores.get(model, experiment, metric)

    def known(metric: str) -> Score | None:
        return found if (found := row(metric)) and found.value is not None else None

    baseline = known("best_baseline")
    predicted, observed = rates(scores, model, experiment)
    return ScoreLine(
        model,
        experiment,
        accuracy=row(ACCURACY.get(experiment, "accuracy")),
        skill=row("skill"),
        rate_bias=row("rate_bias"),
        baseline=baseline,
        margin=row("baseline_margin"),
        margin_at_own_rate=row("margin_at_own_rate"),
        coverage=row("coverage"),
        predicted=predicted,
        observed=observed,
        places={column: place for column, place in places.items() if place and known(COMPARED[column])},
    )


def places_of(ranking: Ranking, metric: str, experiment: str) -> dict[str, str]:
    """The places that each model may have: behind all that are surely ahead of it, before all that are surely behind.
    Who shares none of another's letters is surely ahead of it, or behind.
    """
    of = {s.model: s for s in ranking.standings if (s.metric, s.experiment) == (metric, experiment) and s.tied}
    if len(of) < 2:
        return {}  # one alone has no place
    letters = {model: set(standing.tied.split()) for model, standing in of.items()}
    values = {model: standing.value or 0.0 for model, standing in of.items()}
    found = {}
    for model, own in letters.items():
        apart = [values[other] for other, theirs in letters.items() if own.isdisjoint(theirs)]
        ahead = sum(value > values[model] for value in apart)
        first, last = ahead + 1, len(of) - (len(apart) - ahead)
        found[model] = str(first) if first == last else f"{first}–{last}"
    return found


def rates(scores: Scores, model: str, experiment: str) -> tuple[Score | None, Score | None]:
    """How often a model predicts a yes, and how often that came true of the same claims, whose difference is its rate
    bias.
    """
    predicted, bias = (scores.get(model, experiment, metric) for metric in ("predicted_rate", "rate_bias"))
    if predicted is None or predicted.value is None or bias is None or bias.value is None:
        return predicted, None
    observed = predicted.value - bias.value
    return predicted, replace(predicted, metric="observed_rate", value=observed, low=None, high=None)


# --- a table for a paper ---------------------------------------------------------------------------------------------


def by_experiment(lines: Sequence[ScoreLine]) -> dict[str, list[ScoreLine]]:
    """Lines that have a skill or a margin, those of the mean first."""
    shown = [line for line in lines if line.skill or line.margin]
    found = {e: [line for line in shown if line.experiment == e] for e in ("overall", *EXPERIMENTS)}
    return {experiment: some for experiment, some in found.items() if some}


def summary(lines: Sequence[ScoreLine]) -> Figure:
    """How often, skill, margins and coverage of every model."""
    rows = [
        [line.model, experiment, *map(_printed, line.summarised), line.why]
        for experiment, some in by_experiment(lines).items()
        for line in some
    ]
    columns = ["model", "experiment", *SUMMARISED, WHY]
    title = "How often models predict a yes and do it, skill, and margin over the best baseline"
    return Figure("summary", title, "", None, columns, rows)


def summary_csv(lines: Sequence[ScoreLine]) -> str:
    """The same as data: every number in a column of its own, empty where it is withheld."""
    numbers = [f"{name}{end}" for name in SUMMARISED for end in ("", " low", " high")]
    rows: list[list[str | float | None]] = [["model", "experiment", *numbers, WHY]]
    for experiment, some in by_experiment(lines).items():
        for line in some:
            ends = ((score.value, score.low, score.high) if score else (None,) * 3 for score in line.summarised)
            rows.append([line.model, experiment, *(end for three in ends for end in three), line.why])
    return csv_rows.written(rows)


def _printed(score: Score | None) -> str:
    if score is None:
        return ""
    return "withheld" if score.value is None else in_a_cell(score.value, score.low, score.high)
