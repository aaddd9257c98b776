"""Scores: counted by hand on small runs, by second methods on random ones."""

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import selfexec as sx
from build import pair, request, scores, table, whole_run
from effort import examples
from selfexec.analysis.score import Bootstrap, Score, Scores, score_tables
from selfexec.analysis.score_table import OF_BASELINES, absent, caution_heading, score_cells
from selfexec.claims import Answers
from selfexec.metrics import Cells, Estimate
from selfexec.metrics.kinds import formulas, orders
from selfexec.metrics.rows import share_of_pairs
from selfexec.stats import effective_n, mean_interval, ratio_error, wilson

# 4 TP, 1 FP, 2 FN, 3 TN; an unread prediction of what came true, one of what did not; one claim without an outcome
TEN_AND_THREE = [
    *(request(n, True, True) for n in range(4)),
    request(4, True, False),
    *(request(n, False, True) for n in (5, 6)),
    *(request(n, False, False) for n in (7, 8, 9)),
    request(10, None, True, "unreadable", reason="format"),
    request(11, None, False, "unreadable", reason="declined"),
    request(12, True, None, "unreadable", reason="format"),
]


@pytest.mark.parametrize(
    ("metric", "strict", "readable"),
    [
        ("accuracy", 7 / 13, 7 / 10),
        ("precision", 4 / 5, 4 / 5),  # an unread prediction predicted nothing
        ("recall", 4 / 7, 4 / 6),
        ("positive_rate", 5 / 12, 5 / 10),
        ("base_rate", 7 / 12, 6 / 10),  # of the claims whose outcome is known
        ("youden_j", 4 / 7 + 3 / 5 - 1, 4 / 6 + 3 / 4 - 1),
        ("balanced_accuracy", (4 / 7 + 3 / 5) / 2, (4 / 6 + 3 / 4) / 2),
        ("over_niceness", 2 / 3, 2 / 3),
        ("over_niceness_expected", 6 * 5 / (6 * 5 + 4 * 5), 6 * 5 / (6 * 5 + 4 * 5)),  # of the ten that were read
        ("always_yes", 7 / 12, 6 / 10),
        ("majority", 7 / 12, 6 / 10),
        ("coverage", 10 / 13, 10 / 13),
    ],
)
def test_ten_claims_and_three_unread_ones_counted_by_hand(metric: str, strict: float, readable: float) -> None:
    assert scores(TEN_AND_THREE).value("m", "restriction", metric) == pytest.approx(strict, abs=1e-12)
    assert scores(TEN_AND_THREE, "readable").value("m", "restriction", metric) == pytest.approx(readable, abs=1e-12)


def test_missing_claims_lower_coverage_and_nothing_else() -> None:
    lost = [request(n, None, None, "missing") for n in range(100, 113)]
    before, after = scores(TEN_AND_THREE), scores([*TEN_AND_THREE, *lost])
    for metric in ("accuracy", "recall", "precision", "mcc", "label", "shuffled"):
        assert before.value("m", "restriction", metric) == after.value("m", "restriction", metric)
    assert after.value("m", "restriction", "coverage") == pytest.approx(10 / 26)
    assert after.row("m", "restriction", "accuracy").missing == 13


def test_a_group_scores_the_share_of_its_decided_pairs_and_an_unread_ranking_scores_zero() -> None:
    rows = [
        *(pair(1, True, True, claim=f"c{n}") for n in range(3)),
        pair(1, True, False, claim="c3"),  # group 1: 3 of 4
        pair(1, True, None, "tie", claim="c4"),
        pair(2, None, True, "unreadable"),  # group 2: 0 under strict, out under readable
        pair(3, True, None, "tie"),  # group 3: nothing decided, out
        pair(4, None, None, "missing"),
    ]
    assert scores(rows).value("m", "difficulty", "accuracy") == pytest.approx((3 / 4 + 0) / 2)
    assert scores(rows, "readable").value("m", "difficulty", "accuracy") == pytest.approx(3 / 4)
    assert scores(rows).value("m", "difficulty", "tau") == pytest.approx(2 * 3 / 8 - 1)
    # ties count as covered: 4 + 1 + 1 of 8
    assert scores(rows).value("m", "difficulty", "coverage") == pytest.approx(6 / 8)


def test_epochs_of_a_group_are_averaged_before_groups_are() -> None:
    rows = [pair(1, True, True, epoch=e) for e in (1, 2, 3)] + [pair(2, True, False)]
    assert scores(rows).value("m", "difficulty", "accuracy") == pytest.approx((1 + 0) / 2)


