"""The journal of a run, line by line: what is appended, and what a killed process left behind."""

from pathlib import Path

import pytest

from selfexec.errors import InputError
from selfexec.runs.records import Reply
from selfexec.runs.store import Journal, ends_torn, line_of, locked, read_journal


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


def test_who_does_not_hold_the_lock_is_asked_before_each_line_and_others_are_kept_out(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    asked: list[int] = []
    with Journal(path), Journal(path, guard=lambda: asked.append(1)) as guarded:
        with pytest.raises(InputError, match="another process is writing to this run"), locked(path):
            pass
        guarded.append(reply("1"))
        guarded.append(reply("2"))
    assert len(asked) == 2 and len(read_journal(path)) == 2


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
