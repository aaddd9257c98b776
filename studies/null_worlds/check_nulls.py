"""Checks that every world of `nulls.py` is what its sentence says: sizes, rates, losses, and who knows what.

    python check_nulls.py [--panels 30] [--worlds ring patchwork]

Prints one line a world and shape, then every failure; ends with status 1 if there is any. Two checks carry the claim
that nobody knows its own part in a null:

* exact: when the own part of one model is drawn again and all other random numbers stay, the predictions of that
  model are the same bit by bit, and its behaviour is not;
* by simulation: the correlation of a model's predictions with its latent own part is 0 on average over panels. The
  standard error is taken over panels, because effects of topics or models are drawn once a panel.
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from nulls import BEHAVIOUR_RATES, LIMITS, NULLS, ORDER_RATES, PREDICTION_RATES, TRUE, Kind, Panel, draw, supports
from nulls import draw_with_truth as draw_truth
from numpy.typing import NDArray

Range = tuple[float, float]
ANY: Range = (0.0, 1.0)
SURE = 4.0  # standard errors; with some 130 cells and 30 panels, chance passes it in about one run of twenty

# What differs from the usual ranges of rates, and for how many models: predictions, behaviour, models excepted.
BINARY_RATES: dict[str, tuple[Range, Range, int]] = {
    "one nearly always says no": (PREDICTION_RATES, BEHAVIOUR_RATES, 1),
    "two nearly always say no": (PREDICTION_RATES, BEHAVIOUR_RATES, 2),
    "rare corner": ((0.08, 0.12), (0.83, 0.87), 0),
}
# Rankings: the share in which the question shown first ranks higher. Shared preferences for places move it.
ORDER_EXCEPTIONS: dict[str, tuple[Range, Range, int]] = {
    "says yes more and does it more": ((0.3, 0.7), (0.3, 0.7), 0),
    "one nearly always says no": (ORDER_RATES, ORDER_RATES, 1),
    "two nearly always say no": (ORDER_RATES, ORDER_RATES, 2),
    "order-biased": ((0.5, 0.85), (0.5, 0.85), 0),
    "rare corner": ((0.08, 0.12), (0.83, 0.87), 0),
    "habits by place": (ANY, ANY, 0),
    # Most latent values are close together here, so a slight preference for places decides more pairs.
    "heavy tails": ((0.35, 0.65), (0.35, 0.65), 0),
}


@dataclass(frozen=True)
class Shape:
    """One kind of panel: its name, and how many items the simulated correlations use."""

    name: str
    kind: Kind
    claims: int
    many_items: int


SHAPES = (
    Shape("association", "binary", 4, 1500),
    Shape("restriction", "binary", 1, 4000),
    Shape("order", "order", 4, 1000),
)


def correlations(predictions: NDArray[np.float64], own: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlation of each model's predictions with its own part over the claims where the prediction is not lost."""
    values = []
    for row, part in zip(predictions, own, strict=True):
        kept = ~np.isnan(row)
        values.append(np.corrcoef(row[kept], part[kept])[0, 1])
    return np.array(values)


# ---------------------------------------------------------------------------------------------------------------------
# Sizes, rates, losses
# ---------------------------------------------------------------------------------------------------------------------


