"""Replies with the fields and headers that providers, servers and gateways document: all of them are read."""

import time
from typing import Any

import pytest
from test_ends import HERE, counts, of_body, short_pauses
from test_something_else import answered

__all__ = ["HERE", "short_pauses"]
NOW = int(time.time())
USAGE = {"prompt_tokens": 24, "completion_tokens": 3, "total_tokens": 27}


def chat(message: dict[str, Any] | None = None, choice: dict[str, Any] | None = None, **body: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": "Hello there", **(message or {})}
    choices = [{"index": 0, "message": said, "finish_reason": "stop", **(choice or {})}]
    head = {"id": "chatcmpl-a1b2c3", "object": "chat.completion", "created": NOW, "model": "m"}
    return {**head, "choices": choices, "usage": USAGE, **body}


DETAILS = {"cached_tokens": 0, "audio_tokens": 0}
OUT = {"reasoning_tokens": 0, "accepted_prediction_tokens": 2, "rejected_prediction_tokens": 5, "audio_tokens": 0}
FILTERS = {"hate": {"filtered": False, "severity": "safe"}, "jailbreak": {"filtered": False, "detected": False}}
CHATS: dict[str, dict[str, Any]] = {
    "OpenAI": chat(
        {"refusal": None, "annotations": []},
        {"logprobs": None},
        usage={**USAGE, "prompt_tokens_details": DETAILS, "completion_tokens_details": OUT},
        service_tier="default",
        system_fingerprint="fp_1",
    ),
    "Azure": chat(
        choice={"content_filter_results": FILTERS},
        prompt_filter_results=[{"prompt_index": 0, "content_filter_results": FILTERS}],
    ),
    "Mistral": chat({"tool_calls": None, "prefix": False}, usage={**USAGE, "num_cached_tokens": 0}),
    "DeepSeek": chat(
        {"reasoning_content": "Hm."}, usage={**USAGE, "prompt_cache_hit_tokens": 0, "prompt_cache_miss_tokens": 24}
    ),
    "vLLM": chat(
        {"reasoning": None, "tool_calls": [], "audio": None, "function_call": None},
        {"stop_reason": None, "token_ids": None},
        prompt_logprobs=None,
        prompt_token_ids=None,
        kv_transfer_params=None,
    ),
    "SGLang": chat(choice={"matched_stop": 151645}, metadata={"weight_version": "default"}),
    "llama.cpp": chat(
        timings={
            "prompt_n": 24,
            "prompt_ms": 12.3,
            "predicted_n": 3,
            "cache_n": 0,
            "draft_n": 4,
            "draft_n_accepted": 1,
        },
        __verbose={"truncated": False, "stop_type": "eos", "tokens_evaluated": 24, "stopping_word": ""},
    ),
    "Ollama": chat(system_fingerprint="fp_ollama"),
    "LiteLLM": chat(
        {"provider_specific_fields": {"refusal": None}, "thinking_blocks": None},
        {"provider_specific_fields": {}},
        usage={**USAGE, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
    ),
    "OpenRouter": chat(
        {"reasoning": None, "refusal": None},
        {"native_finish_reason": "stop"},
        provider="OpenAI",
        usage={**USAGE, "cost": 0.0001, "is_byok": False, "cost_details": {"upstream_inference_cost": None}},
    ),
    "Groq": chat(usage={**USAGE, "queue_time": 0.01, "total_time": 0.2}, x_groq={"id": "req_1"}, usage_breakdown=None),
    "Together": chat({"tool_calls": []}, {"seed": 12345, "logprobs": None}, prompt=[]),
    "Fireworks": chat(perf_metrics=None, choice={"token_ids": None}),
    "Cerebras": chat(time_info={"queue_time": 0.1, "prompt_time": 0.2, "created": NOW}),
    "Perplexity": chat(citations=["https://a.example"], search_results=[{"title": "T", "url": "https://a.example"}]),
    "xAI": chat(usage={**USAGE, "num_sources_used": 0}, citations=None),
    "MiniMax": chat(base_resp={"status_code": 0, "status_msg": ""}, input_sensitive=False, output_sensitive=False),
    "Qwen": chat(created=NOW - 20, request_id="r-1"),
    "Zhipu": chat(request_id="r-1", web_search=[]),
    "Moonshot": chat(usage={**USAGE, "cached_tokens": 0}),
    "TGI": chat(system_fingerprint="3.0.1-native"),
    "LM Studio": chat(stats={}, system_fingerprint="m"),
    "Bedrock gateway": chat({"tool_calls": None}, {"logprobs": None}, system_fingerprint="fp", created=NOW),
    "Databricks": chat(databricks_request_id="r"),
    "NVIDIA": chat({"reasoning_content": None, "tool_calls": []}, prompt_logprobs=None),
    "Portkey": chat(hook_results={"before_request_hooks": [{"verdict": True, "checks": []}]}),
    "Vercel": chat({"provider_metadata": {"gateway": {"routing": {"fallbacksAvailable": ["a", "b"]}, "cost": "0.1"}}}),
    "Kong": chat(model="m-2026-01-01"),
}


@pytest.mark.parametrize("name", CHATS)
def test_chat_completions_as_they_are_documented_are_read(name: str) -> None:
    found = of_body("openai", CHATS[name])
    assert counts(found) and found and found.text == "Hello there"


def response(**fields: Any) -> dict[str, Any]:
    part = {"type": "output_text", "text": "Hello there", "annotations": [], "logprobs": []}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
    head = {"id": "resp_1", "object": "response", "created_at": NOW, "status": "completed", "model": "m"}
    settings = {"truncation": "disabled", "store": False, "parallel_tool_calls": True, "previous_response_id": None}
    usage = {"input_tokens": 24, "output_tokens": 3, "total_tokens": 27, "input_tokens_details": {"cached_tokens": 0}}
    nothing = {"error": None, "incomplete_details": None, "instructions": None, "background": False, "metadata": {}}
    return {**head, **settings, **nothing, "output": [message], "usage": usage, **fields}


def message(**fields: Any) -> dict[str, Any]:
    usage = {"input_tokens": 24, "output_tokens": 3, "cache_read_input_tokens": 0, "service_tier": "standard"}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn"}
    return {
        **head,
        "content": [{"type": "text", "text": "Hello there"}],
        "stop_sequence": None,
        "usage": usage,
    } | fields


def candidate(**fields: Any) -> dict[str, Any]:
    content = {"role": "model", "parts": [{"text": "Hello there"}]}
    usage = {"promptTokenCount": 24, "candidatesTokenCount": 3, "totalTokenCount": 27, "trafficType": "ON_DEMAND"}
    one = {"content": content, "finishReason": "STOP", "avgLogprobs": -0.1, "index": 0}
    return {"candidates": [one], "usageMetadata": usage, "modelVersion": "m-001", "responseId": "r"} | fields


OTHERS = [
    *(("responses", response()), ("responses", response(truncation="auto"))),
    ("responses", response(reasoning={"effort": "medium", "summary": None}, text={"format": {"type": "text"}})),
    ("responses", response(max_tool_calls=None, safety_identifier=None, prompt_cache_key=None, top_logprobs=0)),
    *(("anthropic", message()), ("anthropic", message(container=None, context_management=None))),
    ("anthropic", message(context_management={"applied_edits": []})),
    ("anthropic", message(usage={"input_tokens": 24, "output_tokens": 3, "iterations": [{"type": "message"}]})),
    ("anthropic", message(stop_details=None, usage={"input_tokens": 24, "output_tokens": 3, "inference_geo": "us"})),
    *(("gemini", candidate()), ("gemini", candidate(createTime="2026-11-26T20:00:00.123456Z"))),
    ("gemini", candidate(promptFeedback={"safetyRatings": [{"category": "HARM", "probability": "NEGLIGIBLE"}]})),
]


@pytest.mark.parametrize(("wire", "body"), OTHERS)
def test_replies_of_the_other_formats_as_they_are_documented_are_read(wire: str, body: dict[str, Any]) -> None:
    found = of_body(wire, body)
    assert counts(found) and found and found.text == "Hello there"


@pytest.mark.parametrize(
    "headers",
    [
        {"x-litellm-attempted-fallbacks": "0", "x-litellm-attempted-retries": "1", "x-litellm-model-group": "other"},
        {"Helicone-Fallback-Index": "0", "Helicone-Cache": "MISS", "Helicone-Id": "a1"},
        {"cf-aig-step": "0", "cf-aig-cache-status": "MISS", "cf-aig-model": "other", "cf-aig-provider": "openai"},
        {"x-portkey-retry-attempt-count": "0", "x-portkey-last-used-option-index": "config.targets[0]"},
        {"Ngrok-AIG-Attempts": "2", "Ngrok-AIG-Model": "other", "Ngrok-AIG-Request-Id": "r"},
        {"openai-processing-ms": "120", "openai-version": "2020-10-01", "x-ratelimit-remaining-tokens": "0"},
        {"anthropic-ratelimit-input-tokens-remaining": "0", "anthropic-organization-id": "o", "request-id": "r"},
        {
            "x-ms-region": "Sweden Central",
            "apim-request-id": "r",
            "x-ms-deployment-name": "d",
            "azureml-model-session": "s",
        },
    ],
    ids=lambda headers: next(iter(headers)),
)
def test_headers_as_they_are_documented_change_nothing(headers: dict[str, str]) -> None:
    assert counts(answered("openai", headers))
