"""What own excess is made of, and what is shown next to it, worked out a second time: model by model, in loops."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as students_t

from selfexec.metrics import Estimate
from selfexec.metrics.own_excess import ComparedModels, Evidence, Fit, Objection, verdict
from selfexec.metrics.own_excess.compared import _partners, enough, same_family
from selfexec.metrics.own_excess.excess import (
    CrossCorrelations,
    Doubted,
    Residuals,
    by_influence,
    by_jackknife,
    derangement_p,
    loss_bounds,
    residuals,
    tables_of,
)
from selfexec.metrics.own_excess.pairs import shared_by_pairs
from selfexec.metrics.own_excess.second_opinions import RIDGE, partial_correlations, swap_shares, unique_correlations
from selfexec.metrics.own_excess.verdict import holm_tests, judge_own_excess, too_small
from selfexec.stats.factors import fit_factors
from selfexec.stats.tetrachoric import tetrachoric, tetrachoric_over_strata

MODELS, ITEMS = 7, 70


def panel(models: int = MODELS, items: int = ITEMS, seed: int = 3, lost: float = 0.1) -> ComparedModels:
    """Two claims an item; predictions know the norm and some of each model's own ways; some are lost."""
    rng = np.random.default_rng(seed)
    norm, own = rng.standard_normal(2 * items), rng.standard_normal((models, 2 * items))
    outcomes = 0.7 * norm + 0.7 * own
    predictions = 0.6 * norm + 0.3 * own + 0.7 * rng.standard_normal(own.shape)
    signs = [np.where(part > 0.2, 1, -1).astype(np.int8) for part in (predictions, outcomes)]
    for part in signs:
        part[rng.random(part.shape) < lost] = 0
    names = tuple(f"model {n}" for n in range(models))
    return ComparedModels(names, *signs, np.repeat(np.arange(items), 2), ("a", "a", "a", "b", "b", None, None)[:models])


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return Evidence(panel())


def error_of(influence: np.ndarray) -> float:
    """Standard error of a number from how much each item moves it."""
    return float(np.sqrt(ITEMS / (ITEMS - 1) * sum(float(one) ** 2 for one in influence)))


# --- correlations ----------------------------------------------------------------------------------------------------


def weighted_counts(some: ComparedModels, a: int, b: int, weights: np.ndarray) -> np.ndarray:
    """A table of two by two with a weight for each item, a column for each stratum, claim by claim."""
    counts = np.zeros((4, some.strata))
    for claim, item in enumerate(some.item):
        predicted, observed = some.predictions[a, claim], some.outcomes[b, claim]
        if predicted and observed:
            cell = {(1, 1): 0, (1, -1): 1, (-1, 1): 2, (-1, -1): 3}[int(predicted), int(observed)]
            counts[cell, some.stratum[claim]] += weights[item]
    return counts


def weighted_rho(some: ComparedModels, weights: np.ndarray) -> np.ndarray:
    models = range(len(some.models))
    return np.array(
        [[float(tetrachoric_over_strata(weighted_counts(some, a, b, weights)).rho) for b in models] for a in models]
    )


@pytest.mark.parametrize("places", [None, np.tile([0, 1], ITEMS)])
def test_an_item_moves_what_is_left_as_it_does_when_it_counts_a_little_more(places: np.ndarray | None) -> None:
    some = replace(panel(), position=places)
    tables = tables_of(some)
    whole = np.ones(ITEMS)
    assert tables.rho == pytest.approx(weighted_rho(some, whole), abs=1e-6)
    for factors in (1, 2):
        found = residuals(tables, factors)
        for item in (0, 33):
            step = np.zeros(ITEMS)
            step[item] = 1e-4
            up, down = (weighted_rho(some, whole + sign * step) for sign in (1, -1))
            assert tables.influence[item] == pytest.approx((up - down) / 2e-4, abs=1e-5)
            left = [rho - fit_factors(rho, tables.precision, factors).fitted for rho in (up, down)]
            # the fit's second derivatives are approximate: to within a tenth of what an item does
            wide = 0.1 * np.abs(tables.influence[item]).max()
            assert found.influence[item] == pytest.approx((left[0] - left[1]) / 2e-4, abs=wide)


