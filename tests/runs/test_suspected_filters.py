"""What looks like a content filter is held back until the model has said something, on real sockets."""

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web

import selfexec as sx
from faulty_server import ERRORS, FaultyServer
from selfexec.cli import main
from selfexec.engines import CallResult
from selfexec.errors import InputError
from selfexec.experiments import Key
from selfexec.items import load
from selfexec.runs import Reply
from selfexec.runs.asking import HELD_AT_MOST, Progress, ReplyGate, carry_out, filter_warnings, held_back, plan
from sockets import completion, served

FILTERED = ERRORS["policy-xai"]
SAYS = "status 403: Content violates usage guidelines. Model: sim, Failed check: SAFETY_CHECK_TYPE_BIO"
ASKS = "which of the following"  # in prompts to predict and to judge, not in a request itself
# what a server answers: to a prompt, and to which call of all
Choose = Callable[[str, int], tuple[int, Any]]


def server_that(choose: Choose, slow: float = 0.0, asked: list[str] | None = None) -> web.Application:
    """A server that answers as `choose` says; replies of a model take `slow` seconds, errors none. `asked` are the
    prompts that came.
    """
    asked = [] if asked is None else asked

    async def handler(request: web.Request) -> web.Response:
        body = await request.json()
        asked.append(body["messages"][-1]["content"])
        status, answer = choose(asked[-1], len(asked))
        if status == 200:
            await asyncio.sleep(slow)
        return web.json_response(answer, status=status)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handler)
    return app


def run_on(app: web.Application, out: Path, models: tuple[str, ...] = ("x/m",), **choices: Any) -> sx.Run:
    with served(app) as url:
        choices = {"experiments": ["restriction"], "max_connections": 10, "timeout": 5, **choices}
        return carry_out(plan(list(models), base_url=url, out=out, **choices))


def lines(out: Path) -> int:
    return len((out / "replies.jsonl").read_bytes().splitlines())


def only_filters(prompt: str, number: int) -> tuple[int, Any]:
    return FILTERED


def good(prompt: str, number: int) -> tuple[int, Any]:
    return 200, completion('{"choice": "A"}')


def predictions_only(prompt: str, number: int) -> tuple[int, Any]:
    """The request itself is filtered, questions about it are answered."""
    return good(prompt, number) if ASKS in prompt else FILTERED


def test_where_nothing_but_filters_comes_the_run_stops_after_twenty_and_keeps_none(tmp_path: Path) -> None:
    asked: list[str] = []
    app = server_that(only_filters, asked=asked)
    with pytest.raises(InputError) as stopped:
        run_on(app, tmp_path / "r", limit=100)
    said = str(stopped.value)
    assert f"({SAYS})" in said
    assert "accept_filters=True" in said and "None of them is kept" in said
    assert lines(tmp_path / "r") == 0
    assert len(asked) == HELD_AT_MOST


def test_a_smaller_run_with_nothing_but_filters_stops_at_its_end_and_keeps_none(tmp_path: Path) -> None:
    asked: list[str] = []
    app = server_that(only_filters, asked=asked)
    with pytest.raises(InputError, match="6 sessions ended in an error that looks like a content filter"):
        run_on(app, tmp_path / "r", limit=3)
    assert lines(tmp_path / "r") == 0
    # predict and execute of each; a response that was withheld needs no judge
    assert len(asked) == 6


def test_a_filter_before_the_first_reply_is_kept_after_it(tmp_path: Path) -> None:
    found = run_on(server_that(lambda prompt, n: FILTERED if n <= 15 else good(prompt, n)), tmp_path / "r", limit=20)
    withheld = [reply for reply in found.replies.values() if reply.withheld_by == "provider"]
    assert len(withheld) == 15
    assert {(reply.policy, reply.text) for reply in withheld} == {(SAYS, "")}
    assert lines(tmp_path / "r") == len(found.replies)


def test_a_filter_that_answers_sooner_than_the_model_does_not_stop_the_run(tmp_path: Path) -> None:
    # predictions take 0.3 s; until then every other call of fifty connections is filtered at once
    asked: list[str] = []
    app = server_that(predictions_only, slow=0.3, asked=asked)
    found = run_on(app, tmp_path / "r", limit=60, max_connections=60)
    assert Counter(reply.withheld_by for reply in found.replies.values()) == {"provider": 60, None: 60}
    assert len(asked) == 120


