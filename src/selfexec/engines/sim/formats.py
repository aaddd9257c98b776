"""What the server of simulated models understands and says in each wire format, whole or in pieces."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import msgspec

from selfexec.experiments import Message

SOME = msgspec.Meta(min_length=1)
UNHEARD = ("system", "developer")
PIECE = 24  # characters
Body = dict[str, Any]
Piece = tuple[str, Any]  # name of an event, mostly none, and what it holds


class ParsedRequest(NamedTuple):
    """What is asked of a model. `begun` is the beginning of the reply that it is to go on with, if there is one."""

    model: str
    messages: list[Message]
    thinks: bool
    begun: str = ""


class SimReply(NamedTuple):
    """A reply as it goes out. `asked` is the body to which it is one."""

    model: str
    text: str
    tokens: int | None
    prompt_tokens: int
    id: str
    asked: Mapping[str, Any]


@dataclass(frozen=True)
class Format:
    """`path` is where it is asked, behind the address; `pieces` are the same reply as a stream."""

    path: str
    read: Callable[[Mapping[str, Any], str], ParsedRequest]
    whole: Callable[[SimReply], Body]
    pieces: Callable[[SimReply], Iterator[Piece]]


def _turns(turns: Any) -> list[Message]:
    """What was said, system prompts apart: they are not heard."""
    given = [{"role": "user", "content": turns}] if isinstance(turns, str) else turns
    spoken = [{"role": turn["role"], "content": _text(turn["content"])} for turn in given]
    heard = [turn for turn in spoken if turn["role"] not in UNHEARD]
    found: list[Message] = msgspec.convert(heard, Annotated[list[Message], SOME])
    return found


def _text(content: Any) -> Any:
    """The text of a message that comes as a list of parts."""
    return "".join(part["text"] for part in content) if isinstance(content, list) else content


def _drops(text: str) -> Iterator[str]:
    yield from (text[at : at + PIECE] for at in range(0, len(text), PIECE))


# so that nobody who runs this server by another name takes it for a language model
SIMULATED = {"simulated": True}


# --- chat completions ------------------------------------------------------------------------------------------------


def _read_chat(body: Mapping[str, Any], model: str) -> ParsedRequest:
    template = body.get("chat_template_kwargs")
    off = isinstance(template, dict) and template.get("enable_thinking") is False
    thinks, messages = not off and body.get("reasoning_effort") != "none", _turns(body["messages"])
    if len(messages) > 1 and messages[-1].role == "assistant" and _is_to_go_on(body):
        return ParsedRequest(body["model"], messages[:-1], thinks, messages[-1].content)
    return ParsedRequest(body["model"], messages, thinks)


def _is_to_go_on(body: Mapping[str, Any]) -> bool:
    """Whether the last message is to be gone on with, in either of the two ways to say so."""
    continued = body.get("continue_final_message") is True and body.get("add_generation_prompt") is False
    return continued or body["messages"][-1].get("prefix") is True


def _chat_frame(said: SimReply, kind: str, **choice: Any) -> Body:
    return {
        "id": said.id,
        "object": kind,
        "model": said.model,
        **SIMULATED,
        "choices": [{"index": 0, **choice}],
    }


def _chat_counts(said: SimReply) -> Body:
    total = said.prompt_tokens + (said.tokens or 0)
    return {
        "usage": {"prompt_tokens": said.prompt_tokens, "completion_tokens": said.tokens, "total_tokens": total},
    }


def _chat(said: SimReply) -> Body:
    message = {"role": "assistant", "content": said.text}
    return _chat_frame(said, "chat.completion", message=message, finish_reason="stop") | _chat_counts(said)


def _chat_pieces(said: SimReply) -> Iterator[Piece]:
    kind = "chat.completion.chunk"
    yield "", _chat_frame(said, kind, delta={"role": "assistant", "content": ""}, finish_reason=None)
    for drop in _drops(said.text):
        yield "", _chat_frame(said, kind, delta={"content": drop}, finish_reason=None)
    yield "", _chat_frame(said, kind, delta={}, finish_reason="stop")
    options = said.asked.get("stream_options")
    if isinstance(options, dict) and options.get("include_usage"):
        yield "", _chat_frame(said, kind) | {"choices": []} | _chat_counts(said)
    yield "", "[DONE]"


# --- responses -------------------------------------------------------------------------------------------------------


def _read_responses(body: Mapping[str, Any], model: str) -> ParsedRequest:
    return ParsedRequest(body["model"], _turns(body["input"]), _effort(body) != "none")


def _effort(body: Mapping[str, Any]) -> Any:
    reasoning = body.get("reasoning")
    return reasoning.get("effort") if isinstance(reasoning, dict) else None


def _responses(said: SimReply) -> Body:
    part = {"type": "output_text", "text": said.text, "annotations": []}
    total = said.prompt_tokens + (said.tokens or 0)
    return {
        "id": said.id,
        "object": "response",
        "created_at": 0,
        "model": said.model,
        **SIMULATED,
        "status": "completed",
        "incomplete_details": None,
        "error": None,
        "output": [{"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [part]}],
        "reasoning": {"effort": _effort(said.asked), "summary": None},
        "store": False,  # whatever it is told: nothing is kept here
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {"input_tokens": said.prompt_tokens, "output_tokens": said.tokens, "total_tokens": total},
    }


def _responses_pieces(said: SimReply) -> Iterator[Piece]:
    whole = _responses(said)
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    yield "response.created", {"type": "response.created", "sequence_number": 0, "response": begun}
    for n, drop in enumerate(_drops(said.text), 1):
        kind = "response.output_text.delta"
        piece = {"type": kind, "sequence_number": n, "item_id": "m", "delta": drop}
        yield kind, {**piece, "output_index": 0, "content_index": 0, "logprobs": []}
    end = "response.completed"
    yield end, {"type": end, "sequence_number": len(said.text) + 1, "response": whole}


# --- Anthropic messages ----------------------------------------------------------------------------------------------


def _read_anthropic(body: Mapping[str, Any], model: str) -> ParsedRequest:
    thinking = body.get("thinking")
    off = isinstance(thinking, dict) and thinking.get("type") == "disabled"
    return ParsedRequest(body["model"], _turns(body["messages"]), not off)


def _anthropic(said: SimReply) -> Body:
    return {
        "id": said.id,
        "type": "message",
        "role": "assistant",
        "model": said.model,
        **SIMULATED,
        "content": [{"type": "text", "text": said.text}] if said.text else [],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": said.prompt_tokens, "output_tokens": said.tokens},
    }


def _anthropic_pieces(said: SimReply) -> Iterator[Piece]:
    def piece(kind: str, **fields: Any) -> Piece:
        return kind, {"type": kind, **fields}

    whole = _anthropic(said)
    begun = {**whole, "content": [], "stop_reason": None}
    yield piece("message_start", message=begun)
    if said.text:
        yield piece("content_block_start", index=0, content_block={"type": "text", "text": ""})
        for drop in _drops(said.text):
            yield piece("content_block_delta", index=0, delta={"type": "text_delta", "text": drop})
        yield piece("content_block_stop", index=0)
    stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield piece("message_delta", delta=stop, usage={"output_tokens": said.tokens})
    yield piece("message_stop")


# --- Gemini generateContent ------------------------------------------------------------------------------------------


def _read_gemini(body: Mapping[str, Any], model: str) -> ParsedRequest:
    roles = {"model": "assistant"}
    turns = [{"role": roles.get(t["role"], t["role"]), "content": _text(t["parts"])} for t in body["contents"]]
    config = body.get("generationConfig") or {}
    return ParsedRequest(model, _turns(turns), (config.get("thinkingConfig") or {}).get("thinkingBudget") != 0)


def _gemini(said: SimReply) -> Body:
    candidate = {
        "content": {"role": "model", "parts": [{"text": said.text}] if said.text else []},
        "finishReason": "STOP",
        "index": 0,
    }
    counts = {"promptTokenCount": said.prompt_tokens, "candidatesTokenCount": said.tokens}
    return {
        "candidates": [candidate],
        "usageMetadata": counts,
        "modelVersion": said.model,
        "responseId": said.id,
        **SIMULATED,
    }


def _gemini_pieces(said: SimReply) -> Iterator[Piece]:
    whole = _gemini(said)
    [candidate] = whole["candidates"]
    for drop in _drops(said.text):
        begun = {"content": {"role": "model", "parts": [{"text": drop}]}, "index": 0}
        yield "", {"candidates": [begun], "modelVersion": said.model, "responseId": said.id, **SIMULATED}
    yield "", {**whole, "candidates": [{**candidate, "content": {"role": "model", "parts": [{"text": ""}]}}]}


FORMATS: Sequence[Format] = (
    Format("/chat/completions", _read_chat, _chat, _chat_pieces),
    Format("/responses", _read_responses, _responses, _responses_pieces),
    Format("/messages", _read_anthropic, _anthropic, _anthropic_pieces),
    Format("/models/{model:.+}:{way:generateContent|streamGenerateContent}", _read_gemini, _gemini, _gemini_pieces),
)