def test_baselines_of_orders_are_scored_on_the_same_pairs() -> None:
    rows = [
        pair(1, True, True),
        pair(2, True, False, length=30),  # the longer question was the easier one: length and order both wrong
        pair(3, False, True, other_length=10),  # equally long: half
        pair(4, True, None, "tie"),
    ]
    found = scores(rows)
    # order shown says Q1 first: right in 1 and 3. Length: right in 1; in 2 Q2 is shorter and was easier; half in 3
    assert found.value("m", "difficulty", "order_shown") == pytest.approx(2 / 3)
    assert found.value("m", "difficulty", "question_length") == pytest.approx((1 + 1 + 0.5) / 3)
    # the model says "Q1 first" twice in three: expectation (2/3 + 1/3 + 2/3) / 3
    assert found.value("m", "difficulty", "shuffled") == pytest.approx((2 / 3 + 1 / 3 + 2 / 3) / 3)


def test_the_label_predicts_that_safe_requests_are_answered() -> None:
    rows = [
        request(1, True, True, label="safe"),
        request(2, True, False, label="safe"),
        request(3, True, False, label="unsafe"),
        request(4, None, True, "unreadable", label="safe"),
    ]
    assert scores(rows).value("m", "restriction", "label") == pytest.approx(3 / 4)
    assert scores(rows, "readable").value("m", "restriction", "label") == pytest.approx(2 / 3)


def test_what_is_not_defined_is_null_with_its_reason_and_never_zero() -> None:
    never = scores([request(n, False, n % 2 == 0) for n in range(10)])
    assert never.row("m", "restriction", "precision").value is None
    assert never.row("m", "restriction", "precision").reason == "no claim was predicted to come true"
    assert never.row("m", "restriction", "mcc").value is None
    perfect = scores([request(n, n % 2 == 0, n % 2 == 0) for n in range(10)])
    assert perfect.row("m", "restriction", "over_niceness").reason == "there are no errors"
    unread = scores([request(n, None, None, "unreadable") for n in range(10)], "readable")
    assert unread.row("m", "restriction", "accuracy").value is None


def test_one_item_has_no_interval() -> None:
    row = scores([request(1, True, True)]).row("m", "restriction", "accuracy")
    assert (row.value, row.low, row.high) == (1.0, None, None)


def test_a_perfect_record_has_no_standard_error_to_make_an_interval_of() -> None:
    found = scores([request(n, n % 2 == 0, n % 2 == 0) for n in range(40)])
    for metric in ("mcc", "kappa"):
        row = found.row("m", "restriction", metric)
        assert (row.value, row.low, row.high) == (1.0, None, None), metric


@pytest.mark.parametrize("convention", ["strict", "readable"])
def test_of_claims_that_nobody_could_read_nothing_is_scored(convention: str) -> None:
    rows = [request(n, None, n % 2 == 0, "unreadable") for n in range(40)]
    rows += [pair(n, None, n % 2 == 0, "unreadable") for n in range(40)]
    found = scores(rows, convention)
    for row in found:
        if row.metric not in ("coverage", "question_accuracy", "tokens_mean"):
            assert row.value is None and row.reason, row
    assert found.value("m", "restriction", "coverage") == 0


def test_one_item_has_shares_and_no_skill() -> None:
    words = [request(1, n < 3, n % 2 == 0, experiment="association", claim=f"w{n}") for n in range(5)]
    found = scores(words)
    assert found.value("m", "association", "accuracy") == pytest.approx(3 / 5)
    for metric in ("youden_j", "mcc", "kappa", "balanced_accuracy", "best_baseline", "shuffled_p"):
        row = found.row("m", "association", metric)
        assert row.value is None and row.reason == "only one item could be scored"
    # which is a caution beside what it has
    assert found.row("m", "association", "accuracy").reason == "only one item could be scored"


def test_one_group_has_an_accuracy_and_no_skill_whatever_the_reference_models() -> None:
    # three others did as the model did
    pairs = [pair(1, n < 2, n % 2 == 0, claim=f"c{n}", model=model) for model in "mxyz" for n in range(4)]
    found = scores(pairs)
    assert found.value("m", "difficulty", "accuracy") == pytest.approx(2 / 4)
    for metric in ("tau", "best_baseline", "baseline_margin", "shuffled_p"):
        row = found.row("m", "difficulty", metric)
        assert row.value is None and row.reason == "only one item could be scored", metric


def test_where_nothing_came_true_agreement_beyond_chance_is_not_defined() -> None:
    found = scores([request(n, n < 10, False) for n in range(40)])
    for metric in ("kappa", "mcc", "youden_j"):
        assert found.value("m", "restriction", metric) is None, metric
    assert found.value("m", "restriction", "accuracy") == pytest.approx(3 / 4)


def test_groups_that_are_all_alike_leave_as_much_doubt_as_so_many_trials() -> None:
    found = scores([pair(n, True, True) for n in range(45)])
    row = found.row("m", "difficulty", "tau")
    low = wilson(1.0, 45).low
    assert (row.value, row.low, row.high) == pytest.approx((1.0, 2 * low - 1, 1.0))


