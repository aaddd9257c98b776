"""Scores of claims to which a model gave a probability: which ones (AUROC), how well calibrated, and against whom.

No threshold comes into these, so that how readily a model says yes does not matter. They are over the claims with a
probability and a known outcome; what was not read lowers coverage, and is in none of them.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from selfexec.claims import Answers, Claims, Flags, Numbers
from selfexec.metrics.baselines import Others, Stacked, stacked
from selfexec.metrics.kinds import Record, claim_kind
from selfexec.metrics.reference_doubt import NO_DOUBT, ReferenceDoubt, doubt_of, doubted
from selfexec.metrics.rows import LEAST_COVERAGE, Estimate
from selfexec.stats import (
    Area,
    Array,
    Interval,
    auroc,
    auroc_within,
    brier_parts,
    centred,
    effective_n,
    influence_error,
    ratio_error,
    student,
    wilson,
)
from selfexec.stats.brier import Part

OF_BRIER = ("brier", "brier_reliability", "brier_resolution", "brier_uncertainty")
OF_WHICH_ONES = ("auroc", "auroc_within", "auroc_ties", "selective_accuracy", "predicted_rate", "rate_bias")
OF_ANSWERS = ("auroc_correct", "auroc_correct_within", "brier_correct", "tau_tokens")
OF_MARGIN = ("auroc_baseline", "auroc_margin")
OF_PROBABILITY_SKILL = frozenset(
    {*OF_BRIER, *OF_WHICH_ONES, *OF_MARGIN, *OF_ANSWERS}
)  # one item says nothing about these
NO_CONTRAST = "the outcomes of the claims with a probability are all the same"
ALL_RIGHT_OR_WRONG = "the answers are all right, or all wrong"
NO_TOKENS = "no two answers of a group differ in known tokens"
NO_PAIRS = "no item has both outcomes among its claims with a probability"
NO_PROBABILITY = "no probability was read"
NO_OWN_EXCESS = "own excess of probabilities has not been tried on panels that know nothing of themselves"
CONFIDENT = 0.5  # the share of claims that selective accuracy is of


def probability_scores(
    claims: Claims, answers: Answers, others: Others, *, with_margin: bool
) -> Mapping[str, Estimate]:
    """All rows of claims that a model was asked the probabilities of. Of orders there are those of the Brier score:
    which of two questions is called the first is no matter of the model, so that each pair counts both ways; and, where
    it was asked of single questions, how well it knew which it would answer rightly and which at length.
    """
    kept = with_probability(claims)
    if not claim_kind(claims).FREE_THRESHOLD:
        return {**_brier_scores(*_both_ways(kept)), **_scores_of_answers(answers)}
    scores = dict(_own_scores(kept))
    if with_margin:
        scores |= dict(zip(OF_MARGIN, _margin(kept, others), strict=True))
    return scores


def with_probability(claims: Claims) -> Claims:
    """The claims with a probability and a known outcome."""
    return claims.where(np.isfinite(claims.probability) & (claims.observed != 0))


def _both_ways(claims: Claims) -> tuple[Array, Flags, Numbers]:
    """Probabilities, outcomes and items of orders, each as it is and the other way round."""
    came_true = claims.observed > 0
    return (
        np.concatenate([claims.probability, 1 - claims.probability]),
        np.concatenate([came_true, ~came_true]),
        np.concatenate([claims.item, claims.item]),
    )


def _own_scores(claims: Claims) -> Mapping[str, Estimate]:
    """What follows from a model's own probabilities and behaviour."""
    if not len(claims):
        return dict.fromkeys((*OF_WHICH_ONES, *OF_BRIER), Estimate(math.nan, reason=NO_PROBABILITY))
    came_true, (item, items) = claims.observed > 0, _numbered(claims.item)
    pooled = auroc(claims.probability, came_true, item, items)
    within = auroc_within(claims.probability, came_true, item, items)
    return {
        "auroc": area_estimate(pooled, NO_CONTRAST),
        "auroc_within": area_estimate(within, NO_PAIRS),
        "auroc_ties": Estimate(pooled.ties, reason=NO_CONTRAST if math.isnan(pooled.ties) else None),
        "selective_accuracy": _selective_accuracy(claims.probability, came_true, item),
        "predicted_rate": _mean_over_items(claims.probability, item, 0.0),
        "rate_bias": _mean_over_items(claims.probability - came_true, item, -1.0),
        **_brier_scores(claims.probability, came_true, claims.item),
    }


def _brier_scores(probability: Array, came_true: Flags, item: Numbers) -> Mapping[str, Estimate]:
    if not len(probability):
        return dict.fromkeys(OF_BRIER, Estimate(math.nan, reason=NO_PROBABILITY))
    place, items = _numbered(item)
    parts = brier_parts(probability, came_true, place, items)
    each = (parts.score, parts.reliability, parts.resolution, parts.uncertainty)
    return {name: _of_part(part) for name, part in zip(OF_BRIER, each, strict=True)}


