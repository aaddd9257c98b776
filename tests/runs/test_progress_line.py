"""How far a run is, on one line: what came back, what it cost, and how long it may take."""

from typing import Any

import pytest

from selfexec.engines import Price
from selfexec.runs import Reply
from selfexec.runs.asking.progress import Progress, Took, as_line, duration, now_and_then


def reply(**more: Any) -> Reply:
    place = {"model": "m", "experiment": "restriction", "item": "1", "epoch": 1, "session": "predict"}
    return Reply(**place, text=more.pop("text", "A"), **more)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0 s"), (59, "59 s"), (60, "1 min"), (150, "2 min"), (5_340, "89 min"), (5_400, "1.5 h"), (36_000, "10.0 h")],
)
def test_durations_are_told_in_seconds_minutes_or_hours(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_what_calls_took_adds_up_what_was_counted_said_or_priced() -> None:
    took, price = Took(), Price(2.0, 8.0, "here")
    took.count(reply(input_tokens=10, output_tokens=5), None)
    assert (took.calls, took.input, took.output, took.reasoning, took.dollars) == (1, 10, 5, None, None)
    took.count(reply(input_tokens=1_000, output_tokens=500, reasoning_tokens=7), price)  # 6,000 millionths
    took.count(reply(reasoning_tokens=3, cost_usd=0.5), price)
    took.count(reply(input_tokens=1_000), price)  # 2,000 millionths, as far as anybody counted
    took.count(reply(text=None, error="broke off", input_tokens=1), price)  # what failed has no price
    assert (took.calls, took.input, took.output, took.reasoning) == (5, 2_011, 505, 10)
    assert took.dollars == pytest.approx(0.508)


def test_what_two_parts_took_is_added_and_what_neither_knows_stays_unknown() -> None:
    took = Took(calls=1, input=10, output=100)
    took.add(Took(calls=2, input=20, output=200))
    assert took == Took(3, 30, 300, None, None)
    took.add(Took(4, 40, 400, reasoning=5))
    took.add(Took(5, 50, 500, dollars=0.25))
    took.add(Took(0, 0, 0, reasoning=0, dollars=0.5))
    assert took == Took(12, 120, 1_200, 5, 0.75)


def test_parts_of_a_run_are_summed_up_to_the_whole() -> None:
    prices = {"m": Price(2.0, 8.0, "here")}
    counts = ("done", "calls", "retries", "withheld", "waiting", "left", "cost", "priced", "uncounted", "under_way")
    place, other = ("restriction", "predict"), ("restriction", "judge")
    one = Progress(prices=prices, warnings=["a", "b"], took={place: Took(1, 2, 3)})
    two = Progress(capped="the cap", warnings=["b", "c"], took={place: Took(10, 20, 30), other: Took(4, 5, 6)})
    for n, name in enumerate(counts):
        setattr(one, name, n)
        setattr(two, name, 10)
    for name in ("unneeded", "failures", "retry_causes"):
        getattr(one, name).update(x=1, y=2)
        getattr(two, name).update(y=3)
    whole = Progress(took={other: Took(99)}, warnings=["z"])
    whole.sum_up(iter([one, two]), 77)
    assert [getattr(whole, name) for name in counts] == [10, 11, 12, 13, 14, 15, 16, 17, 18, 19]
    assert (whole.total, whole.capped, whole.prices, whole.warnings) == (77, "the cap", prices, ["a", "b", "c"])
    assert whole.unneeded == whole.failures == whole.retry_causes == {"x": 1, "y": 5}
    assert whole.took == {place: Took(11, 22, 33), other: Took(4, 5, 6)}
    assert one.took == {place: Took(1, 2, 3)}  # a part stays what it is
    whole.sum_up([], 0)
    assert (whole.total, whole.done, whole.capped, whole.prices, whole.failures) == (0, 0, None, {}, {})


def test_a_run_of_which_nothing_is_known_yet_has_done_and_cost_nothing() -> None:
    fresh = Progress()
    assert as_line(fresh, 0.0) == "0 of 0 sessions" and not fresh.unfinished and fresh.quiet == 0.0
    assert (fresh.calls, fresh.withheld, fresh.out, fresh.uncounted) == (0, 0, 0, 0) and fresh.capped is None
    assert Progress(waiting=1).unfinished and Progress(left=1).unfinished and not Progress(out=1).unfinished
    fresh.failures["timeout"] += 1
    assert fresh.unfinished


def test_silence_is_told_from_ten_seconds_on_while_sessions_are_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfexec.runs.asking.progress.time.monotonic", lambda: 110.0)
    assert [Progress(under_way=2, heard=heard).quiet for heard in (100.0, 100.5, 99.0)] == [10.0, 0.0, 11.0]
    assert Progress(heard=0.0).quiet == 0.0
    line = as_line(Progress(total=5, under_way=2, heard=99.0), 0.0)
    assert line == "0 of 5 sessions, 2 sessions waiting for a reply, 11 s so far"
    progress = Progress(under_way=1, heard=0.0)
    progress.count(reply())
    assert progress.quiet == 0.0  # it has just been heard of


def test_what_failed_is_named_by_the_beginning_of_its_error_the_three_most_frequent_first() -> None:
    progress = Progress(total=9)
    for error, times in (("e" * 61, 1), ("reset (after 3 s)", 2), ("reset (after 4 s)", 1), ("", 2), ("z", 4)):
        for _ in range(times):
            progress.count(reply(text=None, error=error))
    assert progress.failures == {"e" * 60: 1, "reset": 3, "no text": 2, "z": 4}
    assert as_line(progress, 0.0) == "0 of 9 sessions, 4 x z, 3 x reset, 2 x no text"


def test_what_is_reported_is_shown_once_in_a_while_with_the_pace_since_the_beginning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    times = iter((100.0, 129.9, 130.0, 159.9, 160.0))
    monkeypatch.setattr("selfexec.runs.asking.progress.time.perf_counter", lambda: next(times))
    shown: list[tuple[int, float]] = []
    report = now_and_then(30.0, lambda progress, rate: shown.append((progress.calls, rate)))
    for calls in (1, 60, 70, 90):
        report(Progress(calls=calls))
    assert shown == [(60, 2.0), (90, 1.5)]


def test_a_line_says_how_much_how_fast_what_went_wrong_and_how_long_it_may_take() -> None:
    progress = Progress(total=2_000, done=1_000, calls=20, retries=2, cost=0.25, priced=0.5)
    progress.failures.update({"timeout": 3, "x" * 40: 1})
    line = "1,000 of 2,000 sessions, 10/s, 2 retries, 3 x timeout, 1 x " + "x" * 30 + ", $0.75, 2 min left"
    assert as_line(progress, 10.0) == line
    assert as_line(Progress(total=1, done=1, calls=20), 9.94) == "1 of 1 session, 9.9/s, 0 s left"
    assert as_line(Progress(total=5), 0.0) == "0 of 5 sessions"


def test_a_slow_pace_is_told_by_the_minute() -> None:
    paces = (10.0, 0.5, 0.49, 1 / 6, 0.16, 0.01)
    assert [as_line(Progress(total=1), pace) for pace in paces] == [
        f"0 of 1 session, {told}" for told in ("10/s", "0.5/s", "29/min", "10/min", "9.6/min", "0.6/min")
    ]


def test_how_long_it_may_take_is_told_from_20_calls_on() -> None:
    assert as_line(Progress(total=100, done=19, calls=19), 1.0) == "19 of 100 sessions, 1.0/s"
    assert as_line(Progress(total=100, done=60, calls=20), 1.0) == "60 of 100 sessions, 1.0/s, 40 s left"


def test_what_comes_back_is_counted_by_what_became_of_it() -> None:
    progress = Progress(total=9, prices={"m": Price(2.0, 8.0, "here")})
    progress.count(reply(input_tokens=1_000, output_tokens=500, attempt=3, retry_causes=("timeout", "timeout")))
    progress.count(reply(cost_usd=0.5, input_tokens=1, output_tokens=1))
    progress.count(reply(input_tokens=1))
    progress.count(reply(text=None, error="no reply (after 3 s)"))
    progress.count(reply(text="", refusal="No.", input_tokens=0, output_tokens=0))
    assert (progress.calls, progress.retries, progress.withheld, progress.uncounted) == (5, 2, 1, 1)
    assert (progress.cost, progress.priced) == (0.5, pytest.approx(0.006))
    assert progress.failures == {"no reply": 1} and progress.retry_causes == {"timeout": 2}
    assert progress.took["restriction", "predict"].calls == 5


def test_a_server_that_is_away_is_told_instead_of_silence_and_of_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfexec.runs.asking.progress.time.monotonic", lambda: 110.0)
    away = {"http://a": "http://a has been unavailable since 14:03 (\x1b[2Jit crashed)"}
    progress = Progress(total=90, done=30, calls=30, under_way=2, heard=50.0, servers_away=away)
    line = as_line(progress, 2.0)
    assert line.startswith("30 of 90 sessions, 2.0/s, http://a has been unavailable since 14:03 (")
    assert "left" not in line and "waiting for a reply" not in line and "\x1b" not in line
    progress.servers_away = {}
    assert as_line(progress, 2.0).endswith("2 sessions waiting for a reply, 1 min so far, 30 s left")


def test_that_a_server_is_away_and_that_it_is_back_is_shown_at_once() -> None:
    shown: list[bool] = []
    report = now_and_then(3600.0, lambda progress, rate: shown.append(bool(progress.servers_away)))
    progress = Progress(total=5)
    report(progress)
    for away in ({"http://a": "away"}, {"http://a": "away"}, {}, {}):
        progress.servers_away = away
        report(progress)
    assert shown == [True, False]
