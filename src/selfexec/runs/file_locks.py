"""Locks that the operating system holds on files: a process that is killed leaves none behind."""

import errno
import os
import sys
from pathlib import Path

# how systems say that somebody else holds a lock
HELD = frozenset((errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK))


def take_lock(path: Path) -> int | None:
    """Lock a file, without waiting.

    Args:
        path: The file. It is made where there is none, and never through a link.

    Returns:
        The descriptor that holds the lock, for `release_lock`; None where somebody else holds it, also in this process.

    Raises:
        OSError: The file cannot be made or opened, or nothing can be locked there.
    """
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        try:
            _lock(descriptor)
        except OSError as fault:
            os.close(descriptor)
            if fault.errno in HELD:
                return None
            raise
        if _is_there(path, descriptor):
            return descriptor
        os.close(descriptor)  # its last holder removed it after we had opened it: a lock on no name keeps nobody out


def release_lock(descriptor: int) -> None:
    """Give a lock back. The file stays."""
    try:
        _unlock(descriptor)
    finally:
        os.close(descriptor)


def _is_there(path: Path, descriptor: int) -> bool:
    """Whether the open file is the one that stands at the path now."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


# what locks is imported where it is used, since each system has another one


def _lock(descriptor: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _unlock(descriptor: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_UN)
