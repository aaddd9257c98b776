"""Panels whose margin at a model's own rate of yes is known. See README.md.

What models do and what they predict share a norm. A model's prediction is a score that is higher, by its `knowledge`,
where the model does what the claim says; beyond that it has nothing in common with anything else, and so it is
independent of the baseline given the behaviour. The model says yes where the score is above a threshold that is chosen
for its rate of yes. Skill and ceiling follow by calculation; the baseline's skill is averaged over many panels.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

sys.path.append(str(Path(__file__).parents[1] / "coverage"))

from margins import claims_of, moved, others_of, split

from selfexec.claims import Claims
from selfexec.metrics import Others
from selfexec.metrics.baselines import stacked
from selfexec.metrics.margin_at_own_rate import probabilities_at_rate

Array = NDArray[np.float64]
MODELS = 10  # the subject and nine reference models
MOST_KNOWLEDGE = 12.0


@dataclass(frozen=True)
class World:
    """Claims of yes and no: the subject's `base` rate, the claims of `each` item, how much those of an item are `alike`
    (correlation of all latent variables), how much a `label` of the item tells of the norm, and the correlation of
    behaviour with the norm: that of the subject is `typical`, that of reference models up to `spread` off.
    """

    experiment: str
    base: float
    each: int
    alike: float
    label: float
    typical: float
    spread: float


WORLDS = {
    "association": World("association", 0.18, 4, 0.3, 0.0, typical=0.75, spread=0.15),
    "association, clear norm": World("association", 0.18, 4, 0.3, 0.0, typical=0.95, spread=0.04),
    "restriction": World("restriction", 0.55, 1, 0.0, 0.7, typical=0.75, spread=0.15),
    "restriction, clear norm": World("restriction", 0.55, 1, 0.0, 0.9, typical=0.95, spread=0.04),
}
SIZES = {"association": (488, 200), "restriction": (450, 200)}


@dataclass(frozen=True)
class Subject:
    """A model that says yes at this rate, with scores this many standard deviations higher where it does it."""

    rate: float
    knowledge: float


# --- drawing ---------------------------------------------------------------------------------------------------------


def panel(world: World, subject: Subject, items: int, rng: np.random.Generator) -> Claims:
    """The subject (`m0`) and nine reference models, which are drawn anew as the items are."""
    size = (MODELS, 1, 1)
    norm, own, said = (_latent(world, models, items, rng) for models in (1, MODELS, MODELS))
    typical = rng.uniform(world.typical - world.spread, world.typical + world.spread, size)
    knows, lean = rng.uniform(0.3, 0.9, size), rng.normal(0, 0.3, size)
    typical[0], lean[0] = world.typical, 0.0
    threshold = ndtri(1 - world.base) + lean
    observed = typical * norm + np.sqrt(1 - typical**2) * own > threshold
    predicted = knows * norm + np.sqrt(1 - knows**2) * said > threshold / 2
    scores = subject.knowledge * observed[0] + said[0]
    predicted[0] = scores > cut(subject, world.base)
    labelled = world.label * norm[0, :, 0] + np.sqrt(1 - world.label**2) * rng.normal(size=items) > 0
    return claims_of(world.experiment, observed, predicted, labelled if world.label else None)


def _latent(world: World, models: int, items: int, rng: np.random.Generator) -> Array:
    """Standard normal variables, shape (models, items, claims of each)."""
    of_item, of_claim = (rng.normal(size=(models, items, each)) for each in (1, world.each))
    return np.sqrt(world.alike) * of_item + np.sqrt(1 - world.alike) * of_claim


# --- the truth -------------------------------------------------------------------------------------------------------


def cut(subject: Subject, base: float) -> float:
    """The threshold of scores above which there are as many as the rate says."""
    if subject.rate in (0.0, 1.0):
        return float(ndtri(1 - subject.rate))
    above = lambda c: base * ndtr(subject.knowledge - c) + (1 - base) * ndtr(-c) - subject.rate  # noqa: E731
    return float(brentq(above, -40.0, 40.0 + subject.knowledge))


def skill(subject: Subject, base: float) -> float:
    """Youden's J of the subject: the share above the threshold of what it does, less that of what it does not."""
    threshold = cut(subject, base)
    return float(ndtr(subject.knowledge - threshold) - ndtr(-threshold))


def ceiling(rate: float, base: float) -> float:
    """The greatest J of anybody who says yes at this rate."""
    return (1 - rate) / (1 - base) if rate >= base else rate / base


def knowledge_for(wanted: float, rate: float, base: float) -> float:
    """The knowledge with which a subject has this skill at this rate."""
    return float(brentq(lambda k: skill(Subject(rate, k), base) - wanted, 0.0, MOST_KNOWLEDGE))


def half(knowledge: float, base: float) -> float:
    """The knowledge with half the correlation of score and behaviour."""
    spread = knowledge**2 * base * (1 - base)
    correlation = np.sqrt(spread / (1 + spread)) / 2
    return float(correlation / np.sqrt((1 - correlation**2) * base * (1 - base)))


def baseline_skills(
    world: World, items: int, rates: Array, panels: int, elsewhere: int, seed: int
) -> tuple[Array, Array]:
    """The J that the stacked baseline has at each rate on `elsewhere` other items, having been made of so many: the
    mean over panels, and its standard error.
    """
    skills = []
    for number in range(panels):
        rng = np.random.default_rng([seed, number, items, *world.experiment.encode()])
        near, far = split(panel(world, Subject(0.5, 0.0), items + elsewhere, rng), items)
        mine, others = others_of(far)
        logits = moved(stacked(others_of(near)[1]), others).logits(mine)
        did = mine.observed > 0
        probabilities = np.array([probabilities_at_rate(logits, rate) for rate in rates])
        skills.append(probabilities[:, did].mean(1) - probabilities[:, ~did].mean(1))
    found = np.array(skills)
    return found.mean(0), found.std(0, ddof=1) / np.sqrt(panels)


def drawn(world: World, subject: Subject, items: int, seed: list[int]) -> tuple[Claims, Others]:
    """The subject's claims, and its reference models."""
    return others_of(panel(world, subject, items, np.random.default_rng(seed)))