def test_an_interval_is_t_errors_to_each_side_and_t_is_value_over_error() -> None:
    some, point = Doubted(np.array([1.0, -2.0]), np.array([0.5, 4.0]), 29), 2.0452  # from a table of Student's t
    assert some.t == pytest.approx([2.0, -0.5])
    assert some.low == pytest.approx([1 - point * 0.5, -2 - point * 4], abs=1e-3)
    assert some.at(1).interval() == pytest.approx((-2 - point * 4, -2 + point * 4), abs=1e-3)
    # at a two-sided level of .01 the point is 2.7564; 80% of runs find 2.7564 + .8542 errors
    assert some.at(0).interval(0.01) == pytest.approx((1 - 2.7564 * 0.5, 1 + 2.7564 * 0.5), abs=1e-3)
    assert some.at(0).detectable(0.01) == pytest.approx((2.7564 + 0.8542) * 0.5, abs=1e-3)


def test_a_jackknife_over_models_is_that_over_means_without_one() -> None:
    found = by_jackknife(0.5, np.array([0.4, 0.5, 0.9]))
    # mean .6: squares .04 + .01 + .09 = .14, times 2 / 3
    assert (float(found.error), found.freedom) == (pytest.approx(np.sqrt(0.14 * 2 / 3)), 2)


def test_a_model_that_always_says_the_same_has_no_weight() -> None:
    some = panel()
    predictions = some.predictions.copy()
    predictions[2] = 1
    tables = tables_of(replace(some, predictions=predictions))
    assert (tables.rho[2] == 0).all() and (tables.weights[2] == 0).all() and (tables.precision[2] == 0).all()
    assert (tables.weights[[0, 1, 3]] > 0).all()


def test_precisions_are_inverse_variances_in_the_middle_and_go_as_the_weights(evidence: Evidence) -> None:
    tables = evidence.tables
    off = [(a, b) for a in range(MODELS) for b in range(MODELS) if a != b]
    variances = {pair: error_of(tables.influence[:, pair[0], pair[1]]) ** 2 for pair in off}
    scale = np.median([1 / (tables.weights[pair] * variances[pair]) for pair in off])
    assert tables.precision[0, 1] == pytest.approx(scale * tables.weights[0, 1])
    assert len({round(float(tables.precision[pair] / tables.weights[pair]), 9) for pair in off}) == 1
    assert (np.diagonal(tables.precision) == 0).all()


# --- what is left of them --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("factors", [1, 2])
def test_a_fits_numbers_are_those_of_its_residuals(evidence: Evidence, factors: int) -> None:
    fit, tables = Fit(factors, evidence), evidence.tables
    left = tables.rho - fit_factors(tables.rho, tables.precision, factors).fitted
    moved = fit.left.influence
    for n in range(MODELS):
        assert fit.each.value[n] == pytest.approx(left[n, n], abs=1e-6)
        assert fit.each.error[n] == pytest.approx(error_of(moved[:, n, n]))
    own = [sum(moved[t, n, n] for n in range(MODELS)) / MODELS for t in range(ITEMS)]
    assert float(fit.mean.value) == pytest.approx(sum(left[n, n] for n in range(MODELS)) / MODELS, abs=1e-6)
    assert (float(fit.mean.error), fit.mean.freedom) == (pytest.approx(error_of(np.array(own))), ITEMS - 1)
    assert fit.fitted + fit.residual.value == pytest.approx(tables.rho)
    z = [[left[a, b] / error_of(moved[:, a, b]) for b in range(MODELS)] for a in range(MODELS)]
    others = [z[a][b] for a in range(MODELS) for b in range(MODELS) if a != b]
    assert fit.outdone == pytest.approx([np.mean([one >= z[n][n] for one in others]) for n in range(MODELS)])


