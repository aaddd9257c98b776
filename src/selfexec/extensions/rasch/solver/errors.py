"""How well a Rasch fit fits, and how doubtful it is: mean squares of its residuals, variances of its estimates."""

import math
from typing import Any

import numpy as np
from scipy import linalg

from selfexec.extensions.rasch.solver.cells import Block, RateBlocks, sum_in_order
from selfexec.extensions.rasch.solver.point import LikelihoodPoint, Sides
from selfexec.extensions.rasch.solver.steps import WEAK, information_matrix, is_outright, laplacian
from selfexec.stats.intervals import Array


def mean_squares(table: RateBlocks, point: LikelihoodPoint) -> tuple[Sides, Sides, float]:
    """Infit, outfit, and the sum of all squared standardized residuals."""
    ones, easy = np.ones(table.shape[1]), 1 / point.b
    scratch = np.empty(max(density.size for density in point.densities))

    def part(block: Block, density: Array) -> tuple[Array, ...]:
        mine = point.a[block.rows]
        # with e = y (a+b) - a, the error y - p is e / (a+b), and z^2 is n e^2 / (a b)
        squares = block.sums(point.a, point.b, out=scratch[: density.size].reshape(density.shape))
        squares *= block.rates
        squares -= block.by_row(point.a)
        squares *= squares
        if block.weights is not None:
            squares *= block.weights
        outfit = block.times(squares, easy) / mine, block.back(squares, 1 / mine) * easy
        squares *= density
        return *outfit, block.times(squares, ones), block.back(squares, np.ones_like(mine))

    rows, columns, heavy_rows, heavy_columns = zip(*map(part, table.blocks, point.densities), strict=True)
    outfit = Sides(np.concatenate(rows), sum_in_order(columns))
    infit = Sides(np.concatenate(heavy_rows), sum_in_order(heavy_columns))
    return (
        Sides(*(sums / information for sums, information in zip(infit, point.information, strict=True))),
        Sides(*(sums / count for sums, count in zip(outfit, table.counts, strict=True))),
        float(outfit.abilities.sum()),
    )


def variances(table: RateBlocks, point: LikelihoodPoint, links: float) -> Sides:
    """The diagonal of the inverse information where item difficulties add up to zero; nan where it costs too much."""
    if is_outright(table, links):
        return _variances_outright(information_matrix(table, point), point.information)
    if links <= WEAK:
        return _variances_by_series(table, point)
    return Sides(np.full(table.shape[0], math.nan), np.full(table.shape[1], math.nan))


def _variances_outright(matrix: Any, sums: Sides) -> Sides:
    """Through the inverse of the smaller side's Laplacian with one node held at zero; zero is moved afterwards."""
    (rows, columns), (models, items) = sums, matrix.shape
    smaller = laplacian(matrix, rows) if items <= models else laplacian(matrix.T, columns)
    inverse = np.zeros_like(smaller)
    inverse[1:, 1:] = linalg.inv(smaller[1:, 1:])
    if items <= models:
        weights = _as_dense(matrix * (1 / rows)[:, None]) - 1 / items
        abilities = 1 / rows + np.sum(weights @ inverse * weights, 1)
        return Sides(abilities, np.diag(inverse) - 2 * inverse.mean(1) + inverse.mean())
    weights = _as_dense(matrix.T * (1 / columns)[:, None])
    middle = weights.mean(0)
    own = np.sum(1 / columns) / items**2
    abilities = own + np.diag(inverse) - 2 * inverse @ middle + middle @ inverse @ middle
    weights -= middle
    difficulties = own + (1 - 2 / items) / columns + np.sum(weights @ inverse * weights, 1)
    return Sides(abilities, difficulties)


def _variances_by_series(table: RateBlocks, point: LikelihoodPoint) -> Sides:
    """The same for a large, well tied table: R^-1 and C^-1 and the first terms of a series about them.

    Scaled by its diagonal the information is I - M. The two trivial eigenvectors of M are taken out; of what is left,
    the diagonal of (I - M^2)^-1 is 1 / (1 - diag M^2) but for products of off-diagonal elements, which are smaller
    than `links` squared.
    """
    (rows, columns), items = point.information, table.shape[1]
    squares = (density * density for density in point.densities)
    row_squares, column_squares = table.both_ways(squares, point.b**2 / columns, point.a**2 / rows)
    met, met_back = point.there_and_back(table, 1 / columns)
    total = rows.sum()
    middle = (np.sum(1 / columns) + np.sum(met**2 / rows)) / items**2  # the variance of the mean item difficulty
    abilities = 1 / rows / (1 - point.a**2 * row_squares / rows + rows / total) - 2 * met / (items * rows) + middle
    own = 1 / columns / (1 - point.b**2 * column_squares / columns + columns / total)
    with_middle = (1 + met_back) / (items * columns)
    return Sides(abilities, own - 2 * with_middle + middle + 1 / total)


def _as_dense(matrix: Any) -> Array:
    array: Array = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
    return array
