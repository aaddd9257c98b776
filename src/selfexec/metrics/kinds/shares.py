"""Shares: how often what was predicted came true, against a control for which it was not predicted.

Each claim is a try. One that the model stands for was predicted; one of the control was not. What is predicted is each
model's own, so that no model's prediction can be held against another's behaviour. Tries of an item go together: items
are the clusters. docs/metrics.md has every formula with its source.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from selfexec.claims import Answers, Claims, Floats
from selfexec.claims.arrays import UNREADABLE
from selfexec.metrics.kinds.binary import of_rehearsals as of_rehearsals
from selfexec.metrics.kinds.binary import predictor_counts as predictor_counts
from selfexec.metrics.kinds.binary import predictor_record as predictor_record
from selfexec.metrics.kinds.binary import rehearsed as rehearsed
from selfexec.metrics.kinds.binary_bounds import extremes
from selfexec.metrics.kinds.counts import Formula, Record, common_items, difference, present
from selfexec.metrics.kinds.formulas import CELLS, Cells, confusion, known_sides
from selfexec.metrics.rows import FEW, LEAST_RARER_ITEMS, Estimate
from selfexec.stats import NO_SPREAD, NONE, Array, Interval, Z, ratio_error, student, sum_interval, wilson
from selfexec.text.numbers import number_of

NAME = "share"
SKILL_NAME = "lift"
OF_SKILL: Collection[str] = {"lift"}
OF_OTHERS: Sequence[str] = ()
ITEMS_FOR_SKILL_NAME = " on the smaller side"
NO_SKILL = "nothing was predicted, or there is no control, of {}"
SHARED_CLAIMS, FREE_THRESHOLD = False, True
never_changed = None  # how one execution predicts another has no meaning here
PREDICTED, CONTROL = (0, 1), (2, 3)  # cells: came true, did not
NOTHING_PREDICTED, NO_CONTROL = "nothing was predicted", "there is no control"


def accuracy(totals: Array) -> Array:
    """Share of tries that came true as predicted; one whose outcome nobody knows did not."""
    c = Cells.of(totals)
    share: Array = c.tp / (c.tp + c.fp + c.unread_outcome)
    return share


def control(totals: Array) -> Array:
    """Share of the control's tries that came true, which nobody had predicted."""
    c = Cells.of(totals)
    share: Array = c.fn / (c.fn + c.tn)
    return share


def skill(totals: Array) -> Array:
    """What being predicted adds: 1 is perfect, 0 is no more than the control. A difference of two shares, of the tries
    that are known to have come true or not.
    """
    c = Cells.of(totals)
    share: Array = c.tp / (c.tp + c.fp)
    return share - control(totals)


DRAWN: Mapping[str, Formula] = {"accuracy": accuracy, "control": control, "lift": skill}


def count(claims: Claims, strict: bool) -> Record:
    """A model's own record. Strictly, what could not be read of a model's prediction speaks against it: what came true
    is taken for the control's, and all else was predicted in vain. A predicted try that is not known to have
    come true or not is no prediction's fault: it lowers accuracy, and one of the control is left out.
    """
    cells = {name: mask.astype(np.float64) for name, mask in confusion(claims).items()}
    unread = (claims.state == UNREADABLE) & strict
    cells["fp"] += unread & (claims.predicted == 0) & (claims.observed <= 0)
    cells["fn"] += unread & (claims.predicted == 0) & (claims.observed > 0)
    cells["unread_outcome"] = unread & (claims.predicted > 0)
    nothing = np.zeros(len(claims))
    counts = np.stack([claims.by_item(cells.get(name, nothing)) for name in CELLS], axis=1)
    return present(claims, counts, counts.sum(1) > 0)


def constant(record: Record) -> Record:
    """Somebody with skill 0 on the items of this record: one try in two comes true, predicted or not."""
    counts = np.zeros_like(record.counts)
    for side in (PREDICTED, CONTROL):
        counts[:, side] = record.counts[:, side].sum(1, keepdims=True) / 2
    return Record(record.items, counts)


