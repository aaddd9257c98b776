"""Ranks and two-sample tests against scipy's."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from selfexec.stats import by_permutation, fisher_exact, rank_sum, ranks

count = st.integers(0, 60)


@given(count, count, count, count)
def test_fishers_exact_test(a: int, b: int, c: int, d: int) -> None:
    if a + b and c + d:
        expected = stats.fisher_exact([[a, b], [c, d]])[1]
        assert fisher_exact(np.array([a, b]), np.array([c, d])) == pytest.approx(expected, rel=1e-6)


values = st.lists(st.integers(0, 30).map(float), min_size=1, max_size=40)


@given(values, values)
def test_the_rank_sum_test_with_ties(one: list[float], two: list[float]) -> None:
    if len({*one, *two}) > 1:
        expected = stats.mannwhitneyu(one, two, method="asymptotic").pvalue
        assert rank_sum(np.array(one), np.array(two)) == pytest.approx(expected, rel=1e-9)
    else:
        assert rank_sum(np.array(one), np.array(two)) == 1.0


def test_a_small_sample_is_drawn_in_every_way() -> None:
    # three kinds; the two of the sample are the only ones of kind 0: one way of C(8, 2) = 28
    kinds = np.eye(3)[[0, 0, 1, 1, 1, 2, 2, 2]]
    sample = np.arange(8) < 2
    assert by_permutation(kinds, sample, np.random.default_rng(1)) == pytest.approx(1 / 28)


def test_a_large_sample_has_the_p_of_the_usual_chi_square() -> None:
    rng = np.random.default_rng(2)
    kind = rng.integers(0, 4, 600)
    sample = rng.random(600) < 0.35
    counts = np.array([[(sample & (kind == k)).sum(), (~sample & (kind == k)).sum()] for k in range(4)])
    usual = stats.chi2_contingency(counts, correction=False).pvalue
    assert by_permutation(np.eye(4)[kind], sample, rng) == pytest.approx(usual, abs=0.03)


# few numbers, so that many are equal, and any others, the greatest and the least among them
tied = st.lists(st.sampled_from([-1e308, -1.5, -0.0, 0.0, 5e-324, 0.1, 0.1 + 0.2, 0.3, 1e308]), max_size=40)
mixed = st.lists(st.floats(allow_nan=False), max_size=40)


@given(tied | mixed)
def test_ranks_with_ties(values: list[float]) -> None:
    assert ranks(np.array(values)).tolist() == stats.rankdata(values).tolist()


def test_equal_values_share_the_mean_of_their_ranks() -> None:
    # 1 is first; the three 2s take ranks 2, 3 and 4, of which 3 is the mean; 7 is fifth
    assert ranks(np.array([2.0, 7, 2, 1, 2])).tolist() == [3, 5, 3, 1, 3]


@pytest.mark.slow
def test_a_rank_correlation_does_without_the_half_second_that_scipy_stats_takes_to_import() -> None:
    code = """if 1:
        import sys
        import numpy as np
        from selfexec.stats import correlate
        assert correlate(np.array([1.0, 2, 3, 4, 4]), np.array([1.0, 3, 2, 4, 5]), "spearman").value > 0.8
        assert "scipy.stats" not in sys.modules
    """
    subprocess.run([sys.executable, "-c", code], check=True)
