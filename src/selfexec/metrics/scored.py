"""What scoring one model in one experiment comes to."""

from dataclasses import dataclass

from selfexec.metrics.counts import Counted
from selfexec.metrics.margin import Held
from selfexec.metrics.rows import Asked, Estimate, Score


@dataclass(frozen=True)
class Scored:
    """One experiment of one model: its rows, what the overall score needs of it, and the counts that both rest on: the
    model's `record`, and what it is `held` against.
    """

    rows: list[Score]
    asked: Asked
    accuracy: Estimate
    skill: Estimate
    caution: str | None
    record: Counted
    held: Held

    @property
    def baseline_margin(self) -> Estimate:
        return self.held.margin
