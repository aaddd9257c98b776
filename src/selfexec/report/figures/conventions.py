"""The ledger of conventions as a drawing: one accuracy, counted in three ways."""

from collections.abc import Mapping, Sequence

from selfexec.analysis.options import Convention
from selfexec.analysis.score import CONVENTIONS
from selfexec.analysis.words import two
from selfexec.experiments import EXPERIMENTS
from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import FigureNumbers, dots, texts
from selfexec.report.svg import Kind, RowPanel, Sign, rows, shares

TITLE = "One accuracy, counted in three ways"
CAPTION = (
    "Strict: what could not be read is wrong. Readable: only what was read counts. Authors: as for the paper's "
    "published numbers (no intervals). Where the marks lie apart, the number is a matter of counting as much as of the "
    "model; the ledger says why."
)
POINT = 0.01
# one below the other, since they are often the same
OFFSETS: Mapping[Convention, float] = {"strict": -6.0, "readable": 0.0, "authors": 6.0}


def conventions(numbers: FigureNumbers) -> Figure | None:
    # the page's own convention is the filled mark
    kinds: dict[str, Kind] = {"strict": "open", "readable": "open", "authors": "diamond", numbers.convention: "main"}
    panels: list[RowPanel] = []
    spreads: dict[tuple[str, str], list[float]] = {}
    cells: dict[str, dict[str, str]] = {}
    for experiment in EXPERIMENTS:
        found = {convention: numbers.accuracies(experiment, convention) for convention in CONVENTIONS}
        if not any(found.values()):
            continue
        for of in found.values():
            for model, number in of.items():
                spreads.setdefault((model, experiment), []).append(number.value)
        cells |= {f"{experiment}, {convention}": texts(found[convention]) for convention in CONVENTIONS}
        marks = [
            dot
            for name, offset in OFFSETS.items()
            for dot in dots(numbers, name, found[name], kinds[name], offset=offset)
        ]
        panels.append(
            RowPanel(experiment.replace("_", " "), marks, domain=shares(marks), axis="accuracy", of=experiment)
        )
    if not panels:
        return None
    signs = [Sign(kinds[convention], convention) for convention in OFFSETS]
    svg = rows(numbers.model_order, "conventions", TITLE, CAPTION, panels, signs, height=27)
    return Figure("conventions", TITLE, CAPTION, svg, *behind(numbers.models, cells), _finding(spreads))


def _finding(spreads: Mapping[tuple[str, str], Sequence[float]]) -> str:
    """How many accuracies depend on the counting, and which does most."""
    sizes = {of: max(values) - min(values) for of, values in spreads.items()}
    far = [of for of, size in sizes.items() if size > POINT]
    if not far:
        return f"None of {len(sizes)} accuracies moves by more than a point with the way of counting"
    model, experiment = most = max(far, key=sizes.__getitem__)
    move = "moves" if len(far) == 1 else "move"
    which = "" if len(far) == 1 else "most "
    between = f"{two(min(spreads[most]))} to {two(max(spreads[most]))}"
    of = f", {which}that of {model} in {experiment.replace('_', ' ')} ({between})"
    return f"{len(far)} of {len(sizes)} accuracies {move} by more than a point with the way of counting{of}"
