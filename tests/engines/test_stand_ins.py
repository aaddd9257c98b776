"""Replies that name something else than a model as what answered: a cache, a guard, or a dummy."""

import json
from typing import Any

import pytest
from test_ends import FORMATS, HERE, OWN, counts, of_body, of_stream, streamed, whole
from test_something_else import answered

from selfexec.engines.http.bodies import CachedReply, decoded
from selfexec.engines.http.providers import Endpoint
from selfexec.engines.http.stand_ins import answerer_of
from selfexec.engines.http.wires import WIRES

NAMES = {
    "openai": ("id", "model", "system_fingerprint"),
    "responses": ("id", "model"),
    "anthropic": ("id", "model"),
    "gemini": ("responseId", "modelVersion"),
}
MODELS = ("org/cache-augmented-7b", "gpt-4o-guarded", "gpt-4o", "chatcmpl-0cache1", "prompt-cache", "policy-gpt", "")
BRACKETS = ("<unknown>", "<model>", "<a>b", "synthetic-7b")


def named(wire: str, name: str, value: str) -> bytes:
    """A stream whose pieces have this name."""
    lines = []
    for line in streamed(wire, "Hello", next(iter(OWN[wire]))).split(b"\n"):
        if line.startswith(b"data: {"):
            piece: dict[str, Any] = json.loads(line[6:])
            if wire in ("openai", "gemini"):
                piece[name] = value
            elif place := piece.get("message" if wire == "anthropic" else "response"):
                place[name] = value
            line = b"data: " + json.dumps(piece).encode()
        lines.append(line)
    return b"\n".join(lines)


def both(wire: str, name: str, value: str) -> list[Any]:
    """What a reply of this name counts as, whole and in pieces."""
    body = {**whole(wire, "Hello", next(iter(OWN[wire]))), name: value}
    return [of_body(wire, body), of_stream(wire, named(wire, name, value))]


@FORMATS
@pytest.mark.parametrize("value", ["from-cache", "ai-cache.hit", "semantic_cache", "cachedResponse", "Local cache"])
def test_a_reply_whose_id_or_model_is_nothing_but_words_for_a_cache_came_from_one(wire: str, value: str) -> None:
    for name in NAMES[wire]:
        body = {**whole(wire, "Hello", next(iter(OWN[wire]))), name: value}
        with pytest.raises(CachedReply, match=name):
            of_body(wire, body)
        with pytest.raises(CachedReply, match=name):
            of_stream(wire, named(wire, name, value))


def test_the_usual_fields_are_no_way_past_a_cache() -> None:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hello"}}
    for body in ({"id": "from-cache", "model": "m"}, {"id": "x-1", "model": "from-cache"}):
        with pytest.raises(CachedReply):
            of_body("openai", {**body, "object": "chat.completion", "choices": [choice]})


@FORMATS
@pytest.mark.parametrize("value", ["from-security-guard", "content_filter", "guardrails", "ai-moderation"])
def test_a_reply_in_the_name_of_a_guard_was_withheld(wire: str, value: str) -> None:
    for name in NAMES[wire]:
        assert [found.stop_reason for found in both(wire, name, value)] == ["content_filter"] * 2


@FORMATS
@pytest.mark.parametrize(
    "value", ["mock", "ai-gateway", "fallback-response", "proxy", "placeholder", "stub", "<synthetic>"]
)
def test_a_reply_in_the_name_of_a_dummy_is_none(wire: str, value: str) -> None:
    for name in NAMES[wire]:
        assert [counts(found) for found in both(wire, name, value)] == [False, False]


@FORMATS
@pytest.mark.parametrize("value", [*MODELS, *BRACKETS])
def test_a_name_with_any_other_word_is_that_of_a_model(wire: str, value: str) -> None:
    for name in NAMES[wire]:
        assert [found.stop_reason for found in both(wire, name, value)] == ["stop"] * 2


@pytest.mark.parametrize("name", ["mock", "guard", "ai-cache"])
def test_the_model_that_was_asked_may_have_any_name(name: str) -> None:
    body = json.dumps({**whole("openai", "Hello", "stop"), "model": name}).encode()
    assert counts(decoded(Endpoint(name, HERE, "openai", "x"), WIRES["openai"], body))


@FORMATS
@pytest.mark.parametrize(
    "name", ["meta-llama/Llama-Guard-4-12B", "omni-moderation-latest", "ibm/granite-guardian-3.2-5b", "ShieldGemma-9b"]
)
def test_what_a_model_says_that_judges_prompts_is_no_reply_of_the_one_that_was_asked(wire: str, name: str) -> None:
    field = "modelVersion" if wire == "gemini" else "model"
    for found in both(wire, field, name):
        assert not counts(found) and "a model that judges prompts answered" in (found.error or "")
    where = Endpoint("acme/my-guard", HERE, wire, "x")  # type: ignore[arg-type]
    body = json.dumps({**whole(wire, "safe", next(iter(OWN[wire]))), field: name}).encode()
    assert counts(decoded(where, WIRES[wire], body))


def test_names_by_their_words() -> None:
    assert answerer_of("gateway-cache") == "cache"
    assert answerer_of("chatcmpl-123") is None
    assert answerer_of("") is None


STUBS = [
    *(("Matched-Stub-Id", "2b1a0f5c-7d0e-4c52-9f0a-1f2b3c4d5e6f"), ("Matched-Stub-Name", "chat"), ("X-Mock", "true")),
    *(("Hoverfly", "Was-Here"), ("X-Mocked-Response", "scenario-2"), ("X-Service-Virtualization", "on")),
]


@FORMATS
@pytest.mark.parametrize(("name", "value"), STUBS)
def test_a_response_with_the_header_of_a_stub_is_no_reply(wire: str, name: str, value: str) -> None:
    found = answered(wire, {name: value})
    assert found.text is None and name.lower() in str(found.error)


@pytest.mark.parametrize(
    ("name", "value"),
    [("Hoverfly", "Forwarded"), ("X-Mock", "false"), ("X-Mock-Status", "passthrough"), ("X-Mockingbird", "on")],
)
def test_a_header_that_says_that_no_stub_answered_is_none_of_a_stub(name: str, value: str) -> None:
    assert answered("openai", {name: value}).text == "Hello"
