"""Cross-prediction: every model's predictions held against every model's behaviour."""

import math
from collections.abc import Iterator

from selfexec.reporting.figures.canvas import (
    GREAT_LETTERS,
    WIDTH,
    belonging,
    box,
    breadth,
    drawing,
    escape,
    shortened,
    write,
)
from selfexec.reporting.figures.figure import Figure
from selfexec.reporting.figures.tables import Numbers
from selfexec.scores.cross import Crossed
from selfexec.scores.crossed import self_bonus_line
from selfexec.scores.table import decimal

NAMES, OWN, TALLEST = 186.0, 62.0, 30.0
RULES = {"self_bonus": "", "self_bonus_by_rule": ", one rule of what is a refusal for all"}


def matrices(numbers: Numbers) -> Iterator[Figure]:
    """One figure for each experiment, and for restriction one more, by one rule of outcome for all models."""
    for (experiment, metric), found in numbers.crossed.items():
        if len(found.common.models) > 1 and found.common.claims:
            yield _figure(numbers, experiment, metric, found)


def _figure(numbers: Numbers, experiment: str, metric: str, found: Crossed) -> Figure:
    id = f"crossed-{experiment}" + ("-by-rule" if metric == "self_bonus_by_rule" else "")
    title = f"Who predicts whom: {experiment}{RULES[metric]}"
    caption = (
        f"Accuracy of each row's predictions about each column's behaviour, on claims that all of them read. Framed: "
        f"models about themselves. Own bonus: accuracy about itself beyond what this predictor and this behaviour "
        f"would lead one to expect. {self_bonus_line(found).capitalize()}."
    )
    order = [model for model in numbers.models if model in found.common.models]
    places = [found.common.models.index(model) for model in order]
    svg = drawing(id, title, caption, *_drawn(numbers, found, order, places))
    columns = ["predictor", *order, "own bonus"]
    table = [[m, *(decimal(float(found.matrix[k, b])) for b in places), _own(found, k)] for m, k in zip(order, places)]
    return Figure(id, title, caption, svg, columns, table)


def _drawn(numbers: Numbers, found: Crossed, order: list[str], places: list[int]) -> tuple[float, list[str]]:
    left = min(max(breadth(f"{k} {numbers.name(m)}", 14) for k, m in enumerate(order, 1)), NAMES) + 14
    width = min((WIDTH - left - OWN) / len(order), 56.0)
    height, top = min(max(width, 20.0), TALLEST), 28.0
    letters = min(GREAT_LETTERS - 3, width * 0.42)
    low, high = float(found.matrix.min()), float(found.matrix.max())
    parts = [f'<g style="--sx-cell:{letters:.1f}px">']
    for column, _ in enumerate(order):
        parts.append(write(left + width * (column + 0.5), top - 11, str(column + 1), "sx-soft sx-tick", "middle"))
    parts.append(write(left + width * len(order) + OWN - 4, top - 11, "own", "sx-soft sx-tick", "end"))
    for row, (model, a) in enumerate(zip(order, places, strict=True)):
        y = top + height * row
        short = shortened(f"{row + 1} {numbers.name(model)}", NAMES, 14)
        cells = [write(left - 8, y + height / 2, short, anchor="end", title=model)]
        for column, (other, b) in enumerate(zip(order, places, strict=True)):
            share = (float(found.matrix[a, b]) - low) / (high - low) if high > low else 0.0
            title = f"{model} about {'itself' if a == b else other}: {decimal(float(found.matrix[a, b]))}"
            cells.append(_cell(left + width * column, y, width, height, share, float(found.matrix[a, b]), title))
        own = found.own[a]
        if not math.isnan(own):
            x = left + width * len(order) + OWN - 4
            cells.append(write(x, y + height / 2, _own(found, a), "sx-tick", "end", f"{model}: own bonus"))
        parts.append(belonging(numbers.whose(model), *cells))
    for k in range(len(order)):
        parts.append(box(left + width * k + 0.5, top + height * k + 0.5, width - 1, height - 1, "sx-own"))
    return top + height * len(order) + 8, [*parts, "</g>"]


def _cell(x: float, y: float, width: float, height: float, share: float, value: float, title: str) -> str:
    opacity = f' fill-opacity="{0.04 + 0.42 * share:.3f}"'
    number = f"{value:.2f}".lstrip("0")
    return (
        f"<g><title>{escape(title)}</title>{box(x, y, width, height, 'sx-heat', opacity)}"
        f"{write(x + width / 2, y + height / 2, number, 'sx-cell', 'middle')}</g>"
    )


def _own(found: Crossed, model: int) -> str:
    own = float(found.own[model])
    return "" if math.isnan(own) else f"{own:+.3f}".replace("0.", ".", 1).replace("-", "−")
