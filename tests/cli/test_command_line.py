"""The command line as a user meets it: output, exit status, and one line for what is wrong."""

import csv
import importlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.shell_completion import ShellComplete

import selfexec as sx
from build import selfexec
from extension_parts import needs
from selfexec.cli import root
from selfexec.renamed import ANALYSES
from selfexec.runs import list_runs
from terminal import OURS, STYLE, ours_on_a_terminal

UNIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
STORED = Path(__file__).parents[1] / "stored"
ITEM = '{"id": "1", "request": "How do I whisk an egg?", "label": "safe", "type": "plain"}\n'
LINE: dict[str, Any] = {"model": "m", "experiment": "restriction", "item": "1", "session": "predict", "text": "A"}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory with a folder of items."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "items").mkdir()
    (tmp_path / "items" / "restriction.jsonl").write_text(ITEM)
    return tmp_path


def line(**changed: Any) -> bytes:
    return json.dumps(LINE | changed).encode() + b"\n"


BAD_REPLIES: dict[str, tuple[bytes, str]] = {
    "half a line": (line() + b'{"model": "m", "exp', "replies.jsonl:2: the line is cut off"),
    "latin-1": (line(text="\u00e9").replace(b"\\u00e9", b"\xe9"), "replies.jsonl:1: not UTF-8"),
    "half a character in an unknown field": (
        line(note="!").replace(b"!", b"\xed\xa0\x80"),
        "replies.jsonl:1: not UTF-8",
    ),
    "half a character in an unknown name": (
        line(note=1).replace(b"note", b"\xed\xa0\x80"),
        "replies.jsonl:1: not UTF-8",
    ),
    "latin-1 in an unknown field": (line(note="!").replace(b"!", b"\xe9"), "replies.jsonl:1: not UTF-8"),
    "utf-16": ('{"model": "m"}'.encode("utf-16"), "replies.jsonl: the file is UTF-16. Save it as UTF-8."),
    "a list": (b"[1, 2]\n", "replies.jsonl:1: not a JSON object"),
    "no JSON": (b"model,item\n", "replies.jsonl: the file looks like CSV"),
    "broken JSON": (b'{"model": }\n', "replies.jsonl:1: not valid JSON"),
    "a number for a name": (line(model=1), "replies.jsonl:1: field 'model' must be text, not a whole number"),
    "an empty name": (line(model=""), "replies.jsonl:1: field 'model'"),
    "text for tokens": (line(output_tokens="7"), "field 'output_tokens' must be a whole number or null, not text"),
    "epoch 0": (line(epoch=0), "replies.jsonl:1: field 'epoch'"),
    "no text field": (b'{"model":"m","experiment":"restriction","item":"1","session":"predict"}', "lacks 'text'"),
    "a slip of the pen": (line(ouput_tokens=3), "unknown field 'ouput_tokens'. Did you mean 'output_tokens'?"),
    "a field twice": (line().replace(b'"item"', b'"text": "B", "item"'), "field 'text' occurs twice"),
    "a session twice": (
        line() + line(text="B"),
        "replies.jsonl:2: m, restriction 1, predict, epoch 1 was already given",
    ),
    "an unknown item": (line(item="999"), "no restriction item has the id '999'"),
    "an unknown experiment": (line(experiment="denial"), "unknown experiment 'denial'"),
    "no items for it": (line(experiment="difficulty"), "have none for difficulty"),
    "an unknown session": (line(session="predct"), "restriction has no session 'predct'"),
    "a deep nest": (line(x=0).replace(b"0}", b"[" * 100_000 + b"]" * 100_000 + b"}"), "nested too deeply"),
    "nothing": (b"", "there are no replies"),
}


