"""Scores as the page shows them: found by model, experiment and metric, ranked on boards, in lines of a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from selfexec.analysis.compare import Ranking
from selfexec.analysis.names import baseline_name
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
class BoardRow:
    """A model's skill and margin, and the places that it may have by each, as 1–3; empty where nothing was compared. Of
    yes and no also how often it predicts a yes, how often that came true, and the margin at its own rate.
    """

    model: str
    skill: Score | None
    margin: Score | None
    coverage: Score | None
    skill_places: str
    margin_places: str
    predicted: Score | None = None
    observed: Score | None = None
    at_own_rate: Score | None = None

    @property
    def summarised(self) -> tuple[Score | None, ...]:
        """Its numbers, as `SUMMARISED` names them."""
        return (self.predicted, self.observed, self.skill, self.margin, self.at_own_rate, self.coverage)

    @property
    def why(self) -> str:
        """What is to be said of its numbers."""
        return "; ".join(dict.fromkeys(row.reason for row in self.summarised if row and row.reason))

    @property
    def withheld(self) -> str | None:
        return next((row.reason for row in (self.skill, self.margin) if row and row.value is None), None)


@dataclass(frozen=True)
class Board:
    """Models of one experiment, in the order of the page. `scale`: the ends of the one scale for both numbers.
    `detectable`: column -> the difference that 80% of runs like these would find (median, least, greatest over pairs).
    """

    experiment: str
    rows: tuple[BoardRow, ...]
    scale: tuple[float, float]
    detectable: Mapping[str, tuple[float, float, float]]

    @property
    def ticks(self) -> list[float]:
        """Halves."""
        low, high = self.scale
        return [tick for tick in (-1.0, -0.5, 0.0, 0.5, 1.0) if low <= tick <= high]


def boards(scores: Scores, models: Sequence[str], ranking: Ranking) -> list[Board]:
    """Overall first."""
    places = {
        (metric, experiment, model): place
        for metric in COMPARED.values()
        for experiment in scores.experiments
        for model, place in places_of(ranking, metric, experiment).items()
    }
    found = []
    for experiment in ("overall", *EXPERIMENTS):
        if experiment in scores.experiments:
            rows = [row for model in models if (row := _board_row(scores, experiment, model, places))]
            scale = scale_of([score for row in rows for score in (row.skill, row.margin)])
            sizes = {name: ranking.detectable(metric, experiment) for name, metric in COMPARED.items()}
            found.append(Board(experiment, tuple(rows), scale, {name: size for name, size in sizes.items() if size}))
    return found


def places_of(ranking: Ranking, metric: str, experiment: str) -> dict[str, str]:
    """The places that each model may have: behind all that are surely ahead of it, before all that are surely behind.
    Who shares none of another's letters is surely ahead of it, or behind.
    """
    of = {s.model: s for s in ranking.standings if (s.metric, s.experiment) == (metric, experiment) and s.tied}
    if len(of) < 2:
        return {}  # one alone has no place
    letters = {model: set(standing.tied.split()) for model, standing in of.items()}
    found = {}
    for model, own in letters.items():
        apart = [other for other, theirs in letters.items() if not own & theirs]
        ahead = sum((of[other].value or 0.0) > (of[model].value or 0.0) for other in apart)
        first, last = ahead + 1, len(of) - (len(apart) - ahead)
        found[model] = str(first) if first == last else f"{first}–{last}"
    return found


def summary(boards: Sequence[Board]) -> Figure:
    """How often, skill, margins and coverage of every model, as a table for a paper."""
    rows = [
        [row.model, board.experiment, *map(_printed, row.summarised), row.why] for board in boards for row in board.rows
    ]
    columns = ["model", "experiment", *SUMMARISED, WHY]
    title = "How often models predict a yes and do it, skill, and margin over the best baseline"
    return Figure("summary", title, "", None, columns, rows)


def summary_csv(boards: Sequence[Board]) -> str:
    """The same as data: every number in a column of its own, empty where it is withheld."""
    numbers = [f"{name}{end}" for name in SUMMARISED for end in ("", " low", " high")]
    rows: list[list[str | float | None]] = [["model", "experiment", *numbers, WHY]]
    for board in boards:
        for row in board.rows:
            parts = [
                end
                for score in row.summarised
                for end in ((score.value, score.low, score.high) if score else (None, None, None))
            ]
            rows.append([row.model, board.experiment, *parts, row.why])
    return csv_rows.written(rows)


def _printed(score: Score | None) -> str:
    if score is None:
        return ""
    return "withheld" if score.value is None else in_a_cell(score.value, score.low, score.high)


def _board_row(
    scores: Scores, experiment: str, model: str, places: Mapping[tuple[str, str, str], str]
) -> BoardRow | None:
    skill, margin = (scores.get(model, experiment, m) for m in ("skill", "baseline_margin"))
    if skill is None and margin is None:
        return None
    known = [
        places.get((metric, experiment, model), "") if _value(row) is not None else ""
        for metric, row in (("skill", skill), ("baseline_margin", margin))
    ]
    coverage, at_own_rate = (scores.get(model, experiment, m) for m in ("coverage", "margin_at_own_rate"))
    predicted, observed = rates(scores, model, experiment)
    return BoardRow(model, skill, margin, coverage, known[0], known[1], predicted, observed, at_own_rate)


def rates(scores: Scores, model: str, experiment: str) -> tuple[Score | None, Score | None]:
    """How often a model predicts a yes, and how often that came true of the same claims, whose difference is its rate
    bias.
    """
    predicted, bias = (scores.get(model, experiment, metric) for metric in ("predicted_rate", "rate_bias"))
    if predicted is None or predicted.value is None or bias is None or bias.value is None:
        return predicted, None
    observed = predicted.value - bias.value
    return predicted, replace(predicted, metric="observed_rate", value=observed, low=None, high=None)


def _value(row: Score | None) -> float | None:
    return row.value if row else None


def scale_of(rows: Sequence[Score | None]) -> tuple[float, float]:
    """From the lowest end of an interval, or 0, to the highest."""
    ends = [x for row in rows if row for x in (row.value, row.low, row.high) if x is not None]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    room = 0.03 * (high - low) or 1.0
    return low - room, high + room


@dataclass(frozen=True)
class ScoreLine:
    """The numbers of one model in one experiment that people look at first."""

    model: str
    experiment: str
    accuracy: Score | None
    skill: Score | None
    rate_bias: Score | None
    baseline: Score | None
    baseline_name: str
    margin: Score | None
    at_own_rate: Score | None
    coverage: Score | None

    @property
    def numbers(self) -> tuple[Score | None, ...]:
        """All but that of the baseline."""
        return (self.accuracy, self.skill, self.rate_bias, self.margin, self.at_own_rate, self.coverage)


def score_lines(scores: Scores, models: Sequence[str]) -> list[ScoreLine]:
    return [
        _score_line(scores, model, experiment)
        for model in models
        for experiment in scores.experiments
        if scores.get(model, experiment, ACCURACY.get(experiment, "accuracy"))
    ]


def _score_line(scores: Scores, model: str, experiment: str) -> ScoreLine:
    baseline, margin = (scores.get(model, experiment, metric) for metric in ("best_baseline", "baseline_margin"))
    baseline = baseline if baseline and baseline.value is not None else None
    return ScoreLine(
        model,
        experiment,
        scores.get(model, experiment, ACCURACY.get(experiment, "accuracy")),
        scores.get(model, experiment, "skill"),
        scores.get(model, experiment, "rate_bias"),
        baseline,
        baseline_name(baseline.baseline) if baseline else "",
        margin,
        scores.get(model, experiment, "margin_at_own_rate"),
        scores.get(model, experiment, "coverage"),
    )
