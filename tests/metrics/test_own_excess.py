"""Own excess: what a model's predictions contain about its own behaviour that no other model's predictions or behaviour
contain.
"""

from dataclasses import replace

import numpy as np
import pytest

from selfexec.analysis.own_excess import against, families_of, own_of
from selfexec.analysis.score import score_tables
from selfexec.metrics.own_excess import (
    ComparedModels,
    Evidence,
    Objection,
    OwnExcess,
    compared_models,
    enough,
    judge_own_excess,
)
from selfexec.metrics.own_excess.compared import CORNER
from selfexec.metrics.own_excess.excess import tables_of
from selfexec.metrics.own_excess.second_opinions import swap_shares
from selfexec.metrics.own_excess.verdict import REFERENCES
from selfexec.runs import Run
from selfexec.stats.tetrachoric import tetrachoric

MODELS = 8


def panel(
    *,
    models: int = MODELS,
    items: int = 150,
    knows: float | np.ndarray = 0.0,
    kinds: int = 1,
    families: tuple[str | None, ...] = (),
    seed: int = 0,
) -> ComparedModels:
    """Each model follows its kind's norm and goes its own way; its prediction knows the norm, and so much of its own
    way.
    """
    rng = np.random.default_rng(seed)
    claims = 4 * items
    norms = 0.5 * rng.standard_normal(claims) + np.sqrt(0.75) * rng.standard_normal((kinds, claims))
    norm = norms[np.arange(models) % kinds]
    own = rng.standard_normal((models, claims))
    knows = np.broadcast_to(knows, models)[:, None]
    outcomes = 0.7 * norm + np.sqrt(0.51) * own
    predictions = 0.6 * norm + 0.8 * (knows * own + np.sqrt(1 - knows**2) * rng.standard_normal((models, claims)))
    signs = [np.where(part > 0.3, 1, -1).astype(np.int8) for part in (predictions, outcomes)]
    return ComparedModels(tuple(f"model {n}" for n in range(models)), *signs, np.repeat(np.arange(items), 4), families)


# --- the verdict -----------------------------------------------------------------------------------------------------


def test_a_panel_in_which_all_know_their_own_ways_is_own() -> None:
    found = judge_own_excess(panel(models=10, knows=0.6))
    assert (found.overall.verdict, found.overall.against) == ("own", ())
    assert found.overall.estimate.interval.low > 0.1


def test_nobody_who_knows_the_norm_alone_is_unresolved() -> None:
    verdicts = [judge_own_excess(panel(seed=seed)).overall.verdict for seed in range(8)]
    assert verdicts.count("not shown") >= 7


def test_two_kinds_that_know_their_kind_are_no_more_than_unresolved() -> None:
    found = judge_own_excess(panel(kinds=2))
    assert found.overall.verdict == "unresolved"
    assert found.overall.estimate.interval.low > 0.05  # what one factor alone would have been taken for
    assert Objection(2, "interval") in found.overall.against


def test_a_single_model_that_knows_itself_is_at_best_unresolved_and_nobody_else_is() -> None:
    families = ("a", "a", "b", "b", "c", "c", "d", "d")
    found = judge_own_excess(panel(items=400, knows=np.eye(MODELS)[0], families=families))
    assert [model for model, judged in found.each.items() if judged.verdict != "not shown"] == ["model 0"]
    judged = found.each["model 0"]
    assert (judged.verdict, judged.against) == ("unresolved", (Objection(1, "cohort"),))
    assert "similar models that are not in the run may have it in common" in against(judged)
    # and it makes no panel: without it nothing is left
    assert (found.overall.verdict, found.overall.against) == ("not shown", (Objection(1, "one model"),))


def test_fewer_than_ten_models_are_at_best_unresolved() -> None:
    for models, verdict in ((9, "unresolved"), (10, "own")):
        found = judge_own_excess(panel(models=models, items=300, knows=0.8, seed=1))
        assert (found.overall.verdict, Objection(1, "few models") in found.overall.against) == (verdict, models < 10)


@pytest.mark.parametrize(("knows", "verdict"), [(1.0, "own"), (0.0, "not shown")])
def test_models_that_have_nothing_in_common_are_judged_like_others(knows: float, verdict: str) -> None:
    """Independent random tables: there is no factor, and without the price of one the diagonal would be anything."""
    some = [independent(knows, seed) for seed in range(10)]
    found = [judge_own_excess(one).overall for one in some]
    assert [one.verdict for one in found].count(verdict) >= 9
    assert all(abs(one.estimate.value - 0.9 * knows) < 0.1 for one in found)


