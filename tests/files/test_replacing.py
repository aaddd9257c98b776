"""Files put in the place of others, also where nothing can be renamed."""

import errno
import os
import shutil
from pathlib import Path

import pytest

import selfexec as sx
from extension_parts import needs
from selfexec.files import replacing
from selfexec.files.replacing import current, put, settle


@pytest.fixture
def nothing_renamed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(os, "replace", refuse)
    monkeypatch.setattr(Path, "replace", refuse)
    monkeypatch.setattr(os, "rename", refuse)


def test_a_file_takes_the_place_of_another_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    put(tmp_path / "a.json", [b"old"])
    put(tmp_path / "a.json", [b"n", b"ew"], synced=True)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.json", b"new")]


@pytest.mark.usefixtures("nothing_renamed")
def test_without_a_rename_it_does_so_too(tmp_path: Path) -> None:
    put(tmp_path / "a.json", [b"older and longer"])
    put(tmp_path / "a.json", [b"new"])
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.json", b"new")]


@pytest.mark.usefixtures("nothing_renamed")
@pytest.mark.parametrize("step", range(6))
def test_killed_at_any_step_the_old_or_the_new_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    left = step

    def killed(genuine: object) -> object:
        def perhaps(*args: object, **kwargs: object) -> object:
            nonlocal left
            left -= 1
            if left < 0:
                raise KeyboardInterrupt
            return genuine(*args, **kwargs)  # type: ignore[operator]

        return perhaps

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", killed(os.fsync))
        patch.setattr(Path, "touch", killed(Path.touch))
        patch.setattr(Path, "unlink", killed(Path.unlink))
        patch.setattr(shutil, "copyfileobj", killed(shutil.copyfileobj))
        with pytest.raises(KeyboardInterrupt):
            put(path, [b"new"])
    # fsync of what stands beside, the mark, the copy, its fsync, taking away the mark, taking away what stood beside
    meant = b"old" if step < 2 else b"new"
    assert current(path).read_bytes() == meant
    settle(tmp_path)
    assert path.read_bytes() == meant and not (tmp_path / "a.json.whole").exists()


def test_a_fault_that_is_no_lack_of_rename_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(replacing.os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        put(tmp_path / "a.json", [b"new"])


@needs("shards")
@pytest.mark.usefixtures("nothing_renamed")
def test_a_shard_is_asked_grown_and_joined_where_nothing_can_be_renamed(tmp_path: Path) -> None:
    for limit in (1, 2):
        sx.run("sim/coin", limit=limit, out=tmp_path / "r", shard="0/1")
        joined = sx.merge(tmp_path / "r")
    whole = sx.run("sim/coin", limit=2, out=tmp_path / "whole")
    assert {key: one.text for key, one in joined.replies.items()} == {k: one.text for k, one in whole.replies.items()}
    assert not [*tmp_path.rglob("*.new"), *tmp_path.rglob("*.whole")]
