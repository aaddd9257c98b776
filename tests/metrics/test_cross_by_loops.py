"""The crossed matrix and what it is taken apart into, worked out a second time: cell by cell, and by least squares."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import t as students_t

from build import request, table
from selfexec.metrics.cross import Common, common_claims, cross
from selfexec.stats import wilson

ITEMS = 110


def common(models: int = 4, items: int = ITEMS, seed: int = 1) -> Common:
    """Items of one claim and of two, in turns; predictions know outcomes a little."""
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(items), 1 + np.arange(items) % 2)
    observed = np.where(rng.random((models, len(item))) < 0.4, 1, -1).astype(np.int8)
    predicted = np.where(rng.random(observed.shape) < 0.7, observed, -observed).astype(np.int8)
    names = tuple("abcdefgh"[:models])
    return Common("restriction", "rule", names, {"z": "why"}, tuple(map(str, range(items))), item, predicted, observed)


def matrix_of(some: Common, weights: np.ndarray) -> np.ndarray:
    n = len(some.models)
    by_claim = weights[some.item]
    hits = [[(some.predicted[a] == some.observed[b]) * by_claim for b in range(n)] for a in range(n)]
    return np.array([[cell.sum() / by_claim.sum() for cell in row] for row in hits])


def additive(matrix: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Self-bonus, skills and eases (around zero) by least squares, a column for each."""
    n = len(matrix)
    rows = [[*np.eye(n)[a], *np.eye(n)[b], float(a == b)] for a in range(n) for b in range(n)]
    found = np.linalg.lstsq(np.array(rows), matrix.ravel(), rcond=None)[0]
    shift = found[n : 2 * n].mean()
    return float(found[-1]), found[:n] + shift, found[n : 2 * n] - shift


def own_bonuses(matrix: np.ndarray) -> np.ndarray:
    """Each model's accuracy about itself less what the others' cells say of it."""
    n = len(matrix)
    off = [(a, b) for a in range(n) for b in range(n) if a != b]
    rows = [[*np.eye(n)[a], *np.eye(n)[b]] for a, b in off]
    found = np.linalg.lstsq(np.array(rows), np.array([matrix[cell] for cell in off]), rcond=None)[0]
    return np.diagonal(matrix) - found[:n] - found[n:]


def error_of(moved: Sequence[float]) -> float:
    """Standard error from how much a number moves where one item or another counts a little more."""
    return float(np.std(moved, ddof=1) * np.sqrt(len(moved)))


@pytest.mark.parametrize("models", [2, 4])
def test_the_matrix_and_its_parts_are_those_of_least_squares(models: int) -> None:
    some = common(models)
    found, matrix = cross(some), matrix_of(some, np.ones(ITEMS))
    assert found.matrix == pytest.approx(matrix)
    gamma, skills, _ = additive(matrix)
    assert found.gamma == pytest.approx(gamma)
    if models > 2:
        apart = own_bonuses(matrix)
        assert [one.value for one in found.own] == pytest.approx(list(apart))
        # with a bonus for each, alpha and beta are what is off the diagonal: the same on average
        assert found.skill_of_predictor.mean() == pytest.approx(skills.mean())
        assert found.ease_of_behaviour.sum() == pytest.approx(0.0)
        fitted = found.skill_of_predictor[:, None] + found.ease_of_behaviour
        assert np.diagonal(matrix - fitted) == pytest.approx(apart)
        assert np.mean(apart) == pytest.approx(gamma)
    else:
        # two cells beside the diagonal, and three unknowns: any beta has its alphas that fit
        assert np.isnan([*found.skill_of_predictor, *found.ease_of_behaviour, *(one.value for one in found.own)]).all()
    assert found.has_own is (models > 2)
    added, claims = found.by_item.sum(0)
    assert (added / claims, claims) == (pytest.approx(gamma), some.claims)
    assert claims == 165 and found.reason is None
    if models > 2:
        # what is left of each row and column beside the diagonal, to which they are not fitted, comes to nothing
        left = np.where(np.eye(models, dtype=bool), 0.0, found.beyond)
        assert left.sum(0) == pytest.approx(np.zeros(models), abs=1e-12)
        assert left.sum(1) == pytest.approx(np.zeros(models), abs=1e-12)
        assert np.diagonal(found.beyond) == pytest.approx(apart)


def test_errors_are_those_of_items_that_count_a_little_more_or_less() -> None:
    some, step = common(), 1e-5
    found, point = cross(some), float(students_t.ppf(0.975, ITEMS - 1))
    moved = [(matrix_of(some, 1 + row) - matrix_of(some, 1 - row)) / (2 * step) for row in step * np.eye(ITEMS)]
    error = error_of([additive(matrix)[0] for matrix in moved])  # a sum of the matrix' cells, as each bonus is
    assert found.error == pytest.approx(error, rel=1e-5)
    assert found.interval == pytest.approx((found.gamma - point * error, found.gamma + point * error), rel=1e-4)
    for one, moves in zip(found.own, np.array([own_bonuses(matrix) for matrix in moved]).T, strict=True):
        error = error_of(list(moves))
        assert one.error == pytest.approx(error, rel=1e-5)
        assert one.interval == pytest.approx((one.value - point * error, one.value + point * error), rel=1e-4)
    share = float(matrix_of(some, np.ones(ITEMS))[1, 2])
    error = error_of([float(matrix[1, 2]) for matrix in moved])
    assert found.cells[1, 2] == pytest.approx(wilson(share, share * (1 - share) / error**2), rel=1e-4)
    assert found.cells.shape == (4, 4, 2) and (found.cells[..., 0] < found.cells[..., 1]).all()


