"""What no format and no common server documents is kept with a reply, whatever it is called; all else is not."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest
from aiohttp import web
from test_ends import BEGIN, BLOCK_END, FORMATS, OWN, SECRET, events, short_pauses, streamed, whole

from selfexec.engines import CallResult, Connection
from selfexec.engines.http.client import HttpEngine
from selfexec.engines.http.other_fields import MOST_PARTS, MOST_VALUES, OtherFields
from selfexec.engines.http.raw_bodies import RawBody
from sockets import call, server

__all__ = ["short_pauses"]


def asked(wire: str, body: Any, stream: bool = False, **headers: str) -> CallResult:
    """What comes of a call to a server with this body, or these events."""

    async def handler(request: web.Request) -> web.Response:
        if stream:
            return web.Response(body=body, content_type="text/event-stream", headers=headers)
        return web.json_response(body, headers=headers)

    async def main() -> CallResult:
        app = web.Application()
        app.router.add_post("/{path:.*}", handler)
        async with server(app) as url:
            connection = Connection(base_url=url, wire=wire, timeout=5, stream=stream)  # type: ignore[arg-type]
            async with HttpEngine(["x/m"], connection) as engine:
                return await engine.ask(call("x/m"))

    return asyncio.run(main())


def parts(body: Any, headers: Mapping[str, str] = {}, known: OtherFields | None = None) -> list[str]:
    """The parts that are not known of a body and headers."""
    raw = json.dumps(body).encode()
    found = (known or OtherFields()).of("u", "acme/m", RawBody(raw), headers)
    return found.split("; ") if found else []


@FORMATS
def test_an_unknown_field_and_header_are_kept_with_their_values_in_every_format(wire: str) -> None:
    body = {**whole(wire, "Hello", next(iter(OWN[wire]))), "memory_injected": True, "routing": {"tier": "cheap"}}
    found = asked(wire, body, **{"X-Prompt-Guard": "sanitized"})
    assert found.text == "Hello"
    assert found.other_fields == "header x-prompt-guard: sanitized; memory_injected: true; routing.tier: cheap"
    assert asked(wire, whole(wire, "Hello", next(iter(OWN[wire])))).other_fields is None


@FORMATS
def test_so_are_those_in_a_piece_of_a_stream(wire: str) -> None:
    word = next(iter(OWN[wire]))
    early = {
        "openai": {"choices": [], "memory_injected": True},
        "responses": {"type": "response.in_progress", "memory_injected": True},
        "anthropic": {"type": "ping", "memory_injected": True},
        "gemini": {"candidates": [], "memory_injected": True},
    }[wire]
    assert asked(wire, streamed(wire, "Hello", word, early=[early]), True).other_fields == "memory_injected: true"
    assert asked(wire, streamed(wire, "Hello", word), True).other_fields is None


def test_a_stream_of_the_messages_format_has_those_of_the_message_that_it_begins_with() -> None:
    begin = ({"type": "message_start", "message": {"id": "m", "edits": 2}}, *BEGIN[1:])
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}}
    end = ({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, {"type": "message_stop"})
    assert asked("anthropic", events(*begin, delta, BLOCK_END, *end), True).other_fields == "edits: 2"


KNOWN_BODIES: Mapping[str, Any] = {
    "vLLM": {"choices": [{"token_ids": None, "stop_reason": 5}], "kv_transfer_params": None, "prompt_token_ids": None},
    "SGLang": {"choices": [{"matched_stop": 151645}], "metadata": {"weight_version": "default"}},
    "llama.cpp": {"timings": {"cache_n": 31, "prompt_n": 3, "prompt_ms": 12.1, "predicted_per_second": 40.5}},
    "OpenRouter": {"provider": "Acme", "usage": {"is_byok": False, "cost_details": {"upstream_inference_cost": None}}},
    "Azure": {"prompt_filter_results": [{"content_filter_results": {"jailbreak": {"detected": False}}}]},
    "Groq": {"x_groq": {"id": "req_01jbd6g2qdfw2adyrt2az8hz4w"}, "usage": {"queue_time": 0.05, "total_time": 0.07}},
    "Baidu": {"need_clear_history": False, "is_truncated": False, "choices": [{"flag": 0}]},
    "Bedrock": {"amazon-bedrock-guardrailAction": "NONE"},
    "llama.cpp, in full": {"__verbose": {"has_new_line": True, "stop_type": "eos", "prompt": "<s>"}},
    "Azure's filter": {"choices": [{"content_filter_result": {"error": {"code": "", "message": ""}}}]},
    "vLLM's Responses": {"usage": {"output_tokens_details": {"tool_output_tokens": 0}}},
    "Perplexity": {"search_results": [{"title": "A", "date": "2024-01-01"}], "citations": ["https://a"]},
    "MiniMax": {"base_resp": {"status_code": 0, "status_msg": ""}, "input_sensitive": False},
    "Cerebras": {"time_info": {"queue_time": 0.001, "created": 1764230000}},
    "DeepSeek": {"usage": {"prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 20}},
    "Gemini": {
        "candidates": [{"citationMetadata": {"citationSources": [{"startIndex": 1, "license": "mit"}]}}],
        "usageMetadata": {"promptTokensDetails": [{"modality": "TEXT", "tokenCount": 9}], "trafficType": "ON_DEMAND"},
    },
    "Messages": {"usage": {"cache_creation": {"ephemeral_5m_input_tokens": 0}, "service_tier": "standard"}},
    "Responses": {"reasoning": {"effort": "low", "summary": None}, "text": {"format": {"type": "text"}}},
    "the model's words": {"choices": [{"message": {"tool_calls": [{"function": {"arguments": {"any": "thing"}}}]}}]},
}
KNOWN_HEADERS: Mapping[str, Mapping[str, str]] = {
    "OpenAI": {"openai-organization": "acme", "x-ratelimit-reset-tokens": "6ms", "openai-processing-ms": "812"},
    "Anthropic": {"anthropic-ratelimit-tokens-reset": "2026-11-27T08:00:00Z", "request-id": "req_011CTX"},
    "providers, by LiteLLM": {"llm_provider-x-request-id": "req-a", "llm_provider-openai-processing-ms": "300"},
    "LiteLLM's costs": {"x-litellm-response-cost-original": "0.0001", "x-litellm-cache-hit": "False"},
    "networks": {"x-served-by": "cache-fra-FRA", "x-cache-ttl": "300", "x-openai-proxy-wasm": "v0.1"},
    "services": {"x-amzn-bedrock-invocation-latency": "812", "x-gemini-service-tier": "standard"},
    "LiteLLM": {"x-litellm-key-tpm-limit": "None", "x-litellm-overhead-duration-ms": "3.1", "x-litellm-call-id": "a1"},
    "Cloudflare": {
        "CF-RAY": "9a4-FRA",
        "cf-cache-status": "DYNAMIC",
        "Alt-Svc": "h3",
        "NEL": "{}",
        "Set-Cookie": "a=b",
    },
    "Kong": {"X-Kong-Upstream-Latency": "800", "X-Kong-Request-Id": "abcdef", "Via": "1.1 kong/3.9.0"},
    "Portkey": {"x-portkey-provider": "acme", "x-portkey-last-used-option-index": "config.targets[0]"},
    "Azure": {
        "apim-request-id": "x",
        "x-ms-region": "Sweden",
        "azureml-model-session": "v2",
        "x-ms-rai-invoked": "true",
    },
    "Amazon": {"x-amzn-RequestId": "x", "X-Amzn-Bedrock-Input-Token-Count": "12"},
    "Google": {"Server-Timing": "gfet4t7; dur=812", "X-XSS-Protection": "0", "X-Frame-Options": "SAMEORIGIN"},
    "browsers": {"Access-Control-Allow-Origin": "*", "Strict-Transport-Security": "max-age=1", "Vary": "Origin"},
    "a product of which nobody knows": {
        "x-acme-latency-ms": "12.5ms",
        "acme-trace-id": "00-0af7651916cd43dd8448eb211c",
    },
}


@pytest.mark.parametrize("server_name", KNOWN_BODIES)
def test_what_formats_and_common_servers_document_is_known(server_name: str) -> None:
    assert parts(KNOWN_BODIES[server_name]) == []


@pytest.mark.parametrize("server_name", KNOWN_HEADERS)
def test_so_are_headers_of_standards_and_of_common_gateways(server_name: str) -> None:
    assert parts({}, KNOWN_HEADERS[server_name]) == []


def test_a_word_in_the_place_of_a_measure_is_not_known_whatever_its_name_is() -> None:
    assert parts({"usage": {"retry_time": 5, "retry_count": "rewritten"}}) == ["usage.retry_count: rewritten"]
    headers = {"x-shadow-response": "true", "x-acme-request-id": "3", "x-injected-tokens": "40"}
    assert parts({}, headers) == ["header x-shadow-response: true", "header x-injected-tokens: 40"]


def test_all_fields_of_an_unknown_object_are_unknown_but_its_measures() -> None:
    guard = {"type": "pii", "action": "rewrite", "latency_ms": 4, "message": "done", "log": None}
    assert parts({"guard": guard}) == ["guard.type: pii", "guard.action: rewrite", "guard.message: done"]
    assert parts({"edits": [{"from": "a"}, {"from": "b"}], "tags": ["x", "y"]}) == ["tags: x, y", "edits.from: a"]


def test_the_name_of_the_model_that_was_asked_is_no_news() -> None:
    assert parts({"served_by": "m-2026-01-01", "alias": "other"}) == ["alias: other"]


def test_ids_stand_as_three_digits_of_their_checksum_and_long_texts_without_their_words() -> None:
    one, again, other = (
        parts({"thread": value})[0]
        for value in ("7f3a9c0011223344aabb", "7f3a9c0011223344aabb", "ffff9c0011223344aabb")
    )
    assert one == again != other and one.startswith("thread: #") and len(one) == len("thread: #abc")
    assert parts({"preview": "word " * 100}) == ["preview"]


def test_of_a_name_with_many_values_only_the_first_ones_are_kept() -> None:
    known = OtherFields()
    found = [parts({"turn_of_talk": n}, known=known)[0] for n in range(MOST_VALUES + 5)]
    assert found[:MOST_VALUES] == [f"turn_of_talk: {n}" for n in range(MOST_VALUES)]
    assert found[MOST_VALUES:] == ["turn_of_talk"] * 5
    assert parts({"turn_of_talk": 1}, known=known) == ["turn_of_talk: 1"]


def test_no_body_is_too_large_or_too_deep_to_be_looked_at() -> None:
    deep: Any = {"word": "x"}
    for _ in range(500):
        deep = {"in": deep}
    assert parts({"odd": deep}) == []
    assert len(parts({f"odd{n}": "x" for n in range(290)})) == MOST_PARTS
    assert parts({"odd": [{"a": n} for n in range(10_000)]}) == ["odd.a: 0"]


@FORMATS
def test_no_key_is_kept_in_a_value(wire: str) -> None:
    body = {**whole(wire, "Hello", next(iter(OWN[wire]))), "your key is": SECRET}
    found = asked(wire, body, **{"X-Given": f"Bearer {SECRET}"}).other_fields or ""
    assert "header x-given" in found and SECRET not in found


@FORMATS
def test_the_name_of_who_speaks_is_kept_where_a_message_has_one(wire: str) -> None:
    body = whole(wire, "Hello", next(iter(OWN[wire])))
    place = {
        "openai": lambda: body["choices"][0]["message"],
        "responses": lambda: body["output"][0],
        "anthropic": lambda: body,
        "gemini": lambda: body["candidates"][0],
    }
    place[wire]()["name"] = "faq-bot"
    assert asked(wire, body).other_fields == "name: faq-bot"
