"""The first screen: the answer in each experiment, and a row for each model. `--full` has the numbers behind it."""

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from selfexec.analysis.answers import CONSTANT_ANSWER, experiment_answer, experiment_in_brief, no_margins
from selfexec.analysis.findings import (
    ExperimentFindings,
    Finding,
    experiment_findings,
    own_prediction_findings,
    single_model_findings,
    too_few_for_own,
)
from selfexec.analysis.own_excess import printed
from selfexec.analysis.result import Form, Result
from selfexec.analysis.score_table import (
    CAUTION,
    UNDEFINED,
    Scores,
    condition_line,
    in_doubt,
    labelled,
    question,
    remarks,
    stands_apart,
)
from selfexec.analysis.words import common_reason, listed_names, percent, two, who_replied
from selfexec.experiments import EXPERIMENTS, RULE, by_source
from selfexec.metrics import LEAST_FOR_VERDICT
from selfexec.text.numbers import interval, is_or_are, joined, number_of, signed
from selfexec.text.tables import Part, Table

TOO_CLOSE_SIGN, NO_ROOM_SIGN = "~", "?"
# how a model stands on how often: it predicts more, less, or about as much as it does
SIGNS: Mapping[str, str] = {"overestimates": ">", "underestimates": "<", "too close to call": TOO_CLOSE_SIGN}
# how many models are in a state is said with the signs that stand in the table, and in words for the rest
STATES: Mapping[str, str] = {**SIGNS, "no room to differ": NO_ROOM_SIGN}
TOLD_BY_SENTENCES = 2  # so many models have their answer in sentences; of more the numbers of each state are given
MEANINGS: Mapping[str, str] = {
    TOO_CLOSE_SIGN: "too close to call",
    NO_ROOM_SIGN: "no room to differ",
    UNDEFINED: "no number",
    CAUTION: "no verdict",
}
MOST_FOR_ONE = "the most that one model beside recorded ones can get"
OWN_EXCESS, NO_VERDICT = "own excess", "no verdict"
REASONS = "reasons: --full"
SHOWN = ("yes", "no", "open", "ceiling")  # answers of findings that are judged, in the order in which they are counted
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

    def parquet(self) -> bytes:
        """A Parquet file of the scores."""
        return self.scores.parquet()


def _of_condition(scores: Scores, width: int, named: bool) -> Iterator[Part]:
    asked = [experiment for experiment in scores.experiments if experiment != "overall"]
    found = [experiment_findings(scores, experiment) for experiment in asked]
    columns = [_Columns(each) for each in found]
    shown = columns[: _fitting(columns, scores.models, width)]
    rows = [[model, *(cell for column in shown for cell in column.cells(model))] for model in scores.models]
    heads = [head for column in shown for head in column.heads]
    apart = stands_apart(scores)
    verdicts = [] if apart else _own_verdicts(scores)
    answers = [] if apart else [*_answers(scores, found), *(_own(verdicts, scores, asked) if verdicts else ())]
    in_sentences = len(scores.models) <= TOLD_BY_SENTENCES
    title = [_title(scores, named), *in_doubt(scores), *answers, *remarks(scores, in_sentences=in_sentences)]
    yield Table("\n".join(title), ["model", *heads], rows, "plain")
    if legend := " ".join(_legend(columns, scores, bool(verdicts))):
        yield legend
    if rest := asked[len(shown) :]:
        yield f"Not in this table: {listed_names(rest)} (--full)."


def _title(scores: Scores, named: bool) -> str:
    """The question, and whether nobody real was asked; the condition, where there are several."""
    parts = [question(scores)]
    known = {model for run in scores.runs for model in run.simulated}
    if scores.models and known.issuperset(scores.models):
        parts.append(f"{number_of(len(scores.models), 'simulated model')}; none is real.")
    elif note := who_replied(scores.models, scores.runs):
        parts.append(note)
    if named and not stands_apart(scores):
        parts.append(condition_line(scores.conditions[0]))
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


def _answers(scores: Scores, found: Sequence[ExperimentFindings]) -> Iterator[str]:
    """Of one or two models in sentences, of more in a line for each experiment."""
    wide = max(len(label) for label in (*(each.experiment for each in found), OWN_EXCESS))
    for each in found:
        if len(scores.models) <= TOLD_BY_SENTENCES:
            if answer := experiment_answer(each, REASONS):
                yield labelled(answer)
        else:
            yield f"{each.experiment:{wide}}  {'; '.join(_in_brief(each))}"
    yield from no_margins(scores)


def _in_brief(found: ExperimentFindings) -> list[str]:
    """How many models are in each state, on how often and on which ones; in words where nothing is known of others."""
    questions = (("how often", found.how_often), ("which", found.which_ones))
    brief = [f"{question}: {counts}" for question, findings in questions if (counts := _counted(findings))]
    return brief or experiment_in_brief(found)


