"""How far a model's predictions and its own behaviour go together beyond what other models' predictions and outcomes
make one expect.

rho[a, b] is the tetrachoric correlation of a's predictions and b's behaviour, over the claims for which both are known.
Thresholds, and with them readiness to say yes and base rates, drop out. Off the diagonal rho[a, b] = q_a l_b, how well
a knows what models do times how typical b is, and a second such product where there is more than one kind of model. The
own excess of i is rho[i, i] less what that makes one expect of it.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from selfexec.claims import Flags, Numbers, Signs
from selfexec.metrics.own_excess.compared import ComparedModels, cells, corners
from selfexec.stats import Array, Interval, detectable
from selfexec.stats.factors import Factors, fit_factors
from selfexec.stats.tetrachoric import tetrachoric_over_strata

LEAST_FREE = 0.1  # of an entry, by its leverage
ONE_SIDED_90 = 1.2815515655446004  # the 90% point of the standard normal distribution


@dataclass(frozen=True)
class Doubted:
    """A number, or an array of them, with standard errors and the degrees of freedom of Student's t."""

    value: Array
    error: Array
    freedom: int

    @property
    def low(self) -> Array:
        return self._end(-1)

    @property
    def high(self) -> Array:
        return self._end(1)

    @property
    def t(self) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio: Array = self.value / self.error
        return ratio

    def interval(self, level: float = 0.05) -> Interval:
        half = self._point(level) * float(self.error)
        return Interval(float(self.value) - half, float(self.value) + half)

    def at(self, n: int) -> "Doubted":
        """The n-th of them."""
        return Doubted(self.value[n], self.error[n], self.freedom)

    def detectable(self, level: float = 0.05) -> float:
        """What it would have to be in truth for 80% of runs like this one to find it above 0, at a two-sided level."""
        return detectable(float(self.error), self.freedom, level)

    def _end(self, sign: int) -> Array:
        end: Array = self.value + sign * self._point(0.05) * self.error
        return end

    def _point(self, level: float) -> float:
        from scipy.special import stdtrit

        return float(stdtrit(self.freedom, 1 - level / 2)) if self.freedom > 0 else math.nan


def by_influence(value: Any, influence: Array) -> Doubted:
    """A number, and by how much each item moves it (first axis): the infinitesimal jackknife (Jaeckel 1972), each item
    for itself.
    """
    items = len(influence)
    return Doubted(value, np.sqrt(items / (items - 1) * (influence**2).sum(0)), items - 1)


def by_jackknife(value: float, without: Array) -> Doubted:
    """A number, and what it is without each one."""
    n = len(without)
    error = np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    return Doubted(np.asarray(value), error, n - 1)


@dataclass(frozen=True)
class CrossCorrelations:
    """`rho` of shape (models, models), and by how much each item moves it, (items, models, models). `weights`: the
    number of claims times the variances of prediction and outcome; 0 where there is no correlation.
    """

    rho: Array
    weights: Array
    influence: Array

    @property
    def models(self) -> int:
        return len(self.rho)

    @property
    def off(self) -> Flags:
        return ~np.eye(self.models, dtype=bool)

    @cached_property
    def errors(self) -> Array:
        return by_influence(self.rho, self.influence).error

    @cached_property
    def precision(self) -> Array:
        """Inverse variances as the weights have them, those of the own pairs and of unknown ones 0."""
        known = self.off & (self.weights > 0) & (self.errors > 0)
        if not known.any():
            return np.zeros_like(self.rho)
        scale = np.median(1 / (self.weights[known] * self.errors[known] ** 2))
        return np.where(known, scale * self.weights, 0.0)

    def only(self, mask: Flags) -> "CrossCorrelations":
        """Of these models alone."""
        pairs = np.ix_(mask, mask)
        return CrossCorrelations(self.rho[pairs], self.weights[pairs], self.influence[:, mask][:, :, mask])


def tables_of(compared: ComparedModels) -> CrossCorrelations:
    """The correlations of every prediction with every outcome."""
    counts = compared.counts
    correlations = tetrachoric_over_strata(counts)
    return CrossCorrelations(
        np.nan_to_num(correlations.rho),
        np.where(np.isnan(correlations.rho) | corners(counts), 0.0, _weights(counts)),
        _by_item(compared, np.nan_to_num(correlations.influence)),
    )


def rho_and_weights(predictions: Signs, outcomes: Signs) -> tuple[Array, Array]:
    """Correlations and their weights alone, of signs without strata."""
    counts = np.stack(cells(predictions, outcomes))[:, None]
    rho = tetrachoric_over_strata(counts).rho
    return np.nan_to_num(rho), np.where(np.isnan(rho), 0.0, _weights(counts))


def _weights(counts: Array) -> Array:
    n = counts.sum(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        predictions, outcomes = (counts[0] + counts[1]) / n, (counts[0] + counts[2]) / n
        weights = n * predictions * (1 - predictions) * outcomes * (1 - outcomes)
    summed: Array = np.nan_to_num(weights).sum(0)
    return summed


def _by_item(compared: ComparedModels, influence: Array) -> Array:
    """What the claims of each item add to every correlation, from what one in each cell adds; shape (items, models,
    models).
    """
    both, first, second, neither = influence
    # the same as a sum of: 1, the sign of the prediction, that of the outcome, their product
    parts = np.stack(
        [
            both + first + second + neither,
            both + first - second - neither,
            both - first + second - neither,
            both - first - second + neither,
        ]
    )
    parts /= 4
    items, item = np.unique(compared.item, return_inverse=True)
    added = np.zeros((len(items), len(compared.models), len(compared.models)))
    for stratum in range(compared.strata):
        rows = claims_by_item(item, np.flatnonzero(compared.stratum == stratum), len(items))
        predictions, outcomes = (_padded(signs, rows) for signs in (compared.predictions, compared.outcomes))
        known = np.abs(predictions), np.abs(outcomes)
        products = ((known[0], known[1]), (predictions, known[1]), (known[0], outcomes), (predictions, outcomes))
        for part, (one, two) in zip(parts[:, stratum], products, strict=True):
            added += part * (one.swapaxes(1, 2) @ two)
    return added


def claims_by_item(item: Numbers, claims: Numbers, items: int) -> Numbers:
    """The numbers of these claims, a row for each item, -1 behind the last."""
    order = claims[np.argsort(item[claims], kind="stable")]
    sizes = np.bincount(item[claims], minlength=items)
    places = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    rows = np.full((items, int(sizes.max(initial=0))), -1)
    rows[item[order], places] = order
    return rows


def _padded(signs: Signs, rows: Numbers) -> Array:
    """Signs of shape (items, claims of an item, models), 0 where there is no claim."""
    padded: Array = np.where(rows[..., None] >= 0, signs.T[rows], 0).astype(np.float64)
    return padded


@dataclass(frozen=True)
class Residuals:
    """What factors leave of each prediction with each outcome, the own ones not being fitted: `value`, and by how much
    each item moves it.
    """

    tables: CrossCorrelations
    fit: Factors
    value: Array
    influence: Array

    @property
    def own(self) -> Array:
        """Own excess of each model; no correlation is beyond 1."""
        return np.clip(np.diagonal(self.value), -1, 1)

    @property
    def own_influence(self) -> Array:
        """By how much each item (first axis) moves it."""
        return np.diagonal(self.influence, axis1=1, axis2=2)

    @cached_property
    def errors(self) -> Array:
        return by_influence(self.value, self.influence).error

    @cached_property
    def misfit(self) -> float:
        """Mean square of what is left off the diagonal, over its expectation if nothing but noise were left."""
        known = self.fit.weights > 0
        if not known.any():
            return math.nan
        expected = (self.errors[known] ** 2 * self.fit.weights[known]).sum()
        return float((self.value[known] ** 2 * self.fit.weights[known]).sum() / expected)

    @property
    def unseen(self) -> Array:
        """What is left of each entry where it is not fitted itself, by its leverage; the own ones are not anyway."""
        unseen: Array = self.value / np.maximum(1 - self.fit.leverage, LEAST_FREE)
        return unseen

    @cached_property
    def without_each(self) -> Array:
        """Own excess of each model (second axis) in the fit without one of them (first axis); nan for that one."""
        n = self.tables.models
        gone = np.eye(n, dtype=bool)
        weights = self.fit.weights * ~(gone[:, :, None] | gone[:, None, :])
        rho = np.repeat(self.tables.rho[None], n, axis=0)
        fitted = _fitted(rho, weights, self.fit).fitted
        own = np.clip(np.diagonal(rho - fitted, axis1=1, axis2=2), -1, 1)
        return np.where(gone, np.nan, own)


def residuals(tables: CrossCorrelations, factors: int, left_out: Flags | None = None) -> Residuals:
    """What so many factors leave; `left_out`: pairs that are not fitted, either."""
    weights = tables.precision if left_out is None else tables.precision * ~left_out
    fit = fit_factors(tables.rho, weights, factors)
    return Residuals(tables, fit, tables.rho - fit.fitted, tables.influence - fit.moved(tables.influence))


def _fitted(rho: Array, weights: Array, near: Factors) -> Factors:
    """Fits to many tables, from where one that is much the same ends; a factor that is not in that one is not looked
    for.
    """
    columns = near.columns[:, np.any(near.columns != 0, axis=0)]
    if not columns.shape[1]:
        columns = near.columns[:, :1]
    return fit_factors(rho, weights, columns.shape[1], np.repeat(columns[None], len(rho), axis=0))


def derangement_p(left: Array) -> float:
    """One-sided p of a permutation test: each model's predictions assigned to another one's behaviour, how often is
    what is then left of them, in all, as much as what is left of the own ones? All derangements count alike; mean and
    variance of the sum are exact, its distribution is taken for normal (Hoeffding 1951).
    """
    from scipy.special import ndtr

    n = len(left)
    own, off = float(np.trace(left)), left - np.diag(np.diagonal(left))
    total, rows, columns, squares = off.sum(), off.sum(1), off.sum(0), (off**2).sum()
    # ordered pairs of entries in different rows and columns: both ways between two models; one after the other; apart
    swaps = (off * off.T).sum()
    chains = (rows * columns).sum() - swaps
    apart = total**2 - (rows**2).sum() - (columns**2).sum() + squares - swaps - 2 * chains
    all_, one_less, two_less = (_derangements(n - less) for less in (0, 1, 2))
    chain = one_less / (n - 2)
    each_apart = (all_ / (n - 1) - chain) / (n - 3)
    mean = total / (n - 1)
    square = squares / (n - 1) + (swaps * two_less + 2 * chains * chain + apart * each_apart) / all_
    deviation = math.sqrt(max(square - mean**2, 0.0))
    return float(ndtr((mean - own) / deviation)) if deviation > 0 else float(own <= mean)


def _derangements(n: int) -> float:
    """How many there are of n things."""
    before, now = 1.0, 0.0
    for things in range(2, n + 1):
        before, now = now, (things - 1) * (before + now)
    return now if n else 1.0


def loss_bounds(compared: ComparedModels) -> Array:
    """By how much the correlation of each model's predictions with its own behaviour would be lower at most if nothing
    had been lost: prediction and behaviour are taken to disagree in all that was lost, either way as often as in what
    was read (the worst case: Manski 1990).
    """
    counts = np.diagonal(compared.counts, axis1=2, axis2=3)
    likely = (counts + 0.5) * np.array([0, 1, 1, 0])[:, None, None]  # half a claim more, where none disagreed
    lost = np.stack([compared.lost[:, compared.stratum == n].sum(1) for n in range(compared.strata)])
    worst = counts + likely * (lost / np.maximum(likely.sum(0), 1e-9))
    rho, lowest = (tetrachoric_over_strata(table).rho for table in (counts, worst))
    return np.maximum(np.nan_to_num(rho - lowest), 0.0)
