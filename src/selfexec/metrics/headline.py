"""The headline: means over named experiments, withheld where they would mislead; and the bounds of scores, row by row
and of the headline.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from selfexec.experiments import PAPER, Headline
from selfexec.metrics.rows import AskedCounts, Estimate, Score
from selfexec.metrics.score import Scored
from selfexec.stats import Interval, normal, sum_interval
from selfexec.text.numbers import decimal

GREATEST_WIDTH = 0.4  # a headline with a wider interval is withheld
LEAST_OVERALL = {"self_execution_score": 0.0, "skill": -1.0, "baseline_margin": -2.0}  # what is possible


def overall_scores(
    model: str, convention: str, found: Mapping[str, Scored], headline: Headline = PAPER
) -> Iterator[Score]:
    """The rows of a headline; none where the model was asked nothing that it is made of."""
    scored = {experiment: found[experiment] for experiment in headline.experiments if experiment in found}
    parts = list(scored.values())
    if not parts:
        return
    items, claims, unreadable, missing = (
        sum(getattr(p.asked, name) for p in parts) for name in ("items", "claims", "unreadable", "missing")
    )
    panel, source = min(p.asked.panel for p in parts), joined_sources(p.asked.source for p in parts)
    asked = AskedCounts(
        model, "overall", convention, items, claims, unreadable, missing, panel, source, parts[0].asked.condition
    )
    for metric, estimates in (
        ("self_execution_score", {name: part.accuracy for name, part in scored.items()}),
        ("skill", {name: part.skill for name, part in scored.items()}),
        ("baseline_margin", {name: part.held.margin for name, part in scored.items()}),
    ):
        estimate = combine(estimates, LEAST_OVERALL[metric], headline)
        reason = estimate.reason or _withheld(scored, estimate)
        yield asked.row(metric, Estimate(math.nan, reason=reason) if reason else estimate)


def joined_sources(sources: Iterable[str | None]) -> str | None:
    """Who says what was done, of several experiments: rule+self"""
    return "+".join(sorted({source for source in sources if source})) or None


NOT_RUN = " was not run"


def not_run(row: Score) -> bool:
    """Whether a headline is withheld since an experiment that it is made of was not asked at all."""
    return row.reason is not None and row.reason.endswith(NOT_RUN)


def combine(estimates: Mapping[str, Estimate], least: float, headline: Headline = PAPER) -> Estimate:
    """Mean over the experiments; its error is the root of the sum of squares, over their number. Of a part near an end
    the arms of its interval are summed in place of its error.
    """
    if absent := [experiment for experiment in headline.experiments if experiment not in estimates]:
        return Estimate(math.nan, reason=absent[0] + NOT_RUN)
    for experiment in headline.experiments:
        if math.isnan(estimates[experiment].value):
            return Estimate(math.nan, reason=f"{experiment}: {estimates[experiment].reason}")
    value = sum(e.value for e in estimates.values()) / len(estimates)
    error = math.sqrt(sum(e.error**2 for e in estimates.values())) / len(estimates)
    arms = [e.interval if e.near_end else normal(e.value, e.error) for e in estimates.values()]
    total = sum_interval([e.value for e in estimates.values()], arms)
    return Estimate(value, Interval(*(end / len(estimates) for end in total)).within(least, 1), error)


def _withheld(scored: Mapping[str, Scored], estimate: Estimate) -> str | None:
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


def overall_bounds(found: Mapping[str, Bounds], headline: Headline = PAPER) -> dict[str, Interval]:
    """Means of the bounds: what was lost in one experiment says nothing of another. Of all, or not at all."""
    return {
        name: Interval(*(float(np.mean(ends)) for ends in zip(*parts, strict=True)))
        for name, metric in OVERALL.items()
        if len(parts := [found[e][metric] for e in headline.experiments if metric in found.get(e, {})]) == len(headline)
    }


def bounded(rows: Iterable[Score], found: Bounds) -> Iterator[Score]:
    """The rows with their bounds. A withheld headline has some too: they hold whatever was lost."""
    for row in rows:
        if row.metric in found and (row.value is not None or row.experiment == "overall"):
            worst, best = found[row.metric]
            row = replace(row, worst=worst, best=best)
        yield row
