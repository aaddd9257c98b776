"""The ladder: what each model's own prediction tells of it beside all else that predicts it, experiment by
experiment.
"""

from collections import Counter
from collections.abc import Sequence

from selfexec.analysis.ladder import HEADS, NO_TEST, LadderRow, ladder_of, signed_interval
from selfexec.analysis.names import SKILLS, baseline_name
from selfexec.analysis.numbers import Number
from selfexec.experiments import EXPERIMENTS
from selfexec.metrics import ITSELF
from selfexec.report.figures.figure import Figure
from selfexec.report.figures.numbers import FigureNumbers
from selfexec.report.figures.said import Stand, by_experiment
from selfexec.report.svg import PlotFacet, Series, Sign, Step, reach, steps
from selfexec.text.numbers import in_a_cell, interval

TITLE = "Which predictor is most accurate: the model itself or another?"
# levels -> what they go by
BY = {
    ("constant",): "same: always the same answer",
    ("facts",): "facts: a request's label, a question's length",
    ("text",): "text: the words of an item",
    ("others_predictions", "others_behaviour"): "others predict, others do: on the very item",
    ("stacked",): "all: these stacked, which margins are over",
    ("family_predictions", "family_behaviour"): "family: other models of its family, on the very item",
    ("history",): "history: its own behaviour with other items",
}
MANY = 30  # models: intervals of more would be one patch of colour


def _caption(levels: Sequence[str], several: bool, faint: bool, intervals: bool) -> str:
    """Of what is drawn, and of nothing else."""
    own = "its own prediction (right, with its 95% interval)" if intervals else "its own prediction (right)"
    by = "; ".join(text for these, text in BY.items() if not set(levels).isdisjoint(these))
    joins = " A line joins what is about one model." if several else ""
    pale = " Drawn faintly: to be read with caution, as the mark tells." if faint else ""
    who = f"Skill of all who might predict a model, from who knows least of it (left) to {own}."
    return f"{who} {by}.{joins}{pale} {NO_TEST}"


# level -> that it tells of a model
TELLS = {
    "others_behaviour": "What other models do tells",
    "others_predictions": "What other models predict tells",
    "text": "The text of an item tells",
    "facts": "A plain fact of an item tells",
    "constant": "Always the same answer tells",
    "family_behaviour": "What its family does tells",
    "family_predictions": "What its family predicts tells",
    "history": "A model's history tells",
}


def ladder(numbers: FigureNumbers) -> Figure | None:
    """None where there is nothing but own predictions."""
    rows = [row for row in ladder_of(numbers.scores) if row.skill is not None and row.model in numbers.models]
    if all(row.level in (ITSELF, "constant") for row in rows):
        return None
    levels = [level for level in HEADS if any(row.level == level for row in rows)]
    found = [e for e in EXPERIMENTS if any(row.experiment == e for row in rows)]
    plot_facets = [
        _plot_facet(numbers, experiment, [row for row in rows if row.experiment == experiment]) for experiment in found
    ]
    places = [HEADS[level] for level in levels]
    models = {row.model for row in rows}
    faint = any(row.reason for row in rows if row.level == ITSELF)
    caption = _caption(levels, len(models) > 1, faint, len(models) <= MANY)
    own = "its own prediction, with 95% interval" if len(models) <= MANY else "its own prediction"
    signs = [Sign("main", own), Sign("small", "another predictor"), Sign("half", "chance")]
    svg = steps("ladder", TITLE, caption, places, plot_facets, axis="skill", signs=signs, line=0.0)
    return Figure("ladder", TITLE, caption, svg, *_table(numbers, rows, levels, found), _finding(rows))


def _finding(rows: Sequence[LadderRow]) -> str:
    """The one level that tells more than the own prediction of most models, adjusted for all (Holm); those stacked
    aside.
    """
    behind = [row for row in rows if row.own_prediction == "behind" and row.level in TELLS]
    if not behind:
        return ""
    counts = Counter(row.level for row in behind)
    level = max(TELLS, key=lambda one: counts[one])
    whose: dict[str, str] = {}
    for experiment in dict.fromkeys(row.experiment for row in rows):
        judged = [r for r in rows if (r.level, r.experiment) == (level, experiment) and r.own_prediction is not None]
        if those := [row.model for row in judged if row.own_prediction == "behind"]:
            whose[experiment] = Stand(tuple(row.model for row in judged), (), tuple(those)).whom(those)
    alone = len({row.model for row in rows}) == 1
    return (
        f"{TELLS[level]} more of {by_experiment(whose)} than "
        f"{'its own prediction' if alone else 'their own predictions'}"
    )


def _plot_facet(numbers: FigureNumbers, experiment: str, rows: list[LadderRow]) -> PlotFacet:
    series = [
        Series(
            numbers.model_order.whose(model),
            numbers.model_order.labels[model],
            {HEADS[row.level]: _step(row, len(numbers.models) <= MANY) for row in rows if row.model == model},
        )
        for model in numbers.models
    ]
    ends = [end for row in rows if row.level == ITSELF for end in (row.low, row.high) if end is not None]
    values = [row.skill for row in rows if row.skill is not None]
    title = f"{experiment.replace('_', ' ')}, {SKILLS[EXPERIMENTS[experiment].kind]}"
    return PlotFacet(title, [curve for curve in series if curve.steps], reach([*values, *ends], 0.0, 0.1), experiment)


def _step(row: LadderRow, whole: bool) -> Step:
    """Only the model's own prediction has its interval drawn, where it is `whole`; those of the others are shown on
    hover.
    """
    assert row.skill is not None
    said = interval(row.skill, row.low, row.high)
    if row.level == ITSELF:
        caution = f" ({row.reason})" if row.reason else ""
        title = f"{row.model}, its own prediction in {row.experiment}: {said}{caution}"
        ends = (row.low, row.high) if whole else (None, None)
        return Step(Number(row.skill, *ends), title, "faint" if row.reason else "main")
    beside = "" if row.difference is None else f"; its own prediction less that: {signed_interval(row)}"
    title = f"{row.model}, {HEADS[row.level]} ({baseline_name(row.baseline)}) in {row.experiment}: {said}{beside}"
    return Step(Number(row.skill), title)


def _table(
    numbers: FigureNumbers, rows: list[LadderRow], levels: list[str], experiments: list[str]
) -> tuple[list[str], list[list[str]]]:
    cells = {
        (row.model, row.experiment, row.level): in_a_cell(row.skill, row.low, row.high)
        for row in rows
        if row.skill is not None
    }
    found = [
        [model, experiment, *(cells.get((model, experiment, level), "") for level in levels)]
        for experiment in experiments
        for model in numbers.models
        if (model, experiment, ITSELF) in cells
    ]
    return ["model", "experiment", *(HEADS[level] for level in levels)], found
