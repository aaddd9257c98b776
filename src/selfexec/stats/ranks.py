"""Ranks. (scipy.stats has them too, and takes half a second to import.)"""

import numpy as np

from selfexec.stats.intervals import Array


def ranks(values: Array) -> Array:
    """Ranks from 1; what is equal shares the mean of its ranks."""
    _, place, ties = np.unique(values, return_inverse=True, return_counts=True)
    found: Array = (np.cumsum(ties) - (ties - 1) / 2)[place]
    return found
