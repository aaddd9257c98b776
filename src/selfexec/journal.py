"""The journal of a run: one line per reply, appended as it comes, so that a killed run loses only calls in flight."""

import fcntl
import os
from collections.abc import Mapping
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from selfexec import jsonl
from selfexec.errors import InputError
from selfexec.formats import BySession, Key, Reply


class Journal:
    """Appends replies to a file. Only one process at a time may hold it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._encode = msgspec.json.Encoder().encode
        self._file = _locked(path)
        _mend_tail(path, self._file)
        self._end = os.fstat(self._file.fileno()).st_size

    def append(self, reply: Reply) -> None:
        """Hand a reply to the operating system, a whole line at once."""
        line = left = self._encode(reply) + b"\n"
        try:
            # unbuffered, so that nothing is left to fail once more on closing; a write may take only a part
            while left:
                left = left[self._file.write(left) :]
            self._end += len(line)
        except OSError as fault:
            self._file.truncate(self._end)  # no half line, onto which a later one would be written
            raise InputError(
                f"{self.path}: a reply could not be written ({fault.strerror}). All before it is kept; "
                "make room and give the same command again."
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            os.fsync(self._file.fileno())
        finally:
            self._file.close()


def read_journal(path: Path) -> Mapping[Key, Reply]:
    """Replies by session. The last line per session counts; a last line that was never finished is passed over."""
    whole = jsonl.decode(path, Reply, torn_tail=True)
    return BySession((reply.key, reply) for _, reply in whole)


def _locked(path: Path) -> FileIO:
    file = path.open("ab", buffering=0)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise InputError(f"{path.parent}: another process is writing to this run. Wait for it, or stop it.") from None
    return file


def _mend_tail(path: Path, file: FileIO) -> None:
    """Cut off a last line that a killed process left unfinished."""
    content = path.read_bytes()
    if content and not content.endswith(b"\n"):
        file.truncate(content.rfind(b"\n") + 1)