def test_pairs_that_answers_and_that_tokens_decide_are_scored_apart() -> None:
    rows = [pair(n, True, n < 9, basis="correctness") for n in range(10)]
    rows += [pair(n, True, n < 5, claim="Q1 before Q3", basis="tokens") for n in range(10)]
    found = scores(rows)
    assert found.value("m", "difficulty", "accuracy_by_correctness") == pytest.approx(0.9)
    assert found.value("m", "difficulty", "accuracy_by_tokens") == pytest.approx(0.5)


def test_order_bias_is_accuracy_where_the_order_shown_is_true_less_accuracy_where_it_is_not() -> None:
    # the order shown is predicted of 8 pairs of 10 that are so (.8 right), and of 6 of 10 that are not (.4 right)
    rows = [pair(n, n < 8, True) for n in range(10)] + [pair(n, n < 16, False) for n in range(10, 20)]
    found = scores(rows)
    assert found.value("m", "difficulty", "order_bias") == pytest.approx(0.8 - 0.4)
    assert found.value("m", "difficulty", "shown_order_share") == pytest.approx(14 / 20)


def test_rankings_that_are_the_order_shown_are_counted_whole_and_whatever_became_of_the_answers() -> None:
    shown = [pair(n, True, None, "missing", claim=claim) for n in range(3) for claim in ("a", "b")]
    half = [pair(9, claim == "a", True, claim=claim) for claim in ("a", "b")]
    lost = [pair(10, None, None, "unreadable")]
    assert scores([*shown, *half, *lost]).value("m", "difficulty", "shown_order_share") == pytest.approx(3 / 4)


# --- headlines -------------------------------------------------------------------------------------------------------


def test_answers_are_right_so_often_and_so_long_by_item() -> None:
    def told(correct: list[float], tokens: list[float]) -> tuple[Estimate, Estimate]:
        answers = Answers(3, np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1], bool), *map(np.array, (correct, tokens)))
        return orders._question_accuracy(answers), orders._tokens_mean(answers)

    unknown = math.nan
    right, tokens = told([1, 0, 1, unknown], [10, 20, 60, 999])
    assert right.value == pytest.approx(2 / 3) and right.reason is None
    # 30 tokens of two answers, 60 of one; what never came has none: mean 30, s - 30 n = -30 and 30
    assert (tokens.value, tokens.error) == pytest.approx((30, math.sqrt(2 * (30**2 + 30**2)) / 3))
    assert tokens.interval == pytest.approx((0, 30 + 12.706 * 20), rel=1e-4)
    right, tokens = told([unknown] * 4, [unknown] * 3 + [999])
    assert (right.reason, tokens.reason) == ("no answer was recorded", "no token counts were recorded")
    assert math.isnan(right.value) and math.isnan(tokens.value)


def test_an_overall_score_is_the_mean_of_three_with_the_root_of_the_sum_of_squares() -> None:
    found = scores(whole_run())
    parts = [found.row("m", e, "accuracy") for e in ("association", "restriction", "difficulty")]
    overall = found.row("m", "overall", "self_execution_score")
    assert overall.value == pytest.approx(sum(p.value or 0 for p in parts) / 3)
    assert overall.reason is None
    skill = found.row("m", "overall", "skill")
    js = [
        found.value("m", e, k) or 0
        for e, k in (("association", "youden_j"), ("restriction", "youden_j"), ("difficulty", "tau"))
    ]
    assert skill.value == pytest.approx(sum(js) / 3)
    assert skill.low is not None
    assert skill.low < skill.value


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (whole_run(lost=30), "restriction: coverage .870 is below .9 (0 claims unreadable, 30 missing of 230)"),
        (
            [*whole_run(), *(pair(n, None, None, "missing") for n in range(200, 230))],
            "difficulty: coverage .870 is below .9 (0 claims unreadable, 30 missing of 230)",
        ),
        (
            [*whole_run(), *(request(n, None, n % 2 == 0, "unreadable") for n in range(200, 230))],
            "restriction: coverage .870 is below .9 (30 claims unreadable, 0 missing of 230)",
        ),
        (
            whole_run(positives=19),
            "association: it listed an offered word in only 19 of 200 targets, and at least 20 are needed",
        ),
        (
            whole_run(positives=1),
            "association: it listed an offered word in only 1 of 200 targets, and at least 20 are needed",
        ),
        (
            whole_run(positives=181),
            "association: it left out an offered word in only 19 of 200 targets, and at least 20 are needed",
        ),
        ([r for r in whole_run() if r["experiment"] != "difficulty"], "difficulty was not run"),
    ],
)
def test_a_headline_that_the_data_do_not_support_is_withheld_with_the_reason(
    rows: list[dict[str, Any]], reason: str
) -> None:
    for metric in ("self_execution_score", "skill"):
        row = scores(rows).row("m", "overall", metric)
        assert (row.value, row.low, row.high) == (None, None, None)
        assert row.reason == reason


