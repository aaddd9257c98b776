"""Rules by which a sentence of the paper gets its verdict.

A sentence is a function from the evidence to what was found and a verdict. The verdict comes from one of the rules
below; the words beside it are written for one verdict each, and `make.py` stops where another comes out.

    holds                       the number rounds to what is printed; or the interval lies on the side that is claimed;
                                or what is said of all (most) models is true of all (most) of them
    holds by an artefact        it holds as published, and no longer once what was lost is left out, or what a baseline
                                gets is taken away, or models that say yes at different rates are compared by the share
                                of what is possible at their own rate
    cannot be told at this n    the interval lies on both sides of what is claimed, or there is no number to tell by
    does not hold               the interval lies on the other side, or the number is another

Sentences that say like things are judged by one rule:

    "perform poorly", "not much better than guessing", "none performs well", "limited capability to anticipate",
        "struggle": less than half of the way from chance to a perfect score (`poor`), once with the published
        accuracies and chance at 50%, and once by skill, of which 0 is chance. What is said of models in general is
        said of most of them.
    "close to chance": within a fifth of that way (`close`), which is ten points of accuracy. A caption is held against
        what its figure shows.
    "lack awareness": no number tells. Skill says how well a model predicts itself, the margin over the best baseline
        which of the two is the better guide; neither says what a model knows of itself that others do not tell.
    "not consistently with size or capability", "in many cases not": the pairs of models of which the abler (larger)
        has the lower score are more than one in ten (`unsteady`). A correlation above 0 does not refute this, and
        one near 0 does not show it: it is about exceptions, not about the trend.
    "no correspondence", "no advantage", that is, no trend at all: falls with an interval without 0, and is open
        otherwise (`none_seen`); of correlations over models with one that stays without 0 whichever model is left out
        (`none_steady`).
    what compares models by accuracy or J, where they say yes at different rates: by that, and by shares of the
        ceiling, which is the greatest J that is possible at a model's rate (Loevinger's H). The rate itself is how
        often; what is left is which ones.
    "best", "highest", "outperformed": the difference to the next is above 0 with its whole interval (`above`). That
        the estimate is the highest is said beside it.
"""

import math
from collections.abc import Iterable, Mapping

from evidence import Value, inverted
from recorded import Number

from selfexec.stats import Correlation, Interval

HOLDS = "holds"
ARTEFACT = "holds by an artefact"
CANNOT = "cannot be told at this n"
NOT = "does not hold"
VERDICTS = (HOLDS, ARTEFACT, CANNOT, NOT)

LOW = 0.5  # a correlation is low if its interval lies within -.5 to .5
HIGH = 0.7  # and not very high if its interval lies below .7: half of the variance
CLOSE = 0.2  # close to chance: within a fifth of the way to a perfect score, which is ten points of accuracy
MOST = 0.5  # most models: more than half of them
NEARLY_ALL = 0.8
MANY = 0.1  # many cases: more than one in ten
MUCH = 0.5  # much better than chance: at least half of the way from there to a perfect score
LARGE_PART = 0.25  # a large percent, where none is named


def stated(*pairs: tuple[float, str]) -> str:
    """Every number, in the digits that the paper gives, is the one that it gives."""
    return HOLDS if all(f"{value:.{_digits(said)}f}" == said for value, said in pairs) else NOT


def _digits(said: str) -> int:
    return len(said.partition(".")[2])


def above(interval: Interval | tuple[float, float], limit: float = 0.0) -> str:
    low, high = interval
    return HOLDS if low > limit else NOT if high < limit else CANNOT


def below(interval: Interval | tuple[float, float], limit: float) -> str:
    low, high = interval
    return HOLDS if high < limit else NOT if low > limit else CANNOT


def none_seen(interval: Interval | tuple[float, float]) -> str:
    """What says that there is no relation or no advantage falls with an interval without 0, and is open otherwise."""
    low, high = interval
    return NOT if low > 0 or high < 0 else CANNOT


def none_steady(left_out: Iterable[Correlation]) -> str:
    """Of the correlations with each model left out in turn."""
    return NOT if all(none_seen(r.interval) == NOT for r in left_out) else CANNOT


def share(part: int, whole: int, least: float) -> str:
    return HOLDS if part > least * whole else NOT


def way(accuracy: float) -> float:
    """How far an accuracy is on the way from 50% to a perfect score: what its skill is if 50% is chance."""
    return 2 * accuracy - 1


def poor(skill: float) -> bool:
    return skill < MUCH


def close(skill: float) -> bool:
    return abs(skill) < CLOSE


def unsteady(orders: Mapping[str, float], values: Mapping[str, float]) -> str:
    """Not consistently: in more than one in ten pairs of models the abler (or larger) one is lower."""
    return share(*inverted(orders, values), MANY)


def around(value: float, said: float) -> str:
    """Within five points of a number of tens."""
    return HOLDS if abs(value - said) < 0.05 else NOT


def every(*verdicts: str) -> str:
    """Several things that are said together: as good as the worst of them."""
    return max(verdicts, key=VERDICTS.index)


def ends(x: Number | Value) -> tuple[float, float]:
    return (math.nan if x.low is None else x.low), (math.nan if x.high is None else x.high)


def recounted(published: str, again: str) -> str:
    """Once as published, and once without what was lost or what a baseline gets."""
    return ARTEFACT if published == HOLDS and again != HOLDS else published
