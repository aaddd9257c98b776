"""A server that goes away and comes back, on real sockets: calls wait for it, and none is lost by the waiting."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from aiohttp import web

import selfexec as sx
from extension_parts import needs
from selfexec.engines import Call, CallResult, Connection
from selfexec.engines.http.client import HttpEngine
from selfexec.engines.registry import Respondent, engine_of
from selfexec.engines.settings import Sampling
from selfexec.errors import InputError
from selfexec.items import load
from selfexec.run_options import RunOptions
from selfexec.runs import Reply
from selfexec.runs.asking import carry_out
from selfexec.runs.asking.executor import queues_of
from selfexec.runs.asking.new_run import plan_new_run
from selfexec.runs.asking.progress import Progress, Report, as_line
from selfexec.runs.run import Run
from sockets import call, completion

Answer = Callable[[str], Awaitable[web.StreamResponse | None] | web.StreamResponse | None]


@pytest.fixture(autouse=True)
def short_pauses_and_no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfexec.engines.http.client.pause", lambda attempt: 0.001)
    monkeypatch.setattr("selfexec.engines.http.patience.probe_pause", lambda probes: 0.01)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def good(prompt: str) -> web.StreamResponse:
    return web.json_response(completion("A"))


def is_control(prompt: str) -> bool:
    """Whether the client asks this to tell a server that is away from prompts that always fail."""
    return prompt.startswith("Reply with the word OK.")


class Port:
    """A port that nobody else has, and a server that is there for as long as one wants."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.asked: list[str] = []
        self.controls: list[str] = []
        self.listed = 200
        self.hangs = False
        self.cuts_off = False  # as a tunnel does behind which nothing listens

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @asynccontextmanager
    async def serving(self, answer: Answer = good) -> Any:
        async def reply(request: web.Request) -> web.StreamResponse:
            while self.hangs:
                await asyncio.sleep(0.01)
            if self.cuts_off:
                assert request.transport is not None
                request.transport.abort()
                return web.Response()
            if request.method == "GET":
                return web.json_response({"data": []}, status=self.listed)
            prompt = (await request.json())["messages"][-1]["content"]
            (self.controls if is_control(prompt) else self.asked).append(prompt)
            response = answer(prompt)
            if not (response is None or isinstance(response, web.StreamResponse)):
                response = await response
            if response is None:  # the process dies
                assert request.transport is not None
                request.transport.abort()
                await asyncio.sleep(0)  # until it is closed
                return web.Response()
            return response

        app = web.Application()
        app.router.add_route("*", "/{rest:.*}", reply)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", self.port, reuse_port=True)
        await site.start()
        try:
            yield
        finally:
            await listening_no_more(site)
            await runner.cleanup()
            await asyncio.sleep(0.01)  # connections that were cut are closed a moment later


async def listening_no_more(site: web.TCPSite) -> None:
    """Have a server take no further connection. One that it has taken in the step before it closes has no transport
    yet, and Python 3.11 would leave that open for good.
    """
    assert isinstance(site._server, asyncio.Server)
    for listener in site._server.sockets:
        asyncio.get_running_loop().remove_reader(listener.fileno())
    await asyncio.sleep(0)


@contextmanager
def a_port() -> Iterator[Port]:
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)  # beside it another may listen, which this does not
        held.bind(("127.0.0.1", 0))
        yield Port(held.getsockname()[1])


def engine(port: Port, patience: float = 60.0, connections: int = 50) -> HttpEngine:
    return HttpEngine(
        ["any/m"], Connection(base_url=port.url, timeout=1, patience=patience, max_connections=connections)
    )


def calls(n: int) -> list[Call]:
    return [call("any/m", f"Hello {i}?", i + 1) for i in range(n)]


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not holds():
            await asyncio.sleep(0.002)


async def waiting(engine: HttpEngine) -> None:
    await until(lambda: engine.waiting)


