"""Bootstrap intervals of scores: items drawn anew, models' counts of the same items drawn alike."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from selfexec.claims import Claims, Flags, Floats, Numbers
from selfexec.errors import InputError
from selfexec.experiments import PAPER_HEADLINE
from selfexec.metrics.baseline_margin import BaselineComparison
from selfexec.metrics.cross import Crossed
from selfexec.metrics.kinds import Formula, Record, claim_kind, common_items
from selfexec.metrics.margin_at_own_rate import CEILING, RATE, ROUNDING, SKILL, MarginAtOwnRate
from selfexec.metrics.reference_doubt import ReferenceDoubt, doubted, doubted_share
from selfexec.metrics.rows import MARGINS, Estimate, Score
from selfexec.metrics.score import ModelScores
from selfexec.stats import Array, Interval, draws, percentile_intervals, resampled_totals

MOST_REPLICATES = 1_000_000
LEAST_REPLICATES = 100  # with fewer, hardly a replicate lies beyond an end
NO_INTERVAL = "no bootstrap interval: its replicates do not differ, or more than 1% of them have no value"
OVERALL = {"self_execution_score": "accuracy", "skill": "skill", "baseline_margin": "baseline_margin"}  # means of these
Values = dict[tuple[str, str, str], Array]  # (model, experiment, metric) -> a value for each replicate


@dataclass(frozen=True)
class Bootstrap:
    """How often items are drawn, and from which seed: the same seed gives the same intervals."""

    replicates: int
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value in (("bootstrap", self.replicates), ("seed", self.seed)):
            if type(value) is not int:
                raise InputError(f"--{name}: expected a whole number, not {type(value).__name__}.")
        if self.replicates < LEAST_REPLICATES:
            take = f"ake at least {LEAST_REPLICATES}, better 10000."
            why = f"percentiles of so few replicates say little. T{take}" if self.replicates > 0 else f"t{take}"
            raise InputError(f"--bootstrap {self.replicates}: {why}")
        if self.replicates > MOST_REPLICATES:
            raise InputError(f"--bootstrap {self.replicates}: take at most {MOST_REPLICATES:,}; 10000 is plenty.")
        if self.seed < 0:
            raise InputError(f"--seed {self.seed}: a seed is a whole number from 0 on.")

    def rng(self, experiment: str) -> np.random.Generator:
        """Experiments are drawn apart, by their names; the models of one experiment alike."""
        return np.random.default_rng([self.seed, *experiment.encode()])


def with_bootstrap(
    rows: Iterable[Score],
    scored: Mapping[str, Mapping[str, ModelScores]],
    crossed: Mapping[str, Mapping[str, Crossed]],
    bootstrap: Bootstrap,
) -> Iterator[Score]:
    """The rows with bootstrap intervals where they can be had. `scored` is by model and experiment, `crossed` by
    experiment and metric. What is withheld stays withheld.
    """
    values = _values(scored, bootstrap)
    found = percentile_intervals(np.stack(list(values.values()), axis=1)) if values else []
    intervals = dict(zip(values, found, strict=True))
    bonuses = {
        (experiment, metric): _bonus_interval(found, bootstrap)
        for experiment, by_metric in crossed.items()
        for metric, found in by_metric.items()
        if not found.reason
    }
    for row in rows:
        new = intervals.get((row.model, row.experiment, row.metric), bonuses.get((row.experiment, row.metric)))
        if new is None or row.value is None:
            yield row
        else:
            yield _with_interval(row, _in_company(row, new, scored))


def _bonus_interval(found: Crossed, bootstrap: Bootstrap) -> Interval:
    """Of a self-bonus, which is a ratio over the common items."""
    totals = resampled_totals(found.by_item[:, None], bootstrap.replicates, bootstrap.rng(found.common.experiment))
    [interval] = percentile_intervals(totals[..., 0] / totals[..., 1])
    return interval


def _in_company(row: Score, drawn: Interval, scored: Mapping[str, Mapping[str, ModelScores]]) -> Interval:
    """Items are drawn anew, the other models are not: where they count, their part of the doubt is added."""
    parts = scored[row.model]
    if row.metric == "baseline_share_of_ceiling":
        return _baseline_share(row, drawn, parts[row.experiment].comparison.margin_at_own_rate)
    if row.metric not in MARGINS:
        return drawn
    several = list(parts.values()) if row.experiment == "overall" else [parts[row.experiment]]
    errors, shortfalls = zip(*(_doubt(part.comparison, row.metric) for part in several), strict=True)
    doubt = ReferenceDoubt(math.hypot(*errors) / len(several), sum(shortfalls) / len(several))
    return doubted(Estimate(row.value or 0.0, drawn), doubt).interval


def _baseline_share(row: Score, drawn: Interval, at_own_rate: MarginAtOwnRate | None) -> Interval:
    if at_own_rate is None:
        return drawn
    return doubted_share(Estimate(row.value or 0.0, drawn), at_own_rate.doubt, at_own_rate.ceiling.value).interval


def _doubt(comparison: BaselineComparison, metric: str) -> ReferenceDoubt:
    if metric == "margin_at_own_rate" and comparison.margin_at_own_rate:
        return comparison.margin_at_own_rate.doubt
    return comparison.doubt


def _with_interval(row: Score, found: Interval) -> Score:
    if math.isnan(found.low):
        return replace(row, low=None, high=None, reason=row.reason or NO_INTERVAL)
    return replace(row, low=found.low, high=found.high)


def _values(scored: Mapping[str, Mapping[str, ModelScores]], bootstrap: Bootstrap) -> Values:
    values: Values = {}
    for experiment in dict.fromkeys(experiment for parts in scored.values() for experiment in parts):
        kind = claim_kind(experiment)
        known = {model: parts[experiment] for model, parts in scored.items() if experiment in parts}
        records = {model: part.record for model, part in known.items()}
        for model, totals in _totals(records, bootstrap, experiment):
            formulas = {**kind.DRAWN, "skill": kind.skill}
            values |= {(model, experiment, name): _of(formula, totals) for name, formula in formulas.items()}
        comparisons = {
            model: part.comparison for model, part in known.items() if not math.isnan(part.comparison.margin.value)
        }
        pairs = {
            model: _paired(comparison.own, comparison.baseline_record) for model, comparison in comparisons.items()
        }
        for model, totals in _totals(pairs, bootstrap, experiment):
            width = totals.shape[-1] // 2
            skills = (_of(kind.skill, totals[..., half]) for half in (slice(width), slice(width, None)))
            values[model, experiment, "baseline_margin"] = next(skills) - next(skills)
        for model, comparison in comparisons.items():
            if comparison.margin_at_own_rate and comparison.margin_at_own_rate.claims is not None:
                drawn = _margin_at_own_rate(comparison.own, comparison.margin_at_own_rate, bootstrap, experiment)
                values |= {(model, experiment, name): column for name, column in drawn.items()}
    for model in scored:
        values |= _overall(model, values)
    return values


def _margin_at_own_rate(
    own: Record, at_rate: MarginAtOwnRate, bootstrap: Bootstrap, experiment: str
) -> dict[str, Array]:
    """Skill against the baseline at the model's yes rate, which is matched anew in each draw of items."""
    assert at_rate.claims is not None
    ranked = RankedClaims.by_logits(at_rate.claims, at_rate.logits, at_rate.items)
    counts, margins, shares = own.on(ranked.items), [], []
    for _, drawn in draws(len(ranked.items), bootstrap.replicates, bootstrap.rng(experiment)):
        totals = drawn @ counts
        baseline = ranked.skills(drawn, _of(RATE, totals))
        margins.append(_of(SKILL, totals) - baseline)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares.append(baseline / _of(CEILING, totals))
    return {"margin_at_own_rate": np.concatenate(margins), "baseline_share_of_ceiling": np.concatenate(shares)}


