"""Worlds in which it is known whose prediction knows something of its own behaviour: for judging whoever claims to find
that out.

    panel = draw("families", models=8, items=200, kind="binary", seed=1)

K models face items of four *units*: candidate words of a target (binary), questions of a group (order). Of a unit u,
model i has a latent outcome D and a latent prediction W,

    D[i,u] = sum over traits t of outcome[i,t] * T[t,u] + own[i] * O[i,u]            + rest  * luck
    W[i,u] = sum over traits t of prediction[i,t] * T[t,u] + known[i] * own[i] * O[i,u] + rest' * doubt

T are traits of units, the same for all models; O[i] is the own part of model i, luck and doubt are drawn for each model
alone. All of them are independent with mean 0 and variance 1, and the rests make the variance of D and W one, so that
each coefficient is a correlation: outcome[i,0] is how typical model i is, prediction[i,0] its general knowledge,
known[i] the share w of its own part that its prediction knows. What no trait says of an outcome is mostly the model's
own, the rest luck:

    own[i]^2 = OWN * (1 - sum over t of outcome[i,t]^2)

Binary: claims are units. Traits, own parts, luck and doubt are sqrt(ALIKE) * (one draw for the item)
+ sqrt(1 - ALIKE) * (one for the unit). Yes is a latent beyond the normal quantile that is exceeded at the model's rate.

Order: claims are the six pairs of an item's questions, in the order of FIRST and SECOND; units are independent (what
questions share cancels). Yes is that the question named first has the greater latent. A rate other than one half comes
of a lean to the questions named earlier, added to the latents, so that pairs stay transitive.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Rates = tuple[Array, Array]  # shares of yes in predictions and in outcomes, by model
Kind = Literal["binary", "order"]
Verdict = Literal["not shown", "unresolved", "own"]
Whom = Literal["nobody", "the first", "everybody"]
Trait = Literal["plain", "whole item", "split", "place"]
Losing = Literal["at random", "outcome is yes", "they disagree"]

UNITS = 4
FIRST, SECOND = np.triu_indices(UNITS, 1)

ALIKE = 0.3  # intraclass correlation of each part of a latent, binary
OWN = 0.75
LOST_AT_RANDOM = 0.02  # of whole replies
LOSSES = (0.02, 0.15)  # of claims, half of the models each, where losses depend on the outcome
TIMES = 4.0  # how much likelier a claim is lost where the outcome is so
COPIED = 0.8
SPREAD_OUT, CLOSE = math.sqrt(2 - 0.3**2), 0.3  # sizes of a trait in clear and unclear items: variance one in all
USUAL_PREDICTIONS: Mapping[Kind, tuple[float, float]] = {"binary": (0.35, 0.8), "order": (0.45, 0.55)}
USUAL_OUTCOMES: Mapping[Kind, tuple[float, float]] = {"binary": (0.15, 0.45), "order": (0.45, 0.55)}
FAR_APART: Mapping[Kind, tuple[float, float]] = {"binary": (0.1, 0.9), "order": (0.25, 0.75)}
SAYS_NO = 0.08

# how early a place is, variance one over the four
EARLY: Array = np.array([(1.5 - place) / math.sqrt(1.25) for place in range(UNITS)])


@dataclass(frozen=True, eq=False)
class Panel:
    """What can be seen of K models. Claims of an item stand together, four (binary) or six (order, see FIRST).

    `predictions` and `outcomes`, of shape (models, claims): 1 yes, 0 no, nan lost. `shown` is the place in which all
    models were shown a claim's prediction among its item's four, 0 to 3 (binary); or how many places earlier its
    first-named question was shown than its second, -3 to 3 and never 0 (order). `families` are tags of families, None
    where nobody has any."""

    kind: Kind
    predictions: Array
    outcomes: Array
    item: NDArray[np.int64]
    shown: NDArray[np.int64]
    families: tuple[str, ...] | None

    @property
    def shown_first(self) -> Flags:
        """The claim's prediction was shown before all others of its item; its first-named question before the
        second.
        """
        return self.shown == 0 if self.kind == "binary" else self.shown > 0


@dataclass(frozen=True)
class Casting:
    """The models that a world is about to make, and ways to make them differ."""

    models: int
    kind: Kind
    rng: np.random.Generator

    def spread(self, low: float, high: float) -> Array:
        """Evenly from low to high, in random order, so that each panel has models of all sorts."""
        return self.rng.permutation(np.linspace(low, high, self.models))

    def all(self, value: float) -> Array:
        return np.full(self.models, value)

    def first(self, value: float, others: float = 0.0) -> Array:
        return np.array([value] + [others] * (self.models - 1))

    def usual_rates(self) -> Rates:
        """Of predictions and of outcomes, which have nothing to do with each other."""
        return self.spread(*USUAL_PREDICTIONS[self.kind]), self.spread(*USUAL_OUTCOMES[self.kind])

    def rates_together(self, low: float, high: float) -> Rates:
        """Each model says yes as often as it does."""
        rates = self.spread(low, high)
        return rates, rates


@dataclass(frozen=True, eq=False)
class Design:
    """The models of one panel, as in the formulas above; `prediction` and `outcome` of shape (models, traits).

    `copied`: share of items in which the first model's predictions are those of the second. `heavy`: all parts have
    Student's t of three degrees of freedom, at variance one, so that rates hold but roughly."""

    traits: tuple[Trait, ...]
    prediction: Array
    outcome: Array
    own: Array
    known: Array
    rates: Rates
    losing: Losing = "at random"
    families: tuple[str, ...] | None = None
    copied: float = 0.0
    heavy: bool = False


