"""Keys to questions that models made up, from the answers of other models: who is asked what."""

import json
from collections import Counter

import pytest

import selfexec as sx
from build import selfexec, write
from experiments.test_keys import NAME, run
from selfexec.errors import InputError
from selfexec.runs import Run

__all__ = ["run"]


def voted(run: Run) -> Counter[tuple[str, str]]:
    return Counter((key.model, source) for (key, source) in sx.load(run.folder).judgements)


def test_a_model_never_answers_its_own_question_and_goes_on_where_it_ended(run: Run) -> None:
    sx.judge(run, "sim/coin@5", experiments=NAME, max_calls=3)
    assert voted(run) == {("sim/says-yes", "judge:sim/coin@5"): 3}
    lines = (run.folder / "judge_replies.jsonl").read_text().splitlines()
    sx.judge(run, "sim/coin@5", experiments=NAME)
    sx.judge(run, "sim/coin@5", experiments=NAME)
    assert voted(run) == {("sim/says-yes", "judge:sim/coin@5"): 4}
    found = (run.folder / "judge_replies.jsonl").read_text().splitlines()
    assert len(found) == 4 and found[:3] == lines  # nothing is asked twice
    assert all(json.loads(line)["session"] == "answer" for line in found)


def test_a_model_has_one_answer_whatever_names_it_goes_by(run: Run) -> None:
    sx.judge(run, "sim/typical", experiments=NAME, max_calls=1)
    with pytest.raises(InputError, match="sim/typical has answered as sim/typical already, and one model has one"):
        sx.judge(run, "sim/typical", name="again", experiments=NAME)
    sx.judge(run, "sim/says-yes", name="sim/coin@5", experiments=NAME)  # which both wrote questions
    assert set(voted(run)) == {("sim/says-yes", "judge:sim/typical")}


def test_a_question_that_was_written_anew_is_answered_anew(run: Run) -> None:
    sx.judge(run, "sim/typical", experiments=NAME)
    replies = run.folder / "replies.jsonl"
    lines = [json.loads(line) for line in replies.read_text().splitlines()]
    first = next(line for line in lines if line["session"] == "predict" and line["model"] == "sim/says-yes")
    first["text"] = json.dumps(
        {"question": "What is 1000 + 1?", "options": dict(zip("ABCD", ["1001", "1002", "1011", "1101"], strict=True))}
        | {"answer": "A", "reason": ""}
    )
    write(replies, lines)
    with pytest.warns(UserWarning, match="1 of 8 judgements are of replies that are not here, or that have changed"):
        again = sx.judge(run.folder, "sim/typical", experiments=NAME)
    assert len((run.folder / "judge_replies.jsonl").read_text().splitlines()) == 9
    assert len(again.judgements) == 8


def test_keys_are_made_where_they_are_named_and_counted_where_they_are_chosen(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError, match=f"no replies that are judged. For keys to questions .*, name {NAME}"):
        sx.judge(run, "sim/typical")
    for judge in ("sim/typical", "sim/typical@1", "sim/typical@2"):
        assert selfexec(monkeypatch, "judge", run.folder, "--judge", judge, "--experiment", NAME) == 0
    said = capsys.readouterr().out
    assert "Next: selfexec score" in said and "--source majority" in said
    assert f"The keys: selfexec score {run.folder} --agreement --experiment {NAME}\n" in said
    assert selfexec(monkeypatch, "score", run.folder, "--agreement", "--experiment", NAME, "--format", "json") == 0
    rows = json.loads(capsys.readouterr().out)["keys"]
    assert [row["model"] for row in rows] == ["sim/says-yes", "sim/coin@5"]
    assert all(row["questions"] == 4 == row["same"] + row["other"] + row["too_few"] + row["none"] for row in rows)
    whole = sx.load(run.folder)
    assert whole.sources[NAME] == ("rule", "majority")  # an answer is no source of what was done
    assert whole.outcomes.is_empty() and set(whole.observations["source"]) == {"rule"}
    assert set(whole.with_source("majority").observations["source"]) == {"majority"}
    assert selfexec(monkeypatch, "score", run.folder, "--agreement", "--experiment", f"{NAME},restriction") == 2
    assert f"{NAME} has keys, not judges" in capsys.readouterr().err
