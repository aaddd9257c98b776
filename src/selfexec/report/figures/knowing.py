"""Accuracy against knowing it: are models that answer more correctly also better at saying which answers these are?"""

from collections.abc import Iterator

from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import FigureNumbers, sizes, texts
from selfexec.report.figures.page_correlations import KNOWING, ability_experiments, page_correlations
from selfexec.report.figures.said import correlated
from selfexec.report.svg import Axis, Sign, Spot, ends_of, plane, reach

TITLE = "Accuracy on the log and knowing it"
CAPTION = (
    "The share of the samples that each model answered correctly, as the log's scorer has it, and the skill (Youden's "
    "J) with which it says which these are, both with 95% intervals."
)


def knowing(numbers: FigureNumbers) -> Iterator[Figure]:
    """One for each experiment on being right that was scored."""
    for experiment in ability_experiments():
        if found := _knowing(numbers, experiment):
            yield found


def _knowing(numbers: FigureNumbers, experiment: str) -> Figure | None:
    first, *_ = ability_experiments()
    name = "knowing" if experiment == first else f"knowing-{experiment}"
    accuracy, skill = numbers.scored(experiment, "base_rate"), numbers.scored(experiment, "skill")
    shown = [model for model in numbers.models if model in accuracy and model in skill]
    if not shown:
        return None
    spots = [
        Spot(
            model,
            "skill",
            accuracy[model],
            skill[model],
            f"{model}: {accuracy[model].full} correct on the log, skill {skill[model].full}"
            f"{f' ({skill[model].note})' if skill[model].note else ''}",
            "faint" if skill[model].note else "main",
        )
        for model in shown
    ]
    left, right = reach(ends_of(accuracy[model] for model in shown), 0.5, 0.6)
    low, high = reach(ends_of(skill[model] for model in shown), 0.0, 0.1)
    x = Axis("correct on the log, share of samples", (max(left, 0.0), min(right, 1.0)))
    y = Axis("skill of self-prediction", (low, min(high, 1.0)))
    signs = [Sign("main", "model, with 95% intervals"), Sign("half", "chance")]
    svg = plane(numbers.model_order, name, TITLE, CAPTION, spots, x, y, signs, line=0.0)
    table = behind(
        numbers.models,
        {
            "samples": sizes({m: accuracy[m] for m in shown}),
            "correct on the log": texts({m: accuracy[m] for m in shown}),
            "skill": texts({m: skill[m] for m in shown}),
        },
    )
    finding = correlated(
        page_correlations(numbers).get((experiment, KNOWING)),
        "Models that answer more correctly know better which answers are correct",
        "Models that answer more correctly know less well which answers are correct",
        "Models that answer more correctly are not shown to know better, or less well, which answers are correct",
    )
    return Figure(name, TITLE, CAPTION, svg, *table, finding, of=experiment)
