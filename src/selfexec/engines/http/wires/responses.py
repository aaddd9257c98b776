"""The OpenAI Responses API. Keeping what was asked and said is the default there, so every call says not to."""

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
    text_of,
    turns,
)
from selfexec.engines.http.wires.logprobs import tokens_of
from selfexec.engines.http.wires.streams import CUT, data_of
from selfexec.experiments import Message

NAMES = {"max_tokens": "max_output_tokens"}
LOGPROBS = "message.output_text.logprobs"  # what is included where they are wanted
INCOMPLETE: Mapping[Any, str] = {
    "max_output_tokens": "length",
    "max_tokens": "length",
    "content_filter": "content_filter",
}
UNFINISHED = ("in_progress", "queued", "cancelled", "failed")


def _body(endpoint: Endpoint, messages: Sequence[Message], sampling: Mapping[str, Any]) -> Mapping[str, Any]:
    sent = {NAMES.get(name, name): value for name, value in fields(sampling).items()}
    if sent.pop("logprobs", False):
        sent["include"] = [*list_of(sent.get("include")), LOGPROBS]
    body: dict[str, Any] = {"model": endpoint.name, "input": turns(messages), **sent, "store": False}
    if system := sampling.get("system"):
        body["instructions"] = system
    return body


def _outcome(body: Any) -> Outcome:
    output, status = body.get("output"), body.get("status")
    complaint = complaint_in(body)
    if status in UNFINISHED or (complaint and not output):
        raise Unusable(complaint or f"it is {str(status).replace('_', ' ')}")
    if not isinstance(output, list):
        raise Unusable("no output")
    items = [item for item in output if isinstance(item, dict)]
    parts = [part for item in items if item.get("type") == "message" for part in _parts(item.get("content"))]
    text = "".join(str(part.get("text") or "") for part in parts if part.get("type") in (None, "output_text", "text"))
    refusal = "".join(str(part.get("refusal") or "") for part in parts if part.get("type") == "refusal")
    usage = object_of(body.get("usage"))
    outcome = apart(
        Outcome(
            text=text,
            output_tokens=count_of(usage.get("output_tokens")),
            stop_reason=_stop(body),
            refusal=refusal or None,
            input_tokens=count_of(usage.get("input_tokens")),
            reasoning_tokens=count_of(object_of(usage.get("output_tokens_details")).get("reasoning_tokens")),
            reasoning=_thought(items),
            served_model=name_of(body.get("model")),
            cost_usd=dollars_of(usage.get("cost")),
            completion_id=name_of(body.get("id")),
            upstream=name_of(body.get("provider")),
            effort=name_of(object_of(body.get("reasoning")).get("effort")),
            simulated=body.get("simulated") is True,
            logprobs=tokens_of([token for part in parts for token in list_of(part.get("logprobs"))]),
        )
    )
    if not (outcome.text or outcome.refusal or outcome.reasoning or outcome.stop_reason in INCOMPLETE.values()):
        kinds = {item.get("type") for item in items}
        if not kinds & {"message", "function_call"}:
            raise Unusable("its output holds no message")
        if outcome.stop_reason != "stop":
            raise Unusable(f"no text, status {status}, {outcome.stop_reason}")
    return outcome


def _stop(body: Mapping[str, Any]) -> str | None:
    status = name_of(body.get("status"))
    if status == "incomplete":
        reason = name_of(object_of(body.get("incomplete_details")).get("reason"))
        return INCOMPLETE.get(reason, reason or status)
    return "stop" if status == "completed" else status


def _parts(content: Any) -> list[Mapping[str, Any]]:
    """The parts of a message, some of which may be plain strings; so may be the whole."""
    found = [content] if isinstance(content, str) else list_of(content)
    return [{"text": part} if isinstance(part, str) else part for part in found if isinstance(part, str | dict)]


def _thought(items: Sequence[Mapping[str, Any]]) -> str | None:
    """The text of thoughts, where a server shows it; else what it says of them in short."""
    reasoned = [item for item in items if item.get("type") == "reasoning"]
    for name in ("content", "summary"):
        parts = [part for item in reasoned for part in _parts(item.get(name))]
        if said := "\n\n".join(text for part in parts if (text := text_of(part.get("text")))):
            return said
    return None


# --- in pieces -------------------------------------------------------------------------------------------------------

ENDS = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")


class Gathered:
    """Events, of which the last has the whole response. Some gateways leave its output out: then it is the items that
    came as they were done.
    """

    def __init__(self) -> None:
        self.whole = self.over = False
        self._body: Mapping[str, Any] = {}
        self._items: list[Any] = []

    def take(self, event: Event) -> None:
        if event.data.strip() == b"[DONE]":
            self.over = True
            return
        piece = data_of(event)
        kind = piece.get("type") or event.name
        if kind == "response.output_item.done":
            self._items.append(piece.get("item"))
        elif kind in ENDS:
            self._body = object_of(piece.get("response"))
            self.whole = self.over = True
        elif kind == "error" or piece.get("error"):
            self._body = {"error": piece.get("error") or piece}
            self.whole = self.over = True

    def body(self) -> Mapping[str, Any]:
        if not self.whole:
            raise Unusable(CUT)
        return {**self._body, "output": self._body.get("output") or self._items} if self._items else self._body


RESPONSES = Wire(
    title="OpenAI's Responses",
    url=address,
    headers=bearer,
    body=_body,
    outcome=_outcome,
    gathering=Gathered,
    streaming={"stream": True},
    capabilities=frozenset({"turns", "logprobs"}),
)
