"""Which ones, apart from how often: a model's skill against the baseline's at the rate with which the model says yes.

Youden's J depends on how often a predictor says yes. The threshold of the stacked baseline is chosen for J, and a model
has the threshold that it has. So the margin mixes two questions: whether a model knows how often it does such things,
and whether it knows which ones. Here the same baseline says yes to as many of the claims as the model did: those with
the highest logits, equal ones in proportion. What is left of the margin is about which ones.

At a rate q of yes and a base rate b the greatest possible J is (1 - q) / (1 - b) from q = b on, and q / b below. The
share of that which is reached is Loevinger's H (1948).
"""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from selfexec.claims import Claims, Flags, Floats
from selfexec.metrics.baselines import Stacked, chance_record
from selfexec.metrics.kinds import Counted, common_items, value
from selfexec.metrics.kinds.binary import sides
from selfexec.metrics.kinds.counts import difference
from selfexec.metrics.kinds.formulas import Cells, ceiling_at_own_rate, of_cells, predicted_rate, read_claims, youden_j
from selfexec.metrics.kinds.paired import differing
from selfexec.metrics.kinds.rates import ceiling_estimate, ceiling_share_estimate
from selfexec.metrics.reference_doubt import NO_DOUBT, ReferenceDoubt, doubted, doubted_share, reference_doubt
from selfexec.metrics.rows import FEW, Estimate
from selfexec.stats import NO_SPREAD, Array, influence, influence_error, student

ROUNDING = 1e-9  # logits that differ by less are equal
AT_THE_CEILING = 0.95  # share of what is possible at a rate
LEAST_CEILING = 0.2  # where less is possible, yes and no tell too little
WINDOW, LEAST_WINDOW = 0.05, 10  # claims on either side of the threshold: this share of all, and at least so many
SKILL, RATE, CEILING = (of_cells(formula) for formula in (youden_j, predicted_rate, ceiling_at_own_rate))


@dataclass(frozen=True)
class AtOwnRate:
    """A model and the stacked baseline at the model's rate of yes, on the claims that both are scored on.

    Attributes:
        margin: Skill less that of the baseline at this rate.
        ceiling: The greatest skill that is possible at this rate.
        share: The share of the ceiling that the model reaches.
        baseline_share: The share that the baseline reaches.
        claims: The claims that both are scored on; None where no prediction was read.
        logits: The baseline's logit of a yes to each of these claims.
        items: The items that both have claims of.
        doubt: What the baseline's skill at this rate owes to which reference models there are.
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
        """By metric: on the claims that both are scored on."""
        return {
            "margin_at_own_rate": self.margin,
            "ceiling_at_own_rate": self.ceiling,
            "share_of_ceiling": self.share,
            "baseline_share_of_ceiling": self.baseline_share,
        }

    @property
    def cannot_be_told(self) -> bool:
        """Whether yes and no cannot tell which ones: model and baseline are both at the ceiling, or it is too low."""
        return at_the_ceiling(self.ceiling.value, self.share.value, self.baseline_share.value)


def at_the_ceiling(ceiling: float, share: float, baseline_share: float) -> bool:
    """Whether yes and no cannot tell which ones, by the ceiling and the shares of it that are reached."""
    return ceiling < LEAST_CEILING or min(share, baseline_share) >= AT_THE_CEILING


def at_own_rate(claims: Claims, which: Flags, own: Counted, logits: Floats, fitted: Stacked | None) -> AtOwnRate:
    """Hold a model's record against the baseline at the model's rate of yes.

    Args:
        claims: The model's claims.
        which: Those that are scored and that the baseline predicts.
        own: The model's record on these.
        logits: The baseline's logits of all claims; equal ones where it cannot tell one from another.
        fitted: The baseline, to see how it does without one of the reference models; None where it learnt nothing.
    """
    rate = _rate(own)
    if math.isnan(rate):
        unknown = Estimate(math.nan, reason="no prediction was read")
        return AtOwnRate(unknown, unknown, unknown, unknown)
    baseline = chance_record(claims, _at_rate(logits, which, rate), which)
    slope = _slope(claims.observed[which] > 0, logits[which], rate)
    added = _added(own, baseline, slope)
    common = common_items([own, baseline])
    margin = _margin(own, baseline, added, slope)
    doubt = NO_DOUBT
    if fitted is not None and not math.isnan(margin.value):
        without_one = _at_rate(fitted.logits_without_one(claims), which, rate)
        doubt = reference_doubt(claims, which, without_one, value(SKILL, baseline))
    ceiling = ceiling_estimate(own.counts)
    baseline_share = ceiling_share_estimate(own.on(common), baseline.on(common), added.to_share)
    return AtOwnRate(
        doubted(margin, doubt),
        ceiling,
        ceiling_share_estimate(own.counts),
        doubted_share(baseline_share, doubt, ceiling.value),
        claims.where(which),
        logits[which],
        common,
        doubt,
    )


def _rate(own: Counted) -> float:
    """How often the model says yes, of what was read; nan where nothing was."""
    return value(RATE, own)


def _at_rate(logits: Floats, which: Flags, rate: float) -> Floats:
    """Chances of a yes to these claims at this rate, nan for the others; of logits of shape (..., claims)."""
    chance = np.full(logits.shape, math.nan)
    # without one of them there may be nobody left who did a thing or not: then nothing speaks for it
    chance[..., which] = chances_at_rate(np.nan_to_num(logits[..., which]), rate)
    return chance


def chances_at_rate(logits: Array, rate: float) -> Array:
    """The chance of a yes to each claim, of logits of shape (..., claims), such that `rate` of them are a yes: 1 for
    the highest logits, 0 for the lowest, and for those equal to the threshold what is left, in equal parts.
    """
    claims = logits.shape[-1]
    wanted = rate * claims
    last = claims - min(max(math.ceil(wanted), 1), claims)
    threshold = np.partition(logits, last, axis=-1)[..., last, None]
    above = logits > threshold + ROUNDING
    equal = np.abs(logits - threshold) <= ROUNDING
    left = wanted - above.sum(-1, keepdims=True)
    chance: Array = above + equal * np.clip(left / equal.sum(-1, keepdims=True), 0.0, 1.0)
    return chance


# --- the margin and its error ----------------------------------------------------------------------------------------


class _Added(NamedTuple):
    """What each common item adds to the margin, and to the baseline's share of the ceiling."""

    to_margin: Array
    to_share: Array


