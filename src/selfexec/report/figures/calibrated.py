"""What models gave a probability to, and how often it came true."""

from collections.abc import Iterator, Mapping

from selfexec.analysis.numbers import Calibration, Number, calibrations
from selfexec.report.figures.figure import Figure
from selfexec.report.figures.numbers import FigureNumbers
from selfexec.report.figures.said import across, against, sentence
from selfexec.report.svg import Axis, Curve, LinePoint, Sign, lines
from selfexec.text.numbers import count_in_a_cell, decimal, in_a_cell

CAPTION = (
    "Claims to which a model gave a probability, in tenths of it: the mean of what it gave, and the share that came "
    "true with its 95% interval; below the dashed line the model is too sure that it would."
)


def calibrated(numbers: FigureNumbers) -> Iterator[Figure]:
    """One figure for each experiment in which probabilities were given."""
    for experiment in numbers.tables.claims:
        found = calibrations(numbers.tables, experiment)
        if found := {model: found[model] for model in numbers.models if model in found}:
            yield _figure(numbers, experiment, found)


def _figure(numbers: FigureNumbers, experiment: str, found: Mapping[str, Calibration]) -> Figure:
    title = f"Probabilities given, and what came true: {experiment.replace('_', ' ')}"
    curves = [
        Curve(
            numbers.model_order.whose(model, "came true"),
            numbers.model_order.labels[model],
            [
                LinePoint(
                    tenth.said, tenth.came, f"{model}: given {decimal(tenth.said, 2)}, came true {tenth.came.full}"
                )
                for tenth in one.tenths
            ],
        )
        for model, one in found.items()
    ]
    axes = Axis("probability given", (0.0, 1.0)), Axis("share that came true", (0.0, 1.0))
    signs = [Sign("main", "model, with 95% intervals"), Sign("half", "as much comes true as was said")]
    svg = lines(f"calibration-{experiment}", title, CAPTION, curves, *axes, signs=signs, diagonal=True)
    cells = [
        [model, in_a_cell(tenth.said), tenth.came.text, count_in_a_cell(tenth.claims, "claims")]
        for model, one in found.items()
        for tenth in one.tenths
    ]
    columns = ["model", "given", "came true", "claims"]
    return Figure(f"calibration-{experiment}", title, CAPTION, svg, columns, cells, _finding(found), of=experiment)


def _finding(found: Mapping[str, Calibration]) -> str:
    """Who gives more, or less, than comes true, on average over all claims, and by how much."""
    excess = {model: one.excess for model, one in found.items() if one.excess}
    of = against(excess, Number(0.0, 0.0, 0.0))
    clauses = []
    for those, how in ((of.above, "more"), (of.below, "less")):
        if those:
            sizes = across(Number(abs(excess[model].value)) for model in those)
            verb = "gives" if len(those) == 1 else "give"
            clauses.append(f"{of.whom(those)} {verb} a probability of {sizes} {how} than comes true, on average")
    return sentence(*clauses)
