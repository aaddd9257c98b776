"""A command in a terminal of its own, for the tests."""

import fcntl
import os
import pty
import re
import struct
import termios
from collections.abc import Sequence
from pathlib import Path

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def in_a_terminal(command: Sequence[str], folder: Path, columns: int = 80) -> list[str]:
    """The lines that a command leaves on a screen of so many columns; what was written over is gone."""
    pid, screen = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ.pop("COLUMNS", None)
        os.execvp(command[0], list(command))
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    parts = []
    try:
        while part := os.read(screen, 65536):
            parts.append(part)
    except OSError:
        pass  # how Linux says that the command has ended
    os.waitpid(pid, 0)
    os.close(screen)
    lines = b"".join(parts).decode().replace("\r\n", "\n").split("\n")
    return [CONTROL.split(line.rpartition("\r")[2])[-1].rstrip() for line in lines]
