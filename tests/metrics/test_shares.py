"""Shares of what was predicted against a control: by hand, by brute force, against published numbers, under the
null.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from build import scores, table
from selfexec.analysis.score import score_tables
from selfexec.claims import Claims
from selfexec.metrics import Bootstrap, permutation
from selfexec.metrics.kinds import Record, shares
from selfexec.metrics.kinds.counts import difference
from selfexec.metrics.permutation import shuffled_p
from selfexec.stats import wilson

pytestmark = pytest.mark.usefixtures("toys")

Tries = Sequence[bool | None]  # whether each came true; None where it could not be read


def tried(predicted: Iterable[Tries], control: Iterable[Tries], model: str = "m") -> list[dict[str, Any]]:
    """Rows of observations: an item for each list of tries."""
    return [
        try_of(f"{side}{item}", n, side == "f", came_true, model=model)
        for side, items in (("f", predicted), ("c", control))
        for item, tries in enumerate(items)
        for n, came_true in enumerate(tries)
    ]


def try_of(item: str, n: int, predicted: bool | None, came_true: bool | None, **more: Any) -> dict[str, Any]:
    lost = {"state": "unreadable", "reason": "format"} if None in (predicted, came_true) else {"state": "read"}
    place = {"model": "m", "experiment": "habit", "item": item, "epoch": 1, "claim": f"try {n}"}
    return place | {"predicted": predicted, "observed": came_true} | lost | more


def claims_of(rows: Iterable[dict[str, Any]]) -> Claims:
    return table(rows).claims["habit"]


def record(predicted: Iterable[tuple[int, int]], control: Iterable[tuple[int, int]]) -> Record:
    """Items by how many of their tries came true."""
    rows = [[k, n - k, 0, 0, 0, 0, 0] for k, n in predicted] + [[0, 0, k, n - k, 0, 0, 0] for k, n in control]
    return Record(tuple(map(str, range(len(rows)))), np.array(rows, float))


def once(k: int, n: int) -> list[tuple[int, int]]:
    """n items of one try, of which k came true."""
    return [(1, 1)] * k + [(0, 1)] * (n - k)


# --- by hand ---------------------------------------------------------------------------------------------------------


def test_the_shares_and_what_being_predicted_adds() -> None:
    # predicted: 2 of 3, 1 of 1; control: 1 of 2, 0 of 2
    found = scores(tried([[True, True, False], [True]], [[True, False], [False, False]]))
    assert found.value("m", "habit", "accuracy") == 3 / 4
    assert found.value("m", "habit", "control") == 1 / 4
    assert found.value("m", "habit", "lift") == found.value("m", "habit", "skill") == 1 / 2
    assert found.value("m", "habit", "coverage") == 1


def test_an_outcome_that_cannot_be_read_lowers_accuracy_alone() -> None:
    # predicted: 2 of 3 and one unread; control: 1 of 3 and one unread
    rows = tried([[True, True], [False, None]], [[True, False], [False, None]])
    strict, readable = scores(rows), scores(rows, "readable")
    values = [
        [found.value("m", "habit", name) for name in ("accuracy", "control", "lift")] for found in (strict, readable)
    ]
    assert values[0] == pytest.approx([2 / 4, 1 / 3, 1 / 3])
    # what is compared and drawn is the same number
    assert shares.accuracy(shares.count(claims_of(rows), strict=True).counts.sum(0)) == 2 / 4
    assert values[1] == pytest.approx([2 / 3, 1 / 3, 1 / 3])
    assert strict.value("m", "habit", "coverage") == readable.value("m", "habit", "coverage") == 6 / 8


@pytest.mark.parametrize(
    ("came_true", "accuracy", "control"),
    [
        (False, 1 / 3, 1 / 2),  # it would have been predicted in vain
        (True, 1 / 2, 2 / 3),  # it came true and was not predicted
        (None, 1 / 3, 1 / 2),  # nobody knows what was predicted: nothing of it came true
    ],
)
def test_a_prediction_that_cannot_be_read_is_a_wrong_one(
    came_true: bool | None, accuracy: float, control: float
) -> None:
    rows = [*tried([[True], [False]], [[True], [False]]), try_of("x", 0, None, came_true)]
    found = scores(rows)
    assert found.value("m", "habit", "accuracy") == pytest.approx(accuracy)
    assert found.value("m", "habit", "control") == pytest.approx(control)


def test_ties_and_missing_tries_count_on_neither_side() -> None:
    rows = tried([[True], [False]], [[True], [False]])
    more = [
        try_of("t", 0, True, None, state="tie", reason=None),
        try_of("u", 0, True, None, state="missing", reason=None),
    ]
    plain, found = scores(rows), scores([*rows, *more])
    for metric in ("accuracy", "control", "lift"):
        assert found.row("m", "habit", metric).value == plain.row("m", "habit", metric).value
    assert found.value("m", "habit", "coverage") == 5 / 6  # a tie is known
    # and what nothing is known of is no item of the record
    assert shares.count(claims_of([*rows, *more]), True).items == shares.count(claims_of(rows), True).items


def test_without_a_control_there_is_a_share_and_no_lift() -> None:
    found = scores(tried([[True], [False], [True]], []))
    assert found.value("m", "habit", "accuracy") == pytest.approx(2 / 3)
    for metric in ("control", "lift", "skill"):
        row = found.row("m", "habit", metric)
        assert row.value is None and row.reason == "there is no control"


def test_with_a_control_alone_nothing_was_predicted() -> None:
    found = scores(tried([], [[True], [False], [True]]))
    assert found.value("m", "habit", "control") == pytest.approx(2 / 3)
    for metric in ("accuracy", "lift", "skill"):
        row = found.row("m", "habit", metric)
        assert row.value is None and row.reason == "nothing was predicted"


def test_too_few_items_on_either_side_are_a_caution() -> None:
    few = scores(tried([[True, False]] * 30, [[False, False]] * 19))
    said = "only 19 items are on the smaller side of what was predicted and the control, fewer than 20"
    assert few.row("m", "habit", "lift").reason == said
    enough = scores(tried([[True, False]] * 20, [[False, False]] * 30))
    assert enough.row("m", "habit", "lift").reason is None


def test_what_tells_is_the_smaller_side_item_by_item_of_however_many_tries() -> None:
    assert shares.items_for_skill(record(once(1, 5), [(0, 1), (2, 4)]).counts) == 2
    assert shares.items_for_skill(record([(0, 1)], once(1, 5)).counts) == 1
    assert shares.items_for_skill(record([], once(1, 5)).counts) == 0


def test_of_one_item_there_is_no_lift_and_a_share_without_an_interval() -> None:
    found = scores(tried([[True, False]], []))
    accuracy = found.row("m", "habit", "accuracy")
    assert (accuracy.value, accuracy.low, accuracy.high) == (0.5, None, None)
    assert found.row("m", "habit", "lift").reason == "only one item could be scored"


def test_one_item_on_a_side_gives_a_lift_without_an_interval() -> None:
    found = scores(tried([[True, False]], [[False], [False]]))
    row = found.row("m", "habit", "lift")
    assert (row.value, row.low, row.high) == (0.5, None, None)


# --- intervals -------------------------------------------------------------------------------------------------------

# Newcombe, Statistics in Medicine 17 (1998), table II: method 10
PUBLISHED = [
    (56, 70, 48, 80, 0.0524, 0.3339),
    (9, 10, 3, 10, 0.1705, 0.8090),
    (6, 7, 2, 7, 0.0582, 0.8062),
    (5, 56, 0, 29, -0.0381, 0.1926),
    (0, 10, 0, 20, -0.1611, 0.2775),
    (0, 10, 0, 10, -0.2775, 0.2775),
    (10, 10, 0, 20, 0.6791, 1.0000),
    (10, 10, 0, 10, 0.6075, 1.0000),
]


@pytest.mark.parametrize(("a", "m", "b", "n", "low", "high"), PUBLISHED)
def test_where_nothing_is_clustered_the_interval_is_newcombes(
    a: int, m: int, b: int, n: int, low: float, high: float
) -> None:
    found = shares.skill_estimate(record(once(a, m), once(b, n)))
    assert found.value == pytest.approx(a / m - b / n)
    assert found.interval == pytest.approx((low, high), abs=5e-5)


def test_tries_that_go_together_count_as_one() -> None:
    # every item does the same three times over: no more is known than from one try of each
    thrice = record([(3 * k, 3) for k, _ in once(14, 20)], [(3 * k, 3) for k, _ in once(6, 20)])
    plain = record(once(14, 20), once(6, 20))
    assert shares.skill_estimate(thrice).value == pytest.approx(shares.skill_estimate(plain).value)
    # Kish: effective tries are 60 over (20/19) / (60/59) x 3, which is 20 but for the factors of small samples
    effective = 60 / (0.7 * 0.3 / 19 / (0.7 * 0.3 / 59))
    assert effective == pytest.approx(20, rel=0.04)
    assert shares.accuracy_estimate(thrice).interval == pytest.approx(wilson(0.7, effective))


def test_tries_that_have_nothing_to_do_with_each_other_count_one_by_one() -> None:
    rng = np.random.default_rng(5)
    hits = rng.binomial(4, 0.6, 400)
    found = shares.accuracy_estimate(record([(int(k), 4) for k in hits], []))
    plain = wilson(found.value, 1600)
    assert found.interval.high - found.interval.low == pytest.approx(plain.high - plain.low, rel=0.1)


def test_items_on_both_sides_make_the_two_shares_go_together() -> None:
    # each item is predicted in one epoch and control in another, and does the same in both: the lift is sure to be 0;
    # arms of Wilson's intervals differ above and below, so that something is left
    counts = np.array([[k, 1 - k, k, 1 - k, 0, 0, 0] for k, _ in once(12, 20)], float)
    found = shares.skill_estimate(Record(tuple(map(str, range(20))), counts))
    apart = shares.skill_estimate(record(once(12, 20), once(12, 20)))
    assert found.value == apart.value == 0
    assert found.interval.high < 0.15 * apart.interval.high


def test_the_bootstrap_interval_is_near_the_formulas() -> None:
    rng = np.random.default_rng(11)
    predicted = [[bool(x) for x in rng.random(3) < p] for p in rng.beta(6, 3, 120)]
    control = [[bool(x) for x in rng.random(3) < p] for p in rng.beta(3, 6, 120)]
    rows = tried(predicted, control)
    formula = {row.metric: row for row in score_tables(table(rows), ["m"], "strict")}
    drawn = {row.metric: row for row in score_tables(table(rows), ["m"], "strict", Bootstrap(4000))}
    for metric in ("accuracy", "control", "lift", "skill"):
        one, other = formula[metric], drawn[metric]
        assert None not in (one.low, one.high, other.low, other.high)
        assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=0.015)


# --- differences -----------------------------------------------------------------------------------------------------


def test_a_lift_over_somebody_without_skill_has_the_interval_of_the_lift() -> None:
    own = record([(3, 3)] * 25, [(0, 3)] * 25)  # perfect: the delta method knows no doubt
    margin = shares.skill_difference(own, shares.constant(own))
    assert margin.value == 1
    assert margin.interval == pytest.approx(shares.skill_estimate(own).interval)
    assert margin.interval.low < 0.9


def test_the_error_of_a_lift_is_recovered_from_its_interval() -> None:
    lift = shares.skill_estimate(record(once(14, 20), once(6, 20)))
    assert lift.error == pytest.approx((lift.interval.high - lift.interval.low) / (2 * 1.96), rel=1e-4)


@pytest.mark.parametrize("ahead", [True, False])
def test_the_error_of_a_difference_near_an_end_is_that_of_its_arm_towards_zero(ahead: bool) -> None:
    high, low = record(once(25, 25), once(1, 25)), record(once(20, 25), once(3, 25))
    gap = shares.skill_difference(high, low) if ahead else shares.skill_difference(low, high)
    assert gap.interval_only and gap.value == pytest.approx((1 if ahead else -1) * (0.96 - 0.68))
    arm = gap.value - gap.interval.low if ahead else gap.interval.high - gap.value
    assert gap.error == pytest.approx(arm / 2.0096, rel=1e-4)  # Student's t at 49 degrees of freedom


def test_the_same_record_twice_has_no_difference_and_next_to_no_doubt() -> None:
    own = record([(2, 3), (1, 3), (3, 3), (0, 3)] * 5, [(1, 3), (0, 3)] * 10)
    gap = shares.skill_difference(own, own)
    assert gap.value == 0
    assert gap.interval == pytest.approx((0, 0), abs=0.12)
    alone = shares.skill_estimate(own).interval
    assert gap.interval.high - gap.interval.low < (alone.high - alone.low) / 2


def test_from_ten_items_of_each_side_on_that_differ_a_difference_rests_on_their_spread() -> None:
    alike = [1 + n % 2 for n in range(30)]  # of three tries
    two = record([(k, 3) for k in alike], [(k, 3) for k in alike])
    for predicted, control, rests in ((10, 10, True), (9, 10, False), (10, 9, False)):
        more = [(k + (n < predicted), 3) for n, k in enumerate(alike)]
        fewer = [(k - (n < control), 3) for n, k in enumerate(alike)]
        one = record(more, fewer)
        plain, gap = difference(shares.skill, one, two), shares.skill_difference(one, two)
        assert gap.value == plain.value == pytest.approx((predicted + control) / 90)
        assert (gap == plain) is rests and gap.interval_only is not rests
        assert shares.rests_on_few(one.counts, two.counts) is not rests


def test_where_one_of_the_two_has_no_control_there_is_no_difference() -> None:
    one, two = record([(1, 2)] * 4, [(1, 2)] * 4), record([(1, 2)] * 4, [(0, 0)] * 4)
    gap = shares.skill_difference(one, two)
    assert math.isnan(gap.value) and gap.reason is not None and not gap.interval_only


def test_a_difference_takes_two_common_items() -> None:
    # lifts of 1 and of -1 on items 0 and 1, and otherwise on those that only one has
    right, wrong = [1, 0, 0, 1, 0, 0, 0], [0, 1, 1, 0, 0, 0, 0]
    one = Record(("0", "1", "x"), np.array([right, right, wrong], float))
    two = Record(("y", "0", "1"), np.array([right, wrong, wrong], float))
    assert difference(shares.skill, one, two).value == 2
    assert difference(shares.skill, one, Record(("0", "y"), two.counts[:2])).reason == "fewer than two common items"


def test_a_difference_of_two_models_has_about_the_error_of_the_delta_method_far_from_the_ends() -> None:
    rng = np.random.default_rng(2)

    def some(share: float) -> list[tuple[int, int]]:
        return [(int(k), 5) for k in rng.binomial(5, share, 200)]

    one, two = record(some(0.6), some(0.4)), record(some(0.5), some(0.4))
    gap = shares.skill_difference(one, two)
    counts = np.concatenate([one.counts, two.counts], axis=1)
    totals = counts.sum(0)

    def lift(cells: np.ndarray) -> float:
        return float(cells[0] / (cells[0] + cells[1]) - cells[2] / (cells[2] + cells[3]))

    # by another method: the jackknife over items
    left = [lift((totals - row)[:7]) - lift((totals - row)[7:]) for row in counts]
    error = math.sqrt((len(left) - 1) / len(left) * float(((np.array(left) - np.mean(left)) ** 2).sum()))
    assert gap.value == pytest.approx(lift(totals[:7]) - lift(totals[7:]))
    assert (gap.interval.high - gap.interval.low) / 2 == pytest.approx(1.96 * error, rel=0.03)
    assert gap.error == pytest.approx(error, rel=0.03)


# --- worst and best --------------------------------------------------------------------------------------------------

READ = tried([[True, False], [True]], [[True, False], [False]])
WAYS = [(True, None), (False, None), (None, True), (None, False), (None, None)]


@pytest.mark.parametrize("lost", [*([way] for way in WAYS), WAYS, WAYS[2:] * 2, [(None, None)] * 4], ids=str)
def test_bounds_are_the_extremes_of_all_completions(lost: list[tuple[bool | None, bool | None]]) -> None:
    rows = [*READ, *(try_of("x", n, said, did) for n, (said, did) in enumerate(lost))]
    found = shares.bounds(claims_of(rows))
    # every way in which what is not known could have been
    values: dict[str, list[float]] = {"accuracy": [], "control": [], "lift": []}
    either = [(True, False) if known is None else (known,) for way in lost for known in way]
    for whole in product(*either):
        sides = list(zip(whole[::2], whole[1::2], strict=True))
        said = [(row["predicted"], row["observed"]) for row in READ] + sides
        predicted, control = ([did for p, did in said if p is side] for side in (True, False))
        values["accuracy"].append(sum(predicted) / len(predicted))
        values["control"].append(sum(control) / len(control))
        values["lift"].append(values["accuracy"][-1] - values["control"][-1])
    assert found == {name: pytest.approx((min(those), max(those))) for name, those in values.items()}


def test_bounds_of_what_is_not_defined_are_not_given() -> None:
    assert set(shares.bounds(claims_of([*tried([[True]], []), try_of("x", 0, None, None)]))) == {"accuracy"}
    assert set(shares.bounds(claims_of([*tried([], [[True]]), try_of("x", 0, None, None)]))) == {"control"}
    # as many of it came true as did not
    assert set(shares.bounds(claims_of(tried([], [[True, False]])))) == {"control"}
    assert set(shares.bounds(claims_of(tried([[True, False]], [])))) == {"accuracy"}
    assert shares.bounds(claims_of([try_of("x", 0, None, None)])) == {}


def test_missing_tries_widen_the_bounds_as_unreadable_ones_do() -> None:
    unread = [*READ, try_of("x", 0, True, None)]
    missing = [*READ, try_of("x", 0, True, None, state="missing", reason=None)]
    assert shares.bounds(claims_of(unread)) == shares.bounds(claims_of(missing))


# --- permutation -----------------------------------------------------------------------------------------------------


def p_of(predicted: np.ndarray, control: np.ndarray) -> float:
    rows = tried(predicted.tolist(), control.tolist())
    return shuffled_p(claims_of(rows), strict=True).value


def test_p_is_the_share_of_all_deals_that_have_as_much_lift(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permutation, "PERMUTED", 9_999)
    for seed in range(3):
        came_true = np.random.default_rng(seed).random((7, 2)) < 0.5  # of items 0, 1 and 2 it was predicted
        lifts = {
            chosen: came_true[list(chosen)].mean() - np.delete(came_true, chosen, 0).mean()
            for chosen in combinations(range(7), 3)
        }
        expected = np.mean([lift >= lifts[0, 1, 2] - 1e-9 for lift in lifts.values()])
        assert p_of(came_true[:3], came_true[3:]) == pytest.approx(expected, abs=0.02)


@pytest.mark.slow
def test_under_the_null_small_p_values_are_as_rare_as_they_should_be() -> None:
    rng = np.random.default_rng(7)

    def some(n: int) -> np.ndarray:  # items differ, whichever side they are of; tries of an item go together
        return rng.random((n, 3)) < rng.beta(0.7, 0.9, (n, 1))

    p = np.array([p_of(some(15), some(25)) for _ in range(300)])
    # of 300 at 5%, 15 are to be expected, and 26 or more come with probability .005
    assert 4 <= (p <= 0.05).sum() <= 25
    # a deal with just as much counts, and one in eight has: the lift moves by 1/45 + 1/75 with each try, where its
    # standard deviation is .115; so that p is .5 or less in .44 of cases (.029 is the error of 300)
    assert (p <= 0.5).mean() == pytest.approx(0.44, abs=3 * 0.029)


def test_what_is_predicted_well_is_told_from_chance() -> None:
    rng = np.random.default_rng(8)
    assert p_of(rng.random((20, 3)) < 0.8, rng.random((20, 3)) < 0.3) == 1 / 500


def test_the_test_asks_about_the_lift() -> None:
    # by brute force: all ways to deal two predicted and two control items, one try each
    came_true = [True, True, False, False]
    rows = [try_of(str(n), 0, n < 2, did) for n, did in enumerate(came_true)]
    weight = shares.weights(claims_of(rows))
    for signs in product([1, -1], repeat=4):
        if sum(signs) == 0:
            lift = (
                sum(d for d, s in zip(came_true, signs, strict=True) if s > 0) / 2
                - sum(d for d, s in zip(came_true, signs, strict=True) if s < 0) / 2
            )
            # a sum of weight times sign, and a constant, which is 0 here as the sides are as large
            assert float(weight @ np.array(signs)) == pytest.approx(lift)


# --- what it is not --------------------------------------------------------------------------------------------------


def test_models_are_not_held_against_each_other_since_each_predicts_its_own() -> None:
    rows = [row | {"model": model} for model in "abc" for row in tried([[True, False]] * 60, [[True, False]] * 60)]
    found = {row.metric for row in score_tables(table(rows), ["a"], "strict")}
    assert "lift" in found and "self_bonus" not in found


def test_there_is_no_noise_ceiling_for_shares() -> None:
    rows = tried([[True, False]] * 20, [[True, False]] * 20)
    both = [*rows, *(row | {"epoch": 2} for row in rows)]
    found = {row.metric for row in score_tables(table(both), ["m"], "strict")}
    assert not found & {"noise_ceiling", "skill_over_ceiling"}
