"""OpenAI chat completions, which most gateways and local servers speak too, each with words of its own."""

from collections.abc import Mapping, Sequence
from typing import Any

from selfexec.engines.base import Outcome
from selfexec.engines.http.providers import Endpoint
from selfexec.engines.http.wires.base import (
    Event,
    Unusable,
    Wire,
    address,
    apart,
    bearer,
    complaint_in,
    count_of,
    dollars_of,
    fields,
    list_of,
    name_of,
    object_of,
    text_and_thought,
    text_of,
    turns,
)
from selfexec.engines.http.wires.logprobs import tokens_of
from selfexec.engines.http.wires.streams import CUT, data_of
from selfexec.experiments import Message


def _body(endpoint: Endpoint, messages: Sequence[Message], sampling: Mapping[str, Any]) -> Mapping[str, Any]:
    system = [{"role": "system", "content": text}] if (text := sampling.get("system")) else []
    body: dict[str, Any] = {"model": endpoint.name, "messages": [*system, *turns(messages)], **fields(sampling)}
    if endpoint.at("api.openai.com"):  # others refuse a field that they do not know
        body.setdefault("store", False)
    return body


# finish reasons by which servers of this format say that what stands there is no whole reply of the model:
# OpenRouter, Mistral and vLLM "error", vLLM and SGLang "abort", DeepSeek and Zhipu each a word of their own
DIED = ("error", "abort", "insufficient_system_resource", "network_error")
STOPS: Mapping[Any, str] = {
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


def _outcome(body: Any) -> Outcome:
    choices, usage = body.get("choices"), object_of(body.get("usage"))
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise Unusable(complaint_in(body) or "no choices")
    stop = _stop(choices[0])
    message = choices[0].get("message") or {}
    text, thought = text_and_thought(message.get("content"))
    if not text and (complaint := complaint_in(body) or complaint_in(message)):
        raise Unusable(complaint)
    if not text and (body.get("input_sensitive") is True or body.get("output_sensitive") is True):
        stop = "content_filter"  # MiniMax
    details = object_of(usage.get("completion_tokens_details"))
    outcome = apart(
        Outcome(
            text=text,
            output_tokens=count_of(usage.get("completion_tokens")),
            stop_reason=stop,
            refusal=text_of(message.get("refusal")),
            input_tokens=count_of(usage.get("prompt_tokens")),
            reasoning_tokens=count_of(details.get("reasoning_tokens")),
            reasoning=text_of(message.get("reasoning_content")) or text_of(message.get("reasoning")) or thought,
            served_model=name_of(body.get("model")),
            fingerprint=name_of(body.get("system_fingerprint")),
            cost_usd=dollars_of(usage.get("cost")),
            completion_id=name_of(body.get("id")),
            upstream=name_of(body.get("provider")),
            simulated=body.get("simulated") is True,  # as `selfexec serve` says
            logprobs=tokens_of(object_of(choices[0].get("logprobs")).get("content")),
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


def _stop(choice: Any) -> str | None:
    """Why a choice ended. Raises Unusable where that is because the server behind it failed."""
    finish = name_of(choice.get("finish_reason"))
    complaint = complaint_in({"choices": [choice]})
    # LiteLLM, which may write "stop" in the other field
    native = object_of(choice.get("provider_specific_fields")).get("native_finish_reason")
    died = [reason for reason in (finish, choice.get("native_finish_reason"), native) if reason in DIED]
    if died or complaint:
        raise Unusable(
            f"it broke off, finish reason {died[0] if died else finish}" + (f": {complaint}" if complaint else "")
        )
    return STOPS.get(finish, finish)


# --- in pieces -------------------------------------------------------------------------------------------------------

# what every piece has, and what of the last ones that have it counts
OF_THE_WHOLE = (
    *("id", "model", "provider", "system_fingerprint", "usage", "simulated"),
    *("base_resp", "input_sensitive", "output_sensitive"),  # MiniMax
)
OF_THE_CHOICE = ("finish_reason", "native_finish_reason", "provider_specific_fields", "error")
THOUGHTS = ("reasoning_content", "reasoning")


class Gathered:
    """Deltas, until one has a finish reason; the counts may come after it, and `[DONE]` last of all. Without a finish
    reason the stream broke off, whatever says that it is done: gateways whose upstream has died say so.
    """

    def __init__(self) -> None:
        self.whole = self.over = False
        self._body: dict[str, Any] = {}
        self._choice: dict[str, Any] = {}
        self._message: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {}
        self._content: list[Any] = []
        self._logprobs: list[Any] = []

    def take(self, event: Event) -> None:
        if event.data.strip() == b"[DONE]":
            self.over = True
            return
        piece = data_of(event)
        self._body |= {name: piece[name] for name in OF_THE_WHOLE if piece.get(name) is not None}
        choices = piece.get("choices") or [{}]
        choice = choices[0]
        if choice.get("index") in (None, 0):
            self._choice |= {name: choice[name] for name in OF_THE_CHOICE if choice.get(name) is not None}
            self._logprobs += list_of(object_of(choice.get("logprobs")).get("content"))
            self._add(choice.get("delta") or choice.get("message") or {})
        if error := piece.get("error"):
            self._choice["error"] = error  # it ends the reply, whatever came before
        self.whole = bool(self._choice.get("finish_reason"))
        self.over = self.over or "error" in self._choice

    def _add(self, delta: Mapping[str, Any]) -> None:
        content = delta.get("content")
        self._content += content if isinstance(content, list) else [content] if content else []
        for name in ("refusal", *THOUGHTS):
            if text := text_of(delta.get(name)):
                self._texts.setdefault(name, []).append(text)
        if delta.get("tool_calls"):
            self._message["tool_calls"] = delta["tool_calls"]

    def body(self) -> Mapping[str, Any]:
        if not self._choice:
            if self._body.get("base_resp"):
                return self._body  # MiniMax says so what is wrong
            raise Unusable(CUT)
        if not self.whole and "error" not in self._choice:
            raise Unusable(CUT)
        texts = all(isinstance(part, str) for part in self._content)
        content = "".join(self._content) if texts else self._content
        said = {name: "".join(parts) for name, parts in self._texts.items()}
        message = {"role": "assistant", "content": content, **self._message, **said}
        choice = {**self._choice, "index": 0, "message": message, "logprobs": {"content": self._logprobs}}
        return {**self._body, "choices": [choice]}


CHAT = Wire(
    title="OpenAI's chat completions",
    url=address,
    headers=bearer,
    body=_body,
    outcome=_outcome,
    gathering=Gathered,
    streaming={"stream": True, "stream_options": {"include_usage": True}},
    capabilities=frozenset({"turns", "logprobs"}),
)