def wrong_sizes(world: str, shape: Shape) -> Iterator[str]:
    for models, items in itertools.product((6, 7, 8, 10, 15), (10, 61)):
        panel = draw(world, models=models, items=items, kind=shape.kind, seed=1, claims=shape.claims)
        width = items * (6 if shape.kind == "order" else shape.claims)
        for name, table in (("predictions", panel.predictions), ("outcomes", panel.outcomes)):
            if table.shape != (models, width):
                yield f"{name} have shape {table.shape}, not {(models, width)}"
            if not (np.isnan(table) | (table == 0) | (table == 1)).all():
                yield f"{name} have values other than 0, 1 and nan"
        if not np.array_equal(panel.item, np.repeat(np.arange(items), width // items)):
            yield "items are not numbered from 0 with their claims together"
        if len(panel.families) != models:
            yield f"there are {len(panel.families)} family tags for {models} models"


def unrepeatable(world: str, shape: Shape) -> Iterator[str]:
    def table(seed: int) -> Panel:
        return draw(world, models=8, items=40, kind=shape.kind, seed=seed, claims=shape.claims)

    first, again, other = table(5), table(5), table(6)
    if not np.array_equal(first.predictions, again.predictions, equal_nan=True):
        yield "the same seed gives another panel"
    if np.array_equal(first.predictions, other.predictions, equal_nan=True):
        yield "another seed gives the same panel"


def intransitive(world: str, shape: Shape) -> Iterator[str]:
    """The six answers of every item must be those of one of the 24 rankings."""
    if shape.kind != "order":
        return
    pairs = list(itertools.combinations(range(4), 2))
    allowed = {tuple(rank[a] > rank[b] for a, b in pairs) for rank in permutations(range(4))}
    complete, _, _ = draw_truth(world, models=8, items=60, kind="order", seed=2)
    for table in (complete.predictions, complete.outcomes):
        if not {tuple(answers) for answers in table.reshape(-1, 6).astype(bool)} <= allowed:
            yield "some answers about an item are no ranking"


def wrong_rates(world: str, shape: Shape) -> Iterator[str]:
    usual = (ORDER_RATES, ORDER_RATES) if shape.kind == "order" else (PREDICTION_RATES, BEHAVIOUR_RATES)
    exceptions = ORDER_EXCEPTIONS if shape.kind == "order" else BINARY_RATES
    of_predictions, of_behaviour, excepted = exceptions.get(world, (*usual, 0))
    # Binary rows are cut at their own quantile; rates of rankings vary by sampling.
    slack = 0.05 if shape.kind == "order" else 0.005
    for seed in range(4):
        complete, _, _ = draw_truth(world, models=10, items=400, kind=shape.kind, seed=seed, claims=shape.claims)
        for name, table, (low, high), allowed in (
            ("predictions", complete.predictions, of_predictions, excepted),
            ("behaviour", complete.outcomes, of_behaviour, 0),
        ):
            rates = table.mean(axis=1)
            outside = (rates < low - slack) | (rates > high + slack)
            if outside.sum() != allowed:
                yield f"rates of {name} {np.round(rates, 3)} are outside {low}-{high} in other than {allowed} models"
            if allowed and (rates[outside] > 0.05 + slack / 2).any():
                yield f"models that nearly always say no have rates {np.round(rates[outside], 3)}"


def wrong_losses(world: str, shape: Shape) -> Iterator[str]:
    complete, panel, _ = draw_truth(world, models=15, items=400, kind=shape.kind, seed=3, claims=shape.claims)
    lost_predictions, lost_outcomes = np.isnan(panel.predictions), np.isnan(panel.outcomes)
    yes = complete.outcomes == 1
    differ = complete.predictions != complete.outcomes
    lost = lost_predictions | lost_outcomes
    if world in ("losses by outcome", "all sorts"):
        if lost_predictions.any() or not 0.03 < lost_outcomes.mean() < 0.10:
            yield f"predictions lost {lost_predictions.mean():.3f}, outcomes lost {lost_outcomes.mean():.3f}"
        # A lost question takes with it the pairs that it wins and those that it loses, so rankings show no such ratio.
        if shape.kind == "binary" and lost_outcomes[yes].mean() < 3 * lost_outcomes[~yes].mean():
            yield "outcomes that are yes are not lost three times as often"
    elif world == "losses by disagreement":
        if not 0.92 < 1 - lost.mean() < 0.94:
            yield f"coverage is {1 - lost.mean():.3f}, not .93"
        if lost[differ].mean() < 1.3 * lost[~differ].mean():
            yield "claims that differ are not lost more often"
    elif not 0.005 < lost.mean() < 0.04:
        yield f"{lost.mean():.3f} of claims are lost, not .005 to .04"


# ---------------------------------------------------------------------------------------------------------------------
# Who knows what
# ---------------------------------------------------------------------------------------------------------------------


def knowing_models(world: str, models: int) -> set[int]:
    """Models that know something that is their own."""
    if world not in TRUE:
        return set()
    return {0} if world.startswith("one knows") else set(range(models))


def depends_on_own(world: str, shape: Shape, models: int = 8) -> Iterator[str]:
    """Redraw one model's own part: its predictions change where it knows itself, and in no other case."""
    knowing = knowing_models(world, models)
    for model in range(models):
        before, after = (
            draw_truth(world, models=models, items=50, kind=shape.kind, seed=9, claims=shape.claims, redrawn=redrawn)[0]
            for redrawn in (None, model)
        )
        if np.array_equal(before.outcomes[model], after.outcomes[model]):
            yield f"behaviour of model {model} does not depend on its own part"
        changed = not np.array_equal(before.predictions[model], after.predictions[model])
        if changed != (model in knowing):
            yield f"predictions of model {model} {'depend' if changed else 'do not depend'} on its own part"


@dataclass(frozen=True)
class Simulated:
    """Mean correlations of predictions with own parts, over panels, with the standard error over panels."""

    knowing: float
    knowing_error: float
    ignorant: float
    ignorant_error: float
    own_share: float


def simulated(world: str, shape: Shape, *, panels: int, models: int = 8) -> Simulated:
    knowing = np.array([model in knowing_models(world, models) for model in range(models)])
    by_panel = []
    shares = []
    for seed in range(panels):
        complete, _, own = draw_truth(
            world, models=models, items=shape.many_items, kind=shape.kind, seed=1000 + seed, claims=shape.claims
        )
        by_panel.append(correlations(complete.predictions, own))
        shares.append(correlations(complete.outcomes, own).mean())
    table = np.array(by_panel)

    def mean_and_error(columns: NDArray[np.bool_]) -> tuple[float, float]:
        if not columns.any():
            return math.nan, math.nan
        means = table[:, columns].mean(axis=1)
        return float(means.mean()), float(means.std(ddof=1) / math.sqrt(panels))

    return Simulated(*mean_and_error(knowing), *mean_and_error(~knowing), float(np.mean(shares)))


def wrong_knowledge(result: Simulated) -> Iterator[str]:
    if abs(result.ignorant) > SURE * result.ignorant_error:
        yield f"predictions correlate with the unknown own part by {result.ignorant:.4f}"
    if result.knowing < SURE * result.knowing_error:
        yield f"predictions correlate with the known own part by only {result.knowing:.4f}"


EXACT_CHECKS = (wrong_sizes, unrepeatable, intransitive, wrong_rates, wrong_losses, depends_on_own)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--panels", type=int, default=30, help="simulated panels a cell (default 30)")
    parser.add_argument("--worlds", nargs="+", default=[*NULLS, *TRUE, *LIMITS], help="names of worlds (default all)")
    arguments = parser.parse_args()
    failures = []
    print(
        f"{'world':34} {'shape':12} {'r unknown':>10} {'SE':>7} {'r known':>8} {'SE':>7} {'r behaviour':>12} {'ms':>6}"
    )
    for world, shape in itertools.product(arguments.worlds, SHAPES):
        if not supports(world, kind=shape.kind, claims=shape.claims):
            continue
        result = simulated(world, shape, panels=arguments.panels)
        found = [problem for check in EXACT_CHECKS for problem in check(world, shape)] + [*wrong_knowledge(result)]
        failures += [f"{world}, {shape.name}: {problem}" for problem in found]
        began = time.perf_counter()
        draw(world, models=15, items=450, kind=shape.kind, seed=0, claims=shape.claims)
        print(
            f"{world:34} {shape.name:12} {result.ignorant:10.4f} {result.ignorant_error:7.4f} {result.knowing:8.3f} "
            f"{result.knowing_error:7.4f} {result.own_share:12.3f} {(time.perf_counter() - began) * 1000:6.1f}",
            flush=True,
        )
    print("\n".join(failures) or "no failure")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
