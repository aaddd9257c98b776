"""What the rest of a run takes, part by part: by hand."""

import asyncio
import math
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean, variance
from types import SimpleNamespace
from typing import Any

import pytest

from selfexec.experiments import Key
from selfexec.runs import Reply
from selfexec.runs.asking import plan
from selfexec.runs.asking.estimate import (
    RemainingPart,
    RunEstimate,
    Seen,
    calls_a_second,
    estimate,
    part_of,
    seen_tokens,
)
from selfexec.runs.asking.plan import Job
from selfexec.runs.asking.remaining import Remaining, remaining_of
from selfexec.runs.invocations import Invocation


def reply(n: int = 1, text: str | None = "A", **more: Any) -> Reply:
    return Reply(model="m", experiment="restriction", item=str(n), session="predict", text=text, **more)


def at(second: float) -> str:
    return (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=second)).isoformat()


def came(*seconds: float, **more: Any) -> dict[Key, Reply]:
    replies = [reply(n, time=at(second), **more) for n, second in enumerate(seconds)]
    return {one.key: one for one in replies}


def test_the_error_of_a_sum_is_of_how_replies_vary_and_of_how_well_their_mean_is_known() -> None:
    seen = Seen(8, 100.0, 4.0)
    # two further ones: each has variance 4, and twice the mean has 2 squared times 4 / 8
    assert seen.error_of_sum(2) == pytest.approx(math.sqrt(2 * 4 + 4 * 4 / 8))
    assert seen.error_of_sum(1) == pytest.approx(math.sqrt(4 + 4 / 8))
    assert seen.error_of_sum(0) == seen.error_of_sum(-1) == 0.0


def test_tokens_are_gone_by_from_eight_counted_replies_on() -> None:
    counts = [3, 1, 4, 1, 5, 9, 2, 6]
    replies = [reply(n, input_tokens=10 * c, output_tokens=c) for n, c in enumerate(counts)]
    ins, outs = seen_tokens(replies)
    assert outs == Seen(8, fmean(counts), variance(counts))
    assert ins == Seen(8, 10 * fmean(counts), pytest.approx(100 * variance(counts)))
    assert seen_tokens(replies[:7]) == (None, None)
    uncounted = [*replies[:7], reply(7, input_tokens=60), reply(8, text=None, error="broke off", output_tokens=5)]
    ins, outs = seen_tokens(uncounted)
    assert ins and ins.number == 8 and outs is None


def test_a_part_takes_what_its_replies_took_else_a_quarter_of_the_characters_and_what_is_usual() -> None:
    seen_in, seen_out = Seen(8, 100.0, 4.0), Seen(9, 20.0, 1.0)
    errors = (seen_in.error_of_sum(3), seen_out.error_of_sum(3))
    assert part_of("m", 3, (seen_in, seen_out), 400, 7) == RemainingPart("m", 3, (300.0, 60.0), errors, 9)
    assert part_of("m", 3, (None, None), 400, 7) == RemainingPart("m", 3, (100.0, 7), (0.0, 0.0), 0)
    assert part_of("m", 3, (seen_in, None), 400, 7) == RemainingPart("m", 3, (300.0, 7), (errors[0], 0.0), 0)
    assert part_of("m", 3, (None, seen_out), 400, 7) == RemainingPart("m", 3, (100.0, 60.0), (0.0, errors[1]), 9)


def test_the_whole_is_the_sum_of_its_parts_and_tells_for_which_share_the_run_speaks_itself() -> None:
    whole = RunEstimate([RemainingPart("a", 3, (10, 1), own=8), RemainingPart("b", 1, (5, 2))], None)
    assert (whole.input_tokens, whole.output_tokens, whole.own) == (15, 3, 0.75)
    assert RunEstimate([], None).own == 0 and RunEstimate([RemainingPart("a", 0, (0, 0), own=8)], None).own == 0