def _scores_of_answers(answers: Answers) -> Mapping[str, Estimate]:
    """Of right answers and of tokens, each against what was expected of it: answers that came."""
    said = ~answers.missing & np.isfinite(answers.expected_correct)
    if not said.any():
        return dict.fromkeys(OF_ANSWERS, Estimate(math.nan, reason=NO_PROBABILITY))
    probability, right = answers.expected_correct[said], answers.correct[said] > 0
    item, items = _numbered(answers.item[said])
    within = auroc_within(probability, right, item, items)
    return {
        "auroc_correct": area_estimate(auroc(probability, right, item, items), ALL_RIGHT_OR_WRONG),
        "auroc_correct_within": area_estimate(within, "no group has both right and wrong answers"),
        "brier_correct": _of_part(brier_parts(probability, right, item, items).score),
        "tau_tokens": _tau_of_tokens(answers, said),
    }


def _tau_of_tokens(answers: Answers, said: Flags) -> Estimate:
    """Kendall's tau of expected and counted tokens within groups, pairs of as many counted tokens left out: the mean
    over pairs, with Student's t over items.
    """
    kept = np.flatnonzero(said & np.isfinite(answers.tokens))
    kept = kept[np.argsort(answers.occasion[kept], kind="stable")]
    largest = int(np.bincount(answers.occasion[kept]).max()) if len(kept) else 0
    pairs = [(kept[:-apart], kept[apart:]) for apart in range(1, largest)]
    if not pairs:
        return Estimate(math.nan, reason=NO_TOKENS)
    one, two = (np.concatenate(side) for side in zip(*pairs, strict=True))
    counted = np.sign(answers.tokens[one] - answers.tokens[two])
    expected = np.sign(answers.expected_tokens[one] - answers.expected_tokens[two])
    differ = (answers.occasion[one] == answers.occasion[two]) & (counted != 0)
    if not differ.any():
        return Estimate(math.nan, reason=NO_TOKENS)
    return _mean_over_items((counted * expected)[differ], _numbered(answers.item[one][differ])[0], -1.0)


class _Areas(NamedTuple):
    """A model's area and its baseline's, both on the claims that the baseline has a logit for."""

    kept: Claims
    own: Area
    theirs: Area
    baseline: Stacked
    fold: Numbers


def _areas(claims: Claims, others: Others) -> _Areas | Estimate:
    """Both areas, or why there are none."""
    if lacking := others.lacking:
        return Estimate(math.nan, reason=lacking)
    baseline = stacked(others)
    logits = baseline.logits(claims)
    kept, logits = claims.where(~np.isnan(logits)), logits[~np.isnan(logits)]
    if len(kept) < LEAST_COVERAGE * len(claims) or not len(kept):
        return Estimate(math.nan, reason=f"of {len(claims):,} claims only {len(kept):,} are known of others")
    fold = others.table.fold[others.table.columns_of(kept)]
    came_true, (item, items) = kept.observed > 0, _numbered(kept.item)
    own = auroc(kept.probability, came_true, item, items)
    theirs = auroc(centred(logits, fold), came_true, item, items)
    if math.isnan(own.value) or items < 2:
        return Estimate(math.nan, reason=NO_CONTRAST)
    return _Areas(kept, own, theirs, baseline, fold)


def _margin(claims: Claims, others: Others) -> tuple[Estimate, Estimate]:
    """The AUROC of the stacked baseline's logits, and how much the model's own is above it: paired by item, with the
    doubt that comes from the reference models.
    """
    found = _areas(claims, others)
    return (found, found) if isinstance(found, Estimate) else _margin_of(found)


def _margin_of(found: _Areas) -> tuple[Estimate, Estimate]:
    doubt = _doubt(found.kept, found.baseline, found.theirs, found.fold, *_numbered(found.kept.item))
    return _baseline_area(found.theirs, doubt), doubted(_difference(found.own, found.theirs), doubt, -1.0, 1.0)


def area_estimate(area: Area, reason: str) -> Estimate:
    """An area as an estimate; `reason` says why there is none."""
    if math.isnan(area.value):
        return Estimate(math.nan, reason=reason)
    return Estimate(area.value, area.interval, area.error, interval_only=True)


def _baseline_area(area: Area, doubt: ReferenceDoubt) -> Estimate:
    """With the error over reference models; it is that of a baseline of so many, so that the shortfall is no part."""
    return doubted(area_estimate(area, NO_CONTRAST), doubt._replace(shortfall=0.0), 0.0, 1.0)


BY_ITEM = ("auroc", "auroc_within", "auroc_margin", "brier")  # scores that models are compared by


