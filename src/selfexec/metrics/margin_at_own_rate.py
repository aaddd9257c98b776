"""`margin_at_own_rate`: does a model know which claims come true, apart from how many?

The first screen shows this margin, and tables print it as "at equal rates". Skill is Youden's J, which depends on how
often a predictor says yes. The stacked baseline says yes to a claim where its probability reaches the others' base
rate: there its expected J is largest. A model has a threshold of its own. The baseline margin mixes two questions: does
the model know how often it behaves so, and does it know when? To separate them, the same baseline is made to say yes at
the model's rate: the share of yes among the model's claims that were read and that three others share. Where the
stacked baseline has no skill on this model, the constant one stands in its place (`baseline_margin`), and the margin is
the model's skill. This rate is applied to all claims that both are scored on. The baseline says yes to those with the
highest logits. Of claims with equal logits, each gets the same part of a yes. The margin over this baseline is only
about which claims come true.

At a rate q of yes and a base rate b, J is at most (1 - q) / (1 - b) if q >= b, and q / b below. The share of this
ceiling that a predictor reaches is Loevinger's H (1948).
"""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from selfexec.claims import Claims, Flags, Floats
from selfexec.metrics.baselines import Stacked, predictor_record_on
from selfexec.metrics.kinds import Record, common_items, value
from selfexec.metrics.kinds.binary import sides
from selfexec.metrics.kinds.counts import difference
from selfexec.metrics.kinds.formulas import Cells, ceiling_at_own_rate, of_cells, predicted_rate, read_claims, youden_j
from selfexec.metrics.kinds.paired_differences import differing
from selfexec.metrics.kinds.rates import ceiling_estimate, ceiling_share_estimate
from selfexec.metrics.reference_doubt import NO_DOUBT, ReferenceDoubt, doubted, doubted_share, reference_doubt
from selfexec.metrics.rows import FEW, Estimate
from selfexec.stats import NO_SPREAD, Array, influence, influence_error, student

ROUNDING = 1e-9  # logits that differ by less are equal
AT_THE_CEILING = 0.95  # share of the ceiling
LEAST_CEILING = 0.2  # a lower ceiling leaves too little room to tell predictors apart
WINDOW, LEAST_WINDOW = 0.05, 10  # claims on either side of the threshold: this share of all, and at least so many
SKILL, RATE, CEILING = (of_cells(formula) for formula in (youden_j, predicted_rate, ceiling_at_own_rate))


@dataclass(frozen=True)
class MarginAtOwnRate:
    """A model and the stacked baseline at the model's yes rate, on the claims that both are scored on.

    Attributes:
        margin: The model's skill less that of the baseline.
        ceiling: The greatest skill that is possible at this rate.
        share: The share of the ceiling that the model reaches.
        baseline_share: The share that the baseline reaches.
        claims: The claims that both are scored on; None where no prediction was read.
        logits: The baseline's logit of a yes to each of these claims.
        items: The items that both have claims of.
        doubt: How the baseline's skill at this rate depends on the choice of reference models.
    """

    margin: Estimate
    ceiling: Estimate
    share: Estimate
    baseline_share: Estimate
    claims: Claims | None = None
    logits: Floats = field(default_factory=lambda: np.zeros(0))
    items: tuple[str, ...] = ()
    doubt: ReferenceDoubt = NO_DOUBT

    @property
    def estimates(self) -> dict[str, Estimate]:
        """The estimates by the names of their metrics."""
        return {
            "margin_at_own_rate": self.margin,
            "ceiling_at_own_rate": self.ceiling,
            "share_of_ceiling": self.share,
            "baseline_share_of_ceiling": self.baseline_share,
        }

    @property
    def cannot_be_told(self) -> bool:
        """Whether the two cannot be told apart by yes and no: both are at the ceiling, or the ceiling is too low."""
        return at_the_ceiling(self.ceiling.value, self.share.value, self.baseline_share.value)


def at_the_ceiling(ceiling: float, share: float, baseline_share: float) -> bool:
    """Whether two predictors that reach these shares of a ceiling cannot be told apart by yes and no."""
    return ceiling < LEAST_CEILING or min(share, baseline_share) >= AT_THE_CEILING


def margin_at_own_rate(
    claims: Claims, mask: Flags, own: Record, logits: Floats, fitted: Stacked | None
) -> MarginAtOwnRate:
    """Compare a model's record with the baseline at the model's yes rate.

    Args:
        claims: The model's claims.
        mask: Which of them are scored, and predicted by the baseline.
        own: The model's record on these.
        logits: The baseline's logits of all claims, each less the threshold of its item's fold (`Stacked.logits`), so
            that claims of different folds are ranked together; all equal for the constant baseline, which then says yes
            to the same part of each claim, and has skill 0.
        fitted: The stacked baseline, to see how it does without one of the reference models; None for the constant one.
    """
    rate = _rate(own)
    if math.isnan(rate):
        unknown = Estimate(math.nan, reason="no prediction was read")
        return MarginAtOwnRate(unknown, unknown, unknown, unknown)
    baseline = predictor_record_on(claims, _at_rate(logits, mask, rate), mask)
    slope = _slope(claims.observed[mask] > 0, logits[mask], rate)
    influences = _influences(own, baseline, slope)
    common = common_items([own, baseline])
    margin = _margin(own, baseline, influences, slope)
    doubt = NO_DOUBT
    if fitted is not None and not math.isnan(margin.value):
        without_one = _at_rate(fitted.logits_without_one(claims), mask, rate)
        doubt = reference_doubt(claims, mask, without_one, value(SKILL, baseline))
    ceiling = ceiling_estimate(own.counts)
    baseline_share = ceiling_share_estimate(own.on(common), baseline.on(common), influences.to_share)
    return MarginAtOwnRate(
        doubted(margin, doubt),
        ceiling,
        ceiling_share_estimate(own.counts),
        doubted_share(baseline_share, doubt, ceiling.value),
        claims.where(mask),
        logits[mask],
        common,
        doubt,
    )


