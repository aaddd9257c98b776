"""Kinds of claims: yes or no, orders, and shares against a control. An experiment names its kind."""

from collections.abc import Mapping

from selfexec.claims import Claims
from selfexec.experiments import EXPERIMENTS, KindName
from selfexec.metrics.kinds import binary, orders, shares
from selfexec.metrics.kinds.cells import CELLS, Cells
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
from selfexec.metrics.kinds.formulas import METRICS, criterion, d_prime
from selfexec.metrics.kinds.kind import Kind

KINDS: Mapping[KindName, Kind] = {"binary": binary, "order": orders, "share": shares}


def kind_of(what: Claims | str) -> Kind:
    """The kind of these claims, or of an experiment's by its name."""
    return KINDS[EXPERIMENTS[what if isinstance(what, str) else what.experiment].kind]
