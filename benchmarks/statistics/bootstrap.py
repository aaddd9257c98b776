"""How long a bootstrap over items takes, beside SciPy's: `python benchmarks/statistics/bootstrap.py`.

10,000 replicates x 15 models x 6 metrics over 488 items of five claims; percentiles without BCa; everything in turn,
in one process. SciPy is called as its manual shows (paired columns of cells, statistic vectorised over replicates, one
call for each model and metric), and once more as somebody would who wants all that can be had of it: item numbers as
the data, and one statistic that gathers the cells of all models and gives all metrics. Each with its
fastest batch size.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import bootstrap

from selfexec.metrics import Cells
from selfexec.metrics.kinds import formulas
from selfexec.stats import percentile_intervals, resampled_totals

REPLICATES, MODELS, ITEMS = 10_000, 15, 488
BATCHES = (10, 100, 1000)
METRICS = (formulas.accuracy, formulas.precision, formulas.recall, formulas.youden_j, formulas.mcc, formulas.kappa)


def counts(rng: np.random.Generator) -> Any:
    """(items, models, cells) of five claims an item, claims of an item alike."""
    chances = rng.dirichlet((2, 3, 1, 4), size=(ITEMS, MODELS))
    cells = np.zeros((ITEMS, MODELS, 7))
    cells[..., :4] = rng.multinomial(5, chances)
    return cells


def values(totals: Any) -> Any:
    return np.stack([metric(Cells.of(totals)) for metric in METRICS], axis=1).reshape(len(totals), -1)


def ours(cells: Any) -> Any:
    return percentile_intervals(values(resampled_totals(cells, REPLICATES, np.random.default_rng(1))))


def by_column(cells: Any, batch: int, replicates: int = REPLICATES) -> Any:
    """SciPy, a call for each model and metric."""
    return [
        _interval(tuple(cells[:, model, :4].T), _of_columns(metric), batch, replicates)
        for metric in METRICS
        for model in range(MODELS)
    ]


def _of_columns(metric: Any) -> Any:
    return lambda *columns, axis: metric(Cells(*(column.sum(axis) for column in columns), 0.0, 0.0, 0.0))


def at_once(cells: Any, batch: int, replicates: int = REPLICATES) -> Any:
    """SciPy, one call for all."""
    flat = cells.reshape(ITEMS, -1)

    def statistic(which: Any, axis: int) -> Any:
        totals = flat[which].sum(-2)
        found = values(totals.reshape(-1, MODELS, 7)).T
        return found if which.ndim > 1 else found[:, 0]

    low, high = _interval((np.arange(ITEMS),), statistic, batch, replicates)
    return np.stack([low, high], axis=1)


def _interval(data: Any, statistic: Any, batch: int, replicates: int) -> Any:
    found = bootstrap(
        data,
        statistic,
        n_resamples=replicates,
        batch=batch,
        vectorized=True,
        paired=True,
        method="percentile",
        rng=np.random.default_rng(2),
    )
    return tuple(found.confidence_interval)


def _fastest_batch(rival: Callable[[Any, int, int], Any], cells: Any) -> int:
    return min(BATCHES, key=lambda size: seconds(lambda: rival(cells, size, 1000)))


def seconds(do: Callable[[], Any]) -> float:
    started = time.perf_counter()
    do()
    return time.perf_counter() - started


def main() -> None:
    cells = counts(np.random.default_rng(0))
    rivals: dict[str, Callable[[], Any]] = {"selfexec": lambda: ours(cells)}
    for name, rival in (("scipy, a call each", by_column), ("scipy, all at once", at_once)):
        batch = _fastest_batch(rival, cells)
        rivals[f"{name} (batch {batch})"] = partial(rival, cells, batch)
    times: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(3):
        for name, rival in rivals.items():
            times[name].append(seconds(rival))
    print(f"{REPLICATES:,} replicates x {MODELS} models x {len(METRICS)} metrics x {ITEMS} items")
    print(f"{'':34} {'fastest':>9} {'median':>9} {'times ours':>11} {'ends differ by':>15}")
    mine = np.array(ours(cells))
    for name, rival in rivals.items():
        ratio = np.median(times[name]) / np.median(times["selfexec"])
        gap = np.abs(mine - np.array(rival())).max()
        print(f"{name:34} {min(times[name]):7.3f} s {np.median(times[name]):7.3f} s {ratio:11.1f} {gap:15.4f}")


if __name__ == "__main__":
    main()
