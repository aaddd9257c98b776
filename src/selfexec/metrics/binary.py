"""Scores of claims that come true or do not: association and restriction."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from selfexec.claims import Claims
from selfexec.metrics.baselines import baseline_chances, baseline_records
from selfexec.metrics.counts import NO_CONTRAST, count, scorable
from selfexec.metrics.formulas import METRICS, Cells, Formula, recall, specificity, youden_j
from selfexec.metrics.margin import NO_OTHERS, held_against
from selfexec.metrics.permutation import shuffled_p
from selfexec.metrics.rows import FEW, LEAST_RARER_ITEMS, OF_BASELINE, Asked, Estimate
from selfexec.metrics.scored import Scored
from selfexec.metrics.shares import NOTHING_READ, coverage, degenerate, share_interval, share_of_pairs
from selfexec.stats import (
    NO_SPREAD,
    NONE,
    Array,
    Interval,
    effective_n,
    ratio_error,
    student,
    sum_interval,
    wilson,
)
from selfexec.text.numbers import number_of

SIDES: tuple[tuple[Formula, Formula, Formula], ...] = (
    # share, its hits, its trials
    (recall, lambda c: c.tp, lambda c: c.tp + c.fn + c.unread_true),
    (specificity, lambda c: c.tn, lambda c: c.tn + c.fp + c.unread_false),
)
MUCH = 1 / 3  # of the doubt: a side with less may be told as it likes


def score_yes_no(asked: Asked, claims: Claims, others: Claims, strict: bool, *, whole: bool = True) -> Scored:
    """`others` are the claims of other models, outcome known. Not `whole`, there is no permutation test, and
    the margin has the doubt of the items alone.
    """
    record = count(claims, strict)
    counts = record.counts
    estimates = estimates_of(asked.experiment, counts)
    estimates["skill"] = estimates["youden_j"]
    estimates["majority"] = max(estimates["always_yes"], estimates["always_no"], key=lambda e: e.value)
    estimates["coverage"] = coverage(claims)
    which = scorable(claims, strict)
    counted = claims.where(which)
    chances = baseline_chances(claims, others)
    records = baseline_records(claims, chances, which)
    estimates |= {name: share_of("accuracy", baseline.counts) for name, baseline in records.items()}
    estimates.setdefault("others_mode", Estimate(math.nan, reason=NO_OTHERS))
    if whole:
        estimates["shuffled_p"] = shuffled_p(claims, strict)
    held = held_against(claims, others, chances, strict, whole=whole)
    estimates["best_baseline"] = youden_estimate(held.best.counts)
    estimates["baseline_margin"] = held.margin
    estimates, reason = degenerate(claims, len(record.items), estimates)
    held = replace(held, margin=estimates["baseline_margin"])
    caution = asked.caution or reason or _too_few(counted)
    rows = [
        asked.row(name, e, caution, held.baseline if name in OF_BASELINE else None) for name, e in estimates.items()
    ]
    return Scored(rows, asked, estimates["accuracy"], estimates["skill"], caution, record, held)


def estimates_of(experiment: str, counts: Array) -> dict[str, Estimate]:
    """What is told by a model's own record alone, shape (items, cells)."""
    asked = [name for name, metric in METRICS.items() if metric.only in (None, experiment)]
    return {name: _estimate(name, counts) for name in asked}


def _estimate(name: str, counts: Array) -> Estimate:
    if name == "over_niceness":
        return _over_niceness(counts)
    return share_of(name, counts) if METRICS[name].trials else _other(name, counts)


def share_of(name: str, counts: Array) -> Estimate:
    """A metric that is a share, of counts of shape (items, cells), with Wilson's interval on the items as clusters."""
    metric = METRICS[name]
    # an item without a trial (a target of which nothing was listed, for recall) is no cluster
    counts = counts[metric.trials(Cells.of(counts)) > 0] if len(counts) and metric.trials else counts
    if not len(counts):
        return Estimate(math.nan, reason=metric.undefined or NOTHING_READ)
    value = float(metric.formula(Cells.of(counts.sum(0))))
    error = ratio_error(lambda totals: metric.formula(Cells.of(totals)), counts)
    return Estimate(value, share_interval(value, error, counts), error)