def own_estimates(
    claims: Claims, record: Record, answers: Answers, wanted: Iterable[str], strict: bool
) -> Mapping[str, Estimate]:
    """What follows from a model's own record alone."""
    return {
        "accuracy": accuracy_estimate(record),
        "control": _share(record.counts, CONTROL, NO_CONTROL),
        "lift": skill_estimate(record),
    }


def brief_estimates(record: Record) -> Mapping[str, Estimate]:
    """Those of them that the first screen is made of."""
    return {"accuracy": accuracy_estimate(record), "lift": skill_estimate(record)}


def accuracy_estimate(record: Record) -> Estimate:
    return _share(record.counts, (*PREDICTED, CELLS.index("unread_outcome")), NOTHING_PREDICTED)


def _share(counts: Array, side: Sequence[int], otherwise: str) -> Estimate:
    """The share of a side's tries that came true, with Wilson's interval on their effective number. `side`: the cell of
    those that did, and the others.
    """
    pairs = np.stack([counts[:, side[0]], counts[:, list(side)].sum(1)], axis=1)
    pairs = pairs[pairs[:, 1] > 0]
    if not len(pairs):
        return Estimate(math.nan, reason=otherwise)
    came_true, tries = pairs.sum(0)
    share = float(came_true / tries)
    error = ratio_error(lambda totals: totals[..., 0] / totals[..., 1], pairs)
    interval = wilson(share, effective_tries(share, error, float(tries), len(pairs))) if len(pairs) > 1 else NONE
    return Estimate(share, interval, error)


def effective_tries(share: float, error: float, tries: float, items: int) -> float:
    """Tries over Kish's (1965) design effect: all of them, where each item has one; as many as there are items, where
    items are all alike and their spread says nothing.
    """
    if share in (0.0, 1.0) or not error > NO_SPREAD:
        return float(items)
    return tries / (error**2 / (share * (1 - share) / (tries - 1)))


def skill_estimate(record: Record) -> Estimate:
    """Newcombe's hybrid interval (1998, method 10) of the difference of two shares, each with Wilson's interval on its
    effective tries; where items have tries of both sides, with the correlation of the two (MOVER: Zou and Donner 2008).
    """
    counts = record.counts
    expected, other = _share(counts, PREDICTED, NOTHING_PREDICTED), _share(counts, CONTROL, NO_CONTROL)
    if reason := expected.reason or other.reason:
        return Estimate(math.nan, reason=reason)
    correlation = _correlation(_influence(counts, PREDICTED), -_influence(counts, CONTROL))
    interval = _of_difference(expected, other, correlation)
    error = (interval.high - interval.low) / 2 / Z  # recovered from the interval: that of what has no spread is not 0
    return Estimate(expected.value - other.value, interval.within(-1, 1), error, interval_only=True)


def _of_difference(one: Estimate, two: Estimate, correlation: float) -> Interval:
    """Interval of one less two; `correlation` is that of one and minus two."""
    negative = Interval(-two.interval.high, -two.interval.low)
    return sum_interval([one.value, -two.value], [one.interval, negative], correlation)


def _influence(counts: Array, side: tuple[int, int]) -> Array:
    """What each item adds to the share of a side, about zero (delta method)."""
    hits, tries = counts[:, side[0]], counts[:, side].sum(1)
    found: Array = (hits - hits.sum() / tries.sum() * tries) / tries.sum()
    return found


def _correlation(one: Array, two: Array) -> float:
    """Of two numbers, by what each item adds to them; 0 where one of them has no spread."""
    size = math.sqrt(float(one @ one) * float(two @ two))
    return min(max(float(one @ two) / size, -1.0), 1.0) if size > NO_SPREAD**2 else 0.0


