"""What own excess is made of, and what stands beside it, worked out a second time: model by model, in loops."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as students_t

from selfexec.metrics import Estimate
from selfexec.metrics.own import BLOCKS, Judged, OwnExcess, OwnPanel, excess, verdict
from selfexec.metrics.own.excess import (
    DERANGEMENTS,
    Doubted,
    PanelCorrelations,
    derangement_p,
    misfit,
    residuals,
    tables_of,
    whole_table_of,
    without_each,
)
from selfexec.metrics.own.fit import Evidence, Fit
from selfexec.metrics.own.panel import _partners, enough, same_family
from selfexec.metrics.own.second_opinions import FOLDS, RIDGE, partial_correlations, swap_shares, unique_correlations
from selfexec.metrics.own.verdict import above, own_excess, too_small
from selfexec.stats.factors import fit_factors

MODELS = 7
POINT = 2.0452  # the 97.5% point of Student's t at 29 degrees of freedom, from a table


def panel(models: int = MODELS, items: int = 70, seed: int = 3, lost: float = 0.1) -> OwnPanel:
    """Two claims an item; predictions know the norm and some of each model's own ways; some are lost."""
    rng = np.random.default_rng(seed)
    norm, own = rng.standard_normal(2 * items), rng.standard_normal((models, 2 * items))
    outcomes = 0.7 * norm + 0.7 * own
    predictions = 0.6 * norm + 0.3 * own + 0.7 * rng.standard_normal(own.shape)
    signs = [np.where(part > 0.2, 1, -1).astype(np.int8) for part in (predictions, outcomes)]
    for part in signs:
        part[rng.random(part.shape) < lost] = 0
    names = tuple(f"model {n}" for n in range(models))
    return OwnPanel(names, *signs, np.repeat(np.arange(items), 2), ("a", "a", "a", "b", "b", None, None)[:models])


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return Evidence(panel())


def jackknife(replicates: np.ndarray) -> tuple[float, float]:
    """Value, and standard error from the values without each of thirty blocks."""
    without = [float(one) for one in replicates[1:]]
    mean = sum(without) / BLOCKS
    return float(replicates[0]), float(np.sqrt((BLOCKS - 1) / BLOCKS * sum((one - mean) ** 2 for one in without)))


def low_of(replicates: np.ndarray) -> float:
    value, error = jackknife(replicates)
    return value - POINT * error


# --- tables and what is left of them ---------------------------------------------------------------------------------


def test_an_interval_is_t_errors_to_each_side_and_t_is_value_over_error() -> None:
    some = Doubted(np.array([1.0, -2.0]), np.array([0.5, 4.0]))
    assert some.t == pytest.approx([2.0, -0.5])
    assert some.low == pytest.approx([1 - POINT * 0.5, -2 - POINT * 4], abs=1e-3)
    assert some.at(1).interval() == pytest.approx((-2 - POINT * 4, -2 + POINT * 4), abs=1e-3)


def test_the_whole_table_is_the_first_of_the_tables_and_who_always_says_the_same_has_no_weight() -> None:
    some = panel()
    predictions = some.predictions.copy()
    predictions[2] = 1
    tables = tables_of(replace(some, predictions=predictions))
    assert tables.rho.shape == (1 + BLOCKS, MODELS, MODELS)
    assert (tables.rho[:, 2] == 0).all() and (tables.weights[:, 2] == 0).all()
    assert (tables.weights[:, [0, 1, 3]] > 0).all()
    whole = whole_table_of(replace(some, predictions=predictions))
    assert whole.rho[0] == pytest.approx(tables.rho[0]) and whole.weights[0] == pytest.approx(tables.weights[0])


def test_without_a_model_own_excess_is_that_of_the_others_alone(evidence: Evidence) -> None:
    tables = evidence.tables
    found = without_each(tables, 0)
    for gone in range(MODELS):
        left = np.arange(MODELS) != gone
        alone = np.diagonal(residuals(tables.only(left), 0)[0])
        assert np.isnan(found[gone, gone])
        assert found[gone, left] == pytest.approx(alone, abs=2e-3)
    # of all items: what is without a block of them counts for nothing
    np.testing.assert_array_equal(found, without_each(PanelCorrelations(tables.rho[:1], tables.weights[:1]), 0))