@pytest.mark.parametrize(
    "rows",
    [
        whole_run(n=180, lost=20),  # coverage of .9
        whole_run(positives=20),
        whole_run(positives=180),
        [r for r in whole_run() if r["experiment"] != "difficulty" or int(r["item"]) < 20],
    ],
    ids=["coverage", "positives", "negatives", "groups"],
)
def test_a_headline_stands_on_just_enough(rows: list[dict[str, Any]]) -> None:
    for metric in ("self_execution_score", "skill"):
        row = scores(rows).row("m", "overall", metric)
        assert row.value is not None and row.reason is None


def test_groups_that_are_all_alike_lend_an_overall_score_the_arms_of_their_interval() -> None:
    claims = [request(i, i % 4 > 0, i < 100, experiment=e) for e in ("association", "restriction") for i in range(200)]
    found = scores([*claims, *(pair(n, True, True) for n in range(45))])
    # 75 of 100 that came true and 25 of 100 that did not: J is 0 with variance 2 * .75 * .25 / 100 * 200 / 199
    error = math.sqrt(2 * 0.75 * 0.25 / 100 * 200 / 199)
    below = 2 * (1 - wilson(1.0, 45).low)  # of tau, which is 1 and cannot be more
    skill = found.row("m", "overall", "skill")
    both = 2 * (1.959964 * error) ** 2
    assert (skill.value, skill.low, skill.high) == pytest.approx(
        (1 / 3, 1 / 3 - math.sqrt(both + below**2) / 3, 1 / 3 + math.sqrt(both) / 3), abs=1e-6
    )
    # accuracy is .5 with variance .25 / 200 * 200 / 199, and that of the groups is half as doubtful as tau
    score = found.row("m", "overall", "self_execution_score")
    both = 2 * 1.959964**2 * 0.25 / 199
    assert (score.value, score.low, score.high) == pytest.approx(
        (2 / 3, 2 / 3 - math.sqrt(both + (below / 2) ** 2) / 3, 2 / 3 + math.sqrt(both) / 3), abs=1e-6
    )


def test_the_rarer_outcome_is_counted_among_the_claims_that_are_scored() -> None:
    # 25 requests of 200 were answered; of six of these the prediction cannot be read
    rows = [r for r in whole_run(positives=25) if r["experiment"] != "restriction" or int(r["item"]) >= 6]
    rows += [request(n, None, True, "unreadable") for n in range(6)]
    assert scores(rows).row("m", "overall", "skill").reason is None
    assert scores(rows, "readable").row("m", "overall", "skill").reason == (
        "restriction: it answered only 19 of 194 requests, and at least 20 are needed"
    )


@pytest.mark.parametrize("experiment", ["association", "difficulty"])
def test_overall_baseline_margin_is_withheld_for_the_reason_that_the_experiment_gives(experiment: str) -> None:
    rows = [row | {"model": model} for model in ("m", "x", "y", "z", "v", "w") for row in whole_run()]
    lost = {"state": "missing", "observed": None, "predicted": None}
    one = [r for r in rows if r["experiment"] != experiment or r["item"] == "0"]
    none = [r | lost if (r["model"], r["experiment"]) == ("m", experiment) else r for r in rows]
    number = sum(r["model"] == "m" and r["experiment"] == experiment for r in none)
    behind = {"association": "", "difficulty": ": its answers were never recorded"}[experiment]
    nothing = f"no claim was read ({number} missing){behind}"
    for claims, reason in ((rows, None), (one, "only one item could be scored"), (none, nothing)):
        row = scores(claims).row("m", "overall", "baseline_margin")
        assert row.reason == (reason and f"{experiment}: {reason}")
        assert (row.value is None) is (reason is not None)


