"""A reply that was made long before it was asked for, by its server's clock, where that is known to be right."""

import asyncio
import json
import time
from email.utils import formatdate
from typing import Any

import pytest
from aiohttp import web
from test_ends import FORMATS, OWN, short_pauses, streamed, whole

from selfexec.engines import CallResult, Connection
from selfexec.engines.http.client import HttpEngine
from selfexec.engines.http.server_clocks import ServerClocks
from selfexec.engines.http.server_times import created_in, seconds_of_date, seconds_since_1970
from sockets import call, server

__all__ = ["short_pauses"]
HOUR, DAY = 3_600, 86_400


def answers(wire: str, ages: list[float | None], name: str = "created", stream: bool = False) -> list[CallResult]:
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

    async def main() -> list[CallResult]:
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
    for result in answers(wire, [8 * HOUR]):
        assert result.error is None and result.age and abs(result.age - 8 * HOUR) <= 5


@FORMATS
@pytest.mark.parametrize("age", [-300.0, 0.0, 540.0, -8.0 * HOUR, None])
def test_minutes_of_skew_and_times_to_come_say_nothing(wire: str, age: float | None) -> None:
    for result in answers(wire, [1.0, age]):
        assert (result.error, result.age) == (None, None)


@FORMATS
def test_a_reply_older_than_a_clock_may_be_off_is_none_once_the_clock_was_exact(wire: str) -> None:
    for exact in (1.0, -30.0):
        first, second = answers(wire, [exact, 1_800.0])
        assert first.error is None and second.unknown_end
        assert second.error == "the reply is older than its call, by 30 min: something on the way had kept it"
    for loose in (200.0, -200.0, None):  # which is right, or unknown, and may be off by as much as half an hour
        assert answers(wire, [loose, 1_800.0])[1].error is None


@pytest.mark.parametrize(("step", "ages"), [(0, [None, None, None]), (3, [None, 190_000_000 - 2, 190_000_000 - 4])])
def test_a_date_of_years_ago_is_a_placeholder_unless_each_reply_has_another(step: int, ages: list[int | None]) -> None:
    clocks = ServerClocks()
    made = (CallResult("Hello", stop_reason="stop", created=1.6e9 + step * n) for n in range(3))
    results = [clocks.judged("u", "m", one, 1.79e9 + n) for n, one in enumerate(made)]
    assert [result.error for result in results] == [None] * 3
    assert [result.age for result in results] == ages


# --- the date of the response ----------------------------------------------------------------------------------------


def judged(clocks: ServerClocks, date: str | None, **said: Any) -> CallResult:
    """A reply to a call at 2026-09-21 14:13:20 UTC, with this date in its headers."""
    return clocks.judged("u", "m", CallResult("Hello", stop_reason="stop", **said), 1.79e9, date)


def date_before(seconds: float) -> str:
    return formatdate(1.79e9 - seconds, usegmt=True)


@pytest.fixture
def at_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfexec.engines.http.server_clocks.time.time", lambda: 1.79e9 + 1)


@pytest.mark.usefixtures("at_the_call")
@pytest.mark.parametrize("age", [2 * HOUR, 24 * DAY])
def test_a_response_dated_before_its_call_came_from_a_cache_once_a_date_was_right(age: float) -> None:
    clocks = ServerClocks()
    assert judged(clocks, date_before(age)).error is None  # nothing is known of the clock yet
    assert judged(clocks, date_before(1)).error is None
    for created in (None, 1.79e9):
        found = judged(clocks, date_before(age), created=created)
        assert found.text is None and found.unknown_end == "stop+error" and "older than its call" in str(found.error)


def test_a_date_is_read_as_utc_unless_it_has_a_zone() -> None:
    for date in ("Mon, 21 Sep 2026 14:13:20 GMT", "Mon, 21 Sep 2026 14:13:20", "Mon, 21 Sep 2026 16:13:20 +0200"):
        assert seconds_of_date(date) == 1.79e9


def test_the_engine_judges_the_date_of_each_response() -> None:
    served = 0

    async def handler(request: web.Request) -> web.Response:
        nonlocal served
        served += 1
        date = formatdate(time.time() - (served > 1) * DAY, usegmt=True)
        return web.json_response(whole("openai", f"Hello {served}", "stop"), headers={"Date": date})

    async def main() -> list[CallResult]:
        app = web.Application()
        app.router.add_post("/{path:.*}", handler)
        async with server(app) as url, HttpEngine(["x/m"], Connection(base_url=url, timeout=5)) as engine:
            return [await engine.ask(call("x/m")) for _ in range(2)]

    first, second = asyncio.run(main())
    assert (first.text, second.text, second.unknown_end) == ("Hello 1", None, "stop+error")


@pytest.mark.usefixtures("at_the_call")
def test_a_date_that_is_near_to_come_or_no_date_says_nothing() -> None:
    clocks = ServerClocks()
    for date in (date_before(0), date_before(540), date_before(-8 * HOUR), "", None, "now", "Mon, 99 Foo 2026", "0"):
        found = judged(clocks, date)
        assert (found.error, found.age) == (None, None)


@pytest.mark.usefixtures("at_the_call")
def test_dates_that_were_never_right_say_nothing_beside_a_right_time_of_the_reply() -> None:
    clocks = ServerClocks()
    for _ in range(3):
        found = judged(clocks, date_before(24 * DAY), created=1.79e9)
        assert (found.error, found.age) == (None, None)


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