# --- away and back ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("many", [1, 20])
def test_calls_wait_for_a_server_that_is_away_and_all_go_on_when_it_is_back(many: int) -> None:
    async def main(port: Port) -> None:
        async with engine(port) as asked:
            async with port.serving():
                assert (await asked.ask(call("any/m"))).text == "A"
            tasks = [asyncio.create_task(asked.ask(one)) for one in calls(many)]
            await waiting(asked)
            [said] = asked.waiting.values()
            assert said.startswith(f"{port.url} has been unavailable since ")
            assert f"(the connection failed (nothing listens at port {port.port} of 127.0.0.1))" in said
            assert said.endswith("waiting up to 1 min; Ctrl-C stops, and the same command continues")
            assert not any(task.done() for task in tasks)
            async with port.serving():
                replies = await asyncio.gather(*tasks)
            assert [reply.text for reply in replies] == ["A"] * many
            assert all(reply.waited > 0 for reply in replies if reply.attempt is None)
            assert not asked.waiting
            [warning] = asked.warnings
            assert "was unavailable for" in warning and "(1 outage," in warning

    with a_port() as port:
        asyncio.run(main(port))


def test_while_a_server_is_away_no_two_calls_probe_it_at_a_time_and_each_time_it_is_another_one() -> None:
    under_way = most = 0

    async def loading(prompt: str) -> web.StreamResponse:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.002)
        under_way -= 1
        return web.json_response({"error": {"message": "Loading model"}}, status=503)

    async def main(port: Port) -> None:
        nonlocal most
        async with engine(port) as asked:
            async with port.serving():
                await asked.ask(call("any/m"))
            async with port.serving(loading):
                tasks = [asyncio.create_task(asked.ask(one)) for one in calls(5)]
                await waiting(asked)
                await until(lambda: under_way == 0)
                most, before = 0, len(port.asked)
                await until(lambda: len(port.asked) >= before + 10)
                probes = port.asked[before : before + 10]
                assert most == 1
                # five calls take turns, in one order
                assert len(set(probes[:5])) == 5 and probes[:5] == probes[5:]
            async with port.serving():
                assert {reply.text for reply in await asyncio.gather(*tasks)} == {"A"}

    with a_port() as port:
        asyncio.run(main(port))


@pytest.mark.parametrize("connections", [1, 20])
@pytest.mark.parametrize("status", [500, 502, 503, 504, 524, 529])
def test_a_gateway_whose_upstream_is_away_is_waited_for_too(status: int, connections: int) -> None:
    async def main(port: Port) -> None:
        async with engine(port, connections=connections) as asked:
            async with port.serving():
                await asked.ask(call("any/m"))
            port.listed = 502
            async with port.serving(lambda prompt: web.Response(status=status)):
                tasks = [asyncio.create_task(asked.ask(one)) for one in calls(connections)]
                await waiting(asked)
                before = time.monotonic()
                await until(lambda: time.monotonic() > before + 0.2)  # some twenty probes: more than attempts of a call
            port.listed = 200
            async with port.serving():
                assert {reply.text for reply in await asyncio.gather(*tasks)} == {"A"}

    with a_port() as port:
        asyncio.run(main(port))


@pytest.mark.parametrize(("status", "many"), [(503, 1), (503, 5), (500, 5), (502, 5)])
def test_probes_that_a_live_list_of_models_lets_through_are_no_attempts_of_their_calls(status: int, many: int) -> None:
    async def main(port: Port) -> None:
        async with engine(port) as asked:
            async with port.serving():
                await asked.ask(call("any/m"))
            async with port.serving(lambda prompt: web.Response(status=status)):
                tasks = [asyncio.create_task(asked.ask(one)) for one in calls(many)]
                await until(lambda: len(port.asked) > 20 * many)  # each more often than eight times
                assert not any(task.done() for task in tasks)
            async with port.serving():
                assert {reply.text for reply in await asyncio.gather(*tasks)} == {"A"}

    with a_port() as port:
        asyncio.run(main(port))


def test_a_server_that_comes_and_goes_loses_no_call() -> None:
    async def main(port: Port) -> None:
        async with engine(port, connections=10) as asked:
            async with port.serving():
                await asked.ask(call("any/m"))
            pace = asyncio.Semaphore(10)

            async def ask(one: Call) -> CallResult:
                async with pace:
                    return await asked.ask(one)

            async def slow(prompt: str) -> web.StreamResponse:
                await asyncio.sleep(0.005)
                return good(prompt)

            tasks = [asyncio.create_task(ask(one)) for one in calls(150)]
            for _ in range(3):
                before = len(port.asked)
                async with port.serving(slow):
                    await until(lambda before=before: len(port.asked) >= before + 20)
                await waiting(asked)
            async with port.serving(slow):
                assert {reply.text for reply in await asyncio.gather(*tasks)} == {"A"}
            assert sum("outages" in warning for warning in asked.warnings) == 1

    with a_port() as port:
        asyncio.run(main(port))