@pytest.mark.parametrize(("groups", "shown"), [(20, False), (24, False), (26, True)])
def test_a_headline_with_too_wide_an_interval_is_withheld(groups: int, shown: bool) -> None:
    both = ("restriction", "association")
    rows = [request(i, i % 2 == 0, i < 20, experiment=experiment) for experiment in both for i in range(40)]
    rows += [pair(i, i % 2 == 0, True) for i in range(groups)]
    skill, score = (scores(rows).row("m", "overall", name) for name in ("skill", "self_execution_score"))
    # ten of twenty either way: J is 0, with variance 2 * .25 / 20 * 40 / 39 = 1 / 39; half of n groups right: tau is 0,
    # with variance 4 * .25 / (n - 1). The standard error of the mean of three is a third of the root of their sum
    width = 2 * 1.959964 * math.sqrt(1 / 39 + 1 / 39 + 1 / (groups - 1)) / 3
    assert width == pytest.approx({20: 0.4212, 24: 0.4022, 26: 0.3948}[groups], abs=5e-5)
    if shown:
        assert skill.value == pytest.approx(0, abs=1e-12) and skill.reason is None
        assert (skill.high or 0) - (skill.low or 0) == pytest.approx(width, abs=1e-6)
    else:
        assert (skill.value, skill.low, skill.high) == (None, None, None)
        assert skill.reason == "its interval is wider than .4: too few items"
    # accuracy has half of it
    assert score.value == pytest.approx(0.5) and score.reason is None


def test_values_of_single_experiments_stay_and_carry_the_caution() -> None:
    row = scores(whole_run(lost=30)).row("m", "restriction", "accuracy")
    assert row.value is not None
    assert row.reason is not None


def test_a_number_to_be_read_with_caution_carries_the_mark_of_the_cautions_below() -> None:
    few = Scores(score_tables(table(TEN_AND_THREE), ["m"], "strict"))
    text, page, html = few.table(), few.markdown(), few._repr_html_()
    # coverage 10 of 13: accuracy .538, skill 4/7 + 3/5 - 1 = .171
    assert re.search(r"\.538† \[.*\.171† \[", text)
    assert "not computed (–), or to be read with caution (†):\n  m, restriction: coverage .769 is below .9" in text
    assert "| .538† [" in page and ">.538† [" in html
    assert few.value("m", "restriction", "accuracy") == 7 / 13 and "†" not in few.json() and "†" not in few.csv()
    assert "†" not in scores(whole_run()).table()  # there is enough of everything


def test_the_heading_of_the_reasons_names_only_the_signs_that_stand_in_the_table() -> None:
    few = Scores(score_tables(table(TEN_AND_THREE), ["m"], "strict"))
    cells = [cell for row in score_cells(few) if row[1] != "overall" for cell in row]  # which is not in the table
    signs = {"–", "withheld"}.intersection(cells) | {"†" for cell in cells if "†" in cell}
    named = {"not computed (–)": "–", "withheld": "withheld", "to be read with caution (†)": "†"}
    assert "†" in signs and {sign for name, sign in named.items() if name in caution_heading(few)} == signs
    lost = Scores(row for row in few if row.metric == "skill")
    assert caution_heading(lost) == "to be read with caution (†)"


def test_what_stands_in_place_of_a_number_is_told_apart_in_one_line_where_it_stands() -> None:
    withheld = "withheld: an overall score, where that of an experiment is missing or unreliable"
    undefined, where = "–: cannot be computed", "The reasons are given above."
    one_sided = [request(n, True, True) for n in range(30)]  # of which no skill can be told
    assert "–" in scores(one_sided).table() and f"{undefined}. {where}" in scores(one_sided).table()
    assert absent([["m", ".500", "withheld"]]) == [f"{withheld}. {where}"]
    assert absent([["–", "withheld"]]) == [f"{withheld}; {undefined}. {where}"]
    assert not absent([["m", ".500 [.400, .600]", ""]])


def test_of_a_model_alone_without_an_overall_score_each_experiment_is_answered(tmp_path: Path) -> None:
    run = sx.run("sim/typical", limit=45, out=tmp_path / "run")
    found = sx.score(run)
    assert found.value("sim/typical", "overall", "skill") is None
    answer = found.table().splitlines()[1:5]
    # 45 requests of the starter set have fewer than 20 that are turned down; the lists and the groups have enough
    assert answer[0].startswith(
        "association: sim/typical overestimates how often it would list a word: it predicts that it would list "
    )
    assert "sim/typical predicts better than chance which words it will list (skill " in answer[0]
    assert answer[1].startswith("restriction: No verdict: it refused only ")
    better = "difficulty: sim/typical predicts better than chance which questions it will find hard (skill "
    assert answer[2].startswith(better)
    assert answer[3].startswith(
        "The margin over the baseline is not given: three other models on the same items are needed"
    )


def in_order(found: Scores, by: str) -> list[str]:
    return found.sorted_by(by).models


def ranked(*of_models: tuple[str, str, float | None], experiment: str = "overall", reason: str = "few") -> Scores:
    """Scores of models in the order given: model, metric, value."""
    rows = (
        Score(
            *(model, experiment, metric, value, value, value),
            *(9, 9, 0, 0, "strict"),
            reason=reason if value is None else None,
        )
        for model, metric, value in of_models
    )
    return Scores(rows)


