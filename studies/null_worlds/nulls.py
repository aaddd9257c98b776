"""Simulated panels for judging a verdict about own excess: worlds without self-knowledge and worlds with it.

A world builds two latent values for every model and unit (binary panels: a claim; order panels: a question): one
behind the prediction, one behind the behaviour. Each is a sum of shared parts, on which at least two models draw,
and of noise that fills the variance up to one. In the behaviour that noise is the model's *own part*: what no other
model's behaviour or prediction adds to.

Why no null contains self-knowledge: own parts come from a generator of their own (`Setting.own`), and no null builds
a model's prediction from that model's own part. So the prediction is a function of random numbers that are
independent of the own part, whatever thresholds, curves or shared parts do afterwards. The rule holds before replies
are lost; losses that follow the outcome or the disagreement select among claims, which is the point of those worlds.
`check_nulls.py` shows both: redrawing a model's own part leaves its predictions unchanged bit by bit, and the
correlation of its predictions with its own part is 0 within error.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["binary", "order"]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
FIRST, SECOND = (np.array(side) for side in zip(*PAIRS, strict=True))
QUESTIONS = 4
MIN_MODELS = 6  # two families of three, and a dozen sources of which each has two users, need as many

PREDICTION_RATES = (0.35, 0.80)
BEHAVIOUR_RATES = (0.15, 0.45)
ORDER_RATES = (0.44, 0.56)  # share of pairs in which the question shown first ranks higher
GENERAL_KNOWLEDGE = 0.6
TYPICALITY = (0.5, 0.7)


@dataclass(frozen=True)
class Panel:
    """Predictions and outcomes of several models on the same claims: 1 yes, 0 no, nan lost.

    Attributes:
        kind: "binary" (claims of one item stand together) or "order" (six pairs of four questions an item).
        predictions: Array of shape (models, claims).
        outcomes: Array of shape (models, claims).
        item: Number of each claim's item, from 0, of shape (claims,).
        families: Family tag of each model, or None.
    """

    kind: Kind
    predictions: Floats
    outcomes: Floats
    item: NDArray[np.int64]
    families: tuple[str | None, ...]


@dataclass(frozen=True)
class Latent:
    """What lies behind a panel, before thresholds and losses.

    Attributes:
        prediction: Latent value behind each prediction, of shape (models, units).
        behaviour: Latent value behind each behaviour, of the same shape.
        own: The part of `behaviour` that no other model shares.
        prediction_rate: Share of predictions that are yes, one a model.
        behaviour_rate: Share of behaviour that is yes, one a model.
        families: Family tag of each model, or None.
        losses: Draws the claims at which predictions and outcomes are lost.
    """

    prediction: Floats
    behaviour: Floats
    own: Floats
    prediction_rate: Floats
    behaviour_rate: Floats
    families: tuple[str | None, ...]
    losses: Callable[[Setting, Latent, Flags, Flags], tuple[Flags, Flags]]


@dataclass
class Setting:
    """Size of a panel, its random numbers, and the draws that all worlds use.

    Own parts come from `own_rng` only, so that they can be drawn again with all else equal: `redrawn` is the model
    whose own part is replaced (for checks), or None.
    """

    kind: Kind
    models: int
    items: int
    places: int
    rng: np.random.Generator
    own_rng: np.random.Generator
    spare_rng: np.random.Generator
    redrawn: int | None = None
    item_share: float = field(init=False)

    def __post_init__(self) -> None:
        # Claims of one item share a reply. In rankings a part common to all questions of an item would cancel.
        self.item_share = 0.3 if self.kind == "binary" and self.places > 1 else 0.0

    @property
    def units(self) -> int:
        """Latent values a model has: claims of binary panels, questions of order panels."""
        return self.items * self.places

    def noise(self, count: int, rng: np.random.Generator | None = None) -> Floats:
        """Standard normal values of shape (count, units), correlated by `item_share` within an item."""
        source = self.rng if rng is None else rng
        values = source.standard_normal((count, self.units))
        if self.item_share:
            by_item = source.standard_normal((count, self.items, 1)) * math.sqrt(self.item_share)
            values *= math.sqrt(1 - self.item_share)
            values.reshape(count, self.items, self.places)[...] += by_item
        return values

    def own(self) -> Floats:
        """Own parts of unit variance, one row a model, independent of everything else."""
        return self._with_redrawn(lambda count, rng: self.noise(count, rng))

    def own_effects(self, groups: int) -> Floats:
        """Own effects of unit variance of each model on each group of items, shape (models, groups)."""
        return self._with_redrawn(lambda count, rng: rng.standard_normal((count, groups)))

    def _with_redrawn(self, drawn: Callable[[int, np.random.Generator], Floats]) -> Floats:
        values = drawn(self.models, self.own_rng)
        if self.redrawn is not None:
            values[self.redrawn] = drawn(1, self.spare_rng)[0]
        return values

    def loads(self, low: float, high: float) -> Floats:
        """One weight for each model, uniform, of shape (models, 1)."""
        return self.rng.uniform(low, high, (self.models, 1))

    def signed_loads(self, spread: float) -> Floats:
        """One weight for each model, normal around 0 and cut at two standard deviations."""
        return np.clip(self.rng.standard_normal((self.models, 1)), -2, 2) * spread

    def by_item(self, values: Floats) -> Floats:
        """Spread values of shape (..., items) over the units of each item."""
        return np.repeat(values, self.places, axis=-1)

    def by_place(self, values: Floats) -> Floats:
        """Repeat values of shape (..., places) for every item."""
        return np.tile(values, self.items)

    def rates(self, which: Literal["prediction", "behaviour"], height: Floats | None = None) -> Floats:
        """Rates of yes; `height` in [0, 1] places each model within the range, by default at random."""
        low, high = ORDER_RATES if self.kind == "order" else RATES[which]
        return low + (high - low) * (self.rng.random(self.models) if height is None else height)


RATES: Mapping[str, tuple[float, float]] = {"prediction": PREDICTION_RATES, "behaviour": BEHAVIOUR_RATES}
World = Callable[[Setting], Latent]

NULLS: dict[str, str] = {}
TRUE: dict[str, str] = {}
LIMITS: dict[str, str] = {}
_WORLDS: dict[str, World] = {}
_NEEDS_ORDER: set[str] = set()
_NEEDS_PLACES: set[str] = set()


def _world(listing: dict[str, str], name: str, sentence: str, *, needs: str = "") -> Callable[[World], World]:
    """Enter a world under its name; `needs` is "order" or "places" (several claims an item) or nothing."""

    def enter(build: World) -> World:
        listing[name] = sentence
        _WORLDS[name] = build
        if needs == "order":
            _NEEDS_ORDER.add(name)
        if needs == "places":
            _NEEDS_PLACES.add(name)
        return build

    return enter


# ---------------------------------------------------------------------------------------------------------------------
# Drawing a panel
# ---------------------------------------------------------------------------------------------------------------------


def supports(world: str, *, kind: Kind, claims: int = 4) -> bool:
    """Whether the world means anything for this kind of panel with so many claims an item."""
    if world in _NEEDS_ORDER:
        return kind == "order"
    if world in _NEEDS_PLACES:
        return kind == "order" or claims > 1
    return True


def draw(world: str, *, models: int, items: int, kind: Kind, seed: int, claims: int = 4) -> Panel:
    """Draw one panel of a world.

    Args:
        world: A name in `NULLS`, `TRUE` or `LIMITS`.
        models: Number of models, 6 or more.
        items: Number of items, 10 or more.
        kind: "binary" or "order".
        seed: The same seed gives the same panel; different worlds do not share random numbers.
        claims: Claims an item of binary panels (4 like association, 1 like restriction).

    Raises:
        ValueError: An unknown world, too small a panel, or a world that means nothing for the kind.
    """
    _, panel, _ = draw_with_truth(world, models=models, items=items, kind=kind, seed=seed, claims=claims)
    return panel


def draw_with_truth(
    world: str,
    *,
    models: int,
    items: int,
    kind: Kind,
    seed: int,
    claims: int = 4,
    redrawn: int | None = None,
) -> tuple[Panel, Panel, Floats]:
    """Draw a panel before and after losses, with each model's own part of behaviour at every claim.

    For order panels the own part of a pair is the difference of the two questions' own parts. `redrawn` replaces
    the own part of one model and leaves all other random numbers as they are.
    """
    _refuse(world, models, items, kind, claims)
    streams = [np.random.default_rng((seed, zlib.crc32(world.encode()), stream)) for stream in range(4)]
    places = QUESTIONS if kind == "order" else claims
    setting = Setting(kind, models, items, places, streams[0], streams[1], streams[2], redrawn)
    latent = _WORLDS[world](setting)
    # Losses have a stream of their own: a world's panel is the same with and without them.
    setting.rng = streams[3]
    predicted = _answers(setting, latent.prediction, latent.prediction_rate)
    observed = _answers(setting, latent.behaviour, latent.behaviour_rate)
    lost_predictions, lost_outcomes = latent.losses(setting, latent, predicted, observed)
    item = np.repeat(np.arange(items), predicted.shape[1] // items)
    complete = Panel(kind, predicted.astype(float), observed.astype(float), item, latent.families)
    panel = replace(
        complete,
        predictions=np.where(lost_predictions, np.nan, complete.predictions),
        outcomes=np.where(lost_outcomes, np.nan, complete.outcomes),
    )
    own = latent.own if kind == "binary" else _pair_gaps(latent.own)
    return complete, panel, own


def _refuse(world: str, models: int, items: int, kind: Kind, claims: int) -> None:
    if world not in _WORLDS:
        raise ValueError(f"there is no world {world!r}. NULLS, TRUE and LIMITS have the names.")
    if kind not in ("binary", "order"):
        raise ValueError(f"kind is {kind!r}: choose 'binary' or 'order'.")
    if models < MIN_MODELS or items < 10:
        raise ValueError(f"{models} models x {items} items is too small: ask for {MIN_MODELS} x 10 or more.")
    if claims < 1:
        raise ValueError(f"claims is {claims}: an item has at least one claim.")
    if not supports(world, kind=kind, claims=claims):
        raise ValueError(f"{world!r} means nothing for {kind} panels with {claims} claims an item. Leave it out.")


def _answers(setting: Setting, latent: Floats, rate: Floats) -> Flags:
    """Yes or no at every claim: the highest latent values of a row, or the higher question of a pair.

    Each row is cut by its own quantile, so a row of predictions never depends on a row of behaviour.
    """
    if setting.kind == "order":
        favour = np.interp(rate, _SLOPE_RATES, _SLOPES)[:, None] * setting.by_place(_SHOWN_EARLY)
        return _pair_gaps(latent + favour) > 0
    positions = np.clip(np.round((1 - rate) * setting.units).astype(int), 0, setting.units - 1)
    thresholds = np.take_along_axis(np.sort(latent, axis=1), positions[:, None], axis=1)
    return np.asarray(latent >= thresholds)


def _pair_gaps(questions: Floats) -> Floats:
    """First minus second question of each of the six pairs: (models, items * 4) to (models, items * 6)."""
    grouped = questions.reshape(len(questions), -1, QUESTIONS)
    return (grouped[..., FIRST] - grouped[..., SECOND]).reshape(len(questions), -1)


# A preference for what is shown early, as a slope over the four places, and the share of yes it leads to when the
# latent values have unit variance: the gap of two of them has standard deviation sqrt(2).
_SHOWN_EARLY = np.array([1.5, 0.5, -0.5, -1.5])
_SLOPES = np.linspace(-4, 4, 321)
_SLOPE_RATES = np.array(
    [np.mean([NormalDist().cdf(slope * (b - a) / math.sqrt(2)) for a, b in PAIRS]) for slope in _SLOPES]
)


# ---------------------------------------------------------------------------------------------------------------------
# Losses
# ---------------------------------------------------------------------------------------------------------------------


def _some_lost(setting: Setting, latent: Latent, predicted: Flags, observed: Flags) -> tuple[Flags, Flags]:
    """Up to 2% of a model's replies are unreadable, whatever they contain; a lost reply loses its item."""
    width = predicted.shape[1] // setting.items

    def lost() -> Flags:
        shares = setting.rng.uniform(0, 0.02, (setting.models, 1))
        return np.repeat(setting.rng.random((setting.models, setting.items)) < shares, width, axis=1)

    return lost(), lost()


