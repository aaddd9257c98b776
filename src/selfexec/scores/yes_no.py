"""Scores of claims that come true or do not: association and restriction."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from selfexec.scores import metrics
from selfexec.scores.counted import count, scorable
from selfexec.scores.counts import NOTHING_READ, coverage, share_interval, share_of_pairs
from selfexec.scores.guessers import NO_OTHERS, best_guesser, guesses, self_knowledge, with_guesses
from selfexec.scores.metrics import Cells
from selfexec.scores.rows import LEAST_RARER_ITEMS, Asked, Estimate, Scored
from selfexec.stats import NO_SPREAD, NONE, Array, Interval, ratio_error, student, wilson

# Shares of trials, each with the trials that it is a share of.
SHARES: dict[str, tuple[Callable[[Cells], Any], Callable[[Cells], Any]]] = {
    "accuracy": (metrics.accuracy, lambda c: c.claims),
    "precision": (metrics.precision, lambda c: c.tp + c.fp),
    "recall": (metrics.recall, lambda c: c.tp + c.fn + c.unread_true),
    "positive_rate": (metrics.positive_rate, lambda c: c.known),
    "base_rate": (metrics.base_rate, lambda c: c.known),
    "always_yes": (metrics.always_yes, lambda c: c.known),
    "always_no": (metrics.always_no, lambda c: c.known),
}
# No shares of trials: their interval is value +- t SE, within what is possible.
OTHERS: dict[str, tuple[Callable[[Cells], Any], tuple[float, float]]] = {
    "balanced_accuracy": (metrics.balanced_accuracy, (0, 1)),
    "youden_j": (metrics.youden_j, (-1, 1)),
    "mcc": (metrics.mcc, (-1, 1)),
    "kappa": (metrics.kappa, (-1, 1)),
    "shuffled": (metrics.shuffled, (0, 1)),
}
UNDEFINED = {
    "precision": "no claim was predicted to come true",
    "recall": "no claim came true",
    "over_niceness": "there are no errors",
}
NO_CONTRAST = "predictions or outcomes are all the same"


def score_yes_no(asked: Asked, claims: pl.DataFrame, others: pl.DataFrame, strict: bool) -> Scored:
    """`others` are the claims of other models, outcome known."""
    record = count(asked.experiment, claims, strict)
    counts = record.counts
    estimates = {name: _share(name, counts) for name in SHARES} | {name: _other(name, counts) for name in OTHERS}
    estimates["majority"] = max(estimates["always_yes"], estimates["always_no"], key=lambda e: e.value)
    estimates["coverage"] = coverage(claims)
    if asked.experiment == "restriction":
        estimates["over_niceness"] = _over_niceness(counts)
    guessed = guesses(asked.experiment, with_guesses(asked.experiment, scorable(claims, strict), others))
    for name in ("label", "others_mode"):
        if name in guessed:
            estimates[name] = _share("accuracy", guessed[name].counts)
    estimates.setdefault("others_mode", Estimate(math.nan, reason=NO_OTHERS))
    estimates["self_knowledge"], _ = self_knowledge(asked.experiment, record, guessed)
    best = best_guesser(asked.experiment, record, guessed)
    caution = asked.caution or _too_few(scorable(claims, strict))
    rows = [asked.row(name, estimate, caution) for name, estimate in estimates.items()]
    return Scored(
        rows,
        asked,
        estimates["accuracy"],
        estimates["youden_j"],
        estimates["self_knowledge"],
        caution,
        record,
        best[1] if best else None,
    )


def _share(name: str, counts: Array) -> Estimate:
    formula, trials = SHARES[name]
    # an item without a trial (a target of which nothing was listed, for recall) is no cluster
    counts = counts[trials(Cells.of(counts)) > 0] if len(counts) else counts
    if not len(counts):
        return Estimate(math.nan, reason=UNDEFINED.get(name, NOTHING_READ))
    value = float(formula(Cells.of(counts.sum(0))))
    error = ratio_error(lambda totals: complex(formula(Cells.of(totals))), counts)
    return Estimate(value, share_interval(value, error, counts), error)


def _other(name: str, counts: Array) -> Estimate:
    formula, bounds = OTHERS[name]
    if not len(counts):
        return Estimate(math.nan, reason=NOTHING_READ)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(formula(Cells.of(counts.sum(0))))
        if not math.isfinite(value):
            return Estimate(math.nan, reason=NO_CONTRAST)
        error = ratio_error(lambda totals: complex(formula(Cells.of(totals))), counts)
    if error > NO_SPREAD or math.isnan(error):
        return Estimate(value, student(value, error, len(counts)).within(*bounds), error)
    return Estimate(value, _without_spread(name, counts), error)


def _without_spread(name: str, counts: Array) -> Interval:
    """Where all items agree, the delta method knows no doubt; the ends of recall and specificity still do."""
    if name not in ("youden_j", "balanced_accuracy"):
        return NONE
    totals = Cells.of(counts.sum(0))
    recall = wilson(float(metrics.recall(totals)), float(totals.tp + totals.fn + totals.unread_true))
    specificity = wilson(float(metrics.specificity(totals)), float(totals.tn + totals.fp + totals.unread_false))
    j = Interval(recall.low + specificity.low - 1, recall.high + specificity.high - 1)
    return j if name == "youden_j" else Interval((j.low + 1) / 2, (j.high + 1) / 2)


def _over_niceness(counts: Array) -> Estimate:
    """Wilson's interval on the errors; where an item errs in several epochs, on their effective number."""
    cells = Cells.of(counts)
    pairs = np.stack([cells.fn, cells.fn + cells.fp], axis=1)
    pairs = pairs[pairs[:, 1] > 0]
    if not len(pairs):
        return Estimate(math.nan, reason=UNDEFINED["over_niceness"])
    if pairs[:, 1].max() > 1:
        return share_of_pairs(pairs)
    share = float(pairs[:, 0].mean())
    return Estimate(share, wilson(share, len(pairs)))


def _too_few(claims: pl.DataFrame) -> str | None:
    """Whether too few items have the rarer outcome, among the claims that are scored."""
    items = min(claims.filter(pl.col("observed") == outcome)["item"].n_unique() for outcome in (True, False))
    if items >= LEAST_RARER_ITEMS:
        return None
    return f"only {items} items have the rarer outcome, fewer than {LEAST_RARER_ITEMS}"
