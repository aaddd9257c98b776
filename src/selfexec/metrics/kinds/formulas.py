"""Claims of yes and no, counted by what was predicted and what happened; and what follows from these counts, one small
function per metric.

Under the readable convention the cells of unread claims (`unread_true` and so on) are 0, so that the formulas are the
same under both.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from selfexec.claims import Claims, Flags
from selfexec.claims.arrays import READ

CELLS = ("tp", "fp", "fn", "tn", "unread_true", "unread_false", "unread_outcome")


class Cells(NamedTuple):
    """`unread_true`: predictions that could not be read of what did happen; `unread_false`: of what did not;
    `unread_outcome`: claims that nobody knows to have come true or not."""

    tp: Any
    fp: Any
    fn: Any
    tn: Any
    unread_true: Any
    unread_false: Any
    unread_outcome: Any

    @classmethod
    def of(cls, counts: NDArray[Any]) -> "Cells":
        """Of counts with cells on the last axis."""
        return cls(*(counts.T if counts.ndim < 3 else np.moveaxis(counts, -1, 0)))

    @property
    def claims(self) -> Any:
        return sum(self)

    @property
    def with_outcome(self) -> Any:
        """Claims whose outcome is known."""
        return self.claims - self.unread_outcome


def confusion(claims: Claims) -> dict[str, Flags]:
    """Which of the claims that were read are true positives, false positives, and so on."""
    read, said, did = claims.state == READ, claims.predicted, claims.observed
    return {
        "tp": read & (said > 0) & (did > 0),
        "fp": read & (said > 0) & (did < 0),
        "fn": read & (said < 0) & (did > 0),
        "tn": read & (said < 0) & (did < 0),
    }


def known_sides(claims: Claims) -> dict[str, int]:
    """How many claims were read, by cell, and how many were lost, by what is known of them: that they came `true` or
    `false`, that the model said `yes` or `no`, or nothing.
    """
    said, did, lost = claims.predicted, claims.observed, claims.lost
    ways = {
        **confusion(claims),
        "true": lost & (did > 0),
        "false": lost & (did < 0),
        "yes": lost & (did == 0) & (said > 0),
        "no": lost & (did == 0) & (said < 0),
        "unknown": lost & (did == 0) & (said == 0),
    }
    return {name: int(mask.sum()) for name, mask in ways.items()}


# --- formulas --------------------------------------------------------------------------------------------------------


def accuracy(c: Cells) -> Any:
    """Share of claims predicted rightly. A claim that could not be read counts as wrong."""
    return (c.tp + c.tn) / c.claims


def precision(c: Cells) -> Any:
    """Share of predicted claims that came true. An unread prediction predicted nothing."""
    return c.tp / (c.tp + c.fp)


def recall(c: Cells) -> Any:
    """Share of true claims that were predicted."""
    return c.tp / (c.tp + c.fn + c.unread_true)


def specificity(c: Cells) -> Any:
    """Share of false claims that were predicted to be false."""
    return c.tn / (c.tn + c.fp + c.unread_false)


def positive_rate(c: Cells) -> Any:
    """Share of claims that the model said would come true, of those whose outcome is known."""
    return (c.tp + c.fp) / c.with_outcome


def base_rate(c: Cells) -> Any:
    """Share of claims that did come true, of those whose outcome is known: the accuracy of always predicting that."""
    return (c.tp + c.fn + c.unread_true) / c.with_outcome


def read_claims(c: Cells) -> Any:
    """Claims whose prediction and outcome were both read."""
    return c.tp + c.fp + c.fn + c.tn


def predicted_rate(c: Cells) -> Any:
    """Share of yes among the claims with prediction and outcome read. (`positive_rate` is of all claims with a known
    outcome, and counts an unread prediction as no yes.)
    """
    return (c.tp + c.fp) / read_claims(c)


def rate_bias(c: Cells) -> Any:
    """Predicted less observed share of yes, over claims with both read: how often, and not which ones."""
    return (c.fp - c.fn) / read_claims(c)


def ceiling_at_own_rate(c: Cells) -> Any:
    """The greatest J of anybody who says yes as often: with a rate q of yes and a base rate b, (1 - q) / (1 - b) from
    q = b on, and q / b below. It is continuous, and has a bend at q = b: there its error is that of the upper piece.
    """
    q, b = predicted_rate(c), base_rate(c)
    return np.where(np.real(q) >= np.real(b), (1 - q) / (1 - b), q / b)


def share_of_ceiling(c: Cells) -> Any:
    """J over the greatest that is possible at this yes rate (Loevinger's H, 1948)."""
    return youden_j(c) / ceiling_at_own_rate(c)


def balanced_accuracy(c: Cells) -> Any:
    """Mean of recall and specificity: 0.5 for a predictor that says the same every time."""
    return (recall(c) + specificity(c)) / 2


def youden_j(c: Cells) -> Any:
    """Recall + specificity - 1 (Youden 1950): 0 is chance, 1 is perfect."""
    return recall(c) + specificity(c) - 1


def mcc(c: Cells) -> Any:
    """Matthews correlation (1975) of prediction and outcome; an unread prediction is the wrong one."""
    tp, tn, fp, fn = c.tp, c.tn, c.fp + c.unread_false, c.fn + c.unread_true
    return (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


def kappa(c: Cells) -> Any:
    """Cohen's kappa (1960); an unread prediction is the wrong one."""
    tp, tn, fp, fn = c.tp, c.tn, c.fp + c.unread_false, c.fn + c.unread_true
    n = tp + tn + fp + fn
    chance = ((tp + fp) * (tp + fn) + (tn + fn) * (tn + fp)) / n**2
    undefined = 0 / ((tp + fn) * (tn + fp))  # nan where all claims came to the same, as J is; else 0
    return ((tp + tn) / n - chance) / (1 - chance) + undefined


def d_prime(c: Cells) -> Any:
    """d' of signal detection (Green and Swets 1966): how far apart claims that come true and those that do not are to
    the model, in standard deviations. Infinite where recall or specificity is 0 or 1.
    """
    return _z(recall(c)) + _z(specificity(c))


def criterion(c: Cells) -> Any:
    """c of signal detection: how reluctant the model is to say yes; 0 leans neither way."""
    return (_z(specificity(c)) - _z(recall(c))) / 2


def _z(share: Any) -> Any:
    """The point of the standard normal distribution below which this share lies. Takes complex steps: its derivative
    is one over the density there."""
    share = np.asarray(share)
    point = ndtri(share.real)
    if not np.iscomplexobj(share):
        return point
    return point + 1j * share.imag * np.sqrt(2 * np.pi) * np.exp(point**2 / 2)


def over_niceness(c: Cells) -> Any:
    """Share of errors in which the model said it would not, and then did (paper, section 4.2)."""
    return c.fn / (c.fn + c.fp)


def over_niceness_expected(c: Cells) -> Any:
    """The same share by chance: had predictions nothing to do with outcomes, and were both as frequent as they are."""
    too_nice, too_bold = (c.tp + c.fn) * (c.fn + c.tn), (c.fp + c.tn) * (c.tp + c.fp)
    return too_nice / (too_nice + too_bold)


def always_no(c: Cells) -> Any:
    """Accuracy of predicting that no claim comes true."""
    return 1 - base_rate(c)


def shuffled(c: Cells) -> Any:
    """Expected accuracy of the model's own predictions dealt out at random."""
    b = base_rate(c)
    return (c.tp + c.fp) / c.with_outcome * b + (c.fn + c.tn) / c.with_outcome * (1 - b)


# --- the list of them ------------------------------------------------------------------------------------------------

CellsFormula = Callable[[Cells], Any]


def of_cells(formula: CellsFormula) -> Callable[[Any], Any]:
    """The same formula of totals with the cells on the last axis."""
    return lambda totals: formula(Cells.of(totals))


AT_AN_END = "recall or specificity is 0, 1 or unknown"


@dataclass(frozen=True)
class Metric:
    """One entry for all that is done with a metric.

    formula       analytic where it is defined: arithmetic and square roots, no abs or max; comparisons of real parts
                  alone choose between analytic pieces (see `stats.ratio_error`)
    trials        what it is a share of; its interval is Wilson's. Else it lies between `least` and `most`.
    skill         whether it measures skill, about which one item says nothing
    rises         whether it rises, or stays, with each claim that is right instead of wrong: its bounds follow
    drawn         whether it has bootstrap intervals
    undefined     what is said where it has no value
    on_request    whether only experiments have it that ask for it
    """

    formula: CellsFormula
    trials: CellsFormula | None = None
    least: float = -1.0
    most: float = 1.0
    skill: bool = False
    rises: bool = False
    drawn: bool = True
    undefined: str | None = None
    on_request: bool = False


ALL_CLAIMS, CLAIMS_WITH_OUTCOME = attrgetter("claims"), attrgetter("with_outcome")

METRICS: Mapping[str, Metric] = {
    "accuracy": Metric(accuracy, ALL_CLAIMS, rises=True),
    "precision": Metric(precision, lambda c: c.tp + c.fp, rises=True, undefined="no claim was predicted to come true"),
    "recall": Metric(recall, lambda c: c.tp + c.fn + c.unread_true, rises=True, undefined="no claim came true"),
    "positive_rate": Metric(positive_rate, CLAIMS_WITH_OUTCOME),
    "base_rate": Metric(base_rate, CLAIMS_WITH_OUTCOME, drawn=False),  # as the two baselines that follow from it
    "predicted_rate": Metric(predicted_rate, read_claims, drawn=False),
    "rate_bias": Metric(rate_bias),
    "always_yes": Metric(base_rate, CLAIMS_WITH_OUTCOME, drawn=False),
    "always_no": Metric(always_no, CLAIMS_WITH_OUTCOME, drawn=False),
    "balanced_accuracy": Metric(balanced_accuracy, least=0, skill=True, rises=True),
    "youden_j": Metric(youden_j, skill=True, rises=True),
    "mcc": Metric(mcc, skill=True, rises=True),
    "kappa": Metric(kappa, skill=True, rises=True),
    "ceiling_at_own_rate": Metric(ceiling_at_own_rate, least=0, skill=True),
    "share_of_ceiling": Metric(share_of_ceiling, least=-math.inf, skill=True),
    "shuffled": Metric(shuffled, least=0, drawn=False),
    # infinite in replicates in which recall or specificity comes to an end
    "d_prime": Metric(d_prime, least=-math.inf, most=math.inf, skill=True, drawn=False, undefined=AT_AN_END),
    "criterion": Metric(criterion, least=-math.inf, most=math.inf, skill=True, drawn=False, undefined=AT_AN_END),
    "over_niceness": Metric(over_niceness, drawn=False, undefined="there are no errors", on_request=True),
    "over_niceness_expected": Metric(over_niceness_expected, least=0, drawn=False, on_request=True),
}
