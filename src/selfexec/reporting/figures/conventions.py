"""The ledger of conventions as a drawing: one accuracy, counted in three ways."""

from collections.abc import Mapping

from selfexec.experiments import EXPERIMENTS
from selfexec.reporting.figures.canvas import Kind, Sign
from selfexec.reporting.figures.figure import Figure, behind
from selfexec.reporting.figures.rows import Panel, dots, rows, shares
from selfexec.reporting.figures.tables import Numbers, texts
from selfexec.scores import CONVENTIONS

TITLE = "One accuracy, counted in three ways"
CAPTION = (
    "Strict: what could not be read is wrong. Readable: only what was read counts. Authors: as for the paper's "
    "published numbers (no intervals). A long line means that the number is a matter of counting as much as of the "
    "model; `selfexec ledger` says why."
)
# in the order of drawing, so that what was read alone lies on top
KINDS: Mapping[str, Kind] = {"strict": "open", "authors": "diamond", "readable": "main"}


def conventions(numbers: Numbers) -> Figure | None:
    panels: list[Panel] = []
    cells: dict[str, dict[str, str]] = {}
    for experiment in EXPERIMENTS:
        found = {convention: numbers.accuracies(experiment, convention) for convention in KINDS}
        if not any(found.values()):
            continue
        cells |= {f"{experiment}, {convention}": texts(found[convention]) for convention in CONVENTIONS}
        marks = [dot for name, kind in KINDS.items() for dot in dots(numbers, name, found[name], kind)]
        panels.append(Panel(experiment, marks, domain=shares(marks), tied=True))
    if not panels:
        return None
    signs = [Sign(kind, convention) for convention, kind in KINDS.items()]
    svg = rows(numbers, "conventions", TITLE, CAPTION, panels, signs)
    return Figure("conventions", TITLE, CAPTION, svg, *behind(numbers.models, cells))
