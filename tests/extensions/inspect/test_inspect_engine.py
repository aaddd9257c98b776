"""Inspect's model layer as an engine: what it makes of replies, refusals and errors comes out as over HTTP."""

import asyncio
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import selfexec as sx
from faulty_server import FaultyServer
from selfexec.engines import ENGINES, CallResult, Connection
from selfexec.errors import InputError
from selfexec.extensions.inspect.engine import InspectEngine, result_of
from selfexec.extensions.inspect.engine.asking import what_it_is
from selfexec.extensions.inspect.engine.engine import inspect_config
from selfexec.extensions.inspect.engine.results import NoCompletion, settings_of
from selfexec.extras import to_install
from selfexec.items import load
from sockets import call, served

KEY = "sk-planted-0123456789"


def test_without_the_extra_one_line_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    with pytest.raises(InputError, match="^Inspect AI is not installed.*" + re.escape(to_install("inspect")) + "$"):
        sx.run("inspect/openai/x", out=tmp_path / "r", limit=1)
    assert "inspect/" in ENGINES["inspect"].models()


# --- what an output says ---------------------------------------------------------------------------------------------


def output(content: Any = "A", stop: str = "stop", usage: Any = (3, 5), **more: Any) -> SimpleNamespace:
    """As Inspect's ModelOutput: `usage` in and out, None where nobody was billed."""
    counted = usage and SimpleNamespace(input_tokens=usage[0], output_tokens=usage[1], reasoning_tokens=2)
    choice = SimpleNamespace(
        message=SimpleNamespace(content=content), stop_reason=stop, stop_details=more.pop("details", None)
    )
    plain = {"model": "m-1", "error": None, "metadata": None, "response_id": "id-1", "choices": [choice]}
    return SimpleNamespace(**{**plain, "usage": counted or None, **more})


def part(type: str, text: str, **more: Any) -> SimpleNamespace:
    return SimpleNamespace(type=type, **({"reasoning": text} if type == "reasoning" else {"text": text}), **more)


def test_a_reply_is_kept_with_all_that_is_known_of_it() -> None:
    found = result_of(output([part("reasoning", "Hm."), part("text", "A"), part("text", "B")]))
    assert (found.text, found.reasoning, found.stop_reason) == ("AB", "Hm.", "stop")
    assert (found.input_tokens, found.output_tokens, found.reasoning_tokens) == (3, 5, 2)
    assert (found.served_model, found.completion_id, found.simulated) == ("m-1", "id-1", False)


def test_an_encrypted_thought_leaves_its_summary_and_what_a_cache_held_went_in_too() -> None:
    given = output([part("reasoning", "gAAA", redacted=True, summary="In short."), part("text", "A")])
    given.usage.input_tokens_cache_read = 10
    found = result_of(given)
    assert (found.reasoning, found.input_tokens) == ("In short.", 13)


@pytest.mark.parametrize(
    ("given", "provider", "state"),
    [
        (output("A", "max_tokens"), "openai", ("A", "length", None, None)),
        (output("", "content_filter"), "openai", ("", "content_filter", None, None)),
        # Anthropic's word for it is refusal, which Inspect calls a filter
        (output("", "content_filter"), "anthropic", ("", "refusal", None, None)),
        (output("", "content_filter", details=SimpleNamespace(type="refusal")), "x", ("", "refusal", None, None)),
        (output([part("text", "No.", refusal=True)]), "openai", ("", "stop", "No.", None)),
        # nobody was billed: the text is a server's sentence, or Inspect's own
        (
            output("Sorry, but I am unable to help.", "content_filter", None, error="output blocked"),
            "anthropic",
            ("", "content_filter", None, "output blocked"),
        ),
        (output("Your prompt was flagged.", "content_filter", None), "openai", ("", "content_filter", None, "flagged")),
    ],
)
def test_what_was_withheld_is_told_apart_and_nobody_elses_words_become_the_models(
    given: Any, provider: str, state: tuple[str, str, str | None, str | None]
) -> None:
    found = result_of(given, provider)
    text, stop, refusal, policy = state
    assert (found.text, found.stop_reason, found.refusal) == (text, stop, refusal)
    assert (policy in (found.policy or "")) if policy else found.policy is None


