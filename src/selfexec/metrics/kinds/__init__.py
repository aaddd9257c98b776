"""Kinds of claims: yes or no, orders, and shares against a control. An experiment names its kind."""

from selfexec.metrics.kinds.counts import (
    NO_CONTRAST,
    Formula,
    Record,
    common_items,
    contrast,
    difference,
    scorable,
    value,
)
from selfexec.metrics.kinds.formulas import CELLS, METRICS, Cells, criterion, d_prime
from selfexec.metrics.kinds.kind import KINDS, RATES, Kind, RateMetric, claim_kind, gives_probabilities
from selfexec.metrics.kinds.rates import ceiling_estimate
