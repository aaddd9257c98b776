"""Who works at a place that several machines see: one process at a time, by files alone.

A file system that machines share may have no locks, or locks that do not reach from one machine to another, and may
rename nothing. What all of them have is that a file is made new by one process only, and that what one machine has
written and closed another finds when it opens the file. So the owner of PLACE is named by PLACE.owner.N with the
highest N: host, process, a token that is never twice the same, and a number that it raises every few seconds. A process
that follows an owner that is gone makes PLACE.owner.N+1, which only one can; a number is never used again, as the
file with the highest one stays.

Gone is an owner that has said so; one of this machine whose process is not there any more; and any other whose number
has not moved for a while. No clock is read for that, neither ours nor the file system's: it is looked at for so long.
"""

import os
import secrets
import socket
import sys
import threading
import time
import warnings
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from selfexec.errors import InputError, Notice

BEAT = 5.0  # seconds from one sign of life to the next
SILENT = 60.0  # seconds without one, after which an owner on another machine is taken to be gone
LENGTH = 1024  # a sign of life is as long as the one before it, so that none is ever cut short
ATTEMPTS = 20


class Owned(msgspec.Struct, frozen=True, kw_only=True):
    """Who works, or worked, at a place. `machine` tells apart what has the same host name; `began` tells the process
    from a later one of the same number.
    """

    host: str
    machine: str
    pid: int
    began: str | None
    token: str
    beat: int = 0
    released: bool = False

    @property
    def is_gone(self) -> bool | None:
        """Whether nobody works there any more; None where that is unknown from here."""
        if self.released:
            return True
        if self.machine != _machine():
            return None
        return _is_over(self.pid, self.began)


