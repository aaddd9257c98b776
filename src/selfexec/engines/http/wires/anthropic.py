"""Anthropic messages."""

from collections.abc import Mapping, Sequence
from typing import Any

from selfexec.engines.base import CallResult
from selfexec.engines.http.ends import add_ends, end_of, is_nothing, printable_end, worse
from selfexec.engines.http.providers import Endpoint
from selfexec.engines.http.wires.base import (
    Event,
    Habit,
    OneReply,
    Texts,
    UnreadableReply,
    UnusableReply,
    Wire,
    address,
    check_kind,
    check_places,
    check_role,
    complaint_in,
    concluded,
    count_of,
    fields,
    name_of,
    object_of,
    said_in,
    turns,
    words_of,
)
from selfexec.engines.http.wires.objections import is_neutral, marks_of_the_end, objections
from selfexec.engines.http.wires.order import Order
from selfexec.engines.http.wires.streams import CUT, data_of
from selfexec.experiments import Message

ANTHROPIC_MAX_TOKENS = 8192  # this format demands a number; others send none unless asked


def _headers(endpoint: Endpoint) -> Mapping[str, str]:
    key = {endpoint.key_header: endpoint.key} if endpoint.key else {}
    return {**key, "anthropic-version": "2023-06-01"}


def _body(endpoint: Endpoint, messages: Sequence[Message], sampling: Mapping[str, Any]) -> Mapping[str, Any]:
    body = {"model": endpoint.name, "max_tokens": ANTHROPIC_MAX_TOKENS, **fields(sampling)}
    body["messages"] = turns(messages)
    if system := sampling.get("system"):
        body["system"] = system
    return body


def _result(body: Any) -> CallResult:
    if not isinstance(body.get("content"), list):
        raise UnusableReply(complaint_in(body) or "no content")
    check_kind(body.get("type"), "message")
    check_role(body.get("role"))
    said = said_in(body["content"])
    usage = object_of(body.get("usage"))
    result = CallResult(
        text=said.text,
        output_tokens=count_of(usage.get("output_tokens")),
        refusal=said.refusal,
        input_tokens=_read(usage),
        reasoning=said.thought,
        served_model=name_of(body.get("model")),
        completion_id=name_of(body.get("id")),
        simulated=body.get("simulated") is True,
    )
    return concluded(body, result, [end_of(body.get("stop_reason"))], message=True, hidden=said.thinks)


def _read(usage: Mapping[str, Any]) -> int | None:
    """Tokens of the prompt. Those that went into a cache of prompts, or came from it, are counted apart here."""
    read = count_of(usage.get("input_tokens"))
    cached = [count_of(usage.get(f"cache_{way}_input_tokens")) or 0 for way in ("creation", "read")]
    return None if read is None else read + sum(cached)


# --- in pieces -------------------------------------------------------------------------------------------------------

PIECES = {"text_delta": "text", "thinking_delta": "thinking"}
# pieces that are no words, and how the blocks end in which they stand
OTHER_PIECES = {
    **{"signature_delta": "thinking", "citations_delta": "text", "compaction_delta": "compaction"},
    "input_json_delta": "tool_use",  # of the client, a server or an MCP server
}


# LiteLLM's proxy ends no block
NO_END_OF_A_BLOCK = "a block of it does not end, as those of other streams of this server do"


