"""The lean engine on real sockets: every failure is what it is, nothing is lost, nothing is invented, no key leaks."""

import asyncio
import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

import selfexec as sx
from build import Command
from faulty_server import FaultyServer
from selfexec.cli.run import summary
from selfexec.engines import CallResult, Connection, Sampling
from selfexec.engines.http.client import HttpEngine
from selfexec.engines.http.providers import endpoint
from selfexec.engines.http.rate_limit import RateLimit
from selfexec.engines.http.wires import WIRES, UnusableReply
from selfexec.engines.sim.server import SimServer
from selfexec.errors import InputError
from selfexec.experiments import Message
from selfexec.items import load
from selfexec.runs import Reply
from selfexec.runs.asking import Progress, carry_out, plan
from sockets import call, completion, served, server

KEY = "sk-planted-0123456789"
HELLO = (Message("user", "Hello?"),)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def run_on(app: web.Application, out: Path, **choices: Any) -> tuple[sx.Run, Progress]:
    """A run of sim/typical against a server in this process."""
    seen: list[Progress] = []

    async def main() -> sx.Run:
        async with server(app) as url:
            model = choices.pop("model", "sim/typical")
            planned = plan([model], base_url=url, timeout=5, out=out, **{"max_connections": 50, **choices})
            return await asyncio.to_thread(carry_out, planned, seen.append)

    return asyncio.run(main()), seen[-1]


def ask_once(
    handler: Handler, model: str = "sim/typical", prompt: str = "Hello?", api_key_env: str | None = None
) -> CallResult:
    """One call to a server that does what `handler` does."""

    async def main() -> CallResult:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", handler)
        async with server(app) as url:
            options = Connection(base_url=url, timeout=2, api_key_env=api_key_env)
            async with HttpEngine([model], options) as engine:
                return await engine.ask(call(model, prompt))

    return asyncio.run(main())


def replying(*bodies: Any, status: int = 200, headers: dict[str, str] | None = None) -> Handler:
    """A server that sends these bodies one after the other, the last one for ever."""
    queue = list(bodies)

    async def handler(request: web.Request) -> web.Response:
        body = queue.pop(0) if len(queue) > 1 else queue[0]
        if isinstance(body, web.Response):
            # a response is sent once
            return web.Response(body=body.body, status=body.status, headers=body.headers)
        return web.json_response(body, status=status, headers=headers)

    return handler


# --- one call --------------------------------------------------------------------------------------------------------


def test_a_completion_is_kept_with_its_counts_and_who_served_it() -> None:
    result = ask_once(replying(completion()))
    assert (result.text, result.stop_reason, result.error) == ("Hi", "stop", None)
    assert (result.input_tokens, result.output_tokens, result.reasoning_tokens) == (3, 5, 2)
    assert (result.served_model, result.fingerprint) == ("m-2026-01-01", "fp")


@pytest.mark.parametrize(
    ("body", "text", "stop", "refusal"),
    [
        (completion(None, refusal="No."), "", "stop", "No."),
        (completion("", "content_filter"), "", "content_filter", None),
        (completion("half", "length"), "half", "length", None),
        (completion("", "length"), "", "length", None),
    ],
)
def test_what_a_model_or_provider_withholds_is_kept_as_what_it_is(
    body: Any, text: str, stop: str, refusal: str | None
) -> None:
    result = ask_once(replying(body))
    assert (result.text, result.stop_reason, result.refusal, result.attempt) == (text, stop, refusal, None)


def test_a_policy_error_is_behaviour_and_not_asked_again() -> None:
    asked = []

    async def handler(request: web.Request) -> web.Response:
        asked.append(1)
        return web.json_response({"error": {"message": "flagged", "code": "content_policy_violation"}}, status=400)

    result = ask_once(handler)
    assert (result.text, result.stop_reason, result.error) == ("", "content_filter", None)
    assert len(asked) == 1


def test_empty_text_is_asked_for_once_more_and_then_kept() -> None:
    assert ask_once(replying(completion(""), completion("now"))).text == "now"
    result = ask_once(replying(completion("")))
    assert (result.text, result.error, result.attempt) == ("", None, 2)
    assert result.retry_causes == ("empty reply",)


