"""One fit of common factors to models, and everything about it that a verdict needs."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from selfexec.claims import Flags
from selfexec.metrics.own_excess.compared import ComparedModels, same_family
from selfexec.metrics.own_excess.excess import (
    CrossCorrelations,
    Doubted,
    Residuals,
    by_influence,
    by_jackknife,
    derangement_p,
    loss_bounds,
    residuals,
    rho_and_weights,
    tables_of,
)
from selfexec.metrics.own_excess.pairs import shared_by_pairs
from selfexec.metrics.rows import LEAST_FOR_VERDICT
from selfexec.stats import Array
from selfexec.stats.factors import fit_factors


@dataclass(frozen=True)
class Evidence:
    """What all fits to the same models share, worked out when it is first wanted."""

    compared: ComparedModels

    @cached_property
    def tables(self) -> CrossCorrelations:
        return tables_of(self.compared)

    @cached_property
    def family(self) -> Flags:
        """Which pairs of models are known to be of one family."""
        return same_family(self.compared.families or [None] * len(self.compared.models))

    @cached_property
    def loss_bounds(self) -> Array:
        """How much of each model's own excess may be due to what was lost."""
        return loss_bounds(self.compared)

    @cached_property
    def alike(self) -> tuple[CrossCorrelations, CrossCorrelations]:
        """The correlations of predictions with predictions, and of outcomes with outcomes."""
        compared = self.compared
        predictions = tables_of(replace(compared, outcomes=compared.predictions))
        return predictions, tables_of(replace(compared, predictions=compared.outcomes))

    @cached_property
    def similarity(self) -> Array:
        """How alike the behaviour of two models is, beyond one factor of all: residual tetrachoric correlations."""
        rho, weights = rho_and_weights(self.compared.outcomes, self.compared.outcomes)
        alike: Array = rho - fit_factors(rho, weights * ~np.eye(len(rho), dtype=bool)).fitted
        return alike

    @cached_property
    def fits(self) -> Mapping[int, "Fit"]:
        """By the number of factors, one and two; each works out what is asked of it."""
        return {factors: Fit(factors, self) for factors in (1, 2)}


@dataclass(frozen=True)
class Fit:
    """Own excess in a fit of so many factors, of each model and of the their `mean`. What a verdict asks for
    besides is worked out when it is asked for.
    """

    factors: int
    evidence: Evidence

    @cached_property
    def left(self) -> Residuals:
        """What the factors leave of each prediction with each outcome."""
        return residuals(self.evidence.tables, self.factors)

    @cached_property
    def each(self) -> Doubted:
        return by_influence(self.left.own, self.left.own_influence)

    @cached_property
    def mean(self) -> Doubted:
        return _mean(self.left)

    @cached_property
    def residual(self) -> Doubted:
        """What is left of each prediction with each outcome, shape (models, models)."""
        return by_influence(self.left.value, self.left.influence)

    @property
    def fitted(self) -> Array:
        """What the factors say of each prediction with each outcome, shape (models, models)."""
        return self.left.fit.fitted

    @property
    def misfit(self) -> float:
        """Of what is off the diagonal, but for pairs of one family: about 1 where the factors are enough."""
        return self.apart.misfit

    @cached_property
    def pairs(self) -> float:
        """How much a model shares with single others that are not of its family, at most."""
        alike = (residuals(tables, self.factors, self.evidence.family) for tables in self.evidence.alike)
        return shared_by_pairs(self.apart, *alike)

    @cached_property
    def derangement_p(self) -> float:
        """The p of the mean among means where each model's predictions are assigned to another model's behaviour."""
        return derangement_p(self.left.unseen)

    @cached_property
    def outdone(self) -> Array:
        """Of each model, the share of the residuals off the diagonal that lie as far above 0, by their errors."""
        z = self.residual.t
        known = self.left.fit.weights > 0
        share: Array = (z[known][None] >= np.diagonal(z)[:, None]).mean(1)
        return share

    @cached_property
    def over_models(self) -> Doubted:
        """The mean with the jackknife's error over models, each left out of the fit as well."""
        return by_jackknife(float(self.mean.value), np.nanmean(self.left.without_each, axis=1))

    @cached_property
    def apart(self) -> Residuals:
        """What the factors leave where pairs of one family are not fitted."""
        return (
            residuals(self.evidence.tables, self.factors, self.evidence.family)
            if self.evidence.family.any()
            else self.left
        )

    @cached_property
    def each_beyond_family(self) -> Doubted:
        """Own excess of each model in that fit, less the mean of what is left of it and those of its family: of its
        predictions with their behaviour and of theirs with its own. Of a model with nobody of its family here it is
        own excess in that fit.
        """
        return by_influence(*self._beyond)

    @cached_property
    def beyond_family(self) -> Doubted:
        """The mean of that over all models."""
        value, influence = self._beyond
        return by_influence(value.mean(), influence.mean(1))

    @cached_property
    def beyond_family_over_models(self) -> Doubted:
        """That mean with the error over models: a single one may have nobody of its family here."""
        value, n = self._beyond[0], len(self.evidence.family)
        return by_jackknife(float(value.mean()), (value.sum() - value) / (n - 1))

    @cached_property
    def well_read(self) -> Doubted | None:
        """The mean among the models that lost few claims; None where they are too few."""
        read = self.evidence.compared.well_read
        if read.sum() < LEAST_FOR_VERDICT:
            return None
        return self.mean if read.all() else _mean(residuals(self.evidence.tables.only(read), self.factors))

    @property
    def beyond_losses(self) -> Doubted | None:
        """That mean, less what the losses of these models account for in the worst case."""
        if self.well_read is None:
            return None
        bounds = self.evidence.loss_bounds[self.evidence.compared.well_read]
        return replace(self.well_read, value=self.well_read.value - bounds.mean())

    @cached_property
    def _beyond(self) -> tuple[Array, Array]:
        """What is beyond family, and by how much each item moves it."""
        return self._without_family(self.apart.value), self._without_family(self.apart.influence)

    def _without_family(self, left: Array) -> Array:
        """The diagonal of tables of shape (..., models, models), less the mean over pairs of one family."""
        family = self.evidence.family
        both = (left + np.swapaxes(left, -1, -2)) / 2
        own: Array = np.diagonal(left, axis1=-2, axis2=-1)
        beyond: Array = own - (both * family).sum(-1) / np.maximum(family.sum(1), 1)
        return beyond


def _mean(left: Residuals) -> Doubted:
    return by_influence(left.own.mean(), left.own_influence.mean(1))
