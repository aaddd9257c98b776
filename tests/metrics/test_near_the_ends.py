"""Intervals where hardly an item errs: wide enough, and as before where items are plenty."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfexec.metrics import Estimate, Record, claim_kind, combine
from selfexec.metrics.kinds import binary, orders
from selfexec.metrics.kinds.binary import estimates_of
from selfexec.stats import NONE, Array, Interval, normal, student, sum_interval, wilson

TP, FP, FN, TN = range(4)


def requests(tp: int, fp: int, fn: int, tn: int) -> Array:
    """One claim an item."""
    counts = np.zeros((tp + fp + fn + tn, 7))
    counts[np.arange(len(counts)), np.repeat([TP, FP, FN, TN], [tp, fp, fn, tn])] = 1
    return counts


def counted(counts: Array) -> Record:
    return Record(tuple(str(n) for n in range(len(counts))), counts)


def test_estimates_take_a_prediction_that_cannot_be_read_for_an_error() -> None:
    # 1 of 21 that came true and 2 of 22 that did not were told wrongly, or not at all
    wrong = requests(20, 2, 1, 20)
    unread = np.where(np.isin(np.arange(7), [FP, FN]), 0, wrong)
    unread[:, [4, 5]] = wrong[:, [FN, FP]]
    found, plain = estimates_of(unread), estimates_of(wrong)
    assert plain["youden_j"].interval_only
    for metric in ("accuracy", "recall", "base_rate", "always_no", "balanced_accuracy", "youden_j", "mcc", "kappa"):
        one, two = found[metric], plain[metric]
        assert (one.value, one.error, *one.interval) == pytest.approx((two.value, two.error, *two.interval)), metric
    # and whether these came true is known
    assert binary.items_for_skill(unread) == binary.items_for_skill(wrong) == 21
    came_true, did_not = binary.sides(np.array([[1, 2, 4, 8, 16, 32, 64]]))
    assert (came_true, did_not) == (1 + 4 + 16, 2 + 8 + 32)


# --- sums ------------------------------------------------------------------------------------------------------------


def test_the_interval_of_a_difference_of_shares_is_the_published_one() -> None:
    # Newcombe 1998 (Interval estimation for the difference), table II, method 10: 56/70 - 48/80 gives .0524 to .3339,
    # 9/10 - 3/10 gives .1705 to .8090, 10/10 - 0/20 gives .6791 to 1
    for (a, m), (b, n), expected in (
        ((56, 70), (48, 80), (0.0524, 0.3339)),
        ((9, 10), (3, 10), (0.1705, 0.8090)),
        ((10, 10), (0, 20), (0.6791, 1.0)),
    ):
        one, two = wilson(a / m, m), wilson(b / n, n)
        found = sum_interval([a / m, -b / n], [one, Interval(-two.high, -two.low)])
        assert found == pytest.approx(expected, abs=5e-5)


@settings(deadline=None)
@given(st.floats(0.01, 1), st.floats(0.01, 1), st.floats(-1, 1))
def test_symmetric_arms_add_up_as_standard_errors_do(one: float, two: float, correlation: float) -> None:
    found = sum_interval([0.0, 1.0], [normal(0, one), normal(1, two)], correlation)
    error = math.sqrt(max(one**2 + two**2 + 2 * correlation * one * two, 0))
    assert found == pytest.approx(normal(1.0, error), abs=1e-6)


def test_the_part_of_an_interval_that_is_possible_is_the_nearest_end_where_none_of_it_is() -> None:
    assert Interval(-0.2, 0.3).within(0, 1) == (0, 0.3)
    assert Interval(1.1, 1.2).within(0, 1) == (1, 1)
    assert Interval(-1.2, -1.1).within(-1, 1) == (-1, -1)
    assert all(math.isnan(end) for end in NONE.within(0, 1))


def test_a_term_without_an_interval_leaves_the_sum_without_one() -> None:
    assert all(math.isnan(end) for end in sum_interval([0.0, 1.0], [NONE, Interval(0, 2)]))


# --- J ---------------------------------------------------------------------------------------------------------------


def test_near_its_end_j_has_the_arms_of_recall_and_specificity() -> None:
    j = estimates_of(requests(140, 2, 1, 98))["youden_j"]
    # 140 of 141 and 98 of 100: the arms below and above are hypotenuses of Wilson's. With T/(T-1) in the standard
    # error, T items count as T - 1 trials
    one, two = wilson(140 / 141, 140), wilson(0.98, 99)
    below = math.hypot(140 / 141 - one.low, 0.98 - two.low)
    above = math.hypot(one.high - 140 / 141, two.high - 0.98)
    # the same factor makes the two shares correlate by some thousandths: hence the tolerance
    value = 140 / 141 + 0.98 - 1
    assert j.interval == pytest.approx((value - below, value + above), abs=2e-4)
    assert j.interval_only


def test_with_plenty_of_errors_on_both_sides_j_keeps_its_standard_error() -> None:
    counts = requests(70, 40, 30, 60)
    j = estimates_of(counts)["youden_j"]
    # sqrt(.7 * .3 / 100 + .6 * .4 / 100), and the 97.5% point of t on 199
    assert j.error == pytest.approx(math.sqrt((0.21 + 0.24) / 100) * math.sqrt(200 / 199))
    assert j.interval == pytest.approx(student(0.3, j.error, 200))
    assert not j.interval_only


def test_a_side_that_hardly_matters_may_have_few_errors() -> None:
    # three false alarms of 2,000 say nothing beside 40 misses of 100
    assert not estimates_of(requests(60, 3, 40, 1997))["youden_j"].interval_only
    # two of 190 beside 68 of 260: Wilson's widths are .036 and .106, so that the rare side has a tenth of the doubt
    assert not estimates_of(requests(192, 2, 68, 188))["youden_j"].interval_only


@pytest.mark.parametrize(("alarms", "interval_only"), [(10, True), (15, False)])
def test_a_third_of_the_doubt_makes_a_side_matter(alarms: int, interval_only: bool) -> None:
    # Wilson's widths at 5 misses of 100, and at 10 and 15 false alarms of 100: .0902, .1191, .1398. Of the squares the
    # misses have .36 and .29
    widths = [interval.high - interval.low for interval in (wilson(n / 100, 100) for n in (5, 10, 15))]
    assert widths == pytest.approx([0.0902, 0.1191, 0.1398], abs=5e-5)
    j = estimates_of(requests(95, alarms, 5, 100 - alarms))["youden_j"]
    assert j.interval_only is interval_only


@pytest.mark.parametrize("error", [9, 10])
def test_ten_items_that_err_are_enough(error: int) -> None:
    j = estimates_of(requests(200 - error, error, error, 200 - error))["youden_j"]
    assert j.interval_only is (error < 10)


@pytest.mark.parametrize("error", [9, 10])
def test_few_hits_are_as_bad_as_few_errors(error: int) -> None:
    j = estimates_of(requests(error, 200 - error, 200 - error, error))["youden_j"]
    assert j.interval_only is (error < 10)


def test_items_are_counted_not_claims() -> None:
    # thirty misses, all in two items
    counts = np.zeros((100, 7))
    counts[:50, TP], counts[50:, TN] = 15, 15
    counts[:2, TP], counts[:2, FN] = 0, 15
    assert estimates_of(counts)["youden_j"].interval_only


def test_readiness_to_say_yes_moves_recall_and_specificity_apart_and_j_the_less() -> None:
    # to all claims of 8 items the model says yes; of three true claims of the others it misses one, of the false none
    counts = np.zeros((60, 7))
    counts[:8, [TP, FP]] = 3
    counts[8:, TP], counts[8:, FN], counts[8:, TN] = 2, 1, 3
    j = estimates_of(counts)["youden_j"]
    assert j.interval_only
    # each item adds s - R n to either share; that is one number for the 8 items and one for the rest: correlation -1
    recall, specificity = 128 / 180, 156 / 180
    parts = np.stack([counts[:, TP] - 3 * recall, counts[:, TN] - 3 * specificity])
    assert np.corrcoef(parts)[0, 1] == pytest.approx(-1)
    sides = []
    for share, part in zip((recall, specificity), parts, strict=True):
        error = math.sqrt(60 / 59 * (part**2).sum()) / 180
        sides.append(wilson(share, share * (1 - share) / error**2))
    assert j.interval == pytest.approx([end - 1 for end in sum_interval([recall, specificity], sides, -1.0)])
    apart = sum_interval([recall, specificity], sides)
    assert j.interval.high - j.interval.low < 0.8 * (apart.high - apart.low)


def test_balanced_accuracy_is_half_of_j() -> None:
    found = estimates_of(requests(140, 2, 1, 98))
    j, ba = found["youden_j"], found["balanced_accuracy"]
    assert ba.interval == pytest.approx(tuple((end + 1) / 2 for end in j.interval))


def test_a_perfect_record_reaches_the_end_and_leaves_doubt_below() -> None:
    j = estimates_of(requests(20, 0, 0, 20))["youden_j"]
    low = wilson(1, 20).low
    assert j.interval == pytest.approx((1 - math.sqrt(2) * (1 - low), 1.0))


def test_one_item_of_each_kind_is_no_certainty_and_one_alone_gives_no_interval() -> None:
    two = estimates_of(requests(1, 0, 0, 1))["youden_j"]
    assert two.value == 1 and two.interval.low < 0
    both_in_one = np.array([[1.0, 0, 0, 1, 0, 0, 0]])
    assert math.isnan(estimates_of(both_in_one)["youden_j"].interval.low)


# --- differences -----------------------------------------------------------------------------------------------------


def test_who_says_what_the_baseline_says_is_not_known_to_be_no_better() -> None:
    counts = requests(40, 10, 10, 40)
    found = claim_kind("restriction").skill_difference(counted(counts), counted(counts))
    assert found.value == 0
    # by hand: two made-up items a side, one won and one lost: of 52 positives and of 52 negatives a net of 0 with
    # variance 2 each: SE = sqrt(4) / 52 * sqrt(104 / 103)
    assert found.interval == pytest.approx(student(0, 2 / 52 * math.sqrt(104 / 103), 104))


def test_where_many_items_tell_them_apart_nothing_is_made_up() -> None:
    model, baseline = requests(80, 20, 20, 80), requests(60, 40, 40, 60)
    found = claim_kind("restriction").skill_difference(counted(model), counted(baseline))
    # 20 of 100 on either side: d = .2 + .2; each side's variance .2 * .8 / 100
    error = math.sqrt(2 * 0.16 / 100) * math.sqrt(200 / 199)
    assert found.value == pytest.approx(0.4)
    assert found.interval == pytest.approx(student(0.4, error, 200))


def test_made_up_items_move_no_value() -> None:
    model, baseline = requests(80, 3, 20, 97), requests(60, 0, 40, 100)
    found = claim_kind("restriction").skill_difference(counted(model), counted(baseline))
    assert found.value == pytest.approx(0.2 - 0.03)
    assert found.interval_only


def parting(won: int, lost: int, of: int) -> tuple[Record, Record]:
    """Two who part ways on some of the positives, so many each, and on no negative. They err on nothing else."""
    one, two = (requests(of - wrong, 0, wrong, of) for wrong in (lost, won))
    two[:of] = two[:of][::-1]  # one errs on the last positives, two on the first ones
    return counted(one), counted(two)


@pytest.mark.parametrize(("lost", "interval_only"), [(4, True), (5, False)])
def test_ten_items_on_either_side_that_tell_two_apart_are_enough(lost: int, interval_only: bool) -> None:
    # the same again with the sides changed over: five won and so many lost of the positives, and of the negatives
    one, two = (np.concatenate([x.counts, x.counts[:, [TN, FN, FP, TP, 4, 5, 6]]]) for x in parting(5, lost, 50))
    found = claim_kind("restriction").skill_difference(counted(one), counted(two))
    assert found.value == pytest.approx(2 * (5 - lost) / 100)
    assert found.interval_only is interval_only


def test_made_up_items_never_make_a_standard_error_smaller() -> None:
    # of three positives the one wins two and the other one, of three negatives neither: by the delta method d = 1 / 3
    # with variance (3 - 1 / 3) / 9 * 6 / 5 = .36; with the made-up ones ((5 - 1 / 5) + 2) / 25 * 10 / 9 = .30
    found = claim_kind("restriction").skill_difference(*parting(2, 1, 3))
    assert found.value == pytest.approx(1 / 3)
    assert found.error == pytest.approx(math.sqrt(6 / 5 * (3 - 1 / 3)) / 3)
    assert found.interval == pytest.approx(student(1 / 5, math.sqrt(10 / 9 * 6.8) / 5, 10))


def test_the_standard_error_beside_made_up_items_is_that_of_the_interval() -> None:
    # none of 40 and none of 60 tell apart: with the made-up ones SE^2 = 104 / 103 (2 / 42^2 + 2 / 62^2)
    same = counted(requests(40, 0, 0, 60))
    found = claim_kind("restriction").skill_difference(same, same)
    half = student(0.0, math.sqrt(104 / 103 * (2 / 42**2 + 2 / 62**2)), 104).high
    assert found.interval.high == pytest.approx(half)
    # it is told as the standard error over the items that there are
    assert student(0.0, found.error, 100).high == pytest.approx(half)


def test_a_difference_in_skill_is_at_most_two() -> None:
    # right with each of ten, and wrong with each: 2; with made-up ones 2 * 5 / 7 and far beyond 2
    found = claim_kind("restriction").skill_difference(
        counted(requests(5, 0, 0, 5)), counted(requests(0, 5, 5, 0)[::-1])
    )
    assert found.value == 2
    assert found.interval.high == 2 and found.interval.low < 10 / 7


def test_one_common_item_tells_nothing() -> None:
    one = Record(("a", "b"), np.array([[1.0, 1.0], [0.5, 1.0]]))
    two = Record(("b", "c"), np.array([[0.0, 1.0], [0.5, 1.0]]))
    found = claim_kind("difficulty").skill_difference(one, two)
    assert math.isnan(found.value) and found.reason == "fewer than two common items"


@pytest.mark.parametrize(("new", "old"), [((0.98, 0.95), (0.98, 1.0)), ((0.98, 0.96), (0.99, 1.0))])
@pytest.mark.slow
def test_a_drop_of_just_the_margin_is_seldom_taken_for_less(new: tuple[float, float], old: tuple[float, float]) -> None:
    rng = np.random.default_rng(4)
    margin, held = sum(old) - sum(new), 0
    for _ in range(300):
        happened = rng.random(100) < 0.75
        records = []
        for recall, specificity in (new, old):
            right = rng.random(100) < np.where(happened, recall, specificity)
            cells = np.select([happened & right, happened & ~right, ~happened & right], [TP, FN, TN], FP)
            counts = np.zeros((100, 7))
            counts[np.arange(100), cells] = 1
            records.append(counted(counts))
        held += claim_kind("restriction").skill_difference(*records).interval.low > -margin
    assert held <= 300 * 0.04  # 2.5% each; by the delta method it was 15%


# --- orders ----------------------------------------------------------------------------------------------------------


def ranked(*scores: float) -> Record:
    """Groups with these shares of pairs ranked rightly."""
    return counted(np.stack([np.array(scores), np.ones(len(scores))], axis=1))


ORDERS = claim_kind("difficulty")


def test_near_its_end_accuracy_in_orders_has_wilsons_interval_on_the_effective_number_of_groups() -> None:
    # 55 groups in the right order, five with half of their pairs: mean 57.5 / 60; spread .5^2 (5 / 60) (55 / 60)
    mean, variance = 57.5 / 60, 0.25 * 5 / 60 * 55 / 60 * 60 / 59 / 60
    record = ranked(*[1.0] * 55, *[0.5] * 5)
    found, tau = ORDERS.accuracy_estimate(record), ORDERS.skill_estimate(record)
    expected = wilson(mean, mean * (1 - mean) / variance)
    assert found.interval == pytest.approx(expected) and found.interval_only
    assert tau.interval == pytest.approx([2 * end - 1 for end in expected]) and tau.interval_only
    assert (found.error, tau.error) == pytest.approx((math.sqrt(variance), 2 * math.sqrt(variance)))
    # Student's t stops short of where Wilson's interval goes to
    assert found.interval.low < student(mean, found.error, 60).low - 0.01
    # the other end is its mirror image
    below = ORDERS.accuracy_estimate(ranked(*[0.0] * 55, *[0.5] * 5))
    assert below.interval == pytest.approx((1 - expected.high, 1 - expected.low)) and below.interval_only


@pytest.mark.parametrize("some", [0.0, 1.0])
@pytest.mark.parametrize("other", [9, 10])
def test_ten_groups_on_either_side_are_enough(some: float, other: int) -> None:
    record = ranked(*[some] * (60 - other), *[0.5] * other)
    found = ORDERS.accuracy_estimate(record)
    assert found.interval_only is (other < 10)
    at_ease = student(found.value, found.error, 60).within(0, 1)
    assert (found.interval == pytest.approx(at_ease)) is (other == 10)


def test_few_groups_are_fewer_than_ten_and_than_half_of_them() -> None:
    assert [orders.few(groups, of) for groups, of in ((9, 19), (9, 18), (10, 99), (0, 1))] == [True, False, False, True]


def test_a_handful_of_groups_that_all_err_is_near_no_end() -> None:
    values = [1 / 6, 1 / 3, 1 / 2, 2 / 3, 5 / 6]
    found = ORDERS.accuracy_estimate(ranked(*values))
    # variance (4 + 1 + 0 + 1 + 4) / 36 / 4, of the mean a fifth of it
    assert found.interval == pytest.approx(student(0.5, math.sqrt(10 / 36 / 4 / 5), 5).within(0, 1))
    assert not found.interval_only


def test_one_group_alone_has_no_interval() -> None:
    assert math.isnan(ORDERS.accuracy_estimate(ranked(1.0)).interval.low)


def test_rankers_that_part_on_few_groups_get_two_made_up_ones() -> None:
    one, two = ranked(*[1.0] * 57, 0.5, 0.5, 0.5), ranked(*[1.0] * 60)
    found = ORDERS.skill_difference(one, two)
    assert found.value == pytest.approx(-3 / 60) and found.interval_only  # three halves of 60, twice
    # with the made-up ones -1.5 in 62 groups, sum of squares .75 + 2; of tau all of it twice
    mean = -1.5 / 62
    error = math.sqrt(((0.75 + 2) / 62 - mean**2) / 61)
    assert found.interval == pytest.approx(student(2 * mean, 2 * error, 62))
    # the standard error is told over the groups that there are
    assert student(0, found.error, 60).high == pytest.approx(student(0, 2 * error, 62).high)
    same = ORDERS.skill_difference(two, two)
    assert same.value == 0 and same.interval.high == pytest.approx(student(0, 2 * math.sqrt(2 / 62 / 61), 62).high)


def test_a_difference_between_rankers_is_at_most_two() -> None:
    # in each of five groups; with the made-up ones 2 * 5 / 7, and far beyond 2 on one side
    best, worst = ranked(*[1.0] * 5), ranked(*[0.0] * 5)
    found, back = ORDERS.skill_difference(best, worst), ORDERS.skill_difference(worst, best)
    assert (found.value, found.interval.high, back.value, back.interval.low) == (2, 2, -2, -2)
    assert found.interval.low == -back.interval.high < 10 / 7


def test_who_is_always_right_is_not_surely_just_so_much_ahead_of_who_says_nothing() -> None:
    # half a group ahead, on each of them: there is no spread, and yet the next ones may be otherwise
    perfect = ranked(*[1.0] * 60)
    found = ORDERS.skill_difference(perfect, ORDERS.constant(perfect))
    assert found.value == 1 and found.interval.low < 0.9


def test_rankers_that_part_on_ten_groups_are_told_apart_by_these() -> None:
    one, two = ranked(*[1.0] * 60), ranked(*[1.0] * 50, *[0.5] * 10)
    found = ORDERS.skill_difference(one, two)
    error = 2 * math.sqrt(0.25 * 10 / 60 * 50 / 60 / 59)
    assert found.interval == pytest.approx(student(10 / 60, error, 60)) and not found.interval_only


# --- overall ---------------------------------------------------------------------------------------------------------


def test_an_overall_score_sums_the_arms_of_what_is_near_an_end() -> None:
    parts = {
        "association": Estimate(1.0, Interval(0.94, 1.0), 0.0, interval_only=True),
        "restriction": Estimate(0.5, normal(0.5, 0.1), 0.1),
        "difficulty": Estimate(0.3, normal(0.3, 0.05), 0.05),
    }
    z = 1.959963984540054
    low = 0.6 - math.sqrt(0.06**2 + (0.1 * z) ** 2 + (0.05 * z) ** 2) / 3
    high = 0.6 + math.sqrt((0.1 * z) ** 2 + (0.05 * z) ** 2) / 3
    assert combine(parts, -1).interval == pytest.approx((low, high))


def test_elsewhere_an_overall_score_has_the_root_of_the_sum_of_squares() -> None:
    parts = {e: Estimate(0.5, Interval(0.1, 0.6), 0.03) for e in ("association", "restriction", "difficulty")}
    assert combine(parts, 0).interval == pytest.approx(normal(0.5, 0.03 / math.sqrt(3)))


@pytest.mark.parametrize(("value", "least", "end"), [(0.99, 0.0, 1.0), (0.01, 0.0, 0.0), (-0.99, -1.0, -1.0)])
def test_an_overall_score_is_never_beyond_what_is_possible(value: float, least: float, end: float) -> None:
    # 1.96 * .03 / sqrt(3) = .034 to either side, and the end is .01 away
    parts = {e: Estimate(value, normal(value, 0.03), 0.03) for e in ("association", "restriction", "difficulty")}
    low, high = combine(parts, least).interval
    assert end in (low, high) and high - low == pytest.approx(0.034 + 0.01, abs=1e-4)


def test_of_one_item_shares_are_known_and_skill_is_not() -> None:
    # of one item two claims came true, one of them predicted, and two did not, both predicted not to: 3 of 4 are right
    found = estimates_of(np.array([[1.0, 0, 1, 2, 0, 0, 0]]))
    assert (found["accuracy"].value, found["recall"].value, found["base_rate"].value) == (0.75, 0.5, 0.5)
    of_skill = {name for name, one in found.items() if one.reason == "only one item could be scored"}
    at_own_rate = {"ceiling_at_own_rate", "share_of_ceiling"}
    assert of_skill == {"balanced_accuracy", "youden_j", "mcc", "kappa", "d_prime", "criterion"} | at_own_rate
    assert all(np.isnan(found[name].value) for name in of_skill)
