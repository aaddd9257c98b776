"""A server that sends an answer twice swaps no reply: the reply to each prompt is that to this prompt, or none."""

import asyncio
import hashlib
import json
from typing import Any

import aiohttp
import pytest
from aiohttp.client_proto import ResponseHandler

from repeating_server import Repeating, repeating
from selfexec.engines import Call, Connection, ConnectionCheck
from selfexec.engines.http.client import HttpEngine
from selfexec.engines.http.connections import SHORTEST_CHECK, CheckedConnection, CheckingConnector, SurplusWatch
from selfexec.experiments import Key, Message


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


Replies = dict[str, tuple[str | None, str | None]]  # by prompt: the text, and the connection that brought it


def asked(
    habits: Repeating, calls: int = 100, workers: int = 1, pause: float = 0.0, **options: Any
) -> tuple[Replies, list[ConnectionCheck]]:
    """What came of these calls, and what became known of the connections."""
    replies: Replies = {}
    checks: list[ConnectionCheck] = []

    async def main(url: str) -> None:
        engine = HttpEngine(["any/m"], Connection(base_url=url, max_connections=workers, timeout=5, **options))
        engine.report_checks(checks.append)
        prompts = iter([f"Prompt {n}" for n in range(calls)])

        async def work() -> None:
            for prompt in prompts:
                outcome = await engine.ask(
                    Call(Key("any/m", "restriction", prompt, 1, "x"), (Message("user", prompt),))
                )
                replies[prompt] = outcome.text, outcome.connection
                await asyncio.sleep(pause)

        async with engine, asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(work())

    with repeating(habits) as url:
        asyncio.run(main(url))
    return replies, checks


def is_reported(connection: str | None, checks: list[ConnectionCheck], result: str) -> bool:
    """Whether a check with this result is about a reply."""
    if connection is None:
        return False
    name, _, number = connection.rpartition(":")
    return any(c.connection == name and c.first <= int(number) <= c.last and c.result == result for c in checks)


def swapped(replies: Replies) -> set[str]:
    """The prompts whose reply is the hash of another one."""
    return {prompt for prompt, (text, _) in replies.items() if text != hashlib.sha256(prompt.encode()).hexdigest()}


@pytest.mark.parametrize("repeat", [0.0, 0.0005, 0.004, 0.02])
@pytest.mark.parametrize("pause", [0.0, 0.01])
def test_no_reply_that_counts_belongs_to_another_prompt(repeat: float, pause: float) -> None:
    replies, checks = asked(Repeating(0.002, repeat), workers=2, pause=pause)
    counted = {p: reply for p, reply in replies.items() if not is_reported(reply[1], checks, "swapped")}
    assert len(replies) == 100 and not swapped(counted)
    # at the latest the check at the end of the command shows the surplus, at most 50 replies after it on 2 connections
    assert len(counted) >= 0.3 * 100 and any(check.result == "swapped" for check in checks)


