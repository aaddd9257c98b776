"""How often do the intervals of margins hold the truth? See README.md.

Panels are drawn on arrays: a model whose truth is fixed, reference models and items that are new each time. What holds
is the mean, over all draws, of its margin on other items over the stacked baseline that was made of the drawn ones.
"""

import csv
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfexec.claims import Claims
from selfexec.metrics import Others, VoteTables, claim_kind, compare_with_baseline, value
from selfexec.metrics.baselines import Stacked, background_parts, predictor_record_on, stacked
from selfexec.metrics.kinds import scorable

HERE = Path(__file__).parent
Array = NDArray[np.float64]
SIZES = {  # items at the paper's size and at a quick one; claims (or questions) of each
    "association": (488, 60, 4),
    "restriction": (450, 60, 1),
    "difficulty": (250, 60, 4),
}
REPLICATES = 200
KNOWERS = {"knows models": (0.8, 0.0), "knows itself": (0.5, 0.6), "knows little": (0.3, 0.0)}
"""How much of what is general, and of what is its own, the model's word has."""


@dataclass(frozen=True)
class World:
    """Outcomes and words by model and item: sum of what is general (`like` of it is common to the claims of an item),
    of what is a model's own, and of chance. `label` is how much a fact of the item tells of what is general.
    """

    experiment: str
    threshold: float
    like: float
    label: float


WORLDS = (
    World("association", 1.1, 0.15, 0.0),
    World("restriction", -0.4, 0.0, 0.8),
    World("difficulty", 0.0, 0.0, 0.0),
)


def drawn(world: World, items: int, models: int, knower: tuple[float, float], rng: np.random.Generator) -> Claims:
    """A panel. Its first model knows this much; the others differ in how typical they are and in what they know."""
    _, _, each = SIZES[world.experiment]
    shape = (models, items, each)
    general = np.sqrt(world.like) * rng.normal(size=(1, items, 1)) + np.sqrt(1 - world.like) * rng.normal(
        size=(1, items, each)
    )
    typical = rng.uniform(0.6, 0.9, (models, 1, 1))
    typical[0] = 0.75
    own = rng.normal(size=shape)
    outcome = typical * general + np.sqrt(1 - typical**2) * own
    knows, knows_own = rng.uniform(0.3, 0.9, (models, 1, 1)), rng.uniform(0, 0.6, (models, 1, 1))
    knows[0], knows_own[0] = knower
    part = knows * typical * general + knows_own * np.sqrt(1 - typical**2) * own
    word = part + rng.normal(size=shape) * np.sqrt(np.maximum(0.05, 1 - knows**2) / 2)
    lean = rng.normal(0, 0.3, (models, 1, 1))
    lean[0] = 0.0
    if world.experiment == "difficulty":
        outcome, word = (_pairs(part) for part in (outcome, word))
    else:
        outcome, word = outcome - world.threshold - lean, word - world.threshold * 0.5 - lean
    safe = (world.label * general[0, :, 0] + np.sqrt(1 - world.label**2) * rng.normal(size=items)) > world.threshold
    return claims_of(world.experiment, outcome > 0, word > 0, safe if world.label else None)


def _pairs(ease: Array) -> Array:
    one, two = np.triu_indices(ease.shape[-1], 1)
    return ease[..., one] - ease[..., two]


def claims_of(experiment: str, outcome: Any, word: Any, safe: Any) -> Claims:
    models, items, each = outcome.shape
    model, item, name = (part.ravel() for part in np.indices(outcome.shape))
    n = len(model)
    signs = lambda part: np.where(part.ravel(), 1, -1).astype(np.int8)  # noqa: E731
    return Claims(
        experiment=experiment,
        models=tuple(f"m{k}" for k in range(models)),
        items=tuple(f"i{k:04}" for k in range(items)),
        claim_names=tuple(f"c{k}" for k in range(each)),
        labels=("safe", "unsafe"),
        subjects=(),
        wordings=(),
        condition="default",
        source="rule",
        further_sources=(),
        claim_ids=items * each,
        model=model,
        item=item,
        epoch=np.ones(n, np.int64),
        claim_name=name,
        claim_id=item * each + name,
        predicted=signs(word),
        probability=np.full(n, np.nan),
        observed=signs(outcome),
        further_outcomes=np.zeros((n, 0), np.int8),
        by_tokens=np.zeros(n, np.bool_),
        by_correctness=np.zeros(n, np.bool_),
        state=np.zeros(n, np.int64),
        label=np.full(n, -1) if safe is None else np.where(safe, 0, 1)[item],
        subject=np.full(n, -1),
        length=np.full(n, np.nan),
        other_subject=np.full(n, -1),
        other_length=np.full(n, np.nan),
        wording=np.full(n, -1),
        other_wording=np.full(n, -1),
    )


