"""Many tests at once."""

import numpy as np

from selfexec.stats.intervals import Array


def holm(p: Array) -> Array:
    """p values adjusted by Holm's (1979) step-down rule: the chance of even one false alarm stays below the level."""
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted
