"""How fast the Rasch fit is: `python benchmarks/statistics/rasch.py [--large]`.

Tables are simulated, rates over 50 questions. Each size is fitted several times in a process of its own; printed are
least and median wall time, mean CPU time, and the peak memory of that process, table included. Beside it, where they
are installed: Algorithm 1 of the paper over pandas rows, of which a few iterations are timed, and girth, which takes
whole tables of single answers only.
"""

import importlib.util
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

QUESTIONS = 50
# name -> models, items, rates a model (0: all items), repetitions
SIZES = {
    "15 x 9": (15, 9, 0, 50),
    "200 x 5,000": (200, 5_000, 0, 30),
    "10,000 x 1,000, 5% filled": (10_000, 1_000, 50, 10),
    "100,000 x 10,000, 1% filled": (100_000, 10_000, 100, 3),
}
LARGE = "100,000 x 10,000, 1% filled"


def expit(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def cells(models: int, items: int, each: int, questions: int = QUESTIONS) -> dict[str, Any]:
    """Rates in random order with their rows and columns; a model's items are spread at random."""
    rng = np.random.default_rng(1)
    each = each or items
    rows = np.repeat(np.arange(models), each)
    steps = rng.integers(1, max(2 * items // each, 2), (models, each))
    columns = ((rng.integers(0, items, (models, 1)) + np.cumsum(steps, 1)) % items).ravel()
    places = np.unique(rows * items + columns)
    rng.shuffle(places)
    rows, columns = np.divmod(places, items)
    chances = expit(rng.normal(0, 1, models)[rows] - rng.normal(0, 1, items)[columns])
    return {"rates": rng.binomial(questions, chances) / questions, "rows": rows, "columns": columns}


def dense(models: int, items: int, questions: int = QUESTIONS) -> np.ndarray:
    made = cells(models, items, 0, questions)
    table = np.full((models, items), np.nan)
    table[made["rows"], made["columns"]] = made["rates"]
    return table


def seconds(work: Callable[[], Any], repetitions: int) -> list[float]:
    times = []
    for _ in range(repetitions):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return times


def fit(name: str) -> None:
    """One size, in this process: prints what it took as JSON."""
    import resource

    from selfexec.extensions.rasch.solver import fit_rasch

    models, items, each, repetitions = SIZES[name]
    if each:
        made = cells(models, items, each)
        size, work = len(made["rates"]), lambda: fit_rasch(**made, shape=(models, items))
    else:
        table = dense(models, items)
        size, work = table.size, lambda: fit_rasch(table)
    work()
    cpu = time.process_time()
    times = seconds(work, repetitions)
    cpu = (time.process_time() - cpu) / repetitions
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        json.dumps({"cells": size, "least": min(times), "median": statistics.median(times), "cpu": cpu, "peak": peak})
    )


def pandas_iterations(table: np.ndarray, iterations: int) -> None:
    """Algorithm 1 as its pseudo-code reads: one data-frame row a rate, mapped, grouped and summed in each iteration."""
    import pandas as pd

    rows, columns = np.nonzero(~np.isnan(table))
    df = pd.DataFrame({"model": rows, "item": columns, "obs": table[rows, columns]})
    theta = pd.Series(0.0, index=range(table.shape[0]))
    delta = pd.Series(0.0, index=range(table.shape[1]))
    for _ in range(iterations):
        df["p"] = expit(df["model"].map(theta) - df["item"].map(delta))
        df["w"] = df["p"] * (1 - df["p"])
        df["gap"] = df["obs"] - df["p"]
        by_model, by_item = (df.groupby(side)[["gap", "w"]].sum() for side in ("model", "item"))
        theta += 0.5 * by_model["gap"] / by_model["w"]
        delta -= 0.5 * by_item["gap"] / by_item["w"]


def others() -> None:
    from selfexec.extensions.rasch.solver import fit_rasch

    table = dense(200, 5_000)
    least = min(seconds(lambda: fit_rasch(table), 10))
    print(f"\n200 x 5,000, side by side: selfexec {least * 1000:.1f} ms")
    if importlib.util.find_spec("pandas"):
        took = seconds(lambda: pandas_iterations(table, 3), 1)[0] / 3
        needed = fit_rasch(table, method="paper").iterations
        print(f"Algorithm 1 over pandas: {took:.2f} s an iteration, of which it needs {needed} (timed: 3)")
    else:
        print("Algorithm 1 over pandas: skipped, pandas is not installed")
    if importlib.util.find_spec("girth"):
        from girth import rasch_jml

        answers = dense(200, 5_000, questions=1)
        answers = answers[:, (answers.mean(0) > 0) & (answers.mean(0) < 1)]
        ours = min(seconds(lambda: fit_rasch(answers), 5))
        took = seconds(lambda: rasch_jml(answers.T.astype(int)), 1)[0]
        print(f"single answers: girth rasch_jml {took:.2f} s, selfexec {ours * 1000:.1f} ms")
    else:
        print("girth: skipped, it is not installed")


def main() -> None:
    print(f"{'table':30} {'cells':>11} {'least':>10} {'median':>10} {'CPU':>10} {'peak':>8}")
    for name in SIZES:
        if name == LARGE and "--large" not in sys.argv:
            print(f"{name:30} (with --large)")
            continue
        done = subprocess.run([sys.executable, __file__, "--fit", name], capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)
        times = " ".join(f"{found[key] * 1000:7.1f} ms" for key in ("least", "median", "cpu"))
        print(f"{name:30} {found['cells']:11,} {times} {found['peak']:5.2f} GB")
    others()


if __name__ == "__main__":
    fit(sys.argv[2]) if sys.argv[1:2] == ["--fit"] else main()
