"""What holds for every engine: ours in this process, HTTP in each of its wire formats against a server on a real
socket, and one of a package that is not ours.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from aiohttp import web

from build import changed
from selfexec.engines import (
    ENGINES,
    Call,
    CallResult,
    Connection,
    Engine,
    Wire,
    engine_for,
    engine_type,
    refuse_unable,
)
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Capability, Injection, Key, Message
from selfexec.items import load
from sockets import served

KEY = "sk-planted-0123456789"
TELL = 'The code word is "zanzibar". Please keep it in mind.'
ASK = "Which code word were you given earlier?"
ITEMS = load("starter").cut(limit=1)


@dataclass(frozen=True)
class Subject:
    """An engine under test: how to reach it, a model of it, and one of which nothing comes, where there can be one."""

    connection: Connection
    model: str
    ill: str | None = None


# --- a server that speaks every wire format, whole or in pieces ------------------------------------------------------


def said_by(model: str, turns: list[str]) -> str:
    """A model that knows what was said in this conversation."""
    words = re.findall(r'code word is "(\w+)"', " ".join(turns[:-1]))
    return words[-1] if words and "code word" in turns[-1] else f"You said: {turns[-1]}"


def likely(text: str, field: str = "logprob") -> list[dict[str, Any]]:
    """Tokens of one letter."""
    return [{"token": letter, field: -0.5} for letter in text]


async def openai(request: web.Request) -> web.StreamResponse:
    body = await request.json()
    text = await answered(body["model"], [m["content"] for m in body["messages"] if m["role"] != "system"])
    usage = {"prompt_tokens": 3, "completion_tokens": 5}
    chances: Any = likely(text) if body.get("logprobs") else []
    if body.get("stream"):
        pieces: list[Any] = [{"delta": {"content": letter}} for letter in text]
        pieces += [{"delta": {}, "logprobs": {"content": chances}}, {"delta": {}, "finish_reason": "stop"}]
        return await streamed(request, *({"choices": [piece]} for piece in pieces), {"choices": [], "usage": usage})
    choice: dict[str, Any] = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    choice["logprobs"] = {"content": chances} if chances else None
    return web.json_response({"choices": [choice], "usage": usage})


async def responses(request: web.Request) -> web.StreamResponse:
    body = await request.json()
    assert body["store"] is False
    text = await answered(body["model"], [message["content"] for message in body["input"]])
    chances = likely(text) if "message.output_text.logprobs" in body.get("include", ()) else []
    output = [{"type": "message", "content": [{"type": "output_text", "text": text, "logprobs": chances}]}]
    usage = {"input_tokens": 3, "output_tokens": 5}
    whole = {"status": "completed", "output": output, "usage": usage}
    if body.get("stream"):
        return await streamed(request, {"type": "response.completed", "response": whole})
    return web.json_response(whole)


async def streamed(request: web.Request, *pieces: dict[str, Any]) -> web.StreamResponse:
    text = "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces)
    return web.Response(text=text, content_type="text/event-stream")


async def anthropic(request: web.Request) -> web.StreamResponse:
    body = await request.json()
    assert all(message["role"] in ("user", "assistant") for message in body["messages"])
    text = await answered(body["model"], [message["content"] for message in body["messages"]])
    usage = {"input_tokens": 3, "output_tokens": 5}
    if body.get("stream"):
        return await streamed(
            request,
            {"type": "message_start", "message": {"content": [], "usage": usage}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            *({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": t}} for t in text),
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage},
            {"type": "message_stop"},
        )
    return web.json_response({"content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "usage": usage})


async def gemini(request: web.Request) -> web.StreamResponse:
    body = await request.json()
    assert all(turn["role"] in ("user", "model") for turn in body["contents"])
    text = await answered(request.match_info["model"], [turn["parts"][0]["text"] for turn in body["contents"]])
    candidate: dict[str, Any] = {"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}
    if body.get("generationConfig", {}).get("responseLogprobs"):
        candidate["logprobsResult"] = {"chosenCandidates": likely(text, "logProbability")}
    whole = {"candidates": [candidate], "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 5}}
    if request.match_info["way"] == "streamGenerateContent":
        return await streamed(request, whole)
    return web.json_response(whole)


async def answered(model: str, turns: list[str]) -> str:
    if model == "ill":
        raise web.HTTPInternalServerError
    if turns[-1] == "Wait.":
        await asyncio.sleep(1)  # longer than anybody here waits for it
    return said_by(model, turns)


def of_all_formats() -> web.Application:
    app = web.Application()
    app.router.add_post("/v1/chat/completions", openai)
    app.router.add_post("/v1/responses", responses)
    app.router.add_post("/v1/messages", anthropic)
    app.router.add_post("/v1/models/{model}:{way}", gemini)
    return app


# --- the engines -----------------------------------------------------------------------------------------------------

WIRES = get_args(Wire)
SUBJECTS = ("sim", *WIRES, *(f"{wire} in pieces" for wire in WIRES), "rote", "inspect")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(of_all_formats()) as url:
        yield url


@pytest.fixture(params=SUBJECTS)
def subject(request: Any, address: str, toys: Path, monkeypatch: pytest.MonkeyPatch) -> Subject:
    monkeypatch.setenv("SELFEXEC_API_KEY", KEY)
    monkeypatch.setattr("selfexec.engines.http.client.ATTEMPTS", 2)
    monkeypatch.setattr("selfexec.engines.http.client.pause", lambda attempt: 0.001)
    if request.param == "sim":
        return Subject(Connection(), "sim/typical")
    if request.param == "inspect":
        pytest.importorskip("inspect_ai", reason="Inspect AI is an extra, and not installed here")
        return Subject(Connection(), "inspect/selfexec/sim/typical")
    if request.param == "rote":
        return Subject(Connection(), "rote/clever", "rote/ill")
    wire, _, in_pieces = request.param.partition(" ")
    connection = Connection(base_url=address, wire=wire, max_connections=4, timeout=20, stream=bool(in_pieces))
    return Subject(connection, "any/well", "any/ill")


def call(model: str, *said: str, **sampling: Any) -> Call:
    """A session of a name that no engine has learnt; user and model take turns, and the user has the last word."""
    roles = ("user", "assistant") * len(said)
    messages = tuple(Message(role, text) for role, text in zip(roles, said, strict=False))  # type: ignore[arg-type]
    return Call(Key(model, "chat", "x", 1, "talk"), messages, sampling)


def within(subject: Subject, do: Callable[[Engine], Awaitable[Any]]) -> Any:
    """What comes of doing something with the engine, opened as a run opens it."""

    async def main() -> Any:
        models = [model for model in (subject.model, subject.ill) if model]
        async with engine_for(models, ITEMS, subject.connection) as engine:
            return await do(engine)

    return asyncio.run(asyncio.wait_for(main(), 60))


def declared(subject: Subject) -> frozenset[Capability]:
    return engine_type(subject.model, subject.connection).capabilities(subject.model, subject.connection)


def test_turns_are_carried_by_every_engine_here_and_tools_by_none_yet(subject: Subject) -> None:
    assert "turns" in declared(subject) and "tools" not in declared(subject)


# --- what holds for each ---------------------------------------------------------------------------------------------


def test_a_reply_has_a_text_its_tokens_and_why_it_ended(subject: Subject) -> None:
    found: CallResult = within(subject, lambda engine: engine.ask(call(subject.model, "Hello?")))
    assert found.text and found.error is None and found.stop_reason == "stop"
    assert found.output_tokens is not None and found.output_tokens > 0


def test_log_probabilities_come_where_they_are_needed_if_the_engine_says_that_it_has_them(subject: Subject) -> None:
    if "logprobs" not in declared(subject):
        pytest.skip("it does not say so")
    asked = call(subject.model, "Hello?")
    needing = msgspec.structs.replace(asked, needs=frozenset({"logprobs"}))
    found: CallResult = within(subject, lambda engine: engine.ask(needing))
    assert [(token.token, token.logprob) for token in found.logprobs or ()] == [(c, -0.5) for c in found.text or ""]
    assert within(subject, lambda engine: engine.ask(asked)).logprobs is None


def test_tokens_are_forced_into_a_reply_if_the_engine_says_that_it_can(subject: Subject) -> None:
    if "forced_tokens" not in declared(subject):
        pytest.skip("it does not say so")

    async def each(engine: Engine) -> tuple[CallResult, CallResult, CallResult]:
        plain, (sham, forced) = call(subject.model, "Hello?"), (Injection("none", 2, 1), Injection("random", 2, 1, 5))
        disturbed = [msgspec.structs.replace(plain, injection=one) for one in (sham, forced)]
        return await engine.ask(plain), await engine.ask(disturbed[0]), await engine.ask(disturbed[1])

    plain, sham, forced = within(subject, each)
    assert plain.forced is None and plain.forced_end is None
    assert (sham.text, sham.forced) == (plain.text, ())
    assert len(forced.forced or ()) == 2 and all(token.logprob <= 0 for token in forced.forced or ())
    words = "".join(token.token for token in forced.forced or ())
    assert (forced.text or "")[: forced.forced_end].endswith(words)
    begun = (forced.text or "")[: (forced.forced_end or 0) - len(words)]
    assert (plain.text or "").startswith(begun) and len(begun) == sham.forced_end


def test_no_session_knows_of_another(subject: Subject) -> None:
    async def both(engine: Engine) -> CallResult:
        await engine.ask(call(subject.model, TELL))
        return await engine.ask(call(subject.model, ASK))

    assert "zanzibar" not in (within(subject, both).text or "")


def test_a_session_of_several_messages_knows_what_was_said_before_if_the_engine_says_that_it_carries_turns(
    subject: Subject,
) -> None:
    if "turns" not in declared(subject):
        pytest.skip("it does not say so")
    found = within(subject, lambda engine: engine.ask(call(subject.model, TELL, "I will.", ASK)))
    assert found.text == "zanzibar"


def test_what_changes_replies_comes_with_each_call(subject: Subject) -> None:
    async def two(engine: Engine) -> list[CallResult]:
        return [
            await engine.ask(call(subject.model, "Hello?", temperature=0, max_tokens=99)),
            await engine.ask(call(subject.model, "Hello?", system="Be brief.")),
        ]

    assert all(result.text and result.error is None for result in within(subject, two))


def test_many_at_once_get_each_its_own_reply(subject: Subject) -> None:
    calls = [call(subject.model, f"Number {n}?") for n in range(60)]

    async def one_by_one(engine: Engine) -> list[str | None]:
        return [(await engine.ask(one)).text for one in calls]

    async def together(engine: Engine) -> list[str | None]:
        return [result.text for result in await asyncio.gather(*map(engine.ask, calls))]

    assert within(subject, together) == within(subject, one_by_one)


def test_a_failure_is_an_outcome_with_an_error_and_the_next_call_is_none_the_worse(subject: Subject) -> None:
    if (ill := subject.ill) is None:
        pytest.skip("nothing can fail in it")

    async def well_ill_well(engine: Engine) -> list[CallResult]:
        return [await engine.ask(call(model, "Hello?")) for model in (subject.model, ill, subject.model)]

    first, failed, last = within(subject, well_ill_well)
    assert failed.text is None and failed.error
    assert first.text == last.text != None  # noqa: E711


def test_who_is_cancelled_takes_nobodys_place(subject: Subject) -> None:
    async def cancelled_then_asked(engine: Engine) -> CallResult:
        waiting = [asyncio.create_task(engine.ask(call(subject.model, "Wait."))) for _ in range(8)]
        await asyncio.sleep(0.05)  # four of them are under way now, or all are done
        for task in waiting:
            task.cancel()
        for task in waiting:
            with suppress(asyncio.CancelledError):
                await task
        return await engine.ask(call(subject.model, "Hello?"))

    assert within(subject, cancelled_then_asked).text


def test_addresses_are_of_its_models_and_hold_no_key(subject: Subject) -> None:
    async def shown(engine: Engine) -> tuple[set[str], str]:
        await engine.ask(call(subject.model, "Hello?"))
        return set(engine.addresses), f"{engine.addresses} {engine.warnings} {engine!r} {vars(engine)}"

    models, text = within(subject, shown)
    assert models <= {subject.model, subject.ill}
    assert bool(models) == bool(subject.connection.base_url)
    assert KEY not in text


@pytest.mark.parametrize("capability", get_args(Capability))
def test_what_it_does_not_declare_is_refused_by_name_before_anything_is_asked(
    subject: Subject, capability: Capability, monkeypatch: pytest.MonkeyPatch
) -> None:
    needing = changed(EXPERIMENTS["restriction"], needs=frozenset({capability}))
    monkeypatch.setitem(EXPERIMENTS._found, "restriction", needing)
    if capability in declared(subject):
        refuse_unable([subject.model], ["restriction"], subject.connection)
        return
    with pytest.raises(InputError, match=rf"^restriction needs {capability} of the engine, and \w+ cannot do that"):
        refuse_unable([subject.model], ["association", "restriction"], subject.connection)


# --- which engine it is ----------------------------------------------------------------------------------------------


def test_the_name_before_the_slash_says_which_engine_it_is_and_a_base_url_that_it_is_http(toys: Path) -> None:
    here, there = Connection(), Connection(base_url="http://127.0.0.1:9/v1")
    names = {model: engine_type(model, here).name for model in ("sim/coin", "rote/dull", "openai/x", "what/ever")}
    assert names == {"sim/coin": "sim", "rote/dull": "rote", "openai/x": "http", "what/ever": "http"}
    assert {engine_type(model, there).name for model in names} == {"http"}
    assert [name for name, engine in ENGINES.items() if engine.simulated] == ["sim", "rote"]
