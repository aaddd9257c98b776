"""Locks on files: who holds one, who gets it next, and what stands at the path meanwhile."""

import os
from pathlib import Path

import pytest

from selfexec.runs import file_locks
from selfexec.runs.file_locks import release_lock, take_lock


def test_a_lock_has_one_holder_until_it_is_released_and_the_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    held = take_lock(path)
    assert held is not None and take_lock(path) is None
    release_lock(held)
    assert path.exists()
    again = take_lock(path)
    assert again is not None
    release_lock(again)


def test_a_lock_on_a_file_that_was_removed_meanwhile_is_taken_anew_on_the_one_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, lock = tmp_path / "lock", file_locks._lock
    removed: list[int] = []

    def remove_then_lock(descriptor: int) -> None:
        if not removed:  # the last holder gives way between our opening of the file and our lock on it
            removed.append(os.fstat(descriptor).st_ino)
            path.rename(tmp_path / "was")
        lock(descriptor)

    monkeypatch.setattr(file_locks, "_lock", remove_then_lock)
    held = take_lock(path)
    assert held is not None and path.stat().st_ino == os.fstat(held).st_ino != removed[0]
    assert take_lock(path) is None  # so that it keeps others out
    release_lock(held)


def test_where_nothing_can_be_locked_or_opened_the_system_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(IsADirectoryError):
        take_lock(tmp_path)

    def no_locks(descriptor: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(file_locks, "_lock", no_locks)
    free = os.dup(0)
    os.close(free)
    with pytest.raises(OSError, match="Operation not supported"):
        take_lock(tmp_path / "lock")
    assert os.dup(0) == free  # the lowest number that is free: what was opened is closed
    os.close(free)


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="this system follows links in any case")
def test_a_link_in_place_of_the_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic links"):
        take_lock(tmp_path / "lock")
    assert not (tmp_path / "elsewhere").exists()
