"""A command in a terminal of its own, for the tests."""

import contextlib
import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
STYLE = re.compile(r"\x1b\[[0-9;]*m")  # bold, dim, and the end of them
OURS = ("COLUMNS", "FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE")  # what the terminal of whoever tests says of itself


def on_a_terminal(command: Sequence[str], folder: Path, columns: int = 80, **environment: str) -> str:
    """All that a command writes to a terminal of so many columns, control sequences included."""
    import fcntl  # not on Windows, where tests that need a terminal are skipped
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
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
    shown = b""
    with contextlib.suppress(OSError):  # how Linux says that the command has ended
        while piece := os.read(ours, 65536):
            shown += piece
    process.wait()
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")


def in_a_terminal(command: Sequence[str], folder: Path, columns: int = 80) -> list[str]:
    """The lines that a command leaves on a screen of so many columns; what was written over is gone."""
    lines = STYLE.sub("", on_a_terminal(command, folder, columns)).split("\n")
    return [CONTROL.split(line.rpartition("\r")[2])[-1].rstrip() for line in lines]
