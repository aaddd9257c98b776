"""A reply that was made long before it was asked for, by its server's clock, where that is known to be right."""

import asyncio
import json
import time
from typing import Any

import pytest
from aiohttp import web
from test_ends import FORMATS, OWN, short_pauses, streamed, whole

from selfexec.engines import Connection, Outcome
from selfexec.engines.http.client import HttpEngine
from selfexec.engines.http.server_times import created_in, seconds_since_1970
from sockets import call, server

__all__ = ["short_pauses"]
HOUR, DAY = 3_600, 86_400


def answers(wire: str, ages: list[float | None], name: str = "created", stream: bool = False) -> list[Outcome]:
    """What comes of calls to a server whose replies were made so many seconds before; the last one goes on."""
    served = 0

    async def handler(request: web.Request) -> web.Response:
        nonlocal served
        age = ages[min(served, len(ages) - 1)]
        served += 1
        field = {} if age is None else {name: int(time.time() - age)}
        done = next(iter(OWN[wire]))
        if not stream:
            return web.json_response(whole(wire, f"Hello {served}", done) | field)
        data = streamed(wire, f"Hello {served}", done)
        lines = [line for line in data.decode().split("\n\n") if line]
        pieces = [json.loads(line.partition("data: ")[2]) | field for line in lines]
        body = "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces)
        return web.Response(text=body, content_type="text/event-stream")

    async def main() -> list[Outcome]:
        app = web.Application()
        app.router.add_post("/{path:.*}", handler)
        async with server(app) as url:
            connection = Connection(base_url=url, wire=wire, timeout=5, stream=stream)  # type: ignore[arg-type]
            async with HttpEngine(["x/m"], connection) as engine:
                return [await engine.ask(call("x/m")) for _ in range(2)]

    return asyncio.run(main())


@FORMATS
@pytest.mark.parametrize("age", [2 * HOUR, 3 * DAY, 700 * DAY])
def test_a_reply_older_than_its_call_is_none_once_the_clock_is_known_to_be_right(wire: str, age: float) -> None:
    for name in ("created", "created_at"):
        first, second = answers(wire, [1.0, age], name)
        assert first.error is None and first.age is None
        assert second.text is None and second.unknown_end and second.error
        assert "older than its call" in second.error


@pytest.mark.parametrize("wire", ["openai", "gemini"])
def test_so_is_one_that_comes_in_pieces(wire: str) -> None:
    first, second = answers(wire, [1.0, 3 * DAY], stream=True)
    assert (first.error, second.text) == (None, None)


@FORMATS
def test_a_clock_that_was_never_right_leaves_the_age_as_a_remark(wire: str) -> None:
    for outcome in answers(wire, [8 * HOUR]):
        assert outcome.error is None and outcome.age and abs(outcome.age - 8 * HOUR) <= 5


@FORMATS
@pytest.mark.parametrize("age", [-300.0, 0.0, 540.0, 3_000.0, -8.0 * HOUR, None])
def test_minutes_of_skew_and_times_to_come_say_nothing(wire: str, age: float | None) -> None:
    for outcome in answers(wire, [1.0, age]):
        assert (outcome.error, outcome.age) == (None, None)


@FORMATS
def test_the_same_old_date_with_each_reply_is_a_placeholder(wire: str) -> None:
    for outcome in answers(wire, [1_000 * DAY]):
        assert (outcome.error, outcome.age) == (None, None)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        *((1_790_000_000, 1.79e9), (1_790_000_000_000, 1.79e9), (1_790_000_000.5, 1_790_000_000.5)),
        *(("2026-09-21T14:13:20Z", 1.79e9), ("2026-09-21T14:13:20", 1.79e9), ("2026-09-21T16:13:20+02:00", 1.79e9)),
        *((0, None), (1, None), (True, None), (None, None), ("now", None), ([], None), (1e300, None)),
    ],
)
def test_times_as_servers_write_them(value: Any, seconds: float | None) -> None:
    assert seconds_since_1970(value) == seconds
    assert created_in({"createTime": value}) == seconds
