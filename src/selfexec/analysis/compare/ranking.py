"""Which models can be told apart, and nothing else: what a page needs of a comparison, from scores at hand."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import NamedTuple

import numpy as np

from selfexec.analysis.compare.family import SIGNIFICANT, Family
from selfexec.analysis.compare.measures import (
    OVERALL,
    ComparedRecord,
    common_of,
    formula_of,
    rarer_items,
    record_of,
    weighed,
)
from selfexec.analysis.differences import Standing
from selfexec.analysis.score_table import Scores
from selfexec.experiments import EXPERIMENTS, PAPER_HEADLINE
from selfexec.metrics import LEAST_RARER_ITEMS
from selfexec.metrics.kinds.counts import common_items, effects_of
from selfexec.metrics.kinds.kind import RATES, claim_kind
from selfexec.stats import NO_SPREAD, Array, detectable, holm, influence_errors, p_values


@dataclass(frozen=True)
class Ranking:
    """Models in order; and, by metric and experiment, the true differences that 80% of runs like these would find."""

    standings: tuple[Standing, ...]
    sizes: Mapping[tuple[str, str], Sequence[float]]  # of each pair that can be compared

    def detectable(self, metric: str, experiment: str) -> tuple[float, float, float] | None:
        """Median, least and greatest of these differences over all pairs."""
        sizes = self.sizes.get((metric, experiment))
        return (median(sizes), min(sizes), max(sizes)) if sizes else None


def ranking(scores: Scores, metrics: Sequence[str]) -> Ranking:
    """The standings that `compare` gives, for one model too, and for models that have no items in common."""
    standings: list[Standing] = []
    sizes: dict[tuple[str, str], Sequence[float]] = {}
    for metric in metrics:
        family = _family(metric, scores)
        apart, detectable_differences = told_apart(family)
        sizes |= {(metric, experiment): differences for experiment, differences in detectable_differences.items()}
        standings += family.standings_of(apart)
    return Ranking(tuple(standings), sizes)


def told_apart(family: Family) -> tuple[dict[str, Sequence[tuple[str, str]]], dict[str, Sequence[float]]]:
    """By experiment, overall too: the pairs that differ after adjustment for all pairs (Holm), and the true difference
    that 80% of runs like these would find, of each pair that is not held back.
    """
    pairs = list(combinations(sorted(family.labels), 2))
    gaps = _gaps(family, pairs)
    p = {experiment: gap.p for experiment, gap in gaps.items()}
    apart: dict[str, Sequence[tuple[str, str]]] = {
        e: [pairs[n] for n in np.flatnonzero(holm(p[e]) < SIGNIFICANT)] for e in gaps
    }
    return apart, {e: gap.detectable[~np.isnan(p[e])].tolist() for e, gap in gaps.items()}


def _family(metric: str, scores: Scores) -> Family:
    asked = {experiment for parts in scores.parts.values() for experiment in parts}
    records = {
        experiment: {model: record_of(metric, model, parts.get(experiment)) for model, parts in scores.parts.items()}
        for experiment in EXPERIMENTS
        if experiment in asked
    }
    return Family.of_records(metric, tuple(scores.parts), records)


class _Gaps(NamedTuple):
    """The differences of all pairs in an experiment: arrays of shape (pairs,)."""

    value: Array  # nan where nothing can be said, or where `compare` holds the difference back
    error: Array
    freedom: Array

    @property
    def p(self) -> Array:
        return p_values(self.value, self.error, self.freedom)

    @property
    def detectable(self) -> Array:
        freedoms, which = np.unique(self.freedom, return_inverse=True)
        found: Array = np.array([detectable(1.0, freedom) for freedom in freedoms])[which] * self.error
        return found


_Gap = tuple[float, float, float]  # a row of `_Gaps`


def _gaps(family: Family, pairs: Sequence[tuple[str, str]]) -> dict[str, _Gaps]:
    found = {experiment: _gaps_in(family, experiment, pairs) for experiment in family.records}
    if OVERALL in family.estimates:
        found[OVERALL] = _overall([found[experiment] for experiment in PAPER_HEADLINE.experiments])
    return found


def _gaps_in(family: Family, experiment: str, pairs: Sequence[tuple[str, str]]) -> _Gaps:
    plain = _plain_gaps(family, experiment)
    gaps = [plain.get(pair) or _gap(family, experiment, *pair) for pair in pairs]
    columns = zip(*gaps, strict=True) if gaps else [()] * len(_Gaps._fields)
    return _Gaps(*(np.array(column) for column in columns))


def _plain_gaps(family: Family, experiment: str) -> dict[tuple[str, str], _Gap]:
    """`_gap` of pairs that were asked the same items and need nothing but the formula of the metric: of these, all that
    one model belongs to are worked out at once. Of a hundred models there are five thousand pairs.
    """
    if family.metric in RATES:  # their differences are no formula's
        return {}
    effects = effects_of(formula_of(family.metric, experiment))
    is_skill, rests_on_few = family.metric == "skill", claim_kind(experiment).rests_on_few
    gaps: dict[tuple[str, str], _Gap] = {}
    for items, records in _asked_alike(family, experiment).items():
        of_each = [record.counted.computed(effects, items) for record in records]
        values, added = map(np.array, zip(*of_each, strict=True))
        counts = [record.counted.on(items) for record in records]
        freedom = family.freedom(experiment, len(items))
        for n, first in enumerate(records[:-1]):
            differences = (values[n] - values[n + 1 :]).tolist()
            errors = influence_errors(added[n] - added[n + 1 :]).tolist()
            for m, value, error in zip(range(n + 1, len(records)), differences, errors, strict=True):
                is_plain = math.isfinite(value) and error > NO_SPREAD
                if is_plain and not (is_skill and rests_on_few(counts[n], counts[m])):
                    gaps[first.label, records[m].label] = (value, error, freedom)
    return gaps


def _asked_alike(family: Family, experiment: str) -> dict[tuple[str, ...], list[ComparedRecord]]:
    """The records that can be compared, by their items, in the order of their models' names."""
    alike: dict[tuple[str, ...], list[ComparedRecord]] = {}
    for _, record in sorted(family.records[experiment].items()):
        if record.reason or record.by_item is not record.counted:
            continue
        if rarer_items(family.metric, experiment, [record]) >= LEAST_RARER_ITEMS:
            alike.setdefault(common_items([record.counted]), []).append(record)
    return alike


def _gap(family: Family, experiment: str, one: str, two: str) -> _Gap:
    """What stands in a row of `_Gaps`. Of models that were asked different items nothing is paired, and nothing is held
    back; of the same items, where too few can tell.
    """
    records = [family.records[experiment][label] for label in (one, two)]
    items = common_of(records)
    if items < 2 and not any(record.reason for record in records):
        first, second = (family.estimates[experiment][label] for label in (one, two))
        least = min(len(record.counted.items) for record in records)
        error = math.hypot(first.error, second.error)
        return first.value - second.value, error, family.freedom(experiment, least)
    if items >= 2 and rarer_items(family.metric, experiment, records) < LEAST_RARER_ITEMS:
        return math.nan, math.nan, family.freedom(experiment, items)
    gap = weighed(family.metric, experiment, records, [1.0, -1.0])
    return gap.value, gap.error, family.freedom(experiment, items)


def _overall(parts: Sequence[_Gaps]) -> _Gaps:
    """The mean over experiments; its error is the root of the sum of squares, over their number."""
    value = np.mean([part.value for part in parts], axis=0)
    error = np.sqrt(np.sum([part.error**2 for part in parts], axis=0)) / len(parts)
    return _Gaps(value, error, np.full(len(error), math.inf))
