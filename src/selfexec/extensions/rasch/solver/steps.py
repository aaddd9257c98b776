"""Newton's steps of a Rasch fit: the linear systems behind them.

With W the matrix of n p (1-p), R and C its row and column sums, r and c the gaps, Newton's step is

    R dability - W ditem = r,   C ditem - W' dability = -c

in which either side can be eliminated (the Schur complement), leaving a Laplacian: its rows add up to zero.
"""

import math
from typing import Any

import numpy as np
from scipy import linalg

from selfexec.extensions.rasch.solver.cells import RateBlocks
from selfexec.extensions.rasch.solver.point import LikelihoodPoint, Sides
from selfexec.stats.intervals import Array

SMALL = 10**7  # up to here (models x items x the fewer of the two) a linear system is solved outright
LARGE = 2 * 10**10  # and up to here where links between parts of the table are weak
WEAK = 0.2  # see `weak_links`
POWER_STEPS = 3
GRADIENT_STEPS = 1000
GRADIENT_FLOOR = 1e-14  # of an item difficulty: below is rounding


def is_small(table: RateBlocks) -> bool:
    return _size(table) <= SMALL


def is_outright(table: RateBlocks, links: float) -> bool:
    """Whether a linear system is solved outright rather than step by step."""
    return links > WEAK and _size(table) <= LARGE


def _size(table: RateBlocks) -> int:
    return table.shape[0] * table.shape[1] * min(table.shape)


def weak_links(table: RateBlocks, point: LikelihoodPoint) -> float:
    """How much of a difference between parts of the table is left after one alternation: 0 none, 1 all (no link).

    The second largest eigenvalue of C^-1 W' R^-1 W, by the power method; 1 where a small table needs no measuring.
    """
    if is_small(table):
        return 1.0
    columns = point.information.item_difficulties
    vector = np.random.default_rng(0).normal(size=len(columns))  # any start will do
    for _ in range(POWER_STEPS):
        vector = (vector - columns @ vector / columns.sum()) / math.sqrt(columns @ vector**2)
        before = math.sqrt(columns @ vector**2)
        vector = point.there_and_back(table, vector)[1] / columns
    return math.sqrt(columns @ vector**2) / before


def newton_change(table: RateBlocks, point: LikelihoodPoint, links: float, tolerance: float) -> Sides:
    if is_outright(table, links):
        return _solved_outright(information_matrix(table, point), point.information, point.gaps)
    # where links are weak, little that is left unsolved can be much
    return _solved_step_by_step(table, point, tolerance if links <= WEAK else 1e-10)


def information_matrix(table: RateBlocks, point: LikelihoodPoint) -> Any:
    """n p (1-p) of each cell as a matrix."""
    return table.matrix(point.densities) * point.a[:, None] * point.b


def _solved_outright(matrix: Any, sums: Sides, gaps: Sides) -> Sides:
    """Newton's step through the Schur complement of the larger side."""
    if matrix.shape[1] > matrix.shape[0]:
        # who is eliminated is a matter of the roles: turned over, items win where models lose
        items, models = _solved_outright(matrix.T, Sides(*sums[::-1]), Sides(-gaps[1], -gaps[0]))
        return Sides(models, items)
    change = np.zeros(matrix.shape[1])
    try:
        factor = linalg.cho_factor(laplacian(matrix, sums[0])[1:, 1:])
        change[1:] = linalg.cho_solve(factor, (matrix.T @ (gaps[0] / sums[0]) - gaps[1])[1:])
    except (linalg.LinAlgError, ValueError):
        change[:] = math.nan
    return Sides((gaps[0] + matrix @ change) / sums[0], change)


def laplacian(matrix: Any, sums: Array) -> Array:
    """C - W' R^-1 W. Its diagonal is the sum of the rest of the row: the difference would lose digits."""
    product = matrix.T @ (matrix * (1 / sums)[:, None])
    product = -product if isinstance(product, np.ndarray) else -product.toarray()
    np.fill_diagonal(product, 0.0)
    np.fill_diagonal(product, -product.sum(1))
    return product


def _solved_step_by_step(table: RateBlocks, point: LikelihoodPoint, tolerance: float) -> Sides:
    """Newton's step by conjugate gradients on the items' Schur complement, scaled by its diagonal; nan if not found."""
    (rows, columns), (row_gaps, column_gaps) = point.information, point.gaps
    change, met = np.zeros_like(columns), np.zeros_like(rows)
    left = point.carried - column_gaps
    left -= columns * left.sum() / columns.sum()  # what does not add up to zero is rounding
    direction, size = left / columns, left @ (left / columns)
    wanted = max(tolerance**2 * size, GRADIENT_FLOOR**2 * columns.sum())
    for _ in range(GRADIENT_STEPS):
        across, back = point.there_and_back(table, direction)
        image = columns * direction - back
        along = size / (direction @ image)
        change += along * direction
        met += along * across
        left -= along * image
        size, before = left @ (left / columns), size
        if size <= wanted:
            return Sides((row_gaps + met) / rows, change)
        direction = left / columns + size / before * direction
    return Sides(np.full_like(rows, math.nan), np.full_like(columns, math.nan))
