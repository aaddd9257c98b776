"""How many calls may be under way, and how long a server may make one wait: the numbers, and who is let in."""

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from selfexec.engines.http import rate_limit
from selfexec.engines.http.bodies import seconds_of
from selfexec.engines.http.client import pause
from selfexec.engines.http.quota import LONGEST_WAIT, spent
from selfexec.engines.http.rate_limit import CALM, SLOWER, RateLimit


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(rate_limit.time, "monotonic", lambda: now[0])
    return now


def test_a_success_adds_one_connection_for_as_many_as_there_are() -> None:
    pace = RateLimit(10)
    pace.went_well()
    assert pace.limit == 10.0
    pace.limit = 4.0
    for _ in range(4):
        pace.went_well()
    assert 4.9 < pace.limit < 5.0  # 1/4, and then a little less each time
    pace.limit = 9.95
    pace.went_well()
    assert pace.limit == 10.0


def test_a_complaint_takes_three_in_ten_of_the_connections_once_a_burst(clock: list[float]) -> None:
    pace = RateLimit(10)
    pace.too_fast()
    assert pace.limit == pytest.approx(10 * SLOWER) == 7.0
    clock[0] += CALM  # still of the same burst
    pace.too_fast()
    assert pace.limit == pytest.approx(7.0)
    for n in range(1, 9):
        clock[0] += CALM + 0.01
        pace.too_fast()
        assert pace.limit == pytest.approx(max(7 * SLOWER**n, 1.0))
    assert pace.limit == 1.0


def test_nobody_calls_before_the_server_wants_to_be_called_again(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)
        clock[0] += seconds

    monkeypatch.setattr(rate_limit.asyncio, "sleep", sleep)

    async def call(pace: RateLimit) -> None:
        async with pace:
            assert pace.busy == 1

    pace = RateLimit(2)
    asyncio.run(call(pace))
    assert waited == []
    pace.too_fast(3.0)
    pace.too_fast(2.0)  # the longer of two waits holds
    asyncio.run(call(pace))
    assert waited == [pytest.approx(3.0)]
    asyncio.run(call(pace))
    assert len(waited) == 1 and pace.busy == 0


def test_who_waits_is_let_in_in_turn_as_calls_end_and_as_the_limit_grows() -> None:
    order: list[int] = []

    async def main() -> None:
        pace, go = RateLimit(3), asyncio.Event()
        pace.limit = 1.0

        async def call(n: int) -> None:
            async with pace:
                order.append(n)
                await go.wait()

        calls = [asyncio.create_task(call(n)) for n in range(5)]
        await asyncio.sleep(0)
        assert (order, pace.busy) == ([0], 1)
        calls[1].cancel()  # who no longer waits is passed over
        await asyncio.sleep(0)
        pace.went_well()  # to 2
        for _ in range(3):
            await asyncio.sleep(0)
        assert (order, pace.busy) == ([0, 2], 2)
        go.set()
        await asyncio.gather(*calls, return_exceptions=True)
        assert (order, pace.busy) == ([0, 2, 3, 4], 0)

    asyncio.run(main())


def test_a_wait_that_is_too_long_is_told_in_minutes_and_from_two_hours_on_in_hours() -> None:
    def said(seconds: float | None) -> str | None:
        return spent(429, b"{}", seconds)

    assert (said(None), said(LONGEST_WAIT)) == (None, None)
    assert said(LONGEST_WAIT + 1) == "the server asks to wait for 5 min"
    assert said(7140) == "the server asks to wait for 119 min"
    assert said(7200) == "the server asks to wait for 2 h"
    assert said(86_400) == "the server asks to wait for 24 h"
    assert said(seconds_of("9" * 300)) == "the server asks to wait for more than a year"


def test_a_wait_is_given_in_seconds_or_by_the_date_of_its_end() -> None:
    assert [seconds_of(text) for text in ("2.5", "0", "-3", "inf", "soon", "", None)] == [2.5] + [None] * 6
    end = datetime.now(UTC) + timedelta(hours=1)
    assert seconds_of(format_datetime(end)) == pytest.approx(3600, abs=60)
    assert seconds_of(format_datetime(end - timedelta(hours=2))) is None


def test_pauses_are_drawn_up_to_half_a_second_then_twice_that_and_so_on_up_to_a_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("random.uniform", lambda least, most: (least, most))
    assert [pause(attempt) for attempt in (1, 2, 3, 7, 8, 9)] == [
        (0.1, most) for most in (0.5, 1.0, 2.0, 32.0, 60.0, 60.0)
    ]