def independent(knows: float, seed: int) -> ComparedModels:
    rng = np.random.default_rng(seed)
    own, doubt = rng.standard_normal((2, 10, 600))
    predictions = 0.9 * knows * own + np.sqrt(1 - (0.9 * knows) ** 2) * doubt
    signs = [np.where(part > 0.3, 1, -1).astype(np.int8) for part in (predictions, own)]
    return ComparedModels(tuple(f"model {n}" for n in range(10)), *signs, np.repeat(np.arange(150), 4))


def test_a_ring_in_which_neighbours_share_all_is_not_own() -> None:
    """Each model's part is the sum of two, each shared with one neighbour; predictions know it as well as the norm."""
    rng = np.random.default_rng(7)
    norm, parts = rng.standard_normal(800), rng.standard_normal((12, 800))
    shared = 0.5 * norm + 0.35 * (parts + np.roll(parts, 1, axis=0))
    tables = [shared + np.sqrt(1 - 0.25 - 2 * 0.35**2) * rng.standard_normal((12, 800)) for _ in range(2)]
    signs = [np.where(part > 0.2, 1, -1).astype(np.int8) for part in tables]
    found = judge_own_excess(ComparedModels(tuple("abcdefghijkl"), *signs, np.repeat(np.arange(200), 4)))
    assert found.overall.estimate.interval.low > 0.1
    assert (found.overall.verdict, {Objection(1, "pairs"), Objection(2, "pairs")} <= set(found.overall.against)) == (
        "unresolved",
        True,
    )


def test_what_a_family_shares_is_taken_off() -> None:
    """Four families of three, each with a norm of its own, and predictions that know their family's."""
    rng, members = np.random.default_rng(4), np.arange(12) // 3
    norm, families = rng.standard_normal(800), rng.standard_normal((4, 800))[members]
    outcomes = 0.5 * norm + 0.6 * families + np.sqrt(1 - 0.61) * rng.standard_normal((12, 800))
    predictions = 0.5 * norm + 0.6 * families + np.sqrt(1 - 0.61) * rng.standard_normal((12, 800))
    signs = [np.where(part > 0, 1, -1).astype(np.int8) for part in (predictions, outcomes)]
    names = tuple(f"model {n}" for n in range(12))
    tagged = ComparedModels(names, *signs, np.repeat(np.arange(200), 4), tuple(f"family {n}" for n in members))
    fit = Evidence(tagged).fits[1]
    assert fit.mean.low > 0.2
    assert fit.beyond_family.low < 0 < fit.beyond_family.high
    found = judge_own_excess(tagged).overall
    assert found.verdict == "unresolved" and {Objection(1, "family"), Objection(2, "family")} <= set(found.against)
    # of which family a model is, nobody guesses
    assert not Evidence(replace(tagged, families=())).family.any()


def test_what_only_models_that_lost_much_show_is_not_shown() -> None:
    """Predictions are lost where they would have been wrong, so that what was read agrees."""
    whole = panel(models=14)
    rng = np.random.default_rng(5)
    wrong = whole.predictions != whole.outcomes
    lost = wrong & (rng.random(wrong.shape) < 0.6) & (np.arange(14) < 8)[:, None]
    found = judge_own_excess(replace(whole, predictions=np.where(lost, 0, whole.predictions).astype(np.int8)))
    assert found.evidence is not None
    assert found.evidence.fits[1].mean.low > 0
    assert (found.overall.verdict, found.overall.against) == ("not shown", (Objection(1, "losses"),))


def test_a_few_losses_that_follow_disagreement_are_not_taken_for_knowledge() -> None:
    """A loss is four times as likely where a prediction is wrong; coverage stays above .9."""
    whole = panel(items=300, models=10)
    rng = np.random.default_rng(8)
    wrong = whole.predictions != whole.outcomes
    lost = rng.random(wrong.shape) < np.where(wrong, 0.16, 0.04)
    some = replace(whole, predictions=np.where(lost, 0, whole.predictions).astype(np.int8))
    assert some.well_read.all()
    found = judge_own_excess(some)
    assert found.overall.estimate.interval.low > 0.01
    assert found.overall.verdict == "unresolved" and Objection(1, "worst losses") in found.overall.against
    assert {one.verdict for one in found.each.values()} == {"not shown"}  # its own losses may account for each


