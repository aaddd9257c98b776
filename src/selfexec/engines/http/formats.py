"""The formats that providers speak: how to ask, and what an answer means.

Each wire is four pure functions: `url` and `headers` are the same for all calls of a model, `body` is one call's, of
its messages and sampling; `outcome` reads the decoded body of a reply with status 200. Whatever does not have the
expected shape raises Unusable. `capabilities`: what is carried beside one user message and its reply.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from selfexec.engines.base import Outcome
from selfexec.engines.http.policy import error_in_reply, shortened
from selfexec.engines.http.providers import ENDINGS, KEY_HEADERS, Endpoint
from selfexec.experiments import Capability, Message

ANTHROPIC_MAX_TOKENS = 8192  # this wire demands a number; others send none unless asked


class Unusable(Exception):
    """A reply that is none: no choices, no JSON, another format, or cut off because the server behind it failed."""


@dataclass(frozen=True)
class Wire:
    url: Callable[[Endpoint], str]
    headers: Callable[[Endpoint], Mapping[str, str]]
    body: Callable[[Endpoint, Sequence[Message], Mapping[str, Any]], Mapping[str, Any]]
    outcome: Callable[[Any], Outcome]
    capabilities: frozenset[Capability] = frozenset({"turns"})


def _fields(sampling: Mapping[str, Any]) -> dict[str, Any]:
    """What of it goes into the body as it is: every wire format has a place of its own for the system prompt."""
    return {name: value for name, value in sampling.items() if name != "system"}


def _turns(messages: Sequence[Message]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in messages]


# --- OpenAI chat completions -----------------------------------------------------------------------------------------


def _openai_url(endpoint: Endpoint) -> str:
    return f"{endpoint.url}{ENDINGS['openai']}"


def _openai_headers(endpoint: Endpoint) -> Mapping[str, str]:
    return {KEY_HEADERS["openai"]: f"Bearer {endpoint.key}"} if endpoint.key else {}


def _openai_body(endpoint: Endpoint, messages: Sequence[Message], sampling: Mapping[str, Any]) -> Mapping[str, Any]:
    system = [{"role": "system", "content": text}] if (text := sampling.get("system")) else []
    body = {"model": endpoint.name, "messages": [*system, *_turns(messages)], **_fields(sampling)}
    if endpoint.at("api.openai.com"):  # others refuse a field that they do not know
        body.setdefault("store", False)
    return body


# finish reasons by which servers of this format say that what stands there is no whole reply of the model:
# OpenRouter, Mistral and vLLM "error", vLLM and SGLang "abort", DeepSeek and Zhipu each a word of their own
DIED = ("error", "abort", "insufficient_system_resource", "network_error")
OPENAI_STOPS: Mapping[Any, str] = {
    "sensitive": "content_filter",  # Zhipu, Tencent
    "guardrail_intervened": "content_filter",  # Bedrock, and the next
    "content_filtered": "content_filter",
    # gateways that spell it as another format does
    **dict.fromkeys(("CONTENT_FILTER", "content-filter", "contentFilter", "SAFETY", "safety"), "content_filter"),
    "model_length": "length",  # Mistral
    "model_context_window_exceeded": "length",  # Zhipu
    "max_tokens": "length",  # gateways that hand on another format's word
}
# with no text at all, only these finish reasons say that the model was done: it chose to say nothing
DONE = ("stop", "eos", "eos_token", "stop_sequence", "end_turn", "refusal", "tool_calls", "function_call")


def _openai_outcome(body: Any) -> Outcome:
    choices, usage = body.get("choices"), _object(body.get("usage"))
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise Unusable(_complaint(body) or "no choices")
    stop = _openai_stop(choices[0])
    message = choices[0].get("message") or {}
    text, thought = _parts(message.get("content"))
    if not text and (complaint := _complaint(body) or _complaint(message)):
        raise Unusable(complaint)
    if not text and (body.get("input_sensitive") is True or body.get("output_sensitive") is True):
        stop = "content_filter"  # MiniMax
    details = _object(usage.get("completion_tokens_details"))
    outcome = _apart(
        Outcome(
            text=text,
            output_tokens=_count(usage.get("completion_tokens")),
            stop_reason=stop,
            refusal=_text(message.get("refusal")),
            input_tokens=_count(usage.get("prompt_tokens")),
            reasoning_tokens=_count(details.get("reasoning_tokens")),
            reasoning=_text(message.get("reasoning_content")) or _text(message.get("reasoning")) or thought,
            served_model=_name(body.get("model")),
            fingerprint=_name(body.get("system_fingerprint")),
            cost_usd=_dollars(usage.get("cost")),
            completion_id=_name(body.get("id")),
            upstream=_name(body.get("provider")),
            simulated=body.get("simulated") is True,  # as `selfexec serve` says
        )
    )
    if not (outcome.text or outcome.refusal or outcome.reasoning or message.get("tool_calls")):
        _refuse_nothing(choices[0], message, stop)
    return outcome


def _refuse_nothing(choice: Any, message: Any, stop: str | None) -> None:
    """Raise Unusable where nothing was said and nothing tells that the model meant it: a server's fault would count as
    the model's silence.
    """
    if stop in ("length", "content_filter"):
        return  # cut off before the first word, or withheld
    if not isinstance(message.get("content"), str | list):
        other = next((name for name in ("text", "delta") if name in choice), None)
        raise Unusable(f"it has {other!r} in place of a message" if other else "its message holds no content")
    if stop not in DONE:
        raise Unusable(f"no text, finish reason {stop}")


def _openai_stop(choice: Any) -> str | None:
    """Why a choice ended. Raises Unusable where that is because the server behind it failed."""
    finish = _name(choice.get("finish_reason"))
    complaint = _complaint({"choices": [choice]})
    # LiteLLM, which may write "stop" in the other field
    native = _object(choice.get("provider_specific_fields")).get("native_finish_reason")
    died = [reason for reason in (finish, choice.get("native_finish_reason"), native) if reason in DIED]
    if died or complaint:
        raise Unusable(
            f"it broke off, finish reason {died[0] if died else finish}" + (f": {complaint}" if complaint else "")
        )
    return OPENAI_STOPS.get(finish, finish)


def _parts(content: Any) -> tuple[str, str | None]:
    """Text and thought of a message, whose content may be a string, or a list of strings and parts."""
    if content is None or isinstance(content, str):
        return content or "", None
    if not isinstance(content, list):
        raise Unusable("a message of unknown shape")
    parts = [{"text": part} if isinstance(part, str) else part for part in content if isinstance(part, str | dict)]
    text = "".join(str(part.get("text") or "") for part in parts if part.get("type") in (None, "text", "output_text"))
    thought = "".join(str(part.get("thinking") or "") for part in parts if part.get("type") == "thinking")
    return text, thought or None


# --- Anthropic messages ----------------------------------------------------------------------------------------------


def _anthropic_url(endpoint: Endpoint) -> str:
    return f"{endpoint.url}{ENDINGS['anthropic']}"


def _anthropic_headers(endpoint: Endpoint) -> Mapping[str, str]:
    key = {KEY_HEADERS["anthropic"]: endpoint.key} if endpoint.key else {}
    return {**key, "anthropic-version": "2023-06-01"}


def _anthropic_body(endpoint: Endpoint, messages: Sequence[Message], sampling: Mapping[str, Any]) -> Mapping[str, Any]:
    body = {"model": endpoint.name, "max_tokens": ANTHROPIC_MAX_TOKENS, **_fields(sampling)}
    body["messages"] = _turns(messages)
    if system := sampling.get("system"):
        body["system"] = system
    return body


ANTHROPIC_STOPS: Mapping[Any, str] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}


def _anthropic_outcome(body: Any) -> Outcome:
    if not isinstance(body.get("content"), list):
        raise Unusable(_complaint(body) or "no content")
    text, thought = _parts(body["content"])
    usage = _object(body.get("usage"))
    stop = _name(body.get("stop_reason"))
    if not text and not thought and stop not in ANTHROPIC_STOPS:
        raise Unusable(f"no text, stop reason {stop}")
    return Outcome(
        text=text,
        output_tokens=_count(usage.get("output_tokens")),
        stop_reason=ANTHROPIC_STOPS.get(stop, stop),
        input_tokens=_count(usage.get("input_tokens")),
        reasoning=thought,
        served_model=_name(body.get("model")),
        completion_id=_name(body.get("id")),
    )


# --- Gemini generateContent ------------------------------------------------------------------------------------------

GEMINI_NAMES = {"temperature": "temperature", "top_p": "topP", "max_tokens": "maxOutputTokens", "seed": "seed"}
GEMINI_STOPS: Mapping[Any, str] = {"STOP": "stop", "MAX_TOKENS": "length"}
GEMINI_WITHHELD = {"SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "RECITATION", "SPII", "IMAGE_SAFETY", "LANGUAGE"}
# without text these say that generating failed, not that anything was decided about the input; with text it is a reply
GEMINI_FAILED = {
    "OTHER",
    "MALFORMED_FUNCTION_CALL",
    "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS",
    "MALFORMED_RESPONSE",
}


def _gemini_url(endpoint: Endpoint) -> str:
    return f"{endpoint.url}{ENDINGS['gemini']}/{endpoint.name}:generateContent"


def _gemini_headers(endpoint: Endpoint) -> Mapping[str, str]:
    return {KEY_HEADERS["gemini"]: endpoint.key} if endpoint.key else {}


GEMINI_ROLES = {"user": "user", "assistant": "model"}


def _gemini_body(endpoint: Endpoint, messages: Sequence[Message], sampling: Mapping[str, Any]) -> Mapping[str, Any]:
    config = {GEMINI_NAMES[name]: value for name, value in sampling.items() if name in GEMINI_NAMES}
    others = {name: value for name, value in _fields(sampling).items() if name not in GEMINI_NAMES}
    contents = [{"role": GEMINI_ROLES[m.role], "parts": [{"text": m.content}]} for m in messages]
    body: dict[str, Any] = {"contents": contents, **others}
    if config:
        body["generationConfig"] = {**others.get("generationConfig", {}), **config}
    if system := sampling.get("system"):
        body["systemInstruction"] = {"parts": [{"text": system}]}
    return body


def _gemini_outcome(body: Any) -> Outcome:
    usage = _object(body.get("usageMetadata"))
    thoughts = _count(usage.get("thoughtsTokenCount"))
    answer = _count(usage.get("candidatesTokenCount"))
    blocked = _object(body.get("promptFeedback")).get("blockReason")
    candidates = body.get("candidates")
    if not blocked and (not isinstance(candidates, list) or not candidates):
        raise Unusable(_complaint(body) or "no candidates")
    candidate = candidates[0] if candidates else {}
    parts = [part for part in _object(candidate.get("content")).get("parts") or [] if isinstance(part, dict)]
    finish = _name(candidate.get("finishReason"))
    withheld = blocked or finish in GEMINI_WITHHELD
    text = "".join(str(part.get("text") or "") for part in parts if not part.get("thought"))
    if not text and not withheld and finish in GEMINI_FAILED:
        raise Unusable(f"it broke off, finish reason {finish}")
    return Outcome(
        text=text,
        # answer and thoughts are counted apart here; together they are what the reply cost
        output_tokens=None if answer is None and thoughts is None else (answer or 0) + (thoughts or 0),
        stop_reason="content_filter" if withheld else GEMINI_STOPS.get(finish, finish),
        input_tokens=_count(usage.get("promptTokenCount")),
        reasoning_tokens=thoughts,
        reasoning="".join(str(part.get("text") or "") for part in parts if part.get("thought")) or None,
        served_model=_name(body.get("modelVersion")),
        completion_id=_name(body.get("responseId")),
    )


WIRES: Mapping[str, Wire] = {
    "openai": Wire(_openai_url, _openai_headers, _openai_body, _openai_outcome),
    "anthropic": Wire(_anthropic_url, _anthropic_headers, _anthropic_body, _anthropic_outcome),
    "gemini": Wire(_gemini_url, _gemini_headers, _gemini_body, _gemini_outcome),
}

LEADING_THOUGHT = re.compile(r"\s*<(think|thinking|reasoning)>(.*?)</\1>\s*", re.DOTALL)


def _apart(outcome: Outcome) -> Outcome:
    """Thoughts that a server left in the text are kept apart from the answer."""
    found = LEADING_THOUGHT.match(outcome.text or "") if outcome.text and "</" in outcome.text else None
    if not found or outcome.text is None:
        return outcome
    thought = (outcome.reasoning or "") + found[2].strip()
    return replace(outcome, text=outcome.text[found.end() :], reasoning=thought or None)


def _text(value: Any) -> str | None:
    """A field that should hold text. A server that sends something else there has said nothing."""
    return value if value and isinstance(value, str) else None


LONGEST_NAME = 200


def _name(value: Any) -> str | None:
    """A field that should hold a name. A page of text is none."""
    return value if value and isinstance(value, str) and len(value) <= LONGEST_NAME else None


def _object(value: Any) -> Mapping[str, Any]:
    """A field that should hold further ones. Whatever else a server puts there has none."""
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 else None


def _dollars(value: Any) -> float | None:
    """What the call cost, as OpenRouter says it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < math.inf else None


def _complaint(body: Mapping[str, Any]) -> str | None:
    """What a server says is wrong, in a body that came with status 200."""
    error = error_in_reply(body)
    if isinstance(error, dict):
        error = error.get("message") or error.get("code")
    return shortened(str(error)) if error else None
