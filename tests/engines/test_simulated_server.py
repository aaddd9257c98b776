"""What the server of simulated models sends: whole replies with their counts, and each fault as it is described."""

import asyncio
from collections.abc import Mapping
from typing import Any, get_args

import aiohttp
import pytest

from selfexec.engines import Call, Connection, Outcome, Wire
from selfexec.engines.http.client import HttpEngine
from selfexec.engines.sim.server import DRIP, ERRORS, Manners, SimServer, parse_faults
from selfexec.errors import InputError
from selfexec.experiments import Key, Message
from selfexec.items import load
from sockets import server

ITEMS = load("starter").cut(limit=2)
REQUEST = next(iter(ITEMS["restriction"].values())).request  # type: ignore[attr-defined]
BODY = {
    "model": "sim/knows-itself",
    "messages": [{"role": "system", "content": "x" * 99}, {"role": "user", "content": REQUEST}],
}


def asked(manners: Manners, times: int = 1, body: Mapping[str, Any] = BODY) -> list[tuple[int, Any]]:
    """Status and body, as JSON or text, of so many calls one after the other; -1 where the connection broke."""

    async def main() -> list[tuple[int, Any]]:
        found: list[tuple[int, Any]] = []
        async with server(SimServer(ITEMS, manners).app()) as url, aiohttp.ClientSession() as http:
            for _ in range(times):
                try:
                    async with http.post(f"{url}/chat/completions", json=body) as reply:
                        found.append(
                            (reply.status, await (reply.json() if "json" in reply.content_type else reply.text()))
                        )
                except aiohttp.ClientError as fault:
                    found.append((-1, str(fault)))
        return found

    return asyncio.run(main())


@pytest.fixture(scope="module")
def whole() -> dict[str, Any]:
    [(status, body)] = asked(Manners())
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
    again = asked(Manners(), 2)
    assert [said(body) for _, body in again] == [(text, finish)] * 2
    assert again[0][1]["id"] != again[1][1]["id"]