@pytest.mark.parametrize("families", [True, False])
def test_misfit_is_of_models_of_different_families(evidence: Evidence, families: bool) -> None:
    evidence = evidence if families else Evidence(replace(panel(seed=4), families=()))
    fit, family = Fit(1, evidence), evidence.family
    weights = evidence.tables.precision * ~family
    apart = residuals(evidence.tables, 1, family)
    assert apart.value == pytest.approx(
        evidence.tables.rho - fit_factors(evidence.tables.rho, weights).fitted, abs=1e-6
    )
    squares = noise = 0.0
    for a in range(MODELS):
        for b in range(MODELS):
            if a != b and not family[a, b]:
                squares += weights[a, b] * apart.value[a, b] ** 2
                noise += weights[a, b] * error_of(apart.influence[:, a, b]) ** 2
    assert fit.misfit == pytest.approx(squares / noise)


@pytest.mark.parametrize("factors", [1, 2])
@pytest.mark.parametrize("families", [True, False])
def test_what_pairs_share_is_what_coincides_in_predictions_and_in_behaviour(
    evidence: Evidence, families: bool, factors: int
) -> None:
    evidence = evidence if families else Evidence(replace(panel(seed=4), families=()))
    some, family = evidence.compared, evidence.family
    crossed, predictions, outcomes = (
        residuals(tables_of(replace(some, predictions=rows, outcomes=columns)), factors, family)
        for rows, columns in (
            (some.predictions, some.outcomes),
            (some.predictions, some.predictions),
            (some.outcomes, some.outcomes),
        )
    )

    def left(table: Residuals, a: int, b: int) -> np.ndarray:
        """The mean of both ways, then by how much each item moves it, over the root of what the fit leaves free."""
        both = np.zeros((1, MODELS, MODELS))
        both[0, a, b] = both[0, b, a] = 1
        moved = table.fit.moved(both)[0]
        free = 1 - (moved[a, b] + moved[b, a]) / 2
        values = np.concatenate([[table.value[a, b]], table.influence[:, a, b]])
        back = np.concatenate([[table.value[b, a]], table.influence[:, b, a]])
        return (values + back) / 2 / np.sqrt(free)

    pairs = [(a, b) for a in range(MODELS) for b in range(a) if not family[a, b]]
    one = [(2 * left(crossed, *pair) + left(predictions, *pair)) / 3 for pair in pairs]
    other = [(2 * left(crossed, *pair) + left(outcomes, *pair)) / 3 for pair in pairs]
    square = sum(x[0] * y[0] - sum(x[1:] * y[1:]) for x, y in zip(one, other, strict=True))
    # of a sum of products x y: cov(x, x') cov(y, y') + cov(x, y') cov(y, x'), over all pairs of its terms
    count = range(len(pairs))
    variance = sum(
        sum(one[p][1:] * one[q][1:]) * sum(other[p][1:] * other[q][1:])
        + sum(one[p][1:] * other[q][1:]) * sum(other[p][1:] * one[q][1:])
        for p in count
        for q in count
    )
    upper = square + float(norm.ppf(0.9)) * np.sqrt(variance)
    # each pair is two models', and the sum is that of one model on average
    fit = evidence.fits[factors]
    assert fit.pairs == pytest.approx(np.sqrt(2 * max(upper, 0) / MODELS), rel=1e-4)
    assert families or fit.pairs > 0


