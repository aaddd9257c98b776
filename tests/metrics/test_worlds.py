"""The simulated worlds of studies/own_excess are what they say, by other ways than theirs of counting.

On large draws: correlations of latents are found again by least squares, rates and losses by counting, and in no world
without a knower does a prediction tell anything of its own behaviour once all that is public is taken away.
"""

import hashlib
import importlib.util
import itertools
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

STUDY = Path(__file__).parents[2] / "studies" / "own_excess"


def _load() -> Any:
    spec = importlib.util.spec_from_file_location("own_excess_worlds", STUDY / "worlds.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["own_excess_worlds"] = module
    spec.loader.exec_module(module)
    return module


worlds = _load()
KINDS = ("binary", "order")
NULLS = [name for name, world in worlds.WORLDS.items() if world.knows == "nobody"]
KNOWING = [name for name in worlds.WORLDS if name not in NULLS]
MODELS, ITEMS = 7, 6000
UNITS = 4 * ITEMS
# a correlation of 0 over this many units has this standard error; items' own correlation, .3 in both, makes it
# sqrt(1 + 3 * .3 * .3) as large
ERROR = np.sqrt(1.27 / UNITS)
PAIRS = list(itertools.combinations(range(4), 2))


@cache
def large(world: str, kind: str) -> Any:
    return worlds.draw_with_truth(world, models=MODELS, items=ITEMS, kind=kind, seed=5)


def left_of(values: Any, known: Any) -> Any:
    """What least squares on `known` (variables in rows) leaves of `values`."""
    columns = np.column_stack([np.ones(values.shape[-1]), *known])
    return values - columns @ np.linalg.lstsq(columns, values, rcond=None)[0]


def coefficients(values: Any, *known: Any) -> Any:
    return np.linalg.lstsq(np.column_stack(known), values, rcond=None)[0]


def correlation(a: Any, b: Any) -> float:
    return float(np.corrcoef(a, b)[0, 1])


def by_item(panel: Any, side: Any) -> Any:
    return side.reshape(len(side), panel.item.max() + 1, -1)


# --- frozen ----------------------------------------------------------------------------------------------------------


def test_worlds_are_frozen() -> None:
    found = hashlib.sha256((STUDY / "worlds.py").read_bytes()).hexdigest()
    frozen = re.search(r"[0-9a-f]{64}", (STUDY / "README.md").read_text("utf-8"))
    assert frozen is not None
    assert found == frozen[0], "worlds are frozen; a change needs a new name"


def test_the_readme_describes_each_world_and_no_other() -> None:
    described = re.findall(r"^\| `([^`]+)` \|", (STUDY / "README.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(described) == sorted(worlds.WORLDS)


def test_the_readme_repeats_the_verdicts() -> None:
    rows = re.findall(r"^\| `([^`]+)` \| .* \| ([^|]+) \|$", (STUDY / "README.md").read_text("utf-8"), re.MULTILINE)
    assert len(rows) == len(worlds.WORLDS)
    for name, verdict in rows:
        world = worlds.WORLDS[name]
        of = "" if world.of == "nobody" else f", {world.of}"
        others = "" if world.others == "not shown" else f"; {world.others}, all others"
        assert verdict == f"{world.best}{of}{others}", name


# --- every panel -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("world", worlds.WORLDS)
def test_a_panel_has_the_shape_that_it_says(world: str, kind: str) -> None:
    for models in (3, 6, 8, 15):
        panel = worlds.draw(world, models=models, items=30, kind=kind, seed=1)
        per_item = {"binary": 4, "order": 6}[kind]
        assert panel.predictions.shape == panel.outcomes.shape == (models, 30 * per_item)
        assert panel.item.tolist() == [item for item in range(30) for _ in range(per_item)]
        for side in (panel.predictions, panel.outcomes):
            assert set(np.unique(side[~np.isnan(side)])) <= {0.0, 1.0}
        assert panel.families is None or len(panel.families) == models


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("world", worlds.WORLDS)
def test_the_same_seed_gives_the_same_panel_and_another_another(world: str, kind: str) -> None:
    one, again, other = (worlds.draw(world, models=6, items=20, kind=kind, seed=seed) for seed in (3, 3, 4))
    for field in ("predictions", "outcomes", "item", "shown"):
        np.testing.assert_array_equal(getattr(one, field), getattr(again, field))
    assert not np.array_equal(one.predictions, other.predictions, equal_nan=True)
    assert not np.array_equal(one.outcomes, other.outcomes, equal_nan=True)


def test_two_worlds_at_one_seed_have_nothing_in_common() -> None:
    """Both have the same models until something is lost."""
    names = ("lost where outcome is yes", "lost where they disagree")
    one, other = (worlds.draw(world, models=6, items=20, kind="binary", seed=3) for world in names)
    assert not np.array_equal(one.shown, other.shown)


def test_each_word_of_an_item_has_a_place_of_its_own_and_each_place_is_as_frequent() -> None:
    panel, _ = large("all alike", "binary")
    places = panel.shown.reshape(-1, 4)
    assert (np.sort(places, axis=1) == np.arange(4)).all()
    # standard error of a share of 6000: .0056
    assert np.bincount(places[:, 0]) / ITEMS == pytest.approx([0.25] * 4, abs=0.025)
    assert panel.shown_first.reshape(-1, 4).sum(1).tolist() == [1] * ITEMS


def test_places_of_pairs_come_from_one_order_of_the_four_questions() -> None:
    panel, _ = large("all alike", "order")
    for item in panel.shown.reshape(-1, 6)[:500]:
        orders = [p for p in itertools.permutations(range(4)) if [p[b] - p[a] for a, b in PAIRS] == item.tolist()]
        assert len(orders) == 1
    assert panel.shown_first.mean() == pytest.approx(0.5, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("world", worlds.WORLDS)
def test_pairs_are_transitive(world: str) -> None:
    panel, _ = large(world, "order")
    for side in (panel.predictions, panel.outcomes):
        pairs = {pair: by_item(panel, side)[..., n] for n, pair in enumerate(PAIRS)}
        for a, b, c in itertools.combinations(range(4), 3):
            # a before b and b before c: then a before c; and the other way round. What is lost breaks nothing
            for says in (0.0, 1.0):
                both = (pairs[a, b] == says) & (pairs[b, c] == says)
                assert not (both & (pairs[a, c] == 1 - says)).any()


def test_claims_of_an_item_are_dependent_and_claims_of_two_items_are_not() -> None:
    """All correlate .3 within an item, so that the latents do: .6 squared of the norm, and so on, add up to one."""
    panel, truth = large("all alike", "binary")
    for latents in (truth.predictions, truth.outcomes):
        items = latents.reshape(MODELS, ITEMS, 4)
        within = [correlation(items[i, :, a], items[i, :, b]) for i in range(MODELS) for a, b in PAIRS]
        between = [correlation(items[i, 1:, 0], items[i, :-1, 1]) for i in range(MODELS)]
        assert np.mean(within) == pytest.approx(0.3, abs=0.03)
        assert np.mean(between) == pytest.approx(0, abs=0.03)
    # pairs that share their first question: two latent differences correlate one half, and the yes of two normal
    # variables with correlation r agree with probability 1/2 + asin(r) / pi (Sheppard 1899), which is 2/3
    panel, _ = large("all alike", "order")
    outcomes = by_item(panel, panel.outcomes)
    read = ~np.isnan(outcomes[..., 0])
    assert (outcomes[..., 0] == outcomes[..., 1])[read].mean() == pytest.approx(2 / 3, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("world", worlds.WORLDS)
def test_all_parts_have_variance_one_so_that_loadings_are_correlations(world: str, kind: str) -> None:
    _, truth = large(world, kind)
    for part in (truth.traits, truth.own, truth.predictions, truth.outcomes):
        assert part.mean(1) == pytest.approx(np.zeros(len(part)), abs=0.06)
        if not truth.design.heavy:
            assert part.var(1) == pytest.approx(np.ones(len(part)), abs=0.06)
    if (
        truth.design.heavy
    ):  # a variance without fourth moment does not settle: quartiles of t with 3, over its deviation
        for part in (truth.traits, truth.own):
            quartiles = np.quantile(part, [0.25, 0.75], axis=1)
            assert np.abs(quartiles) == pytest.approx(np.full(quartiles.shape, 0.7649 / np.sqrt(3)), abs=0.02)


# --- who knows what --------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("world", NULLS)
def test_in_a_null_no_prediction_tells_of_its_own_behaviour_what_is_not_public(world: str, kind: str) -> None:
    _, truth = large(world, kind)
    for model in range(MODELS):
        prediction = left_of(truth.predictions[model], truth.traits)
        outcome = left_of(truth.outcomes[model], truth.traits)
        assert abs(correlation(prediction, outcome)) < 4.5 * ERROR, model
        assert abs(correlation(prediction, truth.own[model])) < 4.5 * ERROR, model


@pytest.mark.slow
@pytest.mark.parametrize("world", [name for name in NULLS if not name.startswith("lost")])
def test_in_a_null_the_same_holds_of_yes_and_no(world: str) -> None:
    """The outcome less all that is public and linear is luck and the model's own, of which the prediction said
    nothing.
    """
    panel, truth = large(world, "binary")
    for model in range(MODELS):
        read = ~np.isnan(panel.predictions[model])
        outcome = left_of(truth.outcomes[model], truth.traits)[read]
        assert abs(correlation(panel.predictions[model][read], outcome)) < 4.5 * ERROR, model


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("world", KNOWING)
def test_whoever_knows_itself_knows_the_share_w_of_its_own_part(world: str, kind: str) -> None:
    _, truth = large(world, kind)
    known = re.search(r"knows? ([.\d]+)", world)
    assert known is not None
    for model, knows in enumerate(worlds.WORLDS[world].knowers(MODELS)):
        in_outcome = coefficients(truth.outcomes[model], truth.own[model], *truth.traits)[0]
        in_prediction = coefficients(truth.predictions[model], truth.own[model], *truth.traits)[0]
        # standard error of each coefficient below .01; own parts are .27 and more
        assert in_outcome > 0.25
        assert in_prediction / in_outcome == pytest.approx(float(known[1]) if knows else 0, abs=0.06)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("world", [name for name in KNOWING if not name.startswith("as recorded")])
def test_general_knowledge_is_six_tenths_where_somebody_knows_itself(world: str, kind: str) -> None:
    _, truth = large(world, kind)
    assert [correlation(prediction, truth.traits[0]) for prediction in truth.predictions] == pytest.approx(
        [0.6] * MODELS, abs=0.03
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("world", worlds.WORLDS)
def test_nobodys_word_tells_of_the_own_part_of_another_but_its_teachers(world: str, kind: str) -> None:
    _, truth = large(world, kind)
    predictions = [left_of(prediction, truth.traits) for prediction in truth.predictions]
    found = np.corrcoef(np.vstack([predictions, truth.own]))[:MODELS, MODELS:]
    assert np.abs(found[~np.eye(MODELS, dtype=bool)]).max() < 5 * ERROR


def test_own_is_three_quarters_of_what_no_trait_says_of_a_outcome() -> None:
    for world in ("good generalists typical", "families", "all know 1"):
        _, truth = large(world, "binary")
        for outcome, own in zip(truth.outcomes, truth.own, strict=True):
            rest = left_of(outcome, truth.traits)
            assert correlation(rest, own) ** 2 == pytest.approx(0.75, abs=0.02)


def test_verdicts_and_knowers_name_models() -> None:
    assert worlds.WORLDS["lone newcomer"].allowed(3) == ("unresolved", "not shown", "not shown")
    assert worlds.WORLDS["families"].allowed(3) == ("unresolved",) * 3
    assert worlds.WORLDS["one knows 1"].allowed(3) == ("own", "not shown", "not shown")
    assert worlds.WORLDS["families, one knows 1"].allowed(3) == ("own", "unresolved", "unresolved")
    assert worlds.WORLDS["one knows 1"].knowers(3) == (True, False, False)
    for name, world in worlds.WORLDS.items():
        assert (world.knows != "nobody") == (world.best == "own"), name
        assert (world.of == "nobody") == (world.best == "not shown"), name


# --- each world ------------------------------------------------------------------------------------------------------


def loadings(latents: Any, truth: Any) -> Any:
    """Coefficients of all traits, of shape (models, traits)."""
    return np.array([coefficients(latent, *truth.traits) for latent in latents])


@pytest.mark.parametrize("kind", KINDS)
def test_models_that_are_all_alike_correlate_all_alike(kind: str) -> None:
    """Two outcomes share .6 * .6, two predictions too, a prediction and an outcome of two models or of one as well."""
    _, truth = large("all alike", kind)
    everything = np.corrcoef(np.vstack([truth.predictions, truth.outcomes]))
    others = everything[~np.eye(2 * MODELS, dtype=bool)]
    assert others == pytest.approx(np.full(len(others), 0.36), abs=0.04)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("world", "sign"), [("good generalists typical", 1), ("good generalists untypical", -1)])
def test_generalists_are_more_or_less_typical(world: str, sign: int, kind: str) -> None:
    _, truth = large(world, kind)
    knows, follows = (loadings(side, truth)[:, 0] for side in (truth.predictions, truth.outcomes))
    assert sorted(knows) == pytest.approx(np.linspace(0.2, 0.85, MODELS), abs=0.03)
    assert correlation(knows, follows) == pytest.approx(sign, abs=0.02)


@pytest.mark.parametrize(
    ("world", "kind", "low", "high"),
    [
        ("thresholds together", "binary", 0.1, 0.9),
        ("thresholds together", "order", 0.25, 0.75),
        ("heavy tails", "binary", 0.05, 0.95),
        ("heavy tails", "order", 0.05, 0.95),
    ],
)
def test_whoever_says_yes_more_does_it_more(world: str, kind: str, low: float, high: float) -> None:
    panel, _ = large(world, kind)
    said, did = (np.nanmean(side, axis=1) for side in (panel.predictions, panel.outcomes))
    assert said == pytest.approx(did, abs=0.03)
    # heavy tails are closer to the middle and farther out
    near = 0.06 if world == "heavy tails" else 0.04
    assert sorted(did) == pytest.approx(np.linspace(low, high, MODELS), abs=near)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("world", ["all know 1", "families", "second public trait"])
def test_usual_rates_of_predictions_have_nothing_to_do_with_those_of_outcomes(world: str, kind: str) -> None:
    many = [worlds.draw_with_truth(world, models=10, items=100, kind=kind, seed=seed) for seed in range(60)]
    rates = np.array([[np.nanmean(side, axis=1) for side in (panel.predictions, panel.outcomes)] for panel, _ in many])
    (low_said, high_said), (low_did, high_did) = {
        "binary": ((0.35, 0.8), (0.15, 0.45)),
        "order": ((0.45, 0.55), (0.45, 0.55)),
    }[kind]
    assert rates.mean((0, 2)) == pytest.approx([(low_said + high_said) / 2, (low_did + high_did) / 2], abs=0.01)
    # as designed, since what 100 items happen to be shows in both; 600 pairs: standard error about .04
    designed = np.array([truth.design.rates for _, truth in many])
    assert abs(correlation(designed[:, 0].ravel(), designed[:, 1].ravel())) < 0.17


@pytest.mark.parametrize("base", [".1", ".9"])
def test_those_who_say_no_say_it_nearly_always(base: str) -> None:
    for world, who in ((f"all know 1, say no, base {base}", slice(None)), (f"one knows 1, says no, base {base}", [0])):
        for kind in KINDS:
            panel, _ = large(world, kind)
            assert np.nanmean(panel.predictions, axis=1)[who] == pytest.approx(0.08, abs=0.02)
            assert np.nanmean(panel.outcomes, axis=1) == pytest.approx(float(base), abs=0.02)
    assert np.nanmean(large(f"one knows 1, says no, base {base}", "binary")[0].predictions[1:], axis=1).min() > 0.3


@pytest.mark.parametrize("kind", KINDS)
def test_two_kinds_of_model_have_norms_that_correlate_four_tenths(kind: str) -> None:
    """A prediction and an outcome with loadings k and t on their norms correlate k t in one kind, .4 k t across
    kinds.
    """
    _, truth = large("two kinds", kind)
    of_kind = np.abs(loadings(truth.outcomes, truth)[:, 1:]).argmax(1)
    assert sorted(np.bincount(of_kind)) == [3, 4]
    norms = [np.sqrt(0.4) * truth.traits[0] + np.sqrt(0.6) * truth.traits[1 + which] for which in range(2)]
    assert correlation(*norms) == pytest.approx(0.4, abs=0.02)
    knows = [
        correlation(prediction, norms[which]) for prediction, which in zip(truth.predictions, of_kind, strict=True)
    ]
    follows = [correlation(outcome, norms[which]) for outcome, which in zip(truth.outcomes, of_kind, strict=True)]
    for side in (knows, follows):
        assert sorted(side) == pytest.approx(np.linspace(0.5, 0.8, MODELS), abs=0.03)
    for i, j in itertools.product(range(MODELS), repeat=2):
        share = 1 if of_kind[i] == of_kind[j] else 0.4
        assert correlation(truth.predictions[i], truth.outcomes[j]) == pytest.approx(
            share * knows[i] * follows[j], abs=0.04
        )


@pytest.mark.parametrize("kind", KINDS)
def test_a_second_trait_is_in_predictions_and_outcomes_or_in_words_and_another_in_outcomes(kind: str) -> None:
    _, truth = large("second public trait", kind)
    for side in (truth.predictions, truth.outcomes):
        assert sorted(loadings(side, truth)[:, 1]) == pytest.approx(np.linspace(0.2, 0.6, MODELS), abs=0.03)
    _, truth = large("unrelated second traits", kind)
    predictions, outcomes = loadings(truth.predictions, truth), loadings(truth.outcomes, truth)
    for has, has_not in ((predictions[:, 1], predictions[:, 2]), (outcomes[:, 2], outcomes[:, 1])):
        assert sorted(has) == pytest.approx(np.linspace(0.2, 0.6, MODELS), abs=0.03)
        assert has_not == pytest.approx(np.zeros(MODELS), abs=0.03)


@pytest.mark.parametrize("kind", KINDS)
def test_half_of_the_items_are_clear(kind: str) -> None:
    """Outcomes of the middling models, whose lean is small, agree in clear items and are near chance in the others."""
    panel, truth = large("clear and unclear items", kind)
    size = np.abs(truth.traits[0]).reshape(ITEMS, 4).mean(1)
    clear = size > 0.9
    assert clear.mean() == pytest.approx(0.5, abs=0.05)
    middling = np.argsort(np.abs(np.nanmean(panel.outcomes, axis=1) - 0.5))[:3]
    outcomes = by_item(panel, panel.outcomes)[middling]

    def agreement(items: Any) -> float:
        pairs = [outcomes[[a, b]][:, items] for a, b in itertools.combinations(range(3), 2)]
        read = [pair[:, ~np.isnan(pair).any(axis=(0, 2))] for pair in pairs]
        return float(np.mean([(pair[0] == pair[1]).mean() for pair in read]))

    assert agreement(clear) > agreement(~clear) + 0.15
    said, did = (np.nanmean(side, axis=1) for side in (panel.predictions, panel.outcomes))
    assert correlation(said, did) > 0.99
    assert did.max() - did.min() > 0.4


@pytest.mark.parametrize("kind", KINDS)
def test_a_newcomer_knows_and_follows_what_nobody_else_does(kind: str) -> None:
    _, truth = large("lone newcomer", kind)
    for side in (truth.predictions, truth.outcomes):
        of_cohort = loadings(side, truth)[:, 1]
        assert of_cohort[0] == pytest.approx(0.5, abs=0.03)
        assert of_cohort[1:] == pytest.approx(np.zeros(MODELS - 1), abs=0.03)
    # .45 * .45 from the old norm and .5 * .5 from the cohort's
    assert correlation(truth.predictions[0], truth.outcomes[0]) == pytest.approx(0.4525, abs=0.04)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("world", ["families", "families, all know .5", "families, one knows 1"])
def test_families_are_of_three_and_share_a_part_that_their_words_know(world: str, kind: str) -> None:
    panel, truth = large(world, kind)
    assert [len(list(family)) for _, family in itertools.groupby(panel.families)] == [3, 3, 1]
    predictions = [left_of(prediction, truth.traits[:1]) for prediction in truth.predictions]
    outcomes = [left_of(outcome, truth.traits[:1]) for outcome in truth.outcomes]
    for i, j in itertools.permutations(range(MODELS), 2):
        alike = [
            np.cov(a[i], b[j])[0, 1]
            for a, b in ((predictions, predictions), (predictions, outcomes), (outcomes, outcomes))
        ]
        if panel.families[i] == panel.families[j]:
            # between .35 and .45 in predictions, between .4 and .5 in outcomes, squared or multiplied, and .02 of
            # chance
            assert 0.10 < min(alike) <= max(alike) < 0.27
        else:
            assert np.abs(alike).max() < 0.03


@pytest.mark.parametrize("kind", KINDS)
def test_whose_predictions_lean_to_the_first_shown_their_behaviour_do_as_much(kind: str) -> None:
    panel, truth = large("leaning to the first", kind)
    said, did = (loadings(side, truth)[:, 1] for side in (truth.predictions, truth.outcomes))
    assert sorted(did) == pytest.approx(np.linspace(0, 0.6, MODELS), abs=0.03)
    assert said == pytest.approx(did, abs=0.03)
    # in yes and no: what is shown first (binary), or earlier (order), is said and done more
    early = panel.shown == 0 if kind == "binary" else panel.shown > 0
    late = panel.shown == 3 if kind == "binary" else panel.shown < 0
    for side in (panel.predictions, panel.outcomes):
        lean = np.nanmean(side[:, early], axis=1) - np.nanmean(side[:, late], axis=1)
        assert lean[did.argmin()] == pytest.approx(0, abs=0.05)
        assert lean[did.argmax()] > 0.3
    panel, _ = large("all alike", kind)
    assert (
        abs(np.nanmean(panel.outcomes[:, panel.shown_first]) - np.nanmean(panel.outcomes[:, ~panel.shown_first])) < 0.03
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("world", [name for name in worlds.WORLDS if not name.startswith("lost")])
def test_two_replies_in_a_hundred_are_lost_at_random_and_whole(world: str, kind: str) -> None:
    panel, _ = large(world, kind)
    for side in (panel.predictions, panel.outcomes):
        lost = by_item(panel, np.isnan(side))
        assert (lost.all(2) == lost.any(2)).all()
        # standard error of a model's share: sqrt(.02 * .98 / 6000) = .0018
        assert lost.mean((1, 2)) == pytest.approx(np.full(MODELS, 0.02), abs=0.008)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("world", ["lost where outcome is yes", "lost where they disagree"])
def test_losses_depend_on_the_outcome_at_the_stated_rates(world: str, kind: str) -> None:
    panel, truth = large(world, kind)
    latents = [side.reshape(MODELS, ITEMS, 4) for side in (truth.predictions, truth.outcomes)]
    predictions, outcomes = (
        _yes(latent, rates, kind) for latent, rates in zip(latents, truth.design.rates, strict=True)
    )
    lost = np.isnan(panel.predictions) | np.isnan(panel.outcomes)
    assert not (np.isnan(panel.predictions) & np.isnan(panel.outcomes)).any()
    for drawn, seen in ((predictions, panel.predictions), (outcomes, panel.outcomes)):
        read = ~np.isnan(seen)
        assert (drawn[read] == seen[read]).all()
    likelier = outcomes if world == "lost where outcome is yes" else predictions != outcomes
    assert sorted(lost.mean(1)) == pytest.approx([0.02] * 3 + [0.15] * 4, abs=0.01) or sorted(
        lost.mean(1)
    ) == pytest.approx([0.02] * 4 + [0.15] * 3, abs=0.01)
    often = np.flatnonzero(lost.mean(1) > 0.1)
    for model in often:
        there, elsewhere = lost[model][likelier[model]].mean(), lost[model][~likelier[model]].mean()
        assert there / elsewhere == pytest.approx(4, abs=0.6)
        assert np.isnan(panel.predictions[model]).sum() / lost[model].sum() == pytest.approx(0.5, abs=0.04)


def _yes(latents: Any, rates: Any, kind: str) -> Any:
    """Claims worked out again from latents: thresholds as quantiles of 0 and 1, leans found by bisection."""
    from scipy.optimize import brentq
    from scipy.stats import norm

    if kind == "binary":
        return (latents > norm.isf(rates)[:, None, None]).reshape(MODELS, -1)
    # questions stand 2 / sqrt(5) apart, two latents differ with standard deviation sqrt(2)
    apart = np.array([b - a for a, b in PAIRS]) * 2 / np.sqrt(5)
    leans = [brentq(lambda x, r=r: norm.cdf(x * apart / np.sqrt(2)).mean() - r, -9, 9) for r in rates]
    gaps = np.stack([latents[..., a] - latents[..., b] for a, b in PAIRS], axis=-1)
    return (gaps + np.multiply.outer(leans, apart)[:, None, :] > 0).reshape(MODELS, -1)


@pytest.mark.parametrize("kind", KINDS)
def test_models_drift_with_length_up_and_down_in_predictions_as_in_outcomes(kind: str) -> None:
    _, truth = large("leaning with length", kind)
    said, did = (loadings(side, truth)[:, 1] for side in (truth.predictions, truth.outcomes))
    assert sorted(did) == pytest.approx(np.linspace(-0.45, 0.45, MODELS), abs=0.03)
    assert said == pytest.approx(did, abs=0.04)
    assert correlation(truth.outcomes.mean(0), truth.traits[1]) == pytest.approx(0, abs=0.04)
    if kind == "binary":  # of the item, not of its predictions
        assert (np.ptp(truth.traits[1].reshape(ITEMS, 4), axis=1) == 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_four_fifths_of_the_items_have_copied_words(kind: str) -> None:
    panel, _ = large("copied predictions", kind)
    predictions = by_item(panel, panel.predictions)
    read = ~np.isnan(predictions[:2]).any((0, 2))
    same = (predictions[0] == predictions[1]).all(1)[read].mean()
    # where nothing is copied all claims are the same by chance in a tenth of items or so
    assert 0.8 < same < 0.86
    assert (predictions[2] == predictions[1]).all(1)[read].mean() < 0.35


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_taught_is_the_own_part_of_the_second_model(kind: str) -> None:
    _, truth = large("taught by another", kind)
    predictions, outcomes = loadings(truth.predictions, truth), loadings(truth.outcomes, truth)
    assert predictions[:, 1] == pytest.approx([0.5] + [0] * (MODELS - 1), abs=0.03)
    assert outcomes[2:, 1] == pytest.approx(np.zeros(MODELS - 2), abs=0.03)
    assert outcomes[0] == pytest.approx([0.55, 0.5], abs=0.03)
    assert predictions[0, 0] == pytest.approx(0.55, abs=0.03)
    assert outcomes[1, 1] ** 2 == pytest.approx(0.75 * (1 - outcomes[1, 0] ** 2), abs=0.04)


def test_heavy_tails_are_heavy_and_the_others_are_not() -> None:
    """Beyond four: t of three degrees of freedom, scaled to variance one, is beyond four when t is beyond 6.93: .0062.
    A normal variable: .00006."""
    heavy, light = (np.abs(large(world, "binary")[1].own) > 4 for world in ("heavy tails", "all alike"))
    assert heavy.mean() == pytest.approx(0.0062, abs=0.0015)
    assert light.mean() < 0.0005


@pytest.mark.parametrize("world", ["as recorded", "as recorded, all know 1"])
@pytest.mark.parametrize(
    ("kind", "outcomes", "predictions", "across"), [("binary", 0.58, 0.49, 0.23), ("order", 0.37, 0.29, 0.27)]
)
def test_models_as_recorded_correlate_as_those_recorded(
    world: str, kind: str, outcomes: float, predictions: float, across: float
) -> None:
    """Medians over pairs of the ten models recorded for the paper, of yes and no (phi): two outcomes, two predictions,
    a prediction and another model's behaviour; in association and in difficulty."""
    panel, _ = large(world, kind)
    pairs = list(itertools.combinations(range(MODELS), 2))
    sides = (
        (panel.outcomes, panel.outcomes, outcomes),
        (panel.predictions, panel.predictions, predictions),
        (panel.predictions, panel.outcomes, across),
    )
    for one, two, recorded in sides:
        found = []
        for i, j in pairs:
            read = ~np.isnan(one[i]) & ~np.isnan(two[j])
            found.append(correlation(one[i][read], two[j][read]))
        assert np.median(found) == pytest.approx(recorded, abs=0.08)


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"world": "utopia"}, "there is no world 'utopia': there are 'all alike', "),
        ({"kind": "share"}, "kind 'share': claims are 'binary' or 'order'"),
        ({"models": 2}, "2 models and 5 items: it takes three models and an item"),
        ({"items": 0}, "4 models and 0 items: it takes three models and an item"),
    ],
)
def test_what_cannot_be_drawn_is_refused_by_name(asked: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        worlds.draw(**({"world": "all alike", "models": 4, "items": 5, "kind": "binary", "seed": 1} | asked))
