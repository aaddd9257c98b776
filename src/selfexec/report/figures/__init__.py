"""The figures of a report: one function each, from numbers to a drawing and the table behind it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from selfexec.report.figures.abilities import read_abilities
from selfexec.report.figures.ability import ability
from selfexec.report.figures.association import association
from selfexec.report.figures.conventions import conventions
from selfexec.report.figures.correlations import correlations
from selfexec.report.figures.difficulty import difficulty
from selfexec.report.figures.experiments import experiments
from selfexec.report.figures.figure import Figure
from selfexec.report.figures.ladder import ladder
from selfexec.report.figures.loss import loss
from selfexec.report.figures.margins import margins
from selfexec.report.figures.matrix import matrices
from selfexec.report.figures.numbers import Numbers
from selfexec.report.figures.ordering import ordering
from selfexec.report.figures.pairs import taken_apart
from selfexec.report.figures.readiness import readiness
from selfexec.report.figures.residuals import residuals
from selfexec.report.figures.restriction import restriction
from selfexec.report.figures.tokens import tokens

if TYPE_CHECKING:
    from selfexec.analysis.score import Scores
    from selfexec.runs import Run

# In the order of the page, but for `margins`: that is the page's front.
DRAWN: tuple[Callable[[Numbers], Figure | Iterable[Figure] | None], ...] = (
    experiments,
    ladder,
    association,
    readiness,
    restriction,
    difficulty,
    taken_apart,
    tokens,
    ordering,
    residuals,
    matrices,
    ability,
    correlations,
    conventions,
    loss,
)


def figures(
    runs: "Sequence[Run]",
    scores: "Scores",
    *,
    abilities: Mapping[str, float] | None = None,
    groups: Mapping[str, str] | None = None,
) -> list[Figure]:
    """Every figure that the data allow; one whose data are absent is left out.

    `scores` are those of the runs, or of some of their models: only these are shown. `abilities` by model; without
    them those of the paper's Table 1, for models that it names. `groups` (model -> family) put models of one family
    together; without them the provider or the first word of the name does.
    """
    return list(drawn(Numbers(runs, scores, abilities, groups)))


def drawn(numbers: Numbers) -> Iterator[Figure]:
    for draw in DRAWN:
        if isinstance(found := draw(numbers), Figure):
            yield found
        else:
            yield from found or ()