def _lost_by_outcome(setting: Setting, latent: Latent, predicted: Flags, observed: Flags) -> tuple[Flags, Flags]:
    """Outcomes that are yes are lost four to eight times as often as others; rankings lose their top questions."""
    odds = setting.rng.uniform(4, 8, (setting.models, 1))
    if setting.kind == "order":
        questions = latent.behaviour.reshape(setting.models, setting.items, QUESTIONS)
        top = questions >= np.partition(questions, 2, axis=2)[..., 2:3]
        chance = np.where(top, 0.06, 0.06 / odds[..., None])
        lost_question = setting.rng.random(questions.shape) < chance
        lost = (lost_question[..., FIRST] | lost_question[..., SECOND]).reshape(observed.shape)
    else:
        lost = setting.rng.random(observed.shape) < np.where(observed, 0.15, 0.15 / odds)
    return np.zeros_like(observed), lost


def _lost_by_disagreement(setting: Setting, latent: Latent, predicted: Flags, observed: Flags) -> tuple[Flags, Flags]:
    """Replies are lost more often where prediction and behaviour differ; .93 of claims keep both."""
    differ = (predicted != observed).astype(float)
    if setting.kind == "order":  # a ranking is lost as a whole, the more probably the more of its pairs differ
        differ = differ.reshape(setting.models, setting.items, len(PAIRS)).mean(axis=2)
    base = 0.01
    chance = base + (0.07 - base) * differ / np.maximum(differ.mean(axis=1, keepdims=True), 0.1)
    lost = setting.rng.random(differ.shape) < chance
    of_prediction = setting.rng.random(differ.shape) < 0.5
    width = predicted.shape[1] // differ.shape[1]
    return np.repeat(lost & of_prediction, width, axis=1), np.repeat(lost & ~of_prediction, width, axis=1)


