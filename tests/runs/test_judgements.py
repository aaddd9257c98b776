"""What people, or other models, say of stored replies afterwards: `judgements.jsonl` in a run's folder."""

import base64
import hashlib
import json
import warnings
import zlib
from pathlib import Path
from typing import Any

import pytest

import selfexec as sx
from build import requests_run, selfexec, write
from extension_parts import needs
from selfexec.report.evidence import PageEvidence
from selfexec.report.outcomes import coded
from selfexec.report.sessions import with_states
from selfexec.runs import Run

ANSWER = "Here you are."
SHA256 = hashlib.sha256(ANSWER.encode()).hexdigest()
# predicted, and what the model says of its response; by the fixed rule all four are answers
SIDES = [(True, True), (False, False), (None, True), (True, False)]


def judgement(item: object, value: Any, **more: Any) -> dict[str, Any]:
    line = {"model": "m", "experiment": "restriction", "item": str(item), "session": "execute", "source": "human"}
    return line | {"value": value, "reply_sha256": SHA256} | more


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Four requests; there are no judgements yet."""
    return requests_run(tmp_path / "made", {"m": SIDES})


def judged(run: Run, *lines: dict[str, Any]) -> Run:
    write(run.folder / "judgements.jsonl", lines)
    return sx.load(run.folder)


def sides(run: Run) -> dict[str, tuple[Any, ...]]:
    rows = run.observations.select("item", "predicted", "observed", "source", "state", "reason").rows()
    return {item: row for item, *row in rows}


# --- what counts -----------------------------------------------------------------------------------------------------


def test_without_a_journal_there_is_nothing_and_nothing_is_different(run: Run) -> None:
    assert sx.load(run.folder).judgements == {}
    assert run.sources == {"restriction": ("self", "rule")}


def test_judgements_stand_beside_the_source_that_counts_and_change_nothing(run: Run) -> None:
    found = judged(run, judgement(0, False), judgement(1, True), judgement(2, None, reason="in Latin"))
    assert sides(found) == sides(run) and sx.score(found).records() != []
    human = found.outcomes.filter(found.outcomes["source"] == "human").select("item", "claim", "observed").rows()
    assert sorted(human) == [("0", "answers", False), ("1", "answers", True)]  # of 2 nothing can be told
    assert found.sources == {"restriction": ("self", "rule", "human")}
    [key, *_] = [key for key, _ in found.judgements if key.item == "2"]
    assert found.judgements[key, "human"].reason == "in Latin"


def test_by_another_source_its_word_is_what_was_done_and_what_it_says_nothing_of_is_missing(run: Run) -> None:
    found = judged(run, judgement(0, False), judgement(1, True), judgement(2, True)).with_source("human")
    assert sides(found) == {
        "0": [True, False, "human", "read", None],
        "1": [False, True, "human", "read", None],
        "2": [None, True, "human", "unreadable", "format"],  # the prediction is what could not be read
        "3": [True, None, "human", "missing", None],
    }
    others = found.outcomes.filter(found.outcomes["item"] == "0").select("source", "observed").rows()
    assert sorted(others) == [("rule", True), ("self", True)]
    row = sx.score(found).row("m", "restriction", "coverage")
    assert (row.value, row.source) == (0.5, "human")


def test_the_rule_can_be_the_source_that_counts(run: Run) -> None:
    found = run.with_source("rule")
    assert {item: row[1:4] for item, row in sides(found).items()} == {
        "0": [True, "rule", "read"],
        "1": [True, "rule", "read"],
        "2": [True, "rule", "unreadable"],
        "3": [True, "rule", "read"],
    }
    # of four claims, predicted rightly: 0 and 3; one prediction could not be read, and is wrong
    assert sx.score(found).value("m", "restriction", "accuracy") == 0.5
    assert sides(found.with_source("self")) == sides(run)


def test_a_lost_prediction_keeps_its_own_state_where_the_models_judgement_is_missing(run: Run) -> None:
    lines = [json.loads(line) for line in (run.folder / "replies.jsonl").read_text().splitlines()]
    kept = [line for line in lines if (line["item"], line["session"]) != ("2", "judge")]
    write(run.folder / "replies.jsonl", kept)
    without = sx.load(run.folder)
    assert sides(without)["2"] == [None, None, "self", "missing", None]
    # the prediction is there, and cannot be read: that is no prediction of what the rule says was done
    assert sides(without.with_source("rule"))["2"] == [None, True, "rule", "unreadable", None]


def test_the_last_line_of_a_source_counts_and_sources_are_apart(run: Run) -> None:
    found = judged(run, judgement(0, False), judgement(0, True, source="judge:b"), judgement(0, True))
    by = {source: line.value for (_, source), line in found.judgements.items()}
    assert by == {"human": True, "judge:b": True} and len(found.judgements) == 2
    assert sides(found.with_source("judge:b"))["0"][:3] == [True, True, "judge:b"]


def test_the_last_line_counts_without_a_newline_and_is_refused_where_it_is_cut_off(run: Run) -> None:
    found = judged(run, judgement(0, False), judgement(1, True))
    path = found.folder / "judgements.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole.removesuffix(b"\n"))  # as many editors leave it
    assert sx.load(run.folder).judgements == found.judgements
    path.write_bytes(whole[:-9])
    with pytest.raises(sx.InputError, match=r"judgements\.jsonl:2: the line is cut off\. Remove it"):
        sx.load(run.folder)


def test_a_response_that_is_empty_answers_nothing_whoever_judges(run: Run) -> None:
    lines = [json.loads(line) for line in (run.folder / "replies.jsonl").read_text().splitlines()]
    emptied = [line | {"text": ""} if (line["item"], line["session"]) == ("3", "execute") else line for line in lines]
    write(run.folder / "replies.jsonl", emptied)
    found = judged(run, judgement(0, True)).with_source("human")
    assert sides(found)["3"] == [True, False, "human", "read", None]
    assert sides(found)["1"][3] == "missing"


def test_readings_put_right_and_a_source_go_together(run: Run) -> None:
    found = judged(run, judgement(2, True)).with_source("human")
    [key] = [key for key in found.replies if (key.item, key.session) == ("2", "predict")]
    assert sides(found.with_readings({key: "A"}))["2"] == [True, True, "human", "read", None]


def test_an_answer_for_each_claim_goes_to_its_claim(tmp_path: Path) -> None:
    item = {"id": "t", "target": "Sea", "options": ["salt", "wave", "crown"]}
    write(tmp_path / "association.jsonl", [item])
    texts = {"predict": '{"salt": true, "wave": true, "crown": false}', "execute": '{"words": ["salt", "waves"]}'}
    lines = [
        {"model": "m", "experiment": "association", "item": "t", "session": session, "text": text}
        for session, text in texts.items()
    ]
    write(tmp_path / "replies.jsonl", lines)
    run = sx.import_replies(tmp_path / "replies.jsonl", items=tmp_path, out=tmp_path / "run")
    line = lines[1] | {"source": "human", "value": {"wave": True, "crown": False}}
    found = judged(run, line).with_source("human")
    rows = found.observations.select("claim", "observed", "state").rows()
    assert rows == [("salt", None, "missing"), ("wave", True, "read"), ("crown", False, "read")]
    with pytest.raises(sx.InputError, match=r"one answer, and the item has 3 claims.*\{\"salt\":true,\"wave\":true"):
        judged(run, line | {"value": True})
    with pytest.raises(sx.InputError, match=r"the item has no claim 'weave'\. There are 'salt', 'wave', 'crown'"):
        judged(run, line | {"value": {"weave": True}})


# --- several runs ----------------------------------------------------------------------------------------------------


def test_a_source_that_only_one_run_has_counts_in_all_of_them_or_in_none(tmp_path: Path) -> None:
    one = requests_run(tmp_path / "one", {"m": SIDES})
    two = requests_run(tmp_path / "two", {"n": SIDES})
    one = judged(one, *(judgement(n, True) for n in range(4)))
    with pytest.raises(sx.InputError, match="what was done is decided by human and by self, of different models"):
        sx.score([one.with_source("human"), two])


def test_a_source_that_says_nothing_is_refused_with_those_that_say_something(run: Run) -> None:
    found = judged(run, judgement(0, True, source="judge:b"))
    with pytest.raises(sx.InputError) as refused:
        found.with_source("human")
    assert "source 'human': it has no outcomes in this run" in str(refused.value)
    assert "There are judge:b (restriction), rule (restriction), self (restriction)" in str(refused.value)
    assert str(run.folder / "judgements.jsonl") in str(refused.value)


@needs("published")
def test_the_authors_numbers_are_of_no_other_source(run: Run) -> None:
    with pytest.raises(sx.InputError, match=r"authors counted restriction by no 'rule'\. Leave out the source"):
        sx.score(run.with_source("rule"), "authors")
    assert sx.score(run.with_source("self"), "authors").records() == sx.score(run, "authors").records()


# --- read with suspicion ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (judgement(0, True, source="rule"), "unknown source 'rule'. Judgements are by 'human', or by 'judge:NAME'"),
        (judgement(0, True, source="self"), "unknown source 'self'"),
        (judgement(0, True, source="judge:"), "unknown source 'judge:'"),
        (judgement(0, True, source="Human"), "unknown source 'Human'"),
        (judgement(0, "answer"), "the value 'answer' is no answer to a claim. Write true, false or null"),
        (judgement(0, True, reply_sha256=None), "it is unclear which text was judged. Give it as 'text'"),
        (judgement(0, True, session="predict"), "replies of predict are read, not judged. What is judged in restric"),
        (judgement(0, True, session="exceute"), "restriction has no session 'exceute', only predict, execute, judge"),
        (judgement(9, True), "no restriction item has the id '9'"),
        (judgement(0, True, experiment="refusals"), "unknown experiment 'refusals'"),
        (judgement(0, {"answered": True}), "the item has no claim 'answered'. There are 'answers'."),
        ({"model": "m"}, "the line lacks 'experiment'. Add it"),
    ],
)
def test_a_line_that_is_none_is_refused_by_its_place_with_the_way_out(
    run: Run, line: dict[str, Any], said: str
) -> None:
    with pytest.raises(sx.InputError) as refused:
        judged(run, judgement(1, True), line)
    assert f"{run.folder / 'judgements.jsonl'}:2: " in str(refused.value) and said in str(refused.value)


@pytest.mark.parametrize(
    "stale",
    [
        judgement(0, False, reply_sha256="0" * 64),
        judgement(0, False, text="Here you were.", reply_sha256=None),
        judgement(0, False, model="n"),
        judgement(0, False, epoch=2),
    ],
)
def test_a_judgement_of_a_reply_that_is_not_here_or_has_changed_is_named_and_not_used(
    run: Run, stale: dict[str, Any]
) -> None:
    place = r"judgements\.jsonl:1: 1 of 2 judgements are of replies that are not here, or that have changed since"
    with pytest.warns(UserWarning, match=place) as warned:
        found = judged(run, stale, judgement(1, True))
    assert f"restriction 0, execute, epoch {stale.get('epoch', 1)}, by human" in str(warned[0].message)
    assert [key.item for key, _ in found.judgements] == ["1"]


def test_lines_of_readings_with_a_value_and_a_source_put_in_are_judgements(run: Run, tmp_path: Path) -> None:
    from selfexec.runs import reading_lines

    lines = [json.loads(line) for line in reading_lines(run.readings, run.replies)]
    of_responses = [line for line in lines if line["session"] == "execute"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = judged(run, *(line | {"source": "human", "value": line["item"] != "1"} for line in of_responses))
    assert {item: row[1] for item, row in sides(found.with_source("human")).items()} == {
        "0": True,
        "1": False,
        "2": True,
        "3": True,
    }


# --- as people meet it -----------------------------------------------------------------------------------------------


def test_score_takes_a_source_and_says_so(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    judged(run, *(judgement(n, n > 0) for n in range(4)))
    assert selfexec(monkeypatch, "score", run.folder, "--source", "human", "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    told = "restriction: what counts as done is human judgement, not the model's own judgement of what it did."
    assert told in found["answer"]
    # a person says that all but the first are answers; 1 and 2 were predicted wrongly, or not at all
    by = {(row["metric"], row["source"]): row["value"] for row in found["scores"] if row["experiment"] == "restriction"}
    assert by["accuracy", "human"] == 0.25 == sx.score(run.folder, source="human").value("m", "restriction", "accuracy")
    assert selfexec(monkeypatch, "score", run.folder, "--source", "human") == 0
    assert told in capsys.readouterr().out
    assert selfexec(monkeypatch, "score", run.folder) == 0
    assert "what was done is said" not in capsys.readouterr().out
    assert selfexec(monkeypatch, "score", run.folder, "--source", "judge:b") == 2
    assert "source 'judge:b': it has no outcomes in this run" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["compare", "analyze trend", "analyze cross"])
def test_other_commands_count_by_the_source_and_say_so(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # by its own judgement either model is right about all 40 responses; by the rule all are answers, predicted of half
    sides = [(n % 2 == 0, n % 2 == 0) for n in range(40)]
    folder = requests_run(tmp_path / "made", {"m": sides, "n": sides}).folder
    arguments = [*command.split(), folder, *([] if command == "analyze cross" else ["--metric", "accuracy"])]

    def said(*more: str) -> str:
        assert selfexec(monkeypatch, *arguments, *more) == 0
        return capsys.readouterr().out

    found = json.loads(said("--source", "rule", "--format", "json"))
    assert found["runs"][0]["sources"] == {"restriction": "rule"}
    if command == "analyze cross":
        by_source = {part["source"]: part["matrix"] for part in found["cross_prediction"]}
        assert by_source == {"rule": [[0.5, 0.5]] * 2, "self": [[1, 1]] * 2}
        printed = said("--source", "rule")
        assert "Who predicts whom: restriction, one rule for refusals for all models" in printed
        assert "Who predicts whom: restriction, by its own judgement" in printed
    else:
        by = "a fixed rule for refusals, not the model's own judgement of what it did"
        told = f"restriction: what counts as done is {by}."
        # these models gave one response to everything, which compare says before, whatever the source
        canned = json.loads(said("--format", "json"))["notes"]
        assert all("40 requests" in note or "40 of 120 replies" in note for note in canned)
        assert found["notes"] == [*canned, told] and told in said("--source", "rule")


def test_a_comparison_by_another_source_is_of_its_outcomes(tmp_path: Path) -> None:
    # 40 responses each, all of them answers by the rule: m says so of all beforehand, n of every other one
    sides = [(n % 2 == 0, n % 2 == 0) for n in range(40)]
    run = requests_run(tmp_path / "made", {"m": [(True, did) for _, did in sides], "n": sides})
    by_source = {}
    for source in (None, "rule"):
        [row] = sx.compare(run, metrics="accuracy", source=source).differences
        by_source[source] = (row.value or 0.0) - (row.value_against or 0.0)
    assert by_source == {None: 0.5, "rule": -0.5}


def test_read_shows_what_was_said_of_a_response_beside_what_the_rule_makes_of_it(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    judged(run, judgement(0, False), judgement(0, None, source="judge:b"))
    assert selfexec(monkeypatch, "read", run.folder, "--claim", "disputed", "--item", "0", "--show") == 0
    shown = capsys.readouterr().out
    assert 'by a fixed rule: "answer"; by human judgement: no; by judge:b: cannot tell' in shown
    assert 'claim "answers": predicted yes, observed yes, but no by human judgement' in shown


def test_the_page_names_every_source_that_disputes_a_claim(run: Run) -> None:
    found = judged(run, judgement(0, False), judgement(3, True, source="judge:b|c"))
    index = unpacked(PageEvidence([found], coded(found.tables), with_states(found.sessions, [found])).index)
    order = [item["id"] for item in index["runs"][0]["items"]["restriction"]]
    marked = {
        source: {id for id, code in zip(order, by["restriction"]["1"], strict=True) if code == "d"}
        for source, by in index["models"][0]["disputed"].items()
    }
    assert marked == {"human": {"0"}, "judge:b|c": {"3"}, "rule": {"1", "3"}}
    assert index["sources"]["human"] == "human judgement"
    by_human = found.with_source("human")
    index = unpacked(PageEvidence([by_human], coded(by_human.tables), with_states(by_human.sessions, [by_human])).index)
    assert index["counts"] == {"restriction": "human judgement"}


def unpacked(index: str) -> Any:
    return json.loads(zlib.decompress(base64.b64decode(index)))
