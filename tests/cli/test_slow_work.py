"""A command that works for long without a word says what it does."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Timer
from threading import enumerate as enumerate_threads

import pytest

from selfexec.cli import root
from selfexec.cli.options import said_if_slow, say

STORED = Path(__file__).parents[1] / "stored"


def test_work_that_takes_long_says_what_it_is_and_work_that_does_not_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    told, said = [], Event()

    def say(what: str, *, err: bool) -> None:
        told.append((what, err))
        said.set()

    monkeypatch.setattr("selfexec.cli.options.say", say)
    monkeypatch.setattr("selfexec.cli.options.SILENT", 0.0)
    with said_if_slow("scoring"):
        assert said.wait(timeout=60)  # the work lasts until it is said
    monkeypatch.setattr("selfexec.cli.options.SILENT", 60.0)
    with pytest.raises(KeyError), said_if_slow("more of it"):
        raise KeyError
    for timer in (thread for thread in enumerate_threads() if isinstance(thread, Timer)):
        timer.join()  # it was told to end, also where the work fails
    assert told == [("scoring", True)]


@pytest.mark.parametrize("command", ["run", "score", "report"])
@pytest.mark.slow
def test_a_command_that_scores_says_so_on_standard_error_where_it_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    monkeypatch.chdir(tmp_path)

    @contextmanager
    def slow(what: str) -> Iterator[None]:
        say(what, err=True)
        yield

    monkeypatch.setattr(f"selfexec.cli.{command}.said_if_slow", slow)
    what = ["--limit", "2", "--model", "sim/coin"] if command == "run" else [str(STORED / "served")]
    root.main([command, *what], standalone_mode=False)
    told = capsys.readouterr()
    assert "scoring" in told.err and "scoring" not in told.out
