"""How often the intervals of scores of probabilities hold what was planted, a thousand runs for each world.

Each item has several claims that share a part of their evidence. A respondent's evidence for a claim that comes true
has the mean `resolution / 2`, for another minus that, both with standard deviation 1; its probability is
expit(criterion + slope * (logit(base) + resolution * evidence)), which is calibrated where criterion is 0 and slope 1.
What the scores are of infinitely many items is worked out from a million of them.

    python studies/probabilities/simulate.py > studies/probabilities/results.md
"""

import math
import sys
from typing import NamedTuple

import numpy as np
from scipy.special import expit
from scipy.stats import norm

from selfexec.stats import Array, Interval, auroc, auroc_within, brier_parts, centred

RUNS, MANY = 1_000, 250_000
CRITERIA = (-2.0, -1.0, 0.0, 1.0, 2.0)
ROUNDINGS = (0.01, 0.05, 0.1, 0.5)


class World(NamedTuple):
    """Items with so many claims each, a base rate, and what is planted in the respondent."""

    items: int = 100
    claims: int = 5
    base: float = 0.3
    resolution: float = 1.0
    slope: float = 1.0
    criterion: float = 0.0
    shared: float = 0.3  # of the variance of evidence and of outcomes, by item


class Drawn(NamedTuple):
    """Probabilities, outcomes and the item of each claim."""

    probability: Array
    came_true: Array
    item: Array
    items: int


def drawn(world: World, rng: np.random.Generator) -> Drawn:
    """One run of a world."""
    shape = world.items, world.claims
    own, common = math.sqrt(1 - world.shared), math.sqrt(world.shared)
    liability = own * rng.standard_normal(shape) + common * rng.standard_normal((world.items, 1))
    came_true = liability < norm.ppf(world.base)
    noise = own * rng.standard_normal(shape) + common * rng.standard_normal((world.items, 1))
    evidence = np.where(came_true, 0.5, -0.5) * world.resolution + noise
    logit = math.log(world.base / (1 - world.base)) + world.resolution * evidence
    probability = expit(world.criterion + world.slope * logit)
    item = np.repeat(np.arange(world.items), world.claims)
    return Drawn(probability.ravel(), came_true.ravel(), item, world.items)


def measured(run: Drawn) -> dict[str, tuple[float, Interval]]:
    """Each score with its interval."""
    arguments = run.probability, run.came_true, run.item, run.items
    pooled, within, parts = auroc(*arguments), auroc_within(*arguments), brier_parts(*arguments)
    found = {"auroc": (pooled.value, pooled.interval), "auroc_within": (within.value, within.interval)}
    for name, part in (
        ("brier", parts.score),
        ("brier_reliability", parts.reliability),
        ("brier_resolution", parts.resolution),
        ("brier_uncertainty", parts.uncertainty),
    ):
        found[name] = part.value, part.interval
    return found


def truth(world: World) -> dict[str, float]:
    """The scores of so many items that chance hardly matters; AUROC and uncertainty by their formulas."""
    many = measured(drawn(world._replace(items=MANY), np.random.default_rng(0)))
    by_formula = {
        "auroc": float(norm.cdf(world.resolution / 2**0.5)),
        "brier_uncertainty": world.base * (1 - world.base),
    }
    return {name: value for name, (value, _) in many.items()} | by_formula


def coverage(world: World, runs: int, seed: int) -> dict[str, tuple[float, float]]:
    """Of each score the share of intervals that hold the truth, and the mean of value less truth."""
    true, rng = truth(world), np.random.default_rng(seed)
    found = [measured(drawn(world, rng)) for _ in range(runs)]
    return {
        name: (
            float(np.mean([run[name][1].low <= value <= run[name][1].high for run in found])),
            float(np.mean([run[name][0] - value for run in found])),
        )
        for name, value in true.items()
    }


def by_criterion(resolution: float = 1.5, seed: int = 1) -> dict[float, dict[float | None, tuple[float, float]]]:
    """AUROC and the share of tied pairs by criterion and rounding (None: unrounded), all of the same evidence."""
    found: dict[float, dict[float | None, tuple[float, float]]] = {}
    for criterion in CRITERIA:
        run = drawn(World(items=2_000, resolution=resolution, criterion=criterion), np.random.default_rng(seed))
        areas = {step: auroc(_rounded(run.probability, step), *run[1:]) for step in (None, *ROUNDINGS)}
        found[criterion] = {step: (area.value, area.ties) for step, area in areas.items()}
    return found


def _rounded(probability: Array, step: float | None) -> Array:
    return probability if step is None else np.round(probability / step) * step


def constant_baseline(folds: int, rng: np.random.Generator) -> tuple[float, float]:
    """The AUROC of a constant that is learnt from the other folds, as it is and centred by fold."""
    run = drawn(World(items=100), rng)
    fold = run.item % folds
    learnt = np.array([run.came_true[fold != n].mean() for n in range(folds)])[fold]
    return auroc(learnt, *run[1:]).value, auroc(centred(learnt, fold), *run[1:]).value


WORLDS = {
    "as many claims as the paper's association set": World(items=150),
    "60 items": World(items=60),
    "one claim an item, as in restriction": World(items=200, claims=1, base=0.6),
    "hardly any resolution": World(resolution=0.2),
    "high resolution": World(resolution=2.5),
    "overconfident (slope 2)": World(slope=2.0),
    "underconfident (slope 0.5)": World(slope=0.5),
    "criterion +2": World(criterion=2.0),
    "criterion -2": World(criterion=-2.0),
    "base rate .15": World(base=0.15),
}


def main(runs: int = RUNS) -> None:
    names = list(truth(World(items=10)))
    print(f"Coverage of 95% intervals (and mean error of the value) in {runs:,} runs of each world.\n")
    print("| world | " + " | ".join(names) + " |\n" + "|---" * (1 + len(names)) + "|")
    for seed, (name, world) in enumerate(WORLDS.items()):
        cells = coverage(world, runs, seed)
        texts = ("–" if math.isnan(off) else f"{share:.3f} ({off:+.4f})" for share, off in cells.values())
        print(f"| {name} | " + " | ".join(texts) + " |")
    print("\nAUROC (and share of tied pairs) of the same evidence, by criterion and rounding.\n")
    print("| criterion | unrounded | " + " | ".join(f"to {step}" for step in ROUNDINGS) + " |")
    print("|---" * (2 + len(ROUNDINGS)) + "|")
    for criterion, by_step in by_criterion().items():
        print(
            f"| {criterion:+.0f} | " + " | ".join(f"{area:.3f} ({ties:.2f})" for area, ties in by_step.values()) + " |"
        )
    print(
        "\nA constant baseline, learnt from the other folds.\n\n| folds | as it is | centred by fold |\n|---|---|---|"
    )
    for folds in (2, 5, 10, 100):
        plain, level = np.mean([constant_baseline(folds, np.random.default_rng(seed)) for seed in range(100)], axis=0)
        print(f"| {folds} | {plain:.3f} | {level:.3f} |")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