# ---------------------------------------------------------------------------------------------------------------------
# Pieces that worlds are built from
# ---------------------------------------------------------------------------------------------------------------------


def _room(shared: Floats) -> Floats:
    """Weight of the noise that brings each row of shared parts to unit variance."""
    return np.asarray(np.sqrt(np.clip(1 - shared.var(axis=1, keepdims=True), 0.15, 1)))


def _null(
    setting: Setting,
    shared_prediction: Floats,
    shared_behaviour: Floats,
    *,
    prediction_rate: Floats | None = None,
    behaviour_rate: Floats | None = None,
    families: tuple[str | None, ...] | None = None,
    losses: Callable[[Setting, Latent, Flags, Flags], tuple[Flags, Flags]] = _some_lost,
) -> Latent:
    """Shared parts, noise in predictions, own parts in behaviour: the noise and the own parts are independent."""
    own = _room(shared_behaviour) * setting.own()
    return Latent(
        prediction=shared_prediction + _room(shared_prediction) * setting.noise(setting.models),
        behaviour=shared_behaviour + own,
        own=own,
        prediction_rate=setting.rates("prediction") if prediction_rate is None else prediction_rate,
        behaviour_rate=setting.rates("behaviour") if behaviour_rate is None else behaviour_rate,
        families=families or (None,) * setting.models,
        losses=losses,
    )


def _norm_parts(setting: Setting, low: float = 0.45, high: float = 0.7) -> tuple[Floats, Floats]:
    """The common norm in predictions and in behaviour, with weights of each model that are unrelated."""
    norm = setting.noise(1)
    return setting.loads(low, high) * norm, setting.loads(low, high) * norm