def test_misfit_is_the_mean_square_of_what_is_left_by_its_error() -> None:
    rng = np.random.default_rng(0)
    rho, left = rng.normal(0, 0.1, (2, 1 + BLOCKS, MODELS, MODELS))
    weights = np.ones_like(rho)
    weights[:, 0, 1] = 0  # not known
    rho[:, 2, 3] = 0.5  # of which nothing says how doubtful it is
    total = 0.0
    for a in range(MODELS):
        for b in range(MODELS):
            if a != b and (a, b) not in ((0, 1), (2, 3)):
                total += (left[0, a, b] / jackknife(rho[:, a, b])[1]) ** 2
    # of 40 entries; two factors of seven models take 2 (14 - 2) numbers
    assert misfit(PanelCorrelations(rho, weights), left, 2) == pytest.approx(total / 16)
    assert np.isnan(misfit(PanelCorrelations(rho, weights), left, 5))


def test_derangements_give_each_prediction_to_another_models_behaviour() -> None:
    deals = list(excess._derangements(MODELS))
    assert len(deals) == DERANGEMENTS == 199
    assert all(sorted(deal) == list(range(MODELS)) and (deal != np.arange(MODELS)).all() for deal in deals)


def test_p_is_the_share_of_derangements_that_leave_as_much(evidence: Evidence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excess, "DERANGEMENTS", 9)
    tables = PanelCorrelations(evidence.tables.rho[:1], evidence.tables.weights[:1])
    means = []
    for deal in excess._derangements(MODELS):
        weights = tables.weights[0].copy()
        weights[np.arange(MODELS), deal] = 0
        left = tables.rho[0] - fit_factors(tables.rho[0], weights).fitted
        means.append(float(np.mean([left[n, deal[n]] for n in range(MODELS)])))
    between = sum(sorted(means)[5:7]) / 2
    assert derangement_p(tables, 0, between) == (1 + 3) / (1 + 9)
    assert (derangement_p(tables, 0, -9.0), derangement_p(tables, 0, 9.0)) == (1.0, 1 / 10)


# --- a fit -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("factors", [1, 2])
def test_a_fits_numbers_are_those_of_its_residuals(evidence: Evidence, factors: int) -> None:
    fit = Fit(factors, evidence)
    left = residuals(evidence.tables, factors - 1)
    own = np.array([[table[n, n] for n in range(MODELS)] for table in left])
    for n in range(MODELS):
        assert (fit.each.value[n], fit.each.error[n]) == pytest.approx(jackknife(own[:, n]))
    assert (float(fit.panel.value), float(fit.panel.error)) == pytest.approx(jackknife(own.mean(1)))
    assert fit.fitted + left[0] == pytest.approx(evidence.tables.rho[0])
    assert fit.misfit == pytest.approx(misfit(evidence.tables, left, factors))
    z = [[value / error for value, error in (jackknife(left[:, a, b]) for b in range(MODELS))] for a in range(MODELS)]
    others = [z[a][b] for a in range(MODELS) for b in range(MODELS) if a != b]
    assert fit.outdone == pytest.approx([np.mean([one >= z[n][n] for one in others]) for n in range(MODELS)])
    lows = [low_of(np.delete(own, n, axis=1).mean(1)) for n in range(MODELS)]
    refitted = [float(np.nanmean(row)) for row in without_each(evidence.tables, factors - 1)]
    assert fit.least_without_one == pytest.approx(min(*lows, *refitted), abs=1e-4)


def test_each_model_is_held_against_its_family_or_whose_behaviour_is_most_like_its_own(evidence: Evidence) -> None:
    outcomes = tables_of(replace(evidence.panel, predictions=evidence.panel.outcomes))
    beyond = residuals(PanelCorrelations(outcomes.rho[:1], outcomes.weights[:1]), 0)[0]
    wanted = np.zeros((MODELS, MODELS), bool)
    for n, family in enumerate(([1, 2], [0, 2], [0, 1], [4], [3])):
        wanted[n, family] = True
    for n in range(MODELS):
        nearest = max((m for m in range(MODELS) if m != n), key=lambda m: beyond[n, m])
        assert evidence.nearest[n] == nearest
        if n > 4:
            wanted[n, nearest] = True
    assert (evidence.closest == wanted).all()
    assert (evidence.family[:5] == wanted[:5]).all() and not evidence.family[5:].any()