def test_whoever_is_cancelled_while_waiting_is_gone_at_once_and_the_others_still_go_on() -> None:
    async def main(port: Port) -> None:
        async with engine(port) as asked:
            async with port.serving():
                await asked.ask(call("any/m"))
            tasks = [asyncio.create_task(asked.ask(one)) for one in calls(6)]
            await waiting(asked)
            for task in tasks[:3]:  # the one that probes is among the first
                task.cancel()
            await asyncio.wait(tasks[:3])
            async with port.serving():
                assert {reply.text for reply in await asyncio.gather(*tasks[3:])} == {"A"}
            assert all(task.cancelled() for task in tasks[:3])

    with a_port() as port:
        asyncio.run(main(port))


def test_the_time_for_which_a_call_was_held_is_no_latency() -> None:
    key = call("any/m").key
    assert Reply.of(key, CallResult("A", waited=100.0), 101.5).latency == 1.5
    assert Reply.of(key, CallResult("A"), 101.5).latency == 101.5


def test_models_of_one_command_at_several_addresses_have_places_of_their_own() -> None:
    first, second, third = (Respondent(name, name, (Connection(),), Sampling()) for name in ("a/1", "b/1", "a/2"))
    addresses = {"a/1": "https://a", "b/1": "https://b", "a/2": "https://a"}
    assert queues_of([first, second, third], addresses) == [[first, third], [second]]
    assert queues_of([first, second], {}) == [[first, second]]  # models in this process


# --- and never back --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("patience", [0.0, 0.2])
def test_after_the_patience_the_run_stops_and_no_call_becomes_an_error(patience: float) -> None:
    async def main(port: Port) -> None:
        async with engine(port, patience) as asked:
            async with port.serving():
                await asked.ask(call("any/m"))
            replies = await asyncio.gather(*map(asked.ask, calls(20)), return_exceptions=True)
            assert all(isinstance(reply, InputError) for reply in replies)
            assert "the same command goes on from here" in str(replies[0]) and "unavailable since" in str(replies[0])

    with a_port() as port:
        asyncio.run(main(port))


def test_an_address_that_never_answered_is_given_up_after_three_attempts() -> None:
    async def main(port: Port) -> None:
        async with engine(port) as asked:
            with pytest.raises(InputError, match=r"\(3 attempts\)\. Is this the right address\?"):
                await asked.ask(call("any/m"))

    with a_port() as port:
        asyncio.run(main(port))


def test_a_server_that_is_still_loading_is_waited_for_from_the_first_call_on_unless_patience_is_nothing() -> None:
    def loading(prompt: str) -> web.StreamResponse:
        return web.json_response({"error": {"code": 503, "message": "Loading model"}}, status=503)

    async def main(port: Port) -> None:
        async with engine(port) as asked:
            async with port.serving(loading):
                task = asyncio.create_task(asked.ask(call("any/m")))
                await waiting(asked)
                assert "(status 503: Loading model)" in asked.waiting[port.url]
            async with port.serving():
                assert (await task).text == "A"
        async with engine(port, patience=0) as asked, port.serving(loading):
            with pytest.raises(InputError, match="status 503: Loading model"):
                await asked.ask(call("any/m"))

    with a_port() as port:
        asyncio.run(main(port))


@pytest.mark.parametrize("patience", [-1.0, float("inf"), float("nan")])
def test_a_patience_that_is_no_time_is_refused(patience: float) -> None:
    with pytest.raises(InputError, match="give a finite number of seconds, 0 or more"):
        Connection(patience=patience)


