"""Orders: pairs ranked rightly, averaged by group."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from selfexec.claims import Answers, Claims, Floats, Numbers
from selfexec.claims.arrays import READ, TIE, sums
from selfexec.metrics.kinds.counts import Formula, Record, common_items, difference, present, scorable
from selfexec.metrics.rows import FEW, NOTHING_READ, Estimate, share_of_pairs
from selfexec.stats import NO_SPREAD, Array, Interval, effective_n, mean_interval, ratio_error, student, wilson
from selfexec.text.numbers import number_of

ON_REQUEST = ("question_accuracy", "tokens_mean", "accuracy_by_correctness", "accuracy_by_tokens")
LEAST_GROUPS = 20  # with fewer a headline is withheld: their spread says too little of the spread of all


NAME = "order"
SKILL_NAME = "tau"
OF_SKILL: Collection[str] = {"tau"}
OF_OTHERS: Sequence[str] = ("subject", "others_mode")
ITEMS_FOR_SKILL_NAME = ""
NO_SKILL = "the outcomes of {} are all the same"
SHARED_CLAIMS, FREE_THRESHOLD = True, False  # each pair may be asked either way round
MADE_UP = np.array([[[1.0, 1.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 1.0]]])  # two groups, one for each of two models


# --- counts ----------------------------------------------------------------------------------------------------------


def accuracy(totals: Any) -> Any:
    """Mean over groups; cells are the sum of their shares of pairs ranked rightly, and their number."""
    return totals[..., 0] / totals[..., 1]


def skill(totals: Any) -> Any:
    """Kendall's tau: 1 for the right order, -1 for its reverse, 0 by chance."""
    return 2 * accuracy(totals) - 1


DRAWN: Mapping[str, Formula] = {"accuracy": accuracy, "tau": skill}


def count(claims: Claims, strict: bool) -> Record:
    """A model's own record: its rankings against what was easier for it; without groups in which no pair counts."""
    claims = claims.where(scorable(claims, strict))
    return order_counts(claims, claims.right)


def order_counts(claims: Claims, right: Any) -> Record:
    """Share of decided pairs ranked rightly (`right`: 0 to 1, nan where it does not count), by group; epochs of a group
    are averaged first.
    """
    counts = _shares(claims, np.asarray(right))
    return present(claims, counts, ~np.isnan(counts[:, 0]))