@dataclass(frozen=True)
class RankedClaims:
    """Claims from the highest logit down, to match the baseline's yes rate anew in each draw of items.

    Attributes:
        items: The items that they are of.
        item: The place of each claim's item among these.
        outcome: Whether the claim came true.
        last: The place of the last claim of each group of equal logits.
    """

    items: tuple[str, ...]
    item: Numbers
    outcome: Flags
    last: Numbers

    @classmethod
    def by_logits(cls, claims: Claims, logits: Floats, items: tuple[str, ...]) -> "RankedClaims":
        order = np.argsort(-logits, kind="stable")
        falls = np.diff(logits[order]) < -ROUNDING
        places = {item: place for place, item in enumerate(items)}
        place = np.array([places[claims.items[n]] for n in claims.item[order]], np.int64)
        return cls(items, place, claims.observed[order] > 0, np.append(np.flatnonzero(falls), len(order) - 1))

    def skills(self, drawn: Array, rates: Array) -> Array:
        """The baseline's J in draws of items, made to say yes at the rate of each.

        Args:
            drawn: How often each item was drawn, shape (draws, items).
            rates: Shape (draws,).
        """
        weight = drawn[:, self.item]
        claims, hits = (np.cumsum(part, axis=1)[:, self.last] for part in (weight, weight * self.outcome))
        wanted = rates * claims[:, -1]
        rows = np.arange(len(drawn))
        group = (claims < wanted[:, None] - ROUNDING).sum(1)
        earlier = np.maximum(group - 1, 0)
        first, earlier_hits = (np.where(group > 0, part[rows, earlier], 0.0) for part in (claims, hits))
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.nan_to_num((wanted - first) / (claims[rows, group] - first))
            right = earlier_hits + share * (hits[rows, group] - earlier_hits)
            true = hits[:, -1]
            found: Array = right / true - (wanted - right) / (claims[:, -1] - true)
        return found


def _of(formula: Formula, totals: Array) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        return formula(totals)


def _overall(model: str, values: Values) -> Values:
    """The headline, replicate by replicate."""
    found: Values = {}
    for metric, part in OVERALL.items():
        columns = [values.get((model, experiment, part)) for experiment in PAPER_HEADLINE.experiments]
        known = [column for column in columns if column is not None]
        if len(known) == len(columns):
            found[model, "overall", metric] = np.mean(known, axis=0)
    return found


def _totals(counted: Mapping[str, Record], bootstrap: Bootstrap, experiment: str) -> Iterator[tuple[str, Array]]:
    """(model, totals of its replicates). Models with the same items are drawn in one product; each set of items starts
    from the same seed, so that no model's interval depends on who else is there.
    """
    alike: dict[tuple[str, ...], list[str]] = {}
    for model, record in counted.items():
        if record.items:
            alike.setdefault(tuple(sorted(record.items)), []).append(model)
    for items, models in alike.items():
        stacked = np.stack([counted[model].on(items) for model in models], axis=1)
        totals = resampled_totals(stacked, bootstrap.replicates, bootstrap.rng(experiment))
        yield from ((model, totals[:, n]) for n, model in enumerate(models))


def _paired(one: Record, two: Record) -> Record:
    """Both counts side by side, on the items that both have."""
    common = common_items([one, two])
    return Record(common, np.concatenate([one.on(common), two.on(common)], axis=1))
