"""Connections that notice an answer which no call was waiting for.

A kept-alive connection carries one call after another, and nothing in HTTP/1.1 says which call an answer belongs to. If
a server or proxy sends an answer twice, the second copy is taken for the answer to the next call, and each later call
gets the answer to the one before it. While calls follow one another this cannot be seen. It shows once the connection
is idle: then an answer arrives that no call was waiting for, a surplus.

A second copy gives itself away where answers have numbers of their own: it is the answer before it to the byte, for
another prompt. Where they have none, or where an answer to somebody else came in between, it takes a pause.

So every connection must be idle now and then for longer than an answer takes, and its replies since the last such check
are certain only when nothing arrived. A connection that is being checked is out of the pool, and another one takes its
calls. The first reply on a connection is certain at once, since only one call had been sent.

This module is the only one that uses private parts of aiohttp: `_factory`, `_release`, `_conns` of the connector, and
`_buffer`, `_tail`, `_payload` of the protocol; `exchange` uses what its client calls. Tests fail if an update changes
what they do.
"""

import asyncio
import math
import secrets
import time
from collections.abc import Callable, Collection
from functools import partial
from typing import Any, NamedTuple

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.client_reqrep import ConnectionKey

from selfexec.engines.base import ConnectionCheck

MOST_UNCHECKED = 50  # replies on a connection before it must be idle
SHORTEST_CHECK, LONGEST_CHECK = 0.05, 2.0  # seconds
LONGEST_REST = 60.0  # seconds of a check for which nobody waits
ROUNDS = 3  # how often a check is repeated where this process was too busy to notice anything
GRACE = 0.5  # seconds for a process that is too busy to notice anything at the time when it should
STEP = 0.01  # seconds between looks whether all connections have been idle for long enough
# bytes: asyncio has room for 256 kB ready before each read, which the system gives anew each time, and takes back
READ_AT_ONCE = 4_096
SPREAD = 0.618  # the first checks of connections that were opened together fall on different replies


class LastAnswer(NamedTuple):
    """The number that a server gave its answer, and hashes of what was asked and of what came."""

    number: str | None
    prompt: int
    body: int


class AnswerNumbers:
    """Whether the answers from one address have numbers of their own, and which connections brought one twice.

    A server that gives all answers the same number tells nothing by it. So an answer that came twice in a row counts
    as a copy once two answers of this address have had different numbers.
    """

    def __init__(self) -> None:
        self._first: str | None = None
        self._differ = False
        self._repeated: set[CheckedConnection] = set()

    def note(self, connection: "CheckedConnection", number: str, *, repeated: bool) -> Collection["CheckedConnection"]:
        """Note the number of an answer, and return the connections that are known to have brought one twice."""
        self._first = self._first or number
        self._differ |= number != self._first
        if repeated:
            self._repeated.add(connection)
        if not self._differ:
            return ()
        found, self._repeated = self._repeated, set()
        return found


class SurplusWatch:
    """What is known about the connections of one engine, and about the addresses that they lead to.

    Attributes:
        report: Is called with the result of every check.
        recall: Takes the idle connections to an address out of the pool.
        open: All connections that are open.
        distrusted: Addresses that sent a surplus. A connection to them carries one call.
        has_begun: Whether any connection has been taken out of the pool to be checked.
        answers: What is known of the numbers of answers, by address.
    """

    def __init__(self, report: Callable[[ConnectionCheck], None]) -> None:
        self.report = report
        self.recall: Callable[[str], None] = lambda address: None
        self.open: set[CheckedConnection] = set()
        self.distrusted: set[str] = set()
        self.has_begun = False
        self.answers: dict[str, AnswerNumbers] = {}
        self._most_calls: dict[str, int] = {}
        self._unknown: dict[str, list[ConnectionCheck]] = {}
        self._prefix = secrets.token_hex(4)
        self._opened = 0

    def note_answer(self, connection: "CheckedConnection", number: str | None, prompt: bytes, answer: bytes) -> None:
        """Note an answer that came whole, with the number that the server gives it, and what was asked. If it is that
        to another prompt once more, all answers on its connection are void since the last check.
        """
        now = LastAnswer(number, hash(prompt), hash(answer))
        last, connection.last_answer = connection.last_answer, now
        if number is None:
            return
        repeated = last is not None and last.prompt != now.prompt and (last.number, last.body) == (number, now.body)
        if (numbers := self.answers.get(connection.address)) is None:
            numbers = self.answers[connection.address] = AnswerNumbers()
        for swapped in numbers.note(connection, number, repeated=repeated):
            self.note_surplus(swapped)

    def next_name(self) -> str:
        """Return a name for a connection that no other connection of the run has."""
        self._opened += 1
        return f"{self._prefix}.{self._opened}"

    def first_quota(self) -> int:
        """Return after how many replies the connection that was opened last is checked for the first time. Connections
        that take the place of one which is being checked are opened at different times as it is.
        """
        return MOST_UNCHECKED if self.has_begun else 1 + int(MOST_UNCHECKED * (self._opened * SPREAD % 1))

    def is_spent(self, connection: "CheckedConnection") -> bool:
        """Return whether a connection must carry no further call."""
        address = connection.address
        return address in self.distrusted or connection.calls >= self._most_calls.get(address, connection.calls + 1)

    def note_clean(self, connection: "CheckedConnection", last: int) -> None:
        """Report that no surplus followed the first `last` responses on a connection."""
        first, connection.checked = connection.checked + 1, last
        self.report(ConnectionCheck(connection.name, first, last, "clean", connection.address))

    def note_surplus(self, connection: "CheckedConnection") -> None:
        """Void all responses on a connection since its last check, and what is unknown of the same address."""
        address, first = connection.address, connection.checked + 1
        void = [check._replace(result="swapped") for check in self._unknown.pop(address, [])]
        void.append(ConnectionCheck(connection.name, first, connection.calls, "swapped", address))
        connection.checked = connection.calls
        connection.close()
        if address not in self.distrusted:
            self.distrusted.add(address)
            self.recall(address)
        for check in void:
            self.report(check)

    def note_announced_end(self, connection: "CheckedConnection") -> None:
        """Note that the server closes a connection after its current response: later ones are checked before that."""
        most = self._most_calls.get(connection.address, connection.calls)
        self._most_calls[connection.address] = max(1, min(most, connection.calls - 1))

    def note_lost(self, connection: "CheckedConnection") -> None:
        """Report what can be known about responses whose connection has ended before they were checked."""
        address = connection.address
        check = ConnectionCheck(connection.name, connection.checked + 1, connection.calls, "unknown", address)
        connection.checked = connection.calls
        if address in self.distrusted:
            check = check._replace(result="swapped")
        else:
            self._unknown.setdefault(address, []).append(check)
        self.report(check)