def score_by_item(name: str, claims: Claims, others: Others | None = None) -> tuple[Estimate, Record]:
    """One of a model's scores, and a record of it by item that its mean is the ratio of: what each item adds to it, so
    that two models can be paired on their items. Only a margin takes others.
    """
    kept = with_probability(claims)
    if not len(kept):
        return Estimate(math.nan, reason=NO_PROBABILITY), Record((), np.zeros((0, 2)))
    if others is not None and name == "auroc_margin":
        return _margin_by_item(kept, others)
    came_true, (item, items) = kept.observed > 0, _numbered(kept.item)
    names = np.array([kept.items[n] for n in np.unique(kept.item)], dtype=object)
    if name == "brier":
        squares = np.bincount(item, (kept.probability - came_true) ** 2)
        counts = np.stack([squares, np.bincount(item).astype(np.float64)], axis=1)
        return _of_part(brier_parts(kept.probability, came_true, item, items).score), Record(tuple(names), counts)
    if name == "auroc":
        area = auroc(kept.probability, came_true, item, items)
        return area_estimate(area, NO_CONTRAST), _added(area.value, area.added, names)
    area = auroc_within(kept.probability, came_true, item, items)
    both = np.bincount(item, came_true, items) * np.bincount(item, ~came_true, items) > 0
    return area_estimate(area, NO_PAIRS), _added(area.value, area.added, names[both])


def _margin_by_item(claims: Claims, others: Others) -> tuple[Estimate, Record]:
    """The margin in AUROC, and what each item adds to it."""
    found = _areas(claims, others)
    if isinstance(found, Estimate):
        return found, Record((), np.zeros((0, 2)))
    names = np.array([found.kept.items[n] for n in np.unique(found.kept.item)], dtype=object)
    margin = _margin_of(found)[1]
    return margin, _added(margin.value, found.own.added - found.theirs.added, names)


def _added(value: float, added: Array, names: Array) -> Record:
    counts = np.stack([value + len(added) * added, np.ones(len(added))], axis=1)
    return Record(tuple(names), counts)


def _difference(one: Area, two: Area) -> Estimate:
    """Paired by item: Student's t."""
    added = one.added - two.added
    value, error = one.value - two.value, influence_error(added)
    return Estimate(value, student(value, error, len(added)).within(-1, 1), error)


def _doubt(claims: Claims, baseline: Stacked, area: Area, fold: Numbers, item: Numbers, items: int) -> ReferenceDoubt:
    """What the baseline's AUROC owes to which reference models there are."""
    without_one = baseline.logits_without_one(claims)
    if len(without_one) < 2:
        return NO_DOUBT
    came_true: Flags = claims.observed > 0
    areas = [auroc(centred(np.nan_to_num(logits), fold), came_true, item, items) for logits in without_one]
    return doubt_of(np.array([a.value for a in areas]), np.stack([a.added for a in areas]), area.value)


def _numbered(numbers: Numbers) -> tuple[Numbers, int]:
    """The numbers of those that occur, from 0 on, and how many they are."""
    occurring, place = np.unique(numbers, return_inverse=True)
    return place.astype(np.int64), len(occurring)


def _of_part(part: Part) -> Estimate:
    return Estimate(part.value, part.interval, part.error)


def _selective_accuracy(probability: Array, came_true: Flags, item: Numbers) -> Estimate:
    """Accuracy on the half of the claims about which the model is surest, those that are equally sure in proportion. A
    probability of one half is right half of the time.
    """
    doubt = -np.round(np.abs(probability - 0.5), 9)  # .3 and .7 are equally sure
    _, place, count = np.unique(doubt, return_inverse=True, return_counts=True)
    left = np.clip(CONFIDENT * len(probability) - (count.cumsum() - count), 0, count)
    weight = (left / count)[place]
    right = np.where(probability == 0.5, 0.5, (probability > 0.5) == came_true)
    counts = np.stack([np.bincount(item, weight * right), np.bincount(item, weight)], axis=1).astype(np.float64)
    counts = counts[counts[:, 1] > 0]
    total, n = counts.sum(0)
    error = ratio_error(lambda totals: totals[..., 0] / totals[..., 1], counts)
    share = min(float(total / n), 1.0)
    interval = (
        wilson(share, effective_n(share, error, len(counts))) if len(counts) > 1 else Interval(math.nan, math.nan)
    )
    return Estimate(share, interval, error, interval_only=True)


def _mean_over_items(values: Array, item: Numbers, least: float) -> Estimate:
    """The mean over claims: Student's t over items."""
    counts = np.stack([np.bincount(item, values), np.bincount(item)], axis=1).astype(np.float64)
    value = float(values.mean())
    error = ratio_error(lambda totals: totals[..., 0] / totals[..., 1], counts)
    return Estimate(value, student(value, error, len(counts)).within(least, 1), error)
