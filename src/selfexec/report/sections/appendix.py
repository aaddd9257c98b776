"""What few readers look for, folded: the paper's other figures, what own excess rests on, and what extensions add."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from selfexec.extension import AppendixPart, registered, resolve
from selfexec.report.data import Data
from selfexec.report.figures import Absent, Figure, absent
from selfexec.report.own_excess import OwnExcess, own_excess
from selfexec.report.sections.figures import halves


@dataclass(frozen=True)
class Appendix:
    """`columns`: the paper's other figures; `absent`: figures that these data do not allow, shown ones among them;
    `parts`: what extensions add, by id with what is shown; `elsewhere`: what of it has no room.
    """

    columns: Sequence[Sequence[Figure]]
    absent: Sequence[Absent]
    own_excess: OwnExcess | None
    parts: Mapping[str, tuple[AppendixPart, object]]
    elsewhere: Sequence[AppendixPart]


def appendix(data: Data) -> Appendix:
    figures = data.further_figures
    missing = absent([*data.figures, *figures], data.scores.experiments)
    added: Mapping[str, AppendixPart] = registered("appendix")
    if data.many:  # neither has room on a page, and both together take as long as half of the scores
        return Appendix(halves(figures), missing, None, {}, [*added.values()])
    parts = {id: (part, shown) for id, part in added.items() if (shown := resolve(part.place)(data)) is not None}
    return Appendix(halves(figures), missing, own_excess(data), parts, [])