def test_only_models_that_are_judged_are_counted_and_nothing_is_said_of_references() -> None:
    some = panel(items=200, knows=np.eye(MODELS)[0] * 0.4)
    every, beside = judge_own_excess(some), judge_own_excess(some, some.models[1:])
    assert (every.each["model 0"].tests, beside.each["model 0"].tests) == (MODELS, 1)
    assert list(beside.each) == ["model 0"]
    assert beside.each["model 0"].tested == beside.each["model 0"].estimate.interval
    assert beside.each["model 0"].detectable < every.each["model 0"].detectable
    assert (beside.each["model 0"].verdict, beside.each["model 0"].against[-1]) == ("unresolved", Objection(1, "panel"))
    assert (beside.overall.verdict, beside.overall.reason) == (None, REFERENCES)
    assert beside.overall.estimate == every.overall.estimate


def test_the_order_of_models_and_of_claims_changes_nothing() -> None:
    some = panel(items=100, knows=0.3, families=("a", "a", None, "b", None, "b", "c", None))
    rng = np.random.default_rng(9)
    models, claims = rng.permutation(MODELS), rng.permutation(400)
    other = ComparedModels(
        tuple(some.models[n] for n in models),
        some.predictions[models][:, claims],
        some.outcomes[models][:, claims],
        99 - some.item[claims],
        tuple(some.families[n] for n in models),
    )
    one, two = judge_own_excess(some), judge_own_excess(other)
    assert (one.overall.verdict, one.overall.against) == (two.overall.verdict, two.overall.against)
    for fit, same in zip(one.fits, two.fits, strict=True):
        for name in ("misfit", "pairs", "derangement_p"):
            assert getattr(fit, name) == pytest.approx(getattr(same, name), abs=1e-6)
        for name in ("mean", "over_models", "beyond_family", "well_read"):
            assert getattr(fit, name).interval() == pytest.approx(getattr(same, name).interval(), abs=1e-6)
    for model in some.models:
        assert one.each[model].tested == pytest.approx(two.each[model].tested, abs=1e-6)
        assert one.each[model].verdict == two.each[model].verdict
    partial = {name: part.partial_correlation[0] for name, part in (("one", one), ("two", two))}
    assert [partial["one"][n].value for n in models] == pytest.approx([found.value for found in partial["two"]])


def test_a_lean_to_the_order_shown_is_no_knowledge_of_oneself() -> None:
    """Orders of four: everybody leans to what is shown first, each model as much in predictions as in behaviour, and
    pairs further apart show it more.
    """
    rng = np.random.default_rng(10)
    first, second = np.triu_indices(4, 1)
    early = np.array([1.5, 0.5, -0.5, -1.5])
    lean = np.linspace(0, 1.2, 10)[:, None, None] * early
    norm = rng.standard_normal((250, 4))
    latents = [0.7 * norm + 0.7 * rng.standard_normal((10, 250, 4)) + lean for _ in range(2)]
    signs = [np.where(x[..., first] > x[..., second], 1, -1).astype(np.int8).reshape(10, -1) for x in latents]
    some = ComparedModels(
        tuple("abcdefghij"), *signs, np.repeat(np.arange(250), 6), position=np.tile(np.arange(6), 250)
    )
    assert (
        judge_own_excess(replace(some, position=None)).overall.estimate.interval.low > 0
    )  # what would be said without places
    found = judge_own_excess(some).overall
    assert found.verdict == "not shown" and found.estimate.interval.low < 0 < found.estimate.interval.high


# --- what it is made of ----------------------------------------------------------------------------------------------


def test_predictions_and_outcomes_are_correlated_over_claims_of_which_both_are_known() -> None:
    some = panel(items=60)
    predictions = some.predictions.copy()
    predictions[0, ::3] = 0
    tables = tables_of(replace(some, predictions=predictions))
    known = predictions[0] != 0
    cells = [
        int(((predictions[0] == a) & (some.outcomes[2] == b))[known].sum())
        for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1))
    ]
    assert tables.rho[0, 2] == pytest.approx(float(tetrachoric(*cells)), abs=1e-6)
    n, prediction, outcome = sum(cells), (cells[0] + cells[1]) / sum(cells), (cells[0] + cells[2]) / sum(cells)
    assert tables.weights[0, 2] == pytest.approx(n * prediction * (1 - prediction) * outcome * (1 - outcome))


