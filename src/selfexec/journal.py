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
        self._pending: list[bytes] = []
        self._file = _locked(path)
        _mend_tail(path, self._file)
        self._end = os.fstat(self._file.fileno()).st_size

    def append(self, reply: Reply) -> None:
        """Add a reply. It is handed over once `flush` is called."""
        self._pending.append(self._encode(reply) + b"\n")

    def flush(self) -> None:
        """Hand everything added so far to the operating system, whole lines at once."""
        if not self._pending:
            return
        pending, self._pending = b"".join(self._pending), []
        size = len(pending)
        try:
            # unbuffered, so that nothing is left to fail once more on closing; a write may take only a part
            while pending:
                pending = pending[self._file.write(pending) :]
            self._end += size
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
            self.flush()
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
