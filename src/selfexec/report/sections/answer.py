"""The answer: models ranked by skill and margin, and what follows in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from selfexec.analysis.findings import findings
from selfexec.analysis.names import skill_called
from selfexec.analysis.words import NO_TEST, Said, sentences
from selfexec.experiments import EXPERIMENTS
from selfexec.report.data import Data
from selfexec.report.leaderboards import Board
from selfexec.report.sections.top import items_asked


@dataclass(frozen=True)
class Answer:
    """`front`: the board to begin with. `said`: sentences by what they are about. `unpaired`: some models were asked
    other items than others.
    """

    boards: Sequence[Board]
    front: str
    said: Mapping[str, Sequence[Said]]
    several: bool
    unpaired: bool
    skill_called: str
    no_test: str = NO_TEST


def answer(data: Data) -> Answer:
    known = (board for board in data.boards if any(row.skill and row.skill.value is not None for row in board.rows))
    front = next((board.experiment for board in known), "overall")
    told = sentences(findings(data.scores, data.tables, data.ranking.standings))
    said = {about: [one for one in told if one.about == about] for about in ("overall", *EXPERIMENTS)}
    unpaired = any(" to " in items_asked(data.scores, experiment) for experiment in data.scores.experiments)
    said = {about: found for about, found in said.items() if found}
    called = skill_called(data.scores.experiments)
    return Answer(data.boards, front, said, len(data.models) > 1, unpaired, called)
