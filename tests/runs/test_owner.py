"""Who works at a place that several machines see, told by files alone."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

import selfexec as sx
from selfexec.errors import InputError, Notice
from selfexec.runs.shards import Owner, owner

# the owner of a place as another machine sees it: it has no process here that could be looked for
ELSEWHERE = owner.Owned(host="node7", machine="node7 boot 1", pid=4321, began="99", token="theirs")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "shards" / "3-of-8"


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owner, "BEAT", 0.02)
    monkeypatch.setattr(owner, "SILENT", 0.15)


def left_behind(place: Path, who: owner.Owned, generation: int = 1) -> Path:
    place.parent.mkdir(exist_ok=True)
    file = place.with_name(f"{place.name}.owner.{generation}")
    file.write_bytes(owner._line(who))
    return file


@contextmanager
def another_process(place: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process that owns a place until it is killed, or told to go on."""
    code = (
        "import sys\nfrom pathlib import Path\nfrom selfexec.runs.shards.owner import Owner\n"
        f"with Owner(Path({str(place)!r})):\n    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as p:
        assert p.stdout and p.stdout.readline() == "held\n"
        try:
            yield p
        finally:
            p.kill()


@pytest.mark.slow
def test_a_second_process_is_refused_at_once_and_told_who_is_at_work(place: Path) -> None:
    with another_process(place) as first:
        with pytest.raises(InputError, match=rf"another process \(process {first.pid} on .+\) is at work on it\. Wait"):
            Owner(place).__enter__()
        first.communicate("")
    with Owner(place):
        pass


def test_the_place_of_a_killed_process_of_this_machine_is_taken_over_at_once(place: Path) -> None:
    with another_process(place) as first:
        first.kill()
        first.wait()
        found = owner.owner_of(place)
        assert found and found.pid == first.pid and found.is_gone
        with Owner(place):
            assert owner.newest(place) == 2
    assert [path.name for path in place.parent.iterdir()] == ["3-of-8.owner.2"]


def test_a_later_process_of_the_same_number_is_another_one(place: Path) -> None:
    me = Owner(place)._me
    left_behind(place, msgspec.structs.replace(me, began="1", token="before"))
    with Owner(place):
        pass


@pytest.mark.usefixtures("hasty")
def test_an_owner_elsewhere_that_gives_no_sign_of_life_is_gone(place: Path) -> None:
    left_behind(place, ELSEWHERE)
    with pytest.warns(Notice, match="3-of-8: begun on node7. Looking for up to"), Owner(place):
        assert owner.newest(place) == 2


@pytest.mark.usefixtures("hasty")
def test_an_owner_elsewhere_that_gives_signs_of_life_is_at_work(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owner, "SILENT", 60.0)  # it is not waited for that long
    file, over = left_behind(place, ELSEWHERE), threading.Event()

    def beat() -> None:
        n = 0
        while not over.wait(0.01):
            n += 1
            owner._write(file, msgspec.structs.replace(ELSEWHERE, beat=n))

    thread = threading.Thread(target=beat)
    thread.start()
    try:
        with pytest.warns(Notice), pytest.raises(InputError, match=r"process 4321 on node7\) is at work on it"):
            Owner(place).__enter__()
    finally:
        over.set()
        thread.join()


@pytest.mark.usefixtures("hasty")
def test_an_owner_gives_signs_of_life_of_one_length(place: Path) -> None:
    with Owner(place):
        file = place.with_name("3-of-8.owner.1")
        first = file.read_bytes()
        while file.read_bytes() == first:
            time.sleep(0.005)
    assert len(file.read_bytes()) == len(first) == 1024
    assert owner.owner_of(place) and owner.owner_of(place).released  # type: ignore[union-attr]


def test_one_that_has_said_that_it_is_done_is_followed_at_once_wherever_it_was(place: Path) -> None:
    left_behind(place, msgspec.structs.replace(ELSEWHERE, released=True), generation=7)
    with Owner(place):
        assert owner.newest(place) == 8


@pytest.mark.usefixtures("hasty")
def test_half_a_sign_of_life_that_never_gets_whole_is_somebody_gone(place: Path) -> None:
    left_behind(place, ELSEWHERE).write_bytes(b'{"host": "no')
    with pytest.warns(Notice, match="begun by somebody"), Owner(place):
        pass


@pytest.mark.usefixtures("hasty")
def test_a_newer_owner_that_a_listing_shows_late_is_looked_at_too(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left_behind(place, ELSEWHERE)
    left_behind(place, msgspec.structs.replace(ELSEWHERE, released=True), generation=2)
    genuine, late = owner.newest, iter([1])  # the first look shows what was there before
    monkeypatch.setattr(owner, "newest", lambda place: next(late, None) or genuine(place))
    with pytest.warns(Notice, match="begun on node7"), Owner(place):
        assert genuine(place) == 3


@pytest.mark.usefixtures("hasty")
def test_who_stood_still_and_was_followed_by_another_writes_nothing_more(place: Path) -> None:
    with Owner(place) as first:
        left_behind(place, ELSEWHERE, generation=2)
        time.sleep(0.1)  # half of what is silence has passed
        with pytest.raises(InputError, match=r"this process was paused for so long that another one has taken over"):
            first.check()
    assert owner._owned(place.with_name("3-of-8.owner.2").read_bytes()) == ELSEWHERE


def test_who_was_overtaken_while_it_looked_gives_way(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between its look and its own file others came and went, and one of them is at work."""
    left_behind(place, msgspec.structs.replace(ELSEWHERE, released=True))
    genuine = Owner._claim

    def overtaken(self: Owner) -> bool:
        monkeypatch.setattr(Owner, "_claim", genuine)
        place.with_name("3-of-8.owner.1").unlink()
        left_behind(place, msgspec.structs.replace(Owner(place)._me, token="quicker"), generation=5)
        return genuine(self)  # makes number 2

    monkeypatch.setattr(Owner, "_claim", overtaken)
    with pytest.raises(InputError, match="is at work on it"):
        Owner(place).__enter__()
    assert [path.name for path in place.parent.iterdir()] == ["3-of-8.owner.5"]


def test_a_process_that_is_over_and_was_not_yet_asked_how_it_ended_is_gone() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        began = owner._began(child.pid)
        assert not owner._is_over(child.pid, began)
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # a zombie from here on
        assert owner._is_over(child.pid, began)
    assert owner._is_over(child.pid, began)


def test_a_generation_that_is_there_is_nobody_elses(place: Path) -> None:
    file = left_behind(place, ELSEWHERE)
    one = Owner(place)
    one._generation = 1
    assert not one._claim() and owner._owned(file.read_bytes()) == ELSEWHERE


@pytest.mark.filterwarnings("ignore::selfexec.errors.Notice")  # of who looks while another writes its first line
def test_of_many_that_start_at_once_one_is_the_owner(place: Path) -> None:
    left_behind(place, msgspec.structs.replace(ELSEWHERE, released=True))
    owners: list[Owner] = []
    ready = threading.Barrier(8)

    def start() -> None:
        ready.wait()
        one = Owner(place)
        try:
            one.__enter__()
        except InputError:
            return
        owners.append(one)

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(owners) == 1
    owners[0].__exit__(None, None, None)


def test_two_processes_on_one_shard_are_one_too_many(tmp_path: Path) -> None:
    shard = tmp_path / "r" / "shards" / "0-of-2"
    with Owner(shard), pytest.raises(InputError, match="0-of-2: another process"):
        sx.run("sim/coin", limit=1, out=tmp_path / "r", shard="0/2")
    assert not shard.exists()
    sx.run("sim/coin", limit=1, out=tmp_path / "r", shard="0/2")


def test_a_place_that_cannot_be_written_is_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot be written \((Not a directory|File exists)\)\. Nothing was asked\.$"):
        Owner(tmp_path / "file" / "3-of-8").__enter__()
