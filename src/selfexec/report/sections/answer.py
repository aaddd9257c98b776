"""The answer: the front, models ranked by skill and margin, and what follows in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from selfexec.analysis.answers import BASELINE, answers
from selfexec.analysis.findings import further_findings, too_few_for_own
from selfexec.analysis.names import skill_called
from selfexec.analysis.score import Scores
from selfexec.analysis.score_table import LEGEND
from selfexec.analysis.warnings import Unanswered, texts_of
from selfexec.analysis.words import NO_TEST, FindingSentence, own_predictions, sentences
from selfexec.experiments import EXPERIMENTS
from selfexec.report.data import Data
from selfexec.report.front import Front
from selfexec.report.leaderboards import Board


@dataclass(frozen=True)
class AnswerSection:
    """`notes`: why there is no verdict on own excess at all, and who answered nothing. `items`: how many of each
    experiment a model was asked. `first`: the board to begin with. `said`: sentences by what they are about.
    `unpaired`: some models were asked other items than others.
    """

    front: Front | None
    notes: Sequence[str]
    items: Mapping[str, str]
    boards: Sequence[Board]
    first: str
    said: Mapping[str, Sequence[FindingSentence]]
    several: bool
    unpaired: bool
    skill_called: str
    convention: str
    no_test: str = NO_TEST


def answer(data: Data) -> AnswerSection:
    items = {e: n for e in data.scores.experiments if e != "overall" and (n := items_asked(data.scores, e))}
    known = (board for board in data.boards if any(row.skill and row.skill.value is not None for row in board.rows))
    first = next((board.experiment for board in known), "overall")
    too_few = own_predictions(too_few_for_own(data.scores.own))
    further = sentences(further_findings(data.scores, data.tables, data.ranking.standings))
    told = [one for one in (*answers(data.scores), *further) if one not in too_few and one.text != BASELINE]
    said = {about: [one for one in told if one.about == about] for about in (*EXPERIMENTS, "overall")}
    return AnswerSection(
        data.front,
        [*(one.text for one in too_few[:1]), *texts_of(data.scores.warnings, Unanswered)],
        items,
        data.boards,
        first,
        {about: found for about, found in said.items() if found},
        several=len(data.models) > 1,
        unpaired=any(" to " in number for number in items.values()),
        skill_called=skill_called(data.scores.experiments),
        convention=LEGEND[data.selection.convention],
    )


def items_asked(scores: Scores, experiment: str) -> str:
    """How many each model was asked: 488, or 40 to 488."""
    asked = sorted({row.items for row in scores.of(experiment, "accuracy")} - {0})
    return " to ".join(f"{n:,}" for n in dict.fromkeys([*asked[:1], *asked[-1:]]))
