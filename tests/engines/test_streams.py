"""Replies in pieces, on real sockets: what comes in pieces is the reply that would have come at once, and half of it is
none.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from effort import examples
from selfexec.engines import CallResult, Connection
from selfexec.engines.http.client import HttpEngine
from selfexec.engines.http.policy import error_in_reply
from selfexec.engines.http.wires import WIRES, Stream, UnusableReply
from selfexec.errors import InputError
from sockets import call, completion, server

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
DONE = "data: [DONE]\n\n"


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfexec.engines.http.client.pause", lambda attempt: 0.001)
    monkeypatch.setattr("selfexec.engines.http.client.ATTEMPTS", 3)


def asked(handler: Handler, wire: Any = "openai", times: int = 1, **options: Any) -> list[CallResult]:
    """Some calls, one after the other, to a server that does what `handler` does."""

    async def main() -> list[CallResult]:
        app = web.Application()
        app.router.add_route("*", "/{rest:.*}", handler)
        async with server(app) as url:
            connection = Connection(base_url=url, wire=wire, **{"stream": True, "timeout": 5, **options})
            async with HttpEngine(["any/m"], connection) as engine:
                return [await engine.ask(call("any/m", "Hello?", n + 1)) for n in range(times)]

    return asyncio.run(main())


def sending(*bodies: str | bytes, kind: str = "text/event-stream") -> Handler:
    """A server that sends these bodies one after the other, the last one for ever."""
    queue = [body.encode() if isinstance(body, str) else body for body in bodies]

    async def handler(request: web.Request) -> web.Response:
        return web.Response(body=queue.pop(0) if len(queue) > 1 else queue[0], content_type=kind)

    return handler


def events(*pieces: Any, end: str = "") -> str:
    """Pieces as server-sent events, named where they say their type."""
    named = (f"event: {piece['type']}\n" if piece.get("type") else "" for piece in pieces)
    return "".join(f"{name}data: {json.dumps(piece)}\n\n" for name, piece in zip(named, pieces, strict=True)) + end


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"id": "c", "model": "m-1", "choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


COUNTS = {"prompt_tokens": 3, "completion_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 2}}
CHAT = (
    delta(role="assistant", content=""),
    delta(reasoning_content="Hm"),
    delta(reasoning_content="."),
    delta(content="H"),
    delta(content="i"),
    delta("stop"),
    {"id": "c", "model": "m-1", "choices": [], "usage": COUNTS},
)
RESPONSE = {
    "id": "c",
    "model": "m-1",
    "status": "completed",
    "output": [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]},
        {"type": "message", "content": [{"type": "output_text", "text": "Hi"}]},
    ],
    "usage": {"input_tokens": 3, "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 2}},
}
RESPONSES = (
    {"type": "response.created", "response": {**RESPONSE, "status": "in_progress", "output": []}},
    {"type": "response.output_text.delta", "delta": "Hi"},
    {"type": "response.completed", "response": RESPONSE},
)
ANTHROPIC = (
    {"type": "message_start", "message": {"id": "c", "model": "m-1", "content": [], "usage": {"input_tokens": 3}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "x"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "ping"},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "H"}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "i"}},
    {"type": "content_block_stop", "index": 1},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 5}},
    {"type": "message_stop"},
)


def gemini(*parts: Any, **candidate: Any) -> dict[str, Any]:
    whole = {"content": {"role": "model", "parts": list(parts)}, **candidate}
    return {"candidates": [whole], "modelVersion": "m-1", "responseId": "c"}


GEMINI = (
    gemini({"text": "Hm.", "thought": True}),
    gemini({"text": "H"}),
    gemini({"text": "i"}, finishReason="STOP")
    | {"usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 3, "thoughtsTokenCount": 2}},
)
STREAMS = {
    "openai": events(*CHAT, end=DONE),
    "responses": events(*RESPONSES),
    "anthropic": events(*ANTHROPIC),
    "gemini": events(*GEMINI),
}
# pieces without which the reply has not come to its end: of which on it is whole, by hand
UNFINISHED = {"openai": CHAT[:5], "responses": RESPONSES[:2], "anthropic": ANTHROPIC[:10], "gemini": GEMINI[:2]}


@pytest.mark.parametrize("wire", STREAMS)
def test_a_reply_in_pieces_is_the_reply_in_one(wire: str) -> None:
    found = asked(sending(STREAMS[wire]), wire)[0]
    # Anthropic's format counts thoughts with the rest
    thoughts = None if wire == "anthropic" else 2
    assert structs.replace(found, form=None, form_parts=None, prompt_bytes=None) == CallResult(
        "Hi",
        output_tokens=5,
        stop_reason="stop",
        input_tokens=3,
        reasoning_tokens=thoughts,
        reasoning="Hm.",
        served_model="m-1",
        completion_id="c",
    )


@pytest.mark.parametrize(
    ("wire", "path", "fields"),
    [
        ("openai", "/v1/chat/completions", {"stream": True, "stream_options": {"include_usage": True}}),
        ("responses", "/v1/responses", {"stream": True, "store": False}),
        ("anthropic", "/v1/messages", {"stream": True}),
        ("gemini", "/v1/models/m:streamGenerateContent?alt=sse", {}),
    ],
)
def test_each_format_is_asked_for_pieces_and_counts_in_its_own_way(
    wire: str, path: str, fields: dict[str, Any]
) -> None:
    seen: list[tuple[str, dict[str, Any]]] = []

    async def handler(request: web.Request) -> web.StreamResponse:
        seen.append((str(request.rel_url), await request.json()))
        return await sending(STREAMS[wire])(request)

    asked(handler, wire)
    [(asked_at, body)] = seen
    assert asked_at == path
    assert {name: body.get(name) for name in ("stream", "stream_options", "store") if name in body} == fields


@pytest.mark.parametrize("wire", STREAMS)
@pytest.mark.parametrize("how", ["cut in the middle", "ended too soon", "nothing"])
def test_half_a_stream_is_asked_for_again_and_is_never_taken_for_a_reply(wire: str, how: str) -> None:
    calls = 0

    async def handler(request: web.Request) -> web.StreamResponse:
        nonlocal calls
        calls += 1
        if calls in (1, 3):
            return await sending(STREAMS[wire])(request)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        if how != "nothing":
            await response.write(events(*UNFINISHED[wire]).encode())
        if how == "cut in the middle":
            assert request.transport
            request.transport.abort()
        return response

    first, second = asked(handler, wire, times=2)
    assert (first.text, first.attempt) == ("Hi", None)
    assert (second.text, second.attempt) == ("Hi", 2)
    assert second.retry_causes == ("connection" if how == "cut in the middle" else "broken stream",) or how == "nothing"


@pytest.mark.parametrize("wire", STREAMS)
def test_half_a_stream_that_stays_so_is_missing_with_the_reason(wire: str) -> None:
    first, second = asked(sending(STREAMS[wire], events(*UNFINISHED[wire])), wire, times=2)
    assert first.text == "Hi"
    assert (second.text, second.reasoning) == (None, None)
    assert second.error == (
        "no whole reply came (the stream broke off before the reply had come to its end) (3 attempts)"
    )


def test_done_without_a_finish_reason_is_half_a_stream() -> None:
    # so says a gateway whose upstream has died
    with pytest.raises(InputError, match="broke off before the reply had come to its end"):
        asked(sending(events(*CHAT[:5], end=DONE)))


def test_done_with_all_but_the_finish_reason_is_half_a_stream_too() -> None:
    # another field says why the upstream ended; the one that a reply ends by is not there
    last = {"id": "c", "model": "m-1", "choices": [{"index": 0, "delta": {}, "native_finish_reason": "stop"}]}
    with pytest.raises(InputError, match="broke off before the reply had come to its end"):
        asked(sending(events(*CHAT[:5], last, end=DONE)))


def test_a_finish_reason_without_done_is_a_whole_reply_as_is_one_without_counts() -> None:
    found = asked(sending(events(*CHAT)))[0]
    assert (found.text, found.output_tokens) == ("Hi", 5)
    found = asked(sending(events(*CHAT[:6])))[0]
    assert (found.text, found.stop_reason, found.output_tokens) == ("Hi", "stop", None)


def test_a_server_that_holds_the_connection_open_behind_the_end_is_not_waited_for() -> None:
    async def handler(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(STREAMS["openai"].encode())
        while request.transport and not request.transport.is_closing():
            await asyncio.sleep(0.01)
        return response

    assert asked(handler)[0].text == "Hi"


def test_a_server_that_answers_in_one_piece_though_asked_for_many_is_understood() -> None:
    for kind in ("application/json", "text/event-stream"):
        assert asked(sending(json.dumps(completion("Hi")), kind=kind))[0].text == "Hi"


@pytest.mark.parametrize("kind", ["text/plain", "application/json", "application/octet-stream"])
def test_a_stream_of_any_content_type_is_one(kind: str) -> None:
    assert asked(sending(STREAMS["openai"], kind=kind))[0].text == "Hi"


def test_comments_carriage_returns_and_a_byte_order_mark_are_no_obstacle() -> None:
    written = STREAMS["anthropic"].replace("\n", "\r\n")
    body = b"\xef\xbb\xbf" + f": keep-alive\r\n\r\n{written}".encode()
    assert asked(sending(body), "anthropic")[0].text == "Hi"
    # and many leave out the last empty line
    assert asked(sending(STREAMS["openai"].rstrip()))[0].text == "Hi"


def test_a_character_cut_in_two_between_pieces_is_whole_again() -> None:
    smile = json.dumps("\N{SLIGHTLY SMILING FACE}")[1:-1]  # two escapes of six letters
    halves = [json.dumps(delta(content="@")).replace("@", half) for half in (smile[:6], smile[6:])]
    body = "".join(f"data: {half}\n\n" for half in halves) + events(delta("stop"), end=DONE)
    assert asked(sending(body))[0].text == "\N{SLIGHTLY SMILING FACE}"
    # half of one that stays half is what it is without streaming too
    half = events(delta(content="A")) + f"data: {halves[0]}\n\n" + events(delta(content="B"), delta("stop"), end=DONE)
    assert asked(sending(half))[0].text == "A\ufffdB"


@pytest.mark.parametrize(
    ("wire", "body"),
    [
        ("openai", events(*CHAT[:4], {"error": {"message": "upstream died", "code": 502}}, end=DONE)),
        ("openai", events(*CHAT[:4], delta("error") | {"error": {"message": "upstream died"}}, end=DONE)),
        ("openai", events(*CHAT[:4], delta("error"), end=DONE)),
        ("responses", events(*RESPONSES[:2], {"type": "error", "code": "server_error", "message": "died"})),
        (
            "responses",
            events(
                {"type": "response.failed", "response": {**RESPONSE, "status": "failed", "error": {"message": "x"}}}
            ),
        ),
        ("anthropic", events(*ANTHROPIC[:8], {"type": "error", "error": {"type": "overloaded_error", "message": "x"}})),
        ("gemini", events(*GEMINI[:2], {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}})),
    ],
)
def test_an_error_in_the_middle_of_a_stream_is_one_and_what_came_before_is_no_reply(wire: str, body: str) -> None:
    first, second, third = asked(sending(STREAMS[wire], body, STREAMS[wire], body), wire, times=3)
    assert (first.text, second.text, second.attempt) == ("Hi", "Hi", 2)
    assert third.text is None and third.error


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("name", ["error", ""])
def test_an_error_ends_a_stream_and_is_its_body_in_every_format(wire: str, name: str) -> None:
    stream = Stream(WIRES[wire].gathering())  # type: ignore[index]
    error = {"message": "broke", "code": 500}
    stream.feed(f"event: {name}\ndata: {json.dumps({'type': 'error', 'error': error})}\n\n".encode())
    assert stream.over and not stream.whole and error_in_reply(json.loads(stream.raw())) == error


def test_an_error_of_the_responses_api_may_be_the_event_itself() -> None:
    stream = Stream(WIRES["responses"].gathering())
    event = {"type": "error", "message": "broke", "code": "server_error"}
    stream.feed(f"data: {json.dumps(event)}\n\n".encode())
    assert stream.over and json.loads(stream.raw()) == {"error": event}


def test_a_content_policy_in_the_middle_of_a_stream_is_behaviour() -> None:
    error = {"message": "this was filtered", "code": "content_filter"}
    found = asked(sending(events(*CHAT[:4], {"error": error}, end=DONE)))[0]
    assert (found.text, found.stop_reason, found.policy) == ("", "content_filter", "status 200: this was filtered")


def test_an_error_with_a_status_of_its_own_is_what_it_is_without_streaming() -> None:
    async def closed(request: web.Request) -> web.Response:
        return web.json_response({"error": {"message": "who?"}}, status=401)

    with pytest.raises(InputError, match="the key is not accepted"):
        asked(closed)


# --- hostile ones ----------------------------------------------------------------------------------------------------


def test_a_stream_without_end_is_cut_off_by_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfexec.engines.http.transport.LONGEST_STREAM", 2**20)
    sent = 0

    async def endless(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for _ in range(1000):
            await response.write(b": keep-alive\n\n" * 5000)
            sent += 70_000
        return response

    with pytest.raises(InputError, match="the stream is longer than 1 MB"):
        asked(endless)
    assert sent < 1000 * 70_000


def test_a_line_without_end_is_cut_off_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfexec.engines.http.transport.LONGEST_STREAM", 2**20)
    with pytest.raises(InputError, match="the stream is longer than 1 MB"):
        asked(sending(b'data: {"choices": [{"delta": {"content": "' + b"x" * 2**21))


def test_a_stream_that_only_says_that_it_is_alive_is_given_up_in_time() -> None:
    async def alive(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        while True:
            await response.write(b": keep-alive\n\n")
            await asyncio.sleep(0.01)

    with pytest.raises(InputError, match=r"no reply within 0\.2 s"):
        asked(alive, timeout=0.2)


def test_a_reply_longer_than_the_journal_takes_is_an_error_in_pieces_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfexec.engines.http.bodies.LONGEST_TEXT", 1000)
    found = asked(sending(events(*(delta(content=f"{n:100}") for n in range(11)), delta("stop"), end=DONE)))[0]
    assert (found.text, found.error) == (None, "the reply is longer than 1,000 characters")


@pytest.mark.parametrize("wire", STREAMS)
@pytest.mark.parametrize(
    "odd",
    [
        "data: 7\n\n",
        "data: []\n\n",
        "data: {\n\n",
        'data: {"choices": 7}\n\n',
        'data: {"choices": [7]}\n\n',
        'data: {"type": "content_block_delta", "index": "x"}\n\n',
        'data: {"type": "content_block_delta", "index": {}}\n\n',
        'data: {"type": "response.completed", "response": 7}\n\n',
        'data: {"candidates": [7]}\n\n',
        "data: " + "[" * 5000 + "\n\n",
        "<html>",
    ],
)
def test_whatever_a_stream_holds_no_other_error_is_raised(wire: str, odd: str) -> None:
    stream = Stream(WIRES[wire].gathering())
    stream.feed(odd.encode())
    try:
        raw = stream.raw()
    except UnusableReply:
        return
    assert odd == "<html>" or "content" not in json.loads(raw)


@settings(max_examples=examples(100), deadline=None)
@given(st.sampled_from(list(STREAMS)), st.lists(st.integers(1, 40), min_size=1))
def test_wherever_the_bytes_are_cut_into_packets_the_reply_is_the_same(wire: str, lengths: Sequence[int]) -> None:
    body, at, stream = STREAMS[wire].encode(), 0, Stream(WIRES[wire].gathering())
    for n in range(len(body)):
        if at >= len(body):
            break
        stream.feed(body[at : at + lengths[n % len(lengths)]])
        at += lengths[n % len(lengths)]
    found = WIRES[wire].result(json.loads(stream.raw()))
    assert (found.text, found.reasoning, found.output_tokens) == ("Hi", "Hm.", 5)


@settings(max_examples=examples(100), deadline=None)
@given(st.sampled_from(list(STREAMS)), st.floats(0, 1))
def test_wherever_a_stream_is_cut_it_is_whole_or_none(wire: str, share: float) -> None:
    body, stream = STREAMS[wire].encode(), Stream(WIRES[wire].gathering())
    stream.feed(body[: round(share * len(body))])
    try:
        found = WIRES[wire].result(json.loads(stream.raw()))
    except (UnusableReply, ValueError):
        return
    assert (found.text, found.stop_reason) == ("Hi", "stop")
