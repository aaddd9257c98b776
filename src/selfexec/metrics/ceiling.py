"""How much of a model's behaviour can be predicted at all: how well one execution predicts another.

With two or more epochs each epoch's behaviour stands in for a prediction of each other's, claim by claim. The skill of
that, the noise ceiling, is what a model would reach that rehearses its answer once before it predicts. A model that
knows how often it does a thing can do somewhat better: skill over ceiling may be above 1 and is not cut.
"""

import math
from collections.abc import Sequence

import numpy as np

from selfexec.claims import Claims, Flags, Numbers
from selfexec.metrics.kinds import Formula, Kind, Record, claim_kind, scorable
from selfexec.metrics.rows import Estimate
from selfexec.stats import NO_SPREAD, NONE, Array, Interval, ratio_error, student

NOT_REPEATED = "no claim was scored in two epochs"


def ceilings(claims: Claims, strict: bool) -> dict[str, Estimate]:
    """Metric -> estimate, on the claims that were scored in two or more epochs; nothing where there is no ceiling."""
    kind = claim_kind(claims)
    if not kind.never_changed:
        return {}
    repeated = claims.where(scorable(claims, strict))
    repeated = repeated.where(np.bincount(repeated.claim_id, minlength=claims.claim_ids)[repeated.claim_id] >= 2)
    if not len(repeated):
        none = Estimate(math.nan, reason=NOT_REPEATED)
        return dict.fromkeys(("noise_ceiling", "skill_over_ceiling", "variance_items", "variance_repeats"), none)
    rehearsed = rehearsals(repeated)
    ceiling = noise_ceiling(kind, rehearsed)
    own = kind.count(repeated, strict)
    items, repeats = variance_split(repeated)
    return {
        "noise_ceiling": ceiling,
        "skill_over_ceiling": skill_over_ceiling(kind, own, rehearsed, ceiling),
        "variance_items": items,
        "variance_repeats": repeats,
    }


def rehearsals(claims: Claims) -> Record:
    """Each epoch's behaviour as a prediction of each other epoch's, on the same claims.

    Of n executions, k with the behaviour, k(k-1) ordered pairs are a yes that came true, k(n-k) a yes that did not, and
    so on. Divided by n-1, so that a claim counts as often as in the model's own record. J of these cells is the
    intraclass kappa of the executions (Bloch and Kraemer 1989).
    """
    item, n, k = _by_claim(claims, claims.observed > 0)
    yes, no, differ = k * (k - 1) / (n - 1), (n - k) * (n - k - 1) / (n - 1), k * (n - k) / (n - 1)
    kind = claim_kind(claims)
    names, sums = _by_item(claims, item, kind.rehearsed(yes, no, differ, n))
    return Record(names, kind.of_rehearsals(sums))


def _by_claim(claims: Claims, marked: Flags) -> tuple[Numbers, Array, Array]:
    """Of each claim its item, how often it was scored, and how often it is marked."""
    _, first, at = np.unique(claims.claim_id, return_index=True, return_inverse=True)
    n, k = np.bincount(at), np.bincount(at, marked)
    return claims.item[first], n.astype(np.float64), k.astype(np.float64)


def _by_item(claims: Claims, item: Numbers, cells: Sequence[Array]) -> tuple[tuple[str, ...], Array]:
    """Sums of cells by item, shape (items, cells), of the items that there are."""
    numbers, at = np.unique(item, return_inverse=True)
    return tuple(claims.items[n] for n in numbers), np.stack([np.bincount(at, cell) for cell in cells], axis=1)


def noise_ceiling(kind: Kind, rehearsed: Record) -> Estimate:
    """Skill of one execution as a predictor of another: 1 for who always does the same, 0 for who tosses a coin."""
    found = _estimate(kind.skill, rehearsed.counts, "the model did the same with every claim")
    if math.isnan(found.value) or math.isnan(found.error) or found.error > NO_SPREAD or not kind.never_changed:
        return Estimate(found.value, found.interval.within(-1, 1), found.error, found.reason)
    return Estimate(found.value, kind.never_changed(rehearsed.counts), found.error)


def skill_over_ceiling(kind: Kind, own: Record, rehearsed: Record, ceiling: Estimate) -> Estimate:
    """A model's skill on these claims as a share of the ceiling: a ratio over items, by the delta method."""
    if math.isnan(ceiling.value):
        return ceiling
    if not ceiling.interval.low > 0:
        return Estimate(math.nan, reason="the noise ceiling cannot be distinguished from 0: nothing to take a share of")
    items = tuple(sorted({*own.items, *rehearsed.items}))
    both = np.concatenate([own.on(items), rehearsed.on(items)], axis=1)
    width = own.counts.shape[1]
    skill = kind.skill
    return _estimate(lambda t: skill(t[..., :width]) / skill(t[..., width:]), both, "skill is not defined")


def variance_split(claims: Claims) -> tuple[Estimate, Estimate]:
    """Shares of the variance of correctness that lie in the claims, the same each time, and in the repeats.

    One-way random effects, a claim for a group: the ANOVA estimator for unequal groups (Searle, Casella and McCulloch
    1992, section 3.6), with items as clusters. A negative estimate is given as 0, and said to be one; where its whole
    interval is negative there is none.
    """
    item, n, right = _by_claim(claims, claims.right)
    _, counts = _by_item(claims, item, [np.ones_like(n), n, n**2, right, right**2 / n])
    items = _estimate(share_of_groups, counts, "every claim was right each time, or wrong each time")
    if math.isnan(items.value):
        return items, items
    if items.error <= NO_SPREAD:
        items = Estimate(items.value)
    repeats = Estimate(1 - items.value, Interval(1 - items.interval.high, 1 - items.interval.low), items.error)
    return _share(items), _share(repeats)


def share_of_groups(totals: Array) -> Array:
    """Variance between groups over all variance, for outcomes of 0 and 1. Totals: groups, trials, squared group sizes,
    successes, squared successes over group sizes.
    """
    groups, trials, squares, successes, between = np.moveaxis(totals, -1, 0)
    within = (successes - between) / (trials - groups)
    size = (trials - squares / trials) / (groups - 1)
    variance = ((between - successes**2 / trials) / (groups - 1) - within) / size
    share: Array = variance / (variance + within)
    return share


def _share(found: Estimate) -> Estimate:
    possible = found.interval.within(0, 1)
    if 0 <= found.value <= 1:
        return Estimate(found.value, possible, found.error)
    least = "estimated below 0" if found.value < 0 else "estimated above 1"
    if possible.low == possible.high:
        possible = NONE  # none of it is possible: both ends at 0 would look certain
    return Estimate(min(max(found.value, 0.0), 1.0), possible, found.error, least)


def _estimate(formula: Formula, counts: Array, otherwise: str) -> Estimate:
    """A formula of totals over items, with Student's t on the items."""
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(formula(counts.sum(0)))
        if not math.isfinite(value):
            return Estimate(math.nan, reason=otherwise)
        error = ratio_error(formula, counts)
    interval = student(value, error, len(counts)) if error > NO_SPREAD else NONE
    return Estimate(value, interval, error)