def _counted(findings: Sequence[Finding]) -> str:
    """4 ahead, 2 behind, 3 ~, 1 ?"""
    states = [_state(finding) for answer in SHOWN for finding in findings if finding.answer == answer]
    return ", ".join(f"{number} {STATES.get(state, state)}" for state, number in Counter(states).items())


def _state(finding: Finding) -> str:
    """As it is counted: who is ahead of no more than a constant answer apart from those ahead of other baselines."""
    of_constant = finding.answer == "yes" and finding.over_constant
    return f"{finding.state} of {CONSTANT_ANSWER}" if of_constant else finding.state


def _own(verdicts: Sequence[str], scores: Scores, asked: Sequence[str]) -> Iterator[str]:
    """The verdict on own excess in each experiment, by the source that has one."""
    if len(scores.models) <= TOLD_BY_SENTENCES:
        yield f"{OWN_EXCESS}: {'; '.join(verdicts)}"
    else:
        wide = max(len(label) for label in (*asked, OWN_EXCESS))
        yield f"{OWN_EXCESS:{wide}}  {'; '.join(verdicts)}"


def _own_verdicts(scores: Scores) -> list[str]:
    """shown: association; unresolved: restriction (by rule), difficulty. A verdict is that on the panel of a
    run, or on its only model, with its interval, where that is held against a reference panel. Where there is none, its
    reason.
    """
    if few := too_few_for_own(scores.own) if scores.own else []:
        if len(scores.models) < LEAST_FOR_VERDICT:
            return []  # which the lines on margins say
        here = f"{few[0].models or 'none'} {is_or_are(few[0].models or 1)} here"
        return [f"{NO_VERDICT} ({LEAST_FOR_VERDICT} models with enough items are needed; {here})"]
    where: dict[str, list[str]] = {verdict: [] for verdict in ("own", "unresolved", "not shown")}
    silent: list[Finding] = []
    with_panel = {one.experiment for one in scores.own if one.panel} if len(scores.models) == 1 else set[str]()
    for experiment in scores.experiments:
        if experiment in with_panel:
            found = single_model_findings(scores.own, experiment, scores.models)
        else:
            found = [one for one in own_prediction_findings(scores.own, experiment) if one.subject.endswith("panel")]
        if judged := next((one for one in found if one.own_verdict), None):
            least = judged.detectable if judged.own_verdict == "not shown" else None
            notes = [interval(judged.value, judged.tested_low, judged.tested_high, two)] if with_panel else []
            notes += [f"80% power to detect {two(least)}"] if least is not None else []
            if judged is not found[0]:
                notes.insert(0, _by(judged.source or ""))
            where[judged.own_verdict or ""].append(f"{experiment} ({', '.join(notes)})" if notes else experiment)
        else:
            silent += found[:1] or _not_judged(scores, experiment, with_panel)
    most = f", {MOST_FOR_ONE}" if with_panel else ""
    known = [
        f"{printed(verdict)}{_listed(experiments, scores)}{most if verdict == 'unresolved' else ''}"
        for verdict, experiments in where.items()
        if experiments
    ]
    if silent:
        known.append(f"{NO_VERDICT} in {joined(finding.about for finding in silent)} ({common_reason(silent)})")
    if (
        not known and len(scores.models) > 1 and any(own.panel for own in scores.own)
    ):  # of each model there is one below the full table
        return [f"{NO_VERDICT} for all models together, with a reference panel; for each model: --full"]
    return known


def _listed(experiments: Sequence[str], scores: Scores) -> str:
    """in association and difficulty; of more models than have sentences `: association, difficulty`, for one line."""
    in_sentences = len(scores.models) <= TOLD_BY_SENTENCES
    return f" in {joined(experiments)}" if in_sentences else f": {', '.join(experiments)}"


def _not_judged(scores: Scores, experiment: str, with_panel: Container[str]) -> list[Finding]:
    """That the only model has no numbers of its own next to the reference panel, and why."""
    if experiment not in with_panel:
        return []
    model, [first, *_] = scores.models[0], [own.found for own in scores.own if own.experiment == experiment]
    reason = first.compared.left_out.get(model, first.overall.reason)
    return [Finding(experiment, model, "own", "withheld", None, reason=reason)]


class _Columns:
    """The columns of one experiment: how often, where there are rates, and which ones, or skill where nothing is known
    of others.
    """

    def __init__(self, found: ExperimentFindings) -> None:
        self.often = {finding.subject: finding for finding in found.how_often}
        self.margins = found.which_ones
        self.has_margins = any(finding.answer != "withheld" for finding in found.which_ones)
        self.which = {finding.subject: finding for finding in (found.which_ones if self.has_margins else found.skills)}
        self.experiment = found.experiment

    @property
    def heads(self) -> list[str]:
        if not self.often:
            return [f"{self.experiment}\n{'which' if self.has_margins else 'skill'}"]
        # in two lines: "which words" is wider than what stands below it
        last = EXPERIMENTS[self.experiment].words.which.replace(" ", "\n") if self.has_margins else "skill"
        return [f"{self.experiment}\nhow often", last]

    def cells(self, model: str) -> Iterator[str]:
        if self.often:
            yield _rates(self.often.get(model))
        finding = self.which.get(model)
        yield _which(finding) if self.has_margins else _skill(finding)


