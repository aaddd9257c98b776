"""A square table as a sum of products: entry [a, b] is q_a l_b, and r_a m_b, and so on, by weighted least squares.

What rows and columns have in common in this way is inter-battery factor analysis (Tucker 1958). Entries without weight
are left out and predicted from the others: with the diagonal left out, fitted[i, i] is what the others say of it.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from selfexec.stats.intervals import Array

TURNS = 400  # twice
LONGEST = 16.0  # of a step that is taken at once
SETTLED = 1e-7
GONE = 1e-3  # of a loading, on average: a factor below it is none
TINY = 1e-12


@dataclass(frozen=True)
class Factors:
    """Loadings of tables of shape (..., n, n): `rows` and `columns` have shape (..., n, factors), 0 in a factor that
    the table does not call for. `weights` are those of the fit.
    """

    table: Array
    weights: Array
    rows: Array
    columns: Array

    @property
    def fitted(self) -> Array:
        """What the factors say of each entry; no correlation is beyond 1."""
        fitted: Array = np.clip(self.rows @ np.swapaxes(self.columns, -1, -2), -1, 1)
        return fitted

    def moved(self, changes: Array) -> Array:
        """By how much `fitted` moves with small changes of the (single) table: shape (changes, n, n), both."""
        if not self._kept.any():
            return np.zeros_like(changes)
        rows, columns = self.rows[:, self._kept], self.columns[:, self._kept]
        weighted = changes * self.weights
        sides = [weighted @ columns, np.swapaxes(weighted, -1, -2) @ rows]  # (changes, n, factors), each
        moves = np.concatenate([side.reshape(len(changes), -1) for side in sides], axis=1) @ self._inverse
        of_rows, of_columns = (part.reshape(len(changes), *rows.shape) for part in np.split(moves, 2, axis=1))
        moved: Array = of_rows @ columns.T + rows @ np.swapaxes(of_columns, -1, -2)
        return moved

    @cached_property
    def leverage(self) -> Array:
        """By how much the fitted value of each entry of the (single) table moves with the entry itself."""
        n, factors = len(self.rows), int(self._kept.sum())
        if not factors:
            return np.zeros_like(self.table)
        rows, columns = self.rows[:, self._kept], self.columns[:, self._kept]
        inverse = self._inverse.reshape(2, n, factors, 2, n, factors)
        every = np.arange(n)
        own_rows, own_columns = inverse[0, every, :, 0, every], inverse[1, every, :, 1, every]
        by_weight = np.einsum("bk,akj,bj->ab", columns, own_rows, columns)
        by_weight += np.einsum("ak,bkj,aj->ab", rows, own_columns, rows)
        by_weight += 2 * np.einsum("bk,akbj,aj->ab", columns, inverse[0, :, :, 1], rows)
        leverage: Array = by_weight * self.weights
        return leverage

    @cached_property
    def leverage_across(self) -> Array:
        """By how much the fitted value of each entry of the (single) table moves with the entry across the diagonal."""
        n, factors = len(self.rows), int(self._kept.sum())
        if not factors:
            return np.zeros_like(self.table)
        rows, columns = self.rows[:, self._kept], self.columns[:, self._kept]
        inverse = self._inverse.reshape(2, n, factors, 2, n, factors)
        every = np.arange(n)
        by_weight = np.einsum("bk,akbj,aj->ab", columns, inverse[0, :, :, 0], columns)
        by_weight += np.einsum("bk,akj,bj->ab", columns, inverse[0, every, :, 1, every], rows)
        by_weight += np.einsum("ak,bkj,aj->ab", rows, inverse[1, every, :, 0, every], columns)
        by_weight += np.einsum("ak,bkaj,bj->ab", rows, inverse[1, :, :, 1], rows)
        across: Array = by_weight * self.weights.T
        return across

    @property
    def _kept(self) -> Array:
        """Which factors there are."""
        kept: Array = np.any(self.rows != 0, axis=0)
        return kept

    @cached_property
    def _inverse(self) -> Array:
        """The inverse of the second derivatives of what the fit minimises, as Gauss and Newton have them, by the
        loadings of rows, then of columns. A factor's size can be shifted from its rows to its columns, which changes
        nothing, so that it is a pseudoinverse.
        """
        rows, columns = self.rows[:, self._kept], self.columns[:, self._kept]
        n, factors = rows.shape
        second = np.zeros((2, n, factors, 2, n, factors))
        every = np.arange(n)
        second[0, every, :, 0, every] = _squares(self.weights, columns) + np.diag(_price(rows))
        second[1, every, :, 1, every] = _squares(self.weights.T, rows) + np.diag(_price(columns))
        second[0, :, :, 1] = np.einsum("ab,bk,aj->akbj", self.weights, columns, rows)
        second[1, :, :, 0] = second[0, :, :, 1].transpose(2, 3, 0, 1)
        size = 2 * n * factors
        return np.linalg.pinv(second.reshape(size, size), rcond=1e-9, hermitian=True).astype(np.float64)


def fit_factors(table: Array, weights: Array, factors: int = 1, start: Array | None = None) -> Factors:
    """So many factors fitted to tables of shape (..., n, n), by alternating least squares; weights are the inverse
    variances of entries, and entries of weight 0 are left out, whatever they are. `start`: columns to begin with.

    The loadings of each factor are taken for draws of a normal distribution whose variance is estimated with them
    (automatic relevance determination: MacKay 1994, Bishop 1999), so that a factor is shrunk the more, the less of it
    there is, and one that the table does not call for is none. Without that a factor that loads on one row and one
    column alone follows from no entry off the diagonal, and whatever it puts on the diagonal is made up.
    """
    known = weights > 0
    table = np.where(known, table, 0.0)
    weighted = weights * table
    columns = _first_columns(table, weights, factors) if start is None else start
    rows = _unpriced(weights, weighted, columns)

    def turn(rows: Any, columns: Any) -> tuple[Any, Any]:
        rows = _solve(weights, weighted, columns, rows)
        columns = _solve(np.swapaxes(weights, -1, -2), np.swapaxes(weighted, -1, -2), rows, columns)
        return rows, columns

    before: Any = None
    for _ in range(TURNS):
        one = turn(rows, columns)
        two = turn(*one)
        fitted = two[0] @ np.swapaxes(two[1], -1, -2)
        if before is not None and np.abs(fitted - before).max(initial=0) < SETTLED:
            break
        before = fitted
        rows, columns = _further_on((rows, columns), one, two)
    rows, columns = two
    gone = (rows**2).mean(-2, keepdims=True) * (columns**2).mean(-2, keepdims=True) < GONE**4
    return Factors(table, weights, np.where(gone, 0.0, rows), np.where(gone, 0.0, columns))


def _further_on(start: Any, one: Any, two: Any) -> Any:
    """Where two turns from `start` lead to in the end, if each goes as much less far than the one before as the second
    did (SQUAREM: Varadhan and Roland 2008, their third step length).
    """
    steps = [b - a for a, b in zip(start, one, strict=True)]
    changes = [(c - b) - step for b, c, step in zip(one, two, steps, strict=True)]
    far, less = (np.sqrt(sum((part**2).sum((-2, -1), keepdims=True) for part in parts)) for parts in (steps, changes))
    length = np.clip(far / np.maximum(less, TINY), 1, LONGEST)
    return tuple(a + 2 * length * s + length**2 * c for a, s, c in zip(start, steps, changes, strict=True))


def _solve(weights: Any, weighted: Any, loadings: Any, before: Any) -> Any:
    """The loadings of the rows, those of the columns given: a regression for each row, at the price that follows from
    the rows' loadings before.
    """
    price, sides = _price(before), weighted @ loadings
    if loadings.shape[-1] == 1:
        return sides / (weights @ loadings**2 + price[..., None, :])
    squares = _squares(weights, loadings)
    a, b, d = squares[..., 0, 0] + price[..., :1], squares[..., 0, 1], squares[..., 1, 1] + price[..., 1:]
    x, y = sides[..., 0], sides[..., 1]
    return np.stack([d * x - b * y, a * y - b * x], axis=-1) / (a * d - b * b)[..., None]


def _squares(weights: Any, loadings: Any) -> Any:
    """Weighted sums of squares and products of the columns' loadings, for each row."""
    factors = loadings.shape[-1]
    products = (loadings[..., :, None] * loadings[..., None, :]).reshape(*loadings.shape[:-1], factors**2)
    return (weights @ products).reshape(*weights.shape[:-1], factors, factors)


