"""A reply to another prompt than was sent, or of another model than was asked, is none, wherever the server says so."""

import json
from typing import Any

import pytest
from test_ends import FORMATS, HERE, OWN, counts, of_body, of_stream, short_pauses, streamed, whole
from test_something_else import answered, sent

from selfexec.engines.http.bodies import decoded
from selfexec.engines.http.providers import Endpoint
from selfexec.engines.http.wires import WIRES
from selfexec.engines.http.wires.not_as_sent import is_name_of_a_change, tells_of_a_fallback
from selfexec.engines.http.wires.objections import warns_of_half
from selfexec.engines.model_names import is_one_model

__all__ = ["short_pauses"]


def both(wire: str, field: dict[str, Any]) -> list[bool]:
    """Whether a reply with these fields counts: whole, and in pieces of which the one before the end has them."""
    done = next(iter(OWN[wire]))
    piece: dict[str, Any] = {
        "openai": {"choices": [], **field},
        "gemini": {"candidates": [], **field},
        "anthropic": {"type": "ping", **field},
        "responses": {"type": "response.in_progress", "response": field},
    }[wire]
    pieces = streamed(wire, "Hello", done, early=[piece])
    return [counts(of_body(wire, whole(wire, "Hello", done) | field)), counts(of_stream(wire, pieces))]


CUT: list[dict[str, Any]] = [
    *({"prompt_truncated": True}, {"promptTruncated": "true"}, {"input_truncated": 1}, {"context_truncated": "yes"}),
    *({"truncated_tokens": 512}, {"num_tokens_truncated": 3}, {"tokens_dropped": 7}, {"dropped_messages": 2}),
    *({"prompt_truncated_to": 4096}, {"history_trimmed": True}, {"conversation_compacted": True}),
    *(
        {"context_compressed": True},
        {"prompt_rewritten": True},
        {"input_redacted": True},
        {"system_prompt_replaced": 1},
    ),
    *({"truncation": {"applied": True}}, {"truncation": {"tokens": 300}}, {"compression": {"applied": True}}),
    *({"prompt": {"truncated": True}}, {"metadata": {"context": {"truncated": True}}}, {"context_overflow": True}),
    *({"usage": {"prompt_tokens_truncated": 512}}, {"usage": {"truncated_prompt_tokens": 512}}),
    {"context_management": {"applied_edits": [{"type": "clear_tool_uses_20250919", "cleared_input_tokens": 5}]}},
    *({"warnings": ["prompt truncated to 4096 tokens"]}, {"warning": "The input has been cut to fit the context."}),
    *({"meta": {"warnings": [{"message": "Dropped the 12 oldest messages"}]}}, {"notice": "context length exceeded"}),
    *({"warnings": "Your prompt was too long and has been truncated."}, {"warnings": [{"type": "context_overflow"}]}),
    *({"transforms_applied": ["middle-out"]}, {"revised_prompt": "Tell me of cats"}),
]
NOT_CUT: list[dict[str, Any]] = [
    *({"prompt_truncated": False}, {"prompt_truncated": None}, {"truncated_tokens": 0}, {"dropped_messages": []}),
    *({"truncation": "auto"}, {"truncation": "disabled"}, {"truncation": {"type": "auto"}}, {"truncation_strategy": 1}),
    *({"truncate_prompt_tokens": 4096}, {"max_input_tokens": 8192}, {"context_management": {"applied_edits": []}}),
    *({"context_management": None}, {"context_window": 131072}, {"dropped_params": ["top_k"]}, {"replaced_tokens": 5}),
    *({"settings": {"context_compacted": 1}}, {"request_modified_at": 1_790_000_000}, {"context_compression": "off"}),
    *({"warnings": ["top_k was dropped: this parameter is no option of the input"]}, {"warnings": []}),
    *({"warnings": ["long prompts may be truncated"]}, {"note": "prompt caching is on"}),
]


