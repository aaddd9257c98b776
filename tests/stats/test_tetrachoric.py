"""Tetrachoric correlations against SciPy's bivariate normal distribution and against known truths."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import multivariate_normal, norm

from selfexec.stats.tetrachoric import GREATEST, least_expected, tetrachoric, tetrachoric_over_strata


@pytest.mark.parametrize("counts", [(30, 10, 12, 48), (5, 20, 1, 90), (3, 40, 45, 2), (200, 1, 150, 60), (9, 9, 9, 9)])
def test_the_correlation_is_the_one_at_which_a_bivariate_normal_has_the_share_of_both(counts: tuple[int, ...]) -> None:
    both, first, second, _ = counts
    n = sum(counts)
    ends = norm.ppf([(both + first) / n, (both + second) / n])

    def missed(rho: float) -> float:
        return float(multivariate_normal.cdf(ends, cov=[[1, rho], [rho, 1]]) - both / n)

    assert float(tetrachoric(*counts)) == pytest.approx(brentq(missed, -0.9999, 0.9999, xtol=1e-12), abs=2e-5)


def test_medians_have_sheppards_closed_form() -> None:
    """With both thresholds at the median P(both) = 1/4 + arcsin(rho) / (2 pi) (Sheppard 1899)."""
    rho = np.array([-0.9, -0.4, 0.0, 0.3, 0.8])
    both = 0.25 + np.arcsin(rho) / (2 * np.pi)
    assert tetrachoric(both * 1e6, (0.5 - both) * 1e6, (0.5 - both) * 1e6, both * 1e6) == pytest.approx(rho, abs=1e-9)


def test_many_tables_at_once_are_what_each_is_alone_and_yes_turned_into_no_turns_the_sign() -> None:
    counts = np.random.default_rng(1).integers(1, 60, (4, 5, 7))
    together = tetrachoric(*counts)
    assert together[2, 3] == pytest.approx(float(tetrachoric(*counts[:, 2, 3])), abs=1e-12)
    both, first, second, neither = counts
    assert tetrachoric(first, both, neither, second) == pytest.approx(-together, abs=1e-9)


def test_thresholds_drop_out() -> None:
    """The same latent correlation is found, whether yes is said often or seldom."""
    rng = np.random.default_rng(2)
    one = rng.standard_normal(400_000)
    two = 0.6 * one + 0.8 * rng.standard_normal(400_000)
    for at, where in ((0, 0), (1.3, -0.5), (-1, 1)):
        cells = [np.sum(((one > at) == a) & ((two > where) == b)) for a in (True, False) for b in (True, False)]
        assert float(tetrachoric(*cells)) == pytest.approx(0.6, abs=0.01)


def test_an_empty_cell_has_half_a_case_and_nothing_is_nearer_to_one_than_its_bound() -> None:
    assert float(tetrachoric(12, 0, 5, 20)) == pytest.approx(float(tetrachoric(12.5, 0.5, 5.5, 20.5)), abs=1e-12)
    assert float(tetrachoric(300, 0, 0, 300)) == GREATEST
    assert float(tetrachoric(0, 300, 300, 0)) == -GREATEST


@pytest.mark.parametrize("counts", [(0, 0, 0, 0), (10, 5, 0, 0), (0, 5, 0, 7)])
def test_what_never_changes_has_no_correlation(counts: tuple[int, ...]) -> None:
    assert np.isnan(float(tetrachoric(*counts)))


def expected_table(one: float, two: float, rho: float, cases: float) -> np.ndarray:
    """Both, the first alone, the second alone, neither: what a bivariate normal distribution has of each."""
    both = float(multivariate_normal.cdf(norm.ppf([one, two]), cov=[[1, rho], [rho, 1]]))
    return cases * np.array([both, one - both, two - both, 1 - one - two + both])


def test_a_correlation_within_strata_does_not_depend_on_their_thresholds() -> None:
    """Both variables say yes more in the second stratum: together that looks like a higher correlation."""
    strata = np.stack([expected_table(0.2, 0.3, 0.4, 600), expected_table(0.8, 0.7, 0.4, 900)], axis=1)
    assert float(tetrachoric_over_strata(strata).rho) == pytest.approx(0.4, abs=1e-4)
    assert float(tetrachoric(*strata.sum(1))) > 0.55
    # a stratum in which one of them never changes says nothing
    constant = np.array([50.0, 0.0, 30.0, 0.0])
    more = np.concatenate([strata, constant[:, None]], axis=1)
    assert float(tetrachoric_over_strata(more).rho) == pytest.approx(0.4, abs=1e-4)
    assert np.isnan(tetrachoric_over_strata(constant[:, None]).rho)


def test_the_influence_of_a_case_is_how_the_correlation_moves_with_its_cell() -> None:
    counts = np.array([[30.0, 12.0], [10.0, 25.0], [14.0, 9.0], [46.0, 14.0]])
    found = tetrachoric_over_strata(counts)
    for cell in range(4):
        for stratum in range(2):
            step = np.zeros_like(counts)
            step[cell, stratum] = 1e-4
            up, down = (float(tetrachoric_over_strata(counts + sign * step).rho) for sign in (1, -1))
            assert found.influence[cell, stratum] == pytest.approx((up - down) / 2e-4, rel=1e-4, abs=1e-7)
    assert (found.influence * counts).sum() == pytest.approx(0, abs=1e-12)


def test_the_emptiest_cell_that_margins_let_expect_is_that_of_a_bivariate_normal() -> None:
    for one, two in ((0.1, 0.85), (0.5, 0.5), (0.9, 0.2)):
        observed = expected_table(one, two, 0.0, 400)
        assert float(least_expected(observed[:, None], 0.5)) == pytest.approx(
            expected_table(one, two, 0.5, 400).min(), rel=1e-4
        )