@pytest.mark.parametrize(("content", "message"), BAD_REPLIES.values(), ids=BAD_REPLIES)
def test_bad_replies_get_one_line_that_names_the_thing_and_leave_nothing_behind(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], content: bytes, message: str
) -> None:
    (here / "replies.jsonl").write_bytes(content)
    assert selfexec(monkeypatch, "import", "replies.jsonl", "--items", "items", "--out", "run") == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert message in said.err
    assert said.err.count("\n") == 1
    assert sorted(path.name for path in here.iterdir()) == ["items", "replies.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "--limit", "0"], "--limit 0"),
        (["run", "--out", ""], "the name is empty. Is a variable not set?"),
        (["score", ""], "the name is empty. Is a variable not set?"),
        (["run", "--frame", "selfie"], "selfexec: frame selfie: there is no such level. There are self, "),
        (["run", "--strategy", "own-history:0"], "own-history:K, history-of:MODEL. K is 1 to 99."),
        (["run", "--limit", "-1"], "--limit -1"),
        (["run", "--fraction", "1.5"], "--fraction 1.5"),
        (["run", "--epochs", "0"], "--epochs 0"),
        (["run", "--experiment", "denial"], "unknown experiment 'denial'"),
        (["run", "--model", "openai/gpt-4.1"], "model 'openai/gpt-4.1': no API key found. Set OPENAI_API_KEY"),
        (["run", "--model", "nobody/model"], "unknown provider 'nobody'"),
        (["run", "--model", "gpt-4.1"], "write it as provider/model"),
        (["run", "--model", "knows-itself"], "it is written as provider/model. Did you mean 'sim/knows-itself'?"),
        (["run", "--model", "sim/tipical"], "unknown simulated model. Did you mean 'sim/typical'?"),
        (["run", "--model", "opena/gpt-6-luna"], "unknown provider 'opena'. Did you mean 'openai'?"),
        pytest.param(
            ["run", "--model", "loca/x"], "unknown provider 'loca'. Did you mean 'local'?", marks=needs("local")
        ),
        (["run", "--experiment", "asociation"], "unknown experiment 'asociation'. Did you mean 'association'?"),
        (["run", "--model", "openai/x", "--api-key-env", "NOPE_1"], "--api-key-env NOPE_1: no variable of this name"),
        (["run", "--model", "openai/x", "--api-key-env", "gsk_ABCDEF12"], "--api-key-env: no variable of this name"),
        (["run", "--model", "x/y", "--base-url", "localhost:8000"], "it must begin with http://"),
        (["run", "--set", "temperature"], "write it as NAME=VALUE"),
        (["run", "--extra-body", "[1]"], "it must be a JSON object"),
        (["serve", "--fault", "429=0.1"], "--fault is gone: `selfexec serve` no longer fails on purpose. --rate turns"),
        (["run", "--model", "sim/nobody"], "unknown simulated model"),
        (["run", "--model", "sim/coin@x"], "the seed behind @"),
        (["run", "--items", "nowhere"], "items 'nowhere': neither a set"),
        (["run", "a/b", "c/d"], "A model is named by --model: selfexec run --model a/b,c/d"),
        (["run", "--model", "a/b", "c/d"], "'c/d' belongs to no option. Is it a model? Repeat the option"),
        (["run", "--prompts", "nowhere.json"], "nowhere.json: no such file"),
        (["score", "nowhere"], "nowhere: no run found"),
        (["score", "nowhere", "--convention", "lenient"], "'lenient' is not one of"),
        (["score", "nowhere", "--modle", "m"], "No such option '--modle'. Did you mean --model? See: "),
        # of --model and --help the two dashes are alike, and no more
        (["analyze", "cross", "nowhere", "--model", "m"], "No such option '--model'. It is an option of run, score"),
        # another command has it, which says more than that a name here is spelt alike
        (
            ["compare", "a", "b", "--panel", "paper"],
            "No such option '--panel'. It is an option of score, report and vi",
        ),
        (["read", "nowhere"], "nowhere: no run found"),
        (["items", "check", "nowhere"], "nowhere: no such folder"),
        (["frobnicate"], "No such command 'frobnicate'"),
        (["import", "nowhere.jsonl", "--items", "items", "--out", "run"], "nowhere.jsonl: no such file"),
    ],
)
def test_bad_input_gets_one_line_and_status_2(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert selfexec(monkeypatch, *arguments) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert said.err.count("\n") == 1
    assert [path.name for path in here.iterdir()] == ["items"]


def test_a_reply_of_a_run_that_fits_no_item_is_named_by_its_line(
    two_models: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = two_models / "run" / "replies.jsonl"
    journal.write_bytes(b"\n" + line() + line(item="2") + line(item="2", text="B") + b'{"model": "m", "item"')
    capsys.readouterr()
    for command in (["score"], ["analyze", "correlate"]):
        assert selfexec(monkeypatch, *command, "run") == 2
        # the last line of a session is the one that counts
        assert "replies.jsonl:4: no restriction item has the id '2'." in capsys.readouterr().err


def test_an_import_counts_replies_and_what_is_missing_as_list_does(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import selfexec as sx

    failed = line(session="execute", text=None, error="503")
    (here / "replies.jsonl").write_bytes(line() + failed)
    assert selfexec(monkeypatch, "import", "replies.jsonl", "--items", "items", "--out", "my run") == 0
    [there] = list_runs(here / "my run")
    told = f"my run: imported (1 reply, {there.missing} sessions missing, 1 model). Next: selfexec export 'my run' >"
    said = capsys.readouterr().out
    assert there.missing > 1 and told in said and said.endswith("selfexec score 'my run'\n")
    assert "1 reply, 1 missing" in repr(sx.load(here / "my run"))


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["card", "run", "-o", "nowhere/card.md"], marks=needs("card")),
        pytest.param(["card", "run", "-o", "items"], marks=needs("card")),
        ["report", "run", "-o", "items"],
        ["report", "run", "-o", "nowhere/report.html"],
        ["import", "replies.jsonl", "--items", "items", "--out", "replies.jsonl/run"],
    ],
)
def test_a_place_that_cannot_be_written_to_is_refused_and_nothing_is_said_to_be_kept(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    (here / "replies.jsonl").write_bytes(line())
    assert selfexec(monkeypatch, "import", "replies.jsonl", "--items", "items", "--out", "run") == 0
    before = sorted(here.rglob("*"))
    capsys.readouterr()
    assert selfexec(monkeypatch, *command) == 2
    # what takes long on a slow machine says so first
    (said,) = (line for line in capsys.readouterr().err.splitlines() if not line.endswith(" ..."))
    assert said.startswith(f"selfexec: {command[-1]}: cannot be written (")
    assert said.endswith(("). Give another file.", "). Nothing was kept."))
    assert sorted(here.rglob("*")) == before


def test_a_fault_of_the_system_that_nobody_foresaw_is_told_as_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for fault, message in (
        (OSError(28, "No space left on device"), "No space left on device."),
        (PermissionError(13, "Permission denied", "x.json"), "x.json: Permission denied."),
        (TimeoutError("timed out"), "timed out."),
    ):

        def fail(*_: Any, fault: OSError = fault, **__: Any) -> None:
            raise fault

        monkeypatch.setattr(root, "main", fail)
        assert selfexec(monkeypatch, "score", "run") == 2
        assert capsys.readouterr().err == f"selfexec: {message}\n"


def test_an_output_folder_of_another_run_is_refused_and_left_as_it_was(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "replies.jsonl").write_bytes(line())
    command = ["import", "replies.jsonl", "--items", "items", "--out", "run"]
    asked = ["run", "--model", "sim/coin", "--items", "items", "--out"]
    assert selfexec(monkeypatch, *command) == 0
    assert selfexec(monkeypatch, *asked, "asked") == 0
    before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    assert selfexec(monkeypatch, *command[:-1], "asked") == 2
    assert selfexec(monkeypatch, *asked, "run") == 2
    assert selfexec(monkeypatch, "run", "--out", "items") == 2
    assert "holds another run already" in capsys.readouterr().err
    assert before == {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}


def test_an_unknown_model_or_experiment_is_named(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "replies.jsonl").write_bytes(line())
    selfexec(monkeypatch, "import", "replies.jsonl", "--items", "items", "--out", "run")
    assert selfexec(monkeypatch, "score", "run", "--model", "n") == 2
    assert "unknown model 'n'. There are m." in capsys.readouterr().err
    assert selfexec(monkeypatch, "score", "run", "--experiment", "n") == 2
    assert selfexec(monkeypatch, "score", "run", "run") == 2


def test_unknown_fields_are_ignored_with_a_warning(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["harness", "cost", "place", "queue"]
    (here / "replies.jsonl").write_bytes(line(**{name: {"usd": 0.1} for name in names}))
    assert selfexec(monkeypatch, "import", "replies.jsonl", "--items", "items", "--out", "run") == 0
    said = capsys.readouterr().err
    # in the order of the line, whatever order a set of them would have today
    assert re.findall(r"ignored the unknown field '(\w+)'", said) == names


def test_a_failed_line_gives_way_to_one_that_came_back(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failed = line(text=None, error="timeout")
    (here / "replies.jsonl").write_bytes(failed + line(text='{"choice": "B"}') + failed + b"\n\n")
    assert selfexec(monkeypatch, "import", "replies.jsonl", "--items", "items", "--out", "run") == 0
    capsys.readouterr()
    assert selfexec(monkeypatch, "read", "run", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["value"] == "B"


def test_readings_can_be_corrected_by_hand_and_given_back(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    lines = [line(text="hm"), line(session="execute", text="Whisk it."), line(session="judge", text='{"choice": "A"}')]
    (here / "replies.jsonl").write_bytes(b"".join(lines))
    selfexec(monkeypatch, "import", "replies.jsonl", "--items", "items", "--out", "run")
    capfdbinary.readouterr()
    selfexec(monkeypatch, "read", "run", "--format", "json")
    readings = [json.loads(text) for text in capfdbinary.readouterr().out.splitlines()]
    assert [(r["session"], r["state"], r["value"]) for r in readings] == [
        ("predict", "unreadable", None),
        ("execute", "kept", "answer"),
        ("judge", "read", "A"),
    ]
    readings[0]["value"] = "a"
    (here / "mine.jsonl").write_text("".join(json.dumps(r) + "\n" for r in readings))
    arguments = ["score", "run", "--readings", "mine.jsonl", "--format", "json"]
    assert selfexec(monkeypatch, *arguments) == 0
    scores = json.loads(capfdbinary.readouterr().out)["scores"]
    accuracy = next(s for s in scores if (s["experiment"], s["metric"]) == ("restriction", "accuracy"))
    assert accuracy["value"] == 1.0


@pytest.fixture
def two_models(here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A run of the models m and n, and a folder of readings with a file for each."""
    (here / "replies.jsonl").write_bytes(line() + line(model="n"))
    selfexec(monkeypatch, "import", "replies.jsonl", "--items", "items", "--out", "run")
    (here / "readings").mkdir()
    (here / "empty").mkdir()
    for name in ("m", "n"):
        text = json.dumps(LINE | {"model": name, "value": "B"})
        (here / "readings" / f"{name}.jsonl").write_text(text)
    capsys.readouterr()
    return here


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "--readings", "readings"],
        ["--readings", "readings/m.jsonl", "--readings", "readings/n.jsonl", "run"],
        ["--model", "m,n", "run"],
        ["--model", "m", "run", "--model", "n"],
        ["--model", "m , n", "--experiment", "restriction,overall", "run"],
    ],
)
def test_an_option_takes_one_value_and_is_given_again_before_or_behind_the_folder(
    two_models: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert selfexec(monkeypatch, "score", *arguments, "--format", "json") == 0
    assert {row["model"] for row in json.loads(capsys.readouterr().out)["scores"]} == {"m", "n"}


@pytest.mark.parametrize(
    ("arguments", "way_out"),
    [
        ("score --model m n run", "'n' is not a run's folder. Is it a model? Repeat the option, or write a,b: "),
        ("score --model m n run", "--model m --model n, or --model m,n"),
        ("score run --model m n", "Is it a model?"),
        ("score run --model m nobody", "An option takes one value. Repeat the option"),
        ("score --experiment association restriction run", "--experiment association,restriction"),
        ("compare --metric skill accuracy run", "--metric skill,accuracy"),
        (
            "score --readings readings/m.jsonl readings/n.jsonl run",
            "--readings readings/m.jsonl --readings readings/n.jsonl",
        ),
        ("score replies.jsonl", "'replies.jsonl' is not a run's folder. It is a file."),
        ("score --readings run run", "--readings run: this is a run, no readings."),
        ("score --readings empty run", "--readings empty: this folder has no *.jsonl."),
        ("score --format json", "which run? Give its folder to `selfexec score`"),
        ("score run --model m,,n", "a name in it is empty"),
        pytest.param(
            "analyze rasch --add a.csv b.csv paper",
            "An option takes one value: repeat --add for each.",
            marks=needs("rasch"),
        ),
        ("run --model sim/coin sim/typical", "--model sim/coin --model sim/typical, or --model sim/coin,sim/typical"),
        ("run --experiment association restriction", "--experiment association,restriction"),
        ("run sim/coin", "A model is named by --model: selfexec run --model sim/coin"),
    ],
)
def test_several_values_behind_one_option_are_refused_with_the_way_out(
    two_models: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: str,
    way_out: str,
) -> None:
    assert selfexec(monkeypatch, *arguments.split()) == 2
    said = capsys.readouterr().err
    assert way_out in said
    assert said.count("\n") == 1


def test_a_model_with_a_comma_in_its_name_is_one(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "replies.jsonl").write_bytes(line(model="a,b") + line(model="c"))
    selfexec(monkeypatch, "import", "replies.jsonl", "--items", "items", "--out", "run")
    capsys.readouterr()
    for arguments in (["--model", "a,b", "run"], ["run", "--model", "a,b"]):
        assert selfexec(monkeypatch, "score", *arguments, "--format", "json") == 0
        assert {row["model"] for row in json.loads(capsys.readouterr().out)["scores"]} == {"a,b"}


def test_scores_have_the_agreed_fields_as_json_and_csv(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    selfexec(monkeypatch, "run", "--model", "sim/coin", "--limit", "20", "--out", "run")
    capsys.readouterr()
    selfexec(monkeypatch, "score", "run", "--format", "json")
    scores = json.loads(capsys.readouterr().out)["scores"]
    counts = ["items", "claims", "unreadable", "missing"]
    fields = ["model", "experiment", "metric", "value", "low", "high", *counts, "convention", "reason", "preset"]
    fields += ["worst", "best", "baseline", "models", "source", "condition", "verdict", "panel"]
    assert all(list(row) == fields for row in scores)
    assert {row["experiment"] for row in scores} == {"association", "restriction", "difficulty", "overall"}
    selfexec(monkeypatch, "score", "run", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == len(scores)
    assert float(rows[0]["value"]) == scores[0]["value"]


@pytest.mark.slow
def test_of_a_part_of_the_scores_the_answer_is_about_that_part(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    models = [f"sim/{name}" for name in ("knows-itself", "typical", "coin", "says-yes", "typical@2", "coin@2")]
    selfexec(monkeypatch, "run", "--model", ",".join(models), "--out", "run")

    def answer(*arguments: str) -> list[str]:
        capsys.readouterr()
        assert selfexec(monkeypatch, "score", "run", *arguments) == 0
        return capsys.readouterr().out.split("\n\n")[0].splitlines()[1:]

    # another model has no full score only because it was not asked for
    three = answer("--model", "sim/knows-itself")
    assert [line.split(":")[0] for line in three[:3]] == ["association", "restriction", "difficulty"]
    assert "sim/knows-itself overestimates how often it would list a word" in three[0]
    one, two, *_ = answer("--experiment", "association,difficulty")
    assert one.startswith("association  how often: ") and two.startswith("difficulty   which: ")
    overall = answer("--experiment", "overall")
    assert (
        "Mean margin over the experiments (it reflects both how often models say yes and what "
        "they say yes to): sim/knows-itself is ahead of the baseline" in overall[1]
    )
    selfexec(monkeypatch, "run", "--experiment", "association", "--limit", "60", "--out", "part")
    assert "association  " in capsys.readouterr().out.split("Did the model")[1].splitlines()[1]


@pytest.mark.parametrize(("arguments", "shown"), [(["analyze"], "analyze trend"), (["items"], "items new mine")])
def test_a_group_alone_prints_its_help(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], shown: str
) -> None:
    assert selfexec(monkeypatch, *arguments) == 0
    said = capsys.readouterr()
    assert said.err == "" and said.out.startswith("Usage: ") and shown in said.out


def test_every_option_of_run_stands_under_a_heading_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert selfexec(monkeypatch, "run", "--help-all") == 0
    said = capsys.readouterr().out
    headings = ["Which models:", "Which items:", "How much:", "What is sent:", "Where it goes:", "Other:"]
    places = [said.index(f"\n{heading}\n") for heading in headings]
    assert places == sorted(places)
    for option in ("--model", "--preset", "--epochs", "--set", "--out", "--help"):
        assert len(re.findall(rf"^  (?:-\w, )?{option}(?![\w-])", said, flags=re.MULTILINE)) == 1
    other = said[places[-1] :].split()
    assert other[:3] == ["Other:", "-q,", "--quiet"] and other[-7:-5] == ["-h,", "--help"]


def test_the_help_of_run_has_three_groups_of_options_and_says_how_many_more_there_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def options(text: str) -> set[str]:
        return set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", text, flags=re.MULTILINE)) - {"--help"}

    assert selfexec(monkeypatch, "run", "--help") == 0
    first = capsys.readouterr().out
    assert selfexec(monkeypatch, "run", "--help-all") == 0
    whole = capsys.readouterr().out
    headings = ["Which models:", "What they are asked:", "Limits and output:"]
    assert re.findall(r"^\w[^\n]*:$", first, flags=re.MULTILINE) == headings
    assert options(first) < options(whole) and {"--model", "--dry-run", "--out"} <= options(first)
    more = len(options(whole) - options(first))
    assert first.splitlines()[-1] == f"{more} more options: selfexec run --help-all"


def test_selfexec_alone_names_the_commands_and_says_how_to_see_what_they_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert selfexec(monkeypatch) == 0
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert said.err == "" and len(lines) <= 15 and max(map(len, lines)) <= 80
    assert lines[0] == "Can a language model predict what it will do?"
    assert {*re.findall(r"[a-z]+", said.out)} >= root.commands_by_name.keys() - {"merge"}


@pytest.mark.parametrize(
    ("words", "begun", "found", "not_found"),
    [
        ("run --model", "sim/ty", {"sim/typical"}, {"openai/"}),
        ("run --model", "open", {"openai/", "openrouter/"}, {"sim/typical"}),
        ("check", "sim/co", {"sim/coin"}, set()),
        ("score run --model", "", {"m", "n"}, {"sim/typical"}),
        ("compare run --model", "m,", {"m,n"}, {"n"}),
        ("read run --experiment", "r", {"restriction"}, {"association"}),
        ("score run --experiment", "association,o", {"association,overall"}, set()),
        ("run --items", "p", {"paper"}, {"starter"}),
        ("items check", "", {"starter", "paper"}, set()),
        ("", "sc", {"score"}, {"run"}),
    ],
)
def test_a_shell_completes_what_is_known(
    two_models: Path, words: str, begun: str, found: set[str], not_found: set[str]
) -> None:
    items = ShellComplete(root, {}, "selfexec", "_SELFEXEC_COMPLETE").get_completions(words.split(), begun)
    values = {item.value for item in items}
    assert found <= values and not not_found & values


def test_the_old_name_of_out_is_refused_with_the_new_one(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    selfexec(monkeypatch, "run", "--model", "sim/coin", "--limit", "2", "--out", "run")
    capsys.readouterr()
    assert selfexec(monkeypatch, "report", "run", "--output", "old.html") == 2
    assert "--output is called --out now" in capsys.readouterr().err
    assert not (here / "old.html").exists()


@pytest.mark.parametrize("name", ANALYSES)
def test_an_analysis_by_its_old_name_is_refused_with_the_new_one(
    name: str, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert selfexec(monkeypatch, name, "run", "--format", "json") == 2
    assert capsys.readouterr().err == f"selfexec: `selfexec {name}` is `selfexec analyze {name}` now.\n"


def test_a_result_is_written_where_out_says(
    two_models: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    forms = (("score", "json"), ("read", "json"), ("analyze ladder", "csv"), ("list", "table"), ("read", "table"))
    for command, form in forms:
        words = [*command.split(), "." if command == "list" else "run", "--format", form]
        assert selfexec(monkeypatch, *words) == 0
        printed = capsys.readouterr().out
        assert selfexec(monkeypatch, *words, "-o", "found") == 0
        assert capsys.readouterr().out == "found: written.\n"
        written = (two_models / "found").read_text("utf-8")
        (two_models / "found").unlink()
        assert written == printed or printed.startswith(written)


@pytest.mark.slow
def test_experiments_that_were_left_out_leave_no_overall_row_and_no_reason(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    selfexec(monkeypatch, "run", "--experiment", "association", "--limit", "30", "--out", "run")
    said = capsys.readouterr().out
    assert "was not run" not in said and not re.search(r"^ *overall", said, flags=re.MULTILINE)
    assert said.splitlines()[1] == "association: which words they will list."
    assert said.splitlines()[-1] == "Next: selfexec view run; selfexec explain"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["serve", "--port", "99999"], "'--port'"),
        (["serve", "--latency", "-1"], "--latency -1: give a number of seconds, 0 or more."),
        (["serve", "--rate", "nan"], "--rate nan"),
        (["serve", "--host", "999.1.1.1"], "--host 999.1.1.1: no address of this machine"),
        (["score", "run", "--seed", "3"], "--seed 3: nothing is drawn without --bootstrap."),
        (["check", "mistral/x"], ".env: not UTF-8."),
        (["report", "run", "--groups", "groups.csv"], "--groups groups.csv: it names none of these models: m, n."),
        (["scor", "run"], "No such command 'scor'. Did you mean score"),
        (["items", "lst"], "No such command 'lst'. Did you mean list?"),
    ],
)
def test_what_was_a_traceback_or_ignored_is_refused(
    two_models: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    (two_models / ".env").write_bytes("MISTRAL_API_KEY=abc\n".encode("utf-16"))
    (two_models / "groups.csv").write_text("model,family\nsomebody,else\n")
    assert selfexec(monkeypatch, *arguments) == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1


def test_only_a_run_says_that_what_was_done_is_kept(
    two_models: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("selfexec.runs.asking.carry_out", stop)
    monkeypatch.setattr(sys.modules["selfexec.report.writing"], "report", stop)
    assert selfexec(monkeypatch, "run", "--limit", "2") == 130
    assert "the same command continues" in capsys.readouterr().err
    assert selfexec(monkeypatch, "report", "run") == 130
    assert capsys.readouterr().err.strip() == "selfexec: stopped."


def test_without_a_model_it_says_plainly_that_the_panel_is_simulated(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert selfexec(monkeypatch, "run", "--experiment", "restriction", "--limit", "2") == 0
    assert "no language model is asked" in capsys.readouterr().out


def test_a_dry_run_asks_and_writes_nothing(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert selfexec(monkeypatch, "run", "--dry-run", "--limit", "5") == 0
    # 12 models x (5 x 2 + 5 x 3 + 5 x 5)
    assert "600 sessions" in capsys.readouterr().out
    assert not (here / "runs").exists()


@UNIX
@pytest.mark.parametrize(
    "command", ["run --limit 12 --out run", "score panel", "check sim/coin", "list .", "score no\tne"]
)
@pytest.mark.slow
def test_on_a_terminal_of_80_columns_every_line_fits(tmp_path: Path, command: str) -> None:
    shutil.copytree(STORED / "panel", tmp_path / "panel")
    shown = ours_on_a_terminal(command.split(" "), tmp_path)
    lines = [line for line in STYLE.sub("", shown).splitlines() if "\x1b" not in line]  # but for the progress bar
    assert len(lines) > 1
    assert [line for line in lines if len(line) > 80] == []
    assert [line for line in lines if re.search(r"\[-?\.\d[^\]]*$", line)] == []  # an interval that is broken


SCORE = ["score", str(STORED / "panel")]


@pytest.mark.slow
def test_score_sorts_models_in_each_form_of_its_result(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def sorted_by(name: str, form: str) -> str:
        capsys.readouterr()
        words = ("--experiment", "association", "--sort", name, "--format", form)
        assert selfexec(monkeypatch, "score", str(STORED / "panel"), *words) == 0
        return capsys.readouterr().out

    orders = {}
    for name in ("model", "skill", "baseline_margin", "margin_at_own_rate"):
        rows = json.loads(sorted_by(name, "json"))["scores"]
        orders[name] = list(dict.fromkeys(row["model"] for row in rows))
        values = [row["value"] for row in rows if row["metric"] == name and row["value"] is not None]
        assert values == sorted(values, reverse=True)
    assert orders["model"] == sorted(orders["model"]) != orders["skill"]
    shown = re.findall(r"^ ?(sim/[\w-]+) ", sorted_by("skill", "table"), flags=re.MULTILINE)
    in_csv = [row["model"] for row in csv.DictReader(io.StringIO(sorted_by("skill", "csv")))]
    assert shown == orders["skill"] == list(dict.fromkeys(in_csv))
    assert selfexec(monkeypatch, "score", str(STORED / "panel"), "--sort", "skil") == 2


@UNIX
@pytest.mark.parametrize("columns", [80, pytest.param(120, marks=pytest.mark.slow)])
@pytest.mark.slow
def test_on_a_terminal_names_are_bold_and_intervals_dim_and_no_character_of_the_table_is_another(
    tmp_path: Path, columns: int
) -> None:
    full = [*SCORE, "--full"]
    shown = ours_on_a_terminal(full, tmp_path, columns)
    plain = ours_on_a_terminal(full, tmp_path, columns, NO_COLOR="1")
    assert "\x1b" not in plain
    assert "\x1b[1msim/coin\x1b[0m\n" in shown
    if columns > 80:  # where an interval is not broken between its ends
        assert re.search(r"\x1b\[2m\[\.\d{3}, \.\d{3}\]\x1b\[0m", shown)
    assert [line.rstrip() for line in STYLE.sub("", shown).splitlines()] == plain.splitlines()


@UNIX
@pytest.mark.parametrize(
    ("environment", "styled"),
    [({"TERM": "dumb"}, False), ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False), ({"NO_COLOR": ""}, True)],
)
def test_a_terminal_gets_styles_unless_it_knows_none_or_they_are_not_wanted(
    tmp_path: Path, environment: dict[str, str], styled: bool
) -> None:
    assert ("\x1b" in ours_on_a_terminal(["list", str(STORED)], tmp_path, **environment)) == styled


@pytest.mark.slow
@pytest.mark.parametrize("command", ["list", "score", "compare", "read", "analyze cross"])
def test_a_pipe_gets_plain_text_and_styles_only_by_force(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    what = str(STORED if command == "list" else STORED / "panel")
    for name in OURS:
        monkeypatch.delenv(name, raising=False)
    piped = subprocess.run([sys.executable, "-m", "selfexec", *command.split(), what], capture_output=True, check=True)
    plain = piped.stdout.decode()
    assert "\x1b" not in plain

    def captured(**environment: str) -> str:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        assert selfexec(monkeypatch, *command.split(), what) == 0
        return capsys.readouterr().out

    forced = captured(FORCE_COLOR="1")
    assert "\x1b[1m" in forced and STYLE.sub("", forced) == plain
    assert captured(NO_COLOR="1") == plain


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['selfexec', '--help']\n"
        "from selfexec.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'polars', 'scipy', 'rich', 'msgspec'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_results_print_well_in_python_and_notebooks(here: Path) -> None:
    from selfexec.runs.asking import run

    found = run(["sim/coin"], limit=20, out="run")
    assert "sim/coin" in repr(sx.score(found))
    assert "<table>" in sx.score(found)._repr_html_()
    assert "sim/coin, items 20 association" in repr(found)


def test_a_public_name_stays_a_function_when_the_package_of_its_name_is_imported() -> None:
    modules = {path.stem for path in Path(sx.__file__).parent.iterdir()}
    taken = modules & set(dir(sx))
    for name in taken:
        importlib.import_module(f"selfexec.{name}")
    assert taken == {"report"}
    assert callable(sx.report)


def test_a_reader_that_has_had_enough_is_no_fault(tmp_path: Path) -> None:
    here, there = os.pipe()
    os.close(here)  # nobody reads
    done = subprocess.run(
        [sys.executable, "-m", "selfexec", "--help"], stdout=there, stderr=subprocess.PIPE, check=False
    )
    os.close(there)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_run_goes_on_when_the_reader_of_its_lines_has_had_enough(tmp_path: Path) -> None:
    here, there = os.pipe()
    os.close(here)  # nobody reads, as after the last line of `| head`
    command = [sys.executable, "-m", "selfexec", "run", "--model", "sim/coin", "--limit", "2", "--out", "run"]
    done = subprocess.run(command, stdout=there, stderr=subprocess.PIPE, check=False, cwd=tmp_path)
    # two items: 2 sessions of a target, 3 of a request, 5 of a group
    assert (done.returncode, len((tmp_path / "run" / "replies.jsonl").read_text().splitlines())) == (0, 20)
    capped = [*command[:-1], "capped", "--max-calls", "5"]
    stopped = subprocess.run(capped, stdout=there, stderr=subprocess.PIPE, check=False, cwd=tmp_path)
    os.close(there)
    assert stopped.returncode == 3 and b"replies are missing" in stopped.stderr
