"""Which models can be told apart, and nothing else: what a page needs of a comparison, from scores at hand."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

import numpy as np

from selfexec.analysis.compare.differences import Difference, Standing
from selfexec.analysis.compare.family import Family
from selfexec.analysis.compare.measures import OVERALL, Record, common_of, overall, record_of, weighed
from selfexec.analysis.score_table import Scores
from selfexec.experiments import EXPERIMENTS, PAPER
from selfexec.metrics import Estimate
from selfexec.stats import detectable, holm, two_sided


@dataclass(frozen=True)
class Ranking:
    """Models in order, and what differences between them could be found."""

    standings: tuple[Standing, ...]
    differences: tuple[Difference, ...]

    def detectable(self, metric: str, experiment: str) -> tuple[float, float, float] | None:
        """The true difference that 80% of runs like these would find: median, least and greatest over all pairs."""
        rows = [row for row in self.differences if (row.metric, row.experiment) == (metric, experiment)]
        sizes = [row.detectable for row in rows if row.detectable is not None]
        return (median(sizes), min(sizes), max(sizes)) if sizes else None


def ranking(scores: Scores, metrics: Sequence[str]) -> Ranking:
    """The standings that `compare` gives, for one model too, and for models that have no items in common."""
    standings: list[Standing] = []
    differences: list[Difference] = []
    for metric in metrics:
        family = _family(metric, scores)
        found = list(_differences(family))
        standings += family.standings(found)
        differences += found
    return Ranking(tuple(standings), tuple(differences))


def _family(metric: str, scores: Scores) -> Family:
    asked = {experiment for parts in scores.parts.values() for experiment in parts}
    records = {
        experiment: {model: record_of(metric, model, parts.get(experiment)) for model, parts in scores.parts.items()}
        for experiment in EXPERIMENTS
        if experiment in asked
    }
    return Family.of_records(metric, tuple(scores.parts), records)


def _differences(family: Family) -> Iterator[Difference]:
    """All pairs of each experiment, p adjusted by Holm."""
    pairs = list(combinations(sorted(family.labels), 2))
    found = {e: {pair: _gap(family, e, *pair) for pair in pairs} for e in family.records}
    few = {e: {pair: _too_few(family, e, *pair) for pair in pairs} for e in family.records}
    if OVERALL in family.estimates:
        few[OVERALL] = {pair: _any_of([few[e][pair] for e in PAPER.experiments]) for pair in pairs}
        parts = {pair: {e: found[e][pair][0] for e in PAPER.experiments} for pair in pairs}
        found[OVERALL] = {pair: (overall(family.metric, parts[pair], differences=True), 0) for pair in pairs}
    for experiment, by_pair in found.items():
        p = [
            math.nan if few[experiment][pair] else two_sided(e.value, e.error, family.freedom(experiment, items))
            for pair, (e, items) in by_pair.items()
        ]
        for (pair, (gap, items)), adjusted in zip(by_pair.items(), holm(np.array(p, dtype=np.float64)), strict=True):
            if math.isnan(adjusted):
                yield Difference(family.metric, experiment, *pair)
                continue
            size = detectable(gap.error, family.freedom(experiment, items))
            yield Difference(family.metric, experiment, *pair, p_holm=float(adjusted), detectable=size)


def _too_few(family: Family, experiment: str, one: str, two: str) -> bool | None:
    """Whether `compare` holds a paired difference back; None where nothing is paired: they were asked other items."""
    records = [family.records[experiment][label] for label in (one, two)]
    return family.too_few(experiment, one, two) is not None if common_of(records) >= 2 else None


def _any_of(parts: Sequence[bool | None]) -> bool | None:
    return None if None in parts else any(parts)


def _gap(family: Family, experiment: str, one: str, two: str) -> tuple[Estimate, int]:
    records = [family.records[experiment][label] for label in (one, two)]
    items = common_of(records)
    if items < 2 and not any(record.reason for record in records):
        return _apart(*(family.estimates[experiment][label] for label in (one, two))), min(map(_size, records))
    return weighed(family.metric, experiment, records, [1.0, -1.0]), items


def _apart(one: Estimate, two: Estimate) -> Estimate:
    """The difference of models that were asked different items: nothing is paired."""
    return Estimate(one.value - two.value, error=math.hypot(one.error, two.error))


def _size(record: Record) -> int:
    return len(record.counted.items)
