"""A square table as a sum of products: entry [a, b] is q_a l_b, and r_a m_b, and so on, by weighted least squares.

What rows and columns have in common in this way is inter-battery factor analysis (Tucker 1958). Entries without weight
are left out and inferred from the others: with the diagonal left out, fitted[i, i] is what the others say of it.
"""

from typing import Any, NamedTuple

import numpy as np

from selfexec.stats.intervals import Array

SHRINK = 0.03  # of a typical weight
TURNS = 250  # twice
LONGEST = 16.0  # of a step that is taken at once
SETTLED = 3e-5
HELD = 1e-9  # of a typical weight: keeps what no entry tells of at zero


class Factors(NamedTuple):
    """`fitted` has the shape of the table; `columns` (..., columns, factors) is where another fit may begin."""

    fitted: Array
    columns: Array


def fit_factors(table: Array, weights: Array, further: int = 0, start: Array | None = None) -> Factors:
    """One factor and `further` ones fitted to tables of shape (..., n, n), by alternating least squares; entries of
    weight 0 are left out, whatever they are.

    The first factor is free. A further one pays SHRINK times the median weight for each square of its loadings, which
    takes SHRINK off its singular value, so that noise makes none: without this price a factor that loads on one row and
    one column alone is determined by no entry off the diagonal, and whatever it puts on the diagonal is made up.
    """
    known = weights > 0
    table = np.where(known, table, 0.0)
    typical = np.median(weights[known]) if known.any() else 1.0
    weights = weights / typical
    weighted = weights * table
    price = np.diag([HELD, *[SHRINK] * further])
    columns = _first_columns(table, weights, further) if start is None else start

    def turn(columns: Any) -> tuple[Any, Any]:
        """Columns and what is fitted with them, from the columns before."""
        rows = _solve(weights, weighted, columns, price)
        columns = _solve(np.swapaxes(weights, -1, -2), np.swapaxes(weighted, -1, -2), rows, price)
        return columns, rows @ np.swapaxes(columns, -1, -2)

    before = None
    for _ in range(TURNS):
        one, _ = turn(columns)
        two, fitted = turn(one)
        if before is not None and np.abs(fitted - before).max(initial=0) < SETTLED:
            break
        before, columns = fitted, _further_on(columns, one, two)
    return Factors(fitted, two)


def _further_on(start: Any, one: Any, two: Any) -> Any:
    """Where two turns from `start` lead to in the end, if each goes as much less far than the one before as the second
    did (SQUAREM: Varadhan and Roland 2008, their third step length).
    """
    step = one - start
    change = (two - one) - step
    far, less = (np.sqrt((part**2).sum((-2, -1), keepdims=True)) for part in (step, change))
    length = np.clip(far / np.maximum(less, 1e-12), 1, LONGEST)
    return start + 2 * length * step + length**2 * change


def _solve(weights: Any, weighted: Any, loadings: Any, price: Array) -> Any:
    """The loadings of the rows, those of the columns given: a regression for each row."""
    factors = loadings.shape[-1]
    if factors == 1:
        return (weighted @ loadings) / (weights @ loadings**2 + HELD)
    products = (loadings[..., :, None] * loadings[..., None, :]).reshape(*loadings.shape[:-1], factors**2)
    squares = (weights @ products).reshape(*weights.shape[:-1], factors, factors) + price
    sides = weighted @ loadings
    if factors == 2:
        a, b, d = squares[..., 0, 0], squares[..., 0, 1], squares[..., 1, 1]
        x, y = sides[..., 0], sides[..., 1]
        return np.stack([d * x - b * y, a * y - b * x], axis=-1) / (a * d - b * b)[..., None]
    return np.linalg.solve(squares, sides[..., None])[..., 0]


def _first_columns(table: Array, weights: Array, further: int) -> Array:
    """Of one factor where the others are those of the residuals' greatest singular values."""
    if not further:
        means = (weights * table).sum(-2) / np.maximum(weights.sum(-2), HELD)
        start: Array = means[..., None] + 1e-3
        return start
    one = fit_factors(table, weights)
    _, sizes, right = np.linalg.svd(np.where(weights > 0, table - one.fitted, 0.0))
    columns = np.swapaxes(right[..., :further, :], -1, -2) * np.sqrt(sizes[..., None, :further])
    return np.concatenate([one.columns, columns], axis=-1)