def test_what_a_model_said_in_an_earlier_command_counts(tmp_path: Path) -> None:
    run_on(server_that(good), tmp_path / "r", limit=1)
    found = run_on(server_that(only_filters), tmp_path / "r", limit=30)
    assert sum(reply.policy is not None for reply in found.replies.values()) == 2 * 29


def test_what_another_model_said_does_not_count(tmp_path: Path) -> None:
    run_on(server_that(good), tmp_path / "r", limit=1)
    with pytest.raises(InputError, match="x/other: "):
        run_on(server_that(only_filters), tmp_path / "r", ("x/other",), limit=1)
    assert lines(tmp_path / "r") == 3


def test_filters_that_were_kept_in_an_earlier_command_do_not_vouch_for_more(tmp_path: Path) -> None:
    run_on(server_that(only_filters), tmp_path / "r", limit=1, accept_filters=True)
    with pytest.raises(InputError, match="looks like a content filter"):
        run_on(server_that(only_filters), tmp_path / "r", limit=3)


def test_what_came_in_files_is_held_back_of_models_that_have_said_nothing_there_or_before() -> None:
    def reply(model: str, item: str, **more: Any) -> Reply:
        return Reply(model=model, experiment="restriction", item=item, session="predict", text="", **more)

    filtered = {"stop_reason": "content_filter", "policy": "no"}
    came = [reply("a", "1", **filtered), reply("b", "1", **filtered), reply("b", "2", refusal="No.")]
    came += [reply("c", "1", **filtered), reply("d", "1", stop_reason="content_filter"), reply("a", "2", **filtered)]
    before = [msgspec.structs.replace(reply("c", "9"), text="A"), reply("a", "9")]
    assert held_back(before, came, accepted=False) == {"a": [came[0], came[5]]}
    assert held_back(before, came, accepted=True) == {}


def test_an_option_keeps_filters_where_a_model_says_nothing(tmp_path: Path) -> None:
    found = run_on(server_that(only_filters), tmp_path / "r", limit=30, accept_filters=True)
    assert Counter(reply.withheld_by for reply in found.replies.values()) == {"provider": 60}


def test_a_completion_that_was_filtered_is_behaviour_at_once_and_vouches_for_no_error(tmp_path: Path) -> None:
    blank = (200, completion("", "content_filter"))
    found = run_on(server_that(lambda prompt, n: blank), tmp_path / "r", limit=2)
    assert {reply.withheld_by for reply in found.replies.values()} == {"provider"}
    assert lines(tmp_path / "r") == 4
    with pytest.raises(InputError, match="the model itself has said nothing"):
        run_on(server_that(lambda prompt, n: FILTERED if n % 2 else blank), tmp_path / "s", limit=2)
    assert lines(tmp_path / "s") == 2


def test_the_words_of_a_filter_vouch_for_no_model(tmp_path: Path) -> None:
    notice = (200, completion("The generated text has been blocked by our content filters.", "content_filtered"))
    with pytest.raises(InputError, match="the model itself has said nothing"):
        run_on(server_that(lambda prompt, n: FILTERED if ASKS in prompt else notice), tmp_path / "r", limit=2)
    assert lines(tmp_path / "r") == 2


def test_a_refusal_in_the_models_words_vouches_for_it(tmp_path: Path) -> None:
    refusal = (200, completion(None, refusal="I can't help with that."))
    found = run_on(server_that(lambda prompt, n: FILTERED if n % 2 else refusal), tmp_path / "r", limit=2)
    assert {reply.withheld_by for reply in found.replies.values()} == {"provider", "model"}


def test_what_was_asked_of_other_models_is_kept(tmp_path: Path) -> None:
    async def handler(request: web.Request) -> web.Response:
        status, answer = good("", 0) if (await request.json())["model"] == "one" else FILTERED
        return web.json_response(answer, status=status)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handler)
    with pytest.raises(InputError, match="x/two: 4 sessions"):
        run_on(app, tmp_path / "r", ("x/one", "x/two"), limit=2)
    assert {reply.model for reply in sx.load(tmp_path / "r").replies.values()} == {"x/one"}
    assert lines(tmp_path / "r") == 6


