"""What a baseline's skill owes to which reference models there are.

There are only so many of them to tell what models in general do. With others the baseline would have said otherwise:
its standard error is that of the jackknife over them. With more of them it would have done better: what the last of
them added is the shortfall. See docs/decisions/0010 and 0029.
"""

import math
from typing import NamedTuple

import numpy as np

from selfexec.claims import Claims, Flags
from selfexec.metrics.kinds import claim_kind
from selfexec.metrics.rows import Estimate
from selfexec.stats import Array, Interval, Z, influence


class ReferenceDoubt(NamedTuple):
    """The standard error of a baseline's skill over the choice of reference models, and what the last of them added."""

    error: float = 0.0
    shortfall: float = 0.0


NO_DOUBT = ReferenceDoubt()


def reference_doubt(claims: Claims, which: Flags, without_one: Array, skill: float) -> ReferenceDoubt:
    """By leaving out one of the others at a time: the jackknife's error, less what the items make of these differences.
    On other items they were others too, and that doubt is in the interval already.

    Args:
        claims: The model's claims.
        which: Those that are scored.
        without_one: What the baseline predicts without each of the others in turn, shape (others, claims).
        skill: The baseline's skill with all of them.
    """
    kind = claim_kind(claims)
    fewer = kind.chance_counts(claims.where(which), np.nan_to_num(without_one[:, which], nan=0.5))
    fewer = fewer[:, fewer[0].sum(1) > 0]
    skills = kind.skill(fewer.sum(1))
    return doubt_of(skills, influence(kind.skill, fewer), skill)


def doubt_of(skills: Array, by_items: Array, skill: float) -> ReferenceDoubt:
    """From the skill without each of the reference models, what each item adds to it (shape (models, items)), and the
    skill with all of them.
    """
    k, items = by_items.shape
    among_items = float(((by_items - by_items.mean(0)) ** 2).sum()) * items / (items - 1)
    spread = float(((skills - skills.mean()) ** 2).sum()) - among_items
    error = math.sqrt(max(spread * (k - 1) / k, 0.0))
    return ReferenceDoubt(error, max(skill - float(skills.mean()), 0.0))


def doubted(found: Estimate, doubt: ReferenceDoubt, least: float = -2, most: float = 2) -> Estimate:
    """A margin with the doubts that come from the reference models added to that which comes from the items: the error
    on both sides, and the shortfall below; from `least` to `most`, which is what is possible.
    """
    if math.isnan(found.value) or doubt == NO_DOUBT:
        return found
    low, high = _widened(found, doubt.error)
    interval = Interval(low - doubt.shortfall, high).within(least, most)
    return Estimate(found.value, interval, math.hypot(found.error, doubt.error), found.reason, near_end=True)


def doubted_share(share: Estimate, doubt: ReferenceDoubt, ceiling: float) -> Estimate:
    """The baseline's share of a ceiling with the same error added. It is that of a baseline of so many reference
    models, so that the shortfall is no part of it.
    """
    if math.isnan(share.interval.low) or doubt == NO_DOUBT:
        return share
    error = doubt.error / ceiling
    interval = _widened(share, error).within(-math.inf, 1)
    return Estimate(share.value, interval, math.hypot(share.error, error), share.reason, near_end=True)


def _widened(estimate: Estimate, error: float) -> Interval:
    """The interval with an independent error added to both arms."""
    below, above = estimate.value - estimate.interval.low, estimate.interval.high - estimate.value
    return Interval(estimate.value - math.hypot(below, Z * error), estimate.value + math.hypot(above, Z * error))
