"""Where results go: in which form, whether they can, and that nothing in them does anything to a terminal."""

import csv
import json
import os
import pty
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import polars as pl
import pytest
from click.testing import CliRunner

import selfexec as sx
from build import rename_model, requests_run, write
from extension_parts import here, needs
from selfexec.cli import root
from selfexec.cli.analyze import command as analyze
from selfexec.cli.options import form_of, show
from selfexec.errors import InputError
from selfexec.files.outputs import OF_A_RUN, RESULTS, tried, tried_folder
from selfexec.text.printable import HARMFUL, harmless, harmless_styled

CARD = pytest.param("card run", marks=needs("card"))


def has_forms(name: str) -> bool:
    """Whether a command has --format with a table among its forms."""
    command: click.Command | None = root
    for word in name.split():
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), word)
    assert command is not None
    return any("table" in getattr(one.type, "choices", ()) for one in command.params if one.name == "form")


PRINTING = list(filter(has_forms, [*root.commands_by_name, *(f"analyze {name}" for name in analyze.commands_by_name)]))
ODD = "m\x00x\x1b[31mred\u202e\x9b2J"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("place")
    claims = [(n % 2 == 0, n % 3 == 0) for n in range(12)]
    requests_run(folder / "made", {"odd": claims, "other": claims})
    (folder / "made" / "run").rename(folder / "run")
    rename_model(folder / "run", "odd", ODD)
    return folder


@pytest.fixture(autouse=True)
def _here(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)


def test_results_of_all_these_commands_have_a_form() -> None:
    assert {
        "score",
        "compare",
        "read",
        "list",
        "check",
        *(f"analyze {name}" for name in analyze.commands_by_name),
    } <= set(PRINTING)


@pytest.mark.parametrize("name", PRINTING)
def test_an_ending_that_a_command_does_not_write_is_refused_before_anything_is_read(name: str) -> None:
    result = CliRunner().invoke(root, [*name.split(), "run", "-o", "out.xlsx"], standalone_mode=False)
    assert isinstance(result.exception, InputError | click.UsageError) and not Path("out.xlsx").exists()
    if name not in ("analyze rasch", "analyze correlate", "check"):
        assert "nothing is written as .xlsx here. End the name in .txt" in str(result.exception)


@pytest.mark.parametrize("ending", RESULTS)
def test_the_ending_decides_the_form_and_format_overrides_it(ending: str) -> None:
    forms = list(RESULTS.values())
    assert form_of(None, Path(f"a{ending}"), forms)[0] == RESULTS[ending]
    assert form_of(None, Path(f"a{ending.upper()}"), forms)[0] == RESULTS[ending]
    for given in forms:
        assert form_of(given, Path(f"a{ending}"), forms) == (given, Path(f"a{ending}"))
    assert form_of(None, None, forms) == form_of(None, Path("-"), forms) == ("table", None)
    assert form_of("csv", Path("a.unknown"), forms)[0] == "csv"


def test_scores_are_written_as_their_file_is_called() -> None:
    for name in ("s.csv", "s.json", "s.md", "s.txt"):
        assert CliRunner().invoke(root, ["score", "run", "-o", name], standalone_mode=False).exception is None
    assert {"model", "metric", "value"} <= set(next(csv.reader(Path("s.csv").read_text().splitlines())))
    assert json.loads(Path("s.json").read_text())["scores"]
    assert Path("s.md").read_text().count("| --- |") > 0 and "| --- |" not in Path("s.txt").read_text()


@pytest.mark.parametrize(
    ("command", "result"),
    [
        ("score run", lambda: sx.score("run")),
        ("score run --full", lambda: sx.score("run")),
        ("compare run", lambda: sx.compare("run")),
        ("analyze trend run", lambda: sx.trend("run")),
        ("analyze ladder run", lambda: sx.ladder("run")),
        pytest.param("analyze ledger run", lambda: sx.ledger("run"), marks=needs("published")),
    ],
)
def test_a_table_in_a_parquet_file_is_the_data_frame_of_its_result(command: str, result: Callable[[], Any]) -> None:
    words = [*command.split(), "-o", "t.parquet"]
    assert CliRunner().invoke(root, words, standalone_mode=False).exception is None
    assert pl.read_parquet("t.parquet").equals(result().frame())


def test_parquet_goes_into_a_pipe_and_is_refused_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = sx.score("run")
    words = [sys.executable, "-m", "selfexec", "score", "run", "--format", "parquet"]
    piped = subprocess.run(words, capture_output=True, check=True).stdout
    assert pl.read_parquet(piped).equals(scores.frame())
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    with pytest.raises(InputError, match=r"not for a terminal\. Write it to a file: -o NAME\.parquet"):
        show(scores, "parquet", None)


@pytest.mark.parametrize("command", ["analyze cross run", "score run --agreement"])
def test_what_is_no_table_of_rows_is_no_parquet_file(command: str) -> None:
    result = CliRunner().invoke(root, [*command.split(), "-o", "no.parquet"], standalone_mode=False)
    assert isinstance(result.exception, InputError) and "parquet" in str(result.exception)
    assert not Path("no.parquet").exists()


@pytest.mark.parametrize("command", ["score run", CARD, "report run", "list .", "export run --to panel"])
def test_a_dash_is_standard_output(command: str) -> None:
    result = CliRunner().invoke(root, [*shlex.split(command), "-o", "-"], standalone_mode=False)
    assert result.exception is None and result.output and not Path("-").exists()


