"""What models are compared by: skill, accuracy, margin, coverage, rate bias or share of the ceiling, in each
experiment, item by item; own excess, block by block of items.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import compress
from typing import Any

import numpy as np

from selfexec.analysis.compare.candidates import Candidate, claims_together, reference_models
from selfexec.analysis.findings import NO_ROOM
from selfexec.analysis.names import refuse_unknown_metric
from selfexec.analysis.options import WITH_SKILL
from selfexec.analysis.selection import Selection, refuse_unknown
from selfexec.claims import Claims
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS
from selfexec.facets import asks_for_probabilities, condition_named
from selfexec.metrics import (
    IN_PROBABILITIES,
    LEAST_CEILING,
    LEAST_COVERAGE,
    LEAST_RARER_ITEMS,
    NO_CONTRAST,
    RATES,
    BaselineComparison,
    Estimate,
    Formula,
    ModelScores,
    Record,
    VoteTables,
    ceiling_estimate,
    claim_kind,
    combine,
    common_items,
    compare_with_baseline,
    contrast,
    few_models,
    known_and_asked,
    models_read,
    nothing_read,
    score_by_item,
    share_interval,
    too_wide,
    value,
)
from selfexec.stats import NO_SPREAD, NONE, Interval, normal, student, wilson
from selfexec.text.numbers import decimal, number_of

OVERALL, OWN, BIAS, SHARE, BRIER = "overall", "own_excess", "rate_bias", "share_of_ceiling", "brier"
AREAS = ("auroc", "auroc_within", "auroc_margin")
OF_PROBABILITIES = (*AREAS, BRIER)
MOVED = "moved"  # of pairs in which behaviour was planted, by another way than all others
NO_RATE = "orders have no yes rate"
NO_AREA = "orders have no AUROC"
NOT_ELICITED = "its predictions are no probabilities, and {} is of those (--elicit probability)"
NO_OVERALL: Mapping[str, str] = {  # why there is none of all experiments together
    OWN: "it does not compare across experiments",
    BIAS: NO_RATE,
    SHARE: NO_RATE,
    **dict.fromkeys(AREAS, NO_AREA),
    BRIER: "how far off outcomes are to be expected differs by experiment",
}
OTHER_ITEMS = "their panels were asked different items, and own excess is compared on the same ones"
# metric -> the least and the most that it can be
METRICS: Mapping[str, tuple[float, float]] = {
    "skill": (-1.0, 1.0),
    "accuracy": (0.0, 1.0),
    "baseline_margin": (-2.0, 2.0),
    "coverage": (0.0, 1.0),
    OWN: (-2.0, 2.0),
    BIAS: (-1.0, 1.0),
    SHARE: (-math.inf, 1.0),
    "auroc": (0.0, 1.0),
    "auroc_within": (0.0, 1.0),
    "auroc_margin": (-1.0, 1.0),
    BRIER: (0.0, 1.0),
}
NOT_COMPARED: Mapping[str, str] = {
    "margin_at_own_rate": "it is taken at each model's own yes rate, and models with different rates are compared "
    f"by shares of the ceiling alone: {SHARE}",
}


OF_ANY_FORM = ("accuracy", "coverage", OWN)  # of choices and of probabilities alike


def gives_probabilities_in(condition: str | None) -> bool:
    """Whether predictions are probabilities in the condition that a run was narrowed to."""
    return condition is not None and asks_for_probabilities(condition_named(condition))


@dataclass(frozen=True)
class ComparedRecord:
    """One model in one experiment. `counted` is what the metric is a formula of; `own` are the model's own counts.
    `known` is its margin or AUROC, where that is the metric, and `models` how many models that rests on, itself
    included. Of own excess `known` is that, and `counted` has all items of its panel, `compared_items` by number, not
    those of the model.
    `reason` says why there is nothing to go by, `caution` why it is to be read with caution.
    """

    label: str
    own: Record
    counted: Record
    coverage: float
    reason: str | None = None
    known: Estimate | None = None
    models: int | None = None
    compared_items: frozenset[int] | None = None
    caution: str | None = None

    @property
    def by_item(self) -> Record:
        return self.counted if self.compared_items is None else self.own


def records_of(
    metric: str,
    experiment: str,
    chosen: Sequence[Candidate],
    everybody: Sequence[Candidate],
    convention: str,
    without: Collection[str] = (),
) -> list[ComparedRecord]:
    """The record of each chosen model; `everybody` are those who may be each other's reference models, `without`
    are not.
    """
    claims = claims_together(everybody, chosen, experiment)
    strict = convention == "strict"
    tables = VoteTables(claims)
    return [
        _record_elicited(metric, e.label, tables, reference_models(e, everybody, without), strict)
        if gives_probabilities_in(e.run.condition) and _is_of_probabilities(metric, experiment)
        else _record(metric, e.label, tables, reference_models(e, everybody, without), strict)
        for e in chosen
    ]


def _is_of_probabilities(metric: str, experiment: str) -> bool:
    """Whether a metric is another number where predictions are probabilities, or only there."""
    kind = claim_kind(experiment)
    if metric in OF_PROBABILITIES:
        return kind.FREE_THRESHOLD or metric == BRIER
    return kind.FREE_THRESHOLD and kind.SHARED_CLAIMS and metric not in OF_ANY_FORM


def record_of(metric: str, label: str, part: ModelScores | None) -> ComparedRecord:
    """The record of a model that was scored already."""
    if part is None:
        nothing = Record((), np.zeros((0, 2)))
        return ComparedRecord(label, nothing, nothing, math.nan, f"{label} was not asked")
    own, share = part.record, part.asked.coverage
    if metric == "skill" and part.comparison.why_no_baseline == IN_PROBABILITIES:
        return ComparedRecord(label, own, own, share, f"{label}: {IN_PROBABILITIES}")
    if math.isnan(part.accuracy.value):
        return ComparedRecord(label, own, own, share, f"{label}: {part.accuracy.reason}")
    if metric != "baseline_margin":
        return ComparedRecord(label, own, own, share)
    return _compared_record(label, part.comparison, share, part.asked.models)


def measured_in(metric: str, experiments: Sequence[str]) -> list[str]:
    """The experiments that have this metric; all, where none of them does, to say why."""
    return [experiment for experiment in experiments if no_rate(metric, experiment) is None] or list(experiments)


def no_rate(metric: str, experiment: str) -> str | None:
    """Why there is no yes rate in an experiment, where the metric is about one; None where there is."""
    if metric in AREAS:
        return None if claim_kind(experiment).FREE_THRESHOLD else NO_AREA
    if metric not in RATES or metric in claim_kind(experiment).DRAWN:
        return None
    return NO_RATE if claim_kind(experiment).NAME == "order" else "its predictions are not of yes and no"


def _rate_record(metric: str, experiment: str, record: ComparedRecord) -> ComparedRecord:
    """That there is no yes rate here, or that so little is possible at it that yes and no tell too little."""
    if reason := no_rate(metric, experiment):
        return replace(record, reason=reason)
    ceiling = ceiling_estimate(record.own.counts).value
    if metric == BIAS or not ceiling < LEAST_CEILING:
        return record
    possible = f"at the yes rate of {record.label} the highest possible skill is {decimal(ceiling, 2)}"
    return replace(record, caution=f"{possible}: {NO_ROOM}")


def _record(metric: str, label: str, tables: VoteTables, others: Sequence[Candidate], strict: bool) -> ComparedRecord:
    claims = tables.everyone.of(label)
    own = claim_kind(claims).count(claims, strict)
    covered = _covered(claims)
    share = float(covered.counts[:, 0].sum() / covered.counts[:, 1].sum()) if len(covered.items) else math.nan
    if not len(claims):
        return ComparedRecord(label, own, own, share, f"{label} was not asked")
    if metric == "coverage":
        return ComparedRecord(label, own, covered, share)
    if reason := nothing_read(claims):
        return ComparedRecord(label, own, own, share, f"{label}: {reason}")
    if metric in OF_PROBABILITIES:
        why = f"{label}: {NOT_ELICITED.format('the Brier score' if metric == BRIER else 'AUROC')}"
        return ComparedRecord(label, own, own, share, no_rate(metric, claims.experiment) or why)
    if metric in RATES:
        return _rate_record(metric, claims.experiment, ComparedRecord(label, own, own, share))
    if metric != "baseline_margin":
        return ComparedRecord(label, own, own, share)
    labels = [other.label for other in others]
    theirs = tables.others(claims, labels)
    comparison = compare_with_baseline(claims, theirs, strict)
    return _compared_record(label, comparison, share, models_read(tables, label, labels))


def _record_elicited(
    metric: str, label: str, tables: VoteTables, others: Sequence[Candidate], strict: bool
) -> ComparedRecord:
    """Of a model that gave probabilities: a score of these, as what each item adds to the mean. Nothing that rests on
    a threshold is compared with it.
    """
    nobody = replace(_record("accuracy", label, tables, (), strict), known=None)
    if nobody.reason:
        return nobody
    if metric not in OF_PROBABILITIES:
        return replace(nobody, reason=f"{label}: {IN_PROBABILITIES}")
    mine, labels = tables.everyone.of(label), [other.label for other in others]
    score, items = score_by_item(metric, mine, tables.others(mine, labels))
    if math.isnan(score.value):
        return replace(nobody, reason=f"{label}: {score.reason}")
    models = models_read(tables, label, labels) if metric == "auroc_margin" else None
    return replace(nobody, counted=items, known=score, models=models)


def _compared_record(label: str, comparison: BaselineComparison, share: float, models: int) -> ComparedRecord:
    if math.isnan(comparison.margin.value):
        return ComparedRecord(label, comparison.own, comparison.own, share, f"{label}: {comparison.margin.reason}")
    return ComparedRecord(
        label,
        comparison.own,
        _beside(comparison.own, comparison.baseline_record),
        share,
        known=comparison.margin,
        models=models,
    )


def _covered(claims: Claims) -> Record:
    counts = known_and_asked(claims)
    asked = counts[:, 1] > 0
    return Record(tuple(compress(claims.items, asked)), counts[asked])


def _beside(own: Record, other: Record) -> Record:
    """Somebody's counts behind one's own, item by item."""
    there = other.on(own.items)
    return Record(own.items, np.concatenate([own.counts, there], axis=1))


@cache
def formula_of(metric: str, experiment: str) -> Formula:
    if metric == "coverage":
        return lambda totals: totals[..., 0] / totals[..., 1]
    if metric in (OWN, *OF_PROBABILITIES):
        return lambda totals: totals[..., 0] / totals[..., 1]
    kind = claim_kind(experiment)
    if metric == "accuracy":
        return kind.accuracy
    if metric in RATES:
        return kind.DRAWN[metric]
    skill = kind.skill

    def beyond(totals: Any) -> Any:
        half = totals.shape[-1] // 2
        return skill(totals[..., :half]) - skill(totals[..., half:])

    return beyond if metric == "baseline_margin" else skill


# --- estimates -------------------------------------------------------------------------------------------------------


def alone(metric: str, experiment: str, record: ComparedRecord) -> Estimate:
    """The metric of one model on all of its items, with the interval that it has in `score`."""
    if record.reason:
        return Estimate(math.nan, reason=record.reason)
    if metric in RATES:
        return RATES[metric].estimate(record.counted.counts)
    found = weighed(metric, experiment, [record], [1.0])
    if math.isnan(found.value):
        return found
    if metric == "coverage":
        interval = share_interval(found.value, found.error, record.counted.counts)
        return Estimate(found.value, interval, found.error, found.reason)
    if metric == "accuracy":
        return claim_kind(experiment).accuracy_estimate(record.counted)
    if metric == "skill":
        return claim_kind(experiment).skill_estimate(record.counted)
    return record.known or found


def weighed(metric: str, experiment: str, records: Sequence[ComparedRecord], weights: Sequence[float]) -> Estimate:
    """Sum of weight times metric, on the items that all records share; 1 and -1 make a paired difference.

    Where all items agree, the delta method knows no doubt. Then at most a share w of other items could be otherwise,
    with w the upper end of Wilson's interval for none of n, and these could be as different as can be.
    """
    if reason := next((record.reason for record in records if record.reason), None):
        return Estimate(math.nan, reason=reason)
    if len({record.compared_items for record in records}) > 1:
        return Estimate(math.nan, reason=OTHER_ITEMS)
    counted = [record.counted for record in records]
    found = _unclipped(metric, experiment, counted, weights)
    if found.reason == NO_CONTRAST:
        return replace(found, reason=_without_contrast(metric, experiment, records))
    if math.isnan(found.value) or found.interval_only:
        return found
    least, most = METRICS[metric]
    low = sum(weight * (least if weight > 0 else most) for weight in weights if weight)
    high = sum(weight * (most if weight > 0 else least) for weight in weights if weight)
    items = len(common_items(counted))
    if found.error > NO_SPREAD:
        return Estimate(found.value, student(found.value, found.error, items).within(low, high), found.error)
    # accuracy is as good as decided by items of one outcome as by those of the other
    telling = items if metric == "accuracy" else rarer_items(metric, experiment, records)
    if math.isinf(low):
        return Estimate(found.value, NONE, found.error)
    otherwise = wilson(0.0, max(telling, 1)).high
    half = otherwise * max(high - found.value, found.value - low)
    error = half / (student(0.0, 1.0, items).high)
    return Estimate(found.value, Interval(found.value - half, found.value + half).within(low, high), error)


def _unclipped(metric: str, experiment: str, counted: Sequence[Record], weights: Sequence[float]) -> Estimate:
    """The sum, with what its kind of difference knows of its ends where it is one."""
    if list(weights) == [1.0, -1.0]:
        if metric == "skill":
            return claim_kind(experiment).skill_difference(*counted)
        if metric in RATES:
            return RATES[metric].difference(*counted)
    return contrast(formula_of(metric, experiment), counted, weights)


def _without_contrast(metric: str, experiment: str, records: Sequence[ComparedRecord]) -> str:
    """Whose skill is not defined on the common items, and why."""
    common = common_items([record.counted for record in records])
    formula = formula_of(metric, experiment)
    counted = {record.label: Record(common, record.counted.on(common)) for record in records}
    alike = [label for label, counts in counted.items() if math.isnan(value(formula, counts))]
    if metric in RATES:
        return f"predictions or outcomes of {' and '.join(alike)} are all the same"
    return claim_kind(experiment).NO_SKILL.format(" and ".join(alike))


def overall(metric: str, parts: Mapping[str, Estimate], *, differences: bool) -> Estimate:
    """Mean over the experiments, as in `score`; of differences, its error is the root of the sum of squares."""
    least, most = METRICS[metric]
    found = combine(parts, least)
    if not differences:
        return found
    least, most = least - most, most - least
    return Estimate(found.value, normal(found.value, found.error).within(least, most), found.error, found.reason)


def headline(metric: str, records: Mapping[str, ComparedRecord], found: Estimate) -> Estimate:
    """An overall value, withheld where `score` withholds it."""
    if metric == "coverage" or math.isnan(found.value):
        return found
    for experiment, record in records.items():
        if reason := uncovered(experiment, [record]) or too_few(metric, experiment, [record]):
            return Estimate(math.nan, reason=reason)
    wide = too_wide(found)
    return Estimate(math.nan, reason=wide) if wide else found


# --- enough to go by? ------------------------------------------------------------------------------------------------


def common_of(records: Sequence[ComparedRecord]) -> int:
    """How many items these records share. Fewer than two are refused: what is not paired is not compared here."""
    return len(common_items([record.by_item for record in records]))


def refuse_unpaired(experiment: str, records: Sequence[ComparedRecord]) -> None:
    if (n := common_of(records)) < 2:
        names = " and ".join(record.label for record in records)
        common = number_of(n, "scorable item") if n else "no scorable items"
        raise InputError(
            f"{experiment}: {names} have {common} in common, and a comparison needs two. "
            "Ask them the same items, or leave this out with --experiment or --model."
        )


def rarer_items(metric: str, experiment: str, records: Sequence[ComparedRecord]) -> int:
    """How many common items have the rarer outcome, for the model where they are fewest; for orders, common groups."""
    common = common_items([record.by_item for record in records])
    if metric == "coverage":
        return len(common)
    items_for_skill = claim_kind(experiment).items_for_skill
    return min([len(common), *(record.own.computed(items_for_skill, common) for record in records)])


def too_few(metric: str, experiment: str, records: Sequence[ComparedRecord]) -> str | None:
    """Why a comparison rests on too little to decide anything by it, None where it does not."""
    if (n := rarer_items(metric, experiment, records)) >= LEAST_RARER_ITEMS:
        return None
    rarer = "" if metric == "coverage" else claim_kind(experiment).ITEMS_FOR_SKILL_NAME
    return f"{experiment}: only {number_of(n, 'common item')}{rarer}, fewer than {LEAST_RARER_ITEMS}"


def of_few(experiment: str, records: Sequence[ComparedRecord]) -> str | None:
    """Why margins do not speak for a model, None where they may."""
    for record in records:
        if record.models is not None and (why := few_models(record.models)):
            return f"{experiment}: margins: {why}"
    return None


def uncovered(experiment: str, records: Sequence[ComparedRecord]) -> str | None:
    """Why what was lost may have made the difference, None where little was."""
    for record in records:
        if record.coverage < LEAST_COVERAGE:
            coverage, least = decimal(record.coverage), decimal(LEAST_COVERAGE, 1)
            return f"{experiment}: coverage of {record.label} is {coverage}, below {least}"
    return None


def no_overall(metric: str) -> str:
    """That there is no overall value, and why."""
    return f"there is no overall {metric}: {NO_OVERALL[metric]}. Name an experiment with --experiment, or in the gate."


def check_names(selection: Selection, metrics: Sequence[str]) -> None:
    for name in metrics:
        if name in NO_OVERALL and OVERALL in selection.experiments:
            raise InputError(no_overall(name))
        if name == MOVED:
            raise InputError(
                "moved is no number of one model, and stands alone: selfexec compare A B --metric moved, with "
                "--planted. Leave it out here."
            )
        if name in NOT_COMPARED:
            raise InputError(f"{name} is not compared between models: {NOT_COMPARED[name]}.")
    refuse_unknown("experiment", selection.experiments, [*EXPERIMENTS, OVERALL])
    refuse_unknown("convention", [selection.convention], WITH_SKILL)
    for name in metrics:
        refuse_unknown_metric(name, METRICS)