def test_what_is_beyond_family_is_own_less_what_is_left_of_the_pairs_with_them(evidence: Evidence) -> None:
    fit, closest = Fit(1, evidence), evidence.closest
    left = residuals(evidence.tables, 0, closest | closest.T)
    most, mean = np.zeros((2, 1 + BLOCKS, MODELS))
    for n in range(MODELS):
        shared = {m: (left[:, n, m] + left[:, m, n]) / 2 for m in range(MODELS) if closest[n, m]}
        nearest = max(shared, key=lambda m: float(shared[m][0]))
        most[:, n] = left[:, n, n] - shared[nearest]
        mean[:, n] = left[:, n, n] - sum(shared.values()) / len(shared)
    for n in range(MODELS):
        found = (fit.each_beyond_family.value[n], fit.each_beyond_family.error[n])
        assert found == pytest.approx(jackknife(most[:, n]))
    assert (float(fit.beyond_family.value), float(fit.beyond_family.error)) == pytest.approx(jackknife(mean.mean(1)))
    lows = [low_of(np.delete(mean, n, axis=1).mean(1)) for n in range(MODELS)]
    assert fit.least_beyond_family == pytest.approx(min(lows), abs=1e-4)


def test_those_that_lost_little_are_fitted_among_themselves_where_they_are_six() -> None:
    some = panel(lost=0.0)
    predictions = some.predictions.copy()
    predictions[3, :100] = 0  # of 140 claims: below nine in ten
    evidence = Evidence(replace(some, predictions=predictions))
    read = np.arange(MODELS) != 3
    assert (evidence.panel.well_read == read).all()
    own = np.diagonal(residuals(evidence.tables.only(read), 0), axis1=1, axis2=2)
    fit = Fit(1, evidence)
    assert fit.each_well_read is not None and fit.well_read is not None
    assert fit.each_well_read.value == pytest.approx(own[0])
    assert (float(fit.well_read.value), float(fit.well_read.error)) == pytest.approx(jackknife(own.mean(1)))
    assert fit.least_well_read == pytest.approx(min(low_of(np.delete(own, n, 1).mean(1)) for n in range(6)), abs=1e-4)
    predictions[4, :100] = 0
    five = Fit(1, Evidence(replace(some, predictions=predictions)))
    assert (five.each_well_read, five.well_read) == (None, None) and np.isnan(five.least_well_read)


def test_holms_adjustment_asks_more_of_the_first_and_nothing_of_who_is_below_zero() -> None:
    # at 29 degrees of freedom two-sided p is .05 at 2.045, .025 at 2.364 and .05 / 3 at 2.541
    def found(*t: float) -> list[bool]:
        return above(Doubted(np.array(t), np.ones(len(t)))).tolist()

    assert found(2.6, 2.4, 2.1) == [True, True, True]
    assert found(2.5, 2.4, 2.1) == [False, False, False]
    assert found(2.6, 2.3, 2.1) == [True, False, False]
    assert found(-2.6, 2.4, 2.0) == [False, True, False]
    assert found(2.046) == [True] and found(2.044) == [False]
    assert above(Doubted(np.array([0.0, 1.0]), np.array([0.0, 0.1]))).tolist() == [False, True]


def test_a_verdict_comes_with_the_estimate_of_one_factor(evidence: Evidence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdict, "Evidence", lambda panel: evidence)
    found, one = own_excess(evidence.panel), evidence.fits[1]
    assert found.panel.estimate.value == float(one.panel.value)
    for n, model in enumerate(evidence.panel.models):
        estimate = found.each[model].estimate
        assert (estimate.value, estimate.error) == (one.each.value[n], one.each.error[n])
        assert estimate.interval == one.each.at(n).interval()


