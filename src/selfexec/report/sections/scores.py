"""Scores: those that people look at first, and every one."""

from collections.abc import Sequence
from dataclasses import dataclass

from selfexec.analysis.score import Score
from selfexec.analysis.score_table import ABSENT
from selfexec.analysis.words import sentence
from selfexec.report.data import Data
from selfexec.report.outcomes import Counts
from selfexec.report.score_lines import ScoreLine
from selfexec.report.sections.answer import items_asked


@dataclass(frozen=True)
class ScoreTables:
    """`counts` of what became of claims tell which numbers lead to just what they count; `absent` is what it means that
    a score is withheld. `unpaired`: some models were asked other items than others.
    """

    lines: Sequence[ScoreLine]
    scores: Sequence[Score]
    counts: Counts
    unpaired: bool
    absent: str = f"{sentence('; '.join(ABSENT.values()))}."

    @property
    def has_absent(self) -> bool:
        """Whether a score is withheld, or there is none."""
        return any(row is not None and row.value is None for line in self.lines for row in line.numbers)

    @property
    def has_places(self) -> bool:
        """Whether models were compared with each other."""
        return any(line.places for line in self.lines)

    @property
    def has_rates(self) -> bool:
        """Whether any experiment is of yes and no."""
        return any(line.rate_bias is not None for line in self.lines)


def scores(data: Data) -> ScoreTables:
    every = sorted(data.scores, key=lambda row: data.places[row.model])
    unpaired = any(" to " in items_asked(data.scores, e) for e in data.scores.experiments if e != "overall")
    return ScoreTables(data.lines, every, data.counts, unpaired)
