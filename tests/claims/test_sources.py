"""Who says what was done: every source stands beside every other, whatever they are called."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import selfexec as sx
from build import changed, request, requests_run, scores, table
from extension_parts import needs
from selfexec.claims import with_disputes
from selfexec.experiments import EXPERIMENTS
from selfexec.metrics import judge_warnings, self_bonuses
from selfexec.readers import Reading
from selfexec.runs import Run, load_readings, reading_lines

STORED = Path(__file__).parents[1] / "stored"


# --- sources beside each other ---------------------------------------------------------------------------------------


def test_a_claim_is_disputed_by_each_source_that_says_otherwise_of_it() -> None:
    found = with_disputes(
        table(
            [
                request(1, True, True, by={"rule": True, "human": True}),
                request(2, True, True, by={"rule": False, "human": True}),
                request(3, True, False, by={"rule": True, "human": True}),
                request(4, True, True, by={"rule": None}),  # it says nothing
                request(5, True, None, "unreadable", by={"rule": True}),
                request(6, True, True),
            ]
        )
    )
    assert found["disputed"].to_list() == [[], ["rule"], ["human", "rule"], [], [], []]


def test_arrays_have_a_column_for_each_further_source_in_the_order_of_the_claims() -> None:
    rows = [
        request(2, True, True, by={"rule": False}),
        request(1, False, True, by={"judge:b": True}),
        request(3, True, None, "unreadable", by={"rule": True, "judge:b": False}),
    ]
    claims = table(rows).claims["restriction"]
    assert (claims.source, claims.further_sources) == ("self", ("judge:b", "rule"))
    assert claims.further_outcomes.tolist() == [[0, -1], [1, 0], [-1, 1]]
    by_rule = claims.by("rule")
    assert (by_rule.source, by_rule.observed.tolist()) == ("rule", [-1, 0, 1])
    assert claims.where(claims.predicted > 0).further_outcomes.tolist() == [[0, -1], [-1, 1]]


def test_models_whose_behaviour_is_told_by_different_sources_are_not_counted_together() -> None:
    rows = [request(1, True, True, source="self"), request(1, True, True, source="human", model="n")]
    with pytest.raises(sx.InputError, match=r"what was done is decided by human and by self, of different"):
        _ = table(rows).claims


def test_any_further_source_that_disagrees_in_a_quarter_is_told_with_skill_by_either() -> None:
    # 30 words listed and 10 not, all predicted; a person says of 10 of the listed ones that they are not, and says
    # nothing of 5: J by human judgement is 25/25 + 10/20 - 1, by the rule, on the same claims, 1
    def word(n: int, did: bool, **by: bool) -> dict[str, Any]:
        return request(n, did, did, experiment="association", claim="w", by=by)

    rows = [word(n, True, human=n >= 10) for n in range(30)] + [word(n, False, human=False) for n in range(30, 35)]
    rows += [word(n, False) for n in range(35, 40)]
    [test] = judge_warnings(table(rows).claims, strict=True)
    assert (test.source, test.other, test.judged, test.denied, test.affirmed) == ("rule", "human", 35, 0, 10)
    assert test.skill == pytest.approx(1) and test.skill_by_other == pytest.approx(20 / 20 + 5 / 15 - 1)
    assert test.text == (
        "10 of 35 claims (29%) judged differently: 0 count as true by human judgement alone, 10 by the rule alone; "
        "skill 1.000 by the rule, .333 by human judgement"
    )


def test_models_are_crossed_by_each_further_source() -> None:
    rows = [request(n, True, n % 2 == 0, model=model, by={"judge:b": n % 3 == 0}) for model in "mn" for n in range(150)]
    found = self_bonuses(table(rows).claims["restriction"])
    assert list(found) == ["self_bonus", "self_bonus_by_judge:b"]
    assert [crossed.common.source for crossed in found.values()] == ["self", "judge:b"]
    # all say yes: right where it came true, in 75 and in 50 of 150
    assert found["self_bonus"].matrix.tolist() == [[0.5, 0.5]] * 2
    assert found["self_bonus_by_judge:b"].matrix == pytest.approx(np.full((2, 2), 1 / 3))


# --- scores name theirs ----------------------------------------------------------------------------------------------


def test_each_score_names_the_source_of_its_outcomes() -> None:
    found = sx.score(STORED / "panel")
    named = {(row.experiment, row.metric): row.source for row in found}
    assert {named[e, "skill"] for e in ("association", "difficulty")} == {"rule"}
    assert named["restriction", "skill"] == named["restriction", "self_bonus"] == "self"
    assert named["restriction", "self_bonus_by_rule"] == "rule"
    assert named["overall", "skill"] == "rule+self"
    by_json = {(row["experiment"], row["metric"]): row["source"] for row in json.loads(found.json())["scores"]}
    by_csv = {(row["experiment"], row["metric"]): row["source"] for row in csv.DictReader(io.StringIO(found.csv()))}
    by_frame = {(e, m): s for e, m, s in found.frame().select("experiment", "metric", "source").iter_rows()}
    assert by_json == by_csv == by_frame == named


@needs("published")
def test_each_number_of_the_authors_names_the_source_of_its_outcomes() -> None:
    theirs = {row.experiment: row.source for row in sx.score(STORED / "panel", "authors")}
    assert theirs == {"association": "rule", "restriction": "self", "difficulty": "rule", "overall": "rule+self"}


def test_scores_of_a_table_that_names_no_source_have_that_of_the_experiment() -> None:
    assert scores([request(1, True, True)]).row("m", "restriction", "accuracy").source == "self"


# --- a probability beside yes or no ----------------------------------------------------------------------------------


@pytest.fixture
def elicited(toys: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Two questions, with predictions "A .8" and "B .25": the toy experiment, whose reader takes the number, too."""
    brevity = EXPERIMENTS["brevity"]

    def read(item: Any, session: str, text: str, options: Any = None) -> Reading:
        found: Reading = brevity.read(item, session, text.split()[0] if session == "predict" else text)
        return msgspec.structs.replace(found, probability=float(text.split()[1])) if session == "predict" else found

    def observe(item: Any, readings: Any) -> Any:
        predict = readings.get("predict", Reading("missing"))
        claims = brevity.observe(item, readings)
        return [msgspec.structs.replace(claim, probability=predict.probability) for claim in claims]

    monkeypatch.setitem(EXPERIMENTS._found, "brevity", changed(brevity, read=read, observe=observe))
    items = [{"id": f"q{n}", "question": f"Question {n}?", "topic": "sea"} for n in (1, 2)]
    texts = {("q1", "predict"): "A .8", ("q2", "predict"): "B .25"} | {(f"q{n}", "execute"): "Yes." for n in (1, 2)}
    (tmp_path / "brevity.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    lines = [
        {"model": "m", "experiment": "brevity", "item": item, "session": session, "text": text}
        for (item, session), text in texts.items()
    ]
    (tmp_path / "replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return sx.import_replies(tmp_path / "replies.jsonl", items=tmp_path, out=tmp_path / "run")


def test_a_probability_goes_from_the_reading_to_the_table(elicited: Run) -> None:
    rows = elicited.observations.select("item", "predicted", "probability").rows()
    assert rows == [("q1", True, 0.8), ("q2", False, 0.25)]
    assert elicited.tables.claims["brevity"].probability.tolist() == [0.8, 0.25]


def test_where_none_was_elicited_it_is_unknown() -> None:
    run = sx.load(STORED / "panel")
    assert run.observations["probability"].null_count() == len(run.observations)
    assert all(np.isnan(claims.probability).all() for claims in run.tables.claims.values())


def test_a_probability_in_given_readings_takes_the_place_of_ours(elicited: Run, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in reading_lines(elicited.readings, elicited.replies)]
    of_q1 = next(line for line in lines if (line["item"], line["session"]) == ("q1", "predict"))
    assert of_q1["probability"] == 0.8  # as `selfexec read --format json` has it
    (tmp_path / "given.jsonl").write_text(json.dumps({**of_q1, "probability": 0.6}) + "\n")
    put_right = elicited.with_readings(load_readings([tmp_path / "given.jsonl"]))
    assert put_right.observations["probability"].to_list() == [0.6, 0.25]
    by_hand = elicited.with_readings({next(iter(elicited.replies)): Reading("read", "A", probability=0.9)})
    assert by_hand.observations["probability"].to_list() == [0.9, 0.25]
    (tmp_path / "given.jsonl").write_text(json.dumps({**of_q1, "probability": 60}) + "\n")
    with pytest.raises(sx.InputError, match=r"given\.jsonl:1: field 'probability' must be a number no more than 1"):
        load_readings([tmp_path / "given.jsonl"])


@pytest.mark.parametrize("wrong", [1.5, -0.1, float("nan")])
def test_a_probability_that_is_none_is_refused_by_the_experiments_name(
    elicited: Run, monkeypatch: pytest.MonkeyPatch, wrong: float
) -> None:
    brevity = EXPERIMENTS["brevity"]

    def observe(item: Any, readings: Any) -> Any:
        return [msgspec.structs.replace(claim, probability=wrong) for claim in brevity.observe(item, readings)]

    monkeypatch.setitem(EXPERIMENTS._found, "brevity", changed(brevity, observe=observe))
    with pytest.raises(sx.InputError, match=f"brevity: the probability of the claim 'brief' is {wrong}, and must lie"):
        _ = elicited.tables


def test_what_a_model_says_of_its_response_stands_beside_what_the_rule_says(tmp_path: Path) -> None:
    run = requests_run(tmp_path / "r", {"m": [(True, True), (True, False)]})
    own = run.observations.select("item", "source", "observed").rows()
    assert sorted(own) == [("0", "self", True), ("1", "self", False)]
    # "Here you are." is an answer by the rule, whatever the model says
    by_rule = run.outcomes.select("item", "claim", "source", "observed").rows()
    assert sorted(by_rule) == [("0", "answers", "rule", True), ("1", "answers", "rule", True)]
