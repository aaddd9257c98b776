"""Tetrachoric correlations against SciPy's bivariate normal distribution and against known truths."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import multivariate_normal, norm

from selfexec.stats.tetrachoric import GREATEST, tetrachoric


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