def test_the_error_is_that_of_a_jackknife_without_each_item() -> None:
    """To within a twentieth: the influence of an item is what it does in the limit."""
    some = panel(items=80, knows=0.3)
    fit = Evidence(some).fits[1]
    without = []
    for item in range(80):
        kept = some.item != item
        rest = replace(
            some, predictions=some.predictions[:, kept], outcomes=some.outcomes[:, kept], item=some.item[kept]
        )
        without.append(float(Evidence(rest).fits[1].mean.value))
    expected = np.sqrt(79 / 80 * sum((one - np.mean(without)) ** 2 for one in without))
    assert float(fit.mean.error) == pytest.approx(expected, rel=0.05)


def test_a_larger_run_would_have_found_less() -> None:
    few, many = (judge_own_excess(panel(items=items)).detectable for items in (75, 300))
    assert many == pytest.approx(few / 2, rel=0.3)  # four times the items, half of the error


def test_who_says_yes_to_more_has_no_more_of_it() -> None:
    """Thresholds drop out: the same predictions, said more readily by everybody, have the same excess."""
    rng = np.random.default_rng(6)
    norm, own = rng.standard_normal(4000), rng.standard_normal((6, 4000))
    outcomes = 0.7 * norm + np.sqrt(0.51) * own
    predictions = 0.6 * norm + 0.4 * own + np.sqrt(0.48) * rng.standard_normal((6, 4000))
    item = np.repeat(np.arange(1000), 4)

    def found(at: float) -> float:
        signs = [np.where(part > where, 1, -1).astype(np.int8) for part, where in ((predictions, at), (outcomes, 0.5))]
        return float(Evidence(ComparedModels(tuple("abcdef"), *signs, item)).fits[1].mean.value)

    assert found(-1.0) == pytest.approx(found(0.5), abs=0.02)
    assert found(0.5) == pytest.approx(0.4 * np.sqrt(0.51), abs=0.02)


def test_swap_shares_count_who_is_right_where_two_differ_in_prediction_and_in_outcome() -> None:
    predictions = np.array([[1, 1, 1, -1], [-1, -1, 1, 1], [1, 1, 1, 1]], np.int8)
    outcomes = np.array([[1, -1, -1, 1], [-1, 1, 1, -1], [1, 1, 1, 1]], np.int8)
    # 1 and 2 differ in both on claims 0 (both right), 1 and 3 (both wrong); 1 and 3 on claim 3 (1 is wrong: no outcome
    # of 3 differs from 1's there), 2 and 3 on claim 0 (both right)
    each, all_pairs = swap_shares(ComparedModels(("1", "2", "3"), predictions, outcomes, np.arange(4)))
    assert [one.value for one in each] == pytest.approx([1 / 3, 2 / 4, 1.0])
    assert all_pairs.value == pytest.approx(2 / 4)


# --- floors ----------------------------------------------------------------------------------------------------------


def test_below_the_floors_nothing_is_said_and_the_reason_is_named() -> None:
    few = judge_own_excess(panel(models=5))
    assert (few.overall.verdict, few.evidence) == (None, None)
    assert few.overall.reason == "only 5 models vary enough in both prediction and behaviour, and 6 are needed"
    assert judge_own_excess(panel(items=59)).overall.reason == "only 59 items, fewer than 60"


def test_a_model_that_always_says_the_same_takes_no_part_and_is_told_so() -> None:
    some = panel()
    predictions = some.predictions.copy()
    predictions[3] = 1
    found = judge_own_excess(enough(replace(some, predictions=predictions)))
    assert found.compared.models == tuple(f"model {n}" for n in range(MODELS) if n != 3)
    left_out = found.for_model("model 3")
    assert left_out.verdict is None
    assert left_out.reason == "left out: no item has its rarer prediction"