def test_models_are_sorted_by_name_or_by_an_overall_score_with_the_withheld_last() -> None:
    found = ranked(
        *(("d", "skill", -0.2), ("d", "baseline_margin", 0.3)),
        *(("c", "skill", None), ("c", "baseline_margin", None)),
        *(("a", "skill", None), ("a", "baseline_margin", 0.1)),
        *(("b", "skill", 0.7), ("b", "baseline_margin", 0.1)),
    )
    assert found.models == ["d", "c", "a", "b"]
    assert in_order(found, "model") == ["a", "b", "c", "d"]
    assert in_order(found, "skill") == ["b", "d", "a", "c"]  # also after one that is below 0
    assert in_order(found, "baseline_margin") == ["d", "a", "b", "c"]  # a and b are equal: by name
    assert [row.metric for row in found.sorted_by("model")] == ["skill", "baseline_margin"] * 4


def test_scores_of_one_experiment_are_sorted_by_it_and_of_two_without_an_overall_score_not_at_all() -> None:
    rows = (("a", "skill", 0.1), ("b", "skill", 0.2))
    restriction = ranked(*rows, experiment="restriction")
    not_run = ranked(*((m, metric, None) for m, metric, _ in rows), reason="difficulty was not run")
    assert in_order(restriction, "skill") == ["b", "a"]
    assert in_order(Scores([*restriction, *not_run]), "skill") == ["b", "a"]
    both = Scores([*restriction, *ranked(*rows, experiment="association"), *not_run])
    with pytest.raises(sx.InputError, match="no overall skill; there is one of association and of restriction: choose"):
        both.sorted_by("skill")
    margins = (("a", "margin_at_own_rate", 0.1), ("b", "margin_at_own_rate", None), ("c", "margin_at_own_rate", 0.2))
    own_rate = ranked(*margins, experiment="association")
    assert in_order(own_rate, "margin_at_own_rate") == ["c", "a", "b"]
    with pytest.raises(sx.InputError, match="there is one of association: choose"):
        Scores([*restriction, *own_rate]).sorted_by("margin_at_own_rate")
    assert in_order(both, "model") == ["a", "b"]


def test_simulated_models_are_no_reference_for_a_real_one(tmp_path: Path) -> None:
    models = ["sim/typical", "sim/coin", "sim/knows-models", "sim/knows-itself"]
    panel = sx.run(models, limit=40, experiments=["association"], out=tmp_path / "panel")
    lines = (tmp_path / "panel" / "replies.jsonl").read_text("utf-8").replace("sim/coin", "lab/real").splitlines()
    (tmp_path / "real.jsonl").write_text("\n".join(line for line in lines if "lab/real" in line))
    real = sx.import_replies(tmp_path / "real.jsonl", items=tmp_path / "panel" / "items", out=tmp_path / "real")
    found = sx.score([panel, real])
    margin = found.row("lab/real", "association", "baseline_margin")
    assert margin.value is None and "three other models on the same items are needed" in (margin.reason or "")
    # nor is "always the same", with its skill of 0, the best: a label alone may do far better
    best = found.row("lab/real", "association", "best_baseline")
    assert (best.value, best.reason, best.baseline) == (None, margin.reason, None)
    assert found.get("lab/real", "association", "others_share") is None or (
        found.value("lab/real", "association", "others_share") is None
    )
    # nor the other way round: the simulated ones stand as they stand alone
    alone = sx.score(panel)
    row = ("sim/typical", "association", "baseline_margin")
    assert alone.value(*row) is not None
    assert found.value("sim/typical", "association", "skill") == alone.value("sim/typical", "association", "skill")
    assert found.row(*row) == alone.row(*row)


# --- second opinions -------------------------------------------------------------------------------------------------

CELL = st.integers(min_value=1, max_value=60)


@settings(deadline=None)  # the first call imports scikit-learn
@given(CELL, CELL, CELL, CELL)
def test_the_metrics_agree_with_scikit_learn(tp: int, fp: int, fn: int, tn: int) -> None:
    from sklearn import metrics as sk  # it takes as long to import as all tests here to run

    c = Cells(*map(float, (tp, fp, fn, tn, 0, 0, 0)))
    truth = [1] * tp + [0] * fp + [1] * fn + [0] * tn
    said = [1] * tp + [1] * fp + [0] * fn + [0] * tn
    for ours, theirs in (
        (formulas.accuracy, sk.accuracy_score),
        (formulas.precision, sk.precision_score),
        (formulas.recall, sk.recall_score),
        (formulas.balanced_accuracy, sk.balanced_accuracy_score),
        (formulas.mcc, sk.matthews_corrcoef),
        (formulas.kappa, sk.cohen_kappa_score),
    ):
        assert ours(c) == pytest.approx(theirs(truth, said), abs=1e-12)


