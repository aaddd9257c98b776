"""The front of the page: a headline, and for each experiment, under the question that the models were asked, a row for
each model: how often, and which ones. Below each a real item, and the verdict on own excess.

Which columns an experiment has goes by the kind of its claims (`COLUMNS`). A mark is filled where it is decided, hollow
where it is too close to call: what decides is the finding that every sentence is made from.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from selfexec.analysis.answers import brief, headline
from selfexec.analysis.findings import (
    NO_ROOM,
    Finding,
    FindingAnswer,
    against_chance,
    how_often,
    own_prediction_findings,
    single_model_findings,
    which_ones,
)
from selfexec.analysis.in_probabilities import lead_in
from selfexec.analysis.score import Score, Scores
from selfexec.analysis.words import own_in_brief, percent, sentence, two
from selfexec.experiments import EXPERIMENTS, PAPER_HEADLINE, KindName
from selfexec.metrics import LEAST_COVERAGE, not_run
from selfexec.report.examples import Example
from selfexec.report.svg import Pair, ThinRow, crowd, pair
from selfexec.text.numbers import signed

Ticks = Sequence[tuple[float, str]]  # places on a scale, and what is written there
ROOM = 5  # columns next to each other
NO_EXAMPLES: Mapping[str, Mapping[str | None, Example]] = {}


@dataclass(frozen=True)
class FrontCell:
    """What is shown of one model in one column.

    Attributes:
        drawing: None where there is no number, or where yes and no cannot tell which ones.
        number: As it is printed next to the drawing, or in place of it.
        spoken: The same for who cannot see it.
        state: As data call it: `behind`, `too close to call` and so on.
        row: The number, and what is behind it.
        faint: Withheld, or to be read with caution.
        shown: What is drawn.
        elsewhere: It is of another condition than the page, which has no sessions of it.
    """

    model: str
    drawing: str | None
    number: str
    spoken: str
    state: str
    row: Score
    faint: bool
    shown: Pair | None = None
    elsewhere: bool = False


@dataclass(frozen=True)
class FrontColumn:
    """One question about the claims of an experiment.

    Attributes:
        head: What is asked.
        brief: How many models are in each state, below the rows.
        unit: What the scale measures, where the head does not say it.
        number: What the numbers are, where the marks do not say it.
        drawn: What dot and dash of a row are called; the second is None where there is none.
        ticks: Places on the scale, and what is written there.
        chance: Where on the scale chance is; None where it has no place there.
    """

    head: str
    brief: str
    number: str
    drawn: tuple[str, str | None]
    ticks: Ticks
    cells: Mapping[str, FrontCell]
    scale: tuple[float, float] = (0.0, 1.0)
    chance: float | None = 0.0
    unit: str = ""

    @property
    def room(self) -> float:
        """How much of a line it takes, compared with others: the more, the more of its rows have a drawing."""
        return 0.6 + sum(cell.shown is not None for cell in self.cells.values()) / len(self.cells)

    def crowd(self, models: Sequence[str]) -> str:
        """All rows in one drawing, for more models than there is room for."""
        thin = {
            model: ThinRow(cell.shown, f"{model}: {cell.spoken}") for model, cell in self.cells.items() if cell.shown
        }
        return crowd(models, thin, self.scale, [tick for tick, _ in self.ticks], self.chance)


@dataclass(frozen=True)
class FrontPanel:
    """One experiment. `first` of a line of panels; `own` are the verdicts on own excess; `examples`: model, or None for
    all of them together -> a real item.
    """

    experiment: str
    question: str
    columns: Sequence[FrontColumn]
    own: Sequence[str]
    first: bool
    examples: Mapping[str | None, Example]

    def drawn(self, model: str) -> bool:
        return any(model in column.cells for column in self.columns)

    @property
    def measured(self) -> str:
        return EXPERIMENTS[self.experiment].words.measured


@dataclass(frozen=True)
class Front:
    """`judged` are the models with an overall score, `apart` those without. `incomplete`: the latter lost too much of
    what they were asked. `why`: model -> what is to be said of its numbers alone; `common` is said of all of them,
    and `too_few` is why no model can be called ahead.
    """

    headline: str
    panels: Sequence[FrontPanel]
    judged: Sequence[str]
    apart: Sequence[str]
    incomplete: bool
    why: Mapping[str, Sequence[str]]
    common: Sequence[str]
    too_few: Sequence[str]

    @property
    def models(self) -> Sequence[str]:
        return (*self.judged, *self.apart)

    @property
    def lines(self) -> Sequence[Sequence[FrontPanel]]:
        """The panels that stand next to each other."""
        starts = [n for n, panel in enumerate(self.panels) if panel.first]
        return [self.panels[start:end] for start, end in zip(starts, [*starts[1:], None], strict=True)]

    @property
    def columns(self) -> Sequence[FrontColumn]:
        """Those of all panels."""
        return [column for panel in self.panels for column in panel.columns]

    @property
    def cells(self) -> Sequence[FrontCell]:
        """Those of all columns."""
        return [cell for column in self.columns for cell in column.cells.values()]

    @property
    def states(self) -> set[str]:
        faint = any(cell.faint for cell in self.cells) or any(len(c.cells) < len(self.models) for c in self.columns)
        return {cell.state for cell in self.cells} | ({"faint"} if faint else set())

    @property
    def has_arrows(self) -> bool:
        """Whether an interval goes on beyond the scale."""
        return any(cell.shown and cell.shown.beyond(c.scale) for c in self.columns for cell in c.cells.values())

    @property
    def measures(self) -> set[str]:
        """What the columns of which ones are in."""
        return {column.unit or column.head for column in self.columns}


def front(
    scores: Scores,
    models: Sequence[str],
    examples: Mapping[str, Mapping[str | None, Example]] = NO_EXAMPLES,
    areas: Scores | None = None,
) -> Front | None:
    """None where no model has a number. `examples` by experiment. `areas`: the scores of the same predictions as
    probabilities, whose margins in AUROC say which ones wherever all models have them.
    """
    columns = {e: found for e in scores.experiments if e != "overall" and (found := _columns(scores, e, areas))}
    if not columns:
        return None
    shown = list(columns)
    overall = {row.model for row in scores.of("overall", "skill") if row.value is not None}
    judged = [model for model in models if model in overall] or list(models)
    apart = [model for model in models if model not in judged]
    told = {model: _reasons(scores, areas, model, shown) for model in models}
    few = [*dict.fromkeys(text for reasons in told.values() for text, of_few in reasons.items() if of_few)]
    common = [
        text for text, of_few in told[models[0]].items() if not of_few and all(text in one for one in told.values())
    ]
    own = {model: [text for text in reasons if text not in (*few, *common)] for model, reasons in told.items()}
    starts = _starts([len(columns[experiment]) for experiment in shown])
    return Front(
        headline(scores, areas),
        [_panel(scores, e, columns[e], models, n in starts, examples.get(e, {})) for n, e in enumerate(shown)],
        judged,
        apart,
        all(_incomplete(scores, model) for model in apart),
        {model: list(reasons_once(reasons)) for model, reasons in own.items() if reasons},
        list(reasons_once(common)),
        list(reasons_once(few)),
    )


def _starts(widths: Sequence[int]) -> set[int]:
    """Which panels begin a line, by how many columns each has: lines of no more than there is room for."""
    starts, used = {0}, 0
    for number, width in enumerate(widths):
        if number and used + width > ROOM:
            starts.add(number)
            used = 0
        used += width
    return starts


def _panel(
    scores: Scores,
    experiment: str,
    columns: Sequence[FrontColumn],
    models: Sequence[str],
    first: bool,
    examples: Mapping[str | None, Example],
) -> FrontPanel:
    own = own_prediction_findings(scores.own, experiment) or single_model_findings(scores.own, experiment, models)
    words = EXPERIMENTS[experiment].words
    question = words.asks or sentence(words.about)
    return FrontPanel(experiment, question, columns, own_in_brief(own, reasons=False), first, examples)


# --- columns ---------------------------------------------------------------------------------------------------------

MODEL, BASELINE = "model", "baseline"
WHICH = "Which ones"
MARGIN, SKILL, AUROC = "margin", "skill", "AUROC"
SHARES = ((0.0, "0"), (0.5, ""), (1.0, "100%"))
SKILLS = ((0.0, "0"), (0.5, ""), (1.0, "1"))
AREAS = ((0.0, "0"), (0.5, ".5"), (1.0, "1"))
CHANCE: Mapping[Ticks, float | None] = {SKILLS: 0.0, AREAS: 0.5}  # a share has none


def _columns(scores: Scores, experiment: str, areas: Scores | None) -> list[FrontColumn]:
    makers = COLUMNS.get(EXPERIMENTS[experiment].claim_kind, (skill_column,))
    made = [make(scores, experiment) for make in makers]
    lead = lead_in(scores, areas, experiment)
    if lead is not scores:
        made = [_in_probabilities(lead, experiment) if column and column.head == WHICH else column for column in made]
    return [column for column in made if column and column.cells]


def _in_probabilities(areas: Scores, experiment: str) -> FrontColumn | None:
    """Which ones, of predictions that the rest of the page is not of: its cells lead to no sessions."""
    column = which_ones_column(areas, experiment)
    if column is None:
        return None
    cells = {model: replace(cell, elsewhere=True) for model, cell in column.cells.items()}
    return replace(column, head=f"{WHICH}, in probabilities", cells=cells)


def how_often_column(scores: Scores, experiment: str) -> FrontColumn | None:
    """How often each model predicts a yes, and how often it does it; None where there are no rates."""
    findings = [finding for finding in how_often(scores, experiment) if finding.rates]
    rows = {row.model: row for row in scores.of(experiment, "rate_bias")}
    cells = {}
    for finding in findings:
        assert finding.rates
        predicted, observed = finding.rates
        written = [percent(rate) for rate in finding.rates]
        cells[finding.subject] = _cell(
            finding,
            (predicted, observed),
            SHARES,
            (0.0, 1.0),
            f"{written[0]} / {written[1]}",
            f"predicted {written[0]}, did {written[1]}",
            rows[finding.subject],
        )
    return FrontColumn("How often", _brief(findings), "", ("predicted", "did"), SHARES, cells, chance=None)


# by what is asked: the measure of a model and of the baseline, and the margin between them
MEASURES: Mapping[str, tuple[str, str]] = {
    "which ones": ("skill", "margin_at_own_rate"),
    "auroc": ("auroc", "auroc_margin"),
}


def which_ones_column(scores: Scores, experiment: str) -> FrontColumn | None:
    """A model's skill next to the baseline's: of yes and no with both at the model's yes rate, of orders as they
    are, of probabilities by AUROC. Its skill alone where no margin is known.
    """
    findings = which_ones(scores, experiment)
    if all(finding.value is None for finding in findings):
        return skill_column(scores, experiment)
    measure, metric = MEASURES.get(findings[0].relation, ("skill", "baseline_margin"))
    skills = {row.model: row.value for row in scores.of(experiment, measure)}
    rows = {row.model: row for row in scores.of(experiment, metric)}
    in_areas = measure == "auroc"
    unit, ticks = (AUROC, AREAS) if in_areas else (SKILL, SKILLS)
    cells = {}
    known = [(skills[f.subject] or 0.0, f.value) for f in findings if f.value is not None]
    scale = _scale(end for skill, margin in known for end in (skill, skill - margin))
    for finding in findings:
        model, state, skill = finding.subject, finding.state, skills[finding.subject]
        if finding.value is None or skill is None:
            continue
        if finding.answer == "ceiling":
            cells[model] = FrontCell(model, None, _short(state), state, state, rows[model], False)
            continue
        held = skill - finding.value
        spoken = f"{unit} {two(skill)}, baseline {two(held)}, {state}"
        cells[model] = _cell(finding, (skill, held), ticks, scale, signed(finding.value, 2), spoken, rows[model])
    return FrontColumn(
        WHICH,
        _short(_brief(findings)),
        MARGIN,
        (MODEL, BASELINE),
        _ticks(ticks, scale),
        cells,
        scale,
        CHANCE[ticks],
        unit,
    )


def skill_column(scores: Scores, experiment: str) -> FrontColumn | None:
    """How well each model predicts itself, against chance."""
    findings = against_chance(scores.of(experiment, "skill"))
    rows = {row.model: row for row in scores.of(experiment, "skill")}
    scale = _scale(finding.value for finding in findings)
    cells = {
        finding.subject: _cell(
            finding,
            (finding.value, None),
            SKILLS,
            scale,
            two(finding.value),
            f"skill {two(finding.value)}",
            rows[finding.subject],
        )
        for finding in findings
        if finding.value is not None
    }
    return FrontColumn("Skill", _brief(findings), "", (MODEL, None), _ticks(SKILLS, scale), cells, scale)


Column = Callable[[Scores, str], FrontColumn | None]
COLUMNS: Mapping[KindName, Sequence[Column]] = {
    "binary": (how_often_column, which_ones_column),
    "order": (which_ones_column,),
    "share": (which_ones_column,),
}


def _scale(values: Iterable[float | None]) -> tuple[float, float]:
    """From chance, or a quarter below the least, to perfect."""
    return math.floor(4 * min([0.0, *(value for value in values if value is not None)])) / 4, 1.0


def _ticks(ticks: Ticks, scale: tuple[float, float]) -> Ticks:
    """With a line at the least, where that is below 0."""
    return ((scale[0], ""), *ticks) if scale[0] < 0 else ticks


def _brief(findings: Sequence[Finding]) -> str:
    return brief(findings) or "no verdict"


LOOKS: Mapping[FindingAnswer, str] = {"yes": "", "no": "", "withheld": "caution"}


def _cell(
    finding: Finding,
    ends: tuple[float, float | None],
    ticks: Ticks,
    scale: tuple[float, float],
    number: str,
    spoken: str,
    row: Score,
) -> FrontCell:
    """`ends`: the value, and what it is held against. The interval around it is the one that was tested."""
    interval = (finding.tested_low, finding.tested_high) if finding.among else (finding.low, finding.high)
    low, high = (None if end is None else (ends[1] or 0.0) + end for end in interval)
    shown = Pair(*ends, low, high, LOOKS.get(finding.answer, "hollow"))
    drawing = pair(shown, scale, [place for place, _ in ticks], spoken, CHANCE.get(ticks))
    return FrontCell(finding.subject, drawing, number, spoken, finding.state, row, finding.answer == "withheld", shown)


def _short(states: str) -> str:
    """States as a narrow column has room for them; the key below the panels says what they mean."""
    return states.replace(f"with {NO_ROOM}", "cannot differ").replace(NO_ROOM, "cannot differ")


# --- what was lost ---------------------------------------------------------------------------------------------------


def _incomplete(scores: Scores, model: str) -> bool:
    rows = (scores.get(model, experiment, "coverage") for experiment in PAPER_HEADLINE.experiments)
    return any(row is not None and (row.value or 0.0) < LEAST_COVERAGE for row in rows)


def _reasons(scores: Scores, areas: Scores | None, model: str, experiments: Sequence[str]) -> dict[str, bool]:
    """Why what is withheld, or has no verdict, and whether that is since there are too few models."""
    margins = ("baseline_margin", "auroc_margin")
    rows = [scores.get(model, e, metric) for e in ("overall", *experiments) for metric in ("skill", *margins)]
    rows += [areas.get(model, e, "auroc_margin") for e in experiments] if areas else []
    return {
        row.reason if row.experiment == "overall" else f"{row.experiment}: {row.reason}": row.too_few_models
        for row in rows
        if row and row.reason and not not_run(row)
    }


def reasons_once(reasons: Sequence[str]) -> Iterator[str]:
    """Reasons as sentences, what holds in several experiments once."""
    where: dict[str, list[str]] = {}
    for reason in reasons:
        experiment, _, text = reason.partition(": ")
        place, said = (experiment, text) if experiment in EXPERIMENTS else ("", reason)
        where.setdefault(said, []).append(place)
    for said, places in where.items():
        line = said if "" in places else f"{', '.join(places)}: {said}"
        yield line[0].upper() + line[1:]
