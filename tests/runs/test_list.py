"""`selfexec list`: which runs lie in a folder, and what each holds."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import selfexec as sx
from build import selfexec
from selfexec.runs import Run, list_runs

STORED = Path(__file__).parents[1] / "stored"
RUNS = ("panel", "two-epochs", "grown", "own-prompts", "served", "imported")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def missing_in_tables(run: Run) -> int:
    """Sessions that count as missing for scores, but for judges that a withheld or empty response makes needless."""
    idle = {
        (key.model, key.item, key.epoch)
        for key, reading in run.readings.items()
        if key.session == "execute" and (reading.state == "withheld" or reading.value == "empty")
    }
    lost = run.sessions.filter(run.sessions["state"] == "missing").select("model", "item", "epoch", "session").rows()
    return sum(not (session == "judge" and (model, item, epoch) in idle) for model, item, epoch, session in lost)


@pytest.mark.parametrize("name", RUNS)
def test_replies_and_what_is_missing_are_those_of_the_run_when_it_is_read_whole(name: str) -> None:
    run = sx.load(STORED / name)
    [listed] = list_runs(STORED / name)
    assert listed.replies == sum(not reply.failed for reply in run.replies.values())
    assert listed.missing == missing_in_tables(run)
    assert listed.items == {experiment: len(items) for experiment, items in run.items.items.items()}
    assert list(listed.models) == run.manifest.models


@pytest.mark.slow
def test_of_ten_recorded_models_as_many_are_missing_as_the_tables_say(ten_models: Run) -> None:
    [listed] = list_runs(ten_models.folder)
    assert listed.replies + sum(reply.failed for reply in ten_models.replies.values()) == len(ten_models.replies)
    assert listed.missing == missing_in_tables(ten_models)


def test_nothing_of_an_experiment_that_a_model_was_not_asked_is_missing_in_an_import(here: Path) -> None:
    run = sx.run(["sim/coin", "sim/typical"], limit=2, out="runs/whole")
    of = {"sim/coin": "association", "sim/typical": "restriction"}
    lines = (run.folder / "replies.jsonl").read_text("utf-8").splitlines(keepends=True)
    some = [line for line in lines if json.loads(line)["experiment"] == of[json.loads(line)["model"]]]
    (here / "some.jsonl").write_text("".join(some), "utf-8")
    sx.import_replies("some.jsonl", items=run.folder / "items", out="runs/some")
    [listed] = list_runs(Path("runs/some"))
    assert (listed.replies, listed.missing) == (len(some), 0)


def test_a_run_that_was_cut_off_misses_what_it_never_came_to(here: Path) -> None:
    sx.run(["sim/coin", "sim/typical"], limit=4, max_calls=7, out="runs/cut")
    [cut] = list_runs()
    # 2 models x 4 items x (2 + 3 + 5) sessions
    # a target and a request are asked whole, and for a group of questions the calls do not suffice
    assert (cut.replies, cut.missing) == (5, 80 - 5)
    sx.run(["sim/coin", "sim/typical"], limit=4, out="runs/cut")
    assert [(run.replies, run.missing) for run in list_runs()] == [(80, 0)]


def test_what_failed_is_missing_until_a_later_line_has_it(here: Path) -> None:
    sx.run(["sim/coin"], experiments="restriction", limit=1, out="runs/one")
    journal = here / "runs" / "one" / "replies.jsonl"
    execute = next(json.loads(line) for line in journal.read_text().splitlines() if '"session":"execute"' in line)
    with journal.open("a") as file:
        file.write(json.dumps(execute | {"text": None, "error": "timeout"}) + "\n")
    assert [(run.replies, run.missing) for run in list_runs()] == [(2, 1)]
    with journal.open("a") as file:
        # withheld: a reply, and where the judge were lost too it would not be missed
        file.write(json.dumps(execute | {"text": None, "refusal": "no"}) + "\n")
    assert [(run.replies, run.missing) for run in list_runs()] == [(3, 0)]


def test_folders_that_are_no_run_are_passed_over_and_damaged_runs_are_shown_with_the_reason(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("whole", "torn", "junk", "lost", "emptied", "strange"):
        shutil.copytree(STORED / "panel", here / "runs" / name)
    (here / "runs" / "notes").mkdir()
    (here / "runs" / "notes.txt").write_text("x")
    (here / "runs" / "dangling").symlink_to(here / "nowhere")
    with (here / "runs" / "torn" / "replies.jsonl").open("ab") as file:
        file.write(b'{"model": "m"')  # a process is writing: no fault
    (here / "runs" / "junk" / "manifest.json").write_bytes(b"\xff\xfe{\x00")
    (here / "runs" / "lost" / "manifest.json").unlink()
    shutil.rmtree(here / "runs" / "emptied" / "items")
    lines = (here / "runs" / "strange" / "replies.jsonl").read_bytes()
    (here / "runs" / "strange" / "replies.jsonl").write_bytes(lines.replace(b"starter-", b"other-"))
    found: dict[str, Any] = {run.folder.name: run.fault for run in list_runs()}
    assert found.keys() == {"whole", "torn", "junk", "lost", "emptied", "strange"}
    assert found["whole"] is found["torn"] is None
    assert "The manifest is damaged" in found["junk"]
    assert "there is no manifest.json" in found["lost"]
    assert "items" in found["emptied"]
    assert "has the id 'other-" in found["strange"]
    assert selfexec(monkeypatch, "list") == 0
    table = capsys.readouterr().out
    assert "damaged" in table and "whole" in table and "notes" not in table
    assert selfexec(monkeypatch, "list", "--format", "json") == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert {run["run"]: run["fault"] for run in runs} == found


def test_a_folder_without_runs_says_so_and_one_that_is_none_is_bad_input(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert selfexec(monkeypatch, "list") == 0
    assert "no runs here" in capsys.readouterr().out
    (here / "file").write_text("x")
    for place, message in (("nowhere", "nowhere: no such folder"), ("file", "file: this is a file")):
        assert selfexec(monkeypatch, "list", place) == 2
        said = capsys.readouterr()
        assert message in said.err and "Give `selfexec list` the folder" in said.err and said.err.count("\n") == 1


def test_names_do_nothing_to_a_terminal(here: Path) -> None:
    shutil.copytree(STORED / "imported", here / "runs" / "a\x1b[2Jb")
    manifest = here / "runs" / "a\x1b[2Jb" / "manifest.json"
    manifest.write_text(manifest.read_text().replace("lab/typical", "lab/\\u001b]0;x\\u0007"))
    table = list_runs().table()
    assert "\x1b" not in table and "\x07" not in table
    assert "a\\x1b[2Jb" in table and "lab/\\x1b]0;x\\x07" in table


def test_a_folder_of_runs_in_place_of_a_run_names_those_in_it(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "two"):
        shutil.copytree(STORED / "panel", here / "runs" / name)
    assert selfexec(monkeypatch, "score", "runs") == 2
    assert "It holds the runs runs/one, runs/two. Give one of them." in capsys.readouterr().err
    for number in range(12):
        shutil.copytree(STORED / "panel", here / "runs" / f"z{number:02}")
    assert selfexec(monkeypatch, "score", "runs") == 2
    assert "and 4 more (selfexec list runs). Give one of them." in capsys.readouterr().err