def _rate(own: Record) -> float:
    """The share of yes among the model's claims with prediction and outcome read; nan where there are none."""
    return value(RATE, own)


def _at_rate(logits: Floats, mask: Flags, rate: float) -> Floats:
    """The baseline's probabilities of a yes to the masked claims at this rate, nan for the others; logits have shape
    (..., claims).
    """
    probability = np.full(logits.shape, math.nan)
    # without one reference model the behaviour of none may be known: then the logit is 0
    probability[..., mask] = probabilities_at_rate(np.nan_to_num(logits[..., mask]), rate)
    return probability


def probabilities_at_rate(logits: Array, rate: float) -> Array:
    """The probability of a yes to each claim such that the share of yes is `rate`; logits have shape (..., claims).

    It is 1 above a threshold and 0 below. Claims with logits equal to the threshold share what is left in equal parts.
    """
    claims = logits.shape[-1]
    wanted = rate * claims
    last = claims - min(max(math.ceil(wanted), 1), claims)
    threshold = np.partition(logits, last, axis=-1)[..., last, None]
    above = logits > threshold + ROUNDING
    equal = np.abs(logits - threshold) <= ROUNDING
    left = wanted - above.sum(-1, keepdims=True)
    probability: Array = above + equal * np.clip(left / equal.sum(-1, keepdims=True), 0.0, 1.0)
    return probability


def _slope(did: Flags, logits: Array, rate: float) -> float:
    """The slope of the baseline's skill on its yes rate: (p - b) / (b (1 - b)), where b is the base rate, and p the
    share that came true among the claims next to the threshold.
    """
    base = float(did.mean())
    if base in (0.0, 1.0):
        return math.nan
    threshold = rate * len(did)
    half = max(WINDOW * len(did), LEAST_WINDOW)
    rank = np.argsort(np.argsort(-logits, kind="stable"), kind="stable") + 0.5
    near = np.abs(rank - threshold) <= half
    edge = logits[near]
    near = (logits >= edge.min() - ROUNDING) & (logits <= edge.max() + ROUNDING)  # equal logits are all near, or none
    return (float(did[near].mean()) - base) / (base * (1 - base))


# --- the margin and its error ----------------------------------------------------------------------------------------


class _Influences(NamedTuple):
    """The influence of each common item on the margin, and on the baseline's share of the ceiling."""

    to_margin: Array
    to_share: Array


def _influences(own: Record, baseline: Record, slope: float) -> _Influences:
    """By the delta method. In another sample of items the model would have another rate, and the baseline's threshold
    would move with it. An item's influence on the baseline's skill therefore has a second term: its influence on the
    difference of the two rates, times the `slope` of skill on the rate.
    """
    common = common_items([own, baseline])
    mine, theirs = own.on(common), baseline.on(common)
    with np.errstate(divide="ignore", invalid="ignore"):
        to_baseline = influence(SKILL, theirs) + slope * (influence(RATE, mine) - influence(RATE, theirs))
        highest, skill = (np.float64(f(table.sum(0))) for f, table in ((CEILING, mine), (SKILL, theirs)))
        to_share = to_baseline / highest - skill / highest**2 * influence(CEILING, mine)
    return _Influences(influence(SKILL, mine) - to_baseline, to_share)


def _margin(own: Record, baseline: Record, influences: _Influences, slope: float) -> Estimate:
    """The model's skill less that of the baseline at the same rate: Student's t on the items.

    Of the claims that came true, or of those that did not, the two may differ on fewer than ten items. Then the error
    does not rest on these few: two made-up claims are added, one that only the model predicts correctly and one that
    only the baseline does (Bonett and Price 2012, for paired shares). Each weighs what a claim does at equal rates.
    """
    gap = difference(SKILL, own, baseline)
    error = influence_error(influences.to_margin)
    if math.isnan(gap.value) or math.isnan(error):
        return gap
    common = common_items([own, baseline])
    worth = _worth_of_a_claim(own.on(common), slope)
    few = [side for side in worth if differing(own.on(common), baseline.on(common), [side]) < FEW]
    error = math.hypot(error, *(math.sqrt(2) * worth[side] for side in few))
    if not error > NO_SPREAD:
        return gap
    interval = student(gap.value, error, len(common)).within(-2, 2)
    return Estimate(gap.value, interval, error, interval_only=bool(few))


def _worth_of_a_claim(counts: Array, slope: float) -> dict[str, float]:
    """How much the margin rises with one more correct prediction, by its cell: a hit (`tp`) or a correct rejection
    (`tn`). A hit is one more yes: the rate rises, and the baseline's skill changes by the slope. A correct rejection is
    one yes fewer.
    """
    true, false = (float(side.sum()) for side in sides(counts))
    with_rate = slope / float(read_claims(Cells.of(counts.sum(0))))
    return {"tp": abs(1 / true - with_rate), "tn": abs(1 / false + with_rate)}
