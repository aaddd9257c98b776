"""Scores of what was expected of single answers, right or wrong, and in how many tokens: each reckoned by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest

import selfexec as sx
from selfexec.claims import Answers
from selfexec.metrics.probability import OF_ANSWERS, _scores_of_answers

# two groups of three answers, in one epoch
ANSWERS = Answers(
    items=2,
    item=np.array([0, 0, 0, 1, 1, 1]),
    missing=np.zeros(6, bool),
    correct=np.array([1.0, 0.0, 1.0, 1.0, 0.0, 0.0]),
    tokens=np.array([10.0, 30.0, 20.0, 5.0, 5.0, 9.0]),
    expected_correct=np.array([0.9, 0.6, 0.4, 0.6, 0.2, 0.1]),
    expected_tokens=np.array([1.0, 3.0, 5.0, 2.0, 1.0, 2.0]),
    occasion=np.array([0, 0, 0, 1, 1, 1]),
)


def test_right_answers_are_told_from_wrong_ones_over_all_pairs_and_within_groups() -> None:
    found = _scores_of_answers(ANSWERS)
    # right .9 .4 .6, wrong .6 .2 .1: 3 + 2 + (.5 + 2) of 9
    assert found["auroc_correct"].value == pytest.approx(7.5 / 9)
    # within: .9 and .4 against .6: 1 of 2; .6 against .2 and .1: 2 of 2
    assert found["auroc_correct_within"].value == pytest.approx(3 / 4)
    squares = [0.1**2, 0.6**2, 0.6**2, 0.4**2, 0.2**2, 0.1**2]
    assert found["brier_correct"].value == pytest.approx(sum(squares) / 6)


def test_expected_tokens_are_held_against_counted_ones_within_a_group() -> None:
    # 10 < 30 and 10 < 20 as expected, 20 < 30 not
    # 5 and 5 are no pair; the first 5 and 9 were expected to be alike, the second 5 and 9 as they were
    assert _scores_of_answers(ANSWERS)["tau_tokens"].value == pytest.approx((1 + 1 - 1 + 0 + 1) / 5)


def test_answers_of_different_epochs_are_no_pair() -> None:
    apart = replace(ANSWERS, occasion=np.arange(6))
    assert _scores_of_answers(apart)["tau_tokens"].reason == "no two answers of a group differ in known tokens"


def test_an_answer_that_did_not_come_or_of_which_nothing_was_said_is_in_no_score() -> None:
    fewer = replace(ANSWERS, missing=np.array([0, 0, 1, 0, 0, 0], bool))
    # right .9 .6, wrong .6 .2 .1: 3 + .5 + 2 of 6
    assert _scores_of_answers(fewer)["auroc_correct"].value == pytest.approx(5.5 / 6)
    nothing = replace(ANSWERS, expected_correct=np.full(6, math.nan))
    assert {e.reason for e in _scores_of_answers(nothing).values()} == {"no probability was read"}


def test_a_run_in_two_forms_scores_them_where_they_were_asked_for(tmp_path_factory: pytest.TempPathFactory) -> None:
    levels = {"elicit": ["choice", "probability"]}
    out = tmp_path_factory.mktemp("runs") / "r"
    run = sx.run(["sim/knows-itself", "sim/coin"], experiments="difficulty", preset="quick", facets=levels, out=out)
    rows = {(row.model, row.condition, row.metric): row for row in sx.score(run) if row.metric in OF_ANSWERS}
    assert {condition for _, condition, _ in rows} == {"elicit=probability"}
    knows, coin = (rows[model, "elicit=probability", "auroc_correct"] for model in ("sim/knows-itself", "sim/coin"))
    assert knows.value is not None and coin.value is not None and knows.low is not None
    assert coin.value < knows.low