@dataclass(frozen=True, eq=False)
class Truth:
    """What a panel was made of: arrays of shape (traits or models, units). `predictions` and `outcomes` are latents."""

    design: Design
    traits: Array
    own: Array
    predictions: Array
    outcomes: Array


@dataclass(frozen=True)
class World:
    """`sentence`: what is so in it. `best`: the most that may be said there of the models in `of`; `others`: of all
    others. `knows`: whose prediction knows something of its own part that is nobody else's."""

    sentence: str
    make: Callable[[Casting], Design]
    best: Verdict = "not shown"
    of: Whom = "nobody"
    knows: Whom = "nobody"
    others: Verdict = "not shown"

    def allowed(self, models: int) -> tuple[Verdict, ...]:
        """The most that may be said of each model."""
        return tuple(self.best if named else self.others for named in _named(self.of, models))

    def knowers(self, models: int) -> tuple[bool, ...]:
        return _named(self.knows, models)


def _named(whom: Whom, models: int) -> tuple[bool, ...]:
    return tuple(whom == "everybody" or (whom == "the first" and model == 0) for model in range(models))


# --- drawing ---------------------------------------------------------------------------------------------------------


def draw(world: str, *, models: int, items: int, kind: Kind, seed: int) -> Panel:
    """One panel of a world. Panels of other worlds, sizes, kinds or seeds are independent of it."""
    return draw_with_truth(world, models=models, items=items, kind=kind, seed=seed)[0]


def draw_with_truth(world: str, *, models: int, items: int, kind: Kind, seed: int) -> tuple[Panel, Truth]:
    """The same panel with what it was made of, which nobody who is judged on it may see."""
    if world not in WORLDS:
        raise ValueError(f"there is no world {world!r}: there are {', '.join(map(repr, WORLDS))}")
    if kind not in ("binary", "order"):
        raise ValueError(f"kind {kind!r}: claims are 'binary' or 'order'")
    if models < 3 or items < 1:
        raise ValueError(f"{models} models and {items} items: it takes three models and an item")
    rng = np.random.default_rng([seed, models, items, *f"{kind} {world}".encode()])
    design = WORLDS[world].make(Casting(models, kind, rng))
    places = rng.permuted(np.tile(np.arange(UNITS), (items, 1)), axis=1)
    truth = _truth(design, places, kind, rng)
    predictions, outcomes = (
        _claims(latents, rates, kind)
        for latents, rates in zip((truth.predictions, truth.outcomes), design.rates, strict=True)
    )
    no_prediction, no_outcome = _lost(design.losing, predictions, outcomes, items, rng)
    shown = places if kind == "binary" else places[:, SECOND] - places[:, FIRST]
    panel = Panel(
        kind,
        np.where(no_prediction, np.nan, predictions),
        np.where(no_outcome, np.nan, outcomes),
        item=np.repeat(np.arange(items), shown.shape[1]),
        shown=shown.ravel(),
        families=design.families,
    )
    return panel, truth