@pytest.mark.slow
def test_what_was_held_back_when_a_run_is_broken_off_is_asked_again(tmp_path: Path) -> None:
    seen: list[str] = []
    over = False

    async def handler(request: web.Request) -> web.Response:
        prompt = (await request.json())["messages"][-1]["content"]
        seen.append(prompt)
        while ASKS in prompt and not over:
            await asyncio.sleep(0.01)  # the model never gets to say anything
        return web.json_response(FILTERED[1], status=FILTERED[0])

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handler)
    with served(app) as url:
        command = [sys.executable, "-m", "selfexec", "run", "--model", "x/m", "--experiment", "restriction"]
        command += ["--limit", "5", "--base-url", url, "--out", str(tmp_path / "r")]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while len(seen) < 10:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        over = True
    assert lines(tmp_path / "r") == 0
    asked: list[str] = []
    app = server_that(predictions_only, asked=asked)
    found = run_on(app, tmp_path / "r", limit=5)
    assert len(asked) == 10
    assert Counter(reply.withheld_by for reply in found.replies.values()) == {"provider": 5, None: 5}


@pytest.mark.parametrize("speaks", [True, False])
def test_a_call_that_takes_its_time_is_awaited_before_a_run_stops_and_no_more_are_made(speaks: bool) -> None:
    key = Key("m", "restriction", "i", 1, "execute")
    kept: list[Reply] = []
    calls = 0

    async def filtered() -> Reply:
        nonlocal calls
        calls += 1
        return Reply.of(key, CallResult("", stop_reason="content_filter", policy="no"), 0.0)

    async def main() -> None:
        release = asyncio.Event()

        async def slow() -> Reply:
            await release.wait()
            return Reply.of(key, CallResult("Hi"), 0.0) if speaks else await filtered()

        gate = ReplyGate(kept.append)
        tasks = [asyncio.ensure_future(through(gate, one)) for one in [slow, *[filtered] * 50]]
        for _ in range(5):
            await asyncio.sleep(0)
        assert (calls, kept) == (HELD_AT_MOST - 1, [])
        release.set()
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
        gate.settle()

    if speaks:
        asyncio.run(main())
        assert (calls, len(kept)) == (50, 51)
    else:
        with pytest.raises(InputError, match="20 sessions"):
            asyncio.run(main())
        assert (calls, kept) == (HELD_AT_MOST, [])


async def through(gate: ReplyGate, ask: Callable[[], Awaitable[Reply]]) -> Reply:
    async with gate.admission("m"):
        reply = await ask()
    return await gate.keep(reply)


def test_failures_before_the_first_reply_take_nobodys_place() -> None:
    key = Key("m", "restriction", "i", 1, "execute")
    kept: list[Reply] = []

    async def failing() -> Reply:
        await asyncio.sleep(0)
        return Reply.of(key, CallResult(None, error="status 500"), 0.0)

    async def main() -> None:
        gate = ReplyGate(kept.append)
        await asyncio.gather(*(through(gate, failing) for _ in range(100)))
        gate.settle()

    asyncio.run(main())
    assert len(kept) == 100


# --- what is said ----------------------------------------------------------------------------------------------------


def test_a_run_much_of_which_was_withheld_says_so_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def shown(app: web.Application, out: str) -> list[str]:
        with served(app) as url:
            command = ["selfexec", "run", "--model", "x/m", "--experiment", "restriction", "--limit", "5"]
            monkeypatch.setattr("sys.argv", [*command, "--base-url", url, "--out", str(tmp_path / out)])
            with pytest.raises(SystemExit):
                main()
        return [line for line in capsys.readouterr().out.splitlines() if "withheld" in line and "warning" in line]

    assert shown(server_that(predictions_only), "r") == [
        f"warning: x/m: the provider withheld 5 of 10 replies (50%). The server says ({SAYS})"
    ]
    assert shown(server_that(good), "s") == []


def test_what_is_to_be_known_of_replies_stands_once_in_what_run_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def encoded_twice(prompt: str, number: int) -> tuple[int, Any]:
        return 200, completion('"{\\n\\"choice\\": \\"A\\"\\n}"' if ASKS in prompt else f"It is the number {number}.")

    with served(server_that(encoded_twice)) as url:
        command = ["selfexec", "run", "--model", "x/m", "--experiment", "restriction", "--limit", "9"]
        monkeypatch.setattr("sys.argv", [*command, "--base-url", url, "--out", str(tmp_path / "r")])
        with pytest.raises(SystemExit):
            main()
    out = capsys.readouterr().out
    assert out.count("signs of damage") == 1
    assert out.index("Did the model predict") < out.index("signs of damage")


