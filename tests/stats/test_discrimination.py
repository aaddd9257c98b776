"""The area under the ROC curve, against counting pair by pair."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfexec.stats import auroc, auroc_within, centred

claims = st.lists(st.tuples(st.integers(0, 6), st.booleans(), st.integers(0, 4)), min_size=1, max_size=40)


def arrays(some: list[tuple[int, bool, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    scores, came_true, cluster = (np.array(column) for column in zip(*some, strict=True))
    return scores / 6, came_true.astype(np.bool_), cluster.astype(np.int64)


def pair_by_pair(some: list[tuple[int, bool, int]], within: bool) -> float:
    """Mann and Whitney's U over the number of pairs, counted one by one."""
    won = [
        (one[0] > other[0]) + (one[0] == other[0]) / 2
        for one, other in product(some, some)
        if one[1] and not other[1] and (not within or one[2] == other[2])
    ]
    return sum(won) / len(won) if won else math.nan


@given(claims)
def test_the_area_is_mann_and_whitneys_share_of_pairs(some: list[tuple[int, bool, int]]) -> None:
    assert auroc(*arrays(some), 5).value == pytest.approx(pair_by_pair(some, within=False), nan_ok=True)


@given(claims)
def test_the_area_within_clusters_is_the_share_of_their_pairs(some: list[tuple[int, bool, int]]) -> None:
    assert auroc_within(*arrays(some), 5).value == pytest.approx(pair_by_pair(some, within=True), nan_ok=True)


def test_three_of_four_pairs_in_order_and_one_tied_make_seven_eighths() -> None:
    # yes at .9 and .5, no at .5 and .1: .9 wins twice, .5 wins once and ties once: 3.5 of 4 pairs
    area = auroc(np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, True, False, False]), np.arange(4), 4)
    assert (area.value, area.ties) == (0.875, 0.25)


@given(claims)
def test_what_clusters_add_sums_to_nothing(some: list[tuple[int, bool, int]]) -> None:
    added = auroc(*arrays(some), 5).added
    assert np.isnan(added).all() or added.sum() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("function", [auroc, auroc_within])
def test_the_error_is_that_of_drawing_clusters_anew(function) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(3)
    items, each = 80, 5
    cluster = np.repeat(np.arange(items), each)
    level = rng.standard_normal(items)[cluster]
    came_true = rng.standard_normal(items * each) + level < -0.3
    scores = came_true + rng.standard_normal(items * each) + level
    values = []
    for _ in range(600):
        drawn = rng.integers(0, items, items)
        rows = (drawn[:, None] * each + np.arange(each)).ravel()
        values.append(function(scores[rows], came_true[rows], np.repeat(np.arange(items), each), items).value)
    # 600 draws know a standard deviation to within 3%
    assert function(scores, came_true, cluster, items).error == pytest.approx(np.std(values), rel=0.12)


def test_a_perfect_order_of_few_items_is_not_certain() -> None:
    # nothing errs, so that the error is 0; of ten items Wilson's interval begins at .722
    area = auroc(np.arange(10.0), np.arange(10) >= 5, np.arange(10), 10)
    assert area.value == 1.0
    assert area.interval.low == pytest.approx(10 / (10 + 1.959964**2), abs=1e-6)


def test_one_cluster_has_no_interval() -> None:
    assert math.isnan(auroc(np.array([0.2, 0.8]), np.array([False, True]), np.zeros(2, np.int64), 1).interval.low)


@given(st.integers(2, 20), st.integers(0, 10_000))
def test_a_constant_learnt_from_other_folds_comes_out_at_one_half(folds: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    fold = np.arange(60) % folds
    came_true = rng.random(60) < 0.4
    came_true[:2] = True, False
    learnt = np.array([came_true[fold != n].mean() for n in range(folds)])
    logits = np.log((learnt + 0.01) / (1.01 - learnt))[fold]
    assert auroc(centred(logits, fold), came_true, np.arange(60), 60).value == 0.5


def test_as_it_is_the_same_constant_comes_out_below_one_half() -> None:
    # with each claim its own fold, what came true is predicted lower, by what it does not count itself
    came_true = np.arange(10) < 5
    learnt = (5 - came_true) / 9
    assert auroc(learnt, came_true, np.arange(10), 10).value == 0.0