def test_without_the_checks_the_same_server_swaps_replies(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the tests above prove something."""
    monkeypatch.setattr(CheckedConnection, "data_received", ResponseHandler.data_received)
    monkeypatch.setattr(CheckingConnector, "_release", aiohttp.BaseConnector._release)
    replies, _ = asked(Repeating(0.002, on_next=True))
    assert len(swapped(replies)) > 10


@pytest.mark.parametrize("wire", ["openai", "anthropic", "responses", "gemini"])
def test_it_is_so_in_every_wire_format(wire: Any) -> None:
    replies, checks = asked(Repeating(0.002, on_next=True), wire=wire)
    counted = {p: reply for p, reply in replies.items() if not is_reported(reply[1], checks, "swapped")}
    assert swapped(replies) and not swapped(counted)


@pytest.mark.parametrize("wire", ["openai", "anthropic", "responses", "gemini", "stream"])
@pytest.mark.parametrize("habits", [{"on_next": True}, {"lags": True}])
def test_an_answer_with_a_number_of_its_own_that_comes_twice_is_noticed_at_once(
    wire: Any, habits: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CheckedConnection, "note_if_quiet", lambda *_: None)  # no pause shows anything
    options: dict[str, Any] = {"stream": True} if wire == "stream" else {"wire": wire}
    replies, checks = asked(Repeating(streams=wire == "stream", numbered=True, **habits), calls=30, **options)
    counted = {p: reply for p, reply in replies.items() if not is_reported(reply[1], checks, "swapped")}
    assert swapped(replies) and not swapped(counted)
    # the fifth answer comes as the sixth too, or the second one as the third: then each call has a connection
    assert len(counted) >= 30 - 5


def test_a_server_that_numbers_all_answers_alike_tells_nothing_by_it() -> None:
    class Alike(Repeating):
        def answer(self, path: str, body: bytes, *, last: bool = False) -> bytes:
            choice = {"message": {"role": "assistant", "content": "A"}, "finish_reason": "stop"}
            said = json.dumps({"id": "c-1", "choices": [choice]}).encode()
            return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(said), said)

    _, checks = asked(Alike())
    assert {check.result for check in checks} == {"clean"}


def test_it_is_so_of_streams() -> None:
    replies, checks = asked(Repeating(0.002, on_next=True, streams=True), stream=True)
    counted = {p: reply for p, reply in replies.items() if not is_reported(reply[1], checks, "swapped")}
    assert swapped(replies) and not swapped(counted)


def test_after_a_surplus_each_call_has_a_connection_of_its_own() -> None:
    habits = Repeating(0.0, 0.0, every=3)  # the third answer and its copy come in one piece
    asked(habits, calls=20)
    assert habits.calls == [3, *[1] * 17]


@pytest.mark.parametrize("workers", [1, 4])
def test_every_reply_of_a_sound_server_is_found_clean_on_as_many_connections_as_before(workers: int) -> None:
    habits = Repeating(0.005)
    replies, checks = asked(habits, calls=200, workers=workers)
    assert {check.result for check in checks} == {"clean"}
    assert all(is_reported(connection, checks, "clean") for _, connection in replies.values() if connection)
    # the first reply on each connection is certain at once, and the others name their connection
    assert sum(connection is None for _, connection in replies.values()) == len(habits.calls)
    # with one call at a time the only connection is waited for; else one more or two take the place of those that rest
    assert len(habits.calls) == 1 if workers == 1 else len(habits.calls) <= 2 * workers


def test_a_connection_is_checked_after_at_most_50_replies() -> None:
    _, checks = asked(Repeating(), calls=180)
    assert max(check.last - check.first + 1 for check in checks) <= 50


def test_a_surplus_voids_what_ended_unchecked_at_the_same_address_before() -> None:
    # closed without a word after 4 calls, so that nothing can be checked; then a surplus shows on a later connection
    habits = Repeating(0.0, 0.0, close_after=4, announces=False, every=10)
    replies, checks = asked(habits, calls=12)
    assert {check.result for check in checks} >= {"unknown", "swapped"}
    unknown = [check for check in checks if check.result == "unknown"]
    assert all(check._replace(result="swapped") in checks for check in unknown)
    assert not swapped({p: r for p, r in replies.items() if not is_reported(r[1], checks, "swapped")})


def test_a_server_that_ends_each_connection_after_some_calls_is_checked_before_it_does() -> None:
    habits = Repeating(close_after=6)
    _, checks = asked(habits, calls=40)
    # the first connection ends at its sixth call before it can be checked; the others carry five and are checked
    assert [check.result for check in checks].count("unknown") == 1
    assert set(habits.calls[1:]) <= {5, 40 - 6 - 5 * ((40 - 6) // 5)}


def test_a_server_that_says_that_it_closes_an_idle_connection_has_swapped_nothing() -> None:
    assert _checks_of_idle(b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n") == ["unknown"]


def test_a_blank_line_between_two_answers_is_no_surplus() -> None:
    assert _checks_of_idle(b"\r\n") == []


@pytest.mark.parametrize("data", [b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nHi", b"H", b"\x00"])
def test_anything_else_that_comes_while_nobody_has_asked_is_a_surplus(data: bytes) -> None:
    assert _checks_of_idle(data) == ["swapped"]


def test_a_surplus_that_comes_within_twice_the_time_of_the_slowest_answer_voids_replies(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Though the command would have waited no longer for it at its end: a slow server sends it late."""
    now = 0.0
    monkeypatch.setattr("selfexec.engines.http.connections.time.monotonic", lambda: now)
    checks: list[ConnectionCheck] = []

    async def main() -> None:
        nonlocal now
        connection = CheckedConnection(asyncio.get_running_loop(), SurplusWatch(checks.append))
        for _ in range(3):  # each answer takes ten seconds
            connection.set_response_params()
            now += 10
            connection.data_received(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nHi")
            await connection.read()
            connection.end_call("host:1")
        now += 15
        connection.data_received(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nHi")

    asyncio.run(main())
    assert [(check.first, check.last, check.result) for check in checks] == [(2, 3, "swapped")]


def test_a_server_that_speaks_before_it_is_asked_has_no_certain_reply() -> None:
    checks: list[ConnectionCheck] = []

    async def main() -> None:
        connection = CheckedConnection(asyncio.get_running_loop(), SurplusWatch(checks.append))
        connection.data_received(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nHi")
        connection.set_response_params()
        assert connection.label and connection.label.endswith(":1")

    asyncio.run(main())


def _checks_of_idle(data: bytes) -> list[str]:
    """What is reported where this comes on a connection at once after its second response."""
    checks: list[ConnectionCheck] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        connection = CheckedConnection(loop, SurplusWatch(checks.append))
        transport = _Transport(connection)
        connection.connection_made(transport)  # type: ignore[arg-type]
        for _ in range(2):
            connection.set_response_params()
            connection.data_received(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nHi")
            await connection.read()
            connection.end_call("host:1")
        connection.data_received(data)
        await asyncio.sleep(0)

    asyncio.run(main())
    return [check.result for check in checks]


class _Transport(asyncio.Transport):
    """Closes the connection that it belongs to."""

    def __init__(self, connection: CheckedConnection) -> None:
        super().__init__()
        self._connection = connection

    def is_closing(self) -> bool:
        return False

    def close(self) -> None:
        asyncio.get_running_loop().call_soon(self._connection.connection_lost, None)


# --- what of aiohttp this relies on ----------------------------------------------------------------------------------


def test_aiohttp_opens_gives_back_and_keeps_connections_as_this_relies_on() -> None:
    """If this fails after an update of aiohttp, read `engines/http/connections.py` again."""

    async def main(url: str) -> None:
        watch = SurplusWatch(lambda check: None)
        connector = CheckingConnector(watch, one_at_a_time=False)
        async with aiohttp.ClientSession(connector=connector) as http:
            for number in (1, 2):
                async with http.post(f"{url}/chat/completions", json={"messages": [{"content": "x"}]}) as response:
                    assert json.loads(await response.read())["choices"]
                [connection] = watch.open  # `_factory` made it
                assert connection.calls == number and connection.is_idle  # set_response_params, and `_release`
                [[(kept, _)]] = connector._conns.values()
                assert kept is connection and not connection.has_surplus
            connection.set_response_params()  # a response that nobody reads lies in `_buffer`
            connection.data_received(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            assert connection.has_surplus and SHORTEST_CHECK > 0

    with repeating(Repeating()) as url:
        asyncio.run(main(url))
