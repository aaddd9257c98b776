"""The ledger of conventions as a drawing: one accuracy, counted in three ways."""

from selfexec.analysis.score import CONVENTIONS
from selfexec.experiments import EXPERIMENTS
from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import Numbers, dots, texts
from selfexec.report.svg import Kind, Panel, Sign, rows, shares

TITLE = "One accuracy, counted in three ways"
CAPTION = (
    "Strict: what could not be read is wrong. Readable: only what was read counts. Authors: as for the paper's "
    "published numbers (no intervals). Where the marks lie apart, the number is a matter of counting as much as of the "
    "model; the ledger says why."
)
LANES = {"strict": -6.0, "readable": 0.0, "authors": 6.0}  # one below the other, since they are often the same


def conventions(numbers: Numbers) -> Figure | None:
    # the page's own convention is the filled mark
    kinds: dict[str, Kind] = {"strict": "open", "readable": "open", "authors": "diamond", numbers.convention: "main"}
    panels: list[Panel] = []
    cells: dict[str, dict[str, str]] = {}
    for experiment in EXPERIMENTS:
        found = {convention: numbers.accuracies(experiment, convention) for convention in CONVENTIONS}
        if not any(found.values()):
            continue
        cells |= {f"{experiment}, {convention}": texts(found[convention]) for convention in CONVENTIONS}
        marks = [
            dot for name, lane in LANES.items() for dot in dots(numbers, name, found[name], kinds[name], lane=lane)
        ]
        panels.append(Panel(experiment, marks, domain=shares(marks), axis="accuracy"))
    if not panels:
        return None
    signs = [Sign(kinds[convention], convention) for convention in LANES]
    svg = rows(numbers.lineup, "conventions", TITLE, CAPTION, panels, signs, height=27)
    return Figure("conventions", TITLE, CAPTION, svg, *behind(numbers.models, cells))
