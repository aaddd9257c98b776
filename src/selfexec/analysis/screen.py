"""The first screen: the answer in each experiment, and a row for each model. `--full` has the numbers behind it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from selfexec.analysis.answers import experiment_answer, experiment_in_brief, no_margins
from selfexec.analysis.findings import Finding, against_chance, how_often, own_prediction_findings, which_ones
from selfexec.analysis.result import Form, Result
from selfexec.analysis.score_table import CAUTION, UNDEFINED, Scores, labelled, question, remarks
from selfexec.analysis.words import listed_names, percent, simulated, two
from selfexec.experiments import RULE, by_source
from selfexec.text.numbers import number_of, signed
from selfexec.text.tables import Part, Table

# how a model stands on how often: it predicts more, less, or about as much as it does
SIGNS: Mapping[str, str] = {"overestimates": ">", "underestimates": "<", "too close to call": "~"}
TOLD_BY_SENTENCES = 2  # so many models have their answer in sentences; of more the numbers of each state are given
GAP = 1  # column between two columns of the table, where room is scarce


@dataclass(frozen=True, repr=False)
class Screen(Result):
    """Scores as they are shown first. As data they are the scores themselves."""

    scores: Scores

    def _content(self, form: Form, width: int) -> list[Part]:
        parts: list[Part] = []
        for scores in self.scores.by_condition:
            parts += [*([""] if parts else []), *_of_condition(scores, width, len(self.scores.conditions) > 1)]
        return parts

    def _data(self) -> Mapping[str, Any]:
        return self.scores._data()

    def csv(self) -> str:
        """A line for each row, as of the scores."""
        return self.scores.csv()


def _of_condition(scores: Scores, width: int, named: bool) -> Iterator[Part]:
    asked = [experiment for experiment in scores.experiments if experiment != "overall"]
    columns = [_Columns(scores, experiment) for experiment in asked]
    shown = columns[: _fitting(columns, scores.models, width)]
    rows = [[model, *(cell for column in shown for cell in column.cells(model))] for model in scores.models]
    heads = [head for column in shown for head in column.heads]
    title = [_title(scores, named), *_answers(scores, asked), *_own(scores), *remarks(scores)]
    yield Table("\n".join(title), ["model", *heads], rows, "plain")
    yield from _legend(shown)
    if rest := asked[len(shown) :]:
        yield f"Not in this table: {listed_names(rest)} (--full)."


def _title(scores: Scores, named: bool) -> str:
    """The question, and whether nobody real was asked; the condition, where there are several."""
    parts = [question(scores)]
    known = {model for run in scores.runs for model in run.simulated}
    if scores.models and known.issuperset(scores.models):
        parts.append(f"{number_of(len(scores.models), 'simulated model')}, no real one asked.")
    elif note := simulated(scores.models, scores.runs):
        parts.append(note)
    if named:
        parts.append(f"Asked in the condition {scores.conditions[0]}.")
    return " ".join(parts)


def _fitting(columns: Sequence["_Columns"], models: Sequence[str], width: int) -> int:
    """How many experiments have room next to the names of models; one in any case."""
    room = width - max((len(model) for model in models), default=0)
    for number, column in enumerate(columns):
        cells = [column.heads, *(list(column.cells(model)) for model in models)]
        widths = (
            max(len(line) for cell in cells_of for line in cell.split("\n")) for cells_of in zip(*cells, strict=True)
        )
        room -= sum(GAP + wide for wide in widths)
        if room < 0 and number:
            return number
    return len(columns)


def _answers(scores: Scores, asked: Sequence[str]) -> Iterator[str]:
    """Of one or two models in sentences, of more in a line for each experiment."""
    for experiment in asked:
        if len(scores.models) <= TOLD_BY_SENTENCES:
            if answer := experiment_answer(scores, experiment):
                yield labelled(answer)
        else:
            yield f"{experiment}  {'; '.join(experiment_in_brief(scores, experiment))}"
    yield from no_margins(scores)


def _own(scores: Scores) -> Iterator[str]:
    """The verdict on own excess in each experiment, by the source that has one."""
    verdicts = []
    for experiment in scores.experiments:
        panels = [one for one in own_prediction_findings(scores.own, experiment) if one.subject.endswith("panel")]
        judged = [panel for panel in panels if panel.verdict]
        if judged:
            least = judged[0].detectable
            power = f" (80% power for {two(least)})" if judged[0].verdict == "not shown" and least is not None else ""
            by = "" if judged[0] is panels[0] else f", {_by(judged[0].source or '')}"
            verdicts.append(f"{experiment} {judged[0].verdict}{power}{by}")
    if verdicts:
        yield f"own excess  {'; '.join(verdicts)}"


class _Columns:
    """The columns of one experiment: how often, where there are rates, and which ones, or skill where nothing is known
    of others.
    """

    def __init__(self, scores: Scores, experiment: str) -> None:
        self.often = {finding.subject: finding for finding in how_often(scores, experiment)}
        which = which_ones(scores, experiment)
        self.has_margins = any(finding.tone != "withheld" for finding in which)
        found = which if self.has_margins else against_chance(scores.of(experiment, "skill"))
        self.which = {finding.subject: finding for finding in found}
        self.experiment = experiment

    @property
    def heads(self) -> list[str]:
        last = "which ones" if self.has_margins else "skill"
        return [f"{self.experiment}\nhow often", f"\n{last}"] if self.often else [f"{self.experiment}\n{last}"]

    def cells(self, model: str) -> Iterator[str]:
        if self.often:
            yield _rates(self.often.get(model))
        finding = self.which.get(model)
        yield _which(finding) if self.has_margins else _skill(finding)

    @property
    def states(self) -> set[str]:
        return {finding.state for found in (self.often, self.which) for finding in found.values()}


def _rates(finding: Finding | None) -> str:
    """85% > 15%: predicted, observed."""
    if finding is None or finding.rates is None:
        return UNDEFINED
    predicted, observed = (percent(rate) for rate in finding.rates)
    mark = CAUTION if finding.tone == "withheld" else ""
    return f"{predicted} {SIGNS.get(finding.state, '|')} {observed}{mark}"


def _which(finding: Finding | None) -> str:
    """The margin that is surely not 0, or what keeps it from being called."""
    if finding is None or finding.value is None:
        return UNDEFINED
    if finding.tone == "withheld":
        return f"{CAUTION}"
    if finding.tone in ("yes", "no"):
        return signed(finding.value, 2)
    return "~" if finding.tone == "open" else "?"


def _skill(finding: Finding | None) -> str:
    if finding is None or finding.value is None:
        return UNDEFINED
    return f"{two(finding.value)}{CAUTION if finding.tone == 'withheld' else ''}"


def _legend(columns: Sequence[_Columns]) -> Iterator[str]:
    """What stands in the cells, as far as it does."""
    states = {state for column in columns for state in column.states}
    margins = any(column.has_margins for column in columns)
    if any(column.often for column in columns):
        yield "how often: predicted, then done (> over, < under)."
    yield _legend_of_last(columns) if margins else "skill: 0 is chance, 1 is perfect."
    signs = ["~ too close to call"] if margins else []
    if margins and "cannot be told" in states:
        signs.append("? cannot be told")
    if "withheld" in states:
        signs.append(f"{CAUTION} or {UNDEFINED} not judged")
    if signs:
        yield f"{', '.join(signs)}."


def _legend_of_last(columns: Sequence[_Columns]) -> str:
    areas = {f.relation == "auroc" for column in columns if column.has_margins for f in column.which.values()}
    if areas == {True}:
        return "which ones: margin in AUROC over the baseline."
    more = "; where probabilities were asked for, in AUROC" if True in areas else ""
    return f"which ones: margin over the baseline at equal rates{more}."


def _by(source: str) -> str:
    return "by one rule for all" if source == RULE else by_source(source)
