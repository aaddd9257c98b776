"""The ledger of conventions as a drawing: one accuracy, counted in three ways."""

from selfexec.experiments import EXPERIMENTS
from selfexec.reporting.figures.canvas import Sign
from selfexec.reporting.figures.figure import Figure, behind
from selfexec.reporting.figures.rows import Panel, dots, rows
from selfexec.reporting.figures.tables import Numbers, texts
from selfexec.scores import CONVENTIONS

TITLE = "One accuracy, counted in three ways"
CAPTION = (
    "Strict: what could not be read is wrong. Readable: only what was read counts. Authors: as for the paper's "
    "published numbers (no intervals). A long line means that the number is a matter of counting as much as of the "
    "model; `selfexec ledger` says why."
)
KINDS = {"strict": "open", "authors": "diamond", "readable": "main"}


def conventions(numbers: Numbers) -> Figure | None:
    panels, cells = [], {}
    for experiment in EXPERIMENTS:
        found = {convention: numbers.accuracies(experiment, convention) for convention in CONVENTIONS}
        if not any(found.values()):
            continue
        cells |= {f"{experiment}, {convention}": texts(found[convention]) for convention in CONVENTIONS}
        marks = [
            dot
            for convention, kind in KINDS.items()
            for dot in dots(numbers, convention, found[convention], kind, interval=convention != "authors")  # type: ignore[arg-type]
        ]
        panels.append(Panel(experiment, marks, tied=True))
    if not panels:
        return None
    signs = [Sign(kind, convention) for convention, kind in KINDS.items()]
    svg = rows(numbers, "conventions", TITLE, CAPTION, panels, signs)
    return Figure("conventions", TITLE, CAPTION, svg, *behind(numbers.models, cells))