# --- what is no outage -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("connections", [1, 8])
@pytest.mark.parametrize("status", [500, 502, 504])
def test_one_prompt_that_always_fails_is_given_up_after_eight_attempts_and_holds_nobody(
    status: int, connections: int
) -> None:
    def answer(prompt: str) -> web.StreamResponse:
        return web.Response(status=status) if prompt == "Hello 3?" else good(prompt)

    async def main(port: Port) -> None:
        async with engine(port, connections=connections) as asked, port.serving(answer):
            pace = asyncio.Semaphore(connections)

            async def ask(one: Call) -> CallResult:
                async with pace:
                    return await asked.ask(one)

            replies = await asyncio.gather(*map(ask, calls(30)))
            failed = [n for n, reply in enumerate(replies) if reply.error]
            assert failed == [3] and replies[3].error == f"status {status} (8 attempts)"
            assert port.asked.count("Hello 3?") == 8
            assert not asked.warnings

    with a_port() as port:
        asyncio.run(main(port))


@pytest.mark.parametrize("connections", [1, 8])
def test_a_prompt_that_brings_the_server_down_each_time_is_given_up_and_the_run_ends(connections: int) -> None:
    async def main(port: Port) -> None:
        down = asyncio.Event()

        async def answer(prompt: str) -> web.StreamResponse | None:
            if prompt == "Hello 3?":
                down.set()
                return None
            await asyncio.sleep(0.03)  # whoever is asked at the same time is cut off too
            return None if down.is_set() else good(prompt)

        async def restarting() -> None:
            while True:
                down.clear()
                async with port.serving(answer):
                    await down.wait()
                await asyncio.sleep(0.05)

        async with engine(port, connections=connections) as asked:
            async with port.serving():
                await asked.ask(call("any/m"))
            server = asyncio.create_task(restarting())
            pace = asyncio.Semaphore(connections)

            async def ask(one: Call) -> CallResult:
                async with pace:
                    return await asked.ask(one)

            async with asyncio.timeout(30):
                replies = await asyncio.gather(*map(ask, calls(30)))
            server.cancel()
            await asyncio.wait([server])
            assert [n for n, reply in enumerate(replies) if reply.error] == [3]
            assert 4 <= port.asked.count("Hello 3?") <= 8  # an attempt may be cut before the server has read it

    with a_port() as port:
        asyncio.run(main(port))


def test_calls_that_are_under_way_with_a_prompt_that_brings_the_server_down_are_not_given_up_with_it() -> None:
    async def main(port: Port) -> None:
        async def answer(prompt: str) -> web.StreamResponse | None:
            if prompt == "Hello 3?":
                port.cuts_off = True
                asyncio.get_running_loop().call_later(0.05, setattr, port, "cuts_off", False)
                return None
            await asyncio.sleep(0.03)  # longer than the server lives with that prompt
            return None if port.cuts_off else good(prompt)

        async with engine(port) as asked, port.serving(answer):
            await asked.ask(call("any/m"))
            replies = await asyncio.gather(*map(asked.ask, calls(30)))
            assert [n for n, reply in enumerate(replies) if reply.error] == [3]

    with a_port() as port:
        asyncio.run(main(port))


@pytest.mark.parametrize(("status", "connections"), [(500, 1), (500, 50), (502, 4), (503, 50), (503, 1)])
def test_prompts_that_always_fail_are_given_up_though_nothing_else_is_left_to_ask(
    status: int, connections: int
) -> None:
    def answer(prompt: str) -> web.StreamResponse:
        return good(prompt) if is_control(prompt) or prompt == "first" else web.Response(status=status)

    async def main(port: Port) -> None:
        async with engine(port, connections=connections) as asked, port.serving(answer):
            assert (await asked.ask(call("any/m", "first"))).text == "A"
            pace = asyncio.Semaphore(connections)

            async def ask(one: Call) -> CallResult:
                async with pace:
                    return await asked.ask(one)

            async with asyncio.timeout(20):
                replies = await asyncio.gather(*map(ask, calls(8)))
            assert {reply.error for reply in replies} == {f"status {status} (8 attempts)"}
            assert len(set(port.controls)) == len(port.controls)  # so that no cache answers them
            [warning] = [text for text in asked.warnings if "control" in text]
            assert f"it answered {len(port.controls)} short control prompt" in warning

    with a_port() as port:
        asyncio.run(main(port))


