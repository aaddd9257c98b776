"""What a server counts, and what its replies are made up of, is kept with them; an uncounted silence is none."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from aiohttp import web
from test_ends import FORMATS, OWN, short_pauses, streamed, whole

from selfexec.engines import CallResult, Connection
from selfexec.engines.http.client import HttpEngine
from selfexec.engines.http.server_counts import ServerCounts
from sockets import call, server

__all__ = ["short_pauses"]
USAGE = {
    "openai": ("usage", "prompt_tokens"),
    "responses": ("usage", "input_tokens"),
    "anthropic": ("usage", "input_tokens"),
    "gemini": ("usageMetadata", "promptTokenCount"),
}
COUNTS = pytest.mark.parametrize("count", [None, 0])


def body(wire: str, text: str, count: int | None) -> dict[str, Any]:
    usage, name = USAGE[wire]
    return whole(wire, text, next(iter(OWN[wire]))) | ({} if count is None else {usage: {name: count}})


def answers(wire: str, replies: list[tuple[str, int | None]], **headers: str) -> list[CallResult]:
    """What comes of calls to a server with these texts and counts of prompts; the last one goes on."""
    left = iter(replies)

    def bodies() -> Iterator[dict[str, Any]]:
        reply = None
        while True:
            reply = next(left, reply)
            assert reply is not None
            yield body(wire, *reply)

    served = bodies()

    async def handler(request: web.Request) -> web.Response:
        return web.json_response(next(served), headers=headers)

    async def main() -> list[CallResult]:
        app = web.Application()
        app.router.add_post("/{path:.*}", handler)
        async with server(app) as url:
            connection = Connection(base_url=url, wire=wire, timeout=5)  # type: ignore[arg-type]
            async with HttpEngine(["x/m"], connection) as engine:
                return [await engine.ask(call("x/m")) for _ in range(2)]

    return asyncio.run(main())


@FORMATS
@COUNTS
def test_a_silence_that_was_not_counted_is_asked_again_and_none_where_others_are_counted(
    wire: str, count: int | None
) -> None:
    first, second = answers(wire, [("Hello", 12), ("", count)])
    assert first.text == "Hello"
    assert (second.text, second.unknown_end, second.unknown_end_text) == (None, "stop+error", None)
    assert second.error and "no tokens of its prompt were counted" in second.error
    assert second.retry_causes == ("unknown end",)
    assert answers(wire, [("Hello", 12), ("", count), ("Yes.", 12)])[1].text == "Yes."


@FORMATS
@COUNTS
def test_a_silence_is_one_where_it_was_counted_or_nothing_ever_is(wire: str, count: int | None) -> None:
    assert answers(wire, [("Hello", 12), ("", 12)])[1].text == ""
    assert answers(wire, [("Hello", count), ("", count)])[1].text == ""


@pytest.mark.parametrize(
    "fields",
    [
        {"text": "Hi"},
        {"refusal": "No."},
        {"reasoning": "Hm."},
        {"stop_reason": "content_filter"},
        {"stop_reason": "length"},
    ],
)
def test_what_says_something_or_was_withheld_or_cut_needs_no_count(fields: dict[str, Any]) -> None:
    counts = ServerCounts()
    counts.judged("u", "m", CallResult("Hello", input_tokens=5))
    silent: dict[str, Any] = {"text": "", "stop_reason": "stop"}
    assert counts.judged("u", "m", CallResult(**silent)).error
    assert counts.judged("u", "m", CallResult(**silent | fields)).error is None
    assert counts.judged("u", "another", CallResult(**silent)).error is None


@FORMATS
def test_replies_keep_what_they_are_made_up_of_and_how_long_their_request_was(wire: str) -> None:
    first, second = answers(wire, [("Hello", 12)], powered="by steam", **{"openai-model": "gpt-3.5-turbo"})
    assert first.form == second.form is not None
    assert "header powered" in (first.form_parts or "").split("; ")
    assert f"field {USAGE[wire][1]}" in (first.form_parts or "").split("; ")
    assert first.other_model == "gpt-3.5-turbo (openai-model)"
    assert first.prompt_bytes == second.prompt_bytes == len(b"Hello?")
    assert answers(wire, [("Hello", 12)])[0].form not in (None, first.form)
    assert answers(wire, [("Hello", 12)])[0].other_model is None


def test_the_form_of_a_stream_is_that_of_the_body_that_its_pieces_make() -> None:
    async def handler(request: web.Request) -> web.Response:
        usage = json.dumps({"choices": [], "usage": {"prompt_tokens": 9}})
        data = streamed("openai", "Hello", "stop") + f"data: {usage}\n\ndata: [DONE]\n\n".encode()
        return web.Response(body=data, content_type="text/event-stream")

    async def main() -> CallResult:
        app = web.Application()
        app.router.add_post("/{path:.*}", handler)
        async with server(app) as url, HttpEngine(["x/m"], Connection(base_url=url, stream=True)) as engine:
            return await engine.ask(call("x/m"))

    assert "field prompt_tokens" in (asyncio.run(main()).form_parts or "").split("; ")
