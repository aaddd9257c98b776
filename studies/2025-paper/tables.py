"""Figures 7 to 9, the Rasch table and the numbers that are correlated, as data."""

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from evidence import EXPERIMENTS, Evidence, size_in_name, together

Cell = float | int | str | None
Table = list[list[Cell]]  # the first row names the columns


# who never saw the model: what section 4 holds against "the baseline ... in all experiments is 50%"
BASELINES = {"association": "always_no", "restriction": "label", "difficulty": "question_length"}


def figure_7(e: Evidence) -> Table:
    """Accuracy by experiment: published, and of the ten models with replies on what was read; and what a baseline gets.
    Of always no there is a published number for all models, of the other baselines one where there are replies.
    """
    head: list[Cell] = ["model", "experiment", "published", "low", "high", "readable", "readable_low", "readable_high"]
    rows: Table = [[*head, "baseline", "baseline_accuracy"]]
    no = e.number("association", "always_no_accuracy")
    for model in e.models:
        for experiment, baseline in BASELINES.items():
            read = e.recorded.of("accuracy", experiment).get(model)
            again = (read.value, read.low, read.high) if read else (None, None, None)
            known = e.recorded.of(baseline, experiment).get(model)
            gets = no[model] if experiment == "association" else known.value if known else None
            rows.append([model, experiment, *e.accuracy(model, experiment)[:3], *again, baseline, gets])
    return rows


def figure_8(e: Evidence) -> Table:
    """Self-execution score beside ability: as printed, without the lost requests, and the skill of those with
    replies.
    """
    rows: Table = [["model", "ability_printed", "score", "low", "high", "score_without_lost_requests", "skill"]]
    for model in e.models:
        ability = float(e.published[model]["rasch_ability"])
        rows.append([model, ability, *e.score(model)[:3], e.score_without_lost[model], e.skill.get(model)])
    return rows


def figure_9(e: Evidence) -> Table:
    """The correlation matrix, with intervals."""
    columns = {
        **{experiment: e.number(experiment, "accuracy") for experiment in EXPERIMENTS},
        "ability": e.of_all("rasch_ability"),
        "score": e.of_all("self_execution_score"),
    }
    rows: Table = [["one", "two", "r", "low", "high", "n"]]
    for one, two in combinations(columns, 2):
        r = together(columns[one], columns[two])
        rows.append([one, two, r.value, *r.interval, r.n])
    return rows


def rates(e: Evidence) -> Table:
    """How often and which ones, of the ten models with replies on what was read; of orders the margin."""
    whats = ("ceiling_at_own_rate", "share_of_ceiling", "baseline_share_of_ceiling")
    head = ["predicted", "observed", "bias", "bias_low", "bias_high", "ceiling", "share", "baseline_share"]
    rows: Table = [["model", "experiment", *head, "which_ones", "low", "high", "state"]]
    for experiment in EXPERIMENTS:
        margins = e.recorded.of("baseline_margin" if experiment == "difficulty" else "margin_at_own_rate", experiment)
        states = {model: state for state, models in e.which_ones(experiment).items() for model in models}
        for model, margin in margins.items():
            numbers: list[Cell] = [None] * len(head)
            if experiment != "difficulty":
                predicted, bias = (e.recorded[what, model, experiment] for what in ("predicted_rate", "rate_bias"))
                reached = [e.recorded[what, model, experiment].value for what in whats]
                numbers = [predicted.value, predicted.value - bias.value, bias.value, bias.low, bias.high, *reached]
            rows.append([model, experiment, *numbers, margin.value, margin.low, margin.high, states[model]])
    return rows


def models(e: Evidence) -> Table:
    """Of each model every number that a sentence correlates: for `selfexec analyze correlate`."""
    names = ("youden_j", "youden_j", "tau")
    columns = {
        "ability": e.of_all("rasch_ability"),
        "score": e.of_all("self_execution_score"),
        "score_without_lost": e.score_without_lost,
        **{experiment: e.number(experiment, "accuracy") for experiment in EXPERIMENTS},
        "restriction_without_lost": e.restriction_without_lost,
        "skill": e.skill,
        **{
            f"{experiment}_skill": {m: x.value for m, x in e.recorded.of(name, experiment).items()}
            for experiment, name in zip(EXPERIMENTS, names, strict=True)
        },
        "share": e.share,
        **{f"{x}_share": {m: found.value for m, found in e.shares(x).items()} for x in EXPERIMENTS[:2]},
        "baseline_margin": e.baseline_margin_overall,
        "log_size": {m: math.log(size) for m in e.models if (size := size_in_name(m))},
        "log_ranking_tokens": {m: math.log(x) for m, x in e.number("difficulty", "ranking_tokens_mean").items()},
    }
    return [["model", *columns], *([m, *(column.get(m) for column in columns.values())] for m in e.models)]


def rasch_abilities(e: Evidence) -> Table:
    """As printed, by Algorithm 1, and settled with item difficulties that add up to 0, with two kinds of error."""
    fit, jackknife = e.rasch.fit, e.rasch.jackknife()
    rows: Table = [["model", "printed", "algorithm_1", "ability", "se", "se_jackknife", "infit", "outfit"]]
    for k, model in enumerate(e.rates.models):
        printed, again = float(e.published[model]["rasch_ability"]), float(e.algorithm_1.fit.abilities[k])
        side = (
            fit.abilities[k],
            fit.se.abilities[k],
            jackknife[model],
            fit.infit.abilities[k],
            fit.outfit.abilities[k],
        )
        rows.append([model, printed, again, *side])
    return rows


def rasch_benchmarks(e: Evidence) -> Table:
    fit = e.rasch.fit
    rows: Table = [["benchmark", "algorithm_1", "item_difficulty", "se", "infit", "outfit"]]
    for k, benchmark in enumerate(e.rates.benchmarks):
        again = float(e.algorithm_1.fit.item_difficulties[k])
        side = (fit.item_difficulties[k], fit.se[1][k], fit.infit[1][k], fit.outfit[1][k])
        rows.append([benchmark, again, *side])
    return rows


def as_csv(table: Table, digits: int) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(_written(table, digits))
    return text.getvalue()


def _written(table: Iterable[Sequence[Cell]], digits: int) -> Iterator[list[str]]:
    for row in table:
        yield ["" if x is None else f"{x:.{digits}f}" if isinstance(x, float) else str(x) for x in row]