def test_a_server_that_comes_back_between_a_failed_probe_and_a_control_costs_no_call_its_reply() -> None:
    async def main(port: Port) -> None:
        async with engine(port) as asked:
            async with port.serving():
                await asked.ask(call("any/m"))
            for _ in range(10):  # more often than a call has attempts
                before = len(port.controls)

                def answer(prompt: str, before: int = before) -> web.StreamResponse:
                    return good(prompt) if len(port.controls) > before else web.Response(status=502)

                async with port.serving(answer):
                    replies = await asyncio.gather(*map(asked.ask, calls(5)))
                assert {reply.text for reply in replies} == {"A"}

    with a_port() as port:
        asyncio.run(main(port))


def test_of_two_servers_only_the_calls_to_the_one_that_is_away_wait() -> None:
    async def main(away: Port, there: Port) -> None:
        reached = [
            Respondent(f"any/{n}", "any/m", (Connection(base_url=p.url),), Sampling())
            for n, p in enumerate((away, there))
        ]
        asked = engine_of(reached, load("starter"))
        async with asked:
            async with away.serving(), there.serving():
                assert (await asked.ask(call("any/0"))).text == "A"
                held: list[asyncio.Task[CallResult]] = []
            async with there.serving():
                held = [asyncio.create_task(asked.ask(call("any/0"))) for _ in range(5)]
                await until(lambda: asked.waiting)  # type: ignore[attr-defined]
                assert list(asked.waiting) == [away.url]  # type: ignore[attr-defined]
                assert {(await asked.ask(call("any/1"))).text for _ in range(5)} == {"A"}
                assert not any(task.done() for task in held)
                async with away.serving():
                    assert {reply.text for reply in await asyncio.gather(*held)} == {"A"}

    with a_port() as away, a_port() as there:
        asyncio.run(main(away, there))


def test_calls_of_a_model_whose_one_address_stays_away_go_to_its_other_address() -> None:
    async def main(away: Port, there: Port) -> None:
        connections = tuple(Connection(base_url=port.url, patience=0.2) for port in (away, there))
        asked = engine_of([Respondent("any/m", "any/m", connections, Sampling())], load("starter"))
        async with asked, there.serving():
            async with away.serving():
                await asyncio.gather(*map(asked.ask, calls(6)))
                assert away.asked and there.asked
            replies = await asyncio.gather(*map(asked.ask, calls(20)))
            assert {reply.text for reply in replies} == {"A"}
            [warning] = [text for text in asked.warnings if "went to the other addresses of any/m" in text]
            assert warning.startswith(f"{away.url}: it has been unavailable since")

    with a_port() as away, a_port() as there:
        asyncio.run(main(away, there))


# --- a server that hangs ---------------------------------------------------------------------------------------------


def test_a_server_that_takes_calls_and_answers_nothing_at_all_is_waited_for() -> None:
    async def main(port: Port) -> None:
        async with HttpEngine(["any/m"], Connection(base_url=port.url, timeout=0.2, max_connections=20)) as asked:
            async with port.serving():
                await asked.ask(call("any/m"))
            port.hangs = True
            async with port.serving():
                tasks = [asyncio.create_task(asked.ask(one)) for one in calls(20)]
                await waiting(asked)
                before = time.monotonic()
                await until(lambda: time.monotonic() > before + 2)  # ten times as long as an attempt takes
                assert not any(task.done() for task in tasks)
                port.hangs = False
                assert {reply.text for reply in await asyncio.gather(*tasks)} == {"A"}

    with a_port() as port:
        asyncio.run(main(port))


def test_prompts_that_are_never_answered_are_given_up_where_the_list_of_models_is() -> None:
    async def answer(prompt: str) -> web.StreamResponse:
        if prompt.startswith("Hello"):
            await asyncio.sleep(0.5)
        return good(prompt)

    async def main(port: Port) -> None:
        connection = Connection(base_url=port.url, timeout=0.1, max_connections=20)
        async with HttpEngine(["any/m"], connection) as asked, port.serving(answer):
            await asked.ask(call("any/m", "first"))
            replies = await asyncio.gather(*map(asked.ask, calls(6)))
            assert {reply.error for reply in replies} == {"no reply within 0.1 s (8 attempts)"}

    with a_port() as port:
        asyncio.run(main(port))


# --- whole runs ------------------------------------------------------------------------------------------------------


