"""What is shown while a run goes on, above all while nothing does."""

import asyncio
from pathlib import Path

import pytest
from aiohttp import web

from selfexec.runs.asking import Progress, as_line, carry_out, heartbeat, plan
from sockets import completion, served

STORED = Path(__file__).parents[1] / "stored"


def test_while_all_calls_wait_it_is_said_how_many_and_for_how_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("selfexec.runs.asking.progress.BEAT", 0.01)
    monkeypatch.setattr("selfexec.runs.asking.progress.QUIET", 0.02)
    lines: list[str] = []

    async def slow(request: web.Request) -> web.Response:
        # nobody gets a reply before it has been said that all wait
        for _ in range(1000):
            if any("waiting" in line for line in lines):
                break
            await asyncio.sleep(0.01)
        return web.json_response(completion())

    app = web.Application()
    app.router.add_post("/v1/chat/completions", slow)
    with served(app) as url:
        chosen = plan(["any/m"], base_url=url, out=tmp_path / "r", limit=2, max_connections=5)
        carry_out(chosen, lambda progress: lines.append(as_line(progress, 0.0)))
    # five items at once: two targets with two sessions, two requests with two, and a group of questions with five
    assert lines[1] == "0 of 20 sessions, 13 sessions waiting for a reply, 0 s so far"
    assert lines[0] == "0 of 20 sessions"
    assert lines[-1].startswith("20 of 20 sessions")


def test_nobody_waits_where_nothing_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfexec.runs.asking.progress.QUIET", 0.0)
    progress = Progress(total=3)
    assert "waiting" not in as_line(progress, 0.0)
    progress.under_way = 1
    assert "1 session waiting for a reply, 0 s so far" in as_line(progress, 0.0)


def test_what_fails_in_a_report_ends_the_run_with_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfexec.runs.asking.progress.BEAT", 0.0)
    monkeypatch.setattr("selfexec.runs.asking.progress.QUIET", 0.0)

    def report(progress: Progress) -> None:
        raise BrokenPipeError

    async def main() -> None:
        async with heartbeat(report, Progress(under_way=1)):
            await asyncio.sleep(0.05)

    with pytest.raises(BrokenPipeError):
        asyncio.run(main())
