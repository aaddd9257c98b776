"""Scores of orders: the difficulty experiment."""

import math
from dataclasses import replace

import numpy as np

from selfexec.claims import Answers, Claims
from selfexec.metrics.baselines import baseline_chances, baseline_records
from selfexec.metrics.counts import Counted, baseline_counts, count, scorable
from selfexec.metrics.margin import NO_OTHERS, held_against
from selfexec.metrics.permutation import shuffled_p
from selfexec.metrics.rows import OF_BASELINE, Asked, Estimate
from selfexec.metrics.scored import Scored
from selfexec.metrics.shares import NOTHING_READ, coverage, degenerate, nothing_read, share_of_pairs
from selfexec.stats import NO_SPREAD, Interval, mean_interval, ratio_error, student, wilson
from selfexec.text.numbers import number_of

LEAST_GROUPS = 20  # with fewer a headline is withheld: their spread says too little of the spread of all


def score_orders(
    asked: Asked,
    claims: Claims,
    answers: Answers,
    others: Claims,
    strict: bool,
    *,
    whole: bool = True,
) -> Scored:
    """`others` are the claims of other models, outcome known. Not `whole`, there is no permutation test, and
    the margin has the doubt of the items alone.
    """
    record = count(claims, strict)
    accuracy = mean_of_groups(record, _no_decided_pair(claims, answers))
    tau = _tau(accuracy)
    estimates = {
        "accuracy": accuracy,
        "tau": tau,
        "skill": tau,
        "coverage": coverage(claims),
        "question_accuracy": _question_accuracy(answers),
        "tokens_mean": _tokens_mean(answers),
    }
    which = scorable(claims, strict)
    chances = baseline_chances(claims, others)
    records = baseline_records(claims, chances, which)
    for name, counted in {"shuffled": _shuffled(claims.where(which)), **records}.items():
        estimates[name] = mean_of_groups(counted, NOTHING_READ) if accuracy.reason is None else accuracy
    for name, by in {"correctness": ~claims.by_tokens, "tokens": claims.by_tokens}.items():
        decided = count(claims.where(by & (claims.observed != 0)), strict)
        estimates[f"accuracy_by_{name}"] = (
            accuracy if accuracy.reason else mean_of_groups(decided, f"no pair by {name}")
        )
    for name in ("subject", "others_mode"):
        estimates.setdefault(name, Estimate(math.nan, reason=NO_OTHERS))
    if whole:
        estimates["shuffled_p"] = shuffled_p(claims, strict)
    held = held_against(claims, others, chances, strict, whole=whole)
    if accuracy.reason:
        held = replace(held, margin=accuracy)
    estimates["best_baseline"] = _tau(mean_of_groups(held.best, NOTHING_READ) if accuracy.reason is None else accuracy)
    estimates["baseline_margin"] = held.margin
    groups = len(record.items)
    if groups:
        estimates, _ = degenerate(claims, groups, estimates)
        held = replace(held, margin=estimates["baseline_margin"])
    too_few = f"only {number_of(groups, 'group')} could be scored, fewer than {LEAST_GROUPS}"
    caution = asked.caution or (too_few if groups < LEAST_GROUPS else None)
    rows = [
        asked.row(name, e, caution, held.baseline if name in OF_BASELINE else None) for name, e in estimates.items()
    ]
    return Scored(rows, asked, estimates["accuracy"], estimates["skill"], caution, record, held)


def _tau(accuracy: Estimate) -> Estimate:
    ends = Interval(*(2 * end - 1 for end in accuracy.interval))
    return Estimate(2 * accuracy.value - 1, ends, 2 * accuracy.error, accuracy.reason, accuracy.near_end)


def _shuffled(claims: Claims) -> Counted:
    """The model's own rankings dealt out at random: its expectation for a pair is pr*b + (1-pr)*(1-b), with pr how
    often the model puts the one position before the other and b how often it was the easier one in this group (0 or 1).
    """
    names = len(claims.names)
    yes, told = (np.bincount(claims.name, side, names) for side in (claims.predicted > 0, claims.predicted != 0))
    with np.errstate(invalid="ignore"):
        return baseline_counts(claims, (yes / told)[claims.name])


def _no_decided_pair(claims: Claims, answers: Answers) -> str:
    """As of every other experiment, and as `compare` says it, with what lies behind it where that is known."""
    reason = nothing_read(claims) or NOTHING_READ
    return f"{reason}: its answers were never recorded" if answers.missing.all() else reason


def mean_of_groups(groups: Counted, reason: str) -> Estimate:
    if not len(groups.items):
        return Estimate(math.nan, reason=reason)
    values = groups.counts[:, 0]
    interval, error = mean_interval(values)
    mean = float(values.mean())
    if error <= NO_SPREAD:  # all alike: their spread says nothing, their number does
        return Estimate(mean, wilson(mean, len(values)), error, near_end=True)
    return Estimate(mean, interval.within(0, 1), error)


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
