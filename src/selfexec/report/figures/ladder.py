"""What predicts a model best, next to its own prediction, experiment by experiment; the table has the whole ladder."""

from collections import Counter
from collections.abc import Iterator, Sequence

from selfexec.analysis.ladder import HEADS, LadderRow, ladder_of, signed_interval
from selfexec.analysis.names import SKILLS, baseline_name
from selfexec.experiments import EXPERIMENTS
from selfexec.metrics import ITSELF
from selfexec.report.figures.figure import Figure
from selfexec.report.figures.numbers import FigureNumbers, signs_in
from selfexec.report.figures.said import Stand, by_experiment
from selfexec.report.svg import Dot, Kind, RowPanel, Sign, ends_of, reach, rows
from selfexec.text.numbers import in_a_cell, interval, joined

TITLE = "Does anything predict a model better than its own predictions do?"
FACTS = "facts"
# level -> what predicts a model there
PREDICTORS = {
    "others_behaviour": "what other models do",
    "others_predictions": "what other models predict",
    "text": "the text of an item",
    FACTS: "a plain fact about an item",
    "constant": "the same answer always",
    "family_behaviour": "what its family does",
    "family_predictions": "what its family predicts",
    "history": "what it did with other items",
}
COLUMNS = {**PREDICTORS, "stacked": "the stacked baseline", ITSELF: "its own prediction"}
CAPTION = (
    "Skill of each model's own predictions and of going by {} alone, however often each says yes; the table has what "
    "else predicts a model."
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
    behind = Counter(row.level for row in found if row.own_prediction == "behind")
    shown = max((one for one in PREDICTORS if one in levels), key=lambda one: behind[one])
    panels = [
        _panel(e, [row for row in found if row.experiment == e and row.level in (ITSELF, shown)]) for e in experiments
    ]
    signs = [Sign("main", "own prediction, with 95% interval"), Sign("baseline", PREDICTORS[shown])]
    caption = CAPTION.format(PREDICTORS[shown]) + (_facts(found) if shown == FACTS else "")
    svg = rows(numbers.model_order, "ladder", TITLE, caption, panels, signs_in(panels, signs))
    return Figure("ladder", TITLE, caption, svg, *_table(numbers, found, levels, experiments), _finding(found, shown))


def _facts(rows: Sequence[LadderRow]) -> str:
    """Which fact it is in each experiment that has one."""
    facts = {row.experiment: baseline_name(row.baseline) for row in rows if row.level == FACTS}
    return f" The fact is {joined([f'the {fact} in {e.replace(chr(95), chr(32))}' for e, fact in facts.items()])}."


def _finding(rows: Sequence[LadderRow], level: str) -> str:
    """Which models it predicts better than they predict themselves, adjusted for all levels (Holm)."""
    whose: dict[str, str] = {}
    models: set[str] = set()
    for experiment in dict.fromkeys(row.experiment for row in rows):
        held = [row for row in rows if (row.level, row.experiment) == (level, experiment)]
        if those := [row.model for row in held if row.own_prediction == "behind"]:
            whose[experiment] = Stand((), tuple(those), len(held)).whom(those)
            models |= {*those}
    whom = f"{by_experiment(whose)} than {'its' if len(models) == 1 else 'their'} own predictions" if models else ""
    return whom and f"Going by {PREDICTORS[level]} is a better guide to {whom}"


def _panel(experiment: str, found: Sequence[LadderRow]) -> RowPanel:
    dots = [dot for row in found if row.level == ITSELF for dot in _dots(row, found)]
    title, axis = experiment.replace("_", " "), SKILLS[EXPERIMENTS[experiment].claim_kind]
    return RowPanel(title, dots, domain=reach(ends_of(dots), 0.0, 1.0), tied=True, axis=axis, of=experiment)


def _dots(own: LadderRow, found: Sequence[LadderRow]) -> Iterator[Dot]:
    """The other predictor, and the model's own prediction."""
    assert own.skill is not None
    for other in (row for row in found if row.model == own.model and row.level != ITSELF):
        said = f"{other.model}, {HEADS[other.level]} ({baseline_name(other.baseline)}) in {other.experiment}"
        difference = "" if other.difference is None else f"; its own prediction less that: {signed_interval(other)}"
        skill = interval(other.skill, other.low, other.high)
        yield Dot(other.model, HEADS[other.level], other.skill or 0.0, f"{said}: {skill}{difference}", "baseline")
    caution = f" ({own.reason})" if own.reason else ""
    title = f"{own.model}, its own prediction in {own.experiment}: {interval(own.skill, own.low, own.high)}{caution}"
    is_open = any(row.model == own.model and row.own_prediction == "open" for row in found if row.level != ITSELF)
    kind: Kind = "faint" if own.reason else "open" if is_open else "main"
    yield Dot(own.model, "itself", own.skill, title, kind, own.low, own.high)


def _table(
    numbers: FigureNumbers, rows: list[LadderRow], levels: list[str], experiments: list[str]
) -> tuple[list[str], list[list[str]]]:
    cells = {(r.model, r.experiment, r.level): in_a_cell(r.skill, r.low, r.high) for r in rows if r.skill is not None}
    found = [
        [model, experiment, *(cells.get((model, experiment, level), "") for level in levels)]
        for experiment in experiments
        for model in numbers.models
        if (model, experiment, ITSELF) in cells
    ]
    return ["model", "experiment", *(COLUMNS[level] for level in levels)], found
