"""Two-sample tests against scipy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from selfexec.stats.two_samples import fisher_exact, rank_sum

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
