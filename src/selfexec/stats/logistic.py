"""Logistic regression with a ridge, several at once over the same rows."""

from typing import Any

import numpy as np

from selfexec.stats.intervals import Array


def ridge_logistic(
    features: Any, shares: Array, weights: Array, penalty: float = 1.0, tolerance: float = 1e-8
) -> Array:
    """Coefficients that make shares (0 to 1) most likely, less half the penalty times their sum of squares: shape
    (1 + columns, fits). The first is the intercept, which has no penalty.

    `features` has shape (rows, columns) and may be sparse; `shares` and `weights` have shape (rows, fits). Newton's
    method with conjugate gradients (Nocedal and Wright 2006, algorithm 7.1), until coefficients, times how much of the
    curvature is theirs, change by less than the tolerance on average. No L-BFGS: SciPy's spreads products of a few
    numbers over threads, and they wait for each other for longer than all else takes.
    """
    from scipy.optimize import minimize  # takes a tenth of a second to import
    from scipy.sparse import csr_array

    rows = csr_array(features)
    columns = rows.T.tocsr()
    shape = (1 + rows.shape[1], shares.shape[1])
    sizes = np.maximum(weights.sum(0), 1.0)  # each fit counts per unit of weight, so that none waits for a larger one
    weight, yes, ridge = weights / sizes, weights * shares / sizes, penalty / sizes
    curvature = np.concatenate([weight.sum(0)[None], columns.power(2) @ weight]) / 4
    curvature[1:] += ridge
    scale = 1 / np.sqrt(np.where(curvature > 0, curvature, 1.0))

    def chances(flat: Array) -> tuple[Array, Array, Array, Array]:
        found = flat.reshape(shape) * scale
        logits = rows @ found[1:] + found[0]
        small = np.exp(-np.abs(logits))
        return found, logits, small, np.where(logits >= 0, 1.0, small) / (1 + small)

    def together(by_row: Array, found: Array) -> Array:
        total = np.concatenate([by_row.sum(0)[None], columns @ by_row + ridge * found[1:]])
        flat: Array = (total * scale).ravel()
        return flat

    bends: list[tuple[Array, Array]] = []  # where it was worked out last, and how much each row bends there

    def loss(flat: Array) -> tuple[float, Array]:
        found, logits, small, chance = chances(flat)
        bends[:] = [(flat.copy(), weight * chance * (1 - chance))]
        lost = (weight * (np.log1p(small) + np.maximum(logits, 0)) - yes * logits).sum()
        return float(lost + (ridge / 2 * (found[1:] ** 2).sum(0)).sum()), together(weight * chance - yes, found)

    def bent(flat: Array, direction: Array) -> Array:
        if not np.array_equal(bends[0][0], flat):
            loss(flat)
        step = direction.reshape(shape) * scale
        return together(bends[0][1] * (rows @ step[1:] + step[0]), step)

    start, options = np.zeros(np.prod(shape)), {"xtol": tolerance}
    found: Array = minimize(loss, start, jac=True, hessp=bent, method="Newton-CG", options=options).x
    return found.reshape(shape) * scale