@pytest.mark.parametrize("fault", ["content-filter", "refusal", "truncation", "no-usage"])
def test_a_lasting_fault_is_the_same_each_time(fault: str, whole: dict[str, Any]) -> None:
    text = said(whole)[0] or ""
    replies = asked(Manners(faults={fault: 1.0}), 3)
    expected = {
        "content-filter": ("", "content_filter"),
        "refusal": (None, "stop"),
        "truncation": (text[: len(text) // 2], "length"),
        "no-usage": (text, "stop"),
    }
    assert [(status, said(body)) for status, body in replies] == [(200, expected[fault])] * 3
    assert all(("usage" in body) == (fault != "no-usage") for _, body in replies)
    assert all(("refusal" in body["choices"][0]["message"]) == (fault == "refusal") for _, body in replies)


@pytest.mark.parametrize("fault", [fault for fault in ERRORS if fault != "500"])
def test_an_error_that_lasts_has_the_status_and_the_words_of_who_sends_it(fault: str) -> None:
    assert asked(Manners(faults={fault: 1.0}), 2) == [ERRORS[fault]] * 2


@pytest.mark.parametrize("fault", ["429", "500", "reset", "garbage", "no-choices", "empty", "died", "slow-body"])
def test_a_fault_that_passes_strikes_once_or_twice(fault: str, whole: dict[str, Any]) -> None:
    text = said(whole)[0] or ""
    replies = asked(Manners(faults={fault: 1.0}), 3)
    assert (replies[2][0], said(replies[2][1])) == (200, (text, "stop"))
    status, body = replies[0]
    assert status == {"429": 429, "500": 500, "reset": -1}.get(fault, 200)
    if fault in ("empty", "died", "slow-body"):
        wanted = {"empty": ("", "stop"), "died": (text[: len(text) // 2], "error"), "slow-body": (text, "stop")}
        assert said(body) == wanted[fault]
    if fault == "garbage":
        assert body.startswith("<html>")


def test_errors_have_the_statuses_of_who_is_imitated() -> None:
    assert {fault: status for fault, (status, _) in ERRORS.items()} == {
        **{"401": 401, "402": 402, "500": 500, "region": 403},
        **{"policy": 400, "policy-azure": 400, "policy-anthropic": 400, "policy-xai": 403, "policy-openrouter": 403},
    }
    bodies = (ERRORS["policy-azure"][1]["error"]["status"], ERRORS["policy-openrouter"][1]["error"]["code"])
    assert bodies == (400, 403)  # they say it once more


def test_faults_strike_as_often_as_they_are_given_and_a_third_of_the_passing_ones_twice() -> None:
    strikes = []
    for n in range(60):
        body = {**BODY, "messages": [{"role": "user", "content": f"{REQUEST} {n}"}]}
        served = SimServer(ITEMS, Manners(faults={"500": 0.4, "empty": 0.2}))
        strikes.append([served._fault(repr(body).encode()) for _ in range(3)])
    assert all(third is None for *_, third in strikes)
    first, second = ([one[n] for one in strikes] for n in (0, 1))
    # of 60: 24 and 12 are struck, a third of these once more; within three standard errors of what is expected
    assert 13 <= first.count("500") <= 35 and 3 <= first.count("empty") <= 21
    assert 2 <= second.count("500") <= 16 and all(a == b for a, b in zip(first, second, strict=True) if b)
    assert sum(map(bool, second)) < sum(map(bool, first))


def test_what_is_asked_too_fast_is_told_how_long_to_wait() -> None:
    replies = asked(Manners(rate=0.5), 2)
    assert [status for status, _ in replies] == [200, 429]


def test_the_rate_is_kept_by_a_bucket_that_fills_at_it_and_holds_what_comes_in_a_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [100.0]
    monkeypatch.setattr("selfexec.engines.sim.server.time.monotonic", lambda: clock[0])

    def waits(rate: float, *after: float) -> list[float]:
        served, found = SimServer(ITEMS, Manners(rate=rate)), list[float]()
        for seconds in after:
            clock[0] += seconds
            found.append(served._over_the_rate())
        return found

    # one in two seconds: the second comes two too early, then one, and then in time
    assert waits(0.5, 0, 0, 1, 1, 0.5) == [0, 2.0, 1.0, 0, 1.5]
    assert waits(4, 0, 0, 0, 0, 0) == [0, 0, 0, 0, 0.25]
    assert waits(4, 0, 10, 0, 0, 0, 0) == [0, 0, 0, 0, 0, 0.25]  # in ten seconds no more than in one
    assert waits(0, 0, 0, 0) == [0, 0, 0]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("fault", ["slow-body", "cut", "no-usage"])
def test_a_slow_body_alone_comes_in_drips(fault: str, stream: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    at_once = asyncio.sleep

    async def sleep(seconds: float, result: Any = None) -> Any:
        pauses.append(seconds)
        return await at_once(0, result)

    monkeypatch.setattr("selfexec.engines.sim.server.asyncio.sleep", sleep)
    [(status, _)] = asked(Manners(faults={fault: 1.0}), body={**BODY, "stream": stream})
    assert status == (-1 if fault == "cut" else 200)
    drips = [seconds for seconds in pauses if seconds > 0]
    assert drips == ([DRIP] * len(drips) if fault == "slow-body" else [])
    assert (len(drips) >= 5) == (fault == "slow-body")


@pytest.mark.parametrize(
    ("faults", "why"),
    [
        ({"x": 0.1}, "there are"),
        ({"500": 1.1}, "between 0 and 1"),
        ({"500": -0.1}, "between 0 and 1"),
        ({"500": 0.6, "429": 0.5}, "more than 1"),
    ],
)
def test_faults_that_cannot_be_are_refused(faults: dict[str, float], why: str) -> None:
    with pytest.raises(InputError, match=why):
        Manners(faults=faults)
    assert Manners(faults={"500": 0.0, "429": 1.0}).faults["429"] == 1
    assert parse_faults(["429=0.1", "empty=1"]) == {"429": 0.1, "empty": 1.0}
    with pytest.raises(InputError, match="write it as"):
        parse_faults(["429"])


def test_a_model_that_is_none_is_not_found() -> None:
    [(status, body)] = asked(Manners(), 1, {**BODY, "model": "sim/nobody"})
    assert (status, body["error"]["code"]) == (404, "model_not_found")


# --- the other wire formats ------------------------------------------------------------------------------------------


def over(wire: str, stream: bool, manners: Manners) -> Outcome:
    """The same request by our own engine, in a wire format, whole or in pieces."""
    key = Key("sim/knows-itself", "restriction", "x", 1, "execute")

    async def main() -> Outcome:
        async with server(SimServer(ITEMS, manners).app()) as url:
            connection = Connection(base_url=url, wire=wire, stream=stream, timeout=5)  # type: ignore[arg-type]
            async with HttpEngine([key.model], connection) as engine:
                return await engine.ask(Call(key, (Message("user", REQUEST),)))

    return asyncio.run(main())


@pytest.mark.parametrize("wire", get_args(Wire))
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("fault", "share", "stop"),
    [
        ("no-usage", 1.0, "stop"),
        ("truncation", 1.0, "length"),
        ("content-filter", 1.0, "content_filter"),
        ("refusal", 1.0, "stop"),
        (None, 0.0, "stop"),
    ],
)
def test_every_wire_format_says_the_same(
    wire: str, stream: bool, fault: str | None, share: float, stop: str, whole: dict[str, Any]
) -> None:
    text, sent, came = said(whole)[0] or "", len(REQUEST) // 4, len(said(whole)[0] or "") // 4 + 1
    found = over(wire, stream, Manners(faults={fault: share} if fault else {}))
    assert found.simulated
    if fault in ("content-filter", "refusal"):
        assert found.text == "" and (found.refusal or found.stop_reason in ("content_filter", "refusal"))
        return
    assert found.text == (text[: len(text) // 2] if fault == "truncation" else text)
    assert found.stop_reason == stop
    counted = (None, None) if fault == "no-usage" else (sent, came)
    assert (found.input_tokens, found.output_tokens) == counted


@pytest.mark.parametrize("wire", get_args(Wire))
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("fault", ["cut", "died", "slow-body"])
def test_what_passes_is_over_at_the_next_call_in_every_wire_format(
    wire: str, stream: bool, fault: str, whole: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("selfexec.engines.http.client.pause", lambda attempt: 0.001)
    found = over(wire, stream, Manners(faults={fault: 1.0}))
    assert (found.text, found.attempt is None) == (said(whole)[0], fault == "slow-body")


def test_a_reply_from_a_cache_has_the_header_of_one() -> None:
    with pytest.raises(InputError, match="the reply came from a cache"):
        over("openai", False, Manners(faults={"cached": 1.0}))


def test_a_model_that_is_not_simulated_here_is_not_found() -> None:
    [(status, told)] = asked(Manners(), body={**BODY, "model": "sim/nobody"})
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