@FORMATS
@pytest.mark.parametrize("field", CUT, ids=repr)
def test_a_reply_to_a_prompt_that_was_cut_or_changed_is_none(wire: str, field: dict[str, Any]) -> None:
    assert both(wire, field) == [False, False]


@FORMATS
@pytest.mark.parametrize("field", NOT_CUT, ids=repr)
def test_what_may_be_cut_and_what_was_not_changes_nothing(wire: str, field: dict[str, Any]) -> None:
    assert both(wire, field) == [True, True]


OTHERS: list[dict[str, Any]] = [
    *({"fallback_model": "other"}, {"fallback_used": True}, {"fallbackModelUsed": "z/other"}, {"fallback_count": 2}),
    *({"model_fallback": "other"}, {"metadata": {"failover_model": "other"}}, {"fallback_reason": "rate limit"}),
    {"usage": {"iterations": [{"type": "message", "model": "m"}, {"type": "fallback_message", "model": "other"}]}},
    *({"fallback": {"used": True, "model": "other"}}, {"fallback": {"model": "other"}}, {"model_substituted": True}),
    *({"rerouted_to": "other"}, {"backup_model_used": True}),
    {"fallback_attempts": [{"model": "m", "status": 500}, {"model": "other", "status": 200}]},
    *({"usage": {"iterations": [{"type": "compaction"}, {"type": "message"}]}}, {"usage": {"iterations": ["x"]}}),
]
NO_OTHERS: list[dict[str, Any]] = [
    *({"fallback_model": None}, {"fallback_model": "m"}, {"fallback_used": False}, {"fallback_count": 0}),
    *({"fallback_models": ["a", "b"]}, {"fallback_enabled": True}, {"fallback_provider": "azure"}),
    *({"fallback": "primary"}, {"fallback_credit": 5}, {"fallback": {"enabled": True, "models": ["other"]}}),
    *({"service_tier_downgraded": True}, {"fallback_attempts": [{"model": "other"}, {"model": "m"}]}),
    *({"usage": {"iterations": [{"type": "message", "model": "m-2026-01-01"}]}}, {"usage": {"iterations": None}}),
]


@FORMATS
@pytest.mark.parametrize("field", OTHERS, ids=repr)
def test_a_reply_that_another_model_gave_in_place_of_the_one_asked_is_none(wire: str, field: dict[str, Any]) -> None:
    assert both(wire, field) == [False, False]


@FORMATS
@pytest.mark.parametrize("field", NO_OTHERS, ids=repr)
def test_a_fallback_that_only_may_be_changes_nothing(wire: str, field: dict[str, Any]) -> None:
    assert both(wire, field) == [True, True]


@FORMATS
@pytest.mark.parametrize(
    ("name", "value", "counted"),
    [
        *(("X-Fallback-Model", "gpt-small", False), ("x-gw-fallback-triggered", "true", False)),
        *(("X-Router-Fallback-Reason", "timeout", False), ("x-failover-to", "model-b", False)),
        *(("X-Prompt-Truncated", "true", False), ("X-Truncated-Tokens", "300", False)),
        *(("X-Context-Compressed", "1", False), ("X-Warning", "prompt truncated to 4096 tokens", False)),
        *(("X-Fallback-Model", "m", True), ("X-Fallback-Model", "none", True), ("X-Fallback-Used", "0", True)),
        *(("X-Fallback-Enabled", "true", True), ("X-Fallback-Provider", "azure", True)),
        *(("X-Prompt-Truncated", "false", True), ("X-Truncated-Tokens", "0", True)),
        ("X-Allow-Fallbacks", "true", True),
    ],
)
def test_headers_say_the_same(wire: str, name: str, value: str, counted: bool) -> None:
    assert counts(answered(wire, {name: value})) is counted


