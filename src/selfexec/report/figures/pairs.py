"""Difficulty taken apart: by what decides which of two questions is the easier one, and by how clear that is."""

import math
from collections.abc import Mapping
from itertools import pairwise

from selfexec.analysis.numbers import Number, Pairs, PairsPart, by_basis, by_ratio, pairs_of
from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import BASELINE, FigureNumbers, baseline_dots, dots, sizes, texts
from selfexec.report.figures.said import sentence, stand
from selfexec.report.svg import Dot, RowPanel, Sign, rows, shares

EXPERIMENT = "difficulty"
SIGNS = [Sign("main", "model, with 95% interval"), Sign("baseline", BASELINE), Sign("half", "a coin")]
BASES = {"correctness": "decided by correctness", "tokens": "decided by tokens"}
RATIOS = (1.0, 1.25, 1.5, 2.0, math.inf)  # of the longer answer's tokens to the shorter one's


def taken_apart(numbers: FigureNumbers) -> list[Figure]:
    """By what decides, and by the ratio of tokens."""
    found = pairs_of(numbers.tables, EXPERIMENT, numbers.strict)
    return [figure for figure in (_basis(numbers, found), _ratio(numbers, found)) if figure]


def _basis(numbers: FigureNumbers, pairs: Mapping[str, Pairs]) -> Figure | None:
    title = "Rankings by what decides them"
    caption = (
        "Accuracy on pairs where the model answers one question rightly and one wrongly, and on pairs that only the "
        "number of tokens tells apart, each beside the baseline that is right most often there."
    )
    found = {name: by_basis(pairs, basis) for basis, name in BASES.items()}
    tokens, correctness = (own_of(found[BASES[basis]]) for basis in ("tokens", "correctness"))
    better = stand(tokens, correctness)
    clauses = [
        f"{better.whom(those)} {'ranks' if len(better.judged) == 1 else 'rank'} pairs better that {what}"
        for those, what in ((better.above, "tokens decide"), (better.below, "correctness decides"))
        if those
    ]
    return _figure(numbers, "basis", title, caption, found, sentence(*clauses))


def _ratio(numbers: FigureNumbers, pairs: Mapping[str, Pairs]) -> Figure | None:
    title = "Rankings by how much the answers differ in length"
    caption = (
        "Accuracy on pairs that tokens decide, by how many times as long the longer of the two answers is. Who knows "
        "the length of its own answers does better the further these are apart."
    )
    found = {f"{_name(low, high)} times": by_ratio(pairs, low, high) for low, high in pairwise(RATIOS)}
    least, *_, most = (own_of(parts) for parts in found.values())
    better = stand(most, least)
    said = f"{better.whom(better.above)} {'ranks' if len(better.judged) == 1 else 'rank'} better where answers differ "
    said += f"over {RATIOS[-2]:g} times in length than where they differ less than {RATIOS[1]:g} times"
    return _figure(numbers, "ratio", title, caption, found, sentence(said) if better.above else "")


def own_of(parts: Mapping[str, PairsPart]) -> dict[str, Number]:
    return {model: part.own for model, part in parts.items()}


def _name(low: float, high: float) -> str:
    return f"over {low:g}" if math.isinf(high) else f"{low:g} to {high:g}"


def _figure(
    numbers: FigureNumbers,
    id: str,
    title: str,
    caption: str,
    found: Mapping[str, Mapping[str, PairsPart]],
    finding: str,
) -> Figure | None:
    found = {name: parts for name, parts in found.items() if parts}
    if not found:
        return None
    marks: dict[str, list[Dot]] = {}
    cells: dict[str, dict[str, str]] = {}
    for name, parts in found.items():
        own = own_of(parts)
        baselines = {model: part.baseline for model, part in parts.items() if part.baseline}
        marks[name] = [*baseline_dots(numbers, baselines), *dots(numbers, name, own)]
        cells |= {name: texts(own), f"{name}: groups": sizes(own)}
        cells |= {f"{name}: {BASELINE}": texts(baselines)}
    domain = shares(*marks.values())
    panels = [RowPanel(name, own, domain=domain, line=0.5, axis="accuracy") for name, own in marks.items()]
    svg = rows(numbers.model_order, id, title, caption, panels, SIGNS)
    return Figure(id, title, caption, svg, *behind(numbers.models, cells), finding, of=EXPERIMENT)
