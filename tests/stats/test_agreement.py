"""Krippendorff's alpha, by hand and by its definition."""

from itertools import permutations

import numpy as np
import pytest

from selfexec.stats import coincidences, nominal_alpha

# Krippendorff (2011), section A: ten units, each judged by two
TWO = ["01", "11", "01", "00", "00", "01", "00", "00", "10", "00"]
# section C: twelve units, four judges, not all of whom judged each
FOUR = ["111", "2223", "3333", "3333", "2222", "1234", "4444", "1121", "2222", "555", "11", "3"]


def counts(units: list[str]) -> np.ndarray:
    classes = sorted(set("".join(units)))
    return np.array([[unit.count(one) for one in classes] for unit in units], float)


def by_definition(units: list[str]) -> float:
    """From the coincidence matrix: every ordered pair of judgements within a unit, weighted 1/(m - 1)."""
    matrix: dict[tuple[str, str], float] = {}
    for unit in units:
        for a, b in permutations(unit, 2):
            matrix[a, b] = matrix.get((a, b), 0.0) + 1 / (len(unit) - 1)
    classes = {a for a, _ in matrix}
    margin = {c: sum(v for (a, _), v in matrix.items() if a == c) for c in classes}
    n = sum(margin.values())
    observed = sum(v for (a, b), v in matrix.items() if a != b)
    expected = sum(margin[a] * margin[b] for a in classes for b in classes if a != b) / (n - 1)
    return 1 - observed / expected


def test_alpha_of_two_judges_as_krippendorff_works_it_out_by_hand() -> None:
    # four units of ten differ, so o01 = 4; of twenty judgements fourteen are 0 and six 1: 1 - 19 * 4 / (14 * 6)
    assert nominal_alpha(coincidences(counts(TWO)).sum(0)) == pytest.approx(1 - 19 * 4 / 84)
    assert by_definition(TWO) == pytest.approx(0.095, abs=0.0005)  # as printed there


def test_alpha_of_four_judges_who_left_some_out() -> None:
    alpha = float(nominal_alpha(coincidences(counts(FOUR)).sum(0)))
    assert alpha == pytest.approx(0.743, abs=0.0005)  # as printed there
    assert alpha == pytest.approx(by_definition(FOUR), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_alpha_is_that_of_the_coincidence_matrix_whatever_is_judged(seed: int) -> None:
    rng = np.random.default_rng(seed)
    units = ["".join(rng.choice(list("abc"), rng.integers(1, 6))) for _ in range(30)]
    assert float(nominal_alpha(coincidences(counts(units)).sum(0))) == pytest.approx(by_definition(units), abs=1e-12)


def test_judges_who_toss_coins_agree_by_chance_and_one_class_alone_shows_nothing() -> None:
    rng = np.random.default_rng(1)
    coins = ["".join(row) for row in rng.choice(list("01"), (4000, 2))]
    assert abs(float(nominal_alpha(coincidences(counts(coins)).sum(0)))) < 0.05  # three standard errors of 1/sqrt(4000)
    assert np.isnan(nominal_alpha(coincidences(counts(["11", "11"])).sum(0)))
    assert float(nominal_alpha(coincidences(counts(["11", "00"])).sum(0))) == 1
