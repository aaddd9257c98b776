"""Kinds of claims: yes or no, orders, and shares against a control. An experiment names its kind."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from selfexec.claims import Claims
from selfexec.experiments import EXPERIMENTS, KindName
from selfexec.metrics.kinds import binary, orders, shares
from selfexec.metrics.kinds.counts import (
    NO_CONTRAST,
    Counted,
    Formula,
    common_items,
    contrast,
    difference,
    scorable,
    value,
)
from selfexec.metrics.kinds.formulas import CELLS, METRICS, Cells, criterion, d_prime
from selfexec.metrics.kinds.kind import Kind
from selfexec.metrics.kinds.paired import ceiling_share_difference, rate_bias_difference
from selfexec.metrics.kinds.rates import ceiling_estimate, ceiling_share_estimate, rate_bias_estimate
from selfexec.metrics.rows import Estimate
from selfexec.stats import Array

KINDS: Mapping[KindName, Kind] = {"binary": binary, "order": orders, "share": shares}


class RateMetric(NamedTuple):
    """What is estimated of counts of yes and no, and its paired difference between two records."""

    estimate: Callable[[Array], Estimate]
    difference: Callable[[Counted, Counted], Estimate]


RATES: Mapping[str, RateMetric] = {
    "rate_bias": RateMetric(rate_bias_estimate, rate_bias_difference),
    "share_of_ceiling": RateMetric(ceiling_share_estimate, ceiling_share_difference),
}


def kind_of(what: Claims | str) -> Kind:
    """The kind of these claims, or of an experiment's by its name."""
    return KINDS[EXPERIMENTS[what if isinstance(what, str) else what.experiment].kind]