def _price(loadings: Any) -> Any:
    """What the square of a loading costs: one over the factor's mean square, over those that are in it."""
    return np.maximum((loadings != 0).sum(-2), 1) / np.maximum((loadings**2).sum(-2), TINY)


def _unpriced(weights: Any, weighted: Any, columns: Any) -> Any:
    """Loadings of rows to begin with, each factor by itself."""
    return (weighted @ columns) / np.maximum(weights @ columns**2, TINY)


def _first_columns(table: Array, weights: Array, factors: int) -> Array:
    """Of each factor in turn, the columns of the greatest singular value of what the ones before leave."""
    if factors == 1:
        return _strongest(np.where(weights > 0, table, 0.0))
    one = fit_factors(table, weights, factors - 1)
    left = np.where(weights > 0, table - one.rows @ np.swapaxes(one.columns, -1, -2), 0.0)
    columns = _strongest(left)
    if not one.columns.any():
        return np.concatenate([columns, np.zeros_like(columns)], axis=-1)
    return np.concatenate([one.columns, columns], axis=-1)


def _strongest(table: Array) -> Array:
    _, sizes, right = np.linalg.svd(table)
    columns: Array = right[..., :1, :].swapaxes(-1, -2) * np.sqrt(sizes[..., None, :1])
    return columns
