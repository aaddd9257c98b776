"""The names of fields and headers that are known to say nothing of how a reply came about, and the rest, which is not.

A field is known if a wire format or a common server documents it for replies; a header, if it is registered for
responses (IANA) or documented by a common server, gateway or network. So is whatever measures a call: a name of nothing
but words for tokens, times, costs, limits and ids, with a value that is a number, a time or an id. A word in the place
of the measure is not known (`X-Cache-Policy: rewrite`), whatever the name is. What a known field says is judged where
its format is read; all others are listed once for a run (`selfexec.runs.other_fields`).
"""

import re
from functools import lru_cache
from typing import Any

from selfexec.engines.http.name_words import name_words
from selfexec.text.regex import regex

# words of names for limits, times, costs and ids of calls
OF_CALLS = frozenset(
    (
        *("x", "b", "rate", "ratelimit", "limit", "limits", "remaining", "reset", "request", "requests", "token"),
        *("tokens", "input", "output", "retry", "retries", "after", "attempt", "attempts", "attempted", "count"),
        *("cost", "spend", "budget", "duration", "latency", "time", "timing", "ms", "processing", "overhead", "id"),
        *("ray", "trace", "span", "call", "correlation", "session", "cookie", "cache", "status", "over", "used"),
        *("query", "queue", "upstream", "service", "total", "key", "day", "minute", "second", "credits"),
        *("response", "organization", "project", "region"),
    )
)
# and of those that measure a reply
MEASURES = OF_CALLS | frozenset(
    (
        *("prompt", "completion", "candidates", "reasoning", "thoughts", "cached", "read", "write", "creation", "hit"),
        *("miss", "n", "num", "number", "per", "sec", "seconds", "millis", "start", "end", "first", "last", "load"),
        *("eval", "predicted", "inference", "generation", "price", "usd", "estimated", "rates", "throughput", "tps"),
        *("rpm", "tpm", "ttft", "to", "of", "characters", "chars", "length", "size", "bytes", "text", "created", "at"),
        *("timestamp", "version", "trace", "log", "prefill", "decode", "speed", "mean", "avg", "billed", "units"),
        *("accepted", "rejected", "draft", "prediction", "percent", "s", "us", "ns", "fee", "node", "instance", "pod"),
        *("ttl", "invocation"),
        *("host", "server", "worker", "hostname", "traceid", "requestid", "uuid", "elapsed", "runtime", "age"),
    )
)
# what the model wrote or a tool brought, what was asked, and tables of tokens
_WRITTEN = (
    *("annotations", "args", "arguments", "citationMetadata", "citations", "content", "content_filter_results"),
    *("contents", "functionCall", "function_call", "groundingMetadata", "input", "instructions", "json_schema"),
    *("logprobs", "logprobsResult", "messages", "parsed", "parts", "prompt", "prompt_filter_results"),
    *("prompt_logprobs", "prompt_token_ids", "reasoning_details", "refusal", "response_format", "safetyRatings"),
    *("safety_ratings", "schema", "search_results", "text", "thinking", "thinking_blocks", "token_ids", "tool_calls"),
    *("tool_choice", "tool_results", "tools", "urlContextMetadata"),
)
# of all formats
_COMMON = (
    *("prompt_tokens", "completion_tokens", "total_tokens", "input_tokens", "output_tokens", "cached_tokens"),
    *("reasoning_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "prompt_cache_hit_tokens"),
    *("prompt_cache_miss_tokens", "queue_time", "prompt_time", "completion_time", "total_time", "cost", "tool_use"),
    *("prompt_ms", "prompt_per_second", "prompt_per_token_ms", "predicted_ms", "predicted_per_second", "cache_n"),
    *("predicted_per_token_ms", "estimated_cost", "cache_write_tokens", "web_search_options", "function", "arguments"),
    *("category", "probability", "probabilityScore", "severityScore", "citationSources", "startIndex", "endIndex"),
    *("uri", "license", "publicationDate"),
    *("audio", "candidates", "choices", "completed_at", "content_block", "content_index", "created", "created_at"),
    *("data", "delta", "finishReason", "finish_reason", "id", "incomplete_details", "index", "item", "item_id"),
    *("message", "message_id", "model", "modelVersion", "native_finish_reason", "obfuscation", "object", "output"),
    *("output_index", "parallel_tool_calls", "part", "promptFeedback", "provider", "reasoning", "reasoning_content"),
    *("response", "responseId", "role", "sequence_number", "service_tier", "signature", "simulated", "stop_sequence"),
    *("store", "system_fingerprint", "thought", "thoughtSignature", "timings", "type", "usage", "usageMetadata"),
    *("value"),
)
_CHAT = (
    *("choices", "message", "delta", "messages", "finish_details", "refusal", "prefix", "weight", "seed"),
    *("completion_tokens_details", "prompt_tokens_details", "input_tokens_details", "output_tokens_details"),
    *("accepted_prediction_tokens", "rejected_prediction_tokens", "audio_tokens", "image_tokens", "text_tokens"),
    *("video_tokens", "moderation", "request_id", "url_citation", "file_citation", "top_logprobs", "token", "logprob"),
    *("offset", "text_offset", "tokens", "token_logprobs", "expires_at", "transcript", "title", "url", "start_index"),
    *("end_index", "bytes"),
)
_RESPONSES = (
    *("background", "error", "incomplete_details", "instructions", "max_output_tokens", "max_tool_calls", "status"),
    *("previous_response_id", "prompt_cache_key", "prompt_cache_retention", "reasoning", "safety_identifier"),
    *("temperature", "top_p", "presence_penalty", "frequency_penalty", "truncation", "user", "metadata", "billing"),
    *("conversation", "effort", "summary", "format", "verbosity", "encrypted_content", "summary_text", "phase"),
    *("output_text", "context", "generate_summary", "payer", "content_filters", "input_messages", "output_messages"),
    *("strict", "top_k", "min_p", "repetition_penalty", "stop", "include", "stream", "output_tokens_per_turn"),
)
_ANTHROPIC = (
    *("stop_reason", "stop_details", "container", "context_management", "applied_edits", "server_tool_use"),
    *("web_search_requests", "web_fetch_requests", "cache_creation", "ephemeral_5m_input_tokens", "iterations"),
    *("ephemeral_1h_input_tokens", "inference_geo", "speed", "caller"),
)
_GEMINI = (
    *("content", "tokenCount", "avgLogprobs", "finishMessage", "groundingAttributions", "modelStatus", "modelStage"),
    *("promptTokensDetails", "candidatesTokensDetails", "cacheTokensDetails", "toolUsePromptTokensDetails"),
    *("promptTokenCount", "candidatesTokenCount", "totalTokenCount", "thoughtsTokenCount", "toolUsePromptTokenCount"),
    *("cachedContentTokenCount", "modality", "blockReason", "blockReasonMessage", "createTime", "trafficType"),
    *("role", "thought", "thoughtSignature", "partMetadata", "serviceTier", "retirementTime", "message"),
)
# beside these formats: vLLM, SGLang, llama.cpp, Ollama, LM Studio, TGI; OpenRouter, LiteLLM, Groq, Together, Mistral,
# DeepSeek, xAI, Azure, Fireworks, DeepInfra, Cerebras, SambaNova, Perplexity, Cohere, MiniMax, Moonshot, Zhipu,
# iFlytek, Tencent, Volcengine, Venice, watsonx, Nebius
_SERVERS = (
    *("kv_transfer_params", "prompt_token_ids", "matched_stop", "hidden_states", "weight_version", "stopping_word"),
    *("completion_probabilities", "e2e_latency", "cache_n", "prompt_n", "predicted_n", "draft_n", "draft_n_accepted"),
    *("stop_type", "generation_settings", "has_new_line", "stats", "model_info", "runtime", "quant", "arch"),
    *("tokens_per_second", "context_length", "done", "done_reason", "is_byok", "cost_details", "native_finish_reason"),
    *("upstream_inference_cost", "upstream_inference_prompt_cost", "upstream_inference_completions_cost"),
    *("provider_specific_fields", "is_finished", "x_groq", "usage_breakdown", "executed_tools", "num_sources_used"),
    *("cost_in_usd_ticks", "num_server_side_tools_used", "result", "jailbreak", "prompt_index", "custom_blocklists"),
    *("source_type", "source_id", "content_filter_raw", "protected_material_code", "protected_material_text"),
    *("hate", "self_harm", "sexual", "violence", "profanity", "severity", "filtered", "detected", "blocked"),
    *("raw_output", "time_info", "is_last_response", "acceptance_rate", "stop_token", "search_context_size"),
    *("num_search_queries", "citation_tokens", "images", "related_questions", "videos", "input_sensitive"),
    *("output_sensitive", "input_sensitive_type", "output_sensitive_type", "output_sensitive_int", "base_resp"),
    *("status_code", "status_msg", "code", "sid", "content_filter", "level", "web_search"),
    *("moderation_level", "search_info", "moderation_hit_type", "bot_usage", "references", "venice_parameters"),
    *("content_filter_result", "__verbose", "tool_output_tokens"),
    *("model_version", "model_id", "model_name", "model_type", "system", "nvext", "kvcache", "reasoning_details"),
    *("thinking_blocks", "images", "billed_units", "finish_message", "log_id", "object", "native_tokens_prompt"),
)
# flags and actions that are documented, and known as long as they say nothing of a reply: false, 0 or none
_QUIET = frozenset(
    (
        *("need_clear_history", "is_truncated", "flag", "amazon-bedrock-guardrailAction", "x-litellm-cache-hit"),
        "x-amzn-bedrock-guardrail-action",
    )
)
FIELDS = frozenset((*_WRITTEN, *_COMMON, *_CHAT, *_RESPONSES, *_ANTHROPIC, *_GEMINI, *_SERVERS))
# an object of such a name holds what its own server has of settings, filters and tools, or what the model wrote
CLOSED = frozenset(_WRITTEN) | frozenset(
    (
        *("content_filter_result", "__verbose"),
        *("generation_settings", "model_info", "runtime", "content_filters", "content_filter", "web_search"),
        *("moderation", "executed_tools", "search_info", "billing", "logprobs", "hidden_states"),
    )
)
# registered at IANA for responses, or told to browsers
_STANDARD = (
    *("accept-ranges", "age", "allow", "alt-svc", "cache-control", "cache-status", "cdn-cache-control", "connection"),
    *("content-digest", "content-disposition", "content-encoding", "content-language", "content-length", "content-md5"),
    *("content-range", "content-type", "content-security-policy", "cross-origin-opener-policy"),
    *("content-security-policy-report-only", "cross-origin-embedder-policy", "cross-origin-resource-policy", "date"),
    *("deprecation", "digest", "etag", "expires", "grpc-message", "grpc-status", "keep-alive", "last-modified", "link"),
    *("location", "nel", "origin-agent-cluster", "p3p", "permissions-policy", "pragma", "priority", "proxy-status"),
    *("referrer-policy", "refresh", "report-to", "reporting-endpoints", "repr-digest", "retry-after", "server"),
    *(
        "server-timing",
        "set-cookie",
        "signature",
        "signature-input",
        "strict-transport-security",
        "sunset",
        "accept-ch",
    ),
    *("surrogate-control", "timing-allow-origin", "traceparent", "traceresponse", "tracestate", "trailer", "expect-ct"),
    *("transfer-encoding", "upgrade", "vary", "via", "warning", "x-content-type-options", "x-frame-options", "tk"),
    *(
        "x-xss-protection",
        "x-powered-by",
        "x-robots-tag",
        "x-ua-compatible",
        "x-dns-prefetch-control",
        "feature-policy",
    ),
    *(
        "x-download-options",
        "x-permitted-cross-domain-policies",
        "x-aspnet-version",
        "x-accel-buffering",
        "critical-ch",
    ),
    *("access-control-allow-credentials", "access-control-allow-headers", "access-control-allow-methods"),
    *("access-control-allow-origin", "access-control-expose-headers", "access-control-max-age", "x-clacks-overhead"),
    *("x-frame-options", "x-hello-human", "x-new-api-version", "x-oneapi-request-id", "x-sdk-version", "x-app-version"),
)
# of common servers, gateways and networks
_OF_SERVERS = (
    *("openai-organization", "openai-project", "openai-version", "openai-model", "openai-processing-ms"),
    *("anthropic-organization-id", "x-should-retry", "x-groq-region", "x-ms-region", "x-ms-deployment-name"),
    *("x-ms-rai-invoked", "x-ms-client-request-id", "azureml-model-deployment", "azureml-model-group", "x-azure-ref"),
    *("azureml-model-session", "azureml-served-by-cluster", "cmp-upstream-response-duration", "apim-request-id"),
    *("ms-azureml-model-error-reason", "ms-azureml-model-time", "x-aml-cluster", "x-ms-content-safety-outputguard"),
    *("x-accel-expires", "x-amz-cf-id", "x-amz-cf-pop", "x-amz-apigw-id", "x-amz-id-2", "x-amzn-remapped-date"),
    *("x-amzn-trace-id", "x-amzn-requestid", "x-amzn-remapped-content-length", "x-goog-api-version", "x-goog-trace"),
    *("cf-cache-status", "cf-ray", "cf-mitigated", "server-cf-ray", "x-cache", "x-cache-hits", "x-cache-status"),
    *("x-timer", "x-varnish", "x-vercel-cache", "x-vercel-id", "x-matched-path", "fly-request-id", "x-railway-edge"),
    *("x-render-origin-server", "rndr-id", "x-envoy-decorator-operation", "x-kong-proxy-latency", "x-edge-location"),
    *("x-kong-upstream-latency", "x-kong-request-id", "x-kong-upstream-status", "x-kong-response-latency", "x-runtime"),
    *("x-litellm-model-id", "x-litellm-model-api-base", "x-litellm-model-group", "x-litellm-model-region"),
    *("x-litellm-version", "x-litellm-key-tpm-limit", "x-litellm-key-rpm-limit", "x-litellm-attempted-fallbacks"),
    *("x-litellm-max-fallbacks", "x-litellm-max-retries", "x-litellm-semantic-filter", "x-litellm-timeout"),
    *("x-litellm-cache-key", "x-litellm-applied-guardrails", "x-portkey-provider", "x-portkey-cache-status"),
    *("x-portkey-last-used-option-index", "x-portkey-retry-attempt-count", "x-portkey-trace-id", "x-clerk-auth-status"),
    *("helicone-status", "helicone-cache", "helicone-id", "x-ratelimit-over-limit", "x-generation-id", "x-model-id"),
    *(
        "fireworks-backend-host",
        "fireworks-deployment",
        "fireworks-sampling-options",
        "x-together-traceid",
        "x-api-version",
    ),
    *("x-inference-version", "x-compute-type", "x-compute-characters", "x-prompt-tokens", "x-generated-tokens"),
    *("x-modal-function-call-id", "x-replicate-cluster", "cf-aig-cache-status", "cf-aig-step", "cf-aig-log-id"),
    *("cf-aig-event-id", "cf-aig-model", "cf-aig-provider", "mistral-correlation-id", "ratelimitbysize-limit"),
    *("ratelimitbysize-remaining", "ratelimitbysize-reset", "ratelimitbysize-query-cost", "ratelimit-policy"),
    *(
        "x-ds-trace-id",
        "x-ds-served-by",
        "x-dashscope-experiments",
        "req-arrive-time",
        "resp-start-time",
        "eagleeye-traceid",
    ),
    *("x-openai-proxy-wasm", "x-litellm-response-cost-original", "x-gemini-service-tier", "x-served-by"),
    *("x-zero-data-retention", "x-data-retention", "x-metrics-e2e-ms", "x-instance", "x-region", "x-pod"),
)
HEADERS = frozenset((*_STANDARD, *_OF_SERVERS))
LOCATION = "content-location"  # judged in `contradictions`, by its value
OF_A_PROVIDER = "llm_provider-"  # LiteLLM puts it before the headers that it hands on
PRODUCTS = frozenset(
    (
        *(
            "openai",
            "anthropic",
            "litellm",
            "portkey",
            "helicone",
            "kong",
            "envoy",
            "amzn",
            "amz",
            "goog",
            "ms",
            "azure",
        ),
        *("groq", "fireworks", "together", "cf", "vercel", "cloudflare", "mistral", "deepseek", "nvcf", "vllm", "apim"),
        *("bedrock", "aig", "gateway", "llm", "api"),
    )
)
# words of measures that any other word may stand before, which may be the name of a product
OF_ANY_PRODUCT = frozenset(
    (
        *("latency", "time", "timing", "duration", "ms", "seconds", "elapsed", "overhead", "processing", "upstream"),
        *("id", "request", "trace", "span", "correlation", "call", "version", "timestamp", "to", "first", "token"),
    )
)
LONG_ID = regex(  # a UUID, or a row of letters and digits that no word is
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{12,}|(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z\d]{16,}|\d{9,}",
    re.IGNORECASE,
)
MEASURE = regex(  # a number, with its unit or several of them, a time, or an id
    r"#|[+-]?[\d.,:]+(?:e-?\d+)?\s?(?:%|[a-z]{1,3})?(?:[\d.]+[a-z]{1,2})*|none|null|n/?a|-|unlimited|\d{4}-\d\d-\d\d.*"
    r"|[a-z]{3}, \d.*GMT|[\w./:-]*#[\w./:#-]*",
    re.IGNORECASE,
)


def is_known_field(name: str, value: Any) -> bool:
    """Whether a field that does not stand in an unknown object is known, by its name, or as a measure."""
    return name in FIELDS or _is_quiet(name, value) or is_measure_by_name(name, value)


def is_measure_by_name(name: str, value: Any) -> bool:
    """Whether a field has nothing but words for a measure in its name, and one as its value."""
    return _measures(name) and is_measure(value)


def is_known_header(name: str, value: str) -> bool:
    """The same of a header; the name of a product may stand before the words of a measure. An unknown product may have
    times and ids, but no counts: `X-Injected-Tokens: 40` is none.
    """
    name = name.removeprefix(OF_A_PROVIDER)
    if name in HEADERS or name == LOCATION:
        return True
    return _is_quiet(name, value) or (_measures_a_call(name) and is_measure(value))


def _is_quiet(name: str, value: Any) -> bool:
    """Whether a documented flag or action says that nothing was done."""
    return name in _QUIET and str(value).strip().casefold() in ("false", "0", "none", "")


def is_measure(value: Any) -> bool:
    """Whether a value is a number, a time, an id or nothing."""
    if isinstance(value, str):
        return not value or MEASURE.fullmatch(LONG_ID.sub("#", value.strip())) is not None
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool)) or value in ([], {})


@lru_cache(maxsize=4096)
def _measures(name: str) -> bool:
    words = name_words(name)
    return bool(words) and MEASURES.issuperset(words)


@lru_cache(maxsize=4096)
def _measures_a_call(name: str) -> bool:
    words = [word for word in name_words(name) if word != "x"]
    if words and words[0] in PRODUCTS:
        return MEASURES.union(PRODUCTS).issuperset(words)
    behind = words[1:] if words and words[0] not in MEASURES else words
    return MEASURES.issuperset(words) or (bool(behind) and OF_ANY_PRODUCT.issuperset(behind))


@lru_cache(maxsize=4096)
def is_listed_header(name: str) -> bool:
    """Whether a header is known whatever its value is: it is listed, or of nothing but words for limits, times and ids
    of calls, behind the name of a common product or without any.
    """
    name = name.removeprefix(OF_A_PROVIDER)
    words = [word for word in name_words(name) if word != "x"]
    behind = words[1:] if words and words[0] in PRODUCTS else words
    return name in HEADERS or (bool(behind) and OF_CALLS.issuperset(behind))
