"""What predicts a model best, next to its own prediction, experiment by experiment; the table has the whole ladder."""

from collections import Counter
from collections.abc import Iterator, Sequence

from selfexec.analysis.ladder import HEADS, LadderRow, ladder_of, signed_interval
from selfexec.analysis.names import SKILLS, baseline_name
from selfexec.experiments import EXPERIMENTS
from selfexec.metrics import ITSELF
from selfexec.report.figures.figure import Figure
from selfexec.report.figures.numbers import FigureNumbers
from selfexec.report.figures.said import Stand, by_experiment
from selfexec.report.svg import Dot, RowPanel, Sign, ends_of, reach, rows
from selfexec.text.numbers import in_a_cell, interval, joined

TITLE = "Does anything predict a model better than its own predictions do?"
# levels -> what they go by
BY = {
    ("constant",): "always the same answer",
    ("facts",): "facts about the item",
    ("text",): "its words",
    ("others_predictions", "others_behaviour"): "other models",
    ("family_predictions", "family_behaviour"): "the model's family",
    ("history",): "what the model did with other items",
}
STACKED = "stacked"  # of the others; it is what margins are over

# level -> what predicts a model there
PREDICTORS = {
    "others_behaviour": "what other models do",
    "others_predictions": "what other models predict",
    "text": "the text of an item",
    "facts": "a plain fact about an item",
    "constant": "the same answer always",
    "family_behaviour": "what its family does",
    "family_predictions": "what its family predicts",
    "history": "what it did with other items",
}


def _caption(levels: Sequence[str]) -> str:
    by = [text for these, text in BY.items() if not set(levels).isdisjoint(these)]
    return (
        "Skill of each model's own predictions and of the best predictor that goes by one of these alone, however "
        f"often each says yes: {joined(by)}."
    )


def ladder(numbers: FigureNumbers) -> Figure | None:
    """None where there is nothing but own predictions."""
    known = (row for row in ladder_of(numbers.scores) if row.measure == "skill")
    found = [row for row in known if row.skill is not None and row.model in numbers.models]
    if all(row.level in (ITSELF, "constant") for row in found):
        return None
    levels = [level for level in HEADS if any(row.level == level for row in found)]
    experiments = [e for e in EXPERIMENTS if any(row.experiment == e for row in found)]
    found.sort(key=lambda row: numbers.models.index(row.model))
    panels = [_panel(e, [row for row in found if row.experiment == e]) for e in experiments]
    signs = [Sign("main", "own prediction, with 95% interval"), Sign("baseline", "best single predictor")]
    if any(row.reason for row in found if row.level == ITSELF):
        signs.append(Sign("faint", "with caution"))
    caption = _caption(levels)
    svg = rows(numbers.model_order, "ladder", TITLE, caption, panels, signs)
    return Figure("ladder", TITLE, caption, svg, *_table(numbers, found, levels, experiments), _finding(found))


def _finding(rows: Sequence[LadderRow]) -> str:
    """The one level that predicts most models better than they predict themselves, adjusted for all (Holm); the
    stacked ones aside.
    """
    behind = [row for row in rows if row.own_prediction == "behind" and row.level in PREDICTORS]
    if not behind:
        return ""
    counts = Counter(row.level for row in behind)
    level = max(PREDICTORS, key=lambda one: counts[one])
    whose: dict[str, str] = {}
    for experiment in dict.fromkeys(row.experiment for row in rows):
        held = [row for row in rows if (row.level, row.experiment) == (level, experiment)]
        if those := [row.model for row in held if row.own_prediction == "behind"]:
            whose[experiment] = Stand(tuple(row.model for row in held), (), tuple(those)).whom(those)
    alone = len({row.model for row in rows}) == 1
    whom = by_experiment(whose)
    return (
        f"Going by {PREDICTORS[level]} is a better guide to {whom} than {'its' if alone else 'their'} own predictions"
    )


def _panel(experiment: str, found: Sequence[LadderRow]) -> RowPanel:
    dots = [dot for row in found if row.level == ITSELF for dot in _dots(row, found)]
    title, axis = experiment.replace("_", " "), SKILLS[EXPERIMENTS[experiment].claim_kind]
    return RowPanel(title, dots, domain=reach(ends_of(dots), 0.0, 1.0), tied=True, axis=axis, of=experiment)


def _dots(own: LadderRow, found: Sequence[LadderRow]) -> Iterator[Dot]:
    """The best of the others, and the model's own prediction."""
    assert own.skill is not None
    others = [row for row in found if row.model == own.model and row.level not in (ITSELF, STACKED)]
    if others:
        best = max(others, key=lambda row: (round(row.skill or 0.0, 9), row.level))  # the same whatever the order
        said = f"{best.model}, {HEADS[best.level]} ({baseline_name(best.baseline)}) in {best.experiment}"
        difference = "" if best.difference is None else f"; its own prediction less that: {signed_interval(best)}"
        skill = interval(best.skill, best.low, best.high)
        yield Dot(best.model, "best single predictor", best.skill or 0.0, f"{said}: {skill}{difference}", "baseline")
    caution = f" ({own.reason})" if own.reason else ""
    title = f"{own.model}, its own prediction in {own.experiment}: {interval(own.skill, own.low, own.high)}{caution}"
    yield Dot(own.model, "itself", own.skill, title, "faint" if own.reason else "main", own.low, own.high)


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