def skill_difference(one: Record, two: Record) -> Estimate:
    """Skill of one less skill of two, on the items that both have: Student's t on the items.

    Where fewer than ten items of a side differ from what most of them show, their spread says too little: then the two
    intervals are put together, with the correlation over items (MOVER: Zou and Donner 2008). Of somebody with skill 0
    on every item, by construction, there is no doubt.
    """
    gap = difference(skill, one, two)
    common = common_items([one, two])
    first, second = (Record(common, record.on(common)) for record in (one, two))
    if math.isnan(gap.value) or not rests_on_few(first.counts, second.counts):
        return gap
    sure = np.array_equal(second.counts, constant(second).counts)
    known = Estimate(0.0, Interval(0.0, 0.0)) if sure else skill_estimate(second)
    lifts = [_influence(r.counts, PREDICTED) - _influence(r.counts, CONTROL) for r in (first, second)]
    interval = _of_difference(skill_estimate(first), known, _correlation(lifts[0], -lifts[1]))
    arm = gap.value - interval.low if gap.value > 0 else interval.high - gap.value  # towards 0, which tests ask about
    error = arm / student(0.0, 1.0, len(common)).high
    return Estimate(gap.value, interval.within(-2, 2), error, interval_only=True)


def rests_on_few(first: Array, second: Array) -> bool:
    """Whether so few items of a side differ that `skill_difference` goes by both intervals. The rows of both are of the
    same items.
    """
    return min(_differing(first, second, side) for side in (PREDICTED, CONTROL)) < FEW


def _differing(one: Array, two: Array, side: tuple[int, int]) -> int:
    """How many items differ, in how much more often tries of one came true than tries of two, from what most show."""
    with np.errstate(invalid="ignore"):
        shares = [counts[:, side[0]] / counts[:, side].sum(1) for counts in (one, two)]
    gaps = (shares[0] - shares[1])[~np.isnan(shares).all(0)]
    _, alike = np.unique(gaps.round(12), return_counts=True)
    return len(gaps) - int(alike.max(initial=0))


def weights(claims: Claims) -> Floats:
    """Lift is the sum, over tries, of this weight times the sign that was predicted, and of a constant."""
    expected, other = (float((claims.predicted * sign > 0).sum()) for sign in (1, -1))
    if not expected or not other:
        return np.full(len(claims), math.nan)
    found: Floats = (claims.observed > 0) / 2 * (1 / expected + 1 / other)
    return found


def bounds(claims: Claims) -> Mapping[str, Interval]:
    """The least and the greatest value, whatever the lost tries would have been: what is known of one stays, and what
    is not may be anything (Manski 1990). Of numbers that are defined on what was read.
    """
    n = known_sides(claims)
    found: dict[str, Interval] = {}
    if n["tp"] + n["fp"]:
        # a try whose side is not known is predicted, or of the control and of no consequence
        hits, misses = n["true"] + n["yes"] + n["unknown"], n["false"] + n["yes"] + n["unknown"]
        found["accuracy"] = _between(n["tp"], n["fp"], hits, misses)
    if n["fn"] + n["tn"]:
        hits, misses = n["true"] + n["no"] + n["unknown"], n["false"] + n["no"] + n["unknown"]
        found["control"] = _between(n["fn"], n["tn"], hits, misses)
    if len(found) == 2:
        worst, best = (skill(totals) for totals in extremes(n))
        found["lift"] = Interval(float(worst.min()), float(best.max()))
    return found


def _between(hits: int, misses: int, more_hits: int, more_misses: int) -> Interval:
    """A share of hits, with as many misses more as there may be, and with as many hits more."""
    return Interval(hits / (hits + misses + more_misses), (hits + more_hits) / (hits + more_hits + misses))


def items_for_skill(counts: Array) -> int:
    """How many items are of the smaller of the two sides."""
    return min(int((counts[:, side].sum(1) > 0).sum()) for side in (PREDICTED, CONTROL))


def too_few(claims: Claims, record: Record) -> str | None:
    """Whether too few items were predicted, or too few are of the control."""
    items = items_for_skill(record.counts)
    if items >= LEAST_RARER_ITEMS:
        return None
    have = number_of(items, "item is", "items are")
    return f"only {have} on the smaller side of what was predicted and the control, fewer than {LEAST_RARER_ITEMS}"
