"""Equal rates of success: by counting permutations, and by how often it errs."""

import math
from typing import Any

import numpy as np
import pytest

from selfexec.stats.equal_rates import equal_rates_p


def p_of(group: Any, success: Any, stratum: Any = None, draws: int = 4000, seed: int = 0) -> float:
    strata = np.zeros(len(group), int) if stratum is None else np.array(stratum)
    rng = np.random.default_rng(seed)
    return equal_rates_p(np.array(group), strata, np.array(success, float), draws=draws, rng=rng)


def test_of_three_against_three_two_arrangements_of_twenty_are_as_uneven() -> None:
    assert p_of([0] * 3 + [1] * 3, [1] * 3 + [0] * 3) == pytest.approx(2 / 20, abs=0.02)


def test_groups_with_the_same_share_are_as_even_as_can_be() -> None:
    assert p_of([0] * 4 + [1] * 4, [1, 1, 0, 0] * 2) == 1


def test_strata_may_differ_where_groups_do_not() -> None:
    # in each stratum both groups have the same share; over all of it one has 6 of 8 and the other 2 of 8
    group = [0] * 6 + [1] * 2 + [0] * 2 + [1] * 6
    stratum, success = [0] * 8 + [1] * 8, [1] * 8 + [0] * 8
    assert p_of(group, success, stratum) == 1
    assert p_of(group, success) < 0.2


def test_one_group_cannot_be_compared() -> None:
    assert math.isnan(p_of([2] * 5, [1, 0, 1, 1, 0]))
    assert math.isnan(p_of([0, 0, 1, 1], [1, 0, 1, 0], [0, 0, 1, 1]))


def test_it_rejects_no_more_often_than_its_level_where_rates_are_equal() -> None:
    rng = np.random.default_rng(1)
    group = rng.integers(0, 5, 100)
    rejected = [p_of(group, rng.random(100) < 0.8, rng.integers(0, 2, 100), 200, n) < 0.05 for n in range(300)]
    # 300 trials at .05: standard error .0126
    assert np.mean(rejected) <= 0.05 + 3 * 0.0126
