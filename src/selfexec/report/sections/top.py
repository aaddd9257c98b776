"""The head of the page: question, answer, what it rests on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from selfexec.analysis import words
from selfexec.analysis.answers import answers
from selfexec.analysis.findings import own_prediction_findings
from selfexec.analysis.notes import nothing_answered, one_model
from selfexec.analysis.reference_panel import panel_lines
from selfexec.analysis.score import Scores
from selfexec.facets import DEFAULT_NAME
from selfexec.report.data import Data


@dataclass(frozen=True)
class Top:
    """`answers` are what is known of each experiment and overall; `details` stand below in smaller letters, and `same`
    says which models are one by their replies; `items`: how many of each experiment a model was asked.
    """

    question: str
    answers: Sequence[words.FindingSentence]
    details: Sequence[str]
    same: Sequence[str]
    simulated: str | None
    items: Mapping[str, str]


def top(data: Data) -> Top:
    scores = data.scores
    panel = [line for one in scores.panels for line in panel_lines(one)]
    own = [one for experiment in scores.experiments for one in own_prediction_findings(scores.own, experiment)]
    details = [*words.own_in_short(own), *nothing_answered(scores.warnings), *panel]
    if data.selection.condition != DEFAULT_NAME:
        details.append(f"Asked in the condition {data.selection.condition}.")
    who = "the model predict what it" if len(data.models) == 1 else "the models predict what they"
    items = {e: n for e in scores.experiments if e != "overall" and (n := items_asked(scores, e))}
    same, simulated = one_model(scores.warnings), words.simulated(data.asked, data.runs)
    return Top(f"Did {who} would do?", answers(scores), details, same, simulated, items)


def items_asked(scores: Scores, experiment: str) -> str:
    """How many each model was asked: 488, or 40 to 488."""
    asked = sorted({row.items for row in scores.of(experiment, "accuracy")} - {0})
    return " to ".join(f"{n:,}" for n in dict.fromkeys([*asked[:1], *asked[-1:]]))
