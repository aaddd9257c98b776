"""The answer: the front, and what follows in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from selfexec.analysis.answers import BASELINE, answers
from selfexec.analysis.findings import further_findings, too_few_for_own
from selfexec.analysis.names import skill_called
from selfexec.analysis.score import Scores
from selfexec.analysis.score_table import LEGEND
from selfexec.analysis.screen import TOLD_BY_SENTENCES
from selfexec.analysis.warnings import BEHIND_ANSWERS, UnseenTokens, texts_of
from selfexec.analysis.words import NO_TEST, FindingSentence, own_predictions, sentences
from selfexec.experiments import EXPERIMENTS
from selfexec.metrics import LEAST_FOR_VERDICT
from selfexec.report.data import Data
from selfexec.report.front import Front
from selfexec.report.score_lines import COMPARED

OWN_UNMEASURED = (
    "Whether predictions hold anything that only the model itself could know is not measured here: that takes "
    f"{LEAST_FOR_VERDICT} models with enough items each."
)


@dataclass(frozen=True)
class AnswerSection:
    """`notes`: that own excess is not measured at all, epochs that are one, answers without a token count or with more
    tokens than text, and who answered nothing. `own_requires`: what own excess would require, where it is not measured.
    `items`: how many of each experiment a model was asked. `detectable`: experiment -> column -> the difference between
    two models that 80% of runs like these would find (median, least, greatest over pairs). `said`: sentences by what
    they are about.
    """

    front: Front | None
    notes: Sequence[str]
    own_requires: Sequence[str]
    items: Mapping[str, str]
    detectable: Mapping[str, Mapping[str, tuple[float, float, float]]]
    said: Mapping[str, Sequence[FindingSentence]]
    sources: Sequence[str]
    skill_called: str
    convention: str
    no_test: str = NO_TEST


def answer(data: Data) -> AnswerSection:
    items = {e: n for e in data.scores.experiments if e != "overall" and (n := items_asked(data.scores, e))}
    sizes = {
        e: {column: size for column, metric in COMPARED.items() if (size := data.ranking.detectable(metric, e))}
        for e in ("overall", *EXPERIMENTS)
    }
    too_few = own_predictions(too_few_for_own(data.scores.own))
    further = sentences(further_findings(data.scores, data.tables, data.ranking.standings))
    told = [one for one in (*answers(data.scores, "see †"), *further) if one not in too_few and one.text != BASELINE]
    few = len(data.scores.models) <= TOLD_BY_SENTENCES
    notes = texts_of(data.scores.warnings, *BEHIND_ANSWERS, *([UnseenTokens] if few else ()))
    said = {about: [one for one in told if one.about == about] for about in (*EXPERIMENTS, "overall")}
    return AnswerSection(
        data.front,
        [*([OWN_UNMEASURED] if too_few else []), *notes],
        [one.text for one in too_few[:1]],
        items,
        {experiment: found for experiment, found in sizes.items() if found},
        {about: found for about, found in said.items() if found},
        [source.with_command for source in data.other_sources],
        skill_called=skill_called(data.scores.experiments),
        convention=LEGEND[data.selection.convention],
    )


def items_asked(scores: Scores, experiment: str) -> str:
    """How many each model was asked: 488, or 40 to 488."""
    asked = sorted({row.items for row in scores.of(experiment, "accuracy")} - {0})
    return " to ".join(f"{n:,}" for n in dict.fromkeys([*asked[:1], *asked[-1:]]))