def test_what_is_told_beside_verdicts_is_of_the_fits_that_they_rest_on(evidence: Evidence) -> None:
    nothing = Judged(Estimate(0.0), None)
    found = OwnExcess(evidence.panel, nothing, {}, evidence)
    fits = found.fits
    assert [fit.factors for fit in fits] in ([1, 2], [1, 2, 3]) and fits[0] is evidence.fits[1]
    np.testing.assert_array_equal(found.unique, unique_correlations(evidence.panel, evidence.fits[1].each.value))
    # 80% of runs find it: the points of Student's t for .975 and .8 at 29 degrees of freedom, in errors
    assert found.detectable == pytest.approx((POINT + 0.8542) * max(float(fit.panel.error) for fit in fits), rel=1e-3)
    point = float(students_t.ppf(1 - 0.05 / MODELS / 2, BLOCKS - 1)) + 0.8542
    for n, model in enumerate(evidence.panel.models):
        most = max(float(fit.each.error[n]) for fit in fits)
        assert found.detectable_of_each[model] == pytest.approx(point * most, rel=1e-3)


# --- who takes part --------------------------------------------------------------------------------------------------


def test_coverage_is_of_what_was_asked_and_nine_in_ten_is_enough() -> None:
    signs = np.ones((2, 20), np.int8)
    signs[0, :2], signs[1, :3] = 0, 0
    some = OwnPanel(("x", "y"), signs, np.ones_like(signs), np.arange(20))
    assert some.coverage.tolist() == [0.9, 0.85] and some.well_read.tolist() == [True, False]
    asked = np.ones((2, 20), bool)
    asked[1, 0] = False
    assert replace(some, asked=asked).coverage == pytest.approx([18 / 20, 17 / 19])
    assert replace(some, asked=np.zeros((2, 20), bool)).coverage.tolist() == [0, 0]
    assert (some.items, some.of(np.array([False, True])).models) == (20, ("y",))


def test_sixty_items_and_twenty_of_the_rarer_side_are_enough_and_one_fewer_is_not() -> None:
    def made(items: int, rarer: int) -> OwnPanel:
        predictions, outcomes = np.ones((2, 6, 2 * items), np.int8)
        predictions[:, : 2 * rarer], outcomes[:, -40:] = -1, -1
        return OwnPanel(tuple("abcdef"), predictions, outcomes, np.repeat(np.arange(items), 2))

    assert enough(made(60, 20)).models == tuple("abcdef")
    few = enough(made(59, 20)).left_out
    assert set(few.values()) == {"only 59 items of it could be read, fewer than 60"}
    assert set(enough(made(60, 19)).left_out.values()) == {"only 19 items have its rarer prediction, fewer than 20"}
    other = made(60, 20)
    more = made(61, 20)
    unsaid = more.predictions.copy()
    unsaid[:, -2:] = 0  # of one of the twenty items that were not done it is not known what was said
    few = enough(replace(more, predictions=unsaid)).left_out
    assert set(few.values()) == {"only 19 items have its rarer outcome, fewer than 20"}
    outcome = enough(replace(other, outcomes=np.where(np.arange(120) < 2, other.outcomes, 1)))
    assert set(outcome.left_out.values()) == {"no item has its rarer outcome"}
    assert too_small(enough(made(60, 20))) is None
    assert (
        too_small(made(60, 20).of(np.arange(6) < 5))
        == "only 5 models tell enough by prediction and behaviour, and it takes 6"
    )
    assert too_small(made(59, 20)) == "only 59 items, fewer than 60"