def test_a_prompt_that_is_too_long_is_an_error_and_no_reply() -> None:
    found = result_of(output("prompt is too long: 9 tokens > 8", "model_length", None))
    assert (found.text, found.error) == (None, "prompt is too long: 9 tokens > 8")
    assert result_of(output("A", "model_length")).stop_reason == "length"  # cut off at the end of the context


def test_nothing_is_no_silence_of_the_model() -> None:
    for nothing in (output(choices=[]), output("", "unknown"), output("", "unknown", error="upstream failed")):
        with pytest.raises(NoCompletion):
            result_of(nothing)
    assert result_of(output("", "stop")).text == ""


# --- what an exception says ------------------------------------------------------------------------------------------


class APIStatusError(Exception):
    def __init__(self, status_code: int, body: Any = None, said: str = "it says so") -> None:
        super().__init__(said)
        self.status_code, self.body = status_code, body


class RetryError(Exception):
    def __init__(self, fault: Exception) -> None:
        self.last_attempt = SimpleNamespace(exception=lambda: fault)


class AttemptTimeoutError(RuntimeError):
    pass


MODEL = SimpleNamespace(api=SimpleNamespace(should_retry=lambda fault: "again" in str(fault), api_key="secret-key-1"))


@pytest.mark.parametrize(
    ("fault", "kind", "cause"),
    [
        (RetryError(APIStatusError(429)), "passing", "rate limit"),
        (APIStatusError(503), "passing", "server error"),
        (APIStatusError(429, {"code": "insufficient_quota", "message": "You exceeded"}), "account", "refused"),
        (APIStatusError(401), "account", "status 401"),
        (APIStatusError(404, {"error": {"message": "no such model"}}), "account", "status 404"),
        (APIStatusError(400, {"code": "content_policy_violation", "message": "flagged"}), "policy", "policy"),
        (APIStatusError(400, {"message": "unknown field"}), "request", "status 400"),
        (RetryError(AttemptTimeoutError("attempt_timeout '3' exceeded.")), "passing", "timeout"),
        (ConnectionResetError("reset"), "passing", "no connection"),
        (RuntimeError("overloaded, try again"), "passing", "no connection"),
        (TypeError("a bug"), "unknown", "no connection"),
    ],
)
def test_an_error_is_of_the_same_kind_as_over_http(fault: Exception, kind: str, cause: str) -> None:
    found = what_it_is(MODEL, fault)
    assert (found.kind, found.cause) == (kind, cause)


def test_what_is_said_of_an_error_holds_no_key_and_no_request() -> None:
    said = what_it_is(MODEL, APIStatusError(401, said=f"Incorrect API key provided: {KEY}, secret-key-1.")).said
    assert KEY[:11] not in said and "secret" not in said and "Incorrect API key" in said
    wrapped = type("ModelGenerateError", (RuntimeError,), {"provider_message": "bad field", "status_code": 400})
    assert what_it_is(MODEL, wrapped("Request:\n{the whole prompt}")).said == "status 400: bad field"


# --- what is sent ----------------------------------------------------------------------------------------------------


def test_settings_are_called_as_inspect_calls_them_and_unknown_ones_refused_by_name() -> None:
    assert inspect_config({"temperature": 0, "stop": "END", "system": "Be brief."}) == {
        "temperature": 0,
        "stop_seqs": ["END"],
        "system_message": "Be brief.",
    }
    with pytest.raises(InputError, match=r"^setting min_p: Inspect knows temperature, "):
        inspect_config({"min_p": 0.1})


def test_of_a_configuration_only_what_changes_replies_is_a_setting() -> None:
    assert settings_of({"temperature": 0.0, "max_retries": 0, "cache": True, "top_p": None}) == {"temperature": 0.0}


# --- with Inspect itself ---------------------------------------------------------------------------------------------


@pytest.fixture
def inspect_here() -> None:
    pytest.importorskip("inspect_ai", reason="Inspect AI is an extra, and not installed here")


