"""The picture on the report's front as a drawing of its own, for a slide or a paper: each model beside the best
baseline, overall and in each experiment.
"""

from collections.abc import Iterable, Iterator, Mapping

from selfexec.analysis.answers import experiment_in_brief, overall_in_brief
from selfexec.analysis.findings import TOO_CLOSE, Finding, against_baseline, experiment_findings
from selfexec.analysis.numbers import Number
from selfexec.experiments import EXPERIMENTS
from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import FigureNumbers, signs_of, texts
from selfexec.report.svg import Dot, Piece, RowPanel, Sign, ends_of, reach, rows
from selfexec.text.numbers import decimal

CAPTION = (
    "How well each model predicts itself (dot), and how well somebody does who knows only the questions and what "
    "other models predicted and did, the best baseline (dash): 0 is chance, 1 is perfect. The bar between them is the "
    "margin, the thin line the interval that was tested (95%, adjusted for the number of models): where that reaches "
    f"the dash, it is {TOO_CLOSE}. A margin reflects both how often a model says yes and what it says yes to. It "
    "says whom to go by, "
    "and is no test of self-knowledge."
)


def margins(numbers: FigureNumbers) -> Figure | None:
    """None where there is no margin. Its title is the answer. The page has its own drawing of it."""
    experiments = [e for e in ("overall", *EXPERIMENTS) if numbers.scored(e, "baseline_margin")]
    skills = {e: numbers.scored(e, "skill") for e in experiments}
    sizes = {e: numbers.scored(e, "baseline_margin") for e in experiments}
    if not experiments:
        return None
    pieces = {e: list(_bars(skills[e], sizes[e], e)) for e in experiments}
    tested = {e: against_baseline(numbers.scores.of(e, "baseline_margin")) for e in experiments}
    marks = {
        e: [*_dashes(skills[e], sizes[e], e), *margin_dots(skills[e], sizes[e], e, tested[e])] for e in experiments
    }
    domain = reach(ends_of(dot for dots in marks.values() for dot in dots), 0.0, 1.0)
    panels = [RowPanel(e.replace("_", " "), marks[e], pieces[e], domain) for e in experiments]
    signs = [
        Sign("main", "the model about itself"),
        Sign("baseline", "the best baseline"),
        Sign("fill-7", "the margin between them"),
    ]
    cells: dict[str, dict[str, str]] = {}
    for e in experiments:
        cells |= {f"{e} skill": texts(skills[e]), f"{e} margin": texts(sizes[e])}
    title = _title(numbers)
    svg = rows(numbers.model_order, "margins", title, CAPTION, panels, signs_of(signs, *skills.values()))
    return Figure("margins", title, CAPTION, svg, *behind(numbers.models, cells))


def _title(numbers: FigureNumbers) -> str:
    """The states of the overall margins, else of each experiment."""
    if numbers.scored("overall", "baseline_margin"):
        return "; ".join(overall_in_brief(numbers.scores))
    asked = [e for e in EXPERIMENTS if numbers.scored(e, "baseline_margin")]
    return ". ".join(
        f"{e.replace('_', ' ')}: {'; '.join(experiment_in_brief(experiment_findings(numbers.scores, e)))}"
        for e in asked
    )


def _bars(skills: Mapping[str, Number], margins: Mapping[str, Number], experiment: str) -> Iterator[Piece]:
    for model, margin in margins.items():
        end = skills[model].value
        start, stop = sorted((end - margin.value, end))
        yield Piece(model, f"{experiment} margin", start, stop, 7, f"{model}: {experiment} margin {margin.full}")


def _dashes(skills: Mapping[str, Number], margins: Mapping[str, Number], experiment: str) -> Iterator[Dot]:
    for model, margin in margins.items():
        place = skills[model].value - margin.value
        yield Dot(
            model, "best baseline", place, f"best baseline for {model}: {experiment} {decimal(place)}", "baseline"
        )


def margin_dots(
    skills: Mapping[str, Number], margins: Mapping[str, Number], experiment: str, findings: Iterable[Finding]
) -> Iterator[Dot]:
    """With the interval of the margin that was tested, from the dash; where nothing was tested with that of the margin,
    and of the skill where there is no margin.
    """
    tested = {finding.subject: (finding.tested_low, finding.tested_high) for finding in findings if finding.among}
    for model, skill in skills.items():
        margin, title = margins.get(model), f"{model}: {experiment} skill {skill.full}"
        start = skill.value - margin.value if margin else 0.0
        shown = tested.get(model, ((margin or skill).low, (margin or skill).high))
        low, high = (None if x is None else start + x for x in shown)
        yield Dot(model, f"{experiment} skill", skill.value, title, "faint" if skill.note else "main", low, high)