@contextmanager
def in_a_thread() -> Iterator[Callable[[Any], AbstractContextManager[None]]]:
    """An event loop beside the test, in which servers run for as long as their context lasts."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    @contextmanager
    def entered(context: Any) -> Iterator[None]:
        asyncio.run_coroutine_threadsafe(context.__aenter__(), loop).result(10)
        try:
            yield
        finally:
            asyncio.run_coroutine_threadsafe(context.__aexit__(None, None, None), loop).result(10)

    try:
        yield entered
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def a_run(port: Port, out: Path, patience: float, progress: Progress, report: Report | None = None) -> Run:
    chosen = RunOptions(
        ["any/m"], out=out, base_url=port.url, experiments=("restriction",), limit=40, max_connections=5
    )
    plan = plan_new_run(chosen)
    [model] = plan.respondents
    [connection] = model.connections
    reached = replace(model, connections=(replace(connection, patience=patience),))
    return carry_out(replace(plan, respondents=[reached]), report, progress)


@pytest.mark.filterwarnings("ignore:.*not checked for swapped answers")  # their connections were cut
def test_a_run_whose_server_stays_away_stops_without_a_line_of_an_error_and_the_same_command_ends_it(
    tmp_path: Path,
) -> None:
    out = tmp_path / "r"
    with in_a_thread() as beside, a_port() as port:
        killed = asyncio.Event()
        server = port.serving()
        entered = beside(server)
        entered.__enter__()
        lines: list[str] = []

        def report(progress: Progress) -> None:
            lines.append(as_line(progress, 0.0))
            if progress.calls == 20 and not killed.is_set():
                killed.set()
                entered.__exit__(None, None, None)

        with pytest.raises(InputError, match="the same command goes on from here"):
            a_run(port, out, 1.5, Progress(), report)
        assert any("has been unavailable since" in line for line in lines)
        written = [json.loads(line) for line in (out / "replies.jsonl").read_text().splitlines()]
        assert len(written) >= 20 and not any(line.get("error") for line in written)
        with beside(port.serving()):
            progress = Progress()
            finished = a_run(port, out, 1.5, progress)
        assert len(finished.replies) == 120 and not progress.unfinished
        assert not any(reply.error for reply in finished.replies.values())


def test_a_run_of_which_only_prompts_are_left_that_always_fail_ends_with_them_missing_however_often(
    tmp_path: Path,
) -> None:
    def answer(prompt: str) -> web.StreamResponse:
        always_fails = crc32(prompt.encode()) % 8 == 0 and not is_control(prompt)
        return web.Response(status=500) if always_fails else good(prompt)

    with in_a_thread() as beside, a_port() as port, beside(port.serving(answer)):
        for _ in range(2):
            progress = Progress()
            run = a_run(port, tmp_path / "r", 60.0, progress)
            failed = [reply.error for reply in run.replies.values() if reply.failed]
            assert len(failed) >= 3 and set(failed) == {"status 500 (8 attempts)"}
            assert len(run.replies) - len(failed) >= 80


@needs("study")
@pytest.mark.filterwarnings("ignore:.*not checked for swapped answers")  # their connections were cut
def test_models_at_another_server_are_asked_on_while_one_server_is_away(tmp_path: Path) -> None:
    with in_a_thread() as beside, a_port() as away, a_port() as there:
        study = tmp_path / "study.toml"
        study.write_text(
            'experiments = ["restriction"]\nlimit = 20\nmax_connections = 3\n'
            f'out = "{tmp_path / "r"}"\n'
            f'[[models]]\nmodel = "any/a"\nbase_url = "{away.url}"\n'
            f'[[models]]\nmodel = "any/b"\nbase_url = "{there.url}"\n'
        )
        with beside(there.serving()):
            server = beside(away.serving())
            server.__enter__()
            state = {"killed": False, "back": False}

            def report(progress: Progress) -> None:
                if progress.calls >= 8 and not state["killed"]:
                    state["killed"] = True
                    server.__exit__(None, None, None)
                # all 60 sessions of the other model are there before the server is
                if len(there.asked) == 60 and not state["back"]:
                    state["back"] = True
                    again.__enter__()

            again = beside(away.serving())
            found = carry_out(sx.load_study(study).plan(), report)
            again.__exit__(None, None, None)
        assert state["back"] and len(found.replies) == 120
        assert not any(reply.error for reply in found.replies.values())