@pytest.mark.slow
@pytest.mark.usefixtures("inspect_here")
def test_a_model_that_inspect_cannot_open_is_refused_with_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    items = load("starter").cut(limit=1)
    for model, said in (
        ("inspect/nobody/x", "nobody"),
        ("inspect/x", "write it as inspect/PROVIDER/MODEL"),
        ("inspect/selfexec/sim/nobody", "unknown simulated model"),
    ):
        with pytest.raises(InputError, match=said):
            InspectEngine([model], items, Connection())
    for connection in ({"api_key_env": "MINE"}, {"wire": "responses"}, {"stream": True}, {"headers": {"a": "b"}}):
        with pytest.raises(InputError, match=r"^[a-z_]+(=True)?: Inspect finds keys, headers and formats by itself"):
            InspectEngine(["inspect/selfexec/sim"], items, Connection(**connection))


@pytest.mark.slow
@pytest.mark.usefixtures("inspect_here")
def test_the_same_simulated_model_says_the_same_through_inspect(tmp_path: Path) -> None:
    ours = sx.run("sim/typical", limit=6, epochs=2, out=tmp_path / "ours")
    theirs = sx.run("inspect/selfexec/sim/typical", limit=6, epochs=2, out=tmp_path / "theirs")
    said = {key._replace(model="m"): reply.text for key, reply in ours.replies.items()}
    assert {key._replace(model="m"): reply.text for key, reply in theirs.replies.items()} == said
    assert theirs.observations.drop("model").equals(ours.observations.drop("model"))
    assert theirs.simulated == {"inspect/selfexec/sim/typical"}


@pytest.mark.slow
@pytest.mark.usefixtures("inspect_here")
def test_over_a_real_provider_of_inspect_faults_pass_are_counted_and_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai", reason="the provider's package is not installed here")
    monkeypatch.setattr("selfexec.extensions.inspect.engine.asking.pause", lambda attempt: 0.001)
    monkeypatch.setenv("MINE_API_KEY", KEY)
    shares = {"429": 0.1, "500": 0.1, "reset": 0.05, "garbage": 0.05, "empty": 0.05, "policy": 0.1, "refusal": 0.1}
    server = FaultyServer(load("starter"), shares)
    with served(server.app()) as address:
        monkeypatch.setenv("MINE_BASE_URL", address)
        run = sx.run(
            "inspect/openai-api/mine/sim/typical",
            limit=12,
            out=tmp_path / "r",
            accept_filters=True,
            on_progress=lambda progress: None,
        )
        alone = sx.run("vllm/sim/typical", base_url=address, limit=12, out=tmp_path / "h", accept_filters=True)
    replies = list(run.replies.values())
    assert not any(reply.failed for reply in replies) and len(replies) > 60
    causes = {cause for reply in replies for cause in reply.retry_causes}
    assert {"rate limit", "server error", "empty reply"} <= causes
    policies = [reply for reply in replies if reply.policy]
    assert policies and all(r.text == "" and r.withheld_by == "provider" for r in policies)
    assert any(reply.refusal == "I can't help with that." for reply in replies)
    # requests beyond the replies are those that we asked again, and nobody else's
    again = sum(len(reply.retry_causes) for r in (run, alone) for reply in r.replies.values())
    assert server.requests == len(run.replies) + len(alone.replies) + again
    assert KEY not in (tmp_path / "r" / "replies.jsonl").read_text() + (tmp_path / "r" / "manifest.json").read_text()


@pytest.mark.slow
@pytest.mark.usefixtures("inspect_here")
def test_a_key_that_is_not_accepted_ends_it_with_the_servers_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai", reason="the provider's package is not installed here")
    from aiohttp import web

    async def refused(request: web.Request) -> web.Response:
        return web.json_response({"error": {"message": f"Incorrect API key provided: {KEY}"}}, status=401)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", refused)
    monkeypatch.setenv("MINE_API_KEY", KEY)
    with served(app) as address:
        monkeypatch.setenv("MINE_BASE_URL", address)
        engine = InspectEngine(["inspect/openai-api/mine/x"], load("starter").cut(limit=1), Connection())

        async def ask() -> CallResult:
            async with engine:
                return await engine.ask(call("inspect/openai-api/mine/x"))

        with pytest.raises(InputError, match=r"status 401: .*Incorrect API key provided") as told:
            asyncio.run(ask())
    assert KEY not in str(told.value)
