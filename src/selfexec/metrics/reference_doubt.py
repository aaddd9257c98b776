"""How a baseline's skill depends on the choice and the number of reference models.

With other reference models the baseline would have predicted otherwise: this adds a standard error, by the jackknife
over them. With more of them it would have done better: its shortfall is estimated by how much skill the last of them
added. See docs/decisions/0010 and 0029.
"""

import math
from typing import NamedTuple

import numpy as np

from selfexec.claims import Claims, Flags
from selfexec.metrics.kinds import claim_kind
from selfexec.metrics.rows import Estimate
from selfexec.stats import Array, Interval, Z, influence


class ReferenceDoubt(NamedTuple):
    """The standard error of a baseline's skill over the choice of reference models, and its shortfall."""

    error: float = 0.0
    shortfall: float = 0.0


NO_DOUBT = ReferenceDoubt()


def reference_doubt(claims: Claims, mask: Flags, without_one: Array, skill: float) -> ReferenceDoubt:
    """The jackknife over the reference models: each is left out in turn.

    How much the skill changes depends on the sample of items as well. That part of the variance is subtracted, since
    the interval over items includes it already.

    Args:
        claims: The model's claims.
        mask: Which of them are scored.
        without_one: The baseline's predictions without one of the reference models, for each in turn: shape (models,
            claims).
        skill: The baseline's skill with all of them.
    """
    kind = claim_kind(claims)
    fewer = kind.predictor_counts(claims.where(mask), np.nan_to_num(without_one[:, mask], nan=0.5))
    fewer = fewer[:, fewer[0].sum(1) > 0]
    skills = kind.skill(fewer.sum(1))
    return doubt_of(skills, influence(kind.skill, fewer), skill)


def doubt_of(skills: Array, by_items: Array, skill: float) -> ReferenceDoubt:
    """The same from numbers: the skills without each of the reference models, the influence of each item on these
    (shape (models, items)), and the skill with all of them.
    """
    k, items = by_items.shape
    among_items = float(((by_items - by_items.mean(0)) ** 2).sum()) * items / (items - 1)
    spread = float(((skills - skills.mean()) ** 2).sum()) - among_items
    error = math.sqrt(max(spread * (k - 1) / k, 0.0))
    return ReferenceDoubt(error, max(skill - float(skills.mean()), 0.0))


def doubted(found: Estimate, doubt: ReferenceDoubt, least: float = -2, most: float = 2) -> Estimate:
    """A margin whose interval over items is widened for the reference models: by the error on both sides, and by the
    shortfall below. The interval stays within what is possible, from `least` to `most`.
    """
    if math.isnan(found.value) or doubt == NO_DOUBT:
        return found
    low, high = _widened(found, doubt.error)
    interval = Interval(low - doubt.shortfall, high).within(least, most)
    return Estimate(found.value, interval, math.hypot(found.error, doubt.error), found.reason, interval_only=True)


def doubted_share(share: Estimate, doubt: ReferenceDoubt, ceiling: float) -> Estimate:
    """The baseline's share of a ceiling, widened by the same error. It is the share of this very baseline, with so many
    reference models, so that the shortfall is no part of it.
    """
    if math.isnan(share.interval.low) or doubt == NO_DOUBT:
        return share
    error = doubt.error / ceiling
    interval = _widened(share, error).within(-math.inf, 1)
    return Estimate(share.value, interval, math.hypot(share.error, error), share.reason, interval_only=True)


def _widened(estimate: Estimate, error: float) -> Interval:
    """The interval with an independent error added to both arms."""
    below, above = estimate.value - estimate.interval.low, estimate.interval.high - estimate.value
    return Interval(estimate.value - math.hypot(below, Z * error), estimate.value + math.hypot(above, Z * error))
