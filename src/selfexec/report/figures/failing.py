"""Questions that models wrote in order to fail them: how often they do, beside those of a control."""

from collections.abc import Sequence

from selfexec.experiments.failing_question import FailingQuestion
from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import FigureNumbers, dots, signs_of, texts
from selfexec.report.figures.said import Stand, sentence, stand
from selfexec.report.svg import RowPanel, Sign, ends_of, reach, rows, shares

EXPERIMENT = FailingQuestion.name
TITLE = "Questions written to be failed"
CAPTION = (
    "Of the tries of questions that a model wrote so that it would fail them, the share that it did fail, next to that "
    "of a control that it did not write (open); the lift is the one less the other, next to that of the best baseline."
)


def failing(numbers: FigureNumbers) -> Figure | None:
    failed, control = (numbers.scored(EXPERIMENT, metric) for metric in ("accuracy", "control"))
    lift = numbers.scored(EXPERIMENT, "lift")
    if not failed:
        return None
    tries = [*dots(numbers, "of the control", control, "baseline"), *dots(numbers, "of its own questions", failed)]
    baselines = numbers.scored(EXPERIMENT, "best_baseline")
    lifts = [*dots(numbers, "best baseline", baselines, "baseline", interval=False), *dots(numbers, "lift", lift)]
    panels = [RowPanel("failed tries", tries, domain=shares(tries), tied=True, axis="share")]
    if lifts:
        domain = reach(ends_of(lifts), 0.0, 0.5)
        panels.append(RowPanel("lift over the control", lifts, domain=domain, line=0.0, axis="lift"))
    signs = [
        Sign("main", "of its own questions, with 95% interval"),
        Sign("baseline", "of the control"),
        *([Sign("baseline", "best baseline")] if baselines else []),
        Sign("half", "no better than the control"),
    ]
    svg = rows(numbers.model_order, "failing", TITLE, CAPTION, panels, signs_of(signs, failed, lift))
    cells = {"failed": texts(failed), "control failed": texts(control), "lift": texts(lift)}
    cells |= {"best baseline": texts(baselines)} if baselines else {}
    found = stand(failed, control)
    clauses = [_clause(found, those, how) for those, how in ((found.above, "more"), (found.below, "less")) if those]
    return Figure("failing", TITLE, CAPTION, svg, *behind(numbers.models, cells), sentence(*clauses), of=EXPERIMENT)


def _clause(found: Stand, those: Sequence[str], how: str) -> str:
    fail, they = ("fails", "it") if len(those) == 1 else ("fail", "they")
    return f"{found.whom(those)} {fail} questions that {they} wrote to be failed {how} often than the control"
