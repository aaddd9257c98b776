"""How often models predict a yes, next to how often it comes true."""

from collections.abc import Iterator, Sequence

from selfexec.analysis.findings import Finding, how_often
from selfexec.experiments import EXPERIMENTS
from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import FigureNumbers, dots, signs_in, texts
from selfexec.report.figures.said import Stand, sentence
from selfexec.report.svg import RowPanel, Sign, rows

TITLE = "How often: predicted and done"
CAPTION = "Shares of the claims whose prediction and outcome were both read."


def with_readiness() -> dict[str, str]:
    """The experiments in which how often a model says yes is its own choice, and what a yes promises in each."""
    return {name: one.words.does for name, one in EXPERIMENTS.items() if one.claim_kind == "binary" and one.words.does}


def readiness(numbers: FigureNumbers) -> Figure | None:
    panels: list[RowPanel] = []
    cells: dict[str, dict[str, str]] = {}
    findings: dict[str, list[Finding]] = {}
    for experiment, what in with_readiness().items():
        predicted, did = numbers.how_often(experiment)
        if not predicted:
            continue
        findings[experiment] = how_often(numbers.scores, experiment)
        marks = [
            *dots(numbers, "did", did, "baseline"),
            *dots(numbers, "predicted", predicted, findings=findings[experiment]),
        ]
        panels.append(RowPanel(what, marks, tied=True, of=experiment))
        cells |= {f"{experiment}: predicted": texts(predicted), f"{experiment}: did": texts(did)}
    if not panels:
        return None
    signs = [Sign("main", "predicted"), Sign("baseline", "did")]
    svg = rows(numbers.model_order, "readiness", TITLE, CAPTION, panels, signs_in(panels, signs))
    clauses = [clause for experiment, found in findings.items() for clause in _clauses(experiment, found)]
    if len(numbers.models) == 1:  # named once
        clauses = [*clauses[:1], *(clause.replace(numbers.models[0], "it", 1) for clause in clauses[1:])]
    return Figure("readiness", TITLE, CAPTION, svg, *behind(numbers.models, cells), sentence(*clauses))


def _clauses(experiment: str, findings: Sequence[Finding]) -> Iterator[str]:
    """By the verdicts on rate bias."""
    behaviour = EXPERIMENTS[experiment].words.behaviour
    above, below = (tuple(one.subject for one in findings if one.answer == answer) for answer in ("yes", "no"))
    found = Stand(above, below, len(findings))
    parts: list[str] = []
    for those, errs in ((found.above, "overestimate"), (found.below, "underestimate")):
        if those and behaviour:
            verb, pronoun = (f"{errs}s", "it") if len(those) == 1 else (errs, "they")
            what = "that" if parts else f"how often {pronoun} would {behaviour[0]}"
            parts.append(f"{found.whom(those)} {verb} {what}")
    if parts:
        yield ", and ".join(parts)
