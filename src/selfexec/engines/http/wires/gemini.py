"""Gemini generateContent."""

from collections.abc import Mapping, Sequence
from typing import Any

from selfexec.engines.base import Outcome
from selfexec.engines.http.providers import Endpoint
from selfexec.engines.http.wires.base import (
    Event,
    Unusable,
    Wire,
    address,
    complaint_in,
    count_of,
    fields,
    list_of,
    name_of,
    object_of,
)
from selfexec.engines.http.wires.logprobs import gemini_tokens_of
from selfexec.engines.http.wires.streams import CUT, data_of
from selfexec.experiments import Message

GEMINI_NAMES = {
    **{"temperature": "temperature", "top_p": "topP", "max_tokens": "maxOutputTokens", "seed": "seed"},
    **{"logprobs": "responseLogprobs", "top_logprobs": "logprobs"},
}
STOPS: Mapping[Any, str] = {"STOP": "stop", "MAX_TOKENS": "length"}
WITHHELD = {"SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "RECITATION", "SPII", "IMAGE_SAFETY", "LANGUAGE"}
# without text these say that generating failed, not that anything was decided about the input; with text it is a reply
FAILED = {
    "OTHER",
    "MALFORMED_FUNCTION_CALL",
    "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS",
    "MALFORMED_RESPONSE",
}


def _url(endpoint: Endpoint) -> str:
    return address(endpoint, f"/{endpoint.name}:generateContent")


def _streamed_url(endpoint: Endpoint) -> str:
    return address(endpoint, f"/{endpoint.name}:streamGenerateContent", "alt=sse")


def _headers(endpoint: Endpoint) -> Mapping[str, str]:
    return {endpoint.key_header: endpoint.key} if endpoint.key else {}


ROLES = {"user": "user", "assistant": "model"}


def _body(endpoint: Endpoint, messages: Sequence[Message], sampling: Mapping[str, Any]) -> Mapping[str, Any]:
    config = {GEMINI_NAMES[name]: value for name, value in sampling.items() if name in GEMINI_NAMES}
    others = {name: value for name, value in fields(sampling).items() if name not in GEMINI_NAMES}
    contents = [{"role": ROLES[m.role], "parts": [{"text": m.content}]} for m in messages]
    body: dict[str, Any] = {"contents": contents, **others}
    if config:
        body["generationConfig"] = {**others.get("generationConfig", {}), **config}
    if system := sampling.get("system"):
        body["systemInstruction"] = {"parts": [{"text": system}]}
    return body


def _outcome(body: Any) -> Outcome:
    usage = object_of(body.get("usageMetadata"))
    thoughts = count_of(usage.get("thoughtsTokenCount"))
    answer = count_of(usage.get("candidatesTokenCount"))
    blocked = object_of(body.get("promptFeedback")).get("blockReason")
    candidates = body.get("candidates")
    if not blocked and (not isinstance(candidates, list) or not candidates):
        raise Unusable(complaint_in(body) or "no candidates")
    candidate = candidates[0] if candidates else {}
    parts = [part for part in object_of(candidate.get("content")).get("parts") or [] if isinstance(part, dict)]
    finish = name_of(candidate.get("finishReason"))
    withheld = blocked or finish in WITHHELD
    text = "".join(str(part.get("text") or "") for part in parts if not part.get("thought"))
    if not text and not withheld and finish in FAILED:
        raise Unusable(f"it broke off, finish reason {finish}")
    return Outcome(
        text=text,
        # answer and thoughts are counted apart here; together they are what the reply cost
        output_tokens=None if answer is None and thoughts is None else (answer or 0) + (thoughts or 0),
        stop_reason="content_filter" if withheld else STOPS.get(finish, finish),
        input_tokens=count_of(usage.get("promptTokenCount")),
        reasoning_tokens=thoughts,
        reasoning="".join(str(part.get("text") or "") for part in parts if part.get("thought")) or None,
        served_model=name_of(body.get("modelVersion")),
        completion_id=name_of(body.get("responseId")),
        simulated=body.get("simulated") is True,
        logprobs=gemini_tokens_of(candidate.get("logprobsResult")),
    )


# --- in pieces -------------------------------------------------------------------------------------------------------


class Gathered:
    """Responses, each with parts of the whole, until one has a finish reason or blocks the prompt. What tells the end
    of such a stream is that the server ends it.
    """

    def __init__(self) -> None:
        self.whole = self.over = False
        self._body: dict[str, Any] = {}
        self._candidate: dict[str, Any] = {}
        self._parts: list[Any] = []
        self._logprobs: dict[str, list[Any]] = {}

    def take(self, event: Event) -> None:
        piece = data_of(event)
        if piece.get("error"):
            self._body, self.over = piece, True
            return
        self._body |= {name: value for name, value in piece.items() if value is not None and name != "candidates"}
        for candidate in list_of(piece.get("candidates"))[:1]:
            self._parts += list_of(object_of(candidate.get("content")).get("parts"))
            for name, tokens in object_of(candidate.get("logprobsResult")).items():
                self._logprobs.setdefault(name, []).extend(list_of(tokens))
            self._candidate |= {name: value for name, value in candidate.items() if value is not None}
        blocked = object_of(self._body.get("promptFeedback")).get("blockReason")
        self.whole = bool(blocked or self._candidate.get("finishReason"))

    def body(self) -> Mapping[str, Any]:
        if self._body.get("error"):
            return self._body
        if not self.whole:
            raise Unusable(CUT)
        whole = {"content": {"parts": self._parts}, "logprobsResult": self._logprobs}
        candidates = [{**self._candidate, **whole}] if self._candidate else []
        return {**self._body, "candidates": candidates}


GEMINI = Wire(
    title="Gemini's generateContent",
    url=_url,
    headers=_headers,
    body=_body,
    outcome=_outcome,
    gathering=Gathered,
    streamed_url=_streamed_url,
    capabilities=frozenset({"turns", "logprobs"}),
)