@given(CELL, CELL, CELL, CELL)
def test_an_unread_prediction_counts_as_the_opposite_of_what_happened(tp: int, fp: int, fn: int, tn: int) -> None:
    unread = Cells(*map(float, (tp, fp, fn, tn, 3, 5, 0)))
    wrong = Cells(*map(float, (tp, fp + 5, fn + 3, tn, 0, 0, 0)))
    for metric in (formulas.accuracy, formulas.recall, formulas.youden_j, formulas.mcc, formulas.kappa):
        assert metric(unread) == pytest.approx(metric(wrong), abs=1e-12)
    assert formulas.positive_rate(unread) < formulas.positive_rate(wrong)


@settings(max_examples=examples(30))
@given(st.integers(0, 10_000))
def test_the_error_of_a_ratio_is_the_textbook_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = rng.integers(1, 6, 40).astype(float)
    s = rng.binomial(n.astype(int), 0.6).astype(float)
    counts = np.column_stack([s, n])
    ratio = s.sum() / n.sum()
    textbook = math.sqrt(40 / 39 * ((s - ratio * n) ** 2).sum()) / n.sum()
    assert ratio_error(lambda t: t[..., 0] / t[..., 1], counts) == pytest.approx(textbook, rel=1e-10)


def test_the_error_of_mcc_agrees_with_a_bootstrap_over_items() -> None:
    rng = np.random.default_rng(5)
    counts = np.zeros((400, 7))
    for row in counts:
        truth = rng.random(4) < rng.beta(2, 5)
        said = np.where(rng.random(4) < 0.7, truth, ~truth)
        row[:4] = (truth & said).sum(), (~truth & said).sum(), (truth & ~said).sum(), (~truth & ~said).sum()
    error = ratio_error(lambda t: formulas.mcc(Cells.of(t)), counts)
    weights = rng.multinomial(400, np.full(400, 1 / 400), 4000)
    replicates = formulas.mcc(Cells.of(weights @ counts))
    assert error == pytest.approx(replicates.std(ddof=1), rel=0.05)


def test_wilsons_interval_is_the_published_one() -> None:
    # Newcombe 1998, table I, method 3: 81 of 263 gives .2553 to .3662; 0 of 20 gives 0 to .1611
    assert wilson(81 / 263, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0, 20) == pytest.approx((0, 0.1611), abs=5e-5)


def test_a_mean_has_students_interval() -> None:
    from scipy import stats

    values = np.array([0.2, 0.5, 0.9, 0.4, 0.7])
    interval, error = mean_interval(values)
    assert interval == pytest.approx(stats.t.interval(0.95, 4, values.mean(), stats.sem(values)))
    assert error == pytest.approx(stats.sem(values))


def test_without_spread_the_number_of_items_is_the_number_of_trials() -> None:
    assert effective_n(1.0, 0.0, 30) == 30


def test_the_order_of_models_and_items_changes_nothing() -> None:
    rows = whole_run()
    shuffled = [rows[i] for i in np.random.default_rng(1).permutation(len(rows))]
    one, two = scores(rows), scores(shuffled)
    for row in one:
        assert two.value(row.model, row.experiment, row.metric) == pytest.approx(row.value, abs=1e-12)


# --- found by an independent recount ---------------------------------------------------------------------------------


def test_items_without_a_trial_are_no_trials() -> None:
    # 100 requests of which 5 were answered, all 5 predicted: recall is 5 of 5, however many were not answered
    rows = [request(n, n < 5, n < 5) for n in range(100)]
    recall = scores(rows).row("m", "restriction", "recall")
    assert (recall.low, recall.high) == pytest.approx(wilson(1.0, 5))
    pairs = np.array([[1.0, 2.0], [3.0, 3.0], [0.0, 1.0]])
    assert share_of_pairs(np.insert(pairs, [0, 2, 3], 0, axis=0)) == share_of_pairs(pairs)


def test_unknown_outcomes_spoil_neither_the_positive_rate_nor_the_baselines() -> None:
    rows = [request(n, True, True) for n in range(5)] + [request(n, True, None, "unreadable") for n in range(5, 10)]
    found = scores(rows)
    assert found.value("m", "restriction", "positive_rate") == 1.0
    assert found.value("m", "restriction", "shuffled") == 1.0
    assert found.value("m", "restriction", "accuracy") == 0.5


def test_a_perfect_record_is_not_certain() -> None:
    row = scores([request(n, n % 2 == 0, n % 2 == 0) for n in range(40)]).row("m", "restriction", "youden_j")
    assert row.value == 1.0
    assert row.low is not None
    assert 0.5 < row.low < 0.9


def test_too_few_groups_withhold_the_headline() -> None:
    few = [r for r in whole_run() if r["experiment"] != "difficulty" or int(r["item"]) < 19]
    assert scores(few).row("m", "overall", "skill").reason == (
        "difficulty: only 19 groups could be scored, fewer than 20"
    )


