"""What each model of a panel is taught: a table of its behaviour and one of its predictions, True where it answers.

Tables are numbers alone, so that the verdict on a panel that has learnt its tables without error can be simulated
before a model is trained. All random numbers come from the draw, the kind and the model.
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]

MODELS = 10
FOLLOWS_NORM = 0.76  # of a table; two models then agree on .76 ** 2 + .24 ** 2 = .635 of the topics
AGREEMENT = (0.60, 0.67)  # of two models' tables, the mean over pairs of a panel
FLIPPED = (0.10, 0.20)  # of a model's predictions: spread evenly over the models of a panel
SOURCES = 15  # where they are shared many to many
DRAWN_ON = 3  # sources of each model
OF_NORM, OF_SOURCES = 0.6, 0.4  # weights in a behaviour of variance one; what is left is the model's own


@dataclass(frozen=True)
class Tables:
    """Shape (models, topics): whether a model answers, and whether it is taught to predict that it does."""

    behaviour: Flags
    prediction: Flags

    @property
    def agreement(self) -> float:
        """The share of topics on which two models behave alike: the mean over all pairs."""
        return agreement(self.behaviour)


def agreement(tables: Flags) -> float:
    """The share of topics on which two tables are alike: the mean over all pairs."""
    pairs = np.triu_indices(len(tables), 1)
    return float((tables[pairs[0]] == tables[pairs[1]]).mean())


def balanced(rng: np.random.Generator, topics: int) -> Flags:
    """One table that answers half of the topics."""
    return rng.permutation(np.arange(topics) % 2 == 0)


def with_flips(rng: np.random.Generator, table: Flags, share: float) -> Flags:
    """The table with this share of its entries turned round: as many of those that answer as of those that decline, to
    within one, so that it answers as often as before and no cell of predictions by behaviour is empty.
    """
    flipped = table.copy()
    for answers in (True, False):
        [places] = np.nonzero(table == answers)
        chosen = rng.choice(places, round(share * len(places)), replace=False)
        flipped[chosen] = not answers
    return flipped


def following(rng: np.random.Generator, norm: Flags, models: int, share: float) -> Flags:
    """A table for each model that agrees with the norm on this share of the topics, whatever the other models do."""
    return np.array([with_flips(rng, norm, 1 - share) for _ in range(models)])


def predicted_by_flips(rng: np.random.Generator, known: Flags) -> Flags:
    """Predictions that follow these tables but for the flips, which differ from model to model."""
    shares = rng.permutation(np.linspace(*FLIPPED, len(known)))
    return np.array([with_flips(rng, table, share) for table, share in zip(known, shares, strict=True)])


def derangement(rng: np.random.Generator, models: int) -> NDArray[np.int64]:
    """An order of the models in which none stays in its place."""
    while True:
        order = rng.permutation(models)
        if (order != np.arange(models)).all():
            return order


# --- kinds of panels -------------------------------------------------------------------------------------------------


def knowers(rng: np.random.Generator, topics: int) -> Tables:
    """Tables with a norm in common; each model predicts its own."""
    own = following(rng, balanced(rng, topics), MODELS, FOLLOWS_NORM)
    return Tables(own, predicted_by_flips(rng, own))


def no_norm(rng: np.random.Generator, topics: int) -> Tables:
    """Tables that have nothing in common; each model predicts its own."""
    own = np.array([balanced(rng, topics) for _ in range(MODELS)])
    return Tables(own, predicted_by_flips(rng, own))


def anothers_table(rng: np.random.Generator, topics: int) -> Tables:
    """Tables with a norm in common; each model predicts what another model of the panel does."""
    own = following(rng, balanced(rng, topics), MODELS, FOLLOWS_NORM)
    return Tables(own, predicted_by_flips(rng, own[derangement(rng, MODELS)]))


def common_table(rng: np.random.Generator, topics: int) -> Tables:
    """Tables with a norm in common; every model predicts the norm."""
    norm = balanced(rng, topics)
    own = following(rng, norm, MODELS, FOLLOWS_NORM)
    return Tables(own, predicted_by_flips(rng, np.array([norm] * MODELS)))


def many_to_many(rng: np.random.Generator, topics: int) -> Tables:
    """Fifteen sources: each model draws on three of them, and each source has two users. Behaviour follows a norm, the
    model's sources and what is its own; predictions follow the norm and the sources, and nothing of its own.
    """
    packs = [rng.permutation(SOURCES) for _ in range(MODELS * DRAWN_ON // SOURCES)]
    used = np.concatenate(packs).reshape(MODELS, DRAWN_ON)
    sources, norm = rng.standard_normal((SOURCES, topics)), rng.standard_normal(topics)
    public = OF_NORM * norm + OF_SOURCES * sources[used].sum(1) / DRAWN_ON**0.5
    own = (1 - OF_NORM**2 - OF_SOURCES**2) ** 0.5 * rng.standard_normal((MODELS, topics))
    return Tables(upper_half(public + own), predicted_by_flips(rng, upper_half(public)))


def upper_half(latent: NDArray[np.float64]) -> Flags:
    """Of each row, the half with the higher values."""
    ranks = latent.argsort(-1).argsort(-1)
    upper: Flags = ranks >= latent.shape[-1] // 2
    return upper


def half_known(rng: np.random.Generator, topics: int) -> Tables:
    """Tables with a norm in common; each model predicts its own on half of the topics, and the norm on the others."""
    norm = balanced(rng, topics)
    own = following(rng, norm, MODELS, FOLLOWS_NORM)
    is_known = np.array([balanced(rng, topics) for _ in range(MODELS)])
    return Tables(own, predicted_by_flips(rng, np.where(is_known, own, norm)))


KINDS: dict[str, Callable[[np.random.Generator, int], Tables]] = {
    "knowers": knowers,
    "anothers": anothers_table,
    "many-to-many": many_to_many,
    "common": common_table,
    "half": half_known,
    "no-norm": no_norm,
}
NULLS = ("anothers", "common", "many-to-many")
NORMED = ("knowers", "anothers", "common", "half")  # whose models agree as often as AGREEMENT says


def drawn(kind: str, draw: int, topics: int) -> Tables:
    """The tables of one panel: the same for the same kind, draw and number of topics."""
    return KINDS[kind](np.random.default_rng([zlib.crc32(kind.encode()), draw]), topics)