def split(claims: Claims, items: int) -> tuple[Claims, Claims]:
    """The claims on the first items, and those on the others."""
    return claims.where(claims.item < items), claims.where(claims.item >= items)


def others_of(everyone: Claims) -> tuple[Claims, Others]:
    first = everyone.of("m0")
    return first, VoteTables(everyone).others(first, everyone.models[1:])


def elsewhere(near: Others, far: Claims) -> float:
    """The margin, on other items, over the stacked baseline that was made of these."""
    mine, others = others_of(far)
    kind, which = claim_kind(mine), scorable(mine, strict=False)
    baseline = moved(stacked(near), others)
    best = value(kind.skill, predictor_record_on(mine, baseline.predictions(baseline.logits(mine)), which))
    return value(kind.skill, kind.count(mine, strict=False)) - max(best, 0.0)


def moved(learnt: Stacked, others: Others) -> Stacked:
    """What was learnt on some items, for others: the weights are the means over its folds."""
    mean = lambda part: np.broadcast_to(part.mean(-1, keepdims=True), (*part.shape[:-1], others.table.folds))  # noqa: E731
    weights, threshold = mean(learnt.weights), mean(learnt.threshold)
    return replace(learnt, others=others, known=background_parts(others), weights=weights, threshold=threshold)


def cell(world: World, items: int, models: int, knower: str, replicates: int, seed: int) -> Mapping[str, Any]:
    rows = []
    for n in range(replicates):
        rng = np.random.default_rng([seed, n, items, models, *world.experiment.encode(), *knower.encode()])
        near, far = split(drawn(world, 2 * items, models, KNOWERS[knower], rng), items)
        mine, others = others_of(near)
        comparison = compare_with_baseline(mine, others, strict=False)
        margin = comparison.margin
        rows.append((margin.value, *margin.interval, margin.error, comparison.doubt.error, elsewhere(others, far)))
    found = np.array(rows)
    found = found[~np.isnan(found).any(1)]
    truth = float(found[:, 5].mean())
    low, high = found[:, 1], found[:, 2]
    return {
        "experiment": world.experiment,
        "items": items,
        "models": models,
        "model": knower,
        "draws": len(found),
        "truth": round(truth, 4),
        "bias": round(float(found[:, 0].mean()) - truth, 4),
        "coverage": round(float(((low <= truth) & (truth <= high)).mean()), 3),
        "too_high": round(float((low > truth).mean()), 3),
        "too_low": round(float((high < truth).mean()), 3),
        "spread": round(float(found[:, 0].std()), 4),
        "error": round(float(np.sqrt((found[:, 3] ** 2).mean())), 4),
        "error_of_references": round(float(np.sqrt((found[:, 4] ** 2).mean())), 4),
        "width": round(float((high - low).mean()), 3),
    }


def cells(replicates: int, seed: int) -> Iterator[Mapping[str, Any]]:
    for world in WORLDS:
        for items in SIZES[world.experiment][:2]:
            for models in (6, 10):
                for knower in KNOWERS:
                    yield cell(world, items, models, knower, replicates, seed)


def main(replicates: int = REPLICATES, seed: int = 1) -> None:
    with (HERE / "margins.csv").open("w", newline="", encoding="utf-8") as file:
        writer: csv.DictWriter[str] | None = None
        for row in cells(replicates, seed):
            if writer is None:
                writer = csv.DictWriter(file, list(row))
                writer.writeheader()
            writer.writerow(row)
            file.flush()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
