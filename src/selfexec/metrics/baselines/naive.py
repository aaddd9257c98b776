"""A baseline that takes no model at all, which accuracy is held against."""

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from selfexec.claims import Claims
from selfexec.experiments import EXPERIMENTS
from selfexec.metrics.kinds import claim_kind, difference, scorable
from selfexec.metrics.rows import Estimate, Score


def over_naive(claims: Claims, strict: bool) -> Estimate:
    """A model's accuracy less that of the experiment's naive baseline, paired on the items: Student's t."""
    experiment, kind = EXPERIMENTS[claims.experiment], claim_kind(claims)
    scored = claims.where(scorable(claims, strict))
    by_facts = experiment.baselines.get(experiment.naive.metric) if experiment.naive else None
    probability = by_facts(scored) if by_facts else np.zeros(len(scored))  # else it always says no
    return difference(kind.accuracy, kind.count(claims, strict), kind.predictor_record(scored, probability))


def rows_over_naive(accuracies: Iterable[Score], claims: Claims) -> list[Score]:
    """The rows of accuracy with that difference in its place. `claims` are those of all models."""
    found = []
    for row in accuracies:
        gap = over_naive(claims.of(row.model), row.convention == "strict")
        low, high = (None if math.isnan(end) else end for end in gap.interval)
        value = None if math.isnan(gap.value) else gap.value
        found.append(replace(row, value=value, low=low, high=high, reason=row.reason or gap.reason))
    return found
