"""Own excess: what a model's prediction tells of its own behaviour that nobody else's predictions or behaviour tell."""

from dataclasses import replace

import numpy as np
import pytest

from selfexec.analysis.own import against, own_of
from selfexec.analysis.score import score_tables
from selfexec.metrics.own import OwnPanel, enough, own_excess, panel_of_claims
from selfexec.metrics.own.excess import BLOCKS, blocks, diagonal, residuals, tables_of
from selfexec.metrics.own.fit import Evidence
from selfexec.metrics.own.second_opinions import FOLDS, RIDGE, partial_correlations, swap_shares
from selfexec.metrics.own.verdict import OwnExcess
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
) -> OwnPanel:
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
    return OwnPanel(tuple(f"model {n}" for n in range(models)), *signs, np.repeat(np.arange(items), 4), families)


# --- the verdict -----------------------------------------------------------------------------------------------------


def test_a_panel_in_which_all_know_their_own_ways_is_own() -> None:
    found = own_excess(panel(knows=0.6))
    assert (found.panel.verdict, found.panel.against) == ("own", ())
    assert found.panel.estimate.interval.low > 0.1


def test_nobody_who_knows_the_norm_alone_is_unresolved() -> None:
    verdicts = [own_excess(panel(seed=seed)).panel.verdict for seed in range(8)]
    assert verdicts.count("not shown") >= 7


def test_two_kinds_that_know_their_kind_are_no_more_than_unresolved() -> None:
    found = own_excess(panel(kinds=2))
    assert found.panel.verdict == "unresolved"
    assert found.panel.estimate.interval.low > 0.05  # what one factor alone would have been taken for
    assert "2:interval" in found.panel.against


def test_the_one_who_knows_is_found_where_its_family_is_there_and_nobody_else_is() -> None:
    one = np.eye(MODELS)[0]
    families = ("a", "a", "b", "b", "c", "c", "d", "d")
    found = own_excess(panel(items=400, knows=one, families=families))
    assert [model for model, judged in found.each.items() if judged.verdict == "own"] == ["model 0"]


def test_a_lone_model_is_never_own_since_an_absent_family_would_look_the_same() -> None:
    found = own_excess(panel(items=400, knows=np.eye(MODELS)[0]))
    assert found.each["model 0"].verdict == "unresolved"
    assert {reason.partition(":")[2] for reason in found.each["model 0"].against} == {"no family"}
    assert "no model of its family is here" in against(found.each["model 0"])


def test_what_a_family_shares_is_taken_off() -> None:
    """Four families of three, each with a norm of its own, and predictions that know their family's."""
    rng, members = np.random.default_rng(4), np.arange(12) // 3
    norm, families = rng.standard_normal(800), rng.standard_normal((4, 800))[members]
    outcomes = 0.5 * norm + 0.6 * families + np.sqrt(1 - 0.61) * rng.standard_normal((12, 800))
    predictions = 0.5 * norm + 0.6 * families + np.sqrt(1 - 0.61) * rng.standard_normal((12, 800))
    signs = [np.where(part > 0, 1, -1).astype(np.int8) for part in (predictions, outcomes)]
    names = tuple(f"model {n}" for n in range(12))
    told = OwnPanel(names, *signs, np.repeat(np.arange(200), 4), tuple(f"family {n}" for n in members))
    fit = Evidence(told).fits[1]
    assert fit.panel.low > 0.2
    assert fit.beyond_family.low < 0 < fit.beyond_family.high
    assert own_excess(told).panel.verdict == "unresolved"
    # and where nobody says who is of whose family, outcomes do
    untold = Evidence(replace(told, families=()))
    assert (members[untold.closest.argmax(1)] == members).all()


def test_what_only_models_that_lost_much_show_is_not_shown() -> None:
    """Words are lost where they would have been wrong, so that what was read agrees."""
    whole = panel(models=12)
    rng = np.random.default_rng(5)
    wrong = whole.predictions != whole.outcomes
    lost = wrong & (rng.random(wrong.shape) < 0.6) & (np.arange(12) < 6)[:, None]
    found = own_excess(replace(whole, predictions=np.where(lost, 0, whole.predictions).astype(np.int8)))
    assert found.evidence is not None
    assert found.evidence.fits[1].panel.low > 0
    assert (found.panel.verdict, found.panel.against) == ("not shown", ("1:losses",))


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
    assert tables.rho[0, 0, 2] == pytest.approx(float(tetrachoric(*cells)), abs=1e-6)
    n, prediction, outcome = sum(cells), (cells[0] + cells[1]) / sum(cells), (cells[0] + cells[2]) / sum(cells)
    assert tables.weights[0, 0, 2] == pytest.approx(n * prediction * (1 - prediction) * outcome * (1 - outcome))


