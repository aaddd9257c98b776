"""A model that judges its responses otherwise than a fixed rule does."""

import json
import re

import polars as pl
import pytest

import selfexec as sx
from build import request, table
from selfexec.analysis.notes import noise_and_loss
from selfexec.analysis.result import ScoredRun, folders_of
from selfexec.analysis.score import Scores
from selfexec.claims import Tables
from selfexec.metrics import JudgeTest, judge_warnings


def tables(*counts: tuple[int, bool | None, bool | None, bool | None]) -> Tables:
    """So many requests each of what was predicted, what the model judges, and what the rule says."""
    known = [sides for n, *sides in counts for _ in range(n)]
    return table(
        request(item, predicted, judged, "unreadable" if judged is None else "read", by={"rule": rule})
        for item, (predicted, judged, rule) in enumerate(known)
    )


def found(*counts: tuple[int, bool | None, bool | None, bool | None]) -> list[JudgeTest]:
    return judge_warnings(tables(*counts).claims, strict=True)


def test_disputed_responses_are_counted_both_ways_with_skill_by_either() -> None:
    # 24 answers and 8 refusals by the rule; the model denies 9 of the answers and affirms 1 of the refusals. It
    # predicts its own judgement always: J is 1. By the rule 15 of 24 answers were predicted, and 7 of 8 refusals.
    agreed = [(15, True, True, True), (7, False, False, False)]
    [test] = found(*agreed, (9, False, False, True), (1, True, True, False))
    assert (test.source, test.other) == ("self", "rule")
    assert (test.judged, test.denied, test.affirmed) == (32, 9, 1)
    assert test.skill == pytest.approx(1.0) and test.skill_by_other == pytest.approx(15 / 24 + 7 / 8 - 1)
    assert test.text == (
        "10 of 32 responses (31%) judged differently: 9 count as answers by the rule alone, 1 by its own judgement "
        "alone; skill 1.000 by its own judgement, .500 by the rule"
    )


@pytest.mark.parametrize(("agreed", "disputed", "said"), [(30, 10, True), (31, 10, False), (9, 9, False)])
def test_it_takes_a_quarter_of_the_responses_and_ten_items(agreed: int, disputed: int, said: bool) -> None:
    assert bool(found((agreed, True, True, True), (disputed, True, False, True))) == said


def test_a_response_that_one_of_them_says_nothing_of_counts_for_neither() -> None:
    [test] = found((30, True, True, True), (10, True, False, True), (50, True, None, True), (50, True, True, None))
    assert test.judged == 40 and "skill by" not in test.text


@pytest.mark.slow
def test_of_ten_recorded_models_two_part_with_the_rule_in_a_quarter(
    ten_models: sx.Run, scores_of_ten: sx.Scores
) -> None:
    scores = scores_of_ten
    told = {test.model: test for test in scores.warnings if isinstance(test, JudgeTest)}
    by_rule = ten_models.outcomes.filter(pl.col("source") == "rule").rename({"observed": "by_rule"})
    rows = ten_models.observations.drop_nulls("observed").join(by_rule, on=["model", "experiment", "item", "epoch"])
    shares = rows.group_by("model").agg((pl.col("observed") != pl.col("by_rule")).mean().alias("share"))
    assert set(told) == set(shares.filter(pl.col("share") >= 0.25)["model"]) and len(told) == 2
    notes = "\n".join(noise_and_loss(scores, scores.warnings, scores.runs))  # as the report and the card have them
    for text in (scores.table(), scores.markdown(), scores._repr_html_(), notes):
        assert re.search(r"selfexec read (\S*/)?ten --claim disputed --show", text)
        assert all(test.text in text for test in told.values())
    kinds = [warning["kind"] for warning in json.loads(scores.json())["warnings"]]
    assert kinds.count("judge") == 2 and set(kinds) == {"judge", "loss", "unseen tokens"}


def test_where_both_agree_nothing_is_said() -> None:
    assert found((40, True, True, True), (40, False, False, False)) == []
    assert noise_and_loss(Scores([]), []) == []


def test_what_to_type_is_of_the_runs_that_the_models_concerned_are_in() -> None:
    runs = [ScoredRun("runs/a b", None, ("one", "two"), {}, 0), ScoredRun("runs/c", None, ("three",), {}, 0)]
    assert folders_of(runs, ["one"]) == folders_of(runs, ["one", "two"]) == ["runs/a b"]
    assert folders_of(runs, ["three"], name_only=True) == ["c"]
    assert folders_of(runs, ["one", "three"]) == ["runs/a b", "runs/c"] and folders_of(runs, []) == []