def _truth(design: Design, places: NDArray[np.int64], kind: Kind, rng: np.random.Generator) -> Truth:
    models, items = len(design.own), len(places)

    def parts(rows: int) -> Array:
        return _parts(rows, items, kind, design.heavy, rng)

    traits = np.array([_trait(trait, parts(1)[0], places, kind, rng).ravel() for trait in design.traits])
    own, luck, doubt = (parts(models).reshape(models, -1) for _ in range(3))
    outcomes = _latent(design.outcome @ traits, np.square(design.outcome).sum(1), design.own, own, luck)
    predictions = _latent(
        design.prediction @ traits, np.square(design.prediction).sum(1), design.known * design.own, own, doubt
    )
    copied = np.repeat(rng.random(items) < design.copied, UNITS)
    predictions[0, copied] = predictions[1, copied]
    return Truth(design, traits, own, predictions, outcomes)


def _parts(rows: int, items: int, kind: Kind, heavy: bool, rng: np.random.Generator) -> Array:
    """Independent parts of variance one, of shape (rows, items, units)."""
    parts = rng.standard_normal((rows, items, UNITS))
    if kind == "binary":
        parts *= math.sqrt(1 - ALIKE)
        parts += math.sqrt(ALIKE) * rng.standard_normal((rows, items, 1))
    # t of three degrees of freedom has variance three: normal / sqrt(chi squared / 3) / sqrt(3)
    if heavy:
        parts /= np.sqrt(rng.chisquare(3, parts.shape))
    return parts


def _trait(trait: Trait, part: Array, places: NDArray[np.int64], kind: Kind, rng: np.random.Generator) -> Array:
    """A trait of shape (items, units)."""
    if trait == "place":
        return EARLY[places]
    if trait == "whole item" and kind == "binary":
        return np.repeat(rng.standard_normal((len(part), 1)), UNITS, axis=1)
    if trait == "split":
        # nothing near the middle: yes and no far apart, or four questions at even distances
        ranks: NDArray[np.int64] = part.argsort(axis=1).argsort(axis=1)
        clear_cut: Array = np.where(part > 0, 1.0, -1.0) if kind == "binary" else -EARLY[ranks]
        return np.where(rng.random((len(part), 1)) < 0.5, SPREAD_OUT * clear_cut, CLOSE * part)
    return part


def _latent(by_traits: Array, explained: Array, by_own: Array, own: Array, rest: Array) -> Array:
    left = 1 - explained - by_own**2
    found: Array = by_traits + by_own[:, None] * own + np.sqrt(left)[:, None] * rest
    return found


def _claims(latents: Array, rates: Array, kind: Kind) -> Flags:
    """Yes or no of each claim, of shape (models, claims)."""
    if kind == "binary":
        thresholds = np.array([NormalDist().inv_cdf(1 - rate) for rate in rates])
        return latents > thresholds[:, None]
    leans = np.interp(rates, _RATES, _LEANS)
    strengths = latents.reshape(len(rates), -1, UNITS) + leans[:, None, None] * EARLY
    found: Flags = (strengths[..., FIRST] > strengths[..., SECOND]).reshape(len(rates), -1)
    return found


# the share of pairs whose first-named question is ahead, by lean: two latents differ with variance two
_APART = (EARLY[FIRST] - EARLY[SECOND]) / math.sqrt(2)
_LEANS = np.linspace(-5, 5, 2001)
_RATES = np.array([np.mean([NormalDist().cdf(lean * apart) for apart in _APART]) for lean in _LEANS])


