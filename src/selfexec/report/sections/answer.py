"""The answer: models ranked by skill and margin, and what follows in words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from selfexec.analysis import findings
from selfexec.analysis.findings import NO_TEST, Said
from selfexec.analysis.score_table import lacks_overall
from selfexec.experiments import EXPERIMENTS
from selfexec.metrics import rows_over_naive
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
    no_test: str = NO_TEST


def answer(data: Data) -> Answer:
    known = (board for board in data.boards if any(row.skill and row.skill.value is not None for row in board.rows))
    front = next((board.experiment for board in known), "overall")
    told = findings.all_said(_said(data))
    said = {about: [one for one in told if one.about == about] for about in ("overall", *EXPERIMENTS)}
    unpaired = any(" to " in items_asked(data.scores, experiment) for experiment in data.scores.experiments)
    said = {about: sentences for about, sentences in said.items() if sentences}
    return Answer(data.boards, front, said, len(data.models) > 1, unpaired)


def _said(data: Data) -> Iterator[Said | None]:
    """Everything that the numbers support: overall, then by experiment."""
    scores = data.scores
    alone, unsaid = len(scores.models) == 1, lacks_overall(scores)
    if not alone:
        yield findings.best_skill(scores.of("overall", "skill"), data.ranking.standings)
    for experiment in scores.experiments:
        if experiment == "overall":
            continue
        if alone:
            yield findings.skill_alone(experiment, *scores.of(experiment, "skill"))
        else:
            skills = scores.of(experiment, "skill") if unsaid else ()
            yield findings.baseline_margin(experiment, scores.of(experiment, "baseline_margin"), skills)
        if naive := EXPERIMENTS[experiment].naive:
            baselines = {row.model: row for row in scores.of(experiment, naive.metric)}
            gaps = rows_over_naive(scores.of(experiment, "accuracy"), data.tables.claims[experiment])
            yield findings.naive_baseline(experiment, naive, gaps, baselines)