def test_a_fifth_withheld_is_not_yet_much() -> None:
    def replies(withheld: int, policy: str | None) -> dict[Key, Reply]:
        outcomes = [CallResult("", stop_reason="content_filter", policy=policy)] * withheld + [CallResult("A")] * 80
        keys = [Key("m", "restriction", str(number), 1, "execute") for number in range(len(outcomes))]
        return {key: Reply.of(key, outcome, 0.0) for key, outcome in zip(keys, outcomes, strict=True)}

    assert list(filter_warnings(replies(20, "no"))) == []
    assert list(filter_warnings(replies(21, None))) == [
        "m: the provider withheld 21 of 101 replies (21%). The server says (no error, finish reason content_filter)"
    ]


def test_the_servers_sentence_is_in_the_journal_and_a_reading_shows_it(tmp_path: Path) -> None:
    found = run_on(server_that(predictions_only), tmp_path / "r", limit=1)
    line = next(line for line in (tmp_path / "r" / "replies.jsonl").read_text().splitlines() if "execute" in line)
    assert json.loads(line)["policy"] == SAYS
    key = next(key for key in found.replies if key.session == "execute")
    assert (found.readings[key].state, found.readings[key].evidence) == ("withheld", SAYS)


def test_a_check_that_meets_a_filter_before_any_reply_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFEXEC_CACHE", str(tmp_path))
    with served(server_that(only_filters)) as url, pytest.raises(InputError) as stopped:
        sx.check("x/m", base_url=url)
    assert "made-up code word" in str(stopped.value) and SAYS in str(stopped.value)
    with served(
        server_that(lambda prompt, n: good(prompt, n) if "word" in prompt else predictions_only(prompt, n))
    ) as url:
        notes = sx.check("x/m", base_url=url).notes
    assert any(
        note.startswith("refusals: withheld: ") and note.endswith(f"; the server says ({SAYS})") for note in notes
    )


# --- the simulated server --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["policy", "policy-azure", "policy-anthropic", "policy-xai", "policy-openrouter"])
def test_each_filter_of_the_simulated_server_is_withheld_by_the_provider(tmp_path: Path, fault: str) -> None:
    app = FaultyServer(load("starter"), {fault: 0.3}).app()
    found = run_on(app, tmp_path / "r", ("sim/typical",), limit=20)
    withheld = [reply for reply in found.replies.values() if reply.withheld_by]
    assert 0.1 < len(withheld) / len(found.replies) < 0.6
    assert all(reply.withheld_by == "provider" and reply.policy for reply in withheld)


def test_replies_that_died_upstream_are_asked_again_until_the_run_equals_one_without(tmp_path: Path) -> None:
    app = FaultyServer(load("starter"), {"died": 0.4}).app()
    found = run_on(app, tmp_path / "r", ("sim/typical",), limit=20)
    plain = sx.run(["sim/typical"], out=tmp_path / "p", limit=20, experiments=["restriction"])
    assert sum((reply.attempt or 1) > 1 for reply in found.replies.values()) > 5
    assert {key: reply.text for key, reply in found.replies.items()} == {
        key: reply.text for key, reply in plain.replies.items()
    }


@pytest.mark.parametrize("fault", ["region", "firewall"])
def test_a_region_or_a_firewall_in_the_way_stops_the_run(tmp_path: Path, fault: str) -> None:
    app = FaultyServer(load("starter"), {fault: 1.0}).app()
    with pytest.raises(InputError, match="status 403: the key may not use this model"):
        run_on(app, tmp_path / "r", ("sim/typical",), limit=20)
    assert lines(tmp_path / "r") == 0


def test_progress_counts_what_is_held_back_as_calls(tmp_path: Path) -> None:
    progress = Progress()
    with served(server_that(predictions_only)) as url:
        planned = plan(["x/m"], experiments=["restriction"], limit=2, base_url=url, out=tmp_path / "r")
        carry_out(planned, None, progress)
    assert (progress.withheld, progress.calls) == (2, 4)