def test_a_replicate_is_what_there_is_without_a_block_of_items() -> None:
    some = panel(items=60)
    tables, block = tables_of(some), blocks(some.item)
    without = replace(some, predictions=some.predictions[:, block != 7], outcomes=some.outcomes[:, block != 7])
    without = replace(without, item=some.item[block != 7])
    assert tables.rho[8] == pytest.approx(tables_of(without).rho[0], abs=1e-6)
    assert [len(set(some.item[block == n])) for n in range(BLOCKS)] == [2] * BLOCKS


def test_the_error_is_the_jackknifes() -> None:
    fit = Evidence(panel(items=60)).fits[1]
    own = diagonal(residuals(fit.of.tables, 0)).mean(1)[1:]
    expected = np.sqrt((BLOCKS - 1) / BLOCKS * sum((one - sum(own) / BLOCKS) ** 2 for one in own))
    assert float(fit.panel.error) == pytest.approx(expected)


def test_what_would_have_been_found_is_by_the_least_certain_fit_and_for_one_model_by_holms_first_level() -> None:
    found = own_excess(panel(knows=0.25, seed=1))
    # Student's t at 29 degrees of freedom: its 97.5% point is 2.0452, its 80% point .8542
    errors = [float(fit.panel.error) for fit in found.fits]
    assert len(errors) == 2 and found.detectable == pytest.approx(2.8994 * max(errors), rel=1e-4)
    # of eight models the first must be above 0 at .05 / 8: 1 - .05 / 16 is the 99.6875% point, 2.9485
    for n, model in enumerate(found.of.models):
        of_one = [float(fit.each.error[n]) for fit in found.fits]
        assert found.detectable_of_each[model] == pytest.approx((2.9485 + 0.8542) * max(of_one), rel=1e-4)
    assert min(found.detectable_of_each.values()) > found.detectable
    small = own_excess(panel(models=5))
    assert np.isnan([small.detectable, *small.detectable_of_each.values()]).all()


def test_a_larger_run_would_have_found_less() -> None:
    few, many = (own_excess(panel(items=items)).detectable for items in (75, 300))
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
        return float(Evidence(OwnPanel(tuple("abcdef"), *signs, item)).fits[1].panel.value)

    assert found(-1.0) == pytest.approx(found(0.5), abs=0.02)
    assert found(0.5) == pytest.approx(0.4 * np.sqrt(0.51), abs=0.02)


def test_partial_correlations_are_of_what_ridge_regression_on_all_others_leaves() -> None:
    from sklearn.linear_model import Ridge

    some = panel(models=6, items=80, knows=0.7)
    items = np.unique(some.item)
    fold = (np.random.default_rng(0).permutation(len(items)) % FOLDS)[some.item]
    others = np.vstack([np.delete(some.predictions, 2, axis=0), np.delete(some.outcomes, 2, axis=0)]).T.astype(float)
    left = np.zeros((2, len(some.item)))
    for n in range(FOLDS):
        for row, signs in zip(left, (some.predictions[2], some.outcomes[2]), strict=True):
            fitted = Ridge(RIDGE).fit(others[fold != n], signs[fold != n])
            row[fold == n] = signs[fold == n] - fitted.predict(others[fold == n])
    each, mean = partial_correlations(some)
    expected = (left[0] @ left[1]) / np.sqrt((left[0] @ left[0]) * (left[1] @ left[1]))
    assert each[2].value == pytest.approx(expected)
    assert mean.value == pytest.approx(np.mean([one.value for one in each]))


def test_swap_shares_count_who_is_right_where_two_differ_in_prediction_and_in_outcome() -> None:
    predictions = np.array([[1, 1, 1, -1], [-1, -1, 1, 1], [1, 1, 1, 1]], np.int8)
    outcomes = np.array([[1, -1, -1, 1], [-1, 1, 1, -1], [1, 1, 1, 1]], np.int8)
    # 1 and 2 differ in both on claims 0 (both right), 1 and 3 (both wrong); 1 and 3 on claim 3 (1 is wrong: no outcome
    # of 3 differs from 1's there), 2 and 3 on claim 0 (both right)
    each, all_pairs = swap_shares(OwnPanel(("1", "2", "3"), predictions, outcomes, np.arange(4)))
    assert [one.value for one in each] == pytest.approx([1 / 3, 2 / 4, 1.0])
    assert all_pairs.value == pytest.approx(2 / 4)


