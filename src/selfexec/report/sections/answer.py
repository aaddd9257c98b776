"""The answer: the finding in one picture, models ranked by skill and margin, and what follows in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from selfexec.analysis.findings import further_findings, too_few_for_own
from selfexec.analysis.names import skill_called
from selfexec.analysis.score_table import LEGEND
from selfexec.analysis.words import NO_TEST, FindingSentence, own_predictions, sentences
from selfexec.experiments import EXPERIMENTS
from selfexec.report.data import Data
from selfexec.report.leaderboards import Board
from selfexec.report.picture import Picture, picture
from selfexec.report.sections.top import items_asked


@dataclass(frozen=True)
class AnswerSection:
    """`untold`: why there is no verdict on own excess at all. `front`: the board to begin with. `said`: sentences by
    what they are about. `unpaired`: some models were asked other items than others.
    """

    picture: Picture | None
    untold: str | None
    boards: Sequence[Board]
    front: str
    said: Mapping[str, Sequence[FindingSentence]]
    several: bool
    unpaired: bool
    skill_called: str
    convention: str
    no_test: str = NO_TEST


def answer(data: Data) -> AnswerSection:
    known = (board for board in data.boards if any(row.skill and row.skill.value is not None for row in board.rows))
    front = next((board.experiment for board in known), "overall")
    untold = own_predictions(too_few_for_own(data.scores.own))
    further = sentences(further_findings(data.scores, data.tables, data.ranking.standings))
    told = [one for one in further if one not in untold]
    said = {about: [one for one in told if one.about == about] for about in ("overall", *EXPERIMENTS)}
    return AnswerSection(
        picture(data.scores, data.models),
        untold[0].text if untold else None,
        data.boards,
        front,
        {about: found for about, found in said.items() if found},
        several=len(data.models) > 1,
        unpaired=any(" to " in items_asked(data.scores, experiment) for experiment in data.scores.experiments),
        skill_called=skill_called(data.scores.experiments),
        convention=LEGEND[data.selection.convention],
    )
