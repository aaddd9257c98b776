"""The journal of a run: one line per reply, appended as it comes, so that a killed run loses only calls under way.

Each line is handed to the operating system at once. Once a second a thread has the system write it to the disk, so that
a power cut takes no more than the last seconds.
"""

import errno
import os
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import msgspec

from selfexec.errors import InputError, Notice
from selfexec.experiments import Key
from selfexec.files import jsonl
from selfexec.runs.file_locks import release_lock, take_lock
from selfexec.runs.reply import BySession, Reply

R = TypeVar("R", bound=Reply)
NO_LOCKS = frozenset((errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP))  # how file systems say so
NO_SYNC = frozenset((errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP))  # a file that has no disk
SYNC_EVERY = 1.0  # seconds
BLOCK = 2**16  # bytes that are read at a time when the end of a journal is looked for


class Journal:
    """Appends replies to a file. Only one process at a time may hold it: the one that has its lock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with ExitStack() as opened:
            opened.enter_context(locked(path))
            self._file = opened.enter_context(_opened(path))
            _cut_torn_tail(path, self._file)
            self._end = os.fstat(self._file.fileno()).st_size
            self._opened = opened.pop_all()
        self._disk = _Disk(path, self._file.fileno())
        self._torn = ""  # why half a line stands at the end, after which nothing may be written

    def append(self, reply: Reply) -> int:
        """Hand a reply to the operating system, a whole line at once, and return where its line begins. InputError: it
        cannot be written, or what was written before does not reach the disk.
        """
        self._disk.refuse_fault()
        if self._torn:
            raise InputError(self._torn)
        line = left = reply.line
        try:
            # unbuffered, so that nothing is left to fail once more on closing; a write may take only a part
            while left:
                left = left[self._file.write(left) :]
        except OSError as fault:
            message = (
                f"{self.path}: a reply could not be written ({fault.strerror}). All before it is kept; "
                "make room and give the same command again."
            )
            try:
                self._file.truncate(self._end)  # no half line, onto which a later one would be written
            except OSError:
                self._torn = message  # it is cut off when the journal is opened again
            raise InputError(message) from None
        self._disk.note_written()
        position, self._end = self._end, self._end + len(line)
        return position

    def reply_at(self, position: int, reply_type: type[R]) -> R:
        """The reply whose line begins at a position. InputError: it cannot be read."""
        try:
            with self.path.open("rb") as file:
                file.seek(position)
                return msgspec.json.decode(file.readline(), type=reply_type)
        except (OSError, *jsonl.UNDECODABLE) as fault:
            raise InputError(f"{self.path}: the line at byte {position:,} cannot be read back ({fault}).") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._opened:
            self._disk.close()
            if error is None:  # else what ended the command is reported
                self._disk.refuse_fault()


class _Disk:
    """Has what is written to a file reach the disk, at most once a second and in a thread, since it may take long."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor
        self._fault = ""
        self._written = threading.Event()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def note_written(self) -> None:
        """Have what was written until now reach the disk within a second, or as soon as the disk allows."""
        if not self._written.is_set():  # to set it again would take as long as to write the line
            self._written.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._sync_now_and_then, name="selfexec-journal", daemon=True)
            self._thread.start()

    def refuse_fault(self) -> None:
        """Raise InputError where something that was written has not reached the disk."""
        if self._fault:
            raise InputError(
                f"{self._path}: replies could not be written to the disk ({self._fault}). The last ones may be lost "
                "when the machine stops; look to the disk and give the same command again."
            )

    def close(self) -> None:
        """Wait until all that was written is on the disk."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join()
        self._sync()

    def _sync_now_and_then(self) -> None:
        while not self._closing.wait(SYNC_EVERY):
            if self._written.is_set():
                self._sync()

    def _sync(self) -> None:
        self._written.clear()  # before: what is written meanwhile is left to the next time
        try:
            os.fsync(self._descriptor)
        except OSError as fault:
            if fault.errno not in NO_SYNC:
                self._fault = self._fault or fault.strerror or type(fault).__name__


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
    lock_file = path.with_name(f"{path.name}.lock")
    lock = _lock(lock_file)
    try:
        yield
    finally:
        if lock is not None:
            with suppress(OSError):
                lock_file.unlink()  # while it is held, so that it is ours; Windows does not let us, and the file stays
            release_lock(lock)


def _lock(lock_file: Path) -> int | None:
    """Take a lock; None, with a warning, where no file can be locked."""
    folder = lock_file.parent
    try:
        lock = take_lock(lock_file)
    except OSError as fault:
        if fault.errno not in NO_LOCKS:
            raise InputError(f"{folder}: cannot be written ({fault.strerror}). Nothing was asked.") from None
        # the caller is beyond this function, `locked` and what enters its context
        warnings.warn(Notice(f"{folder}: no file can be locked here. Start one command at a time."), stacklevel=4)
        return None
    if lock is None:
        raise InputError(f"{folder}: another process is writing to this run. Wait for it, or stop it.")
    return lock


def _opened(path: Path) -> FileIO:
    try:
        return path.open("ab", buffering=0)
    except OSError as fault:
        raise InputError(f"{path}: cannot be written ({fault.strerror}). Nothing was asked.") from None


def _cut_torn_tail(path: Path, file: FileIO) -> None:
    """Cut off a last line that a killed process left unfinished. The rest of the journal is not read."""
    try:
        if ends_torn(path):
            file.truncate(_end_of_last_line(path))
    except OSError as fault:
        raise InputError(f"{path}: cannot be written ({fault.strerror}). Nothing was asked.") from None


def _end_of_last_line(path: Path) -> int:
    """The position after the last line feed; 0 where there is none."""
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        while end:
            start = max(0, end - BLOCK)
            file.seek(start)
            found = file.read(end - start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            end = start
    return 0
