"""Overall scores: means over the three experiments, withheld where they would mislead."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from selfexec.experiments import EXPERIMENTS
from selfexec.metrics.rows import Asked, Estimate, Score
from selfexec.metrics.scored import Scored
from selfexec.stats import Interval, normal, sum_interval

GREATEST_WIDTH = 0.4  # a headline with a wider interval is withheld
NOT_RUN = {experiment: f"{experiment} was not run" for experiment in EXPERIMENTS}
LEAST = {"self_execution_score": 0.0, "skill": -1.0, "baseline_margin": -2.0}  # what is possible


def overall_scores(model: str, convention: str, scored: Mapping[str, Scored]) -> Iterator[Score]:
    parts = list(scored.values())
    sums = (sum(getattr(p.asked, name) for p in parts) for name in ("items", "claims", "unreadable", "missing"))
    asked = replace(Asked(model, "overall", convention, *sums), panel=min(p.asked.panel for p in parts))
    for metric, estimates in (
        ("self_execution_score", {name: part.accuracy for name, part in scored.items()}),
        ("skill", {name: part.skill for name, part in scored.items()}),
        ("baseline_margin", {name: part.baseline_margin for name, part in scored.items()}),
    ):
        estimate = combine(estimates, LEAST[metric])
        reason = estimate.reason or _withheld(scored, estimate)
        yield asked.row(metric, Estimate(math.nan, reason=reason) if reason else estimate)


def combine(estimates: Mapping[str, Estimate], least: float) -> Estimate:
    """Mean over the three experiments; its error is the root of the sum of squares, over three. Of a part near an end
    the arms of its interval are summed in place of its error.
    """
    if absent := [experiment for experiment in EXPERIMENTS if experiment not in estimates]:
        return Estimate(math.nan, reason=NOT_RUN[absent[0]])
    for experiment in EXPERIMENTS:
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
        return f"its interval is wider than {GREATEST_WIDTH}: too few items"
    return None