@pytest.mark.parametrize(
    ("failure", "cause"),
    [
        (web.json_response({"error": "slow down"}, status=429, headers={"Retry-After": "0.01"}), "rate limit"),
        (web.json_response({"error": "oops"}, status=500), "server error"),
        (web.json_response({"error": "slow"}, status=408), "status 408"),
        (web.Response(text="<html>bad gateway</html>", content_type="text/html"), "no completion"),
        (web.json_response({"error": {"message": "upstream"}}), "no completion"),
        (web.json_response({"choices": []}), "no completion"),
        (web.json_response(["not", "an", "object"]), "no completion"),
        (web.json_response({"choices": [{"message": {"content": 7}}]}), "no completion"),
    ],
    ids=["429", "500", "408", "html", "error in 200", "no choices", "a list", "odd content"],
)
def test_a_failure_that_passes_is_asked_again_and_its_cause_kept(failure: web.Response, cause: str) -> None:
    result = ask_once(replying(failure, completion("Hi")))
    assert (result.text, result.attempt, result.retry_causes) == ("Hi", 2, (cause,))


def test_a_run_says_why_it_asked_again(tmp_path: Path) -> None:
    busy = web.json_response({"error": "slow down"}, status=429, headers={"Retry-After": "0.01"})
    app = web.Application()
    app.router.add_post(
        "/v1/chat/completions", replying(busy, busy, web.Response(status=500), completion("Hi"), busy, completion("Hi"))
    )
    run, progress = run_on(app, tmp_path / "r", experiments=["association"], limit=1, max_connections=1)
    assert next(summary(progress, run, scores_follow=True)) == "calls 2, retries 4 (rate limit 3, server error 1)"
    kept = [reply.retry_causes for reply in sx.load(tmp_path / "r").replies.values()]
    assert sorted(map(len, kept)) == [1, 3]


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (401, "the key is not accepted"),
        (402, "out of credit"),
        (404, "there is no model 'typical'"),
        (400, "not accepted"),
    ],
)
def test_what_asking_again_will_not_change_stops_the_run_with_the_way_out(status: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ask_once(replying({"error": {"message": "no"}}, status=status))


def test_fields_of_the_wrong_kind_say_nothing_and_break_nothing(tmp_path: Path) -> None:
    odd = completion("Hi", reasoning_content={"a": 1})
    odd |= {"model": 7, "system_fingerprint": [], "usage": {"prompt_tokens": -1, "completion_tokens": 2**70}}
    app = web.Application()
    app.router.add_post("/v1/chat/completions", replying(odd))
    run, _ = run_on(app, tmp_path / "r", experiments=["association"], limit=1)
    for reply in run.replies.values():
        assert reply.text == "Hi"
        assert (reply.stop_reason, reply.refusal, reply.served_model, reply.output_tokens) == ("stop", None, None, None)


def test_half_a_surrogate_pair_in_a_reply_is_still_a_reply() -> None:
    body = web.Response(text=json.dumps(completion("Hi \ud83d there")), content_type="application/json")
    assert ask_once(replying(body)).text == "Hi \ufffd there"


def test_what_a_call_cost_is_kept_where_the_provider_says_it(tmp_path: Path) -> None:
    body = completion("Hi")
    body["usage"]["cost"] = 0.0125
    app = web.Application()
    app.router.add_post("/v1/chat/completions", replying(body))
    run, progress = run_on(app, tmp_path / "r", experiments=["association"], limit=2)
    assert progress.cost == pytest.approx(4 * 0.0125)
    assert [reply.cost_usd for reply in run.replies.values()] == [0.0125] * 4


def test_a_server_of_another_kind_stops_the_run() -> None:
    with pytest.raises(InputError, match="Is this the right address"):
        ask_once(replying(web.Response(text="hello")))


def test_a_wrong_address_stops_the_run() -> None:
    async def main() -> CallResult:
        options = Connection(base_url="http://127.0.0.1:9/v1", timeout=2)
        async with HttpEngine(["x/y"], options) as engine:
            return await engine.ask(call("x/y", "?"))

    with pytest.raises(InputError, match="Is this the right address"):
        asyncio.run(main())


def test_thoughts_are_kept_apart_from_the_answer() -> None:
    for body in (
        completion("<think>hm, B?</think>\n\nA"),
        completion("A", reasoning_content="hm, B?"),
        completion([{"type": "thinking", "thinking": "hm, B?"}, {"type": "text", "text": "A"}]),  # type: ignore[arg-type]
    ):
        result = ask_once(replying(body))
        assert (result.text, result.reasoning) == ("A", "hm, B?")


# --- what is sent ----------------------------------------------------------------------------------------------------


def test_each_session_is_one_user_message_and_nothing_unasked_is_sent() -> None:
    wire, where = WIRES["openai"], endpoint("vllm/org/model", None)
    assert wire.url(where) == "http://localhost:8000/v1/chat/completions"
    assert wire.headers(where) == {}
    assert wire.body(where, HELLO, {}) == {
        "model": "org/model",
        "messages": [{"role": "user", "content": "Hello?"}],
    }


def test_openai_is_asked_to_store_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    wire, where = WIRES["openai"], endpoint("openai/gpt-4.1", None)
    body = wire.body(where, HELLO, {"temperature": 0, "system": "Be brief."})
    assert body["store"] is False
    assert body["temperature"] == 0
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert wire.headers(where) == {"Authorization": f"Bearer {KEY}"}


def test_the_narrowest_setting_counts() -> None:
    settings = {"temperature": 0, "execute.temperature": 1, "difficulty.temperature": 2, "max_tokens": 9}
    sampling = Sampling(settings=settings, system="Be brief.", extra_body={"top_k": 3})
    plain = {"top_k": 3, "temperature": 0, "max_tokens": 9, "system": "Be brief."}
    assert sampling.of("restriction", "predict") == plain
    assert sampling.of("restriction", "execute")["temperature"] == 1
    assert sampling.of("difficulty", "execute")["temperature"] == 2
    assert Sampling().of("difficulty", "execute") == {}


def test_a_changed_setting_is_refused_by_name(tmp_path: Path) -> None:
    def planned(temperature: float) -> Any:
        return plan(["sim/coin"], settings={"temperature": temperature}, out=tmp_path / "r", limit=1)

    carry_out(planned(0))
    with pytest.raises(InputError, match="the setting temperature was 0 when this run began and is 1 now"):
        carry_out(planned(1))


def test_anthropics_wire(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    wire, where = WIRES["anthropic"], endpoint("anthropic/claude", None)
    assert wire.url(where) == "https://api.anthropic.com/v1/messages"
    assert wire.body(where, HELLO, {"max_tokens": 5, "system": "Be brief."}) == {
        "model": "claude",
        "max_tokens": 5,
        "messages": [{"role": "user", "content": "Hello?"}],
        "system": "Be brief.",
    }
    assert wire.headers(where)["x-api-key"] == KEY
    result = WIRES["anthropic"].result(
        {
            "model": "claude-1",
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Hi"}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 3, "output_tokens": 7},
        }
    )
    assert (result.text, result.reasoning, result.stop_reason) == ("Hi", "hm", "stop")
    assert (result.input_tokens, result.output_tokens) == (3, 7)
    refused = WIRES["anthropic"].result({"content": [], "stop_reason": "refusal"})
    assert refused.stop_reason == "refusal"
    with pytest.raises(UnusableReply):
        WIRES["anthropic"].result({"type": "error", "error": {"message": "overloaded"}})


def test_geminis_wire(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    settings = {"temperature": 0, "max_tokens": 5}
    wire, where = WIRES["gemini"], endpoint("google/gemini-x", None)
    assert wire.url(where).endswith("/v1beta/models/gemini-x:generateContent")
    assert wire.body(where, HELLO, settings)["generationConfig"] == {"temperature": 0, "maxOutputTokens": 5}
    assert KEY not in wire.url(where)
    parts = [{"text": "hm", "thought": True}, {"text": "Hi"}]
    result = WIRES["gemini"].result(
        {
            "candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 1, "thoughtsTokenCount": 6},
        }
    )
    # the reply cost what was thought and what was said
    assert (result.text, result.reasoning, result.output_tokens, result.reasoning_tokens) == ("Hi", "hm", 7, 6)
    blocked = WIRES["gemini"].result({"promptFeedback": {"blockReason": "SAFETY"}})
    assert (blocked.text, blocked.stop_reason) == ("", "content_filter")


# --- pace ------------------------------------------------------------------------------------------------------------


def test_the_pace_slackens_on_complaint_and_recovers() -> None:
    pace = RateLimit(10)
    pace.too_fast()
    assert pace.limit == pytest.approx(7)
    pace.too_fast()  # the same burst
    assert pace.limit == pytest.approx(7)
    for _ in range(200):
        pace.went_well()
    assert pace.limit == 10


def test_no_more_calls_are_under_way_than_allowed() -> None:
    busiest = 0

    async def main() -> None:
        pace = RateLimit(3)

        async def call() -> None:
            nonlocal busiest
            async with pace:
                busiest = max(busiest, pace.busy)
                await asyncio.sleep(0.001)

        await asyncio.gather(*(call() for _ in range(30)))

    asyncio.run(main())
    assert busiest == 3


# --- whole runs ------------------------------------------------------------------------------------------------------

PASSING = {"429": 0.05, "500": 0.05, "reset": 0.04, "garbage": 0.03, "no-choices": 0.02, "slow-body": 0.01}
LASTING = {"content-filter": 0.02, "refusal": 0.02, "policy": 0.01, "truncation": 0.02, "no-usage": 0.01}
# twenty percent in all
MIXED = {name: share * 0.6 for name, share in PASSING.items()} | LASTING


# a reply whose connection broke, or whose command was killed, before the check counts, with a warning
@pytest.mark.filterwarnings("ignore:.*not checked for swapped answers")
@pytest.mark.slow
def test_a_run_under_faults_that_pass_equals_one_without(tmp_path: Path) -> None:
    app = FaultyServer(load("starter"), PASSING).app()
    under_faults, progress = run_on(app, tmp_path / "faulty", limit=20)
    plain = sx.run(["sim/typical"], out=tmp_path / "plain", limit=20)
    assert progress.retries > 10
    assert not progress.failures
    assert {k: r.text for k, r in under_faults.replies.items()} == {k: r.text for k, r in plain.replies.items()}
    assert sx.score(under_faults).records() == sx.score(plain).records()


def test_faults_that_stay_are_states_of_their_own(tmp_path: Path) -> None:
    lasting = {"content-filter": 0.1, "refusal": 0.1, "policy": 0.1, "truncation": 0.1, "no-usage": 0.2}
    app = FaultyServer(load("starter"), lasting).app()
    run, progress = run_on(app, tmp_path / "r", experiments=["difficulty"], limit=30)
    assert not progress.failures
    states = Counter(zip(run.sessions["state"], run.sessions["reason"], strict=True))
    assert states["withheld", "model"] > 0
    assert states["withheld", "provider"] > 0
    assert states["unreadable", "truncated"] > 0
    assert not any(state == "missing" for state, _ in states)
    stops = Counter(reply.stop_reason for reply in run.replies.values())
    assert set(stops) == {"stop", "length", "content_filter"}
    # tokens are never chances: pairs that only they could decide are missing
    assert (run.observations["state"] == "missing").sum() > 0


def test_a_rate_limit_is_kept_to(tmp_path: Path) -> None:
    app = SimServer(load("starter"), rate=400).app()
    run, progress = run_on(app, tmp_path / "r", experiments=["association"], limit=100)
    assert not progress.failures
    assert len(run.replies) == 200


def test_no_key_appears_in_any_file_or_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    async def echo(request: web.Request) -> web.Response:
        given = request.headers["Authorization"]
        prompt = (await request.json())["messages"][0]["content"]
        if "egg" in prompt:
            return web.json_response({"error": {"message": f"bad key {given}"}}, status=500)
        return web.json_response(completion(f"You sent {given}"))

    def app() -> web.Application:
        made = web.Application()
        made.router.add_post("/v1/chat/completions", echo)
        return made

    items = tmp_path / "items"
    items.mkdir()
    lines = [{"id": n, "request": f"Tell me about {n}.", "label": "safe", "type": "x"} for n in ("eggs", "milk")]
    (items / "restriction.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    monkeypatch.setattr("selfexec.engines.http.client.ATTEMPTS", 2)
    monkeypatch.setattr("selfexec.engines.http.client.FIRST_ATTEMPTS", 2)
    run_on(app(), tmp_path / "r", model="openai/gpt-4.1", items=str(items), api_key_env="OPENAI_API_KEY")
    with pytest.raises(InputError) as stopped:
        ask_once(echo, model="openai/gpt-4.1", prompt="an egg", api_key_env="OPENAI_API_KEY")
    assert "[key]" in str(stopped.value)
    assert KEY not in str(stopped.value)
    written = b"".join(path.read_bytes() for path in (tmp_path / "r").rglob("*") if path.is_file())
    assert b"[key]" in written
    assert KEY.encode() not in written
    assert KEY not in "".join(capsys.readouterr())
    assert KEY not in repr(endpoint("openai/gpt-4.1", None))


@pytest.mark.parametrize("status", [200, 400, 401, 402, 403, 404, 429, 500])
def test_the_command_never_shows_a_key_that_a_server_sends_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, selfexec: Command, status: int
) -> None:
    async def tell_all(request: web.Request) -> web.Response:
        said = f"{request.headers['Authorization']} {request.url}"
        return web.Response(text=said if status == 200 else json.dumps({"error": {"message": said}}), status=status)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    app = web.Application()
    app.router.add_post("/v1/chat/completions", tell_all)
    with served(app) as url:
        address = url.replace("://", "://me:hunter2@")
        for model, given, more in (("openai/y", url, ["--api-key-env", "OPENAI_API_KEY"]), ("vllm/y", address, [])):
            command = ["run", "--limit", "1", "--model", model, "--base-url", given, "--out", "r", *more]
            ended, printed, said = selfexec(*command)
            assert (ended, len(said.splitlines())) == (2, 1)
            for secret in (KEY, "hunter2"):
                assert secret not in printed + said
    files = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY.encode() not in files and b"hunter2" not in files


@pytest.mark.parametrize("key", ["sk-abc\ndef", "sk abc", "sk-“abc”"])
def test_a_key_that_cannot_be_one_is_refused_and_not_shown(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(InputError) as stopped:
        endpoint("openai/y", None)
    assert "OPENAI_API_KEY: the key holds" in str(stopped.value)
    assert "abc" not in str(stopped.value)


def test_a_key_may_stand_in_a_dotenv_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MISTRAL_API_KEY", raising=False)
    with pytest.raises(InputError, match=r"no API key found\. Set MISTRAL_API_KEY"):
        endpoint("mistral/small", None)
    (tmp_path / ".env").write_text(f'MISTRAL_API_KEY="{KEY}"\n')
    assert endpoint("mistral/small", None).key == KEY


def planned_kills(rng: random.Random, kills: int, calls: int) -> Iterator[int]:
    """After how many further replies each kill comes: all of them before the calls are through."""
    for _ in range(kills):
        yield rng.randint(1, int(1.5 * calls / kills))


# a reply whose connection broke, or whose command was killed, before the check counts, with a warning
@pytest.mark.filterwarnings("ignore:.*not checked for swapped answers")
@pytest.mark.parametrize(
    ("limit", "calls", "kills", "connections"),
    [
        pytest.param(20, 300, 3, 8, marks=pytest.mark.slow),
        pytest.param(156, 2900, 20, 20, marks=pytest.mark.long),
    ],
)
def test_a_run_killed_again_and_again_under_faults_loses_nothing_and_invents_nothing(
    tmp_path: Path, limit: int, calls: int, kills: int, connections: int
) -> None:
    items = load("starter")
    good: Counter[bytes] = Counter()

    class Counting(FaultyServer):
        async def complete(self, request: web.Request, **named: Any) -> web.StreamResponse:
            response = await super().complete(request, **named)
            if response.status == 200 and isinstance(response, web.Response) and b'"choices"' in (response.body or b""):
                good[await request.read() + request.headers.get("X-Selfexec-Epoch", "1").encode()] += 1
            return response

    with served(Counting(items, MIXED, latency=0.02).app()) as url:
        command = [sys.executable, "-m", "selfexec", "run", "--model", "sim/typical", "--epochs", "3"]
        command += ["--limit", str(limit), "--base-url", url, "--max-connections", str(connections)]
        command += ["--out", str(tmp_path / "r")]
        for further in planned_kills(random.Random(11), kills, calls):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            aim = good.total() + further
            while good.total() < aim:
                assert process.poll() is None, "the run ended before it could be killed"
                time.sleep(0.001)
            process.kill()
            process.wait()
        finished = subprocess.run(command, capture_output=True, text=True, check=False)
        assert finished.returncode == 0, finished.stderr
    broken = sx.load(tmp_path / "r")
    assert len(broken.replies) > calls
    unbroken, _ = run_on(FaultyServer(items, MIXED).app(), tmp_path / "u", limit=limit, epochs=3)
    assert broken.replies.keys() == unbroken.replies.keys()
    assert [essence(r) for r in broken.replies.values()] == [essence(unbroken.replies[k]) for k in broken.replies]
    assert sx.score(broken).records() == sx.score(unbroken).records()
    # a call is repeated only if it was under way when the run was killed, and then it was never written down
    assert good.total() - len(good) <= kills * connections
    lines = (tmp_path / "r" / "replies.jsonl").read_text().splitlines()
    assert len(lines) == len(broken.replies)


def essence(reply: Reply) -> tuple[Any, ...]:
    """What a reply says, apart from how and when it came."""
    return (reply.text, reply.refusal, reply.stop_reason, reply.output_tokens, reply.error, reply.prompt_sha256)
