"""The server that fails, on which other tests rely: each fault is what it is called, and strikes as often as given."""

import asyncio
from typing import Any

import aiohttp
import pytest

from faulty_server import ALTERED, ERRORS, PASSING, WITHHELD, FaultyServer
from selfexec.engines.sim.server import SimServer
from selfexec.items import load
from sockets import server

ITEMS = load("starter").cut(limit=2)
REQUEST = next(iter(ITEMS["restriction"].values())).request  # type: ignore[attr-defined]
BODY = {"model": "sim/knows-itself", "messages": [{"role": "user", "content": REQUEST}]}


def asked(served: SimServer, times: int, **more: Any) -> list[tuple[int, Any]]:
    """Status and body, as JSON or text, of so many calls one after the other; -1 where the connection broke."""

    async def main() -> list[tuple[int, Any]]:
        replies: list[tuple[int, Any]] = []
        async with server(served.app()) as url, aiohttp.ClientSession() as http:
            for _ in range(times):
                try:
                    async with http.post(f"{url}/chat/completions", json=BODY | more) as reply:
                        body = await (reply.json() if "json" in reply.content_type else reply.text())
                        replies.append((reply.status, body))
                except aiohttp.ClientError as fault:
                    replies.append((-1, str(fault)))
        return replies

    return asyncio.run(main())


def content(body: dict[str, Any]) -> tuple[str | None, str]:
    choice = body["choices"][0]
    return choice["message"]["content"], choice["finish_reason"]


@pytest.fixture(scope="module")
def text() -> str:
    [(_, body)] = asked(SimServer(ITEMS), 1)
    return content(body)[0] or ""


@pytest.mark.parametrize("fault", ALTERED)
def test_a_reply_is_altered_in_what_the_fault_is_called_after(fault: str, text: str) -> None:
    [(status, body), (_, again)] = asked(FaultyServer(ITEMS, {fault: 1.0}), 2)
    expected = {
        "content-filter": ("", "content_filter"),
        "refusal": (None, "stop"),
        "truncation": (text[: len(text) // 2], "length"),
        "died": (text[: len(text) // 2], "error"),
        "empty": ("", "stop"),
        "no-usage": (text, "stop"),
    }
    assert (status, content(body)) == (200, expected[fault])
    assert ("usage" in body) == (fault != "no-usage")
    assert body["choices"][0]["message"].get("refusal") == (WITHHELD if fault == "refusal" else None)
    assert fault in PASSING or content(again) == expected[fault]  # what does not pass is the same each time


@pytest.mark.parametrize("fault", PASSING)
def test_a_fault_that_passes_strikes_once_or_twice(fault: str, text: str) -> None:
    (status, _), _, (third, body) = asked(FaultyServer(ITEMS, {fault: 1.0}), 3)
    assert status == {"429": 429, "500": 500, "reset": -1, "cut": -1}.get(fault, 200)
    assert (third, content(body)) == (200, (text, "stop"))


@pytest.mark.parametrize("fault", ["policy-xai", "region"])
def test_an_error_that_lasts_has_the_status_and_the_words_of_who_sends_it(fault: str) -> None:
    assert asked(FaultyServer(ITEMS, {fault: 1.0}), 3) == [ERRORS[fault]] * 3


def test_a_stream_that_is_cut_breaks_before_its_end() -> None:
    assert [status for status, _ in asked(FaultyServer(ITEMS, {"cut": 1.0}), 1, stream=True)] == [-1]


def test_faults_strike_as_often_as_they_are_given_and_a_third_of_the_passing_ones_twice() -> None:
    faulty = FaultyServer(ITEMS, {"500": 0.4, "empty": 0.2})
    strikes = [[faulty.fault(f"{REQUEST} {n}".encode()) for _ in range(3)] for n in range(60)]
    first, second, third = ([strike[n] for strike in strikes] for n in range(3))
    assert third == [None] * 60
    # of 60: 24 and 12 are struck, a third of these once more; within three standard errors of what is expected
    assert 13 <= first.count("500") <= 35 and 3 <= first.count("empty") <= 21
    assert 2 <= second.count("500") <= 16 and all(a == b for a, b in zip(first, second, strict=True) if b)
