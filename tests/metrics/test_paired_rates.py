"""Paired differences of rate bias and of the share of the ceiling: by hand, near their ends, and in draws of items."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from selfexec.metrics import Estimate, Record
from selfexec.metrics.kinds.paired_differences import ceiling_share_difference, rate_bias_difference
from selfexec.metrics.kinds.rates import ceiling_share_estimate, rate_bias_estimate
from selfexec.stats import Array, student

TP, FP, FN, TN = range(4)
Difference = Callable[[Record, Record], Estimate]


def counted(marks: str) -> Record:
    """One claim an item: H a hit, F a false alarm, m a miss, c a correct rejection."""
    counts = np.zeros((len(marks), 7))
    counts[np.arange(len(marks)), ["HFmc".index(mark) for mark in marks]] = 1
    return Record(tuple(f"{n:03}" for n in range(len(marks))), counts)


def test_a_difference_of_rate_biases_is_a_paired_mean_over_items() -> None:
    # 100 requests: the one overestimates 30 of them, the other underestimates 20
    one, two = counted("F" * 30 + "c" * 20 + "H" * 50), counted("c" * 50 + "m" * 20 + "H" * 30)
    found = rate_bias_difference(one, two)
    each = np.array([1.0] * 30 + [0.0] * 20 + [1.0] * 20 + [0.0] * 30)
    assert found.value == pytest.approx(0.3 + 0.2)
    error = each.std(ddof=1) / 10
    assert found.error == pytest.approx(error)
    assert found.interval == pytest.approx(student(0.5, error, 100))


def test_models_with_the_same_rate_bias_on_every_item_are_not_known_to_have_the_same() -> None:
    same = counted("F" * 5 + "c" * 45 + "H" * 50)
    found = rate_bias_difference(same, same)
    # two made-up items of 102, of which each model overestimates one: d = 1 and -1, and SE^2 = 102 / 101 * 2 / 102^2
    half = student(0.0, math.sqrt(2 / 101 / 102), 102).high
    assert (found.value, found.interval_only) == (0, True)
    assert found.interval == pytest.approx((-half, half))


def test_a_difference_of_shares_is_that_of_the_two_shares() -> None:
    # says yes to 70, does 50, misses 10: chance would miss .3 * .5 of all, so 1 - .1 / .15; the other 1 - .05 / .15
    one, two = counted("H" * 40 + "m" * 10 + "F" * 30 + "c" * 20), counted("m" * 5 + "H" * 45 + "F" * 25 + "c" * 25)
    found = ceiling_share_difference(one, two)
    assert found.value == pytest.approx((1 - 10 / 15) - (1 - 5 / 15))
    # and exchanging the two changes the sign alone
    back = ceiling_share_difference(two, one)
    assert (back.value, *back.interval) == pytest.approx((-found.value, -found.interval.high, -found.interval.low))


def test_two_models_at_the_ceiling_are_not_known_to_be_equally_near_it() -> None:
    # neither misses anything; they overestimate on different items, which tells nothing of misses
    one, two = counted("H" * 50 + "F" * 25 + "c" * 25), counted("H" * 50 + "c" * 25 + "F" * 25)
    found = ceiling_share_difference(one, two)
    assert (found.value, found.interval_only) == (pytest.approx(0), True)
    assert found.interval.low < -0.05 and found.interval.high > 0.05


def test_two_models_without_an_error_are_not_known_to_be_equally_good() -> None:
    perfect = counted("H" * 50 + "c" * 50)
    found = ceiling_share_difference(perfect, perfect)
    # of 104 items with the made-up ones chance misses a quarter, so that a miss costs 4 / 104 of the share; each of the
    # two misses one of them alone: SE^2 = 2 (4 / 104)^2, but for what their yes rates change by (2%)
    assert found.interval.high == pytest.approx(student(0.0, math.sqrt(2) * 4 / 104, 104).high, rel=0.03)


def draws(counts: tuple[Array, Array], difference: Difference, rng: np.random.Generator, size: int) -> list[Estimate]:
    names = tuple(f"{n:03}" for n in range(size))
    found = []
    for _ in range(300):
        drawn = rng.integers(0, len(counts[0]), size)
        found.append(difference(*(Record(names, one[drawn]) for one in counts)))
    return found


@pytest.mark.parametrize(
    ("difference", "estimate"),
    [(rate_bias_difference, rate_bias_estimate), (ceiling_share_difference, ceiling_share_estimate)],
)
@pytest.mark.parametrize("miss", [0.02, 0.1, 0.3])
def test_intervals_hold_the_true_difference_in_about_95_of_100_draws_of_items(
    difference: Difference, estimate: Callable[[Array], Estimate], miss: float
) -> None:
    # a large population of items with four claims each, on which two models err partly together
    rng = np.random.default_rng(7)
    did = rng.random((20_000, 4)) < 0.3
    hard = rng.random((20_000, 1)) < 0.3
    tables = []
    for alarm, slack in ((0.4, 1.0), (0.6, 1.5)):
        rate = np.where(did, miss * slack * np.where(hard, 2.0, 0.6), alarm)
        wrong = rng.random((20_000, 4)) < rate
        cells = [did & ~wrong, ~did & wrong, did & wrong, ~did & ~wrong]
        tables.append(np.stack([*(cell.sum(1) for cell in cells), *[np.zeros(20_000)] * 3], axis=1).astype(float))
    true = estimate(tables[0]).value - estimate(tables[1]).value
    found = draws((tables[0], tables[1]), difference, rng, 120)
    held = sum(one.interval.low <= true <= one.interval.high for one in found)
    # 300 draws: 95% +- 4 standard errors of 1.3 points
    assert held >= 0.90 * 300
