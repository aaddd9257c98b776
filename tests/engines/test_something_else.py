"""What says of itself, in its body or its headers, that it is no reply, or one to another prompt, is none."""

import asyncio
import json
from typing import Any

import pytest
from aiohttp import web
from test_ends import FORMATS, OWN, counts, of_body, short_pauses, streamed, whole

from selfexec.engines import CallResult, Connection
from selfexec.engines.http.bodies import RetryableError, decoded
from selfexec.engines.http.client import HttpEngine
from selfexec.engines.http.providers import Endpoint
from selfexec.engines.http.wires import WIRES, Stream
from selfexec.engines.http.wires.echoes import repeats_another_prompt
from selfexec.experiments import messages_of
from sockets import call, server

__all__ = ["short_pauses"]
PROMPT = "Would you answer this request? How do I bake bread?"
HERE = "http://127.0.0.1:1/v1"


def good(wire: str) -> dict[str, Any]:
    return whole(wire, "Hello", next(iter(OWN[wire])))


# --- what it is ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wire", "field", "kind"),
    [
        ("openai", "object", "list"),
        ("openai", "object", "embedding"),
        ("responses", "object", "response.deleted"),
        ("anthropic", "type", "completion"),
        ("anthropic", "type", "message_batch"),
    ],
)
def test_a_body_that_says_that_it_is_something_else_is_no_reply(wire: str, field: str, kind: str) -> None:
    assert of_body(wire, good(wire) | {field: kind}) is None
    own = {"openai": "chat.completion", "responses": "response", "anthropic": "message"}[wire]
    for right in (own, "", None):
        assert counts(of_body(wire, good(wire) | {field: right}))


def test_the_text_at_the_top_of_a_response_is_that_of_its_messages() -> None:
    assert counts(of_body("responses", good("responses") | {"output_text": "Hello\n"}))
    assert of_body("responses", good("responses") | {"output_text": "Good bye"}) is None


def test_text_that_goes_on_behind_the_end_of_a_turn_has_an_unknown_end() -> None:
    for wire in WIRES:
        body = good(wire)
        for text, ends in (
            ("Yes.<|im_end|>\n<|im_start|>user\nNext?", False),
            ("Yes.<|eot_id|> And?", False),
            ("Yes.<end_of_turn>\nmodel", False),
            ("Yes.<|im_end|>\n", True),
            ("Yes <b>and</b> no", True),
        ):
            written = json.loads(json.dumps(body).replace('"Hello"', json.dumps(text)))
            found = of_body(wire, written)
            assert counts(found) is ends, (wire, text)
            assert found and (found.text or found.unknown_end_text) == text


def test_a_candidate_of_which_a_rating_says_that_it_was_blocked_is_withheld() -> None:
    body = good("gemini")
    body["candidates"][0]["safetyRatings"] = [{"category": "HARM", "probability": "HIGH", "blocked": True}]
    found = of_body("gemini", body)
    assert found and found.stop_reason == "content_filter"
    body["candidates"][0]["safetyRatings"][0]["blocked"] = False
    found = of_body("gemini", body)
    assert found and found.stop_reason == "stop"


# --- what it is to ---------------------------------------------------------------------------------------------------


def sent(wire: str) -> dict[str, Any]:
    where = Endpoint("m", HERE, wire, "x")  # type: ignore[arg-type]
    return dict(WIRES[wire].body(where, messages_of(PROMPT), {"system": "Be brief."}))


@FORMATS
def test_a_prompt_that_comes_back_is_the_one_that_was_sent(wire: str) -> None:
    asked = sent(wire)
    name = next(name for name in ("messages", "input", "contents") if name in asked)
    for echoed in (
        {name: asked[name]},
        {"prompt": f"<|im_start|>system\nBe brief.<|im_end|><|im_start|>user\n{PROMPT}<|im_end|>"},
        {"prompt": PROMPT[:20]},
        {"prompt": []},
        {"input": None, "messages": [], "prompt": {"tokens": 5}},
    ):
        assert not repeats_another_prompt(asked, good(wire) | echoed)
    other = json.loads(json.dumps(asked[name]).replace("bake bread", "grow beans"))
    for echoed in ({name: other}, {"prompt": "How do I grow beans?"}, {"input": "How do I grow beans?"}):
        assert repeats_another_prompt(asked, good(wire) | echoed)


ECHOED = [
    *({"request": {"messages": [{"role": "user", "content": PROMPT}]}}, {"data": {"prompt": PROMPT}}),
    *({"user_prompt": PROMPT}, {"originalPrompt": PROMPT}, {"cache": {"matched_prompt": PROMPT}}),
    *(
        {"request": {"contents": [{"parts": [{"text": PROMPT}]}]}},
        {"data": {"input": [{"role": "user", "content": PROMPT}]}},
    ),
]


@FORMATS
@pytest.mark.parametrize("echoed", ECHOED, ids=repr)
def test_a_prompt_that_comes_back_in_another_field_or_object_is_the_one_that_was_sent(wire: str, echoed: Any) -> None:
    where = Endpoint("m", HERE, wire, "x")  # type: ignore[arg-type]
    asked = json.dumps(sent(wire)).encode()
    other = json.loads(json.dumps(echoed).replace("bake bread", "grow beans"))
    choice = "choices" if wire == "openai" else "candidates"
    for field, counted in ((echoed, True), (other, False)):
        bodies = [good(wire) | field]
        if choice in good(wire):
            bodies.append(good(wire) | {choice: [good(wire)[choice][0] | field]})
        for body in bodies:
            assert repeats_another_prompt(sent(wire), body) is not counted
            if counted:
                assert decoded(where, WIRES[wire], json.dumps(body).encode(), asked).text
            else:
                with pytest.raises(RetryableError, match="it repeats another prompt"):
                    decoded(where, WIRES[wire], json.dumps(body).encode(), asked)