def test_a_model_takes_part_that_was_read_on_sixty_items_of_five_others() -> None:
    # of 120 items, models 0 to 4 were read on all, 5 and 6 on the second half, 7 on the first
    signs = np.tile(np.where(np.arange(240) // 4 % 2, 1, -1).astype(np.int8), (8, 1))
    signs[5:7, :120], signs[7, 120:] = 0, 0
    some = OwnPanel(tuple("abcdefgh"), signs, signs, np.repeat(np.arange(120), 2))
    assert _partners(some).tolist() == [7, 7, 7, 7, 7, 6, 6, 5]
    assert enough(some).models == tuple("abcdefgh")
    without = enough(some.of(np.arange(8) > 0))
    assert without.models == tuple("bcdefg")
    assert without.left_out == {"h": "only 4 others were read on 60 of its items, and it takes 5"}
    # an item fewer, of predictions alone or of outcomes alone, and nobody has sixty in common with it any more
    for side in ("predictions", "outcomes"):
        fewer = getattr(some, side).copy()
        fewer[7, :2] = 0
        assert _partners(replace(some, **{side: fewer}))[:7].tolist() == [6] * 7


def test_claims_of_which_nothing_is_known_are_no_part_of_a_panel_and_unknown_families_are_nobodys() -> None:
    some = panel(lost=0.0)
    predictions, outcomes = some.predictions.copy(), some.outcomes.copy()
    predictions[:, :4], outcomes[:, :2] = 0, 0
    kept = enough(replace(some, predictions=predictions, outcomes=outcomes))
    assert (kept.predictions.shape[1], kept.items) == (138, 69)
    asked = np.zeros(predictions.shape, bool)
    asked[3, 1] = True  # of a claim that was asked and lost it is known that it was lost
    assert enough(replace(some, predictions=predictions, outcomes=outcomes, asked=asked)).predictions.shape[1] == 139
    family = same_family(("a", None, "a", None))
    assert family.tolist() == [[m != n and {m, n} == {0, 2} for m in range(4)] for n in range(4)]


# --- second opinions -------------------------------------------------------------------------------------------------


def leftovers(some: OwnPanel, n: int) -> np.ndarray:
    """Word and outcome of a model where ridge regression on those of the others, fitted to the other folds, is taken
    off; shape (2, claims), 0 where one of the two is not known.
    """
    items = np.unique(some.item)
    fold = (np.random.default_rng(0).permutation(len(items)) % FOLDS)[np.searchsorted(items, some.item)]
    known = (some.predictions[n] != 0) & (some.outcomes[n] != 0)
    rows = [signs[m] for signs in (some.predictions, some.outcomes) for m in range(len(some.models)) if m != n]
    others, left = np.array(rows, float).T, np.zeros((2, len(some.item)))
    for at in range(FOLDS):
        train, rest = known & (fold != at), known & (fold == at)
        middle = others[train].mean(0)
        for out, signs in zip(left, (some.predictions[n], some.outcomes[n]), strict=True):
            # ridge as least squares with a row more for each slope
            x = np.vstack([others[train] - middle, np.sqrt(RIDGE) * np.eye(others.shape[1])])
            y = np.concatenate([signs[train] - signs[train].mean(), np.zeros(others.shape[1])])
            slopes = np.linalg.lstsq(x, y, rcond=None)[0]
            out[rest] = signs[rest] - signs[train].mean() - (others[rest] - middle) @ slopes
    return left


def error_by_weights(statistic: object, items: int) -> float:
    """Standard error from how the statistic moves where an item counts a little more."""
    step = 1e-5
    moved = [(statistic(1 + step * row) - statistic(1 - step * row)) / (2 * step) for row in np.eye(items)]  # type: ignore[operator]
    return float(np.std(moved, ddof=1) * np.sqrt(items))


def test_partial_correlations_and_their_errors_are_those_of_what_regressions_leave() -> None:
    some = panel(models=4, items=40)
    left = [leftovers(some, n) for n in range(4)]

    def correlation(n: int, weights: np.ndarray) -> float:
        prediction, outcome = left[n]
        by_claim = weights[some.item]
        return float(
            (by_claim * prediction * outcome).sum()
            / np.sqrt((by_claim * prediction**2).sum() * (by_claim * outcome**2).sum())
        )

    each, mean = partial_correlations(some)
    whole, point = np.ones(40), float(students_t.ppf(0.975, 39))
    values = [correlation(n, whole) for n in range(4)]
    for n, one in enumerate(each):
        error = error_by_weights(lambda weights, n=n: correlation(n, weights), 40)
        assert (one.value, one.error) == pytest.approx((values[n], error), rel=1e-5)
        assert one.interval == pytest.approx((values[n] - point * error, values[n] + point * error), rel=1e-4)
    error = error_by_weights(lambda weights: np.mean([correlation(n, weights) for n in range(4)]), 40)
    assert (mean.value, mean.error) == pytest.approx((np.mean(values), error), rel=1e-5)
    half = point * error
    assert mean.interval == pytest.approx((np.mean(values) - half, np.mean(values) + half), rel=1e-4)


def test_of_a_word_that_never_changes_there_is_no_partial_correlation() -> None:
    some = panel(models=4, items=40, lost=0.0)
    predictions = some.predictions.copy()
    predictions[1] = 1
    each, mean = partial_correlations(replace(some, predictions=predictions))
    none = repr(Estimate(0.0))  # nan in it is no longer equal to itself in 3.13
    assert repr(each[1]) == none
    assert mean.value == pytest.approx(sum(one.value for one in each) / 4) and mean.value != 0
    predictions[1] = 0  # or of which nothing is known
    assert repr(partial_correlations(replace(some, predictions=predictions))[0][1]) == none
    predictions[1, 5] = 1  # or a single one, with nothing to predict it by
    assert repr(partial_correlations(replace(some, predictions=predictions))[0][1]) == none


def test_own_excess_by_what_is_unique_is_a_correlation_at_most_one() -> None:
    rng = np.random.default_rng(1)
    common, apart = rng.standard_normal((2, 6000)), rng.standard_normal((2, 7, 6000))
    # prediction and outcome have .36 and .49 of their variance in common with others, and .64 and .51 for themselves
    predictions, outcomes = 0.6 * common[0] + 0.8 * apart[0], 0.7 * common[1] + np.sqrt(0.51) * apart[1]
    signs = [np.where(part > 0.3, 1, -1).astype(np.int8) for part in (predictions, outcomes)]
    some = OwnPanel(tuple("abcdefg"), *signs, np.arange(6000))
    found = unique_correlations(some, np.array([0.0, 0.1, 0.3, -0.3, 0.4, 0.9, -0.9]))
    scale = np.sqrt(0.64 * 0.51)
    assert found == pytest.approx([0.0, 0.1 / scale, 0.3 / scale, -0.3 / scale, 0.4 / scale, 1.0, -1.0], abs=0.03)
    # where all say and do the same, a fiftieth is taken to be their own
    alike = OwnPanel(tuple("abcdef"), *np.broadcast_to(np.stack(signs)[:, :1], (2, 6, 6000)), np.arange(6000))
    assert unique_correlations(alike, np.full(6, 0.01)) == pytest.approx(0.01 / 0.02, abs=0.1)


def test_swap_shares_have_the_error_of_a_ratio_over_items() -> None:
    # item 0: both right about themselves; 1: both wrong; 2: two claims, one of each; 3: they do not differ in
    # prediction
    predictions = np.array([[1, 1, 1, -1, 1], [-1, -1, -1, 1, 1]], np.int8)
    outcomes = np.array([[1, -1, 1, 1, 1], [-1, 1, -1, -1, -1]], np.int8)
    each, both = swap_shares(OwnPanel(("x", "y"), predictions, outcomes, np.array([0, 1, 2, 2, 3])))
    # shares 1 of 1, 0 of 1, 1 of 2: 2 of 4; s - R n = .5, -.5, 0: sqrt(3 / 2 (.25 + .25)) / 4
    error = np.sqrt(3 / 2 * 0.5) / 4
    for found in (*each, both):
        assert (found.value, found.error) == pytest.approx((0.5, error))
        assert found.interval == pytest.approx((0.0, 1.0))  # 4.303 errors to each side, which no share can be
    many = swap_shares(OwnPanel(("x", "y"), np.tile(predictions, 9), np.tile(outcomes, 9), np.repeat(np.arange(9), 5)))[
        1
    ]
    assert (many.value, many.error) == pytest.approx((0.5, 0.0))
    # what is not known does not differ
    one, two = predictions * (np.arange(5) != 0), outcomes * (np.arange(5) != 1)
    for unknown in ((one, outcomes, 1 / 3), (predictions, two, 2 / 3), (one, two, 1 / 2)):
        found = swap_shares(OwnPanel(("x", "y"), unknown[0], unknown[1], np.array([0, 1, 2, 2, 3])))[1]
        assert found.value == pytest.approx(unknown[2])
    never, _ = swap_shares(OwnPanel(("x", "y"), predictions[[0, 0]], outcomes[[0, 0]], np.arange(5)))
    assert np.isnan(never[0].value) and never[0].reason == "no two models differ both in prediction and in behaviour"
