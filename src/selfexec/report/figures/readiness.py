"""How often models say yes, beside how often it comes true."""

from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import Numbers, dots, texts
from selfexec.report.svg import Panel, Sign, rows

TITLE = "Readiness to say yes"
CAPTION = (
    "How often a model says that it would do it (list the word, answer the request), and how often it does. The line "
    "between the two is its readiness: from the open mark to the right, it promises more than it does."
)
WHAT = {"association": "lists the word", "restriction": "answers the request"}


def readiness(numbers: Numbers) -> Figure | None:
    panels: list[Panel] = []
    cells: dict[str, dict[str, str]] = {}
    for experiment, what in WHAT.items():
        said, did = (numbers.scored(experiment, metric) for metric in ("positive_rate", "base_rate"))
        if not said:
            continue
        marks = [*dots(numbers, "does", did, "open"), *dots(numbers, "says it would", said)]
        panels.append(Panel(what, marks, tied=True))
        cells |= {f"{experiment}: says yes": texts(said), f"{experiment}: does": texts(did)}
    if not panels:
        return None
    signs = [Sign("main", "says that it would (positive rate)"), Sign("open", "does (base rate)")]
    svg = rows(numbers.lineup, "readiness", TITLE, CAPTION, panels, signs)
    return Figure("readiness", TITLE, CAPTION, svg, *behind(numbers.models, cells))