@pytest.mark.parametrize("command", ["score run", CARD, "report run", "compare run", "export run --to panel"])
@pytest.mark.parametrize("out", ["nowhere/x", ".", "run/manifest.json/x", f"{'x' * 300}"])
def test_a_place_that_cannot_be_written_to_is_refused_before_anything_is_read(
    command: str, out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(*_: object) -> None:
        raise AssertionError("read before the place was tried")

    monkeypatch.setattr("selfexec.runs.run.read_without_shards", read)
    before = sorted(Path().rglob("*"))
    result = CliRunner().invoke(root, [*shlex.split(command), "-o", out], standalone_mode=False)
    assert isinstance(result.exception, InputError | OSError), result.exception
    assert sorted(Path().rglob("*")) == before


def test_nothing_takes_the_place_of_a_file_of_a_run() -> None:
    for name in OF_A_RUN:
        with pytest.raises(InputError, match="it is a file of a run"):
            tried(Path("run") / name)
    with pytest.raises(InputError, match="is a file"):
        tried_folder(Path("run/manifest.json/figures"))
    assert not tried_folder(Path("new/figures")).exists()


# --- terminals -------------------------------------------------------------------------------------------------------


def on_a_terminal(*words: str) -> str:
    """What a command shows on a terminal, both streams."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "selfexec", *words]
    process = subprocess.Popen(command, stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL)
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        shown += piece
    process.wait()
    os.close(ours)
    return shown.decode()


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        *("score run", "score run --format json", "score run --format csv", "read run", "read run --show"),
        *(
            "compare run",
            "list .",
            CARD,
            "analyze ladder run",
            "export run --to panel",
            "score run --model 'x\x1b[31m'",
        ),
    ],
)
def test_no_control_character_of_a_name_reaches_a_terminal(command: str) -> None:
    shown = on_a_terminal(*shlex.split(command))
    assert "\x1b[31m" not in shown and not {"\x00", "\u202e", "\x9b"} & set(shown)
    assert "x" in shown


def test_styles_of_ours_stay_and_all_else_is_written_out() -> None:
    assert harmless_styled("\x1b[1mbold\x1b[0m\x07\u202e") == "\x1b[1mbold\x1b[0m\\x07\\u202e"
    for first, last in HARMFUL:
        for code in {first, last} - {0x1B}:
            assert harmless_styled(chr(code)) == harmless(chr(code)) != chr(code)


@pytest.mark.parametrize("name", ["vllm/m\x1b[31m", "vllm/\u202em", "sim/coin\n", "vllm/a\x00b", "vllm/a\tb"])
def test_a_name_with_control_characters_is_not_asked(name: str) -> None:
    with pytest.raises(sx.InputError, match="stand in this name"):
        sx.run(name, limit=1, out="new", base_url="http://127.0.0.1:9/v1")
    assert not Path("new").exists()


# --- closed streams --------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("streams", [">&-", "2>&-", ">&- 2>&- <&-"])
@pytest.mark.parametrize("command", ["score run", "list .", "export run --to panel", "score nowhere", "--help"])
def test_a_closed_stream_is_no_fault(command: str, streams: str) -> None:
    line = f"exec {shlex.quote(sys.executable)} -m selfexec {command} {streams}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert done.returncode == (2 if "nowhere" in command else 0)
    assert "Traceback" not in done.stderr + done.stdout


# --- slips -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [None, 5, 2.5, True])
@pytest.mark.parametrize("function", [sx.score, sx.compare, *([sx.card] if here("card") else []), sx.ladder])
def test_what_is_no_run_is_refused_by_name(function: object, given: object) -> None:
    with pytest.raises(sx.InputError, match=f"expected a run, its folder, or a list of these, not {given!r}"):
        function(given)  # type: ignore[operator]


def test_a_set_of_prompts_is_printed_by_its_name() -> None:
    by_name = CliRunner().invoke(root, ["prompts", "de"], standalone_mode=False)
    assert by_name.exception is None
    assert by_name.output == CliRunner().invoke(root, ["prompts", "--set", "de"], standalone_mode=False).output


def test_sessions_without_a_reply_can_be_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # 3 requests, of which one has no session judged: its prediction and its execution alone came
    lines = [
        {"model": "m", "experiment": "restriction", "item": str(n), "session": session, "text": "A"}
        for n in range(3)
        for session in ("predict", "execute", "judge")
        if (n, session) != (1, "judge")
    ]
    (tmp_path / "items").mkdir()
    write(
        tmp_path / "items" / "restriction.jsonl",
        [{"id": str(n), "request": f"Say {n}", "label": "safe", "type": "x"} for n in range(3)],
    )
    write(tmp_path / "replies.jsonl", lines)
    sx.import_replies("replies.jsonl", items="items", out="run")
    shown = CliRunner().invoke(
        root, ["read", "run", "--session", "judge", "--state", "missing", "--show"], standalone_mode=False
    )
    assert shown.exception is None
    assert "m, restriction 1, judge, epoch 1: there is no reply" in shown.output
    assert "1 session has no reply at all." in shown.output


@pytest.mark.parametrize(
    ("epoch", "told"),
    [(0, "must be a whole number no less than 1"), (10_001, "must be a whole number no more than 10000")],
)
def test_a_number_out_of_bounds_is_told_in_words(epoch: int, told: str, tmp_path: Path) -> None:
    line = {"model": "m", "experiment": "restriction", "item": "1", "session": "predict", "text": "A", "epoch": epoch}
    write(tmp_path / "replies.jsonl", [line])
    with pytest.raises(sx.InputError, match=f"field 'epoch' {told}"):
        sx.import_replies(tmp_path / "replies.jsonl", items="starter", out=tmp_path / "run")
