"""Bootstrap over items, for anything that is a formula of totals.

A replicate draws as many items as there are, with replacement. How often each was drawn is all that a total needs: so
all replicates of all models' cells are one matrix product, draws (replicates, items) @ counts (items, cells).
"""

from collections.abc import Iterator

import numpy as np

from selfexec.stats.intervals import NO_SPREAD, NONE, Array, Interval

MOST_UNDEFINED = 0.01  # share of replicates without a value, above which there is no interval
BLOCK = 2_000_000  # draws held at a time


def resampled_totals(counts: Array, replicates: int, rng: np.random.Generator) -> Array:
    """Totals of each replicate, shape (replicates, ...), of counts with shape (items, ...).

    Whatever shares the array is resampled alike, so that differences between models are paired.
    """
    items = len(counts)
    if not items:
        raise ValueError("there are no items to draw from")
    flat = np.ascontiguousarray(counts.reshape(items, -1).T, dtype=np.float64)
    # replicates on the last axis while it is filled: formulas of cells then run along memory
    totals = np.empty((len(flat), replicates))
    for start, drawn in draws(items, replicates, rng):
        totals[:, start : start + len(drawn)] = flat @ drawn.T
    return np.moveaxis(totals.reshape(*counts.shape[1:], replicates), -1, 0)


def draws(items: int, replicates: int, rng: np.random.Generator) -> Iterator[tuple[int, Array]]:
    """How often each item is drawn (multinomial counts), block by block: (first replicate, (some, items))."""
    some = max(1, BLOCK // items)
    for start in range(0, replicates, some):
        rows = min(some, replicates - start)
        which = rng.integers(0, items, size=(rows, items))
        which += np.arange(rows)[:, None] * items
        yield start, np.bincount(which.ravel(), minlength=rows * items).reshape(rows, items).astype(np.float64)


def percentile_intervals(values: Array) -> list[Interval]:
    """The 2.5% and 97.5% points of each column of replicates (linear between neighbours).

    Replicates in which the metric is not defined are left out; where they are more than 1%, there is no interval. Nor
    is there one where the ends fall together: items that do not differ say nothing of those not seen.
    """
    ordered = np.sort(np.where(np.isfinite(values), values, np.nan).T, axis=-1)  # nan comes last
    return [_ends(row, int(np.isfinite(row).sum())) for row in ordered]


def _ends(ordered: Array, known: int) -> Interval:
    if known < 2 or known < (1 - MOST_UNDEFINED) * len(ordered):
        return NONE
    low, high = np.interp([0.025 * (known - 1), 0.975 * (known - 1)], np.arange(known), ordered[:known])
    return Interval(float(low), float(high)) if high - low > NO_SPREAD else NONE
