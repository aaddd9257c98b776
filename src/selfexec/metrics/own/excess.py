"""How far a model's prediction and its own behaviour go together beyond what other models' predictions and outcomes
make one expect.

rho[a, b] is the tetrachoric correlation of a's prediction and b's behaviour, over the claims for which both are known.
Thresholds, and with them readiness to say yes and base rates, drop out. Off the diagonal rho[a, b] = q_a l_b, how well
a knows what models do times how typical b is, and further such products where there is more than one kind of model. The
own excess of i is rho[i, i] less what that says of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from selfexec.claims import Flags, Numbers
from selfexec.metrics.own.panel import OwnPanel
from selfexec.stats import Array, Interval, detectable, student
from selfexec.stats.factors import fit_factors
from selfexec.stats.tetrachoric import tetrachoric

BLOCKS = 30  # of items, for the jackknife
SEED = 0
DERANGEMENTS = 199


@dataclass(frozen=True)
class PanelCorrelations:
    """`rho`, and its weights, of shape (1 + BLOCKS, models, models): of all items first, then without each block of
    them. The weight of an entry is its number of claims times the variances of the prediction and of the outcome.
    """

    rho: Array
    weights: Array

    @property
    def models(self) -> int:
        return len(self.rho[0])

    @property
    def off(self) -> Flags:
        return ~np.eye(self.models, dtype=bool)

    def only(self, which: Flags) -> "PanelCorrelations":
        """Of these models alone."""
        return PanelCorrelations(self.rho[:, which][:, :, which], self.weights[:, which][:, :, which])


@dataclass(frozen=True)
class Doubted:
    """A number, or an array of them, with the standard error of the jackknife over blocks of items."""

    value: Array
    error: Array

    @property
    def low(self) -> Array:
        return self._end(0)

    @property
    def high(self) -> Array:
        return self._end(1)

    @property
    def t(self) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Array = self.value / self.error
        return found

    def interval(self) -> Interval:
        return Interval(float(self.low), float(self.high))

    def at(self, n: int) -> "Doubted":
        """The n-th of them."""
        return Doubted(self.value[n], self.error[n])

    def detectable(self, level: float = 0.05) -> float:
        """What it would have to be in truth for 80% of runs like this one to find it above 0, at a two-sided level."""
        return detectable(float(self.error), BLOCKS - 1, level)

    def _end(self, end: int) -> Array:
        half = student(0.0, 1.0, BLOCKS).high
        found: Array = self.value + (half if end else -half) * self.error
        return found


def tables_of(panel: OwnPanel) -> PanelCorrelations:
    """The correlations of every prediction with every outcome."""
    counts = _counts(panel)
    total = counts.sum(0)
    return _tables(np.concatenate([total[None], total[None] - counts]))


def whole_table_of(panel: OwnPanel) -> PanelCorrelations:
    """The same of all items alone."""
    return _tables(_counts(panel).sum(0)[None])


def _tables(counts: Array) -> PanelCorrelations:
    both, prediction, outcome, neither = np.moveaxis(counts, 1, 0)
    n = both + prediction + outcome + neither
    rho = tetrachoric(both, prediction, outcome, neither)
    with np.errstate(invalid="ignore", divide="ignore"):
        predictions, outcomes = (both + prediction) / n, (both + outcome) / n
        weights = n * predictions * (1 - predictions) * outcomes * (1 - outcomes)
    return PanelCorrelations(np.nan_to_num(rho), np.where(np.isnan(rho), 0.0, weights))


def _counts(panel: OwnPanel) -> Array:
    """Tables of two by two, shape (BLOCKS, 4, models, models): prediction and outcome yes, the prediction alone, the
    outcome alone, neither."""
    block = blocks(panel.item)
    sides = [np.asarray(part == sign, np.float32) for part in (panel.predictions, panel.outcomes) for sign in (1, -1)]
    said, denied, did, did_not = sides
    pairs = ((said, did), (said, did_not), (denied, did), (denied, did_not))
    found = [[one[:, block == n] @ two[:, block == n].T for one, two in pairs] for n in range(BLOCKS)]
    return np.array(found, dtype=np.float64)


def blocks(item: Numbers) -> Numbers:
    """The block of each claim: items dealt out at random, the same way each time."""
    items, number = np.unique(item, return_inverse=True)
    dealt = np.random.default_rng(SEED).permutation(len(items)) % BLOCKS
    found: Numbers = dealt[number]
    return found


def residuals(tables: PanelCorrelations, further: int, left_out: Flags | None = None) -> Array:
    """What is left of rho where the factors are taken off, shape as `tables.rho`; the diagonal, and what else is left
    out, is not fitted.
    """
    known = tables.off if left_out is None else tables.off & ~left_out
    return _left(tables.rho, tables.weights * known, further, known=tables.weights[0] * known)


def _left(rho: Array, weights: Array, further: int, known: Array) -> Array:
    """What the factors leave of every table of `rho`, each fitted from where the fit to the first one with the weights
    `known` ends.
    """
    start = np.repeat(fit_factors(rho[0], known, further).columns[None], len(rho), axis=0)
    return rho - fit_factors(rho, weights, further, start).fitted


def doubted(replicates: Array) -> Doubted:
    """The first of the replicates, with the jackknife's error from the others."""
    value, without = replicates[0], replicates[1:]
    n = len(without)
    error = np.sqrt((n - 1) / n * ((without - without.mean(0)) ** 2).sum(0))
    return Doubted(value, error)


