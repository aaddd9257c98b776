"""How fast the Rasch fit is: `python benchmarks/statistics/rasch.py`.

Tables are simulated, rates over 50 questions. Each size is fitted several times in a process of its own; printed are
least and median wall time, mean CPU time, and the peak memory of that process, table included. The fit counts whole:
checks, estimates, errors, infit and outfit.
"""

import json
import statistics
import subprocess
import sys
import time

import numpy as np

QUESTIONS = 50
# name -> models, items, share of holes, repetitions
SIZES = {
    "15 x 9": (15, 9, 0.0, 50),
    "3,000 x 300": (3_000, 300, 0.0, 5),
    "3,000 x 300, 20% holes": (3_000, 300, 0.2, 5),
    "3,000 x 300, 90% holes": (3_000, 300, 0.9, 5),
}


def simulated(models: int, items: int, holes: float) -> np.ndarray:
    rng = np.random.default_rng(1)
    chances = 1 / (1 + np.exp(rng.normal(size=items) - rng.normal(size=(models, 1))))
    rates = rng.binomial(QUESTIONS, chances) / QUESTIONS
    rates[rng.random(rates.shape) < holes] = np.nan
    return rates


def fit(name: str) -> None:
    """One size, in this process: prints what it took as JSON."""
    import resource

    from selfexec.extensions.rasch.solver import fit_rasch

    *size, repetitions = SIZES[name]
    table = simulated(*size)
    fit_rasch(table)
    cpu, times = time.process_time(), []
    for _ in range(repetitions):
        started = time.perf_counter()
        fit_rasch(table)
        times.append(time.perf_counter() - started)
    cpu = (time.process_time() - cpu) / repetitions
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({"least": min(times), "median": statistics.median(times), "cpu": cpu, "peak": peak}))


def main() -> None:
    print(f"{'table':30} {'least':>10} {'median':>10} {'CPU':>10} {'peak':>8}")
    for name in SIZES:
        done = subprocess.run([sys.executable, __file__, "--fit", name], capture_output=True, text=True, check=True)
        measured = json.loads(done.stdout)
        times = " ".join(f"{measured[key] * 1000:7.1f} ms" for key in ("least", "median", "cpu"))
        print(f"{name:30} {times} {measured['peak']:5.2f} GB")


if __name__ == "__main__":
    fit(sys.argv[2]) if sys.argv[1:2] == ["--fit"] else main()