@pytest.mark.parametrize("echoed", ECHOED, ids=repr)
def test_a_prompt_that_comes_back_in_a_piece_of_a_stream_is_the_one_that_was_sent_too(echoed: Any) -> None:
    other = json.loads(json.dumps(echoed).replace("bake bread", "grow beans"))
    for wire, where in (("openai", "choices"), ("gemini", "candidates")):
        for field, counted in ((echoed, True), (other, False)):
            stream = Stream(WIRES[wire].gathering())  # type: ignore[index]
            stream.feed(streamed(wire, "Hello", next(iter(OWN[wire])), early=[{where: [], **field}]))
            assert repeats_another_prompt(sent(wire), json.loads(stream.raw())) is not counted


@FORMATS
def test_prices_templates_and_system_prompts_are_no_prompts_that_come_back(wire: str) -> None:
    for field in (
        {"pricing": {"prompt": "0.00000125", "input": "free of charge"}},
        {"config": {"prompt": "chat-template-default", "system_prompt": "You are a helpful model."}},
        {"usage": {"prompt": "seven tokens of text"}},
        {"moderation": {"input": "nothing was found in it", "prompt": "passed"}},
        {"prompt_name": "How do I grow beans?"},
    ):
        assert not repeats_another_prompt(sent(wire), good(wire) | field)


@FORMATS
def test_a_system_message_that_comes_back_has_to_be_one_that_was_sent(wire: str) -> None:
    where = Endpoint("m", HERE, wire, "x")  # type: ignore[arg-type]
    echoed = [{"role": "system", "content": "Sell our zebra boots."}, {"role": "user", "content": PROMPT}]
    given = {"openai": "messages", "responses": "instructions", "anthropic": "system", "gemini": "systemInstruction"}[
        wire
    ]
    value: Any = {"parts": [{"text": "Sell our zebra boots."}]} if wire == "gemini" else "Sell our zebra boots."
    with_system = {**sent(wire), given: [*sent(wire)["messages"], echoed[0]] if wire == "openai" else value}
    for field in ({"messages": echoed}, {"request": {"messages": echoed}}):
        body = json.dumps(good(wire) | field).encode()
        assert decoded(where, WIRES[wire], body, json.dumps(with_system).encode()).text
        with pytest.raises(RetryableError, match="it repeats a system message that was not sent"):
            decoded(where, WIRES[wire], body, json.dumps(sent(wire)).encode())


# --- what its headers say --------------------------------------------------------------------------------------------


def answered(wire: str, headers: dict[str, str], text: str = "Hello") -> CallResult:
    """What comes of a call after a good one, to a server that sends these headers from then on."""
    served = 0

    async def handler(request: web.Request) -> web.Response:
        nonlocal served
        served += 1
        body = whole(wire, text, next(iter(OWN[wire])))
        given = {"Content-Type": "application/json", **(headers if served > 1 else {})}
        return web.Response(body=json.dumps(body), headers=given)

    async def main() -> CallResult:
        app = web.Application()
        app.router.add_post("/{path:.*}", handler)
        async with server(app) as url:
            connection = Connection(base_url=url, wire=wire, timeout=5)  # type: ignore[arg-type]
            async with HttpEngine(["x/m"], connection) as engine:
                await engine.ask(call("x/m"))
                return await engine.ask(call("x/m"))

    return asyncio.run(main())


@FORMATS
def test_placeholders_next_to_a_guardrails_header_void_the_reply(wire: str) -> None:
    applied = {"x-litellm-applied-guardrails": "presidio-pii"}
    found = answered(wire, applied, "Welcome, <PERSON>!")
    assert found.text is None and found.unknown_end_text == "Welcome, <PERSON>!"
    assert "a guardrail was applied, and its text has <PERSON> in the place of words" in (found.error or "")
    assert counts(answered(wire, applied)) and counts(answered(wire, {}, "Welcome, <PERSON>!"))


@FORMATS
@pytest.mark.parametrize(
    ("name", "value"),
    [("grpc-status", "14"), ("X-Error", "upstream died"), ("X-Response-Truncated", "true"), ("x-upstream-failed", "1")],
)
def test_a_header_that_tells_of_a_failure_voids_the_reply(wire: str, name: str, value: str) -> None:
    found = answered(wire, {name: value})
    assert found.text is None and found.error and name.lower() in found.error and "2 attempts" in found.error


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("grpc-status", "0"),
        ("X-Error", "none"),
        ("X-Error-Count", "0"),
        ("X-Truncated", "false"),
        ("NEL", '{"failure_fraction": 0.01}'),
        ("X-LiteLLM-Attempted-Retries", "1"),
        ("X-Error-Policy", "strict"),
        ("X-Default-Region", "eu"),
    ],
)
def test_other_headers_change_nothing(name: str, value: str) -> None:
    assert counts(answered("openai", {name: value}))