def _other(name: str, counts: Array) -> Estimate:
    """No share of trials: value +- t SE, within what is possible. J and balanced accuracy have another interval near
    their ends, where a standard error knows too little (docs/decisions/0008).
    """
    metric = METRICS[name]
    if not len(counts):
        return Estimate(math.nan, reason=NOTHING_READ)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(metric.formula(Cells.of(counts.sum(0))))
        if not math.isfinite(value):
            return Estimate(math.nan, reason=metric.undefined or NO_CONTRAST)
        error = ratio_error(lambda totals: metric.formula(Cells.of(totals)), counts)
    if name in ("youden_j", "balanced_accuracy") and (j := _near_an_end(counts)):
        interval = j if name == "youden_j" else Interval((j.low + 1) / 2, (j.high + 1) / 2)
        return Estimate(value, interval.within(metric.least, metric.most), error, near_end=True)
    if error > NO_SPREAD or math.isnan(error):
        return Estimate(value, student(value, error, len(counts)).within(metric.least, metric.most), error)
    return Estimate(value, NONE, error)


def youden_estimate(counts: Array) -> Estimate:
    return _other("youden_j", counts)


def _near_an_end(counts: Array) -> Interval | None:
    """J's interval from Wilson's intervals of recall and specificity, where a third or more of the doubt comes from
    a side of which fewer than ten items err, or fewer than ten hit. None where the standard error will do.
    """
    if len(counts) < 2:
        return None
    shares, errors, intervals, few = zip(*(_side(counts, *side) for side in SIDES), strict=True)
    doubts = [(interval.high - interval.low) ** 2 for interval in intervals]
    if sum(doubt for doubt, scarce in zip(doubts, few, strict=True) if scarce) < MUCH * sum(doubts):
        return None
    j = sum_interval(shares, intervals, _correlation(counts, errors))
    return Interval(j.low - 1, j.high - 1)


def _side(counts: Array, share: Formula, hits: Formula, trials: Formula) -> tuple[float, float, Interval, bool]:
    """One side of J: its share, standard error, Wilson's interval, and whether few of its items err or few hit."""
    counts = counts[trials(Cells.of(counts)) > 0]
    cells = Cells.of(counts)
    value = float(share(Cells.of(counts.sum(0))))
    error = ratio_error(lambda totals: share(Cells.of(totals)), counts)
    hit, err = (int((part > 0).sum()) for part in (hits(cells), trials(cells) - hits(cells)))
    return value, error, wilson(value, effective_n(value, error, len(counts))), min(hit, err) < FEW


def _correlation(counts: Array, errors: Sequence[float]) -> float:
    """Of recall and specificity, over items: those that a model says yes to in general raise the one and lower the
    other."""
    if not all(error > NO_SPREAD for error in errors):
        return 0.0
    both = ratio_error(lambda totals: youden_j(Cells.of(totals)), counts)
    product = errors[0] * errors[1]
    return min(max((both**2 - errors[0] ** 2 - errors[1] ** 2) / (2 * product), -1.0), 1.0)


def _over_niceness(counts: Array) -> Estimate:
    """Wilson's interval on the errors; where an item errs in several epochs, on their effective number."""
    cells = Cells.of(counts)
    pairs = np.stack([cells.fn, cells.fn + cells.fp], axis=1)
    pairs = pairs[pairs[:, 1] > 0]
    if not len(pairs):
        return Estimate(math.nan, reason=METRICS["over_niceness"].undefined)
    if pairs[:, 1].max() > 1:
        return share_of_pairs(pairs)
    share = float(pairs[:, 0].mean())
    return Estimate(share, wilson(share, len(pairs)))


def _too_few(claims: Claims) -> str | None:
    """Whether too few items have the rarer outcome, among the claims that are scored."""
    items = min(len(np.unique(claims.item[claims.observed == outcome])) for outcome in (1, -1))
    if items >= LEAST_RARER_ITEMS:
        return None
    return f"only {number_of(items, 'item has', 'items have')} the rarer outcome, fewer than {LEAST_RARER_ITEMS}"
