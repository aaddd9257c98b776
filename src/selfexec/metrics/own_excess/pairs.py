"""How much models share with single others, where it shows both in what they predict and in how they behave."""

import math
from collections.abc import Sequence

import numpy as np

from selfexec.claims import Numbers
from selfexec.metrics.own_excess.excess import LEAST_FREE, ONE_SIDED_90, Residuals
from selfexec.stats import Array

Left = tuple[Array, Array]


def shared_by_pairs(crossed: Residuals, predictions: Residuals, outcomes: Residuals) -> float:
    """How much of its predictions and behaviour a model shares with single others, at most.

    What two models share shows four times: in each one's predictions and the other's behaviour, in the predictions of
    both, and in the behaviour of both. So the residuals of one's predictions with the other's behaviour, both ways, are
    averaged once with that of the two's predictions and once with that of their behaviour, and the product of the two
    averages estimates the square of what is shared. What only predictions have in common, or only behaviour, cancels.

    Args:
        crossed: What factors leave of predictions with outcomes.
        predictions: The same of predictions with predictions.
        outcomes: The same of outcomes with outcomes.

    Returns:
        The root of the sum of these squares over the other models, an average over models, less what noise adds, at the
        upper end of a one-sided 90% interval; nan where no pair is known in all three tables.
    """
    tables = (crossed, predictions, outcomes)
    known = np.triu(np.all([(table.fit.weights > 0) & (table.fit.weights.T > 0) for table in tables], axis=0))
    if not known.any():
        return math.nan
    rows, columns = np.nonzero(known)
    both, of_predictions, of_outcomes = (_left_of_pairs(table, rows, columns) for table in tables)
    one, other = _average(both, both, of_predictions), _average(both, both, of_outcomes)
    expected, error = _noise(one[1], other[1])
    square = float(one[0] @ other[0]) - expected
    return math.sqrt(max(2 * (square + ONE_SIDED_90 * error) / crossed.tables.models, 0.0))


def _left_of_pairs(table: Residuals, one: Numbers, other: Numbers) -> Left:
    """What is left of each pair of models, the mean of both ways, and by how much each item (first axis) moves it; over
    the root of what the fit leaves free, since factors follow what pairs share.
    """
    follows = table.fit.leverage + table.fit.leverage_across
    followed = (follows[one, other] + follows[other, one]) / 2
    scale = 2 * np.sqrt(np.maximum(1 - followed, LEAST_FREE))
    value = (table.value[one, other] + table.value[other, one]) / scale
    influence = (table.influence[:, one, other] + table.influence[:, other, one]) / scale
    return value, influence


def _noise(one: Array, other: Array) -> tuple[float, float]:
    """What noise adds to a sum of products on average, and its standard error, by how much each item (first axis) moves
    each of the two factors of each product: the variance of a bilinear form of normal variables.
    """
    if len(one) < one.shape[1]:
        by_items = one @ other.T
        expected, variance = np.trace(by_items), (by_items**2).sum() + (by_items * by_items.T).sum()
    else:
        across = one.T @ other
        expected = np.trace(across)
        variance = ((one.T @ one) * (other.T @ other)).sum() + (across * across.T).sum()
    return float(expected), math.sqrt(max(float(variance), 0.0))


def _average(*parts: Left) -> Left:
    values, influences = zip(*parts, strict=True)
    return _mean(values), _mean(influences)


def _mean(parts: Sequence[Array]) -> Array:
    mean: Array = np.mean(parts, axis=0)
    return mean