def _groups(setting: Setting, size: int) -> NDArray[np.int64]:
    """A group for each model, `size` models a group, in random order; models that are left over have -1."""
    groups = np.arange(setting.models) // size
    groups[groups == setting.models // size] = -1
    return setting.rng.permutation(groups)


def _group_part(setting: Setting, groups: NDArray[np.int64]) -> Floats:
    """The part that each model's group has in common; 0 for models without a group."""
    parts = setting.noise(int(groups.max()) + 1)
    return np.where(groups[:, None] >= 0, parts[groups], 0.0)


def _standardised(rows: Floats) -> Floats:
    return np.asarray((rows - rows.mean(axis=1, keepdims=True)) / rows.std(axis=1, keepdims=True))


# ---------------------------------------------------------------------------------------------------------------------
# One factor
# ---------------------------------------------------------------------------------------------------------------------


@_world(NULLS, "all alike", "One norm is shared, and all models know and follow it equally; the rest is noise.")
def _all_alike(setting: Setting) -> Latent:
    norm = GENERAL_KNOWLEDGE * np.repeat(setting.noise(1), setting.models, axis=0)
    return _null(setting, norm, norm)


def _by_generality(setting: Setting, typical_low: float, typical_high: float) -> Latent:
    norm = setting.noise(1)
    height = setting.loads(0, 1)
    typicality = typical_low + (typical_high - typical_low) * height
    return _null(setting, (0.25 + 0.6 * height) * norm, typicality * norm)


@_world(
    NULLS,
    "better generalists more typical",
    "One norm is shared; who knows it better also follows it more, so own pairs of prediction and behaviour agree by "
    "the product of two weights and by nothing else.",
)
def _more_typical(setting: Setting) -> Latent:
    return _by_generality(setting, 0.3, 0.85)


@_world(
    NULLS,
    "better generalists less typical",
    "One norm is shared; who knows it better follows it less, and what departs from the norm is noise.",
)
def _less_typical(setting: Setting) -> Latent:
    return _by_generality(setting, 0.85, 0.3)


@_world(
    NULLS,
    "says yes more and does it more",
    "One norm is shared; a model with a high rate of yes has it in predictions and behaviour, which says nothing "
    "about the claims on which it departs from the norm.",
)
def _yes_in_both(setting: Setting) -> Latent:
    height = setting.rng.random(setting.models)
    if setting.kind == "order":
        rates = 0.3 + 0.4 * height
        return _null(setting, *_norm_parts(setting), prediction_rate=rates, behaviour_rate=rates)
    return _null(
        setting,
        *_norm_parts(setting),
        prediction_rate=setting.rates("prediction", height),
        behaviour_rate=setting.rates("behaviour", height),
    )


def _saying_no(setting: Setting, count: int) -> Latent:
    rates = setting.rates("prediction")
    rates[setting.rng.permutation(setting.models)[:count]] = setting.rng.uniform(0.02, 0.05, count)
    return _null(setting, *_norm_parts(setting), prediction_rate=rates)


@_world(
    NULLS,
    "one nearly always says no",
    "One norm is shared; one model predicts yes at .02 to .05 (order: it nearly always reverses the order shown).",
)
def _one_says_no(setting: Setting) -> Latent:
    return _saying_no(setting, 1)


@_world(
    NULLS,
    "two nearly always say no",
    "One norm is shared; two models predict yes at .02 to .05 (order: they nearly always reverse the order shown).",
)
def _two_say_no(setting: Setting) -> Latent:
    return _saying_no(setting, 2)


# ---------------------------------------------------------------------------------------------------------------------
# Kinds, traits, families
# ---------------------------------------------------------------------------------------------------------------------


@_world(
    NULLS,
    "two kinds",
    "Half of the models share one norm and half another, and each predicts by its kind's norm, which the others of "
    "its kind know and follow too.",
)
def _two_kinds(setting: Setting) -> Latent:
    kinds = setting.rng.permutation(np.arange(setting.models) % 2)
    part = _group_part(setting, kinds)
    predicted, observed = _norm_parts(setting, 0.35, 0.55)
    return _null(
        setting,
        predicted + setting.loads(0.4, 0.6) * part,
        observed + setting.loads(0.4, 0.6) * part,
    )


@_world(
    NULLS,
    "public trait",
    "A second trait of the items is shared by all, and how much of it each model has is common knowledge, so that "
    "predictions and behaviour carry it with the same weight.",
)
def _public_trait(setting: Setting) -> Latent:
    predicted, observed = _norm_parts(setting)
    part = setting.signed_loads(0.4) * setting.noise(1)
    return _null(setting, predicted + part, observed + part)


def _unrelated(setting: Setting, traits: int) -> Latent:
    # Weights in predictions are drawn independently of those in behaviour: their products have mean 0 over models,
    # though one model's product can be large in either direction.
    predicted, observed = _norm_parts(setting)
    values = setting.noise(traits)
    spread = 0.5 / math.sqrt(traits)
    of_predictions = np.hstack([setting.signed_loads(spread) for _ in range(traits)])
    of_behaviour = np.hstack([setting.signed_loads(spread) for _ in range(traits)])
    return _null(setting, predicted + of_predictions @ values, observed + of_behaviour @ values)


@_world(
    NULLS,
    "unrelated trait",
    "A second trait of the items is shared by all; how much of it a model's predictions have is unrelated to how much "
    "its behaviour has.",
)
def _unrelated_trait(setting: Setting) -> Latent:
    return _unrelated(setting, 1)


@_world(
    NULLS,
    "three unrelated traits",
    "Three traits of the items are shared by all, with weights in predictions that are unrelated to those in "
    "behaviour.",
)
def _three_unrelated(setting: Setting) -> Latent:
    return _unrelated(setting, 3)


@_world(
    NULLS,
    "clear split",
    "Items are clearly one thing or the other for everybody, and models cautious in predictions are cautious in "
    "behaviour; within each half nobody knows where it departs from the norm.",
)
def _clear_split(setting: Setting) -> Latent:
    if setting.kind == "order":  # questions are clearly easy or clearly hard
        side = setting.rng.choice([-1.0, 1.0], (1, setting.units))
    else:
        side = setting.by_item(setting.rng.choice([-1.0, 1.0], (1, setting.items)))
    norm = 0.93 * side + 0.37 * setting.noise(1)
    height = setting.rng.random(setting.models)
    return _null(
        setting,
        setting.loads(0.6, 0.8) * norm,
        setting.loads(0.6, 0.8) * norm,
        prediction_rate=setting.rates("prediction", height),
        behaviour_rate=setting.rates("behaviour", height),
    )


def _families(setting: Setting, size: int, *, tagged: bool) -> Latent:
    # A model that is left over gets no family part: alone with it, it would know something that is its own.
    groups = _groups(setting, size)
    part = _group_part(setting, groups)
    predicted, observed = _norm_parts(setting, 0.4, 0.6)
    tags = tuple(f"family {group}" if tagged and group >= 0 else None for group in groups)
    return _null(
        setting,
        predicted + setting.loads(0.4, 0.65) * part,
        observed + setting.loads(0.4, 0.65) * part,
        families=tags,
    )


@_world(NULLS, "families of two, tagged", "Pairs of models share a norm which both know and follow; tags name them.")
def _tagged_pairs(setting: Setting) -> Latent:
    return _families(setting, 2, tagged=True)


@_world(NULLS, "families of two, untagged", "Pairs of models share a norm which both know and follow, without tags.")
def _untagged_pairs(setting: Setting) -> Latent:
    return _families(setting, 2, tagged=False)


@_world(NULLS, "families of three, tagged", "Three models share a norm which all know and follow; tags name them.")
def _tagged_triples(setting: Setting) -> Latent:
    return _families(setting, 3, tagged=True)


@_world(NULLS, "families of three, untagged", "Three models share a norm which all know and follow, without tags.")
def _untagged_triples(setting: Setting) -> Latent:
    return _families(setting, 3, tagged=False)


@_world(
    NULLS,
    "lone cohort",
    "The first model is new: its cohort, of which it alone is in the panel, has a norm that it knows and follows, and "
    "what is its own within the cohort it does not know (for the panel and the other models; within the panel the "
    "first model looks exactly like one that knows itself).",
)
def _lone_cohort(setting: Setting) -> Latent:
    predicted, observed = _norm_parts(setting)
    cohort = setting.noise(1)[0]
    for part in (predicted, observed):
        part[0] = 0.5 * part[0] + setting.rng.uniform(0.5, 0.65) * cohort
    return _null(setting, predicted, observed)


@_world(
    NULLS,
    "order-biased",
    "Next to the norm all models prefer the question shown first, in predictions and in behaviour, the same ones "
    "more; the order is public.",
    needs="order",
)
def _order_biased(setting: Setting) -> Latent:
    height = setting.rng.random(setting.models)
    blur = setting.rng.uniform(-0.05, 0.05, (2, setting.models))
    return _null(
        setting,
        *_norm_parts(setting),
        prediction_rate=0.55 + 0.25 * height + blur[0],
        behaviour_rate=0.55 + 0.25 * height + blur[1],
    )


# ---------------------------------------------------------------------------------------------------------------------
# Losses
# ---------------------------------------------------------------------------------------------------------------------


@_world(
    NULLS,
    "losses by outcome",
    "One norm is shared; outcomes that are yes are lost more often, which depends on behaviour and not on predictions.",
)
def _losing_by_outcome(setting: Setting) -> Latent:
    return _null(setting, *_norm_parts(setting), losses=_lost_by_outcome)


@_world(
    NULLS,
    "losses by disagreement",
    "One norm is shared; replies are lost more often where prediction and behaviour differ (coverage .93), which "
    "makes those that are left agree more than anybody knows.",
)
def _losing_by_disagreement(setting: Setting) -> Latent:
    return _null(setting, *_norm_parts(setting), losses=_lost_by_disagreement)


# ---------------------------------------------------------------------------------------------------------------------
# Many-to-many sharing
# ---------------------------------------------------------------------------------------------------------------------


def _same_in_both(setting: Setting, part: Floats, low: float = 0.5, high: float = 0.65) -> Latent:
    """Add each model's mix of shared sources to a weaker norm, in predictions and in behaviour alike."""
    predicted, observed = _norm_parts(setting, 0.35, 0.55)
    return _null(
        setting,
        predicted + setting.loads(low, high) * part,
        observed + setting.loads(low, high) * part,
    )


@_world(
    NULLS,
    "features",
    "Six features of the items are public; each model has its own mix of them, the same in predictions and behaviour, "
    "but every feature is in every model.",
)
def _features(setting: Setting) -> Latent:
    mix = setting.rng.standard_normal((setting.models, 6))
    mix /= np.linalg.norm(mix, axis=1, keepdims=True)
    return _same_in_both(setting, mix @ setting.noise(6))


@_world(
    NULLS,
    "ring",
    "Models stand in a ring, and each shares one part with its left and one with its right neighbour; both know the "
    "part that they share.",
)
def _ring(setting: Setting) -> Latent:
    links = setting.noise(setting.models)
    return _same_in_both(setting, (links + np.roll(links, 1, axis=0)) / math.sqrt(2))


@_world(
    NULLS,
    "patchwork",
    "There are a dozen sources; each model draws on three of them in predictions and behaviour, and each source has at "
    "least two users.",
)
def _patchwork(setting: Setting) -> Latent:
    # Sources are dealt like a pack of cards, three at a time, and a new pack is shuffled when one is used up: the
    # three of a model always differ, and two complete packs are dealt, so each source has two users or more.
    sources = min(12, 3 * (setting.models // 2))
    packs = math.ceil(3 * setting.models / sources)
    dealt = np.concatenate([setting.rng.permutation(sources) for _ in range(packs)])[: 3 * setting.models]
    values = setting.noise(sources)
    return _same_in_both(setting, values[dealt.reshape(setting.models, 3)].sum(axis=1) / math.sqrt(3))


# ---------------------------------------------------------------------------------------------------------------------
# Shapes
# ---------------------------------------------------------------------------------------------------------------------


def _curves(setting: Setting, norm: Floats) -> Floats:
    """One curve a model over the norm: it rises most at a place of its own, sharply or smoothly."""
    return _standardised(np.tanh(setting.loads(1, 4) * (norm - setting.signed_loads(0.8))))


@_world(
    NULLS,
    "non-linear, different",
    "One norm is shared, and each model responds to it by a curve of its own, another one in predictions than in "
    "behaviour; beyond the norm all is noise.",
)
def _nonlinear_different(setting: Setting) -> Latent:
    norm = setting.noise(1)
    predicted = setting.loads(0.55, 0.75) * _curves(setting, norm)
    return _null(setting, predicted, setting.loads(0.55, 0.75) * _curves(setting, norm))


@_world(
    NULLS,
    "non-linear, same",
    "One norm is shared, and each model responds to it by one curve in predictions and behaviour; the curve is a "
    "response to what all have, and beyond the norm all is noise.",
)
def _nonlinear_same(setting: Setting) -> Latent:
    curve = _curves(setting, setting.noise(1))
    return _null(setting, setting.loads(0.55, 0.75) * curve, setting.loads(0.55, 0.75) * curve)


def _topics(setting: Setting, topics: int = 8) -> NDArray[np.int64]:
    """A topic for each item, topics being of different sizes."""
    weights = setting.rng.uniform(0.5, 1.5, topics)
    return setting.rng.choice(topics, setting.items, p=weights / weights.sum())


@_world(
    NULLS,
    "topics",
    "Next to the norm each model has effects of eight topics in predictions and other ones, independent, in behaviour.",
)
def _topic_effects(setting: Setting) -> Latent:
    # In order panels a topic that is common to an item cancels, so there each question has a topic.
    predicted, observed = _norm_parts(setting)
    if setting.kind == "order":
        topic = setting.rng.integers(0, 8, setting.units)
    else:
        topic = np.repeat(_topics(setting), setting.places)
    of_predictions = 0.45 * setting.rng.standard_normal((setting.models, 8))
    of_behaviour = 0.45 * setting.own_effects(8)
    own = of_behaviour[:, topic]
    latent = _null(setting, predicted + of_predictions[:, topic], observed)
    # The topic effects of behaviour are the model's own, too, and come from the generator of own parts.
    return replace(latent, behaviour=latent.behaviour + own, own=latent.own + own)


@_world(
    NULLS,
    "heavy tails",
    "One norm is shared; norm, noise and own parts have heavy tails, each from random numbers of its own.",
)
def _heavy_tails(setting: Setting) -> Latent:
    def heavy(rows: Floats) -> Floats:
        # A t distribution of 2.5 degrees of freedom; claims of an item share a scale, as odd items are odd throughout.
        scale = setting.by_item(setting.rng.chisquare(2.5, (len(rows), setting.items)) / 2.5)
        return _standardised(rows / np.sqrt(scale))

    norm = np.clip(heavy(setting.noise(1)), -6, 6)
    predicted, observed = setting.loads(0.45, 0.7) * norm, setting.loads(0.45, 0.7) * norm
    # Own parts take their scales from the generator of own parts, too: scales are the model's alone.
    squares = setting.own_effects(setting.items) ** 2 + 0.5 * setting.own_effects(setting.items) ** 2
    own = 0.8 * _standardised(setting.own() / np.sqrt(0.02 + setting.by_item(squares)))
    return replace(
        _null(setting, predicted, observed),
        prediction=predicted + 0.8 * heavy(setting.noise(setting.models)),
        behaviour=observed + own,
        own=own,
    )


@_world(
    NULLS,
    "rare corner",
    "One norm is shared; all predict yes at .1 and do it at .85 (order: they predict the reverse of the order shown "
    "and rank by it), so that few claims carry any information.",
)
def _rare_corner(setting: Setting) -> Latent:
    spread = setting.rng.uniform(-0.02, 0.02, (2, setting.models))
    return _null(setting, *_norm_parts(setting), prediction_rate=0.1 + spread[0], behaviour_rate=0.85 + spread[1])


@_world(
    NULLS,
    "no norm, nothing known",
    "Nothing is shared at all: behaviour and predictions are independent random tables.",
)
def _nothing_known(setting: Setting) -> Latent:
    nothing = np.zeros((setting.models, setting.units))
    return _null(setting, nothing, nothing)


# ---------------------------------------------------------------------------------------------------------------------
# Further nulls that real panels could produce
# ---------------------------------------------------------------------------------------------------------------------


@_world(
    NULLS,
    "verbosity",
    "Items invite long answers to a skewed degree that is public; each model has one verbosity, which saturates, in "
    "predictions and behaviour.",
)
def _verbosity(setting: Setting) -> Latent:
    if setting.kind == "order":
        length = setting.rng.exponential(1, (1, setting.units))
    else:
        length = setting.by_item(setting.rng.exponential(1, (1, setting.items)))
    response = np.tanh(setting.loads(0.1, 2.5) * length)
    predicted, observed = _norm_parts(setting)
    # Not standardised by row: a model of little verbosity has little of the response.
    part = 2.0 * (response - response.mean(axis=1, keepdims=True))
    return _null(setting, predicted + part, observed + part)


def _policy(setting: Setting, groups: NDArray[np.int64]) -> Floats:
    """Rare strong shifts by group: 12% of items fall under a group's policy."""
    count = int(groups.max()) + 1
    if setting.kind == "order":
        hit = setting.rng.random((count, setting.units)) < 0.12
        parts = hit * setting.rng.choice([-1.0, 1.0], (count, setting.units))
    else:
        parts = -setting.by_item((setting.rng.random((count, setting.items)) < 0.12).astype(float))
    return np.where(groups[:, None] >= 0, parts[groups], 0.0)


@_world(
    NULLS,
    "provider policy",
    "Untagged providers of two or three models each refuse a rare set of items that both or all of their models refuse "
    "and predict to refuse.",
)
def _provider_policy(setting: Setting) -> Latent:
    sizes = _groups(setting, int(setting.rng.integers(2, 4)))
    predicted, observed = _norm_parts(setting)
    part = 2.0 * _policy(setting, sizes)
    return _null(setting, predicted + part, observed + part)


@_world(
    NULLS,
    "copied predictions",
    "Half of the models repeat 70% of one model's predictions, word for word; behaviour shares the norm only, so "
    "what is copied knows nobody beyond it.",
)
def _copied_predictions(setting: Setting) -> Latent:
    latent = _null(setting, *_norm_parts(setting))
    source, *others = setting.rng.permutation(setting.models)
    copiers = np.array(others[: setting.models // 2])
    repeats = setting.by_item((setting.rng.random((len(copiers), setting.items)) < 0.7).astype(float)) > 0
    prediction = latent.prediction.copy()
    prediction[copiers] = np.where(repeats, prediction[source], prediction[copiers])
    return replace(latent, prediction=prediction)


@_world(
    NULLS,
    "misread prompts",
    "About half of the models take a public third of the items to ask for the opposite, in predictions and behaviour, "
    "and some others misread it in predictions only; who misreads follows the norm inverted.",
)
def _misread_prompts(setting: Setting) -> Latent:
    # Questions of order panels are misread one by one: an item turned around as a whole is a smaller change there.
    size = setting.units if setting.kind == "order" else setting.items
    public = setting.rng.random((1, size)) < 0.33
    sign = np.where(public, -1.0, 1.0)
    sign = sign if setting.kind == "order" else setting.by_item(sign)
    order = setting.rng.permutation(setting.models)
    both = np.isin(np.arange(setting.models), order[: setting.models // 2])[:, None]
    predictions_only = np.isin(np.arange(setting.models), order[-(setting.models // 4) :])[:, None]
    predicted, observed = _norm_parts(setting, 0.5, 0.7)
    return _null(
        setting,
        np.where(both | predictions_only, sign * predicted, predicted),
        np.where(both, sign * observed, observed),
    )


@_world(
    NULLS,
    "mistaken identity",
    "Each model takes itself for another one in the panel and predicts that one's behaviour, own part included; no "
    "model is taken for itself.",
)
def _mistaken_identity(setting: Setting) -> Latent:
    latent = _null(setting, *_norm_parts(setting))
    order = setting.rng.permutation(setting.models)
    # Rows of own parts are handed on along one ring, so no row reaches the predictions of its own model.
    other = np.empty_like(latent.own)
    other[order] = latent.own[np.roll(order, 1)]
    return replace(latent, prediction=0.8 * latent.prediction + 0.6 * other)


@_world(
    NULLS,
    "knows the crowd",
    "Each model has read what the others do and predicts the mean of their behaviour, own parts included, but nothing "
    "of its own part.",
)
def _knows_the_crowd(setting: Setting) -> Latent:
    latent = _null(setting, *_norm_parts(setting))
    # Multiplied out: the total minus the own row would leave rounding errors of the own part.
    others = (1 - np.eye(setting.models)) / math.sqrt(setting.models - 1)
    return replace(latent, prediction=0.8 * latent.prediction + 0.5 * others @ latent.own)


@_world(
    NULLS,
    "chain of distillation",
    "Each model was distilled from the one before it: it knows and has its teacher's part, and what it adds, which its "
    "pupils take over, it does not know.",
)
def _chain(setting: Setting) -> Latent:
    predicted, observed = _norm_parts(setting, 0.4, 0.55)
    own = setting.own()
    order = setting.rng.permutation(setting.models)
    inherited, added = 0.75, math.sqrt(1 - 0.75**2)
    parts = np.zeros_like(own)
    teachers = np.zeros_like(own)
    parts[order[0]] = own[order[0]]
    for teacher, pupil in pairwise(order):
        teachers[pupil] = parts[teacher]
        parts[pupil] = inherited * parts[teacher] + added * own[pupil]
    # The first model has no teacher: all of its part is its own, and it knows nothing of it.
    share = np.full((setting.models, 1), added)
    share[order[0]] = 1.0
    weight = 0.75
    shared = predicted + 0.6 * teachers
    behaviour = observed + weight * parts
    rest = _room(behaviour) * setting.own()
    return Latent(
        prediction=shared + _room(shared) * setting.noise(setting.models),
        behaviour=behaviour + rest,
        own=weight * share * own + rest,
        prediction_rate=setting.rates("prediction"),
        behaviour_rate=setting.rates("behaviour"),
        families=(None,) * setting.models,
        losses=_some_lost,
    )


@_world(
    NULLS,
    "lineage",
    "Models descend from makers, series and pairs, and share a part at each level that all of the branch know and "
    "have; there are no tags.",
)
def _lineage(setting: Setting) -> Latent:
    # Pairs are the lowest branches and nobody is a branch alone; the odd model joins the last pair.
    pairs = np.minimum(np.arange(setting.models) // 2, setting.models // 2 - 1)
    shuffled = setting.rng.permutation(pairs)
    part = sum(_group_part(setting, shuffled // 2**level) for level in range(3))
    return _same_in_both(setting, np.asarray(part) / math.sqrt(3))


@_world(
    NULLS,
    "corpora",
    "There are twenty sources; each is in two fifths of the models, two at least, and each model has a weight for each "
    "of its sources, the same in predictions and behaviour.",
)
def _corpora(setting: Setting) -> Latent:
    users = max(2, round(0.4 * setting.models))
    uses = setting.rng.random((20, setting.models)).argsort(axis=1) < users
    mix = uses.T * setting.rng.uniform(0.5, 1.5, (setting.models, 20))
    # A model that happens to draw on no source has no part, and its row stays 0.
    mix /= np.maximum(np.linalg.norm(mix, axis=1, keepdims=True), 1e-9)
    return _same_in_both(setting, mix @ setting.noise(20))


@_world(
    NULLS,
    "habits by place",
    "Each model favours some places of the list or of the claims within an item, in predictions and behaviour alike; "
    "places are public.",
    needs="places",
)
def _habits_by_place(setting: Setting) -> Latent:
    habits = setting.rng.standard_normal((setting.models, setting.places)) * 0.5
    part = setting.by_place(habits - habits.mean(axis=1, keepdims=True))
    predicted, observed = _norm_parts(setting)
    return _null(setting, predicted + part, observed + part)


@_world(
    NULLS,
    "second language",
    "Half of the items are in a language that some models know badly: there both their predictions and their "
    "behaviour have less of the norm and more noise.",
)
def _second_language(setting: Setting) -> Latent:
    size = setting.units if setting.kind == "order" else setting.items
    foreign = setting.rng.random((1, size)) < 0.5
    foreign = foreign if setting.kind == "order" else np.repeat(foreign, setting.places, axis=1)
    weakness = np.where(foreign, setting.loads(0, 1), 1.0)
    predicted, observed = _norm_parts(setting, 0.6, 0.8)
    return _null(setting, weakness * predicted, weakness * observed)


@_world(
    NULLS,
    "shared ambiguity",
    "Ambiguous items, the same ones for everybody, have more noise in all predictions and all behaviour; how noisy an "
    "item is, is shared, and in which direction the noise goes is not.",
)
def _shared_ambiguity(setting: Setting) -> Latent:
    # The sign of the own part is independent of everything else, so the correlation is 0; its size is public.
    size = setting.units if setting.kind == "order" else setting.items
    ambiguity = np.exp(0.6 * setting.rng.standard_normal((1, size))) / math.exp(0.36)
    ambiguity = ambiguity if setting.kind == "order" else setting.by_item(ambiguity)
    predicted, observed = _norm_parts(setting)
    latent = _null(setting, predicted, observed)
    own = latent.own * ambiguity
    noise = (latent.prediction - predicted) * ambiguity
    return replace(latent, prediction=predicted + noise, behaviour=observed + own, own=own)


@_world(
    NULLS,
    "all sorts",
    "Two kinds, a public trait, an unrelated trait, coupled rates of yes and losses by outcome come together, each "
    "shared as in its own world.",
)
def _all_sorts(setting: Setting) -> Latent:
    predicted, observed = _norm_parts(setting, 0.35, 0.5)
    kind_part = 0.35 * _group_part(setting, setting.rng.permutation(np.arange(setting.models) % 2))
    public = setting.signed_loads(0.3) * setting.noise(1)
    unrelated = setting.noise(1)
    height = setting.rng.random(setting.models)
    return _null(
        setting,
        predicted + kind_part + public + setting.signed_loads(0.3) * unrelated,
        observed + kind_part + public + setting.signed_loads(0.3) * unrelated,
        prediction_rate=setting.rates("prediction", height),
        behaviour_rate=setting.rates("behaviour", height),
        losses=_lost_by_outcome,
    )


# ---------------------------------------------------------------------------------------------------------------------
# Worlds with truth
# ---------------------------------------------------------------------------------------------------------------------


def _knowing(setting: Setting, share: Floats) -> Latent:
    """One norm, and behind each prediction the given share of the model's own part.

    The prediction beyond the norm has correlation `share` with the behaviour beyond the norm; the correlation of
    the prediction with the norm is .6 at every share.
    """
    norm = setting.noise(1)
    typicality = setting.loads(*TYPICALITY)
    own = setting.own()
    rest = share * own + np.sqrt(1 - share**2) * setting.noise(setting.models)
    own_weight = np.sqrt(1 - typicality**2)
    return Latent(
        prediction=GENERAL_KNOWLEDGE * norm + math.sqrt(1 - GENERAL_KNOWLEDGE**2) * rest,
        behaviour=typicality * norm + own_weight * own,
        own=own_weight * own,
        prediction_rate=setting.rates("prediction"),
        behaviour_rate=setting.rates("behaviour"),
        families=(None,) * setting.models,
        losses=_some_lost,
    )


def _everybody_knows(share: float) -> World:
    return lambda setting: _knowing(setting, np.full((setting.models, 1), share))


def _first_knows(share: float) -> World:
    def build(setting: Setting) -> Latent:
        shares = np.zeros((setting.models, 1))
        shares[0] = share
        return _knowing(setting, shares)

    return build


for _share in (0.3, 0.5, 1.0):
    _world(TRUE, f"knows {_share:g}", f"Every model knows {_share:g} of its own part; general knowledge is .6.")(
        _everybody_knows(_share)
    )
_world(TRUE, "one knows", "The first model knows all of its own part and the others nothing of theirs.")(
    _first_knows(1.0)
)
_world(TRUE, "one knows .5", "The first model knows half of its own part and the others nothing of theirs.")(
    _first_knows(0.5)
)


@_world(
    TRUE,
    "no norm, all known",
    "Behaviour is an independent random table, and predictions equal it up to 10 to 20% flips (order: up to as many "
    "pairs, by noise in the ranking).",
)
def _all_known(setting: Setting) -> Latent:
    flips = setting.rng.uniform(0.10, 0.20, (setting.models, 1))
    own = setting.own()
    # Rates that predictions and behaviour can both have, although flips move the rate towards one half.
    height = setting.rng.random(setting.models)
    rates = 0.38 + 0.07 * height if setting.kind == "binary" else setting.rates("behaviour", height)
    # Two normal values of correlation r lie on different sides of their medians with probability arccos(r) / pi.
    agreement = np.cos(np.pi * flips)
    return Latent(
        prediction=agreement * own + np.sqrt(1 - agreement**2) * setting.noise(setting.models),
        behaviour=own,
        own=own,
        prediction_rate=rates,
        behaviour_rate=rates,
        families=(None,) * setting.models,
        losses=_some_lost,
    )


# ---------------------------------------------------------------------------------------------------------------------
# Limits: nulls by definition which no verdict can tell from truth
# ---------------------------------------------------------------------------------------------------------------------


@_world(
    LIMITS,
    "every two share",
    "Every two models share a source that no third has and that both know. The sums over sources have covariance "
    "1 / (models - 1) between any two models, like one trait of all models plus own parts: the panel has exactly the "
    "distribution of one in which all know their own parts, so no verdict can tell the two apart.",
)
def _every_two_share(setting: Setting) -> Latent:
    part = np.zeros((setting.models, setting.units))
    for first in range(setting.models):
        links = setting.noise(setting.models - first - 1)
        part[first] += links.sum(axis=0)
        part[first + 1 :] += links
    return _same_in_both(setting, part / math.sqrt(setting.models - 1))