class Owner:
    """Holds a place for as long as it is open. InputError where somebody else does."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._me = Owned(
            host=socket.gethostname(),
            machine=_machine(),
            pid=os.getpid(),
            began=_began(os.getpid()),
            token=secrets.token_hex(8),
        )
        self._done = threading.Event()
        self._generation = 0
        self._confirmed = _now()

    def __enter__(self) -> Self:
        try:
            self._take()
        except OSError as fault:
            raise InputError(f"{self.place}: cannot be written ({fault.strerror}). Nothing was asked.") from None
        self._beating = threading.Thread(target=self._beat, name="signs of life", daemon=True)
        self._beating.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._beating.join()
        with suppress(OSError):
            if self._is_ours():
                _write(self._file(self._generation), msgspec.structs.replace(self._me, released=True))

    def check(self) -> None:
        """InputError where the place is another's by now, as it may be after this process was held up for long."""
        if _now() - self._confirmed < SILENT / 2:
            return
        try:
            ours = self._is_ours()
        except OSError as fault:
            raise InputError(
                f"{self.place}: its owner cannot be determined ({fault.strerror}). What is there is kept; "
                "the same command goes on."
            ) from None
        if not ours:
            raise InputError(
                f"{self.place}: this process was paused for so long that another one has taken over. "
                "What it has asked is kept."
            )
        self._confirmed = _now()

    def _take(self) -> None:
        self.place.parent.mkdir(parents=True, exist_ok=True)
        for _ in range(ATTEMPTS):
            before = newest(self.place)
            if before and not self._is_gone(before):
                continue
            self._generation = before + 1
            if not self._claim():
                continue
            if self._is_ours():
                for generation in _generations(self.place):
                    if generation < self._generation:
                        self._file(generation).unlink(missing_ok=True)
                return
            self._file(self._generation).unlink(missing_ok=True)  # others came and went since we looked
        raise _taken(self.place, None)

    def _claim(self) -> bool:
        """Make the file of our generation; False where somebody was quicker."""
        try:
            file = os.open(self._file(self._generation), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            return False
        try:
            os.write(file, _line(self._me))
        finally:
            os.close(file)
        return True

    def _is_gone(self, generation: int) -> bool:
        """Whether the owner of this generation is gone; False where there is a newer one by now, of whom the same is to
        be known. InputError where it is at work.
        """
        file = self._file(generation)
        if _owned(first := _read(file)) is None:  # just being written
            time.sleep(BEAT / 20)
            first = _read(file)
        owner = _owned(first)
        gone = owner.is_gone if owner else None
        if gone:
            return True
        if gone is False:
            raise _taken(self.place, owner)
        who = f"on {owner.host}" if owner else "by somebody"
        warnings.warn(
            Notice(f"{self.place.name}: begun {who}. Looking for up to {SILENT:.0f} s whether it is still at work ..."),
            stacklevel=2,
        )
        until = _now() + SILENT
        while _now() < until:
            time.sleep(min(1.0, BEAT / 5))
            if newest(self.place) != generation:
                return False  # a listing that was old may show it late, too
            if (now := _read(file)) != first:
                owner = _owned(now) or owner
                if owner and owner.released:
                    return True
                raise _taken(self.place, owner)
        return True

    def _beat(self) -> None:
        beat = 0
        while not self._done.wait(BEAT):
            beat += 1
            with suppress(OSError):  # a network that is away for a moment; `check` tells where it was for long
                if not self._is_ours():
                    return
                _write(self._file(self._generation), msgspec.structs.replace(self._me, beat=beat))
                self._confirmed = _now()

    def _is_ours(self) -> bool:
        owner = _owned(_read(self._file(self._generation)))
        return newest(self.place) == self._generation and owner is not None and owner.token == self._me.token

    def _file(self, generation: int) -> Path:
        return _file(self.place, generation)


def owner_of(place: Path) -> Owned | None:
    """Who worked there last; None where nobody did, or that cannot be read."""
    generation = newest(place)
    return _owned(_read(_file(place, generation))) if generation else None


def newest(place: Path) -> int:
    """The generation of owners that counts; 0 where there was none."""
    return max(_generations(place), default=0)


def _generations(place: Path) -> list[int]:
    begin = f"{place.name}.owner."
    try:
        names = [path.name for path in place.parent.iterdir()]
    except FileNotFoundError:
        return []
    return [int(end) for name in names if name.startswith(begin) and (end := name[len(begin) :]).isdigit()]


def _file(place: Path, generation: int) -> Path:
    return place.with_name(f"{place.name}.owner.{generation}")


def _taken(place: Path, owner: Owned | None) -> InputError:
    who = f" (process {owner.pid} on {owner.host})" if owner else ""
    return InputError(f"{place}: another process{who} is at work on it. Wait for it, or stop it.")


def _line(owner: Owned) -> bytes:
    return msgspec.json.encode(owner).ljust(LENGTH - 1) + b"\n"


def _write(file: Path, owner: Owned) -> None:
    with file.open("rb+", buffering=0) as opened:
        opened.write(_line(owner))


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""


def _owned(line: bytes) -> Owned | None:
    try:
        return msgspec.json.decode(line, type=Owned)
    except msgspec.MsgspecError:
        return None  # just being written, or cut short by a kill


# --- machines and processes ------------------------------------------------------------------------------------------


def _now() -> float:
    """Seconds that go on where the machine sleeps."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


def _machine() -> str:
    """What of this machine, or this container, no other has: processes of it see each other."""
    found = [socket.gethostname()]
    with suppress(OSError):
        boot, processes = Path("/proc/sys/kernel/random/boot_id"), Path("/proc/self/ns/pid")
        found += [boot.read_text().strip(), str(processes.readlink())]
    return " ".join(found)


def _began(pid: int) -> str | None:
    """When a process began, in ticks since the machine did; None where the system does not tell, or there is none."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return "over" if fields[0] in "ZX" else fields[19]  # killed, and nobody has asked yet how it ended


def _is_over(pid: int, began: str | None) -> bool | None:
    """Whether a process of this machine is over; None where the system does not tell."""
    if (now := _began(pid)) is not None:
        return now != began
    if sys.platform == "win32":  # a signal would end it there
        return None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:  # it is somebody else's
        return False
    return False