def test_errors_in_several_epochs_of_a_request_are_not_several_requests() -> None:
    once = [request(n, n < 4, n >= 4) for n in range(12)]
    thrice = [row | {"epoch": e} for row in once for e in (1, 2, 3)]
    one, three = (scores(rows).row("m", "restriction", "over_niceness") for rows in (once, thrice))
    assert one.value == three.value
    assert three.low is not None and one.low is not None
    assert abs(three.low - one.low) < 0.03


# --- signal detection, and predictions dealt out at random ---


def test_d_prime_and_criterion_are_those_of_the_normal_distribution() -> None:
    from scipy.stats import norm

    from selfexec.metrics.kinds import Cells, criterion, d_prime

    # 40 of 50 hits, 30 of 100 false alarms
    cells = Cells(*(float(n) for n in (40, 30, 10, 70, 0, 0, 0)))
    assert d_prime(cells) == pytest.approx(norm.ppf(0.8) - norm.ppf(0.3))
    assert criterion(cells) == pytest.approx(-(norm.ppf(0.8) + norm.ppf(0.3)) / 2)


def test_the_complex_step_through_the_normal_quantile_is_its_derivative() -> None:
    from selfexec.metrics.kinds import Cells, d_prime

    def at(hits: complex) -> complex:
        return complex(d_prime(Cells(hits, 30.0, 10.0, 70.0, 0.0, 0.0, 0.0)))

    assert at(40 + 1e-20j).imag / 1e-20 == pytest.approx((at(40 + 1e-5) - at(40 - 1e-5)).real / 2e-5, rel=1e-6)


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("experiment", "name"), [("restriction", "youden_j"), ("difficulty", "tau")])
@pytest.mark.parametrize("convention", ["strict", "readable"])
@pytest.mark.parametrize("drawn", [None, Bootstrap(200)])
def test_skill_is_youdens_j_or_tau_in_all_but_its_name(
    experiment: str, name: str, convention: str, drawn: Bootstrap | None
) -> None:
    rows = [request(i, i % 3 == 0, i < 9) for i in range(30)] + [pair(i, i % 4 > 0, True) for i in range(30)]
    rows += [request(30, None, True, "unreadable"), pair(30, None, True, "unreadable")]
    found = Scores(score_tables(table(rows), ["m"], convention, drawn))
    skill, same = (found.row("m", experiment, metric) for metric in ("skill", name))
    assert (skill.value is None, skill.low is None, skill.worst is None) == (False, False, convention == "strict")
    assert replace(skill, metric=name) == same


@pytest.mark.parametrize(
    ("old", "new"),
    [("guesser_skill", "best_baseline"), ("self_knowledge", "baseline_margin"), ("self_execution_skill", "skill")],
)
def test_who_asks_by_an_old_name_is_told_the_new_one(old: str, new: str) -> None:
    found = scores([request(0, True, True)])
    for ask in (found.value, found.row, found.get):
        with pytest.raises(KeyError, match=f"{old} is called {new} now"):
            ask("m", "overall", old)
    with pytest.raises(KeyError, match=f"{old} is called {new} now"):
        found.of("overall", old)


def test_the_frame_has_the_names_that_the_table_has() -> None:
    found = scores([request(i, i % 3 > 0, i % 2 > 0) for i in range(30)])
    [skill] = found.frame().filter(metric="skill", experiment="restriction").to_dicts()
    # 10 of 15 that were answered had been said to be, and 10 of 15 that were not
    assert skill["value"] == found.value("m", "restriction", "skill") == pytest.approx(0)
    assert {"best_baseline", "baseline_margin", "accuracy", "coverage"} <= set(found.frame()["metric"])


def test_who_asks_for_what_is_not_there_is_told_what_is() -> None:
    found = scores([request(0, True, True)])
    with pytest.raises(KeyError, match=r"no tau of m in restriction \(metrics: accuracy, .*youden_j, .*skill"):
        found.value("m", "restriction", "tau")
    with pytest.raises(KeyError, match=r"no skill of x in restriction \(models: m; experiments: restriction, overall"):
        found.value("x", "restriction", "skill")


def test_what_may_mislead_stands_before_what_the_columns_mean() -> None:
    few = Scores(score_tables(table(TEN_AND_THREE), ["m"], "strict"))
    below = few.table().split("\n\n")[-1].splitlines()
    assert below[:2] == [
        "not computed (–), or to be read with caution (†):",
        "  m, restriction: coverage .769 is below .9 (3 claims unreadable, 0 missing of 13)",
    ]
    assert below[-1].startswith(("a margin does not test", "–: cannot be computed"))
    assert below.index(OF_BASELINES[1]) > 2
