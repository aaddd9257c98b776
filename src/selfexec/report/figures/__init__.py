"""The figures of a report: one function each, from numbers to a drawing and the table behind it."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from selfexec.report.figures.abilities import read_abilities
from selfexec.report.figures.ability import LEAST, ability
from selfexec.report.figures.calibrated import calibrated
from selfexec.report.figures.conditions import conditions
from selfexec.report.figures.correlations import correlations
from selfexec.report.figures.difficulty import difficulty
from selfexec.report.figures.equal_rate import equal_rate
from selfexec.report.figures.experiments import experiments
from selfexec.report.figures.failing import failing
from selfexec.report.figures.figure import Figure
from selfexec.report.figures.knowing import knowing
from selfexec.report.figures.ladder import ladder
from selfexec.report.figures.loss import loss
from selfexec.report.figures.margins import margins
from selfexec.report.figures.numbers import FigureNumbers
from selfexec.report.figures.ordering import ordering
from selfexec.report.figures.page_correlations import ability_experiments
from selfexec.report.figures.readiness import readiness, with_readiness
from selfexec.report.figures.tokens import tokens
from selfexec.report.figures.yes_no import association, restriction
from selfexec.stats import LEAST_PAIRS

# In the order of the page, but for `margins`: that is the page's front. Those of the appendix are the paper's other
# figures, which stand folded behind all else.
Draw = Callable[[FigureNumbers], Figure | Iterable[Figure] | None]
SHOWN: tuple[Draw, ...] = (readiness, equal_rate, ladder, loss, ability, calibrated, failing, conditions, knowing)
APPENDIX: tuple[Draw, ...] = (
    experiments,
    association,
    restriction,
    difficulty,
    tokens,
    ordering,
    correlations,
)


@dataclass(frozen=True)
class Absent:
    """A figure that is not drawn, and what it takes; where it is of some experiments, one that was asked."""

    title: str
    takes: str
    of: Collection[str] | Callable[[], Collection[str]] = ()


UNREAD = "nothing of it was read"
COUNTED = "needs replies whose tokens were counted"
# the beginning of an id -> what it takes to draw such a figure
TAKES = {
    "experiments": Absent("The experiments side by side", "needs two experiments"),
    "equal_rate": Absent("Skill at equal yes rates", "needs other models to predict a model by", with_readiness),
    "ladder": Absent("The ladder", "needs other models on its items to predict a model by"),
    "association": Absent("Word association", UNREAD, ("association",)),
    "readiness": Absent("How often: predicted and done", UNREAD, with_readiness),
    "restriction": Absent("Restriction", UNREAD, ("restriction",)),
    "difficulty": Absent("Difficulty", UNREAD, ("difficulty",)),
    "tokens": Absent("Tokens of one answer", COUNTED, ("difficulty",)),
    "ordering": Absent(
        "Ranking accuracy and the tokens that a ranking takes",
        "needs 2 models whose tokens were counted",
        ("difficulty",),
    ),
    "failing": Absent("Questions written to be failed", UNREAD, ("failing_question",)),
    "knowing": Absent("Accuracy on the log and knowing it", UNREAD, ability_experiments),
    "ability": Absent(
        "Score and ability",
        f"needs {LEAST} models whose ability is known, by their names or with --abilities FILE",
    ),
    "correlations": Absent("Which numbers go together", f"needs {LEAST_PAIRS} models that have two of the numbers"),
    "loss": Absent("Replies that were not read", "there are none"),
}


def absent(figures: Iterable[Figure], experiments: Collection[str]) -> list[Absent]:
    """Those without any among these, of the experiments that were asked."""
    ids = [figure.id for figure in figures]
    missing = [one for start, one in TAKES.items() if not any(id.startswith(start) for id in ids)]
    parts = [one.of() if callable(one.of) else one.of for one in missing]
    return [one for one, of in zip(missing, parts, strict=True) if not of or any(e in experiments for e in of)]


def drawn(numbers: FigureNumbers, which: Sequence[Draw] = (*SHOWN, *APPENDIX)) -> Iterator[Figure]:
    for draw in which:
        if isinstance(found := draw(numbers), Figure):
            yield found
        else:
            yield from found or ()
