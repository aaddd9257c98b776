"""One fit to a panel, and everything about it that a verdict needs."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from selfexec.claims import Flags, Numbers
from selfexec.metrics.own.excess import (
    Doubted,
    PanelCorrelations,
    derangement_p,
    diagonal,
    doubted,
    misfit,
    residuals,
    tables_of,
    whole_table_of,
    without_each,
)
from selfexec.metrics.own.panel import OwnPanel, same_family
from selfexec.metrics.rows import LEAST_PANEL
from selfexec.stats import Array
from selfexec.stats.factors import fit_factors


@dataclass(frozen=True)
class Evidence:
    """What all fits to a panel share, worked out when it is asked for."""

    panel: OwnPanel

    @cached_property
    def tables(self) -> PanelCorrelations:
        return tables_of(self.panel)

    @cached_property
    def family(self) -> Flags:
        """Which pairs of models are known to be of one family."""
        return same_family(self.panel.families or [None] * len(self.panel.models))

    @cached_property
    def closest(self) -> Flags:
        """From whom each model is held apart: from its family; one whose family is not here, from the model whose
        behaviour is most like its own, beyond what they share with everybody's.
        """
        nearest = np.eye(len(self.nearest), dtype=bool)[self.nearest]
        found: Flags = np.where(np.any(self.family, axis=1, keepdims=True), self.family, nearest)
        return found

    @cached_property
    def nearest(self) -> Numbers:
        """Of each model the number of the one whose behaviour is most like its own."""
        found: Numbers = np.where(np.eye(len(self.similarity), dtype=bool), -np.inf, self.similarity).argmax(1)
        return found

    @cached_property
    def similarity(self) -> Array:
        """How alike the behaviour of two models are, beyond one factor of all: residual tetrachoric correlations."""
        outcomes = whole_table_of(replace(self.panel, predictions=self.panel.outcomes))
        found: Array = outcomes.rho[0] - fit_factors(outcomes.rho[0], outcomes.weights[0] * outcomes.off).fitted
        return found

    @cached_property
    def fits(self) -> Mapping[int, "Fit"]:
        """By the number of factors, from one to three; each works out what is asked of it."""
        return {factors: Fit(factors, self) for factors in (1, 2, 3)}


@dataclass(frozen=True)
class Fit:
    """Own excess in a fit of so many factors, of each model and of the `panel`, their mean. What a verdict asks for
    besides is worked out when it is asked for.
    """

    factors: int
    of: Evidence

    @cached_property
    def each(self) -> Doubted:
        return doubted(self.replicates)

    @cached_property
    def panel(self) -> Doubted:
        return _mean(self.replicates)

    @cached_property
    def residual(self) -> Doubted:
        """What is left of each prediction with each outcome, shape (models, models)."""
        return doubted(self._left)

    @property
    def replicates(self) -> Array:
        """Own excess of each model (second axis), of all items first, then without each block of them."""
        return diagonal(self._left)

    @property
    def fitted(self) -> Array:
        """What the factors say of each prediction with each outcome, shape (models, models)."""
        found: Array = self.of.tables.rho[0] - self._left[0]
        return found

    @cached_property
    def misfit(self) -> float:
        """Of what is off the diagonal: about 1, or less, where the factors are enough."""
        return misfit(self.of.tables, self._left, self.factors)

    @cached_property
    def derangement_p(self) -> float:
        """Of the panel's mean, among means where each prediction is given to another model's behaviour."""
        return derangement_p(self.of.tables, self.factors - 1, float(self.panel.value))

    @cached_property
    def outdone(self) -> Array:
        """Of each model, the share of the residuals off the diagonal that lie as far above 0, by their errors."""
        z = self.residual.t
        found: Array = (z[self.of.tables.off][None] >= np.diagonal(z)[:, None]).mean(1)
        return found

    @cached_property
    def without(self) -> Array:
        """Own excess of each model (second axis) where another one (first) is left out; nan for itself."""
        return without_each(self.of.tables, self.factors - 1)

    @cached_property
    def least_without_one(self) -> float:
        """The lowest end of the intervals of the panel's mean without one of the models; or the least such mean where
        that one is left out of the fit, too.
        """
        return min(float(np.nanmean(self.without, axis=1).min()), _least_low(self.replicates))

    @cached_property
    def each_beyond_family(self) -> Doubted:
        """Own excess of each model less the most that is left of it and one of its family: of its prediction with the
        other model's behaviour and of the other model's prediction with its behaviour, their mean, in a fit without
        such pairs.
        """
        own, shared = self._apart
        nearest = np.where(self.of.closest, shared[0], -np.inf).argmax(1)
        return doubted(own - shared[:, np.arange(len(nearest)), nearest])

    @cached_property
    def beyond_family(self) -> Doubted:
        """The same less the mean over a model's family, over all models."""
        return _mean(self._beyond)

    @cached_property
    def least_beyond_family(self) -> float:
        """The lowest end of its intervals without one of the models."""
        return _least_low(self._beyond)

    @cached_property
    def each_well_read(self) -> Doubted | None:
        """Of the models that lost few claims, among themselves; None where they are too few."""
        return None if self._well_read is None else doubted(self._well_read)

    @cached_property
    def well_read(self) -> Doubted | None:
        return None if self._well_read is None else _mean(self._well_read)

    @cached_property
    def least_well_read(self) -> float:
        """The lowest end of its intervals without one of the models; nan where too few lost few claims."""
        return math.nan if self._well_read is None else _least_low(self._well_read)

    @cached_property
    def _left(self) -> Array:
        return residuals(self.of.tables, self.factors - 1)

    @cached_property
    def _apart(self) -> tuple[Array, Array]:
        """Own excess, and what is left of pairs of models, in a fit without pairs of one family."""
        closest = self.of.closest
        left = residuals(self.of.tables, self.factors - 1, closest | closest.T)
        return diagonal(left), (left + np.swapaxes(left, -1, -2)) / 2

    @cached_property
    def _beyond(self) -> Array:
        own, shared = self._apart
        closest = self.of.closest
        found: Array = own - (shared * closest).sum(-1) / closest.sum(1)
        return found

    @cached_property
    def _well_read(self) -> Array | None:
        if self.of.panel.well_read.sum() < LEAST_PANEL:
            return None
        return diagonal(residuals(self.of.tables.only(self.of.panel.well_read), self.factors - 1))


def _mean(replicates: Array) -> Doubted:
    return doubted(replicates.mean(1))


def _least_low(replicates: Array) -> float:
    """The lowest end of the intervals of the mean of all models but one."""
    models = replicates.shape[1]
    without = (replicates.sum(1, keepdims=True) - replicates) / (models - 1)
    return float(doubted(without).low.min())
