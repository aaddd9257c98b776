"""What the simulated server sends in each wire format, sign by sign, and what it hears of what it is sent."""

from typing import Any

import msgspec
import pytest

from selfexec.engines.sim.formats import FORMATS, SimReply
from selfexec.experiments import Message

CHAT, RESPONSES, ANTHROPIC, GEMINI = FORMATS
TEXT = "abcdefghijklmnopqrstuvwxyz"  # 24 letters are one piece, and two are left


def said(text: str = TEXT, asked: dict[str, Any] | None = None) -> SimReply:
    return SimReply("sim/x", text, 7, 5, "id-1", asked or {})


def sent(form: Any, reply: SimReply) -> list[tuple[str, Any]]:
    """Each piece as JSON has it."""
    return [(name, msgspec.json.decode(msgspec.json.encode(data))) for name, data in form.pieces(reply)]


# --- what is sent ----------------------------------------------------------------------------------------------------


def test_a_chat_completion_comes_whole_and_in_pieces() -> None:
    counts = {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}

    def frame(kind: str, **choice: Any) -> dict[str, Any]:
        return {"id": "id-1", "object": kind, "model": "sim/x", "simulated": True, "choices": [{"index": 0, **choice}]}

    message = {"role": "assistant", "content": TEXT}
    assert CHAT.whole(said()) == {
        **frame("chat.completion", message=message, finish_reason="stop"),
        "usage": counts,
    }
    kind = "chat.completion.chunk"
    pieces: list[tuple[str, Any]] = [
        ("", frame(kind, delta={"role": "assistant", "content": ""}, finish_reason=None)),
        ("", frame(kind, delta={"content": TEXT[:24]}, finish_reason=None)),
        ("", frame(kind, delta={"content": "yz"}, finish_reason=None)),
        ("", frame(kind, delta={}, finish_reason="stop")),
    ]
    done = ("", "[DONE]")
    assert sent(CHAT, said()) == [*pieces, done]
    assert sent(CHAT, said(asked={"stream_options": {"include_usage": False}})) == [*pieces, done]
    wanted = said(asked={"stream_options": {"include_usage": True}})
    assert sent(CHAT, wanted) == [*pieces, ("", {**frame(kind), "choices": [], "usage": counts}), done]


def test_a_response_comes_whole_and_in_pieces() -> None:
    part = {"type": "output_text", "text": TEXT, "annotations": []}
    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [part]}
    whole = {
        **{"id": "id-1", "object": "response", "created_at": 0, "model": "sim/x", "simulated": True},
        **{"status": "completed", "incomplete_details": None, "error": None, "output": [message]},
        **{"reasoning": {"effort": "low", "summary": None}, "store": False, "parallel_tool_calls": True},
        **{"tool_choice": "auto", "tools": []},
        "usage": {"input_tokens": 5, "output_tokens": 7, "total_tokens": 12},
    }
    reply = said(asked={"reasoning": {"effort": "low"}})
    assert RESPONSES.whole(reply) == whole
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    delta = "response.output_text.delta"
    place = {"type": delta, "item_id": "m", "output_index": 0, "content_index": 0, "logprobs": []}
    assert sent(RESPONSES, reply) == [
        ("response.created", {"type": "response.created", "sequence_number": 0, "response": begun}),
        (delta, {**place, "sequence_number": 1, "delta": TEXT[:24]}),
        (delta, {**place, "sequence_number": 2, "delta": "yz"}),
        ("response.completed", {"type": "response.completed", "sequence_number": 27, "response": whole}),
    ]


def test_a_message_of_anthropics_comes_whole_and_in_pieces() -> None:
    whole = {
        **{"id": "id-1", "type": "message", "role": "assistant", "model": "sim/x", "simulated": True},
        **{"content": [{"type": "text", "text": TEXT}], "stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"input_tokens": 5, "output_tokens": 7},
    }
    assert ANTHROPIC.whole(said()) == whole

    def pieces(*inner: tuple[str, dict[str, Any]]) -> list[tuple[str, Any]]:
        return [(kind, {"type": kind, **fields}) for kind, fields in inner]

    begun = {**whole, "content": [], "stop_reason": None}
    stop = {"stop_reason": "end_turn", "stop_sequence": None}
    assert sent(ANTHROPIC, said()) == pieces(
        ("message_start", {"message": begun}),
        ("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}),
        ("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": TEXT[:24]}}),
        ("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": "yz"}}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": stop, "usage": {"output_tokens": 7}}),
        ("message_stop", {}),
    )
    assert ANTHROPIC.whole(said("")) == {**begun, "stop_reason": "end_turn"}
    assert sent(ANTHROPIC, said("")) == pieces(
        ("message_start", {"message": begun}),
        ("message_delta", {"delta": stop, "usage": {"output_tokens": 7}}),
        ("message_stop", {}),
    )


