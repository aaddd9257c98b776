"""What the server of simulated models sends: whole replies with their counts, in each wire format."""

import asyncio
from collections.abc import Mapping
from typing import Any, get_args

import aiohttp
import pytest

from selfexec.engines import Call, CallResult, Connection, Wire
from selfexec.engines.http.client import HttpEngine
from selfexec.engines.sim.server import SimServer
from selfexec.experiments import Key, Message
from selfexec.items import load
from sockets import server

ITEMS = load("starter").cut(limit=2)
REQUEST = next(iter(ITEMS["restriction"].values())).request  # type: ignore[attr-defined]
BODY = {
    "model": "sim/knows-itself",
    "messages": [{"role": "system", "content": "x" * 99}, {"role": "user", "content": REQUEST}],
}


def asked(served: SimServer, times: int = 1, body: Mapping[str, Any] = BODY) -> list[tuple[int, Any]]:
    """Status and body of so many calls one after the other."""

    async def main() -> list[tuple[int, Any]]:
        found: list[tuple[int, Any]] = []
        async with server(served.app()) as url, aiohttp.ClientSession() as http:
            for _ in range(times):
                async with http.post(f"{url}/chat/completions", json=body) as reply:
                    found.append((reply.status, await reply.json()))
        return found

    return asyncio.run(main())


@pytest.fixture(scope="module")
def whole() -> dict[str, Any]:
    [(status, body)] = asked(SimServer(ITEMS))
    assert status == 200
    found: dict[str, Any] = body
    return found


def said(body: Mapping[str, Any]) -> tuple[str | None, str]:
    choice = body["choices"][0]
    return choice["message"]["content"], choice["finish_reason"]


def test_a_reply_has_its_text_and_counts_of_a_quarter_of_the_characters(whole: dict[str, Any]) -> None:
    text, finish = said(whole)
    assert text and finish == "stop" and whole["simulated"] is True and whole["model"] == "sim/knows-itself"
    sent, came = len(REQUEST) // 4, len(text) // 4 + 1  # a system prompt is not heard
    assert whole["usage"] == {"prompt_tokens": sent, "completion_tokens": came, "total_tokens": sent + came}
    again = asked(SimServer(ITEMS), 2)
    assert [said(body) for _, body in again] == [(text, finish)] * 2
    assert again[0][1]["id"] != again[1][1]["id"]


def test_what_is_asked_too_fast_is_told_how_long_to_wait() -> None:
    replies = asked(SimServer(ITEMS, rate=0.5), 2)
    assert [status for status, _ in replies] == [200, 429]


def test_the_rate_is_kept_by_a_bucket_that_fills_at_it_and_holds_what_comes_in_a_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [100.0]
    monkeypatch.setattr("selfexec.engines.sim.server.time.monotonic", lambda: clock[0])

    def waits(rate: float, *after: float) -> list[float]:
        served, found = SimServer(ITEMS, rate=rate), list[float]()
        for seconds in after:
            clock[0] += seconds
            found.append(served._over_the_rate())
        return found

    # one in two seconds: the second comes two too early, then one, and then in time
    assert waits(0.5, 0, 0, 1, 1, 0.5) == [0, 2.0, 1.0, 0, 1.5]
    assert waits(4, 0, 0, 0, 0, 0) == [0, 0, 0, 0, 0.25]
    assert waits(4, 0, 10, 0, 0, 0, 0) == [0, 0, 0, 0, 0, 0.25]  # in ten seconds no more than in one
    assert waits(0, 0, 0, 0) == [0, 0, 0]


# --- the other wire formats ------------------------------------------------------------------------------------------


def over(wire: str, stream: bool) -> CallResult:
    """The same request by our own engine, in a wire format, whole or in pieces."""
    key = Key("sim/knows-itself", "restriction", "x", 1, "execute")

    async def main() -> CallResult:
        async with server(SimServer(ITEMS).app()) as url:
            connection = Connection(base_url=url, wire=wire, stream=stream, timeout=5)  # type: ignore[arg-type]
            async with HttpEngine([key.model], connection) as engine:
                return await engine.ask(Call(key, (Message("user", REQUEST),)))

    return asyncio.run(main())


@pytest.mark.parametrize("wire", get_args(Wire))
@pytest.mark.parametrize("stream", [False, True])
def test_every_wire_format_says_the_same(wire: str, stream: bool, whole: dict[str, Any]) -> None:
    text = said(whole)[0] or ""
    reply = over(wire, stream)
    assert reply.simulated
    assert (reply.text, reply.stop_reason) == (text, "stop")
    assert (reply.input_tokens, reply.output_tokens) == (len(REQUEST) // 4, len(text) // 4 + 1)


def test_a_model_that_is_not_simulated_here_is_not_found() -> None:
    [(status, told)] = asked(SimServer(ITEMS), body={**BODY, "model": "sim/nobody"})
    assert (status, told["error"]["code"]) == (404, "model_not_found") and "nobody" in told["error"]["message"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("chat/completions", {"model": "sim/coin"}),
        ("responses", {"model": "sim/coin", "input": [{"role": "user"}]}),
        ("responses", {"model": "sim/coin", "input": 7}),
        ("messages", {"model": "sim/coin", "messages": []}),
        ("models/sim/coin:generateContent", {"contents": [{"role": "user", "parts": 7}]}),
        ("models/sim/coin:generateContent", ["contents"]),
    ],
)
def test_what_is_no_request_of_a_format_is_told(path: str, body: Any) -> None:
    async def main() -> tuple[int, Any]:
        async with server(SimServer(ITEMS).app()) as url, aiohttp.ClientSession() as http:
            reply = await http.post(f"{url}/{path}", json=body)
            return reply.status, await reply.json()

    status, told = asyncio.run(main())
    assert (status, told["error"]["message"]) == (400, f"the body is no request of /v1/{path}")