# --- floors ----------------------------------------------------------------------------------------------------------


def test_below_the_floors_nothing_is_said_and_the_reason_is_named() -> None:
    few = own_excess(panel(models=5))
    assert (few.panel.verdict, few.evidence) == (None, None)
    assert few.panel.reason == "only 5 models tell enough by prediction and behaviour, and it takes 6"
    assert own_excess(panel(items=59)).panel.reason == "only 59 items, fewer than 60"


def test_a_model_that_always_says_the_same_takes_no_part_and_is_told_so() -> None:
    some = panel()
    predictions = some.predictions.copy()
    predictions[3] = 1
    found = own_excess(enough(replace(some, predictions=predictions)))
    assert found.of.models == tuple(f"model {n}" for n in range(MODELS) if n != 3)
    left_out = found.for_model("model 3")
    assert left_out.verdict is None
    assert left_out.reason == "left out: no item has its rarer prediction"


def test_models_of_other_items_take_no_part_and_change_nothing() -> None:
    some, others = panel(items=80), panel(models=3, items=80, seed=1)
    signs = [
        np.block([[one, np.zeros((MODELS, 320), np.int8)], [np.zeros((3, 320), np.int8), two]])
        for one, two in ((some.predictions, others.predictions), (some.outcomes, others.outcomes))
    ]
    asked = np.array([[n < MODELS] * 320 + [n >= MODELS] * 320 for n in range(MODELS + 3)])
    names = (*some.models, "x", "y", "z")
    both = enough(OwnPanel(names, *signs, np.concatenate([some.item, some.item + 80]), asked=asked))
    assert both.models == some.models
    assert both.left_out["x"] == "only 2 others were read on 60 of its items, and it takes 5"


def test_too_few_models_are_told_of_the_panel_and_not_of_each() -> None:
    few = enough(panel(models=4))
    assert (few.models, dict(few.left_out)) == (("model 0", "model 1", "model 2", "model 3"), {})


# --- recorded models -------------------------------------------------------------------------------------------------


def _of_ten(run: Run, experiment: str, source: str | None = None) -> OwnExcess:
    claims = run.tables.claims[experiment]
    claims = claims.by(source) if source else claims
    return own_excess(panel_of_claims(claims, claims.models, {}))


def test_difficulty_of_the_ten_models_has_the_published_numbers(as_the_authors_read_them: Run) -> None:
    """STATISTICS: nine models, one factor +.035 [.010, .060], two +.031, worked out outside the package."""
    found = _of_ten(as_the_authors_read_them, "difficulty")
    assert len(found.of.models) == 9
    one, two = found.fits
    assert [float(one.panel.value), *one.panel.interval()] == pytest.approx([0.035, 0.010, 0.060], abs=0.01)
    assert float(two.panel.value) == pytest.approx(0.031, abs=0.01)
    assert one.derangement_p < 0.05
    assert found.panel.verdict == "unresolved"


@pytest.mark.parametrize(("experiment", "source"), [("association", None), ("restriction", "rule")])
def test_elsewhere_it_is_not_shown_of_the_ten(
    as_the_authors_read_them: Run, experiment: str, source: str | None
) -> None:
    assert _of_ten(as_the_authors_read_them, experiment, source).panel.verdict == "not shown"


def test_where_each_model_judges_for_itself_there_is_a_number_and_no_verdict(ten_models: Run) -> None:
    tables = ten_models.tables
    own = {one.metric: one for one in own_of(tables.claims, tables.simulated) if one.experiment == "restriction"}
    by_itself, by_rule = own["own_excess"].found, own["own_excess_by_rule"].found
    assert by_itself.panel.verdict is None
    assert "own judgement" in (by_itself.panel.reason or "")
    assert by_itself.panel.estimate.value > 0.02
    assert by_rule.panel.verdict == "not shown"


def test_rows_have_number_verdict_and_the_number_of_models(ten_models: Run) -> None:
    scores = score_tables(ten_models.tables, ["o4-mini", "gemini-2.5-flash"], "strict")
    row = scores.row("o4-mini", "difficulty", "own_excess")
    assert (row.verdict, row.models, row.source) == ("not shown", 9, "rule")
    assert row.value is not None
    absent = scores.row("gemini-2.5-flash", "difficulty", "own_excess")
    assert (absent.value, absent.verdict) == (None, None)
    assert absent.reason == "left out: no item of it could be read"