def test_a_model_whose_table_has_a_nearly_empty_corner_takes_no_part() -> None:
    """It seldom predicts what it nearly always does: with few claims, that both are yes says little."""
    some = panel(items=100)
    rng = np.random.default_rng(3)
    predictions, outcomes = some.predictions.copy(), some.outcomes.copy()
    latent = rng.standard_normal((2, 400))
    predictions[3], outcomes[3] = np.where(latent[0] > 1.4, 1, -1), np.where(latent[0] + latent[1] > -1.6, 1, -1)
    found = enough(replace(some, predictions=predictions, outcomes=outcomes))
    assert found.left_out == {"model 3": CORNER}
    # of many claims a tenth of a tenth is enough
    many = [np.tile(part, 20) for part in (predictions, outcomes)]
    item = np.concatenate([some.item + 100 * n for n in range(20)])
    assert enough(ComparedModels(some.models, *many, item)).left_out == {}


def test_models_of_other_items_take_no_part_and_change_nothing() -> None:
    some, others = panel(items=80), panel(models=3, items=80, seed=1)
    signs = [
        np.block([[one, np.zeros((MODELS, 320), np.int8)], [np.zeros((3, 320), np.int8), two]])
        for one, two in ((some.predictions, others.predictions), (some.outcomes, others.outcomes))
    ]
    asked = np.array([[n < MODELS] * 320 + [n >= MODELS] * 320 for n in range(MODELS + 3)])
    names = (*some.models, "x", "y", "z")
    both = enough(ComparedModels(names, *signs, np.concatenate([some.item, some.item + 80]), asked=asked))
    assert both.models == some.models
    assert both.left_out["x"] == "only 2 others were read on 48 of its items, and 5 are needed"


def test_too_few_models_are_told_of_the_panel_and_not_of_each() -> None:
    few = enough(panel(models=4))
    assert (few.models, dict(few.left_out)) == (("model 0", "model 1", "model 2", "model 3"), {})


# --- recorded models -------------------------------------------------------------------------------------------------


def _of_ten(run: Run, experiment: str, source: str | None = None) -> OwnExcess:
    claims = run.tables.claims[experiment]
    claims = claims.by(source) if source else claims
    return judge_own_excess(compared_models(claims, claims.models, {}))


def test_difficulty_of_the_ten_models_has_the_published_numbers(as_the_authors_read_them: Run) -> None:
    """STATISTICS: nine models, one factor .034 [.01, .06], two .031, worked out outside the package."""
    found = _of_ten(as_the_authors_read_them, "difficulty")
    assert len(found.compared.models) == 9
    one, two = found.fits
    assert [float(one.mean.value), *one.mean.interval()] == pytest.approx([0.034, 0.010, 0.060], abs=0.01)
    assert float(two.mean.value) == pytest.approx(0.031, abs=0.01)
    assert one.derangement_p < 0.05
    assert found.overall.verdict == "unresolved"


@pytest.mark.parametrize(("experiment", "source"), [("association", None), ("restriction", "rule")])
def test_elsewhere_it_is_not_shown_of_the_ten(
    as_the_authors_read_them: Run, experiment: str, source: str | None
) -> None:
    assert _of_ten(as_the_authors_read_them, experiment, source).overall.verdict == "not shown"


def test_where_each_model_judges_for_itself_there_is_a_number_and_no_verdict(ten_models: Run) -> None:
    tables = ten_models.tables
    everyone = own_of(tables.claims, tables.simulated, families_of(ten_models.models, ()))
    own = {one.metric: one for one in everyone if one.experiment == "restriction"}
    by_itself, by_rule = own["own_excess"].found, own["own_excess_by_rule"].found
    assert by_itself.overall.verdict is None
    assert "judges its own responses" in (by_itself.overall.reason or "")
    assert by_itself.overall.estimate.value > 0.02
    assert by_rule.overall.verdict == "not shown"


def test_rows_have_number_verdict_and_the_number_of_models(ten_models: Run) -> None:
    scores = score_tables(ten_models.tables, ["o4-mini", "gemini-2.5-flash"], "strict")
    row = scores.row("o4-mini", "difficulty", "own_excess")
    assert (row.verdict, row.models, row.source) == ("not shown", 9, "rule")
    assert row.value is not None
    absent = scores.row("gemini-2.5-flash", "difficulty", "own_excess")
    assert (absent.value, absent.verdict) == (None, None)
    assert absent.reason == "left out: no item of it could be read"
