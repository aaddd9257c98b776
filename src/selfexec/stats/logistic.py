"""Logistic regression with a ridge, several at once over the same rows."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from selfexec.stats.intervals import Array

MOST_DENSE = 100_000  # numbers; of more, BLAS spreads products over threads, which wait for each other for too long
DECREASE = 1e-4  # of what the slope promises
HALVINGS = 30
FLAT = 3 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class Features:
    """Columns behind one of ones, sparse but where they are few and dense, ready for many regressions on them: `rows`,
    their transpose, and the squares of that.
    """

    rows: Any
    columns: Any
    squares: Any

    @classmethod
    def of(cls, features: Any) -> "Features":
        rows = _with_ones(features)
        columns = rows.T.copy() if isinstance(rows, np.ndarray) else rows.T.tocsr()
        return cls(rows, columns, columns * columns)


def ridge_logistic(
    features: Any, shares: Array, weights: Array, penalty: float = 1.0, tolerance: float = 1e-8
) -> Array:
    """Coefficients that make shares (0 to 1) most likely, less half the penalty times their sum of squares: shape
    (1 + columns, fits). The first is the intercept, which has no penalty.

    `features` has shape (rows, columns) and may be sparse, or ready already; `shares` and `weights` have shape (rows,
    fits). Newton's method with conjugate gradients (Nocedal and Wright 2006, algorithm 7.1), until coefficients, times
    how much of the curvature is theirs, change by less than the tolerance on average. (scipy.optimize has it too, takes
    a tenth of a second to import, and twice the time for problems as small as these.)
    """
    problem = _problem(features, shares, weights, penalty)
    place = np.zeros(problem.scale.shape)
    here, last = problem.at(place), math.inf
    while True:
        step = _newton_step(problem, here)
        promised = float((here.slope * step).sum())
        # as far as would bring as much as the last step did (the same, equation 3.60), and no farther than all of it
        length = min(1.0, 2.02 * last / -promised) if promised < 0 else 1.0
        for _ in range(HALVINGS):
            there = problem.at(place + length * step)
            if there.loss <= here.loss + DECREASE * length * promised:
                break
            length /= 2
        else:
            return place * problem.scale  # all that is left to win is less than rounding
        place, here, last = place + length * step, there, here.loss - there.loss
        if np.abs(length * step).sum() <= tolerance * step.size:
            return place * problem.scale


@dataclass(frozen=True)
class _Point:
    """The loss at a place, its slope there, and what of its curvature is each row's."""

    loss: float
    slope: Array
    bend: Array


@dataclass(frozen=True)
class _Problem:
    """The loss as a function of a place: of coefficients divided by `scale`, so that all have a like curvature. `rows`
    begin with a 1 for the intercept, whose `ridge` is 0; `yes` is how much of each row's weight came true.
    """

    rows: Any
    columns: Any
    weight: Array
    yes: Array
    ridge: Array
    scale: Array

    def at(self, place: Array) -> _Point:
        coefficients = place * self.scale
        logits = self.rows @ coefficients
        small = np.exp(-np.abs(logits))
        probability = np.where(logits >= 0, 1.0, small) / (1 + small)
        lost = (self.weight * (np.log1p(small) + np.maximum(logits, 0)) - self.yes * logits).sum()
        said = self.weight * probability
        slope = self.scale * (self.columns @ (said - self.yes) + self.ridge * coefficients)
        return _Point(float(lost + (self.ridge * coefficients**2).sum() / 2), slope, said * (1 - probability))

    def bent(self, bend: Array, direction: Array) -> Array:
        """How the slope changes along a direction."""
        along = direction * self.scale
        found: Array = self.scale * (self.columns @ (bend * (self.rows @ along)) + self.ridge * along)
        return found


def _problem(features: Any, shares: Array, weights: Array, penalty: float) -> _Problem:
    sizes = np.maximum(weights.sum(0), 1.0)  # each fit counts per unit of weight, so that none waits for a larger one
    weight = weights / sizes
    ready = features if isinstance(features, Features) else Features.of(features)
    ridge = np.tile(penalty / sizes, (ready.rows.shape[1], 1))
    ridge[0] = 0
    curvature = ready.squares @ weight / 4 + ridge
    scale = 1 / np.sqrt(np.where(curvature > 0, curvature, 1.0))
    return _Problem(ready.rows, ready.columns, weight, weights * shares / sizes, ridge, scale)


def _with_ones(features: Any) -> Any:
    """Features, sparse but where they are few and dense, behind a column of ones."""
    if isinstance(features, np.ndarray) and features.size <= MOST_DENSE:
        return np.column_stack([np.ones(len(features)), features])
    from scipy import sparse

    return sparse.hstack([np.ones((features.shape[0], 1)), sparse.csr_array(features)], format="csr")


def _newton_step(problem: _Problem, here: _Point) -> Array:
    """To where the slope would be 0 if the curvature were everywhere what it is here: roughly, where that is far."""
    size = np.abs(here.slope).sum()
    near = min(0.5, math.sqrt(size)) * size
    step, left = np.zeros_like(here.slope), here.slope
    direction, squared = -left, (left**2).sum()
    while np.abs(left).sum() > near:
        bent = problem.bent(here.bend, direction)
        curvature = (direction * bent).sum()
        if curvature <= FLAT:
            break
        length = squared / curvature
        step, left = step + length * direction, left + length * bent
        before, squared = squared, (left**2).sum()
        direction = squared / before * direction - left
    return step