def test_a_bonus_that_is_the_same_on_every_item_has_no_interval() -> None:
    # each of two does what its index says of odd and even items, and says so: right of itself, wrong of the other
    outcomes = np.array([[1, -1], [-1, 1]], np.int8)[:, np.arange(100) % 2]
    found = cross(
        Common("restriction", "rule", ("a", "b"), {}, tuple(map(str, range(100))), np.arange(100), outcomes, outcomes)
    )
    assert (found.gamma, found.matrix.tolist()) == (1.0, [[1.0, 0.0], [0.0, 1.0]])
    assert math.isnan(found.interval.low) and math.isnan(found.interval.high)
    assert found.gap == "+100.00 points of accuracy, the same on every item, so without an interval"
    assert found.basis == "2 models, 100 common claims of 100 items, rarer outcome 50%"


def test_a_hundred_items_and_twenty_of_the_rarer_outcome_are_enough_and_one_fewer_is_not() -> None:
    def of(items: int, rarer: int, models: int = 2, sign: int = 1) -> Common:
        outcomes = np.where(np.arange(items) < rarer, sign, -sign).astype(np.int8)
        outcomes = np.broadcast_to(outcomes, (models, items))
        return Common(
            "restriction", "rule", ("a", "b", "c")[:models], {}, ("x",) * items, np.arange(items), outcomes, outcomes
        )

    for sign in (1, -1):
        assert of(100, 20, sign=sign).rarer_items == 20
        assert of(100, 20, sign=sign).rarer_share == pytest.approx(0.2)
        assert cross(of(100, 20, sign=sign)).reason is None
    assert cross(of(99, 20)).reason == "only 99 common items, fewer than 100"
    few = cross(of(100, 19))
    assert few.reason == "only 19 common items have the rarer outcome, fewer than 20"
    assert few.matrix.tolist() == [[1.0, 1.0]] * 2 and math.isnan(few.gamma) and few.by_item.shape == (0, 2)
    assert math.isnan(few.error) and np.isnan([*few.interval, *few.skill_of_predictor, *few.ease_of_behaviour]).all()
    assert cross(of(100, 20, models=1)).reason == "two models with common claims are needed"
    nothing = cross(of(0, 0))
    assert nothing.reason == "two models with common claims are needed" and np.isnan(nothing.matrix).all()
    assert nothing.matrix.shape == (2, 2) and np.isnan(nothing.cells).all() and math.isnan(nothing.common.rarer_share)


def test_the_bonus_is_told_of_all_that_took_part_and_of_nobody_else() -> None:
    found = cross(common())
    one = found.estimate_for("a")
    assert (one.value, one.interval, one.error) == (found.gamma, found.interval, found.error)
    assert found.estimate_for("z").reason == f"left out: why ({found.basis} without it)"
    assert "none of its claims was read" in (found.estimate_for("y").reason or "")
    assert cross(common(items=50)).estimate_for("a").reason == "only 50 common items, fewer than 100"


def test_the_model_that_hinders_most_is_left_out_and_the_most_incomplete_of_equals() -> None:
    def rows(model: str, items: range) -> list[dict[str, object]]:
        return [request(n, n % 2 == 0, n % 3 == 0, model=model) for n in items]

    whole = rows("a", range(130)) + rows("b", range(130))
    # c and d have 105 items each, of which they share 80: without either there are 105, and d has an item more
    [claims] = table(
        [*whole, *rows("c", range(105)), *rows("d", range(24, 130)), *rows("e", range(99))]
    ).claims.values()
    found = common_claims(claims)
    assert found.models == ("a", "b", "d") and len(found.items) == found.claims == 106
    assert found.left_out == {
        "c": "with it only 81 common items, fewer than 100",
        "e": "only 99 read items, fewer than 100",
    }
    # where it does not help, nobody is left out
    [claims] = table([*rows("a", range(90)), *rows("b", range(90))]).claims.values()
    assert (common_claims(claims).models, common_claims(claims).left_out) == (("a", "b"), {})


def test_claims_of_several_epochs_are_held_against_those_of_the_same_epoch() -> None:
    def rows(model: str, epochs: tuple[int, ...]) -> list[dict[str, object]]:
        return [request(n, epoch == 1, n % 2 == 0, model=model, epoch=epoch) for n in range(110) for epoch in epochs]

    [claims] = table([*rows("a", (1, 2, 3)), *rows("b", (2, 3))]).claims.values()
    found = common_claims(claims)
    assert (found.claims, len(found.items)) == (220, 110)
    assert (found.predicted == -1).all()  # what was said in the first epoch is nobody's but the one model's
    assert (found.item == np.repeat(np.arange(110), 2)).all()
    assert [int(name) % 2 == 0 for name in found.items] == (found.observed[0, ::2] > 0).tolist()