def test_what_only_predictions_have_in_common_in_pairs_is_not_shared() -> None:
    """Ten models that know half of their own ways; the predictions of two and two are given alike by what is in no
    behaviour.
    """
    rng = np.random.default_rng(2)
    norm, own, style = rng.standard_normal(1600), rng.standard_normal((10, 1600)), rng.standard_normal((5, 1600))
    outcomes = 0.6 * norm + 0.8 * own
    predictions = 0.6 * norm + 0.4 * own + 0.5 * style[np.arange(10) // 2] + 0.5 * rng.standard_normal((10, 1600))
    signs = [np.where(part > 0.2, 1, -1).astype(np.int8) for part in (predictions, outcomes)]
    names = tuple(f"model {n}" for n in range(10))
    found = judge_own_excess(ComparedModels(names, *signs, np.repeat(np.arange(400), 4)))
    assert found.overall.verdict == "own"
    predictions_alike, outcomes_alike = found.fits[0].evidence.alike
    pairs = np.eye(10, dtype=bool)[np.arange(10) ^ 1]
    assert residuals(predictions_alike, 1).value[pairs].min() > 0.1 > residuals(outcomes_alike, 1).value[pairs].max()


def test_without_a_model_own_excess_is_that_of_the_others_alone(evidence: Evidence) -> None:
    tables = evidence.tables
    found = residuals(tables, 1).without_each
    for gone in range(MODELS):
        others = np.arange(MODELS) != gone
        pairs = np.ix_(others, others)
        alone = tables.rho[pairs] - fit_factors(tables.rho[pairs], tables.precision[pairs]).fitted
        assert np.isnan(found[gone, gone])
        assert found[gone, others] == pytest.approx(np.diagonal(alone), abs=1e-4)
    over = Fit(1, evidence).over_models
    means = [float(np.nanmean(row)) for row in found]
    squares = sum((one - sum(means) / MODELS) ** 2 for one in means)
    assert (float(over.error), over.freedom) == (pytest.approx(np.sqrt(squares * (MODELS - 1) / MODELS)), MODELS - 1)


def test_where_no_factor_is_called_for_own_excess_is_the_correlation() -> None:
    rng = np.random.default_rng(2)
    signs = rng.choice([-1, 1], (2, MODELS, 2 * ITEMS)).astype(np.int8)
    signs[1] = np.where(rng.random(signs[1].shape) < 0.8, signs[0], -signs[0])  # everybody knows its own table
    some = ComparedModels(panel().models, *signs, np.repeat(np.arange(ITEMS), 2))
    fit = Fit(2, Evidence(some))
    assert fit.each.value == pytest.approx(np.diagonal(fit.evidence.tables.rho))
    assert fit.each.error == pytest.approx(np.diagonal(fit.evidence.tables.errors))


def test_p_of_derangements_is_that_of_a_normal_distribution_with_their_mean_and_variance() -> None:
    rng = np.random.default_rng(1)
    for models in (6, 7):
        left = rng.normal(0.02, 0.1, (models, models)) + np.outer(rng.normal(0, 0.1, models), np.ones(models))
        sums = [
            sum(left[n, other] for n, other in enumerate(order))
            for order in permutations(range(models))
            if all(n != other for n, other in enumerate(order))
        ]
        expected = norm.sf((np.trace(left) - np.mean(sums)) / np.std(sums))
        assert derangement_p(left) == pytest.approx(float(expected), rel=1e-9)


def test_a_residual_that_was_fitted_counts_as_what_it_would_be_had_it_not_been(evidence: Evidence) -> None:
    found = residuals(evidence.tables, 1)
    weights = evidence.tables.precision.copy()
    weights[2, 5] = 0
    unseen = evidence.tables.rho[2, 5] - fit_factors(evidence.tables.rho, weights).fitted[2, 5]
    assert found.unseen[2, 5] == pytest.approx(unseen, rel=0.1)
    assert abs(found.unseen[2, 5]) > abs(found.value[2, 5])
    assert np.diagonal(found.unseen) == pytest.approx(np.diagonal(found.value))


def test_what_is_beyond_family_is_own_less_what_is_left_of_the_pairs_with_them(evidence: Evidence) -> None:
    fit, family = Fit(1, evidence), evidence.family
    assert [np.flatnonzero(row).tolist() for row in family] == [[1, 2], [0, 2], [0, 1], [4], [3], [], []]
    apart = residuals(evidence.tables, 1, family)
    beyond = np.zeros((1 + ITEMS, MODELS))
    for row, left in enumerate([apart.value, *apart.influence]):
        for n in range(MODELS):
            shared = [(left[n, m] + left[m, n]) / 2 for m in range(MODELS) if family[n, m]]
            beyond[row, n] = left[n, n] - (sum(shared) / len(shared) if shared else 0)
    for n in range(MODELS):
        found = (fit.each_beyond_family.value[n], fit.each_beyond_family.error[n])
        assert found == pytest.approx((beyond[0, n], error_of(beyond[1:, n])))
    mean = beyond.mean(1)
    assert float(fit.beyond_family.value) == pytest.approx(mean[0])
    assert float(fit.beyond_family.error) == pytest.approx(error_of(mean[1:]))
    # the jackknife of a mean is the usual error of a mean
    over = fit.beyond_family_over_models
    assert (float(over.value), over.freedom) == (pytest.approx(mean[0]), MODELS - 1)
    assert float(over.error) == pytest.approx(np.std(beyond[0], ddof=1) / np.sqrt(MODELS))


def test_without_families_nothing_is_taken_off_for_them() -> None:
    fit = Fit(1, Evidence(replace(panel(), families=())))
    assert fit.apart is fit.left
    assert float(fit.beyond_family.value) == float(fit.mean.value)


def test_in_the_worst_case_prediction_and_behaviour_disagree_in_all_that_was_lost() -> None:
    some = panel()
    for n, bound in enumerate(loss_bounds(some)):
        both, first, second, neither = weighted_counts(some, n, n, np.ones(ITEMS))[:, 0]
        lost = 2 * ITEMS - (both + first + second + neither)
        share = (first + 0.5) / (first + second + 1)
        worst = tetrachoric(both, first + lost * share, second + lost * (1 - share), neither)
        assert bound == pytest.approx(float(tetrachoric(both, first, second, neither) - worst))
        assert bound > 0
    assert (loss_bounds(panel(lost=0.0)) == 0).all()
    # what was not asked was not lost
    assert (loss_bounds(replace(some, asked=some.known)) == 0).all()


def test_those_that_lost_little_are_fitted_among_themselves_where_they_are_six() -> None:
    some = panel(lost=0.0)
    predictions = some.predictions.copy()
    predictions[3, :100] = 0  # of 140 claims: below nine in ten
    predictions[4, :10] = 0
    evidence = Evidence(replace(some, predictions=predictions))
    read = np.arange(MODELS) != 3
    assert (evidence.compared.well_read == read).all()
    alone = residuals(evidence.tables.only(read), 1)
    fit = Fit(1, evidence)
    found, worst = fit.well_read, fit.beyond_losses
    assert found is not None and worst is not None
    bounds = loss_bounds(evidence.compared)
    assert [n for n in range(MODELS) if bounds[n] > 0] == [3, 4]
    assert float(found.value) == pytest.approx(np.diagonal(alone.value).mean())
    assert float(worst.value) == pytest.approx(np.diagonal(alone.value).mean() - bounds[4] / 6)
    assert float(found.error) == pytest.approx(error_of(np.diagonal(alone.influence, axis1=1, axis2=2).mean(1)))
    predictions[4, :100] = 0
    few = Fit(1, Evidence(replace(some, predictions=predictions)))
    assert few.well_read is None and few.beyond_losses is None


# --- verdicts --------------------------------------------------------------------------------------------------------


def test_holm_takes_intervals_from_the_clearest_on_and_stops_at_the_first_that_is_not_above_zero() -> None:
    # at 29 degrees of freedom two-sided p is .05 at 2.045, .025 at 2.364 and .05 / 3 at 2.541
    def tests(*t: float) -> list[int]:
        each = Doubted(np.array(t), np.ones(len(t)), 29)
        return holm_tests(each, np.arange(len(t))).tolist()

    assert tests(2.6, 2.4, 2.1) == [3, 2, 1]
    assert tests(2.1, 2.6, 2.4) == [1, 3, 2]
    assert tests(2.5, 2.4, 2.1) == [3, 3, 3]
    assert tests(2.6, 2.3, 2.1) == [3, 2, 2]
    assert tests(-2.6, 2.6, 2.4) == [1, 3, 2]  # one that is below 0 is no discovery, and comes last
    assert tests(2.046) == [1] and tests(2.044) == [1]
    # only those that are judged are counted
    each = Doubted(np.array([2.6, 2.1, 2.4]), np.ones(3), 29)
    assert holm_tests(each, np.array([0, 2])).tolist() == [2, 1]


def test_the_interval_that_is_printed_is_the_one_that_was_tested(
    evidence: Evidence, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verdict, "Evidence", lambda compared: evidence)
    found, one = judge_own_excess(evidence.compared), evidence.fits[1]
    assert found.overall.estimate.value == float(one.mean.value)
    assert found.overall.tested == found.overall.estimate.interval and found.overall.tests == 1
    assert found.overall.detectable == found.detectable == one.mean.detectable()
    assert sorted(found.each) == sorted(evidence.compared.models)
    for n, model in enumerate(evidence.compared.models):
        judged = found.each[model]
        assert (judged.estimate.value, judged.estimate.error) == (one.each.value[n], one.each.error[n])
        assert judged.estimate.interval == one.each.at(n).interval()
        point = float(students_t.ppf(1 - 0.05 / judged.tests / 2, ITEMS - 1))
        assert judged.tested.low == pytest.approx(judged.estimate.value - point * judged.estimate.error)
        power = float(students_t.ppf(0.8, ITEMS - 1))
        assert judged.detectable == pytest.approx((point + power) * judged.estimate.error)
        assert (Objection(1, "interval") in judged.against) == (judged.tested.low <= 0)


def test_own_excess_by_what_is_unique_is_that_of_one_factor(evidence: Evidence) -> None:
    found = judge_own_excess(evidence.compared)
    assert [fit.factors for fit in found.fits] == [1, 2]
    np.testing.assert_array_equal(found.unique, unique_correlations(evidence.compared, evidence.fits[1].each.value))


def test_of_one_item_or_none_there_is_no_error() -> None:
    assert by_influence(np.float64(0.3), np.array([0.1, -0.1])).freedom == 1
    tables = CrossCorrelations(np.eye(6), np.zeros((6, 6)), np.zeros((9, 6, 6)))
    left = residuals(tables, 1)
    assert isinstance(left, Residuals) and np.isnan([left.misfit, shared_by_pairs(left, left, left)]).all()


# --- who takes part --------------------------------------------------------------------------------------------------


def test_coverage_is_of_what_was_asked_and_nine_in_ten_is_enough() -> None:
    signs = np.ones((2, 20), np.int8)
    signs[0, :2], signs[1, :3] = 0, 0
    some = ComparedModels(("x", "y"), signs, np.ones_like(signs), np.arange(20))
    assert some.coverage.tolist() == [0.9, 0.85] and some.well_read.tolist() == [True, False]
    asked = np.ones((2, 20), bool)
    asked[1, 0] = False
    assert replace(some, asked=asked).coverage == pytest.approx([18 / 20, 17 / 19])
    assert replace(some, asked=np.zeros((2, 20), bool)).coverage.tolist() == [0, 0]
    assert (some.items, some.only(np.array([False, True])).models) == (20, ("y",))


def test_sixty_items_fifty_four_of_them_read_and_twenty_of_the_rarer_side_are_enough_and_fewer_are_not() -> None:
    def made(items: int, rarer: int) -> ComparedModels:
        predictions, outcomes = np.ones((2, 6, 2 * items), np.int8)
        predictions[:, : 2 * rarer], outcomes[:, -40:] = -1, -1
        return ComparedModels(tuple("abcdef"), predictions, outcomes, np.repeat(np.arange(items), 2))

    def lost(compared: ComparedModels, items: int) -> ComparedModels:
        """Without what each model predicted of the items in the middle."""
        predictions = compared.predictions.copy()
        predictions[:, 42 : 42 + 2 * items] = 0
        return replace(compared, predictions=predictions, asked=np.ones_like(predictions, np.bool_))

    assert enough(made(60, 20)).models == tuple("abcdef")
    assert enough(lost(made(60, 20), 6)).models == tuple("abcdef")
    few = enough(lost(made(60, 20), 7)).left_out
    assert set(few.values()) == {"only 53 items of it could be read, fewer than 54"}
    assert set(enough(made(60, 19)).left_out.values()) == {"only 19 items have its rarer prediction, fewer than 20"}
    other = made(60, 20)
    more = made(61, 20)
    unsaid = more.predictions.copy()
    unsaid[:, -2:] = 0  # of one of the twenty items that were not done it is not known what was said
    few = enough(replace(more, predictions=unsaid)).left_out
    assert set(few.values()) == {"only 19 items have its rarer outcome, fewer than 20"}
    outcome = enough(replace(other, outcomes=np.where(np.arange(120) < 2, other.outcomes, 1)))
    assert set(outcome.left_out.values()) == {"no item has its rarer outcome"}
    assert too_small(enough(made(60, 20))) is None and too_small(enough(lost(made(60, 20), 6))) is None
    assert (
        too_small(made(60, 20).only(np.arange(6) < 5))
        == "only 5 models vary enough in both prediction and behaviour, and 6 are needed"
    )
    assert too_small(made(59, 20)) == "only 59 items, fewer than 60"


def test_a_model_takes_part_that_was_read_on_forty_eight_items_of_five_others() -> None:
    # of 96 items, models 0 to 4 were read on all, 5 and 6 on the second half, 7 on the first
    signs = np.tile(np.where(np.arange(192) // 4 % 2, 1, -1).astype(np.int8), (8, 1))
    signs[5:7, :96], signs[7, 96:] = 0, 0
    some = ComparedModels(tuple("abcdefgh"), signs, signs, np.repeat(np.arange(96), 2))
    assert _partners(some).tolist() == [7, 7, 7, 7, 7, 6, 6, 5]
    # an item fewer, of predictions alone or of outcomes alone, and nobody has so many in common with it any more
    for side in ("predictions", "outcomes"):
        fewer = getattr(some, side).copy()
        fewer[7, :2] = 0
        assert _partners(replace(some, **{side: fewer}))[:7].tolist() == [6] * 7


def test_a_model_without_five_others_that_were_read_on_its_items_takes_no_part() -> None:
    # of 108 items, models a to e were read on all, f and g on the second half, h on the first
    signs = np.tile(np.where(np.arange(216) // 4 % 2, 1, -1).astype(np.int8), (8, 1))
    signs[5:7, :108], signs[7, 108:] = 0, 0
    some = ComparedModels(tuple("abcdefgh"), signs, signs, np.repeat(np.arange(108), 2))
    assert enough(some).models == tuple("abcdefgh")
    without = enough(some.only(np.arange(8) > 0))
    assert without.models == tuple("bcdefg")
    assert without.left_out == {"h": "only 4 others were read on 48 of its items, and 5 are needed"}


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


def leftovers(some: ComparedModels, n: int) -> np.ndarray:
    """Prediction and outcome of a model from which ridge regression on those of the others is taken off, fitted to all
    other items; shape (2, claims), 0 where one of the two is not known.
    """
    known = (some.predictions[n] != 0) & (some.outcomes[n] != 0)
    rows = [signs[m] for signs in (some.predictions, some.outcomes) for m in range(len(some.models)) if m != n]
    others, left = np.array(rows, float).T, np.zeros((2, len(some.item)))
    places = np.array([some.stratum == place for place in range(some.strata)], float).T
    for item in np.unique(some.item):
        train, rest = known & (some.item != item), known & (some.item == item)
        for out, signs in zip(left, (some.predictions[n], some.outcomes[n]), strict=True):
            # ridge as least squares with a row more for each slope; the intercepts are free
            x = np.hstack([places[train], others[train]])
            x = np.vstack([x, np.hstack([np.zeros((others.shape[1], places.shape[1])), np.eye(others.shape[1])])])
            x[len(places[train]) :] *= np.sqrt(RIDGE)
            slopes = np.linalg.lstsq(x, np.concatenate([signs[train], np.zeros(others.shape[1])]), rcond=None)[0]
            out[rest] = signs[rest] - np.hstack([places[rest], others[rest]]) @ slopes
    return left


def error_by_weights(statistic: object, items: int) -> float:
    """Standard error from how the statistic moves where an item counts a little more."""
    step = 1e-5
    moved = [(statistic(1 + step * row) - statistic(1 - step * row)) / (2 * step) for row in np.eye(items)]  # type: ignore[operator]
    return float(np.std(moved, ddof=1) * np.sqrt(items))


@pytest.mark.parametrize("places", [None, np.tile([0, 1], 40)])
def test_partial_correlations_and_their_errors_are_those_of_what_regressions_leave(places: np.ndarray | None) -> None:
    some = replace(panel(models=4, items=40), position=places)
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
    some = ComparedModels(tuple("abcdefg"), *signs, np.arange(6000))
    found = unique_correlations(some, np.array([0.0, 0.1, 0.3, -0.3, 0.4, 0.9, -0.9]))
    scale = np.sqrt(0.64 * 0.51)
    assert found == pytest.approx([0.0, 0.1 / scale, 0.3 / scale, -0.3 / scale, 0.4 / scale, 1.0, -1.0], abs=0.03)
    # where all say and do the same, a fiftieth is taken to be their own
    alike = ComparedModels(tuple("abcdef"), *np.broadcast_to(np.stack(signs)[:, :1], (2, 6, 6000)), np.arange(6000))
    assert unique_correlations(alike, np.full(6, 0.01)) == pytest.approx(0.01 / 0.02, abs=0.1)


def test_swap_shares_have_the_error_of_a_ratio_over_items() -> None:
    # item 0: both right about themselves; 1: both wrong; 2: two claims, one of each; 3: they do not differ in
    # prediction
    predictions = np.array([[1, 1, 1, -1, 1], [-1, -1, -1, 1, 1]], np.int8)
    outcomes = np.array([[1, -1, 1, 1, 1], [-1, 1, -1, -1, -1]], np.int8)
    each, both = swap_shares(ComparedModels(("x", "y"), predictions, outcomes, np.array([0, 1, 2, 2, 3])))
    # shares 1 of 1, 0 of 1, 1 of 2: 2 of 4; s - R n = .5, -.5, 0: sqrt(3 / 2 (.25 + .25)) / 4
    error = np.sqrt(3 / 2 * 0.5) / 4
    for found in (*each, both):
        assert (found.value, found.error) == pytest.approx((0.5, error))
        assert found.interval == pytest.approx((0.0, 1.0))  # 4.303 errors to each side, which no share can be
    many = swap_shares(
        ComparedModels(("x", "y"), np.tile(predictions, 9), np.tile(outcomes, 9), np.repeat(np.arange(9), 5))
    )[1]
    assert (many.value, many.error) == pytest.approx((0.5, 0.0))
    # what is not known does not differ
    one, two = predictions * (np.arange(5) != 0), outcomes * (np.arange(5) != 1)
    for unknown in ((one, outcomes, 1 / 3), (predictions, two, 2 / 3), (one, two, 1 / 2)):
        found = swap_shares(ComparedModels(("x", "y"), unknown[0], unknown[1], np.array([0, 1, 2, 2, 3])))[1]
        assert found.value == pytest.approx(unknown[2])
    never, _ = swap_shares(ComparedModels(("x", "y"), predictions[[0, 0]], outcomes[[0, 0]], np.arange(5)))
    assert np.isnan(never[0].value) and never[0].reason == "no two models differ both in prediction and in behaviour"