class CheckedConnection(ResponseHandler):
    """One connection.

    Attributes:
        address: Where it leads, as `host:port`; known once the first response is complete.
        calls: How many requests it has carried.
        checked: Up to which of them the response is certain.
        quota: After how many responses that are not certain it must be checked.
        is_idle: Whether no call is under way on it.
        is_abandoned: Whether nobody waits for the response to its last call any more.
        last_answer: The last answer that came whole.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, watch: SurplusWatch) -> None:
        super().__init__(loop)
        self.name = watch.next_name()
        self.quota = watch.first_quota()
        self.address = ""
        self.calls = 0
        self.checked = 1
        self.is_abandoned = False
        self.last_answer: LastAnswer | None = None
        self._watch = watch
        self.is_idle = False
        self._answering = False
        self._began = self._ended = self._slowest = 0.0
        watch.open.add(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if hasattr(transport, "max_size"):
            transport.max_size = READ_AT_ONCE
        super().connection_made(transport)

    @property
    def label(self) -> str | None:
        """The connection and the number of the call on it; None for a response that is certain at once."""
        return f"{self.name}:{self.calls}" if self.calls > self.checked else None

    @property
    def is_whole(self) -> bool:
        """Whether the current response has come to its end."""
        return self.exception() is None and (self._payload is None or self._payload.is_eof())

    @property
    def has_surplus(self) -> bool:
        """Whether something has arrived behind the current response."""
        return bool(self._buffer or self._tail)

    @property
    def awaits_check(self) -> bool:
        """Whether a check could still make a response certain."""
        return self._last_checkable > self.checked and self.is_connected()

    @property
    def _last_checkable(self) -> int:
        """The last call whose response is certain if nothing has come for long enough."""
        if self.is_idle or (self.is_abandoned and not self._reading_paused and self.exception() is None):
            return self.calls
        return self.checked if self._answering else self.calls - 1

    def quiet_until(self, at_most: float) -> float:
        """Return when nothing has come for long enough: for twice as long as its slowest answer took, or `at_most`."""
        return self._ended + min(max(2 * self._slowest, SHORTEST_CHECK), at_most)

    def set_response_params(self, **parameters: Any) -> None:
        """Begin a call: aiohttp calls this before it sends a request."""
        if self._tail and not self.calls:
            self.checked = 0  # the server spoke before it was asked, so that not even the first response is certain
        self.calls += 1
        self.is_idle = self._answering = False
        self._began = time.monotonic()
        super().set_response_params(**parameters)

    def end_call(self, address: str) -> None:
        """Note that the current response is complete."""
        self.address = address
        self.is_idle, self._answering = True, False
        self._ended = time.monotonic()
        self._slowest = max(self._slowest, self._ended - self._began)

    def abandon_call(self, address: str) -> None:
        """Note that nobody waits for the current response. It may still arrive, and is no surplus then."""
        if not self._answering:
            self.note_if_quiet()
            self.is_abandoned = self.calls - 1 > self.checked
        self.address = address
        self._ended = time.monotonic()

    def data_received(self, data: bytes) -> None:
        if self.is_abandoned:
            super().data_received(data)
            self._ended = time.monotonic()
            if len(self._buffer) > 1:
                self._watch.note_surplus(self)
            return
        if self.is_idle and data:
            self._take_unexpected(data)
            return
        if data and not self._answering:
            self.note_if_quiet()
            self._answering = True
        super().data_received(data)
        if self.is_idle and self.has_surplus:  # the response and what followed it came in one piece
            self._watch.note_surplus(self)

    def connection_lost(self, exc: BaseException | None) -> None:
        self._watch.open.discard(self)
        self.note_if_quiet(LONGEST_CHECK if self.is_idle else math.inf)
        if self.calls > self.checked:
            self._watch.note_lost(self)
        super().connection_lost(exc)

    def _take_unexpected(self, data: bytes) -> None:
        """What arrives while no call is under way. Blank lines mean nothing, and a 408 says that the server closes a
        connection which it deems idle (RFC 9110, 15.5.9).
        """
        if not data.strip():
            return
        self.note_if_quiet()
        if data.startswith(b"HTTP/") and data[9:12] == b"408":
            self.close()
        else:
            self._watch.note_surplus(self)

    def note_if_quiet(self, at_most: float = math.inf) -> None:
        """Count the time in which nothing has come as a check if it was long enough."""
        last = self._last_checkable
        if last > self.checked and time.monotonic() >= self.quiet_until(at_most):
            self._watch.note_clean(self, last)


class CheckingConnector(aiohttp.TCPConnector):
    """A pool of connections, which are taken out of it in turn to be checked.

    Where only one call is under way at a time, that call waits for the check, since a server may serve one connection
    at a time. Elsewhere a new connection takes the place of the one that is being checked.
    """

    def __init__(self, watch: SurplusWatch, *, one_at_a_time: bool) -> None:
        super().__init__(limit=0, limit_per_host=int(one_at_a_time))
        self._factory = partial(CheckedConnection, loop=self._loop, watch=watch)  # type: ignore[assignment]
        self._watch = watch
        self._longest_rest = LONGEST_CHECK if one_at_a_time else LONGEST_REST
        watch.recall = self._recall

    async def check_all(self) -> None:
        """Wait until all connections have been idle for long enough, at most `LONGEST_CHECK` seconds. A call that was
        given up and is still under way counts as idle as long as nothing of its response has come.
        """
        until = time.monotonic()
        deadline = until + LONGEST_CHECK + GRACE
        while True:
            if not _is_late(until):
                for connection in list(self._watch.open):
                    connection.note_if_quiet(LONGEST_CHECK)
            until = time.monotonic() + STEP
            if until > deadline or not any(one.awaits_check for one in self._watch.open):
                return
            await asyncio.sleep(STEP)

    def close_all(self) -> None:
        """Close the connections that are neither in the pool nor in use."""
        for connection in list(self._watch.open):
            connection.close()

    def _release(self, key: ConnectionKey, protocol: ResponseHandler, *, should_close: bool = False) -> None:
        """Take back a connection whose call is over."""
        if self._closed or not isinstance(protocol, CheckedConnection):
            super()._release(key, protocol, should_close=should_close)
            return
        if should_close or not protocol.is_whole:
            protocol.abandon_call(f"{key.host}:{key.port}")
            self._rest(key, protocol)
            return
        protocol.end_call(protocol.address or f"{key.host}:{key.port}")
        if protocol.has_surplus:
            self._watch.note_surplus(protocol)
        elif protocol.should_close:
            self._watch.note_announced_end(protocol)
        elif self._watch.is_spent(protocol) or protocol.calls - protocol.checked >= protocol.quota:
            self._rest(key, protocol)
            return
        super()._release(key, protocol)

    def _rest(self, key: ConnectionKey, connection: CheckedConnection, rounds: int = ROUNDS) -> None:
        """Keep a connection out of the pool until it has been idle for long enough."""
        self._watch.has_begun = True
        if connection.awaits_check and rounds:
            until = (
                connection.quiet_until(self._longest_rest) if rounds == ROUNDS else time.monotonic() + SHORTEST_CHECK
            )
            self._loop.call_later(until - time.monotonic(), self._end_rest, key, connection, until, rounds)
        else:
            super()._release(key, connection, should_close=not connection.is_idle or self._watch.is_spent(connection))

    def _end_rest(self, key: ConnectionKey, connection: CheckedConnection, until: float, rounds: int) -> None:
        if _is_late(until):
            self._rest(key, connection, rounds - 1)
            return
        connection.note_if_quiet(self._longest_rest)
        connection.quota = MOST_UNCHECKED
        self._rest(key, connection, rounds - 1)

    def _recall(self, address: str) -> None:
        """Take the idle connections to an address out of the pool: they are checked, and closed."""
        for key in [key for key in self._conns if f"{key.host}:{key.port}" == address]:
            for connection, _ in self._conns.pop(key):
                if isinstance(connection, CheckedConnection):
                    self._rest(key, connection)


def _is_late(until: float) -> bool:
    """Whether this process was too busy at a time to have noticed what had arrived by then."""
    return time.monotonic() - until > SHORTEST_CHECK / 2
