"""The head of the page: question, answer in one sentence, what it rests on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from selfexec.analysis import words
from selfexec.analysis.findings import against_baseline, against_chance, lacks_overall, own_prediction_findings
from selfexec.analysis.notes import nothing_answered, one_model
from selfexec.analysis.reference_panel import panel_lines
from selfexec.analysis.score import Scores
from selfexec.analysis.score_table import no_margins, skills_by_experiment
from selfexec.facets import DEFAULT_NAME
from selfexec.report.data import Data


@dataclass(frozen=True)
class Top:
    """`details` stand below the answer in smaller letters, and `same` says which models are one by their replies;
    `items`: how many of each experiment a model was asked.
    """

    question: str
    answer: words.FindingSentence
    details: Sequence[str]
    same: Sequence[str]
    simulated: str | None
    items: Mapping[str, str]


def top(data: Data) -> Top:
    scores = data.scores
    answer, details = _answer(scores)
    panel = [line for one in scores.panels for line in panel_lines(one)]
    own = [one for experiment in scores.experiments for one in own_prediction_findings(scores.own, experiment)]
    details = [*details, *words.own_in_short(own), *nothing_answered(scores.warnings), *panel]
    if data.selection.condition != DEFAULT_NAME:
        details.append(f"Asked in the condition {data.selection.condition}.")
    who = "the model predict what it" if len(data.models) == 1 else "the models predict what they"
    items = {e: n for e in scores.experiments if e != "overall" and (n := items_asked(scores, e))}
    same, simulated = one_model(scores.warnings), words.simulated(data.asked, data.runs)
    return Top(f"Did {who} would do?", answer, details, same, simulated, items)


def items_asked(scores: Scores, experiment: str) -> str:
    """How many each model was asked: 488, or 40 to 488."""
    asked = sorted({row.items for row in scores.of(experiment, "accuracy")} - {0})
    return " to ".join(f"{n:,}" for n in dict.fromkeys([*asked[:1], *asked[-1:]]))


def _answer(scores: Scores) -> tuple[words.FindingSentence, Sequence[str]]:
    """The sentence on top, and what is said below it. Without an overall score, who is ahead in each experiment, or
    what is predicted better than chance; the numbers stand with each experiment.
    """
    skills = against_chance(scores.of("overall", "skill"))
    if lacks_overall(scores) and (parts := skills_by_experiment(scores)):
        if said := words.answer_by_experiment({e: against_baseline(scores.of(e, "baseline_margin")) for e in parts}):
            return said, []
        if len(scores.models) == 1:
            return words.skills_in_short([one for found in parts.values() for one in found]), list(no_margins(scores))
        return words.models_in_short(parts), [*words.overall_skills(skills), *no_margins(scores)]
    margins = against_baseline(scores.of("overall", "baseline_margin"))
    found = words.answer(margins, skills)
    if found.tone != "withheld":
        return found, []
    first, *details = words.without_margin(margins, skills)
    return words.FindingSentence("overall", found.tone, first), details
