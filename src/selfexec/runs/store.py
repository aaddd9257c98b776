"""The journal of a run: one line per reply, appended as it comes, so that a killed run loses only calls in flight."""

import errno
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import Key
from selfexec.files import jsonl
from selfexec.runs.records import BySession, Reply

NO_LOCKS = frozenset((errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP))  # how file systems say so


class Journal:
    """Appends replies to a file. Only one process at a time may hold it: the one that has its lock; or that has made
    sure otherwise, where `guard` raises InputError before a reply is written as soon as it is another's.
    """

    def __init__(self, path: Path, guard: Callable[[], None] | None = None) -> None:
        self.path = path
        self._guard = guard
        self._encode = msgspec.json.Encoder().encode
        with ExitStack() as opened:
            if guard is None:
                opened.enter_context(locked(path))
            self._file = opened.enter_context(_opened(path))
            _cut_torn_tail(path, self._file)
            self._end = os.fstat(self._file.fileno()).st_size
            self._opened = opened.pop_all()

    def append(self, reply: Reply) -> None:
        """Hand a reply to the operating system, a whole line at once."""
        if self._guard:
            self._guard()
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
        with self._opened:
            os.fsync(self._file.fileno())


def read_journal(path: Path) -> Mapping[Key, Reply]:
    """Replies by session. The last line per session counts; a last line that was never finished is passed over."""
    return BySession((reply.key, reply) for reply in jsonl.values(path, Reply))


def ends_torn(path: Path) -> bool:
    """Whether the last line was never finished."""
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        if end:
            file.seek(end - 1)
        return bool(end) and file.read(1) != b"\n"


def line_of(path: Path, key: Key) -> int:
    """The number of the line that counts for a session."""
    return max(n for n, reply in jsonl.decode(path, Reply, torn_tail=True) if reply.key == key)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a journal: a file beside it, since Windows lets nobody read a file that is locked. It is the
    system that holds the lock, not the file: one that a killed process left behind locks nothing.
    """
    from filelock import FileLock, Timeout  # only who writes needs it

    lock = FileLock(path.with_name(f"{path.name}.lock"))
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise InputError(f"{path.parent}: another process is writing to this run. Wait for it, or stop it.") from None
    except OSError as fault:
        way_out = " Where files cannot be locked, --shard 0/1 does without." if fault.errno in NO_LOCKS else ""
        raise InputError(f"{path.parent}: cannot be written ({fault.strerror}). Nothing was asked.{way_out}") from None
    try:
        yield
    finally:
        with suppress(OSError):
            # while it is held, so that it is ours; Windows does not let us, and the file stays
            Path(lock.lock_file).unlink()
        lock.release()


def _opened(path: Path) -> FileIO:
    try:
        return path.open("ab", buffering=0)
    except OSError as fault:
        raise InputError(f"{path}: cannot be written ({fault.strerror}). Nothing was asked.") from None


def _cut_torn_tail(path: Path, file: FileIO) -> None:
    """Cut off a last line that a killed process left unfinished."""
    content = path.read_bytes()
    if content and not content.endswith(b"\n"):
        file.truncate(content.rfind(b"\n") + 1)
