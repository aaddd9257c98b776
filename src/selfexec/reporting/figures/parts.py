"""Difficulty taken apart: by what decides which of two questions is the easier one, and by how clear that is."""

import math
from collections.abc import Mapping
from itertools import pairwise

from selfexec.reporting.figures.canvas import Sign
from selfexec.reporting.figures.figure import Figure, behind
from selfexec.reporting.figures.rows import Dot, Panel, dots, guesser_dots, rows, shares
from selfexec.reporting.figures.tables import RATIOS, Numbers, Part, texts

SIGNS = [Sign("main", "model, with 95% interval"), Sign("guess", "best guesser"), Sign("half", "a coin")]
BASES = {"correctness": "decided by correctness", "tokens": "decided by tokens"}


def basis(numbers: Numbers) -> Figure | None:
    title = "Rankings by what decides them"
    caption = (
        "Accuracy on pairs of which the model answers one question rightly and one wrongly, and on pairs that only the "
        "number of tokens tells apart, each beside the guesser that is best there."
    )
    found = {name: numbers.by_basis(decides) for decides, name in BASES.items()}
    return _figure(numbers, "basis", title, caption, found)


def ratio(numbers: Numbers) -> Figure | None:
    title = "Rankings by how much the answers differ in length"
    caption = (
        "Accuracy on pairs that tokens decide, by how many times as long the longer of the two answers is. Who knows "
        "the length of its own answers does better the further these are apart."
    )
    found = {f"{_name(low, high)} times": numbers.by_ratio(low, high) for low, high in pairwise(RATIOS)}
    return _figure(numbers, "ratio", title, caption, found)


def _name(low: float, high: float) -> str:
    return f"over {low:g}" if math.isinf(high) else f"{low:g} to {high:g}"


def _figure(
    numbers: Numbers, id: str, title: str, caption: str, found: Mapping[str, Mapping[str, Part]]
) -> Figure | None:
    found = {name: parts for name, parts in found.items() if parts}
    if not found:
        return None
    marks: dict[str, list[Dot]] = {}
    cells: dict[str, dict[str, str]] = {}
    for name, parts in found.items():
        own = {model: part.own for model, part in parts.items()}
        best = {model: part.best for model, part in parts.items() if part.best}
        marks[name] = [*guesser_dots(numbers, best), *dots(numbers, name, own)]
        cells |= {name: texts(own), f"{name}: groups": {m: f"{n.items:,}" for m, n in own.items()}}
        cells |= {f"{name}: best guesser": texts(best)}
    domain = shares(*marks.values())
    panels = [Panel(name, own, domain=domain, line=0.5) for name, own in marks.items()]
    svg = rows(numbers, id, title, caption, panels, SIGNS)
    return Figure(id, title, caption, svg, *behind(numbers.models, cells))
