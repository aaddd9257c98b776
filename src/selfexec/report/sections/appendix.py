"""What few readers look for, folded: the paper's other figures, who predicts whom, numbers counted in three ways."""

from collections.abc import Sequence
from dataclasses import dataclass

from selfexec.extensions.published.page import Conventions, ledger
from selfexec.report.cross import Cross, cross
from selfexec.report.data import Data
from selfexec.report.figures import Absent, Figure, absent
from selfexec.report.sections.figures import halves


@dataclass(frozen=True)
class Appendix:
    """`columns`: the paper's other figures; `absent`: figures that these data do not allow, shown ones among them."""

    columns: Sequence[Sequence[Figure]]
    absent: Sequence[Absent]
    cross: Cross | None
    ledger: Conventions | None


def appendix(data: Data) -> Appendix:
    figures = data.further_figures
    missing = absent([*data.figures, *figures], data.scores.experiments)
    # of many models neither has room on a page, and both together take as long as half of the scores
    further = (None, None) if data.many else (cross(data), ledger(data))
    return Appendix(halves(figures), missing, *further)