def _rates(finding: Finding | None) -> str:
    """85% > 15%: predicted, observed."""
    if finding is None or finding.rates is None:
        return UNDEFINED
    predicted, observed = (percent(rate) for rate in finding.rates)
    mark = CAUTION if finding.answer == "withheld" else ""
    sign = SIGNS.get(finding.state)
    return f"{predicted} {sign} {observed}{mark}" if sign else f"{predicted}, {observed}{mark}"


def _which(finding: Finding | None) -> str:
    """The margin, where it is found above or below 0; else the sign of why it is not. Its interval is not in this
    table: `full_scores` has it, and of one or two models the sentence above.
    """
    if finding is None or finding.value is None:
        return UNDEFINED
    if finding.answer == "withheld":
        return CAUTION
    if finding.answer in ("yes", "no"):
        return signed(finding.value, 2)
    return TOO_CLOSE_SIGN if finding.answer == "open" else NO_ROOM_SIGN


def _skill(finding: Finding | None) -> str:
    if finding is None or finding.value is None:
        return UNDEFINED
    return f"{two(finding.value)}{CAUTION if finding.answer == 'withheld' else ''}"


def _legend(columns: Sequence[_Columns], scores: Scores, has_verdicts: bool) -> Iterator[str]:
    """What the words and signs mean that occur in the table or above it."""
    rows = [row for column in columns for row in map(list, map(column.cells, scores.models))]
    cells = " ".join(cell for row in rows for cell in row)
    margins = any(column.has_margins for column in columns)
    if any(column.often for column in columns):
        signs = [f"{sign} {meaning}" for sign, meaning in ((">", "over-"), ("<", "under-")) if sign in cells]
        meant = f" ({', '.join(signs).removesuffix('-')}estimated)" if signs else ""
        yield f"how often: predicted, observed{meant}."
    if margins:
        yield _legend_of_last(columns)
    if not all(column.has_margins for column in columns):
        yield _legend_of_skill(columns)
    if has_verdicts:
        yield "own excess: unexplained by other models."
    signs = [f"{sign} {meaning}" for sign, meaning in MEANINGS.items() if sign in cells]
    if signs:
        yield f"{', '.join(signs)}{_why(columns) if CAUTION in cells or UNDEFINED in cells else ''}."


def _legend_of_last(columns: Sequence[_Columns]) -> str:
    relations = {f.relation for column in columns if column.has_margins for f in column.which.values()}
    margin = "which: margin over a baseline of other models"
    # orders have no yes rate, and probabilities none that matters
    kinds = {"which ones": "at equal yes rates", "auroc": "in AUROC", "baseline": ""}
    where = [kinds[relation] for relation in kinds if relation in relations and kinds[relation]]
    return f"{margin} {', or '.join(where)}.".replace(" .", ".")


def _legend_of_skill(columns: Sequence[_Columns]) -> str:
    """What skill is, and why it stands in the place of margins that were worked out."""
    no_verdicts = [f for column in columns if not column.has_margins for f in column.margins if f.value is not None]
    why = f"; no margins here: {_reason_of_most(no_verdicts)[0]}" if no_verdicts else ""
    return f"skill: 0 is chance, 1 is perfect{why}."


def _why(columns: Sequence[_Columns]) -> str:
    """Why numbers have no verdict, and where there are none of these, why there is no number; where to look, where
    no two models share the reason.
    """
    findings = [f for column in columns for f in (*column.often.values(), *column.which.values())]
    silent = [finding for finding in findings if finding.answer == "withheld" and finding.reason]
    if not silent:
        return ""
    marked = [finding for finding in silent if finding.value is not None]
    reason, sharing = _reason_of_most(marked or silent)
    if len({finding.reason for finding in silent}) == 1:
        return f": {reason}"
    return f": {reason} (others: --full)" if sharing > 1 else " (why: --full)"


def _reason_of_most(findings: Sequence[Finding]) -> tuple[str, int]:
    """The reason that most models share, without the numbers behind it, and how many do; "it" is the first of them."""
    sharing = {reason: {f.subject for f in findings if f.reason == reason} for reason in (f.reason for f in findings)}
    reason = max(sharing, key=lambda shared: len(sharing[shared]))
    subject = next(finding.subject for finding in findings if finding.reason == reason)
    return re.sub("^it ", f"{subject} ", (reason or "").partition(" (")[0]), len(sharing[reason])


def _by(source: str) -> str:
    return "by rule" if source == RULE else by_source(source)