@pytest.mark.parametrize("item", [{"type": "compaction", "encrypted_content": "x"}, {"type": "compaction", "id": "c"}])
def test_a_compaction_that_was_not_asked_for_voids_the_reply(item: dict[str, Any]) -> None:
    for wire, name in (("responses", "output"), ("anthropic", "content")):
        body = whole(wire, "Hello", next(iter(OWN[wire])))
        body[name] = [item, *body[name]]
        assert not counts(of_body(wire, body))
        where = Endpoint("m", HERE, wire, "x")  # type: ignore[arg-type]
        asked = json.dumps(sent(wire) | {"context_management": {"edits": []}}).encode()
        assert counts(decoded(where, WIRES[wire], json.dumps(body).encode(), asked))


def test_a_change_that_the_request_asks_for_is_as_sent() -> None:
    where = Endpoint("m", HERE, "openai", "x")
    body = json.dumps(whole("openai", "Hello", "stop") | {"context_compressed": True}).encode()
    assert not counts(decoded(where, WIRES["openai"], body, json.dumps(sent("openai")).encode()))
    asked = json.dumps(sent("openai") | {"transforms": ["middle-out"]}).encode()
    assert counts(decoded(where, WIRES["openai"], body, asked))


def test_a_name_with_any_other_word_says_nothing_of_the_prompt() -> None:
    for name in ("prompt_truncated", "x-prompt-truncated", "tokensDropped", "wasInputTrimmed"):
        assert is_name_of_a_change(name)
    for name in ("prompt", "truncated", "prompt_truncation_policy", "removed_tokens", "output_truncated", ""):
        assert not is_name_of_a_change(name)


@FORMATS
def test_a_fallback_beside_the_name_of_the_model_that_was_asked_is_one_that_may_be(wire: str) -> None:
    body = whole(wire, "Hello", next(iter(OWN[wire]))) | {"fallback_model": "other"}
    name = "modelVersion" if wire == "gemini" else "model"
    assert counts(of_body(wire, body | {name: "m-2026-01-01"}))
    assert not counts(of_body(wire, body | {name: "other"}))


def test_a_fallback_to_the_model_itself_is_none() -> None:
    assert not tells_of_a_fallback("fallback_model", "acme/m-2026-01-01", "m")
    assert tells_of_a_fallback("fallback_model", "acme/m-mini", "m")


def test_a_warning_is_of_the_prompt_where_the_words_stand_together() -> None:
    assert warns_of_half("Input was truncated") and warns_of_half("removed messages from the middle of the context")
    assert not warns_of_half("input is long; output tokens were not truncated")
    assert not warns_of_half("the temperature parameter was removed from the input")


@pytest.mark.parametrize(
    ("asked", "served"),
    [
        *(("gpt-4o", "gpt-4o-2024-08-06"), ("openai/gpt-4o", "gpt-4o"), ("mistral-large-latest", "mistral-large-2411")),
        *(("anthropic/claude-3.5-sonnet", "claude-3-5-sonnet-20241022"), ("llama3.1:latest", "llama3.1")),
        *(("us.anthropic.claude-sonnet-4-20250514-v1:0", "claude-sonnet-4-20250514"), ("m", "models/m-001")),
        *(("meta-llama/llama-3-8b:free", "meta-llama/Llama-3-8B"), ("ft:m:acme::x", "ft:m-2024-07-18:acme::x")),
    ],
)
def test_a_date_an_owner_and_a_tag_make_no_other_model(asked: str, served: str) -> None:
    assert is_one_model(asked, served)


@pytest.mark.parametrize(
    ("asked", "served"),
    [
        ("gpt-4o", "gpt-4o-mini"),
        ("llama3:8b", "llama3:70b"),
        ("deepseek-v3", "deepseek-v2"),
        ("o1", "o3"),
        ("a/m", "a/n"),
    ],
)
def test_any_other_word_makes_another_model(asked: str, served: str) -> None:
    assert not is_one_model(asked, served)