def _shares(claims: Claims, right: Array) -> Array:
    """The same of many, `right` of shape (..., claims): (..., groups, cells), nothing left out."""
    epochs = int(claims.epoch.max(initial=0)) + 1
    shares = _means(claims.item * epochs + claims.epoch, right, len(claims.items) * epochs)
    by_item = _means(np.arange(shares.shape[-1]) // epochs, shares, len(claims.items))
    return np.stack([by_item, np.ones_like(by_item)], axis=-1)


def _means(group: Numbers, values: Array, groups: int) -> Array:
    """The mean of each group, over the values that are not nan; nan where there are none."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return sums(group, np.where(known, values, 0.0), groups) / sums(group, known, groups)


def predictor_record(claims: Claims, probability: Array) -> Record:
    """The record of somebody who says yes with these probabilities (0 to 1); nan where nothing is said."""
    return order_counts(claims, np.where(claims.observed > 0, probability, 1 - probability))


def predictor_counts(claims: Claims, probability: Array) -> Array:
    """The counts of many such, of probabilities of shape (..., claims): (..., groups, cells), nothing left out."""
    return _shares(claims, np.where(claims.observed > 0, probability, 1 - probability))


def constant(record: Record) -> Record:
    """Somebody with skill 0 on each group of this record."""
    counts = record.counts.copy()
    counts[:, 0] = 0.5
    return Record(record.items, counts)


def rehearsed(yes: Array, no: Array, differ: Array, n: Array) -> Sequence[Array]:
    """Cells of how one execution predicts another: pairs that both did it, that neither did, that differ; of n."""
    return [yes + no, n]


def of_rehearsals(sums: Array) -> Array:
    """A record of those cells summed by group."""
    return np.stack([sums[:, 0] / sums[:, 1], np.ones(len(sums))], axis=1)


def never_changed(counts: Array) -> Interval:
    """Of the ceiling where no group ever changed: the ends of Wilson's interval, a group for a trial."""
    ends = wilson(float(counts[:, 0].mean()), len(counts))
    return Interval(2 * ends.low - 1, 2 * ends.high - 1)


# --- estimates -------------------------------------------------------------------------------------------------------


def own_estimates(
    claims: Claims, record: Record, answers: Answers, wanted: Iterable[str], strict: bool
) -> Mapping[str, Estimate]:
    """What follows from a model's own record, and its answers, alone. `wanted`: of experiments whose orders are by
    right and wrong answers, and by tokens."""
    found = {
        **brief_estimates(record),
        "question_accuracy": _question_accuracy(answers),
        "tokens_mean": _tokens_mean(answers),
        "order_bias": _order_bias(claims),
        "shown_order_share": _shown_order_share(claims),
        "shuffled": accuracy_estimate(_shuffled(claims.where(scorable(claims, strict)))),
    }
    for name, by in {"correctness": claims.by_correctness, "tokens": claims.by_tokens}.items():
        decided = count(claims.where(by & (claims.observed != 0)), strict)
        found[f"accuracy_by_{name}"] = mean_of_groups(decided, f"no pair by {name}")
    return {name: estimate for name, estimate in found.items() if name not in ON_REQUEST or name in wanted}


def brief_estimates(record: Record) -> dict[str, Estimate]:
    """Those of them that the first screen is made of."""
    right = accuracy_estimate(record)
    return {"accuracy": right, "tau": _tau(right)}


def accuracy_estimate(record: Record) -> Estimate:
    return mean_of_groups(record, NOTHING_READ)


def skill_estimate(record: Record) -> Estimate:
    return _tau(accuracy_estimate(record))


def _tau(accuracy: Estimate) -> Estimate:
    ends = Interval(*(2 * end - 1 for end in accuracy.interval))
    return Estimate(2 * accuracy.value - 1, ends, 2 * accuracy.error, accuracy.reason, accuracy.interval_only)


def _order_bias(claims: Claims) -> Estimate:
    """How far rankings lean to the order shown: the share of pairs ranked rightly that were shown in their true order,
    less that of pairs that were shown the other way round. 0 leans neither way, 1 always repeats the order shown.
    Claims are that the question shown first is the easier one.
    """
    read = claims.where(claims.state == READ)
    sides = [read.by_item(part * 1.0) for shown in (1, -1) for part in _right_and_all(read, shown)]
    counts = np.stack(sides, axis=1)
    counts = counts[counts.sum(1) > 0]
    if not len(counts) or not counts[:, [1, 3]].sum(0).all():
        return Estimate(math.nan, reason="no pair was read of those shown in their true order, or of the others")
    value = float(_gap_by_order(counts.sum(0)))
    error = ratio_error(_gap_by_order, counts)
    return Estimate(value, student(value, error, len(counts)).within(-1, 1), error)


def _right_and_all(claims: Claims, shown: int) -> tuple[Any, Any]:
    """Which pairs shown in their true order (1), or in the other (-1), are ranked rightly, and which there are."""
    these = claims.observed == shown
    return claims.right & these, these


def _gap_by_order(totals: Any) -> Any:
    return totals[..., 0] / totals[..., 1] - totals[..., 2] / totals[..., 3]


def _shown_order_share(claims: Claims) -> Estimate:
    """Share of rankings that are the order shown, of those that were read; of four questions chance makes one in 24."""
    epochs = int(claims.epoch.max(initial=0)) + 1
    attempt, attempts = claims.item * epochs + claims.epoch, len(claims.items) * epochs
    known, shown = (np.bincount(attempt, sign, attempts) for sign in (claims.predicted != 0, claims.predicted > 0))
    same = np.where(known > 0, shown == known, math.nan)
    by_item = same.reshape(-1, epochs)
    pairs = np.stack([np.nansum(by_item, axis=1), (~np.isnan(by_item)).sum(1)], axis=1)
    found = share_of_pairs(pairs[pairs[:, 1] > 0])
    return found if found.reason is None else Estimate(math.nan, reason="no ranking was read")


def _shuffled(claims: Claims) -> Record:
    """The model's own rankings dealt out at random: its expectation for a pair is pr*b + (1-pr)*(1-b), with pr how
    often the model puts the one position before the other and b how often it was the easier one in this group (0 or 1).
    """
    names = len(claims.claim_names)
    yes, told = (np.bincount(claims.claim_name, side, names) for side in (claims.predicted > 0, claims.predicted != 0))
    with np.errstate(invalid="ignore"):
        return predictor_record(claims, (yes / told)[claims.claim_name])


def mean_of_groups(groups: Record, reason: str) -> Estimate:
    """Mean of the groups' scores, 0 to 1, with Student's t interval; near an end, where few groups err or few hit, with
    Wilson's on the effective number of groups (docs/decisions/0026).
    """
    if not len(groups.items):
        return Estimate(math.nan, reason=reason)
    values = groups.counts[:, 0]
    interval, error = mean_interval(values)
    mean, n = float(values.mean()), len(values)
    # all alike: their spread says nothing, their number does
    if error <= NO_SPREAD or (n > 1 and few(min(int((values < 1).sum()), int((values > 0).sum())), n)):
        return Estimate(mean, wilson(mean, effective_n(mean, error, n)), error, interval_only=True)
    return Estimate(mean, interval.within(0, 1), error)


def few(groups: int, of: int) -> bool:
    """Whether a standard error rests on so few of the groups that it is no guide. Of a handful, where all of them tell,
    it is their number that is small, and Student's t knows that.
    """
    return groups < FEW and 2 * groups < of


def _question_accuracy(answers: Answers) -> Estimate:
    estimate = share_of_pairs(answers.by_item(answers.correct))
    return estimate if estimate.reason is None else Estimate(math.nan, reason="no answer was recorded")


def _tokens_mean(answers: Answers) -> Estimate:
    """Mean tokens of an answer, over the answers that came and were counted."""
    pairs = answers.by_item(np.where(answers.missing, math.nan, answers.tokens))
    pairs = pairs[pairs[:, 1] > 0]
    if not len(pairs):
        return Estimate(math.nan, reason="no token counts were recorded")
    mean = float(pairs[:, 0].sum() / pairs[:, 1].sum())
    error = ratio_error(lambda totals: totals[..., 0] / totals[..., 1], pairs)
    return Estimate(mean, student(mean, error, len(pairs)).within(0, math.inf), error)


def skill_difference(one: Record, two: Record) -> Estimate:
    """Skill of one less skill of two, on the groups that both have.

    Where the two part in the same way, or not at all, on all groups but a few, the interval does not rest on this
    handful: two made-up groups are added; in one, the one alone has all pairs right, in the other the other
    alone, as with claims of yes or no. The value stays.
    """
    gap = difference(skill, one, two)
    if math.isnan(gap.value):
        return gap
    common = common_items([one, two])
    both = [one.on(common), two.on(common)]
    if not rests_on_few(*both):
        return gap
    names = tuple(str(n) for n in range(len(common) + 2))
    rows = [np.concatenate([part, made_up]) for part, made_up in zip(both, MADE_UP, strict=True)]
    wider = difference(skill, *(Record(names, part) for part in rows)).interval
    error = (wider.high - wider.low) / 2 / student(0.0, 1.0, len(common)).high
    return Estimate(gap.value, wider.within(-2, 2), max(error, gap.error), interval_only=True)


def rests_on_few(first: Array, second: Array) -> bool:
    """Whether the two part otherwise than on most groups on so few of them that `skill_difference` adds made-up ones.
    The rows of both are of the same groups.
    """
    gaps = np.round(first[:, 0] - second[:, 0], 9)  # sixths are not exact
    return few(len(gaps) - int(np.unique(gaps, return_counts=True)[1].max()), len(gaps))


def weights(claims: Claims) -> Floats:
    """Tau is the sum, over pairs, of this weight times the sign that was predicted, and of a constant."""
    epochs = int(claims.epoch.max(initial=0)) + 1
    attempt = claims.item * epochs + claims.epoch
    pairs = np.bincount(attempt, minlength=len(claims.items) * epochs)
    of_item = (pairs.reshape(-1, epochs) > 0).sum(1)
    found: Floats = claims.observed / (pairs[attempt] * of_item[claims.item] * float(np.count_nonzero(of_item)))
    return found


def bounds(claims: Claims) -> dict[str, Interval]:
    """Every lost pair wrong, every one right. Where an answer is lost rather than a ranking, not all of its pairs need
    fit into one order, so that the true bounds may be narrower.
    """
    decided = claims.where(claims.state != TIE)
    read = decided.state == READ
    if not read.any():
        return {}
    right = read & decided.right
    least, greatest = (
        float(order_counts(decided, known.astype(np.float64)).counts[:, 0].mean())
        for known in (right, right | decided.lost)
    )
    return {
        "accuracy": Interval(least, greatest),
        "tau": Interval(2 * least - 1, 2 * greatest - 1),
    }


# --- enough to go by? ------------------------------------------------------------------------------------------------


def items_for_skill(counts: Array) -> int:
    """How many groups there are: each tells as much as another."""
    return len(counts)


def too_few(claims: Claims, record: Record) -> str | None:
    """Whether too few groups could be scored."""
    groups = len(record.items)
    if groups >= LEAST_GROUPS:
        return None
    return f"only {number_of(groups, 'group')} could be scored, fewer than {LEAST_GROUPS}"
