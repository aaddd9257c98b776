"""A command in a terminal of its own, for the tests."""

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from selfexec.cli import main

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
STYLE = re.compile(r"\x1b\[[0-9;]*m")  # bold, dim, and the end of them
OURS = ("COLUMNS", "FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE")  # what the terminal of whoever tests says of itself


def on_a_terminal(command: Sequence[str], folder: Path, columns: int = 80, **environment: str) -> str:
    """All that a command writes to a terminal of so many columns, control sequences included."""
    ours, theirs = _ends(columns)
    inherited = {name: value for name, value in os.environ.items() if name not in OURS}
    process = subprocess.Popen(
        list(command),
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=inherited | {"TERM": "xterm-256color"} | environment,
    )
    os.close(theirs)
    shown = _all_of(ours)
    process.wait()
    return shown


def ours_on_a_terminal(words: Sequence[str], folder: Path, columns: int = 80, **environment: str) -> str:
    """The same of a command of selfexec, in this process: what it imports is imported once for all tests."""
    ours, theirs = _ends(columns)
    kept = [os.dup(stream) for stream in range(3)]
    with ThreadPoolExecutor(1) as reader, pytest.MonkeyPatch.context() as patch:
        shown = reader.submit(_all_of, ours)
        patch.chdir(folder)
        for name in OURS:
            patch.delenv(name, raising=False)
        for name, value in ({"TERM": "xterm-256color"} | environment).items():
            patch.setenv(name, value)
        patch.setattr(sys, "argv", ["selfexec", *words])
        for stream in range(3):
            os.dup2(theirs, stream)
        os.close(theirs)
        streams = [open(stream, "rw"[stream > 0], encoding="utf-8", closefd=False) for stream in range(3)]  # noqa: SIM115
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        try:
            with contextlib.suppress(SystemExit):
                main()
        finally:
            for number, stream in enumerate(streams):
                stream.close()
                os.dup2(kept[number], number)
                os.close(kept[number])
        return shown.result()


def _ends(columns: int) -> tuple[int, int]:
    """Of a terminal so many columns wide our end, and that of the command."""
    import fcntl  # not on Windows, where tests that need a terminal are skipped
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    return ours, theirs


def _all_of(ours: int) -> str:
    """What is written to the other end until the command has ended."""
    shown = b""
    with contextlib.suppress(OSError):  # how Linux says that it has
        while piece := os.read(ours, 65536):
            shown += piece
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")


def in_a_terminal(command: Sequence[str], folder: Path, columns: int = 80) -> list[str]:
    """The lines that a command leaves on a screen of so many columns; what was written over is gone."""
    return left(on_a_terminal(command, folder, columns))


def left(shown: str) -> list[str]:
    """The lines that stay of what was written to a terminal."""
    lines = STYLE.sub("", shown).split("\n")
    return [CONTROL.split(line.rpartition("\r")[2])[-1].rstrip() for line in lines]