def test_the_pace_is_of_twenty_replies_at_least_over_more_than_a_second() -> None:
    def pace(end: float, *seconds: float, calls: int | None = None) -> float | None:
        return calls_a_second([Invocation(begin=at(0), end=at(end), calls=calls)], came(*seconds))

    times = range(1, 21)
    assert pace(20, *times) == 20 / 20
    assert pace(40, *times, calls=10) == 10 / 40
    assert pace(20, *times[1:]) is None
    assert pace(2, *[1] * 20) == 20 / 2 and pace(1, *[1] * 20) is None  # times are whole seconds
    # what came at its very begin or end is its own, what came before or after is not
    assert pace(20, *times[1:], 0) == pace(20, *times[:-1], 20) == 1
    assert pace(20, *times[1:], 21) is pace(20, *times[1:], -1) is None


def test_a_killed_command_ends_with_its_last_reply_before_the_next_began() -> None:
    first, second = Invocation(begin=at(0)), Invocation(begin=at(100))
    assert calls_a_second([first, second], came(*range(1, 21), 101)) == 20 / 20
    assert calls_a_second([first, second], came(*range(1, 21), *range(101, 121))) == 20 / 20
    assert calls_a_second([first], came(*range(2, 42, 2))) == 20 / 40
    assert calls_a_second([first, second], came(*range(1, 20), *range(101, 120))) is None


def test_what_came_in_a_batch_tells_no_pace() -> None:
    invocation = [Invocation(begin=at(0), end=at(20))]
    assert calls_a_second(invocation, came(*range(1, 21), batch="sx")) is None
    assert calls_a_second(invocation, {one.key: one for one in map(reply, range(20))}) is None


def test_the_time_that_is_left_is_what_remains_at_the_pace_so_far(tmp_path: Path) -> None:
    planned = plan("sim/coin", experiments="restriction", limit=30, out=tmp_path / "r")
    keys = [key for job in planned.epoch_jobs[:10] for key in planned.keys(job)]
    stored = {key: Reply(**key.fields(), text="A", time=at(n)) for n, key in enumerate(keys)}
    now = replace(asyncio.run(remaining_of(planned, {})), stored=stored, here=30)
    # 30 replies in a minute; of three times 30 sessions 60 remain
    rest = asyncio.run(estimate(now, [Invocation(begin=at(0), end=at(60), calls=30)]))
    assert (now.sessions_left, rest.seconds) == (60, 120.0)
    assert asyncio.run(estimate(now, [])).seconds is None


def test_what_remains_is_the_plan_without_what_is_here_not_needed_out_or_waiting() -> None:
    planned: Any = SimpleNamespace(sessions=100)
    now = Remaining(
        planned, {}, 10, frozenset(), {}, Counter({("restriction", "judge"): 3}), further=5, out=7, behind=11
    )
    assert now.sessions_left == 100 - 10 - 3 + 5 - 7 - 11


def test_what_was_begun_is_asked_first_and_nothing_else_where_that_is_all_that_remains() -> None:
    jobs = [Job("m", "restriction", str(n), 1) for n in range(4)]
    planned: Any = SimpleNamespace(sessions=12, keys=lambda job: "abc", jobs=lambda: iter(jobs))
    begun = {jobs[2]: "a"}

    def asked(here: int, **more: Any) -> list[Any]:
        return list(Remaining(planned, {}, here, frozenset(jobs[:1]), begun, Counter(), **more).jobs())  # type: ignore[arg-type]

    # of the first all three are here, of the third one
    assert asked(4) == [(jobs[2], "a"), (jobs[1], ()), (jobs[3], ())]
    assert asked(4, waiting=frozenset(jobs[1:2])) == [(jobs[2], "a"), (jobs[3], ())]
    assert asked(10) == [(jobs[2], "a")]  # the two that are left are of what was begun
    assert asked(9) == [(jobs[2], "a"), (jobs[1], ()), (jobs[3], ())]
    assert asked(10, further=1) == [(jobs[2], "a")]
