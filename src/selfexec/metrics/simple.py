"""A baseline that takes no model at all, held against what a model says of itself, on the same claims."""

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from selfexec.claims import Claims
from selfexec.metrics.baselines import by_label
from selfexec.metrics.counts import ACCURACY, baseline_counts, count, difference, scorable
from selfexec.metrics.rows import Estimate, Score

# the baseline's name among the metrics
SIMPLE = {"association": "always_no", "restriction": "label"}


def over_simple(claims: Claims, strict: bool) -> Estimate:
    """A model's accuracy less that of always saying no (association) or of the request's label (restriction), paired on
    the items: Student's t.
    """
    scored = claims.where(scorable(claims, strict))
    chance = by_label(scored) if SIMPLE[claims.experiment] == "label" else np.zeros(len(scored))
    return difference(ACCURACY[claims.experiment], count(claims, strict), baseline_counts(scored, chance))


def rows_over_simple(accuracies: Iterable[Score], claims: Claims) -> list[Score]:
    """The rows of accuracy with that difference in its place. `claims` are those of all models."""
    found = []
    for row in accuracies:
        gap = over_simple(claims.of(row.model), row.convention == "strict")
        low, high = (None if math.isnan(end) else end for end in gap.interval)
        value = None if math.isnan(gap.value) else gap.value
        found.append(replace(row, value=value, low=low, high=high, reason=row.reason or gap.reason))
    return found