def _added(own: Counted, baseline: Counted, slope: float) -> _Added:
    """By the delta method. Where other items are drawn, the rate is another one, and the baseline's threshold moves
    with it. So to what an item adds to the baseline's skill comes what it adds to the difference of the two rates,
    times the `slope` of that skill on the rate.
    """
    common = common_items([own, baseline])
    mine, theirs = own.on(common), baseline.on(common)
    with np.errstate(divide="ignore", invalid="ignore"):
        to_baseline = influence(SKILL, theirs) + slope * (influence(RATE, mine) - influence(RATE, theirs))
        highest, skill = (np.float64(f(table.sum(0))) for f, table in ((CEILING, mine), (SKILL, theirs)))
        to_share = to_baseline / highest - skill / highest**2 * influence(CEILING, mine)
    return _Added(influence(SKILL, mine) - to_baseline, to_share)


def _margin(own: Counted, baseline: Counted, added: _Added, slope: float) -> Estimate:
    """Skill less that of the baseline at the same rate.

    Where fewer than ten items tell the two apart among what happened (or what did not), the error does not rest on this
    handful: two made-up claims are added, in one of which the model alone is right, in the other the baseline alone
    (Bonett and Price 2012, for paired shares). Each counts for as much as a claim does where the rates are equal.
    """
    gap = difference(SKILL, own, baseline)
    error = influence_error(added.to_margin)
    if math.isnan(gap.value) or math.isnan(error):
        return gap
    common = common_items([own, baseline])
    worth = _worth_of_a_claim(own.on(common), slope)
    few = [side for side in worth if differing(own.on(common), baseline.on(common), [side]) < FEW]
    error = math.hypot(error, *(math.sqrt(2) * worth[side] for side in few))
    if not error > NO_SPREAD:
        return gap
    interval = student(gap.value, error, len(common)).within(-2, 2)
    return Estimate(gap.value, interval, error, near_end=bool(few))


def _worth_of_a_claim(counts: Array, slope: float) -> dict[str, float]:
    """How much the margin rises by one more claim that is right, by its cell. A hit that the baseline lacks is also a
    yes more, and at that rate the baseline would have a higher skill, by the slope; a false alarm fewer is a yes less.
    """
    true, false = (float(side.sum()) for side in sides(counts))
    with_rate = slope / float(read_claims(Cells.of(counts.sum(0))))
    return {"tp": abs(1 / true - with_rate), "tn": abs(1 / false + with_rate)}


def _slope(did: Flags, logits: Array, rate: float) -> float:
    """How fast the baseline's skill rises with its rate of yes: (p - b) / (b (1 - b)), where b is the base rate, and p
    the share of claims next to the threshold that came true.
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
