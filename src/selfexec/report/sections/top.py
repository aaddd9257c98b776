"""The head of the page: question, answer in one sentence, what it rests on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from selfexec.analysis import findings
from selfexec.analysis.notes import one_model
from selfexec.analysis.score import Scores
from selfexec.analysis.score_table import LEGEND, lacks_overall, no_margins, skills_by_experiment
from selfexec.report.data import Data


@dataclass(frozen=True)
class Top:
    """`details` stand below the answer in smaller letters; `items`: how many of each experiment a model was asked."""

    question: str
    answer: findings.Said
    details: Sequence[str]
    simulated: str | None
    items: Mapping[str, str]
    convention: str


def top(data: Data) -> Top:
    scores = data.scores
    answer, details = _answer(scores)
    details = [*details, *one_model(scores.warnings)]
    who = "the model predict what it" if len(data.models) == 1 else "the models predict what they"
    items = {e: n for e in scores.experiments if e != "overall" and (n := items_asked(scores, e))}
    convention = LEGEND[data.options.convention]
    return Top(f"Did {who} would do?", answer, details, findings.simulated(data.asked), items, convention)


def items_asked(scores: Scores, experiment: str) -> str:
    """How many each model was asked: 488, or 40 to 488."""
    asked = sorted({row.items for row in scores.of(experiment, "accuracy")} - {0})
    return " to ".join(f"{n:,}" for n in dict.fromkeys([*asked[:1], *asked[-1:]]))


def _answer(scores: Scores) -> tuple[findings.Said, Sequence[str]]:
    """The sentence on top, and what is said below it. Without an overall score, what is predicted better than chance;
    the numbers stand with each experiment.
    """
    margins, skills = (scores.of("overall", metric) for metric in ("baseline_margin", "skill"))
    if lacks_overall(scores) and (parts := skills_by_experiment(scores)):
        if len(scores.models) == 1:
            return findings.skills_in_short([row for rows in parts.values() for row in rows]), list(no_margins(scores))
        return findings.models_in_short(parts), [*findings.overall_skills(skills), *no_margins(scores)]
    found = findings.answer(margins, skills)
    if found.tone != "withheld":
        return found, []
    first, *details = findings.without_margin(margins, skills)
    return findings.Said("overall", found.tone, first), details
