"""What must work on systems other than the one it was written on."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import selfexec as sx
from extension_parts import needs
from selfexec.cli import make_printable, root
from selfexec.errors import InputError
from selfexec.extras import to_install
from selfexec.runs import Journal
from selfexec.text.printable import in_ascii

STORED = Path(__file__).parents[1] / "stored" / "grown"


def python(code: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, check=False)


@pytest.mark.slow
def test_a_stored_run_is_scored_where_there_is_none_of_the_modules_that_only_unix_has() -> None:
    done = python(
        "import asyncio, sys\n"  # on Unix the standard library wants some of them itself
        "sys.modules.update(dict.fromkeys(('fcntl', 'grp', 'pwd', 'resource', 'termios', 'tty')))\n"
        "import selfexec as sx\n"
        f"run = sx.load({str(STORED)!r})\n"
        "print(len(run.readings), len(list(sx.score(run))))\n"
        "import selfexec.runs.asking.carrying_out, selfexec.engines.sim.server\n"
        "import selfexec.engines.http.client, selfexec.cli.run\n"
        "from selfexec import cli\n"
        "for name in cli.root.commands_by_name: cli.root.get_command(None, name)\n"
    )
    assert done.returncode == 0, done.stderr
    readings, rows = map(int, done.stdout.split())
    assert readings and rows


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_a_process_writes_plain_signs_where_its_output_has_no_others(encoding: str) -> None:
    code = f"import sys; sys.argv = ['selfexec', 'score', {str(STORED)!r}]; from selfexec.cli import process; process()"
    whole, narrow = (python(code, PYTHONIOENCODING=name) for name in ("utf-8", encoding))
    assert narrow.returncode == 0, narrow.stderr
    assert not whole.stdout.isascii()  # dashes, a line under the head, daggers
    assert narrow.stdout == in_ascii(whole.stdout)


class Narrow(io.TextIOWrapper):
    """An output of some encoding, that is no terminal, as a process has it."""

    def __init__(self, encoding: str) -> None:
        self.bytes = io.BytesIO()
        super().__init__(self.bytes, encoding=encoding)
        make_printable(self)


READING = (
    "score",
    "read",
    pytest.param("card", marks=needs("card")),
    "compare",
    pytest.param("judge", marks=needs("judging")),
    "list",
    *(f"analyze {name}" for name in ("trend", "cross", "ladder", "correlate")),
    pytest.param("analyze ledger", marks=needs("published")),
)


@pytest.mark.parametrize("command", READING)
def test_every_command_that_reads_a_run_says_the_same_in_ascii(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "as it is")
    more = {"read": ["--show", "--limit", "3"], "judge": ["--judge", "rule"]}.get(command, [])
    folder = STORED.parent / "panel"
    printed = {}
    for encoding in ("utf-8", "ascii"):
        output = Narrow(encoding)
        monkeypatch.setattr("sys.stdout", output)
        root.main([*command.split(), str(folder), *more], standalone_mode=False)
        output.flush()
        printed[encoding] = output.bytes.getvalue().decode(encoding)
    assert printed["ascii"] == in_ascii(printed["utf-8"]) and printed["ascii"].strip()


@pytest.mark.parametrize("command", [[], *([name] for name in root.commands_by_name)])
def test_help_needs_ascii_alone(command: list[str]) -> None:
    assert CliRunner().invoke(root, [*command, "--help"]).output.isascii()


@pytest.mark.slow
def test_a_report_without_the_extra_has_every_format_that_takes_none_and_names_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pikepdf", None)
    way_out = to_install("figures")
    with pytest.warns(UserWarning, match="there is no pikepdf here") as told:
        sx.report(STORED, tmp_path / "page.html", figures=tmp_path / "figures")
    assert [way_out in str(one.message) for one in told] == [True]
    assert {path.suffix for path in (tmp_path / "figures").iterdir()} == {".svg", ".csv", ".tex"}
    assert (tmp_path / "page.html").stat().st_size > 0
    assert "pip install '.[figures]'" in (Path(__file__).parents[2] / "docs" / "figures.md").read_text("utf-8")


# --- one writer at a time --------------------------------------------------------------------------------------------


def hold(journal: Path, then: str) -> "subprocess.Popen[str]":
    """A process that holds a journal, says so, and does something then."""
    code = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom selfexec.runs.journal import Journal\n"
        f"with Journal(Path({str(journal)!r})):\n    print('held', flush=True)\n    {then}\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
    assert process.stdout and process.stdout.readline() == "held\n"
    return process


def test_a_second_process_that_would_write_to_a_run_is_refused_at_once(tmp_path: Path) -> None:
    journal = tmp_path / "replies.jsonl"
    with hold(journal, "sys.stdin.read()") as holder:
        with pytest.raises(InputError, match=r"another process is writing to this run\. Wait for it, or stop it"):
            Journal(journal)
        assert journal.read_bytes() == b""  # who reads is not kept waiting
        holder.communicate("")
    with Journal(journal):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["replies.jsonl"]


@pytest.mark.slow
def test_a_killed_process_leaves_no_lock_behind(tmp_path: Path) -> None:
    journal = tmp_path / "replies.jsonl"
    with hold(journal, "sys.stdin.read()") as holder:
        holder.kill()
        holder.wait()
    with Journal(journal):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["replies.jsonl"]


def test_a_journal_that_cannot_be_locked_or_written_is_told_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(InputError, match=r"folder\.jsonl: cannot be written \(Is a directory\)\. Nothing was asked\.$"):
        Journal(tmp_path / "folder.jsonl")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("selfexec.runs.journal.take_lock", full)
    with pytest.raises(InputError, match=r"cannot be written \(No space left on device\)\. Nothing was asked\.$"):
        Journal(tmp_path / "replies.jsonl")
