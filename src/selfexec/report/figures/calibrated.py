"""What models gave a probability to, and how often it came true: a curve of one model, rows of several."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from selfexec.analysis.numbers import Calibration, Number, calibrations
from selfexec.analysis.score import Scores
from selfexec.report.figures.figure import Figure
from selfexec.report.figures.numbers import FigureNumbers, dots, signs_in
from selfexec.report.figures.said import Stand, against, by_experiment, sentence
from selfexec.report.svg import Axis, CurvePoint, RowPanel, Sign, curve, ends_of, reach, rows
from selfexec.text.numbers import count_in_a_cell, decimal, in_a_cell

BESIDE = 3  # panels beside each other
CAPTION = (
    "Claims to which the model gave a probability, in tenths of about equal count from the least probable to the most: "
    "the mean of what it gave, and the share that came true with its 95% interval. On the dashed line the model means "
    "what it says; below it, it is too sure that it would."
)
OF_SEVERAL = (
    "Above: the mean probability that a model gave, minus the share that came true (above 0 it is too sure). Below: "
    "the reliability, which is 0 where its probabilities mean what they say: the claims are divided by probability "
    "into tenths, and it is the mean squared distance between what was given in a tenth and what came true. With 95% "
    "intervals; the table has the tenths."
)
OF_PAIRS = " A claim about two questions is the order that the model holds the more probable one."
CALIBRATION = "Probabilities given, and what came true"

ByModel = Mapping[str, Calibration]


def calibrated(numbers: FigureNumbers) -> Iterator[Figure]:
    """One figure for each experiment in which probabilities were given, or, of several models, one for all: in the
    condition of the page, else in the one that differs from it in the form of the prediction alone.
    """
    condition, tables = numbers.in_probabilities
    curves_of = {experiment: _in_order(numbers, calibrations(tables, experiment)) for experiment in tables.claims}
    curves_of = {experiment: by_model for experiment, by_model in curves_of.items() if by_model}
    title = CALIBRATION + ("" if condition == numbers.condition else f" (asked in {condition})")
    if curves_of and max(map(len, curves_of.values())) > 1:
        yield _rows(numbers, title, curves_of, numbers.scores_in_probabilities)
        return
    for experiment, by_model in curves_of.items():
        yield _curve(numbers, f"{title}: {experiment.replace('_', ' ')}", experiment, by_model)


def _in_order(numbers: FigureNumbers, curves_of: ByModel) -> ByModel:
    return {model: curves_of[model] for model in numbers.models if model in curves_of}


def _curve(numbers: FigureNumbers, title: str, experiment: str, curves_of: ByModel) -> Figure:
    [(model, calibration)] = curves_of.items()
    points = [
        CurvePoint(tenth.said, tenth.came, f"{model}: given {decimal(tenth.said, 2)}, came true {tenth.came.full}")
        for tenth in calibration.tenths
    ]
    axes = Axis("probability given", (0.0, 1.0)), Axis("share that came true", (0.0, 1.0))
    signs = [Sign("main", "with 95% intervals"), Sign("half", "as much comes true as was said")]
    caption = CAPTION + (OF_PAIRS if calibration.of_pairs else "")
    id, whose = f"calibration-{experiment}", numbers.model_order.whose(model, "came true")
    svg = curve(id, title, caption, whose, points, *axes, signs)
    columns, finding = ["model", "given", "came true", "claims"], _finding(model, calibration)
    return Figure(id, title, caption, svg, columns, list(_cells(curves_of)), finding, of=experiment)


def _rows(numbers: FigureNumbers, title: str, curves_of: Mapping[str, ByModel], scores: Scores) -> Figure:
    """A row for each model and a panel for each experiment: too sure or too unsure, and how far off."""
    off = {e: _reliabilities(scores, e, by_model) for e, by_model in curves_of.items()}
    excess = {e: _excesses(by_model, off[e]) for e, by_model in curves_of.items()}
    panels = [
        *(_excess_panel(numbers, experiment, values) for experiment, values in excess.items()),
        *(_panel(numbers, experiment, "reliability", values) for experiment, values in off.items() if values),
    ]
    signs = signs_in(panels, [Sign("main", "model, with 95% interval"), Sign("half", "well calibrated")])
    pairs = any(calibration.of_pairs for by_model in curves_of.values() for calibration in by_model.values())
    caption = OF_SEVERAL + (OF_PAIRS if pairs else "")
    svg = rows(numbers.model_order, "calibration", title, caption, panels, signs, beside=BESIDE)
    cells = [[row[0], experiment, *row[1:]] for experiment, by_model in curves_of.items() for row in _cells(by_model)]
    columns = ["model", "experiment", "given", "came true", "claims"]
    return Figure("calibration", title, caption, svg, columns, cells, _finding_of_several(excess))


def _excesses(curves_of: ByModel, off: Mapping[str, Number]) -> dict[str, Number]:
    """What each gave more than came true, to be read with caution where its reliability is."""
    known = {model: calibration.excess for model, calibration in curves_of.items() if calibration.excess}
    return {model: replace(n, note=off[model].note if model in off else n.note) for model, n in known.items()}


def _reliabilities(scores: Scores, experiment: str, curves_of: ByModel) -> dict[str, Number]:
    return {
        row.model: Number(row.value, row.low, row.high, row.items, note=row.reason)
        for row in scores.of(experiment, "brier_reliability")
        if row.value is not None and row.model in curves_of
    }


def _excess_panel(numbers: FigureNumbers, experiment: str, excess: Mapping[str, Number]) -> RowPanel:
    """Open where it is too close to call whether a model is too sure or not sure enough."""
    stand = _against_zero(excess)
    panel = _panel(numbers, experiment, "given minus came true", excess, -0.1)
    called = {*stand.above, *stand.below}
    marks = [replace(dot, kind="open") if dot.kind == "main" and dot.key not in called else dot for dot in panel.dots]
    return replace(panel, dots=marks)


def _against_zero(excess: Mapping[str, Number]) -> Stand:
    """Which models surely gave more than came true, and which less."""
    return against(excess, Number(0.0, 0.0, 0.0))


def _panel(
    numbers: FigureNumbers, experiment: str, what: str, values: Mapping[str, Number], least: float = 0.0
) -> RowPanel:
    name = experiment.replace("_", " ")
    marks = dots(numbers, f"{name}: {what}", values)
    return RowPanel(name, marks, domain=reach(ends_of(values.values()), least, 0.1), line=0.0, axis=what, of=experiment)


def _cells(curves_of: ByModel) -> Iterator[list[str]]:
    for model, calibration in curves_of.items():
        for tenth in calibration.tenths:
            yield [model, in_a_cell(tenth.said), tenth.came.text, count_in_a_cell(tenth.claims, "claims")]


def _finding_of_several(excess: Mapping[str, Mapping[str, Number]]) -> str:
    """How many models give more, or less, than comes true, in which experiments."""
    clauses = []
    stands = {experiment: _against_zero(values) for experiment, values in excess.items()}
    for side, how in (("above", "too sure"), ("below", "not sure enough")):
        whom = {e: found.whom(those) for e, found in stands.items() if (those := getattr(found, side))}
        if whom:
            alone = len(whom) == 1 and all(len(getattr(stands[e], side)) == 1 for e in whom)
            clauses.append(f"{by_experiment(whom)} {'is' if alone else 'are'} {how}")
    return sentence(*clauses)


def _finding(model: str, calibration: Calibration) -> str:
    """Whether it gives more, or less, than comes true, on average over all claims, and by how much."""
    if not calibration.excess:
        return ""
    found = _against_zero({model: calibration.excess})
    how = "more" if found.above else "less"
    size = decimal(abs(calibration.excess.value), 2)
    clear = found.above or found.below
    return f"{model} gives a probability of {size} {how} than comes true, on average" if clear else ""
