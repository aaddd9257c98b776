"""The Brier score in three parts, against Murphy's sums by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfexec.stats import brier_parts, equal_groups


def test_murphys_parts_of_two_probabilities_by_hand() -> None:
    # .25 given four times, once true; .75 given four times, four times true; each claim an item of its own
    probability = np.repeat([0.25, 0.75], 4)
    came_true = np.array([True, False, False, False, True, True, True, True])
    parts = brier_parts(probability, came_true, np.arange(8), 8)
    # score: (.75^2 + 3 x .25^2 + 4 x .25^2) / 8 = (.5625 + .4375) / 8
    assert parts.score.value == pytest.approx(0.125)
    # reliability: (0 + .25^2) / 2 = .03125; the mean of the first group is known to 4/3 x (.75^2 + 3 x .25^2) / 16 =
    # .0625, that of the second exactly: half of .0625 is what is expected of noise
    assert parts.reliability.value == pytest.approx(0.03125 - 0.03125)
    # resolution: the base rate is 5/8, the groups are 3/8 from it: .140625, less .03125 of noise, and with that of
    # the base rate itself added: 8/7 x (5 x (3/8)^2 + 3 x (5/8)^2) / 64 = .0334821
    assert parts.resolution.value == pytest.approx(0.140625 - 0.03125 + 0.0334821, abs=1e-6)
    assert parts.uncertainty.value == pytest.approx(0.234375 + 0.0334821, abs=1e-6)


@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.integers(0, 5)), min_size=2, max_size=60),
    st.integers(1, 12),
)
def test_the_three_parts_add_up_to_the_score(some: list[tuple[float, bool, int]], groups: int) -> None:
    probability, came_true, cluster = (np.array(column) for column in zip(*some, strict=True))
    parts = brier_parts(probability, came_true.astype(np.bool_), cluster.astype(np.int64), 6, groups)
    total = parts.reliability.value - parts.resolution.value + parts.uncertainty.value
    assert total == pytest.approx(parts.score.value, abs=1e-9)
    assert parts.score.value == pytest.approx(((probability - came_true) ** 2).mean())


@given(st.lists(st.integers(0, 20), min_size=1, max_size=100))
def test_equal_probabilities_are_in_one_group_and_groups_are_in_order(values: list[int]) -> None:
    probability = np.array(values) / 20
    group = equal_groups(probability)
    order = np.argsort(probability, kind="stable")
    assert (np.diff(group[order]) >= 0).all()
    assert all(len(set(group[probability == p])) == 1 for p in set(probability))
    assert set(group) == set(range(group.max() + 1))


def test_a_hundred_different_probabilities_are_ten_groups_of_ten() -> None:
    assert (np.bincount(equal_groups(np.linspace(0, 1, 100))) == 10).all()


def test_the_interval_of_the_uncertainty_is_what_it_takes_on_in_that_of_the_base_rate() -> None:
    # 50 of 100 single claims: Wilson's interval is .5 -+ .0962 (z^2 = 3.8415: 1.96 / 1.0384 x sqrt(.0025 + .0000960))
    even = brier_parts(np.full(100, 0.5), np.arange(100) % 2 == 0, np.arange(100), 100).uncertainty
    assert even.interval.low == pytest.approx(0.25 - 0.0962**2, abs=2e-4)
    assert even.interval.high == even.value >= 0.25  # the greatest that it can be, and what the parts add up with
    # 20 of 100: .1334 to .2888, all below one half: .1156 to .2054
    rare = brier_parts(np.full(100, 0.5), np.arange(100) < 20, np.arange(100), 100).uncertainty
    assert rare.interval == pytest.approx((0.1156, 0.2054), abs=2e-3)


def test_the_errors_of_the_parts_are_those_of_drawing_clusters_anew() -> None:
    rng = np.random.default_rng(5)
    items, each = 100, 4
    cluster = np.repeat(np.arange(items), each)
    probability = np.clip(rng.random(items)[cluster] * 0.7 + rng.random(items * each) * 0.3, 0, 1)
    came_true = rng.random(items * each) < probability**2
    drawn_parts = []
    for _ in range(500):
        rows = (rng.integers(0, items, items)[:, None] * each + np.arange(each)).ravel()
        drawn_parts.append(brier_parts(probability[rows], came_true[rows], cluster, items))
    parts = brier_parts(probability, came_true, cluster, items)
    for name in ("score", "reliability", "resolution", "uncertainty"):
        spread = np.std([getattr(drawn, name).value for drawn in drawn_parts])
        assert getattr(parts, name).error == pytest.approx(spread, rel=0.2), name