class Gathered:
    """A message that is begun, blocks of content with their pieces, why it stopped, and that it did."""

    takes_lists = False

    def __init__(self) -> None:
        self.whole = self.over = False
        self.habit: Habit | None = None
        self._is_begun = False
        self._body: dict[str, Any] = {}
        self._usage: dict[str, Any] = {}
        self._ends: dict[str, Any] = {}  # in all fields for one, those of other formats included
        self._blocks: dict[int, dict[str, Any]] = {}
        self._open: set[int] = set()
        self._reply = OneReply()
        self._text = Texts()
        self._order = Order()
        self._odd: dict[str, Any] = {}
        self._marks: dict[str, Any] = {}  # of whether it has come to its end

    def take(self, event: Event) -> None:
        if event.data.strip() == b"[DONE]":
            self.over = True
            return
        piece = data_of(event)
        self._order.take(event, piece)
        self._odd |= objections(piece, MESSAGE)
        add_ends(self._ends, piece, piece.get("delta"), piece.get("message"))
        for place in (piece, piece.get("delta"), piece.get("message")):
            self._marks |= marks_of_the_end(object_of(place))
        match piece.get("type") or event.name:
            case "message_start":
                if self._is_begun or self._body or self._blocks:
                    raise UnusableReply("the stream begins a second time")
                self._is_begun = True
                self._body = dict(piece["message"])
                self._reply.check_names(self._body, "id", "model")
                self._usage |= object_of(self._body.get("usage"))
            case "content_block_start":
                if piece["index"] in self._blocks:
                    raise UnusableReply("a block of the stream begins a second time")
                block = dict(piece["content_block"])
                if self.whole:
                    self._reply.check_late(block.get(name) for name in PIECES.values())
                self._blocks[int(piece["index"])] = block
                self._open.add(int(piece["index"]))
            case "content_block_delta":
                if int(piece["index"]) not in self._open:
                    raise UnusableReply("a piece of the stream is for a block that has not begun, or has ended")
                block, delta = self._blocks[int(piece["index"])], piece["delta"]
                kind = delta.get("type")
                if name := PIECES.get(kind):
                    self._add(block, name, delta.get(name))
                elif kind not in OTHER_PIECES:
                    raise UnreadableReply(f"a piece of the stream is not known, {printable_end(str(kind))!r}")
                elif not str(block.get("type")).endswith(OTHER_PIECES[kind]):
                    raise UnreadableReply(f"a {kind} in a block of another kind")
                self._odd |= objections(delta)
            case "content_block_stop":
                self._open.discard(int(piece["index"]))
            case "message_delta":
                given = {name: value for name, value in piece["delta"].items() if value is not None}
                self._odd |= objections(given)
                self._reply.check_names(given, "id", "model")
                self._body |= {**given, "stop_reason": worse(self._body.get("stop_reason"), given.get("stop_reason"))}
                self._usage |= {name: n for name, n in object_of(piece.get("usage")).items() if n is not None}
                self.whole = not is_nothing(self._body.get("stop_reason"))
            case "message_stop":
                self.over = True
            case kind:
                self._pass_over(kind, piece)

    def _pass_over(self, kind: Any, piece: Mapping[str, Any]) -> None:
        """Pass over an event of a type that is new, as the format has it: no words may be lost with it, and its name
        may not be that of a failure.
        """
        check_places(piece, "delta", "content_block", "text", "content")
        if not (kind and isinstance(kind, str) and is_neutral(kind)):
            self._odd.setdefault("error", {"message": f"an event that is not known: {printable_end(str(kind))}"})

    def _add(self, block: dict[str, Any], name: str, words: Any) -> None:
        if not isinstance(words, str):
            raise UnreadableReply("a piece of the stream holds no text where its text should be")
        if self.whole:
            self._reply.check_late([words])
        if block.get("type") != name:
            raise UnreadableReply(f"a piece of {name} in a block of another kind")
        if name == "text":
            self._text.add(words)
        block.setdefault("pieces", []).append(words)

    def body(self) -> Mapping[str, Any]:
        if not self.whole:
            raise UnusableReply(CUT)
        if self._open and not self.over:
            raise UnusableReply("the stream ended in the middle of a block")
        if self._blocks:
            self.habit = Habit((self._body.get("model"),), not self._open, NO_END_OF_A_BLOCK)
        if not self._is_begun:
            self._odd.setdefault("error", {"message": "the stream begins without the message_start of its format"})
        if sorted(self._blocks) != [*range(len(self._blocks))]:
            self._odd.setdefault("error", {"message": "a block of the stream is missing"})
        self._text.check_end()
        blocks = [_joined(block) for _, block in sorted(self._blocks.items())]
        if blocks and self._body.get("content"):
            raise UnreadableReply("the message has content before its blocks")
        content = {"content": blocks} if blocks else {}  # else it is what the message began with
        body = {**self._body, **self._marks}
        add_ends(body, self._ends)
        against = {**self._text.doubled(), **self._order.objection(), **self._odd}
        return {**body, **content, "usage": self._usage, **against}


MESSAGE = frozenset(("message",))  # of the event that begins one


def _joined(block: Mapping[str, Any]) -> Mapping[str, Any]:
    """A block with its pieces behind what it began with."""
    name = "thinking" if block.get("type") == "thinking" else "text"
    pieces = block.get("pieces", ())
    whole = {**block, name: "".join([words_of(block.get(name)), *pieces])} if pieces else block
    return {field: value for field, value in whole.items() if field != "pieces"}


ANTHROPIC = Wire(
    title="Anthropic's messages",
    url=address,
    headers=_headers,
    body=_body,
    result=_result,
    gathering=Gathered,
    streaming={"stream": True},
)
