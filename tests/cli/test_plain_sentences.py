"""Sentences that commands say: how many, how large, and nothing where there is nothing."""

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import selfexec as sx
from extension_parts import needs
from selfexec.cli import root
from selfexec.errors import InputError
from selfexec.text.numbers import size_of


def said(*arguments: str) -> str:
    return CliRunner().invoke(root, arguments, catch_exceptions=False).output


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> sx.Run:
    monkeypatch.chdir(tmp_path)
    return sx.run("sim/coin", limit=2, experiments="restriction", out="r")


def test_one_is_and_several_are(run: sx.Run) -> None:
    # 2 requests, each with a prediction, the response and its judgement
    assert "6 of 6 sessions are here; nothing remains to be asked." in said("run", "--out", "r")
    journal = Path("r/replies.jsonl")
    first, *_ = journal.read_text().splitlines()
    journal.write_text(first + "\n")
    assert "1 of 6 sessions is here" in said("run", "--out", "r", "--dry-run")


@pytest.mark.parametrize(("size", "text"), [(0, "0 B"), (512, "512 B"), (46_000, "46 kB"), (1_250_000, "1.2 MB")])
def test_no_file_of_some_bytes_has_none(size: int, text: str) -> None:
    assert size_of(size) == text


def test_where_no_session_is_meant_there_is_a_sentence_and_no_table(run: sx.Run) -> None:
    assert said("read", "r", "--state", "withheld") == (
        "No session matches. All of them: selfexec read r (Claims of a session that was read may be unreadable: "
        "selfexec read r --claim unreadable --show)\n"
    )


def test_sessions_without_a_reply_are_in_the_lines_of_what_is_missing(run: sx.Run) -> None:
    journal = Path("r/replies.jsonl")
    lines = journal.read_text().splitlines()
    lost = next(line for line in map(json.loads, lines) if line["session"] == "judge")
    kept = [line for line in lines if json.loads(line) != lost]
    journal.write_text("".join(f"{line}\n" for line in kept))
    [line] = map(json.loads, said("read", "r", "--state", "missing", "--format", "json").splitlines())
    assert (line["item"], line["session"], line["state"]) == (lost["item"], "judge", "missing")
    assert (line["reason"], line["text"]) == ("no reply", None)
    with_failure = {**lost, "text": None, "error": "status 500: no"}
    journal.write_text("".join(f"{line}\n" for line in [*kept, json.dumps(with_failure)]))
    [line] = map(json.loads, said("read", "r", "--state", "missing", "--format", "json").splitlines())
    assert line["reason"] == "status 500: no"


@needs("judging")
def test_a_simulated_judge_is_said_to_be_simulated(run: sx.Run) -> None:
    out = said("judge", "r", "--judge", "sim/typical")
    assert "sim/typical is a simulated judge: no language model was asked." in out


@needs("judging")
def test_a_judge_with_another_setting_is_told_that_there_was_none(run: sx.Run) -> None:
    sx.judge("r", "sim/typical")
    with pytest.raises(
        InputError, match=r"the setting temperature was not set when it judged before and is 0 now\. Ch"
    ):
        sx.judge("r", "sim/typical", settings={"temperature": 0})


@needs("judging")
def test_an_empty_run_is_not_judged(run: sx.Run) -> None:
    Path("r/replies.jsonl").write_text("")
    with pytest.raises(InputError, match="nothing has been answered in this run yet"):
        said("judge", "r", "--judge", "rule")


def test_a_report_is_not_written_under_the_name_of_another_form(run: sx.Run) -> None:
    with pytest.raises(InputError, match=r"x\.pdf: nothing is written as \.pdf here\. End the name in \.html or \.htm"):
        sx.report(run, "x.pdf")
    assert not Path("x.pdf").exists()


def test_a_language_that_there_is_not_is_no_run(run: sx.Run) -> None:
    with pytest.raises(InputError, match=r"xx: this is neither a run's folder nor a set of prompts\. There are en, de"):
        said("prompts", "xx")


def test_a_gate_on_an_old_name_is_told_the_new_one(run: sx.Run) -> None:
    sx.run("sim/typical", out="r")
    with pytest.raises(InputError, match="guesser_skill is called best_baseline now"):
        said("compare", "r", "--fail-if", "overall.guesser_skill drops 0.1")


def test_score_shows_how_far_judges_agree(run: sx.Run) -> None:
    # the same table as in Python, and the labels that it is held against are for it alone
    assert said("score", "r", "--agreement", "-q").strip() == sx.judges("r").table(120).strip()
    with pytest.raises(sx.InputError, match="it is for agreement, which compares judges"):
        said("score", "r", "--labels", "labels.jsonl")
    with pytest.raises(sx.InputError, match="it cannot be written as csv"):
        said("score", "r", "--agreement", "--format", "csv")


def test_claims_that_could_not_be_read_are_counted_and_the_command_beside_their_number_lists_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = sx.run("sim/breaks-format", limit=15, experiments="association", out="my run")
    lost = run.tables.observations.filter(state="unreadable")
    [line] = [line for line in said("score", "my run").splitlines() if "unreadable claim" in line and "read " in line]
    number, command = line.split(" unreadable claims: ")
    assert int(number) == len(lost) > 0
    listed = said(*shlex.split(command)[1:], "--limit", "999")
    assert listed.count(", unreadable\n") == len(lost)
