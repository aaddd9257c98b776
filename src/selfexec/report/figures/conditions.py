"""The same asked in several conditions: skill in each beside that in the condition of all other figures; and AUROC in
those of probabilities, beside that in the one that differs from the page's in the form alone.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from selfexec.analysis.in_probabilities import condition_in_probabilities
from selfexec.analysis.numbers import Number
from selfexec.analysis.score import Scores
from selfexec.experiments import EXPERIMENTS
from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import FigureNumbers, dots, signs_of, texts
from selfexec.report.figures.said import sentence, stand
from selfexec.report.svg import RowPanel, Sign, ends_of, reach, rows
from selfexec.text.numbers import all_of

MOST = 3  # panels beside each other


@dataclass(frozen=True)
class _Measure:
    """What is shown in each condition. `caption` takes the condition that the others are held against."""

    metric: str
    id: str
    title: str
    caption: str
    axis: str
    chance: float


SKILL = _Measure(
    "skill",
    "conditions",
    "Asked in other conditions: ",
    "Skill in each condition that was asked for (dot), next to that in the condition {here}, which all other "
    "figures are of (dash); both are held against the same behaviour where a condition does not touch it.",
    "skill",
    0.0,
)
AREA = _Measure(
    "auroc",
    "conditions-auroc",
    "Asked for probabilities in other conditions: ",
    "AUROC in each condition in which probabilities were asked for (dot), next to that in {here} (dash): of "
    "something that came true and something that did not, how often the first was given the higher probability; both "
    "are held against the same behaviour where a condition does not touch it.",
    "AUROC",
    0.5,
)


def conditions(numbers: FigureNumbers) -> Iterator[Figure]:
    """By each measure one figure overall, and one for each experiment that a condition touches."""
    if (scores := numbers.conditions) is None:
        return
    yield from _figures_by(SKILL, numbers, scores, numbers.condition)
    in_probabilities = condition_in_probabilities(numbers.condition, scores.conditions)
    yield from _figures_by(AREA, numbers, scores, in_probabilities or numbers.condition)


def _figures_by(measure: _Measure, numbers: FigureNumbers, scores: Scores, here: str) -> Iterator[Figure]:
    for experiment in ("overall", *EXPERIMENTS):
        found = {one: _known(measure, numbers, scores, experiment, one) for one in scores.conditions}
        of_page = found.pop(here)
        found = {condition: values for condition, values in found.items() if _apart(values, of_page)}
        if of_page and found:
            yield _figure(measure, numbers, experiment, here, of_page, found)


def _known(
    measure: _Measure, numbers: FigureNumbers, scores: Scores, experiment: str, condition: str
) -> dict[str, Number]:
    rows = {row.model: row for row in scores.under(condition).of(experiment, measure.metric)}
    return {
        model: Number(row.value, row.low, row.high, row.items, note=row.reason)
        for model in numbers.models
        if (row := rows.get(model)) and row.value is not None
    }


def _apart(skills: Mapping[str, Number], of_page: Mapping[str, Number]) -> bool:
    """Whether a condition makes any difference: it may touch nothing of an experiment."""
    return any(model in of_page and number.value != of_page[model].value for model, number in skills.items())


def _figure(
    measure: _Measure,
    numbers: FigureNumbers,
    experiment: str,
    here: str,
    of_page: Mapping[str, Number],
    found: Mapping[str, Mapping[str, Number]],
) -> Figure:
    title, caption = f"{measure.title}{experiment.replace('_', ' ')}", measure.caption.format(here=here)
    id = f"{measure.id}-{experiment}"
    ends = ends_of(number for skills in (of_page, *found.values()) for number in skills.values())
    domain = reach(ends, measure.chance, measure.chance + 0.5)
    panels = []
    for condition, skills in found.items():
        both = {model: number for model, number in of_page.items() if model in skills}
        marks = [*dots(numbers, here, both, "baseline", interval=False), *dots(numbers, condition, skills)]
        panels.append(
            RowPanel(
                condition.replace(",", ", ").replace("=", " = "),
                marks,
                domain=domain,
                tied=True,
                line=measure.chance,
                axis=measure.axis,
            )
        )
    signs = [Sign("main", "in this condition, with 95% interval"), Sign("baseline", here), Sign("half", "chance")]
    signs = signs_of(signs, *found.values())
    svg = rows(numbers.model_order, id, title, caption, panels, signs, beside=MOST)
    cells = {condition: texts(skills) for condition, skills in ((here, of_page), *found.items())}
    table = behind(numbers.models, cells)
    finding = _finding(here, of_page, found)
    of = "" if experiment == "overall" or not finding else f"{experiment.replace('_', ' ').capitalize()}: "
    finding = f"{of}{finding}" if of else sentence(finding)
    return Figure(id, title, caption, svg, *table, finding)


def _finding(here: str, of_page: Mapping[str, Number], found: Mapping[str, Mapping[str, Number]]) -> str:
    """In which conditions the predictions of most models fit what they do less well, or better."""
    stands = {condition: stand(skills, of_page) for condition, skills in found.items()}
    clauses = []
    for how, side in (("less well", "below"), ("better", "above")):
        counts = {condition: len(getattr(one, side)) for condition, one in stands.items()}
        if most := max(counts.values()):
            where = [condition for condition, n in counts.items() if n == most]
            those = stands[where[0]]
            whom = those.whom(getattr(those, side))
            its = "its" if most == 1 else "their"
            # their names are long: the heads of the panels have them
            count = all_of(len(where)) if len(where) == len(found) else f"{len(where)} of {len(found)}"
            named = where[0] if len(where) == 1 else f"{count} other conditions"
            clauses.append(f"the predictions of {whom} fit {its} own behaviour {how} in {named} than in {here}")
    return "; ".join(clauses)
