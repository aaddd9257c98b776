"""The interval of a ratio of two means that are both estimated."""

import math

from selfexec.stats.intervals import NONE, Array, Interval, student


def fieller(numerator: float, denominator: float, covariance: Array, clusters: int) -> Interval:
    """Every ratio r for which numerator - r denominator is not surely another than 0 (Fieller 1954), by Student's t on
    clusters - 1 degrees of freedom. It holds also where the denominator is not far from 0.

    `covariance` is that of the two means, of shape (2, 2). There is no interval where that of the denominator reaches
    0, since any ratio is possible then.
    """
    above, across, below = float(covariance[0, 0]), float(covariance[0, 1]), float(covariance[1, 1])
    point = student(0.0, 1.0, clusters).high
    square = denominator**2 - point**2 * below
    if math.isnan(point) or not square > 0:
        return NONE
    middle = numerator * denominator - point**2 * across
    half = math.sqrt(max(middle**2 - square * (numerator**2 - point**2 * above), 0.0))
    return Interval((middle - half) / square, (middle + half) / square)