def test_a_reply_of_geminis_comes_whole_and_in_pieces() -> None:
    def body(text: str, **more: Any) -> dict[str, Any]:
        candidate = {"content": {"role": "model", "parts": [{"text": text}]}, "index": 0, **more}
        return {"candidates": [candidate], "modelVersion": "sim/x", "responseId": "id-1", "simulated": True}

    counts = {"usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 7}}
    assert GEMINI.whole(said()) == {**body(TEXT, finishReason="STOP"), **counts}
    assert sent(GEMINI, said()) == [
        ("", body(TEXT[:24])),
        ("", body("yz")),
        ("", {**body("", finishReason="STOP"), **counts}),
    ]
    [candidate] = GEMINI.whole(said(""))["candidates"]
    assert candidate["content"]["parts"] == []
    assert sent(GEMINI, said("")) == [("", {**body("", finishReason="STOP"), **counts})]


def test_tokens_that_nobody_counted_add_nothing_to_the_total() -> None:
    uncounted = said()._replace(tokens=None)
    assert CHAT.whole(uncounted)["usage"] == {"prompt_tokens": 5, "completion_tokens": None, "total_tokens": 5}
    assert RESPONSES.whole(uncounted)["usage"] == {"input_tokens": 5, "output_tokens": None, "total_tokens": 5}


# --- what is heard ---------------------------------------------------------------------------------------------------


def test_what_was_said_before_is_heard_but_for_system_prompts_in_every_format() -> None:
    turns = [("system", "Be."), ("developer", "Be."), ("user", "Why?"), ("assistant", "So."), ("user", "How?")]
    parts = [
        {"role": role, "content": [{"type": "text", "text": text[:1]}, {"text": text[1:]}]} for role, text in turns
    ]
    plain = [{"role": role, "content": text} for role, text in turns]
    gemini = [{"role": {"assistant": "model"}.get(role, role), "parts": [{"text": text}]} for role, text in turns[2:]]
    heard = [Message("user", "Why?"), Message("assistant", "So."), Message("user", "How?")]
    for given in (parts, plain):
        assert CHAT.read({"model": "m", "messages": given}, "") == ("m", heard, True, "")
        assert RESPONSES.read({"model": "m", "input": given}, "") == ("m", heard, True, "")
        assert ANTHROPIC.read({"model": "m", "messages": given}, "") == ("m", heard, True, "")
    assert GEMINI.read({"contents": gemini}, "m") == ("m", heard, True, "")
    assert RESPONSES.read({"model": "m", "input": "Why?"}, "").messages == heard[:1]
    with pytest.raises(msgspec.ValidationError):
        CHAT.read({"model": "m", "messages": plain[:2]}, "")


@pytest.mark.parametrize(
    ("form", "thinks", "body"),
    [
        (CHAT, False, {"reasoning_effort": "none"}),
        (CHAT, True, {"reasoning_effort": "low"}),
        (CHAT, False, {"chat_template_kwargs": {"enable_thinking": False}}),
        (CHAT, True, {"chat_template_kwargs": {"enable_thinking": True}}),
        (CHAT, True, {"chat_template_kwargs": None}),
        (RESPONSES, False, {"reasoning": {"effort": "none"}}),
        (RESPONSES, True, {"reasoning": {"effort": "low"}}),
        (RESPONSES, True, {"reasoning": "none"}),
        (ANTHROPIC, False, {"thinking": {"type": "disabled"}}),
        (ANTHROPIC, True, {"thinking": {"type": "enabled"}}),
        (ANTHROPIC, True, {"thinking": "disabled"}),
        (GEMINI, False, {"generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}}),
        (GEMINI, True, {"generationConfig": {"thinkingConfig": {"thinkingBudget": 1}}}),
        (GEMINI, True, {"generationConfig": None}),
    ],
)
def test_a_model_is_told_not_to_think_in_the_words_of_its_format(form: Any, thinks: bool, body: dict[str, Any]) -> None:
    turns = {"messages": "Why?", "input": "Why?", "contents": [{"role": "user", "parts": [{"text": "Why?"}]}]}
    assert form.read({"model": "m", **turns, **body}, "m").thinks == thinks
