"""Cross-prediction: every model's predictions held against every model's behaviour."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from selfexec.analysis.cross import own_bonus, self_bonus_line
from selfexec.metrics import WARNING, Crossed, self_bonuses
from selfexec.report.figures.figure import Figure
from selfexec.report.figures.numbers import Numbers
from selfexec.report.svg import (
    GREAT_LETTERS,
    SMALL_LETTERS,
    WIDTH,
    belonging,
    box,
    breadth,
    drawing,
    escape,
    shortened,
    write,
)
from selfexec.text.numbers import decimal, signed

NAMES, OWN = 176.0, 86.0  # room for names, and for own bonuses
WIDEST, TALLEST = 56.0, 30.0  # cells
CORNER = "predictor ↓ behaviour →"
RULES = {"self_bonus": "", "self_bonus_by_rule": ", one rule of what is a refusal for all"}


def matrices(numbers: Numbers) -> Iterator[Figure]:
    """One figure for each experiment, and for restriction one more, by one rule of outcome for all models."""
    crossed = {
        (experiment, metric): found
        for experiment, claims in numbers.tables.claims.items()
        for metric, found in self_bonuses(claims).items()
    }
    for (experiment, metric), found in crossed.items():
        if len(found.common.models) > 1 and found.common.claims:
            yield _figure(numbers, experiment, metric, found)


def _figure(numbers: Numbers, experiment: str, metric: str, found: Crossed) -> Figure:
    id = f"crossed-{experiment}" + ("-by-rule" if metric == "self_bonus_by_rule" else "")
    title = f"Who predicts whom: {experiment}{RULES[metric]}"
    caption = (
        "Accuracy of each row's predictions about each column's behaviour, on claims that all of them read. Framed: "
        "models about themselves. Own bonus: accuracy about itself beyond what this predictor and this behaviour "
        f"would lead one to expect (.01 is one point). Their mean is the {self_bonus_line(found)}. {WARNING}"
    )
    # model -> its row of the matrix
    places = {m: found.common.models.index(m) for m in numbers.models if m in found.common.models}
    svg = drawing(id, title, caption, *_drawn(numbers, found, places), layout="sx-matrix")
    table = [
        [model, *(decimal(float(found.matrix[a, b])) for b in places.values()), own_bonus(found.own[a])]
        for model, a in places.items()
    ]
    return Figure(id, title, caption, svg, ["predictor", *places, "own bonus"], table)


def _drawn(numbers: Numbers, found: Crossed, places: Mapping[str, int]) -> tuple[float, list[str]]:
    """The height of the drawing, and its parts."""
    names = {model: f"{k} {numbers.name(model)}" for k, model in enumerate(places, 1)}
    left = 14 + min(max(breadth(name, SMALL_LETTERS) for name in names.values()), NAMES)
    left = max(left, breadth(CORNER, SMALL_LETTERS) + 12)
    width = min((WIDTH - left - OWN) / len(places), WIDEST)
    grid = Grid(left, 28.0, width, min(max(width, 20.0), TALLEST), len(places))
    letters = min(GREAT_LETTERS - 3, width * 0.42)
    parts = [f'<g style="--sx-cell:{letters:.1f}px">', *_head(grid)]
    for row, (model, name) in enumerate(names.items()):
        parts.append(belonging(numbers.whose(model), *_row(grid, found, places, row, model, name)))
    # above all cells, since those of the next row would cover the lower edge
    frames = (
        belonging(
            numbers.whose(model),
            box(grid.x(k) + 0.5, grid.y(k) + 0.5, grid.width - 1, grid.height - 1, "sx-own"),
        )
        for k, model in enumerate(places)
    )
    return grid.y(grid.size) + 8, [*parts, *frames, "</g>"]


@dataclass(frozen=True)
class Grid:
    left: float
    top: float
    width: float
    height: float
    size: int

    def x(self, column: int) -> float:
        return self.left + self.width * column

    def y(self, row: int) -> float:
        return self.top + self.height * row

    @property
    def right(self) -> float:
        """Where the column of own bonuses ends."""
        return self.x(self.size) + OWN - 4


def _head(grid: Grid) -> Iterator[str]:
    y = grid.top - 11
    yield write(grid.left - 8, y, CORNER, "sx-soft sx-tick", "end")
    for k in range(grid.size):
        yield write(grid.x(k) + grid.width / 2, y, str(k + 1), "sx-soft sx-tick", "middle")
    yield write(grid.right, y, "own bonus", "sx-soft sx-tick", "end")


def _row(grid: Grid, found: Crossed, places: Mapping[str, int], row: int, model: str, name: str) -> Iterator[str]:
    middle, a = grid.y(row) + grid.height / 2, places[model]
    yield write(grid.left - 8, middle, shortened(name, NAMES, SMALL_LETTERS), "sx-tick", "end", model)
    low, high = float(found.matrix.min()), float(found.matrix.max())
    for column, (other, b) in enumerate(places.items()):
        value = float(found.matrix[a, b])
        shade = 0.04 + 0.42 * ((value - low) / (high - low) if high > low else 0.0)
        place = box(grid.x(column), grid.y(row), grid.width, grid.height, "sx-heat", f' fill-opacity="{shade:.3f}"')
        number = write(grid.x(column) + grid.width / 2, middle, decimal(value, 2), "sx-cell", "middle")
        low_end, high_end = (decimal(float(end)) for end in found.cells[a, b])
        title = f"{model} about {'itself' if a == b else other}: {decimal(value)} [{low_end}, {high_end}]"
        yield f'<g class="sx-mark"><title>{escape(title)}</title>{place}{number}</g>'
    if not math.isnan(own := round(found.own[a].value, 3)):
        text = signed(own).replace("-", "−")
        yield write(grid.right, middle, text, "sx-tick", "end", f"{model}: own bonus {own_bonus(found.own[a])}")
