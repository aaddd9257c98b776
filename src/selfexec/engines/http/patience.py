"""Calls wait for a server that is away, instead of failing one after the other.

A server is away when failures have come from its address in a row, without any other response between, and they cannot
be due to a single prompt. From then on calls to this address are held. One at a time probes it, after growing pauses:
first the list of models is asked for, which no prompt can spoil, then one of the held calls goes through, each time
another one. With the first response that is no such failure all of them go on. After `patience` seconds the run stops.

Where a held call went through and failed, a control comes before the next one: a short new prompt to the same model. If
the control is answered, the server works, so the failures since the last response are due to the prompts, and each of
them counts among the attempts of its call. So a run in which only prompts are left that always fail comes to an end.

What a failure says of the server:

    "unseen"    nobody has looked at the call: no connection could be made, or a status such as 503. While the server is
                away, such a failure does not count among the attempts of a call
    "failed"    the server, a worker behind it or this very prompt is at fault: the connection was cut, or a status such
                as 500 or 502. A cut always counts as an attempt of the call, so that a prompt which brings a server
                down each time is given up in the end; such a status does until several calls have failed in a row
    "silent"    no reply came in time. It always counts as an attempt. The server is away only if the list of models
                cannot be had either
    "there"     any other response: the server is there
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import datetime
from types import TracebackType
from typing import Literal, Protocol, Self

from msgspec.structs import replace

from selfexec.engines.base import CallResult
from selfexec.errors import Interrupted
from selfexec.text.numbers import number_of

Presence = Literal["there", "unseen", "failed", "silent"]
IN_A_ROW = 3  # failures, or different calls that failed, after which a server is taken to be away
FEWEST_PROBES = 3  # before the run stops, however short the patience: a computer that wakes up has no network at once
LONGEST_PAUSE = 60.0  # seconds between two probes
CUTS = 2  # connections cut under one call after which it goes alone: it may be what brings the server down
# service unavailable; overloaded; Cloudflare: server down, not reached in time, not reachable, of its own fault
UNSEEN = (503, 529, 521, 522, 523, 530)
LEAST_ERROR, ENDS = 500, 600


def presence(status: int) -> Presence:
    """What a response with this status says of the server."""
    if status in UNSEEN:
        return "unseen"
    return "failed" if LEAST_ERROR <= status < ENDS else "there"


def probe_pause(probes: int) -> float:
    """Seconds before the next probe, after so many of them."""
    return random.uniform(0.5, 1.0) * min(0.5 * 2.0**probes, LONGEST_PAUSE)


class Notices(Protocol):
    """Where users read of servers that are away."""

    waiting: dict[str, str]
    warnings: list[str]


class Reach:
    """Whether an address can be reached, and the calls that wait for it.

    Args:
        address: how the address is shown to users.
        patience: seconds for which calls wait for a server that is away.
        notices: where users read of it: in `waiting` while calls wait, and in `warnings` afterwards.
    """

    def __init__(self, address: str, patience: float, notices: Notices) -> None:
        self._address = address
        self._patience = patience
        self._notices = notices
        self._warning = ""
        self._outages = 0
        self._seconds_away = 0.0
        self._failures = 0  # in a row
        self._failed_calls: set[int] = set()
        self._away_since: float | None = None
        self._clock_time = ""
        self._reason = ""
        self._probes = 0
        self._back = asyncio.Event()
        self._one_question = asyncio.Lock()
        self._probe_failed = False
        self._era = 0  # ends with each response and with each control
        self._blamed: set[int] = set()  # eras that ended with an answered control
        self.one_probe = asyncio.Lock()
        self.alone = asyncio.Lock()

    @property
    def is_away(self) -> bool:
        return self._away_since is not None

    @property
    def failed_several(self) -> bool:
        """Whether so many different calls have failed in a row that no prompt can be at fault."""
        return len(self._failed_calls) >= IN_A_ROW

    @property
    def era(self) -> int:
        """The number of the period for whose failures either the server is to blame, or the prompts."""
        return self._era

    def blames_calls(self, era: int) -> bool:
        """Whether the failures of an era are due to the prompts."""
        return era in self._blamed

    def note_failed_probe(self) -> None:
        """Note that a held call went through and failed, so that a control is due."""
        self._probe_failed = True

    def responded(self) -> None:
        """Note that the server is there. All calls that wait for it go on."""
        if not self._failures:
            return
        self._era += 1
        self._probe_failed = False
        self._failures = 0
        self._failed_calls.clear()
        if self._away_since is None:
            return
        self._seconds_away += time.monotonic() - self._away_since
        self._away_since = None
        self._back.set()
        if self._notices.waiting.pop(self._address, None):
            self._outages += 1
            self._warn()

    async def failed(self, call: int, kind: Presence, reason: str, is_listed: Callable[[], Awaitable[bool]]) -> None:
        """Note a failure of a call; `is_listed` asks for the list of models, and says whether anybody answers."""
        if kind == "there":
            self.responded()
        if kind == "there":
            return
        self._failures += 1
        self._failed_calls.add(call)
        self._reason = reason
        if self.is_away or self._failures < IN_A_ROW:
            return
        if kind == "unseen" or (kind == "failed" and self.failed_several):
            self._hold()
            return
        is_being_asked = self._one_question.locked()
        async with self._one_question:
            if not is_being_asked and not await is_listed():  # one request does for calls that fail together
                self._hold()

    def _hold(self) -> None:
        if self.is_away or not self._failures:
            return
        self._away_since, self._clock_time = time.monotonic(), f"{datetime.now():%H:%M}"
        self._probes = 0
        self._probe_failed = False
        self._back.clear()

    async def may_be_back(
        self, is_listed: Callable[[], Awaitable[bool]], is_control_answered: Callable[[], Awaitable[bool]]
    ) -> bool:
        """Pause, then say whether a call is worth a try. Raises Interrupted where the patience is at an end."""
        if self._away_since is None:
            return True
        left = self._away_since + self._patience - time.monotonic()
        pause = probe_pause(self._probes)
        if self._probes >= FEWEST_PROBES:
            if left <= 0:
                raise self._given_up()
            pause = min(pause, left)
            if self._patience:
                self._notices.waiting[self._address] = self._said()
        self._probes += 1
        try:
            await asyncio.wait_for(self._back.wait(), pause)
        except TimeoutError:
            if not await is_listed():
                return not self.is_away
            if self._probe_failed:
                await self._tell_prompts_from_server(is_control_answered)
        return True

    async def _tell_prompts_from_server(self, is_control_answered: Callable[[], Awaitable[bool]]) -> None:
        """Blame the failures of this era on the prompts if a control is answered, else on the server."""
        era, self._probe_failed = self._era, False
        is_answered = await is_control_answered()
        if self._era != era:
            return  # another call was answered meanwhile: nobody knows what the failures before were due to
        self._era += 1
        if is_answered:
            self._blamed.add(era)
            self.responded()

    def _said(self) -> str:
        return (
            f"{self._address} has been unavailable since {self._clock_time} ({self._reason}); waiting up to "
            f"{in_words(self._patience)}; Ctrl-C stops, and the same command continues"
        )

    def _given_up(self) -> Interrupted:
        waited = f", and calls wait up to {in_words(self._patience)}" if self._patience else ""
        return Interrupted(
            f"{self._address}: it has been unavailable since {self._clock_time} ({self._reason}){waited}.",
            "All replies so far are kept, and the calls that waited count as not asked: "
            "when the server is back, the same command goes on from here.",
        )

    def _warn(self) -> None:
        """Have one warning for the address, however often it was away."""
        warnings = self._notices.warnings
        if self._warning in warnings:
            warnings.remove(self._warning)
        self._warning = (
            f"{self._address}: it was unavailable for {in_words(self._seconds_away)} "
            f"({number_of(self._outages, 'outage')}, the last one from {self._clock_time} on); the calls waited"
        )
        warnings.append(self._warning)


class Admission:
    """One call on its way to an address: entered at each attempt, it waits as long as the server is away.

    Attributes:
        seconds: how long the call has waited, over all attempts.
    """

    def __init__(
        self,
        reach: Reach,
        is_listed: Callable[[], Awaitable[bool]],
        is_control_answered: Callable[[], Awaitable[bool]],
    ) -> None:
        self.seconds = 0.0
        self._reach = reach
        self._is_listed = is_listed
        self._is_control_answered = is_control_answered
        self._excused_era: int | None = None
        self._is_probe = False
        self._cuts = 0
        self._held: AsyncExitStack | None = None

    async def __aenter__(self) -> Self:
        if self._reach.is_away or self._cuts >= CUTS:
            started = time.monotonic()
            async with AsyncExitStack() as held:
                await self._wait(held)
                self._held = held.pop_all()
            self.seconds += time.monotonic() - started
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._held is not None:
            held, self._held = self._held, None
            await held.aclose()

    async def _wait(self, held: AsyncExitStack) -> None:
        self._is_probe = False
        if self._cuts >= CUTS:
            await held.enter_async_context(self._reach.alone)
        if not self._reach.is_away:
            return
        probing = await held.enter_async_context(AsyncExitStack())
        await probing.enter_async_context(self._reach.one_probe)
        while self._reach.is_away and not await self._reach.may_be_back(self._is_listed, self._is_control_answered):
            pass
        self._is_probe = self._reach.is_away
        if not self._is_probe:
            await probing.aclose()  # nobody else need wait for this call

    def noted_in(self, result: CallResult) -> CallResult:
        """What came back, with how long the call has waited."""
        return replace(result, waited=self.seconds) if self.seconds else result

    async def failed(self, kind: Presence, reason: str, cut: bool) -> bool:
        """Note that the call has failed. Returns whether this is put down to a server that is away, and not counted."""
        self._cuts += cut
        await self._reach.failed(id(self), kind, reason, self._is_listed)
        if not self._reach.is_away:
            return False
        if self._is_probe and kind != "there":
            self._reach.note_failed_probe()
        is_excused = not cut and (kind == "unseen" or (kind == "failed" and self._reach.failed_several))
        self._excused_era = self._reach.era if is_excused else None
        return is_excused

    def is_to_blame(self) -> bool:
        """Whether the last failure was put down to the server, and turned out to be due to the call. Said once."""
        era, self._excused_era = self._excused_era, None
        return era is not None and self._reach.blames_calls(era)


def in_words(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 60 else f"{seconds / 60:.0f} min"