def diagonal(table: Array) -> Array:
    return np.diagonal(table, axis1=-2, axis2=-1)


def misfit(tables: PanelCorrelations, residual: Array, factors: int) -> float:
    """Mean square of what is left off the diagonal, over its jackknife error, by degree of freedom: about 1 where the
    factors are enough.
    """
    left, error = doubted(residual), doubted(tables.rho)
    known = tables.off & (tables.weights[0] > 0) & (error.error > 0)
    free = known.sum() - factors * (2 * tables.models - factors)
    if free <= 0:
        return float("nan")
    return float(((left.value[known] / error.error[known]) ** 2).sum() / free)


def without_each(tables: PanelCorrelations, further: int) -> Array:
    """Own excess of each model (second axis) in the fit without one of them (first axis); nan for that one itself."""
    n = tables.models
    gone = np.eye(n, dtype=bool)
    weights = tables.weights[0] * tables.off * ~(gone[:, :, None] | gone[:, None, :])
    rho = np.repeat(tables.rho[:1], n, axis=0)
    own = diagonal(_left(rho, weights, further, known=tables.weights[0] * tables.off))
    return np.where(gone, np.nan, own)


def derangement_p(tables: PanelCorrelations, further: int, own: float) -> float:
    """One-sided p of a permutation test: each model's prediction given to another one's behaviour, and these pairs left
    out of the fit as the own ones are; how often is what is then left of them, on average, as much as `own`, that of
    the own ones?
    """
    n = tables.models
    deals = np.array(list(_derangements(n)))
    rows = np.arange(n)
    held = np.zeros((len(deals), n, n), np.bool_)
    held[np.arange(len(deals))[:, None], rows, deals] = True
    rho = np.repeat(tables.rho[:1], len(deals), axis=0)
    left = _left(rho, tables.weights[0] * ~held, further, known=tables.weights[0] * tables.off)
    found = left[held].reshape(len(deals), n).mean(1)
    return float((1 + (found >= own).sum()) / (1 + len(deals)))


def _derangements(n: int) -> Iterator[Numbers]:
    rng, found = np.random.default_rng(SEED), 0
    while found < DERANGEMENTS:
        deal = rng.permutation(n)
        if (deal != np.arange(n)).all():
            found += 1
            yield deal
