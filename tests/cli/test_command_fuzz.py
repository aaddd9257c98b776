"""Whatever is typed ends with an exit status that is documented, and never in a traceback."""

import gc
import io
import re
import socket
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command_lines import command_lines, make_place
from selfexec.cli import main
from selfexec.engines.http.providers import PROVIDERS

STATUSES = {0, 2, 3, 4}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, from which nothing but this machine can be reached, and servers stop once they can be."""
    for provider in PROVIDERS.values():
        for key in provider.keys:
            monkeypatch.delenv(key, raising=False)
    make_place(tmp_path / "place")
    monkeypatch.chdir(tmp_path / "place")
    monkeypatch.setenv("SELFEXEC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("selfexec.engines.http.client.pause", lambda attempt: 0.0)
    monkeypatch.setattr("selfexec.engines.sim.server.serve", _served_once)
    monkeypatch.setattr(socket, "getaddrinfo", _only_here(socket.getaddrinfo))
    return tmp_path / "place"


def _only_here(real: Callable[..., Any]) -> Callable[..., Any]:
    def found(host: Any, *others: Any, **more: Any) -> Any:
        if host in (None, "127.0.0.1", "localhost", b"127.0.0.1"):
            return real(host, *others, **more)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    return found


async def _served_once(server: Any, host: str, port: int, announce: Callable[[str], None]) -> None:
    from aiohttp import web

    runner = web.AppRunner(server.app(), access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        announce(f"http://{host}:{runner.addresses[0][1]}/v1")
    finally:
        await runner.cleanup()


def ended(words: list[str], monkeypatch: pytest.MonkeyPatch) -> tuple[int | str, str]:
    """The exit status of a command line, or the traceback, and what it said on standard error."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", errors="replace") for _ in range(2))
    with monkeypatch.context() as patched:
        patched.setattr(sys, "argv", ["selfexec", *words])
        patched.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{}\n"), "utf-8"))
        patched.setattr(sys, "stdout", out)
        patched.setattr(sys, "stderr", err)
        status: int | str = "it came back"
        try:
            main()
        except SystemExit as end:
            status = int(end.code or 0)
        except BaseException:
            status = traceback.format_exc()
        finally:
            gc.enable()
        err.flush()
    return status, err.buffer.getvalue().decode()  # type: ignore[attr-defined]


def fault_of(words: list[str], monkeypatch: pytest.MonkeyPatch) -> str | None:
    """What is wrong with how a command line ended."""
    status, err = ended(words, monkeypatch)
    if status not in STATUSES:
        return f"ended in {status}"
    if "Traceback" in err:
        return err
    said = [line for line in err.splitlines() if not line.startswith("selfexec: warning: ")]
    if status == 2 and (len(said) != 1 or not _tells(said[0])):
        return f"exit 2 does not say in one line what is wrong and the way out: {said}"
    return None


def _tells(line: str) -> bool:
    """What is wrong, and then the way out: a sentence of its own, or what to write, or what there is."""
    message = line.removeprefix("selfexec: ")
    return message != line and bool(
        re.search(r"[.?!)] [A-Z`]|\b(write|give|must|there (is|are)|has|only|takes?|says what)\b", message)
    )


def faults(seed: int, count: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found = ((words, fault_of(words, monkeypatch)) for words in command_lines(seed, count))
    return [f"selfexec {' '.join(map(ascii, words))}\n    {fault}" for words, fault in found if fault]


@pytest.mark.parametrize(
    "count", [pytest.param(250, marks=pytest.mark.slow), pytest.param(1000, marks=pytest.mark.long)]
)
def test_generated_command_lines_end_as_they_should(place: Path, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    assert faults(2, count, monkeypatch) == []


def test_the_fuzz_sees_a_traceback_and_an_exit_without_a_way_out(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("selfexec.runs.list_runs", broken)
    assert "ZeroDivisionError" in str(fault_of(["list", "."], monkeypatch))
    assert not _tells("selfexec: it failed")
    assert _tells("selfexec: x.json: no such file. Check the path.")