def _lost(
    losing: Losing, predictions: Flags, outcomes: Flags, items: int, rng: np.random.Generator
) -> tuple[Flags, Flags]:
    """Which predictions and which outcomes are lost: replies to whole items at random, or claim by claim as the outcome
    is.
    """
    models, claims = predictions.shape
    if losing == "at random":
        replies = rng.random((2, models, items)) < LOST_AT_RANDOM
        no_prediction, no_outcome = np.repeat(replies, claims // items, axis=2)
        return no_prediction, no_outcome
    likelier = outcomes if losing == "outcome is yes" else predictions != outcomes
    share = likelier.mean(1, keepdims=True)
    # half of the models each, the odd one by chance
    rates = rng.permutation(np.resize(rng.permutation(LOSSES), models))[:, None]
    chance = rates / (TIMES * share + 1 - share) * np.where(likelier, TIMES, 1)
    gone = rng.random(predictions.shape) < chance
    which = rng.random(predictions.shape) < 0.5
    return gone & which, gone & ~which


# --- worlds ----------------------------------------------------------------------------------------------------------


def _design(
    cast: Casting,
    prediction: Sequence[Array],
    outcome: Sequence[Array],
    *,
    traits: tuple[Trait, ...] | None = None,
    known: float | Array = 0.0,
    rates: Rates | None = None,
    losing: Losing = "at random",
    families: tuple[str, ...] | None = None,
    copied: float = 0.0,
    heavy: bool = False,
) -> Design:
    """Models by their loadings, trait by trait; at usual rates where none are given."""
    outcomes = np.column_stack(outcome)
    return Design(
        traits or tuple("plain" for _ in prediction),
        np.column_stack(prediction),
        outcomes,
        own=np.sqrt(OWN * (1 - np.square(outcomes).sum(1))),
        known=np.broadcast_to(known, cast.models),
        rates=rates or cast.usual_rates(),
        losing=losing,
        families=families,
        copied=copied,
        heavy=heavy,
    )


def _knowledge(cast: Casting) -> Array:
    return cast.spread(0.4, 0.8)


def _typical(cast: Casting) -> Array:
    return cast.spread(0.45, 0.75)


def _all_alike(cast: Casting) -> Design:
    half = cast.all(0.5)
    return _design(cast, [cast.all(0.6)], [cast.all(0.6)], rates=(half, half))


def _generalists(cast: Casting, *, typical: bool) -> Design:
    knowledge = cast.spread(0.2, 0.85)
    return _design(cast, [knowledge], [knowledge if typical else 1.05 - knowledge])


def _one_norm(cast: Casting, losing: Losing = "at random") -> Design:
    return _design(cast, [_knowledge(cast)], [_typical(cast)], losing=losing)


def _thresholds_together(cast: Casting) -> Design:
    return _design(cast, [_knowledge(cast)], [_typical(cast)], rates=cast.rates_together(*FAR_APART[cast.kind]))


def _two_kinds(cast: Casting) -> Design:
    """Half of the models of each kind; the norms of the two kinds correlate .4."""
    kind = cast.rng.permutation(np.arange(cast.models) % 2)
    parts = [cast.all(math.sqrt(0.4)), *(math.sqrt(0.6) * (kind == which) for which in range(2))]
    knowledge, typical = cast.spread(0.5, 0.8), cast.spread(0.5, 0.8)
    return _design(cast, [knowledge * part for part in parts], [typical * part for part in parts])


def _second_public(cast: Casting) -> Design:
    norm, second = (0.4, 0.65), (0.2, 0.6)
    prediction, outcome = ([cast.spread(*norm), cast.spread(*second)] for _ in range(2))
    return _design(cast, prediction, outcome)


def _second_unrelated(cast: Casting) -> Design:
    nothing = cast.all(0.0)
    prediction = [_knowledge(cast) * 0.8, cast.spread(0.2, 0.6), nothing]
    return _design(cast, prediction, [_typical(cast) * 0.8, nothing, cast.spread(0.2, 0.6)])


def _clear_and_unclear(cast: Casting) -> Design:
    prediction, outcome = cast.spread(0.5, 0.8), cast.spread(0.7, 0.85)
    rates = cast.rates_together(*FAR_APART[cast.kind])
    return _design(cast, [prediction], [outcome], traits=("split",), rates=rates)


def _lone_newcomer(cast: Casting) -> Design:
    """The newcomer follows and knows the old norm at .45 and its own cohort's at .5."""
    prediction, outcome = _knowledge(cast), _typical(cast)
    prediction[0] = outcome[0] = 0.45
    return _design(cast, [prediction, cast.first(0.5)], [outcome, cast.first(0.5)])


def _families(cast: Casting, *, knowledge: Array | None = None, known: float | Array = 0.0) -> Design:
    """Families of three; what is left of the models is a family of two or one."""
    family = np.arange(cast.models) // 3
    members = [family == which for which in range(family.max() + 1)]
    knows, follows = cast.spread(0.35, 0.45), cast.spread(0.4, 0.5)
    prediction = [_knowledge(cast) if knowledge is None else knowledge, *(knows * member for member in members)]
    outcome = [cast.spread(0.55, 0.7), *(follows * member for member in members)]
    return _design(cast, prediction, outcome, known=known, families=tuple(f"family {which}" for which in family))


def _leaning_to_the_first(cast: Casting) -> Design:
    lean = cast.spread(0.0, 0.6)
    return _design(cast, [cast.spread(0.4, 0.65), lean], [cast.spread(0.4, 0.65), lean], traits=("plain", "place"))


def _leaning_with_length(cast: Casting) -> Design:
    lean = cast.spread(-0.45, 0.45)
    return _design(cast, [cast.spread(0.4, 0.7), lean], [_typical(cast), lean], traits=("plain", "whole item"))


def _copied_words(cast: Casting) -> Design:
    rates = cast.usual_rates()
    rates[0][0] = rates[0][1]
    return _design(cast, [_knowledge(cast)], [_typical(cast)], rates=rates, copied=COPIED)


def _taught(cast: Casting) -> Design:
    """The second model's own part is a trait here, which the first model follows and its prediction knows."""
    prediction, outcome = _knowledge(cast), _typical(cast)
    prediction[0] = outcome[0] = 0.55
    taught = cast.first(0.5)
    teaching = np.array(taught)
    teaching[1] = math.sqrt(OWN * (1 - outcome[1] ** 2))
    return _design(cast, [prediction, taught], [outcome, teaching])


def _heavy_tails(cast: Casting) -> Design:
    return _design(cast, [_knowledge(cast)], [_typical(cast)], heavy=True, rates=cast.rates_together(0.05, 0.95))


@dataclass(frozen=True)
class Recorded:
    """Ranges in which panels correlate and say yes about as the ten models recorded for the paper do."""

    knowledge: tuple[float, float]
    manner: tuple[float, float]  # what predictions have in common that outcomes do not follow
    typical: tuple[float, float]
    prediction_rate: tuple[float, float]
    outcome_rate: tuple[float, float]


RECORDED: Mapping[Kind, Recorded] = {
    "binary": Recorded((0.55, 0.63), (0.55, 0.62), (0.85, 0.95), (0.55, 0.86), (0.15, 0.23)),
    "order": Recorded((0.45, 0.62), (0.3, 0.38), (0.65, 0.8), (0.49, 0.73), (0.5, 0.53)),
}


def _as_recorded(cast: Casting, *, known: float = 0.0) -> Design:
    like = RECORDED[cast.kind]
    prediction = [cast.spread(*like.knowledge), cast.spread(*like.manner)]
    outcome = [cast.spread(*like.typical), cast.all(0.0)]
    return _design(
        cast,
        prediction,
        outcome,
        known=known,
        rates=(cast.spread(*like.prediction_rate), cast.spread(*like.outcome_rate)),
    )


def _everybody_knows(cast: Casting, w: float, *, base: float | None = None) -> Design:
    rates = None if base is None else (cast.all(SAYS_NO), cast.all(base))
    return _design(cast, [cast.all(0.6)], [_typical(cast)], known=w, rates=rates)


def _one_knows(cast: Casting, w: float, *, base: float | None = None) -> Design:
    predictions, outcomes = cast.usual_rates()
    if base is not None:
        predictions[0], outcomes = SAYS_NO, cast.all(base)
    return _design(cast, [cast.all(0.6)], [_typical(cast)], known=cast.first(w), rates=(predictions, outcomes))


def _family_knows(cast: Casting, w: float, *, whom: Whom) -> Design:
    return _families(cast, knowledge=cast.all(0.6), known=w if whom == "everybody" else cast.first(w))


def _all_know(sentence: str, make: Callable[[Casting], Design]) -> World:
    return World(sentence, make, best="own", of="everybody", knows="everybody")


def _first_knows(sentence: str, make: Callable[[Casting], Design], others: Verdict = "not shown") -> World:
    return World(sentence, make, best="own", of="the first", knows="the first", others=others)


NULLS = {
    "all alike": World("Every prediction knows the one norm at .6, every outcome follows it at .6.", _all_alike),
    "good generalists typical": World(
        "Whoever knows the norm better follows it more closely.", partial(_generalists, typical=True)
    ),
    "good generalists untypical": World(
        "Whoever knows the norm better follows it less closely.", partial(_generalists, typical=False)
    ),
    "thresholds together": World("Whoever says yes more also does it more.", _thresholds_together),
    "two kinds": World(
        "Two kinds of model, each with a norm of its own; each prediction knows its own kind's norm.",
        _two_kinds,
        best="unresolved",
        of="everybody",
    ),
    "second public trait": World(
        "Beside the norm a second trait, which all predictions know and all outcomes follow, some more and some less.",
        _second_public,
    ),
    "unrelated second traits": World(
        "A second trait in all predictions, another one in all outcomes.", _second_unrelated
    ),
    "clear and unclear items": World(
        "In half of the items the answer is obvious, in half it is not; cautious predictions go with cautious "
        "behaviour.",
        _clear_and_unclear,
    ),
    "lone newcomer": World(
        "The first model is new: its prediction knows what its cohort does, of which nobody else is here.",
        _lone_newcomer,
        best="unresolved",
        of="the first",
    ),
    "families": World(
        "Families of three models, with tags: each prediction knows its family's part, and nothing of the model alone.",
        _families,
        best="unresolved",
        of="everybody",
    ),
    "leaning to the first": World(
        "Words and outcomes lean to what is shown first, in each model as much in the one as in the other.",
        _leaning_to_the_first,
    ),
    "lost where outcome is yes": World(
        "A prediction or an outcome is lost more often where the outcome is yes, in half of the models often.",
        partial(_one_norm, losing="outcome is yes"),
    ),
    "lost where they disagree": World(
        "A prediction or an outcome is lost more often where prediction and outcome would disagree, in half of the "
        "models often.",
        partial(_one_norm, losing="they disagree"),
    ),
    "leaning with length": World(
        "Words and outcomes of a model drift alike with something of the item, such as its length: up in some models, "
        "down in others, so that on average there is nothing to see.",
        _leaning_with_length,
    ),
    "copied predictions": World("The first model's predictions are the second's in four items of five.", _copied_words),
    "taught by another": World(
        "The first model was taught by the second: its behaviour follows the second's own part and its prediction "
        "knows it.",
        _taught,
        best="unresolved",
        of="the first",
    ),
    "heavy tails": World(
        "All parts have heavy tails; whoever says yes more also does it more, from 5 to 95 times in a hundred.",
        _heavy_tails,
    ),
    "as recorded": World(
        "As the models recorded for the paper: outcomes nearly the same for all, predictions alike in what no outcome "
        "follows.",
        _as_recorded,
    ),
}

SHARES = {".25": "a quarter", ".5": "half", "1": "all"}
KNOWING = {
    **{
        f"all know {w}": _all_know(
            f"Every prediction knows {SHARES[w]} of its own part.", partial(_everybody_knows, w=float(w))
        )
        for w in SHARES
    },
    **{
        f"one knows {w}": _first_knows(
            f"The first model's prediction knows {SHARES[w]} of its own part, the others' nothing of theirs.",
            partial(_one_knows, w=float(w)),
        )
        for w in (".5", "1")
    },
    **{
        f"all know {w}, say no, base {base}": _all_know(
            f"Every prediction knows {SHARES[w]} of its own part and nearly always says no; outcomes are yes at "
            f"{base}.",
            partial(_everybody_knows, w=float(w), base=float(base)),
        )
        for w in (".5", "1")
        for base in (".1", ".9")
    },
    **{
        f"one knows 1, says no, base {base}": _first_knows(
            "The first model's prediction knows all of its own part and nearly always says no; outcomes are yes at "
            f"{base}.",
            partial(_one_knows, w=1.0, base=float(base)),
        )
        for base in (".1", ".9")
    },
    **{
        f"families, all know {w}": _all_know(
            f"Families, with tags: each prediction knows its family's part and {SHARES[w]} of its own.",
            partial(_family_knows, w=float(w), whom="everybody"),
        )
        for w in (".5", "1")
    },
    "families, one knows 1": _first_knows(
        "Families, with tags: each prediction knows its family's part, the first model's also all of its own.",
        partial(_family_knows, w=1.0, whom="the first"),
        others="unresolved",
    ),
    "as recorded, all know 1": _all_know(
        "As the models recorded for the paper, and each prediction knows all of its own part.",
        partial(_as_recorded, known=1.0),
    ),
}

WORLDS: Mapping[str, World] = MappingProxyType(NULLS | KNOWING)
