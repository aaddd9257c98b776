"""Scoring one model in one experiment, by one procedure whatever the kind of its claims; and the headline: means over
named experiments, withheld where they would mislead.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from selfexec.claims import Answers, Claims
from selfexec.experiments import EXPERIMENTS, PAPER_HEADLINE, Headline, Naive
from selfexec.metrics.baseline_margin import (
    WHERE_SPLIT,
    BaselineComparison,
    compare_with_baseline,
    where_predictions_split,
    without_baseline,
)
from selfexec.metrics.baselines import (
    NO_OTHERS,
    STACKED,
    BaselineProbabilities,
    Others,
    Pairing,
    baseline_probabilities,
    baseline_records,
    by_family,
    pairing,
)
from selfexec.metrics.kinds import Kind, Record, claim_kind, gives_probabilities, scorable
from selfexec.metrics.permutation import shuffled_p
from selfexec.metrics.probability import OF_PROBABILITY_SKILL, probability_scores
from selfexec.metrics.rows import (
    NOTHING_READ,
    OF_BASELINE,
    ONE_ITEM,
    Estimate,
    RowMaker,
    Score,
    coverage,
    nothing_read,
)
from selfexec.stats import Array, Interval, normal, sum_interval
from selfexec.text.numbers import decimal

# metrics that are not defined on a single item, whatever the kind of its claims
OF_SKILL = {
    *("skill", "shuffled_p", "predicted_rate", "rate_bias", *OF_BASELINE, *WHERE_SPLIT),
    *OF_PROBABILITY_SKILL,
}
NO_MARGIN = "it was not worked out"
IN_PROBABILITIES = "predictions are probabilities, which are scored by AUROC and the margin in AUROC instead"
OF_CHOICE_AND_PROBABILITY = ("accuracy", "coverage", "base_rate", "always_yes", "always_no")  # defined for both
Extent = Literal["bare", "brief", "all"]
"""How much of a model's scores is worked out. `bare`: its own record and the single baselines that need no regression.
`brief`: what the first screen shows, which has margins but no single baselines. `all`: both, fitted baselines and the
permutation test.
"""
WHATEVER_WAS_READ = ("coverage", "question_accuracy", "tokens_mean")  # known even where no claim was read


@dataclass(frozen=True)
class ModelScores:
    """The scores of one model in one experiment.

    Attributes:
        rows: One for each metric.
        asked: How much was asked, and how much of that was read.
        accuracy: The estimate of its row, from which a headline is made.
        skill: The estimate of its row, likewise.
        caution: Why the scores are to be read with caution.
        record: The model's own counts.
        comparison: The comparison that its margins come from.
        claims: The claims that were counted.
        strict: Whether what could not be read counts as wrong.
        records: The counts of each single baseline on these claims; none in brief scores.
        probabilities: Baseline -> its probability of a yes to each of the claims.
        others: The reference models.
    """

    rows: list[Score]
    asked: RowMaker
    accuracy: Estimate
    skill: Estimate
    caution: str | None
    record: Record
    comparison: BaselineComparison
    claims: Claims
    strict: bool
    records: Mapping[str, Record]
    probabilities: Mapping[str, Array]
    others: Others

    @cached_property
    def baselines(self) -> Mapping[str, Pairing]:
        """The model next to each single baseline, on the claims that the baseline predicts."""
        mask = scorable(self.claims, self.strict)
        return {
            name: pairing(self.claims, self.probabilities[name], mask, self.record, record, self.strict)
            for name, record in self.records.items()
        }

    @cached_property
    def predicted_by_baselines(self) -> BaselineProbabilities:
        """What each baseline, the stacked one included, predicts about each of the claims, and what others did."""
        stacked = self.comparison.stacked_predictions
        further = {} if stacked is None else {STACKED: stacked}
        return BaselineProbabilities.with_votes({**self.probabilities, **further}, self.claims, self.others)


def score_experiment(
    asked: RowMaker,
    claims: Claims,
    answers: Answers,
    others: Others,
    family: Others,
    strict: bool,
    extent: Extent = "all",
) -> ModelScores:
    """Score one model in one experiment: first its own record, then each single baseline on the same claims, then the
    margin over the stacked baseline. Last come the reasons for which numbers are withheld or cautioned against.

    There are two sets of claims. Skill and accuracy are of all of the model's claims that count, the single baselines
    of those that they predict. The margins, `best_baseline` and, beside a margin at own rate, the shares of the ceiling
    are of those that at least three others share. So `baseline_margin` is `skill` less `best_baseline` only where the
    two sets are the same. That metric is the skill of the baseline that `baseline_margin` is over: the stacked one or
    the constant one; only kinds of claims without a stacked one have the best of the single baselines there.

    Args:
        asked: What every row repeats: who was asked what, and how much was read.
        claims: The model's own.
        answers: Its answers, in an experiment that asks questions.
        others: The reference models.
        family: Those of them that are of its family.
        strict: Whether what could not be read counts as wrong.
        extent: How much is worked out.
    """
    kind, mask = claim_kind(claims), scorable(claims, strict)
    record, experiment = kind.count(claims, strict), EXPERIMENTS[claims.experiment]
    if extent == "brief":
        metrics = dict(kind.brief_estimates(record))
    else:
        metrics = dict(kind.own_estimates(claims, record, answers, experiment.metrics, strict))
    metrics["skill"] = metrics[kind.SKILL_NAME]
    probabilities: dict[str, Array] = {}
    records: dict[str, Record] = {}
    if extent != "brief":
        probabilities = baseline_probabilities(claims, others, learnt=extent == "all")
        metrics["coverage"] = coverage(claims)
        of_family, lacking = by_family(claims, family, mask)
        probabilities |= of_family
        records = baseline_records(claims, probabilities, mask)
        metrics |= {name: Estimate(math.nan, reason=why) for name, why in lacking.items()}
        metrics |= _accuracies(kind, claims, records)
    if extent == "all":
        several = len(record.items) > 1
        metrics["shuffled_p"] = shuffled_p(claims, strict) if several else Estimate(math.nan, reason=ONE_ITEM)
    comparison = without_baseline(kind, record, NO_MARGIN)
    if extent != "bare":
        comparison = compare_with_baseline(claims, others, strict)
        metrics |= _margins(kind, comparison)
    if extent == "all" and kind.SHARED_CLAIMS:  # shown, but part of no verdict
        metrics |= where_predictions_split(claims, others, comparison, strict)
    if gives_probabilities(claims):
        if kind.FREE_THRESHOLD and kind.SHARED_CLAIMS:
            comparison, probabilities, records = without_baseline(kind, record, IN_PROBABILITIES), {}, {}
            metrics = _without_threshold(metrics, experiment.naive)
        metrics |= probability_scores(claims, answers, others, with_margin=extent != "bare" and kind.SHARED_CLAIMS)
    why, metrics = degenerate(kind, claims, answers, len(record.items), metrics)
    comparison = replace(comparison, margin=metrics.get("baseline_margin", comparison.margin))
    caution = asked.caution or why or kind.too_few(claims.where(mask), record)
    compared_with = None if comparison.why_no_baseline else comparison.baseline
    rows = [asked.row(name, e, caution, compared_with if name in OF_BASELINE else None) for name, e in metrics.items()]
    parts = (metrics["accuracy"], metrics["skill"], caution, record, comparison)
    return ModelScores(rows, asked, *parts, claims, strict, records, probabilities, others)


def _margins(kind: Kind, comparison: BaselineComparison) -> dict[str, Estimate]:
    """The skill of the baseline, the margin over it, and what goes with the margin at the model's own rate.

    Without other models there is no baseline to name: always giving one answer has skill 0, and some baselines by facts
    are far better. The ceiling and the model's share of it are known without a baseline, of all of the model's claims;
    beside one they are replaced by those of the claims that both are scored on, as the baseline's share is.
    """
    alone = Estimate(math.nan, reason=comparison.why_no_baseline)
    of_baseline = alone if comparison.why_no_baseline else kind.skill_estimate(comparison.baseline_record)
    margins = {"best_baseline": of_baseline, "baseline_margin": comparison.margin}
    return margins | (dict(comparison.margin_at_own_rate.estimates) if comparison.margin_at_own_rate else {})


def _accuracies(kind: Kind, claims: Claims, records: Mapping[str, Record]) -> dict[str, Estimate]:
    """The accuracy of each single baseline; of those by other models, where there are none, the reason."""
    accuracies = {name: kind.accuracy_estimate(record) for name, record in records.items()}
    for name in kind.OF_OTHERS:
        if name != "subject" or claims.subjects:
            accuracies.setdefault(name, Estimate(math.nan, reason=NO_OTHERS))
    return accuracies


def _without_threshold(found: Mapping[str, Estimate], naive: Naive | None) -> dict[str, Estimate]:
    """The estimates without those that depend on a threshold for yes, which predictions in probabilities do not have.
    Accuracy stays, with a threshold of one half, and so does the naive baseline that it is compared with.
    """
    kept = {*OF_CHOICE_AND_PROBABILITY, *([naive.metric] if naive else [])}
    unknown = Estimate(math.nan, reason=IN_PROBABILITIES)
    return {name: e if name in kept else unknown for name, e in found.items()}


def degenerate(
    kind: Kind, claims: Claims, answers: Answers | None, items: int, estimates: Mapping[str, Estimate]
) -> tuple[str | None, dict[str, Estimate]]:
    """Why some estimates are not defined, and the estimates with that reason in their place. Where no claim was read,
    only coverage is defined; on a single item accuracy, precision and recall are, but neither skill and margins
    nor how often a yes is predicted, `predicted_rate` and `rate_bias`. The reason takes the place of one that an
    estimate had before.
    """
    reason, kept = None, set(estimates)
    if nothing := nothing_read(claims) or (None if items else NOTHING_READ):
        asks = EXPERIMENTS[claims.experiment].answers is not None
        lost = asks and answers is not None and bool(answers.missing.all())
        reason, kept = f"{nothing}: its answers were never recorded" if lost else nothing, set(WHATEVER_WAS_READ)
    elif items == 1:
        reason, kept = ONE_ITEM, kept - OF_SKILL - set(kind.OF_SKILL)
    unknown = Estimate(math.nan, reason=reason)
    return reason, {name: found if name in kept else unknown for name, found in estimates.items()}


def accuracy_on(claims: Claims, strict: bool) -> tuple[Estimate, int]:
    """The accuracy of one model on these claims, as in `selfexec score`, and the number of its items. Without
    baselines this is a hundred times as fast as all scores.
    """
    kind = claim_kind(claims)
    record = kind.count(claims, strict)
    _, found = degenerate(kind, claims, None, len(record.items), {"accuracy": kind.accuracy_estimate(record)})
    return found["accuracy"], len(record.items)


def estimates(claims: Claims) -> Mapping[str, Estimate]:
    """Accuracy, skill and coverage of one model on these claims, as in `selfexec score`: strict, without baselines."""
    kind = claim_kind(claims)
    record = kind.count(claims, True)
    found = {"accuracy": kind.accuracy_estimate(record), "skill": kind.skill_estimate(record)}
    _, found = degenerate(kind, claims, None, len(record.items), {**found, "coverage": coverage(claims)})
    return found


# --- headline --------------------------------------------------------------------------------------------------------


GREATEST_WIDTH = 0.4  # a headline with a wider interval is withheld
LEAST_OVERALL = {"self_execution_score": 0.0, "skill": -1.0, "baseline_margin": -2.0}  # what is possible


def overall_scores(
    model: str, convention: str, found: Mapping[str, ModelScores], headline: Headline = PAPER_HEADLINE
) -> Iterator[Score]:
    """The rows of a headline; none where the model was asked none of its experiments."""
    scored = {experiment: found[experiment] for experiment in headline.experiments if experiment in found}
    parts = list(scored.values())
    if not parts:
        return
    items, claims, unreadable, missing = (
        sum(getattr(p.asked, name) for p in parts) for name in ("items", "claims", "unreadable", "missing")
    )
    models, source = min(p.asked.models for p in parts), joined_sources(p.asked.source for p in parts)
    asked = RowMaker(
        model, "overall", convention, items, claims, unreadable, missing, models, source, parts[0].asked.condition
    )
    for metric, estimates in (
        ("self_execution_score", {name: part.accuracy for name, part in scored.items()}),
        ("skill", {name: part.skill for name, part in scored.items()}),
        ("baseline_margin", {name: part.comparison.margin for name, part in scored.items()}),
    ):
        estimate = combine(estimates, LEAST_OVERALL[metric], headline)
        reason = estimate.reason or _withheld(scored, estimate)
        yield asked.row(metric, Estimate(math.nan, reason=reason) if reason else estimate)


def joined_sources(sources: Iterable[str | None]) -> str | None:
    """The sources of outcomes in several experiments, as one text: rule+self"""
    return "+".join(sorted({source for source in sources if source})) or None


NOT_RUN = " was not run"


def not_run(row: Score) -> bool:
    """Whether a headline is withheld because one of its experiments was not asked at all."""
    return row.reason is not None and row.reason.endswith(NOT_RUN)


def combine(estimates: Mapping[str, Estimate], least: float, headline: Headline = PAPER_HEADLINE) -> Estimate:
    """The mean over the experiments. Its error is the root of the sum of squares, over their number; for an experiment
    near an end of its scale, the two arms of the interval stand in for the error.
    """
    if absent := [experiment for experiment in headline.experiments if experiment not in estimates]:
        return Estimate(math.nan, reason=absent[0] + NOT_RUN)
    for experiment in headline.experiments:
        if math.isnan(estimates[experiment].value):
            return Estimate(math.nan, reason=f"{experiment}: {estimates[experiment].reason}")
    value = sum(e.value for e in estimates.values()) / len(estimates)
    error = math.sqrt(sum(e.error**2 for e in estimates.values())) / len(estimates)
    arms = [e.interval if e.interval_only else normal(e.value, e.error) for e in estimates.values()]
    total = sum_interval([e.value for e in estimates.values()], arms)
    return Estimate(value, Interval(*(end / len(estimates) for end in total)).within(least, 1), error)


def _withheld(scored: Mapping[str, ModelScores], estimate: Estimate) -> str | None:
    """Why a headline must not be shown, None where it may."""
    for part in scored.values():
        if part.caution:
            return f"{part.asked.experiment}: {part.caution}"
    return too_wide(estimate)


def too_wide(estimate: Estimate) -> str | None:
    """Why an overall value says too little to be shown, None where it does not."""
    if not estimate.interval.high - estimate.interval.low <= GREATEST_WIDTH:
        return f"its interval is wider than {decimal(GREATEST_WIDTH, 1)}: too few items"
    return None


# --- bounds ----------------------------------------------------------------------------------------------------------


Bounds = Mapping[str, Interval]  # metric -> its least and greatest value
OVERALL = {"self_execution_score": "accuracy", "skill": "skill"}  # overall metric -> the metric that it is the mean of


def overall_bounds(found: Mapping[str, Bounds], headline: Headline = PAPER_HEADLINE) -> dict[str, Interval]:
    """Means of the bounds, where all experiments of the headline have them: losses in one do not bear on another."""
    return {
        name: Interval(*(float(np.mean(ends)) for ends in zip(*parts, strict=True)))
        for name, metric in OVERALL.items()
        if len(parts := [found[e][metric] for e in headline.experiments if metric in found.get(e, {})])
        == len(headline.experiments)
    }


def with_bounds(
    rows: Iterable[Score], scored: Mapping[str, Collection[str]], claims: Mapping[str, Claims]
) -> Iterator[Score]:
    """The rows with bounds: the least and greatest value, whatever the lost claims would have been. A withheld headline
    has bounds too.

    Args:
        rows: Of the models that are scored.
        scored: The experiments of each model.
        claims: Everybody's, by experiment.
    """
    found: dict[tuple[str, str], Bounds] = {}
    for model, experiments in scored.items():
        parts = {experiment: bounds_of(claims[experiment].of(model)) for experiment in experiments}
        found |= {(model, experiment): bounds for experiment, bounds in parts.items()}
        found[model, "overall"] = overall_bounds(parts)
    for row in rows:
        bounds = found[row.model, row.experiment]
        if row.metric in bounds and (row.value is not None or row.experiment == "overall"):
            worst, best = bounds[row.metric]
            row = replace(row, worst=worst, best=best)
        yield row


def bounds_of(claims: Claims) -> Bounds:
    """The least and greatest value of each metric of one model that has such bounds."""
    kind = claim_kind(claims)
    found = dict(kind.bounds(claims))
    return found | {"skill": found[kind.SKILL_NAME]} if kind.SKILL_NAME in found else found
