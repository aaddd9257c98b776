"""Cross-prediction: every model's predictions held against every model's behaviour."""

import math
import re
from collections.abc import Iterator, Mapping

import numpy as np

from selfexec.analysis.cross import OWN, by_other, own_bonus, self_bonus_line
from selfexec.metrics import NO_EVIDENCE, WARNING, Crossed, self_bonuses
from selfexec.report.figures.figure import Figure
from selfexec.report.figures.numbers import FigureNumbers
from selfexec.report.svg import Cell, MatrixRow, matrix
from selfexec.text.numbers import decimal, in_a_cell, points, signed, typeset

KEY = "less, or more, accurate than row and column suggest"
BEYOND = "what is left without how well the row predicts anyone, and how easily the column is predicted"
PLAIN = "the accuracy itself, the more the deeper"
OWN_BONUS = (
    "Own bonus: accuracy about itself beyond what this predictor and this behaviour would lead one to expect (.01 is "
    "one point). Their mean is the "
)


def matrices(numbers: FigureNumbers) -> Iterator[Figure]:
    """One figure for each experiment, and one more for each further source of what was done."""
    for experiment, claims in numbers.tables.claims.items():
        for metric, found in self_bonuses(claims).items():
            if len(found.common.models) > 1 and found.common.claims:
                yield _figure(numbers, experiment, metric, found)


def _figure(numbers: FigureNumbers, experiment: str, metric: str, found: Crossed) -> Figure:
    id = f"crossed-{experiment}" + (f"-by-{_plain(found.common.source)}" if metric != OWN else "")
    title = f"Who predicts whom: {experiment}{by_other(metric, found, all_models=' for all')}"
    known, line = bool(np.isfinite(found.beyond).all()), self_bonus_line(found)
    caption = (
        "Accuracy of each row's predictions about each column's behaviour, on claims that all of them read; the colour "
        f"is {BEYOND if known else PLAIN}. Framed: models about themselves. "
        f"{OWN_BONUS + line if found.has_own else line[0].upper() + line[1:]}. {WARNING}"
    )
    # model -> its row of the matrix
    places = {m: found.common.models.index(m) for m in numbers.models if m in found.common.models}
    lines = {model: _line(found, places, model) for model in places}
    heads = ("predictor ↓ behaviour →", "own bonus" if known and found.has_own else "")
    svg = matrix(
        numbers.model_order,
        id,
        title,
        caption,
        lines,
        *heads,
        of=experiment,
        around_zero=known,
        colours=KEY if known else None,
    )
    table = [
        [
            model,
            *(in_a_cell(float(found.matrix[a, b])) for b in places.values()),
            *([_own(found, a)] if found.has_own else []),
        ]
        for model, a in places.items()
    ]
    columns = ["predictor", *places, *(["own bonus"] if found.has_own else [])]
    finding = _finding(experiment, metric, found)
    return Figure(id, title, caption, svg, columns, table, finding)


def _finding(experiment: str, metric: str, found: Crossed) -> str:
    """How accurate models are about themselves beyond row and column: with what that is not."""
    low, high = found.interval
    if found.reason or math.isnan(low):
        return ""
    size = f"{points(abs(found.gamma)).removeprefix('+')} points {'more' if found.gamma > 0 else 'less'}"
    how = f"{size} accurate about themselves than rows and columns lead one to expect: {NO_EVIDENCE}"
    if low <= 0 <= high:
        how = (
            "not shown to be more or less accurate about themselves than rows and columns lead one to expect "
            f"({points(found.gamma)} points [{points(low)}, {points(high)}]: the interval reaches 0)"
        )
    return f"{experiment.capitalize()}{by_other(metric, found, all_models=' for all')}: models are {how}"


def _own(found: Crossed, a: int) -> str:
    own = found.own[a]
    return "" if math.isnan(own.value) else in_a_cell(own.value, *own.interval)


def _plain(source: str) -> str:
    """As it may stand in the name of a file and of an element."""
    return re.sub(r"[^a-z0-9]+", "-", source.lower()).strip("-")


def _line(found: Crossed, places: Mapping[str, int], model: str) -> MatrixRow:
    a, cells = places[model], []
    values, ends, left = (part[a].tolist() for part in (found.matrix, found.cells, found.beyond))
    for other, b in places.items():
        value, (low, high) = values[b], map(decimal, ends[b])
        title = f"{model} about {'itself' if a == b else other}: {decimal(value)} [{low}, {high}]"
        if math.isfinite(beyond := left[b]):
            title += f", {signed(beyond)} beyond its row and column"
        cells.append(Cell(beyond if math.isfinite(beyond) else value, decimal(value, 2), title))
    if math.isnan(own := round(found.own[a].value, 3)):
        return MatrixRow(cells)
    return MatrixRow(cells, typeset(signed(own)), f"{model}: own bonus {own_bonus(found.own[a])}")
