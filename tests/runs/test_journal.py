"""The journal of a run, line by line: what is appended, what reaches the disk, what a killed process left behind."""

import errno
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from selfexec.errors import InputError
from selfexec.runs.journal import Journal, ends_torn, line_of, locked, read_journal
from selfexec.runs.reply import Reply


def reply(item: str, text: str | None = "A") -> Reply:
    return Reply(model="m", experiment="restriction", item=item, session="predict", text=text)


def test_what_is_appended_is_read_again_and_the_last_line_of_a_session_counts(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    with Journal(path) as journal:
        for one in (reply("1"), reply("2"), reply("1", "B")):
            journal.append(one)
    assert read_journal(path) == {reply("1").key: reply("1", "B"), reply("2").key: reply("2")}
    assert [line_of(path, reply(item).key) for item in ("1", "2")] == [3, 2]
    with Journal(path) as journal:
        journal.append(reply("3"))
    assert len(read_journal(path)) == 3
    assert not path.with_name("replies.jsonl.lock").exists()


@pytest.mark.parametrize(
    ("left", "kept"),
    [
        (b"", b""),
        (b'{"mod', b""),
        (b"{}\n", b"{}\n"),
        (b'{}\n{"mod', b"{}\n"),
        (b"\n{}", b"\n"),
        (b"{}\n\n", b"{}\n\n"),
    ],
)
def test_a_line_that_was_never_finished_is_cut_off_before_another_is_written(
    left: bytes, kept: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_bytes(left)
    assert ends_torn(path) == (left != kept)
    with Journal(path):
        assert path.read_bytes() == kept
    assert not ends_torn(path)


def test_a_journal_is_held_by_one_process_and_where_no_file_can_be_locked_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "replies.jsonl"
    with Journal(path), pytest.raises(InputError, match="another process is writing to this run"), locked(path):
        pass

    def no_locks(*_: object, **__: object) -> None:
        raise OSError(errno.EOPNOTSUPP, "Operation not supported")

    monkeypatch.setattr("selfexec.runs.journal.take_lock", no_locks)
    with (
        pytest.warns(UserWarning, match="no file can be locked here. Start one command at a time"),
        Journal(path) as it,
    ):
        it.append(reply("1"))
    assert len(read_journal(path)) == 1


def test_of_a_line_for_which_there_is_no_room_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "replies.jsonl"

    class Full:
        """A file that takes five bytes at a time, and no more than so many in all."""

        def __init__(self, file: object, room: int) -> None:
            self.file, self.room = file, room

        def write(self, what: bytes) -> int:
            if not self.room:
                raise OSError(28, "No space left on device")
            some = what[: min(5, self.room)]
            self.room -= len(some)
            return self.file.write(some)  # type: ignore[attr-defined,no-any-return]

        def truncate(self, end: int) -> None:
            self.file.truncate(end)  # type: ignore[attr-defined]

    with Journal(path) as journal:
        journal.append(reply("1"))
        length = path.stat().st_size
        opened = journal._file
        monkeypatch.setattr(journal, "_file", Full(opened, 2 * length + 3))
        journal.append(reply("2"))
        journal.append(reply("3"))
        with pytest.raises(InputError, match=r"could not be written \(No space left on device\)"):
            journal.append(reply("4"))
        monkeypatch.setattr(journal, "_file", opened)
    assert path.stat().st_size == 3 * length
    assert [key.item for key in read_journal(path)] == ["1", "2", "3"]


class Broken:
    """A file on a disk that takes three bytes of a line, and nothing more, not even a cut."""

    def __init__(self, file: object) -> None:
        self.file, self.left = file, 3

    def write(self, what: bytes) -> int:
        if not self.left:
            raise OSError(errno.EIO, "Input/output error")
        some, self.left = what[: self.left], 0
        return self.file.write(some)  # type: ignore[attr-defined,no-any-return]

    def truncate(self, end: int) -> None:
        raise OSError(errno.EROFS, "Read-only file system")


def test_where_half_a_line_cannot_be_cut_off_nothing_is_written_behind_it_and_the_next_command_cuts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "replies.jsonl"
    with Journal(path) as journal:
        journal.append(reply("1"))
        length = path.stat().st_size
        opened = journal._file
        monkeypatch.setattr(journal, "_file", Broken(opened))
        for _ in range(2):
            with pytest.raises(InputError, match=r"could not be written \(Input/output error\)"):
                journal.append(reply("2"))
        monkeypatch.setattr(journal, "_file", opened)
    assert path.stat().st_size == length + 3 and ends_torn(path)
    with Journal(path) as journal:
        journal.append(reply("3"))
    assert [key.item for key in read_journal(path)] == ["1", "3"]


@pytest.mark.parametrize("block", [1, 7, 2**16])
def test_an_unfinished_line_is_cut_off_however_long_it_is_and_the_journal_is_not_read_for_it(
    block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("selfexec.runs.journal.BLOCK", block)
    monkeypatch.setattr(Path, "read_bytes", lambda path: pytest.fail("the whole journal was read"))
    for whole, torn in (("{}\n" * 9, "x" * 100), ("", "x" * 100), ("{}\n", "x")):
        path = tmp_path / "replies.jsonl"
        path.write_text(whole + torn)
        with Journal(path):
            assert path.read_text() == whole


def synced(monkeypatch: pytest.MonkeyPatch, fsync: Callable[[int], None]) -> None:
    monkeypatch.setattr("selfexec.runs.journal.SYNC_EVERY", 0.001)
    monkeypatch.setattr(os, "fsync", fsync)


def test_what_is_written_reaches_the_disk_while_the_run_goes_on_in_a_thread_and_only_what_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached, threads = threading.Semaphore(0), []

    def fsync(descriptor: int) -> None:
        threads.append(threading.current_thread())
        reached.release()

    synced(monkeypatch, fsync)
    with Journal(tmp_path / "replies.jsonl") as journal:
        assert not reached.acquire(timeout=0.05)  # nothing is written yet
        for n in range(3):
            journal.append(reply(str(n)))
            assert reached.acquire(timeout=10)
            assert not reached.acquire(timeout=0.05)
        assert threading.main_thread() not in threads
    assert threads[-1] is threading.main_thread() and len(threads) == 4  # at the end once more


def test_a_disk_that_takes_long_keeps_no_reply_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, over = threading.Event(), threading.Event()

    def fsync(descriptor: int) -> None:
        begun.set()
        assert over.wait(10)

    synced(monkeypatch, fsync)
    path = tmp_path / "replies.jsonl"
    with Journal(path) as journal:
        journal.append(reply("1"))
        assert begun.wait(10)
        journal.append(reply("2"))  # while the first is on its way to the disk
        assert len(read_journal(path)) == 2
        over.set()


@pytest.mark.parametrize("at_the_end", [False, True])
def test_replies_that_do_not_reach_the_disk_stop_the_run_with_one_sentence(
    at_the_end: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = threading.Event()

    def fsync(descriptor: int) -> None:
        failed.set()
        raise OSError(errno.EIO, "Input/output error")

    synced(monkeypatch, fsync)
    if at_the_end:
        monkeypatch.setattr("selfexec.runs.journal.SYNC_EVERY", 3600.0)
    path = tmp_path / "replies.jsonl"

    def ask_on() -> None:
        with Journal(path) as journal:
            journal.append(reply("1"))
            while not at_the_end:
                assert failed.wait(10)
                journal.append(reply("2"))

    with pytest.raises(InputError, match=r"could not be written to the disk \(Input/output error\)"):
        ask_on()
    assert not path.with_name("replies.jsonl.lock").exists()


def test_a_file_that_has_no_disk_is_written_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fsync(descriptor: int) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "fsync", fsync)
    with Journal(tmp_path / "replies.jsonl") as journal:
        journal.append(reply("1"))
    assert len(read_journal(tmp_path / "replies.jsonl")) == 1
