"""Streams event by event: how bytes become events, and how the events of each format become one body."""

import json
from typing import Any

import pytest

from selfexec.engines.http.wires import WIRES, Stream, UnusableReply
from selfexec.engines.http.wires.base import Event
from selfexec.engines.http.wires.streams import CUT, EventLines, data_of


def gathered(wire: str, *pieces: Any) -> Any:
    """What puts the pieces of a format together, after these; a piece may be the bytes themselves."""
    gathering = WIRES[wire].gathering()  # type: ignore[index]
    for piece in pieces:
        gathering.take(Event("", piece if isinstance(piece, bytes) else json.dumps(piece).encode()))
    return gathering


# --- bytes to events --------------------------------------------------------------------------------------------------


def test_bytes_become_events_at_empty_lines_wherever_they_are_cut() -> None:
    text = b": alive\nevent: a\ndata: 1\ndata:2\r\n\r\nid: 7\nretry: 9\ndata:  3\n\nevent: bare\n\ndata: 4\n\ndata: 5"
    events = [Event("a", b"1\n2"), Event("", b" 3", "7"), Event("bare", b""), Event("", b"4"), Event("", b"5")]
    for size in (1, 2, 3, 7, len(text)):
        lines, found = EventLines(), list[Event]()
        for at in range(0, len(text), size):
            found += lines.feed(text[at : at + size])
        assert found == events[:4]
        assert list(lines.rest()) == events[4:] and list(lines.rest()) == []


def test_a_body_is_a_stream_by_its_first_six_signs() -> None:
    body = {"id": "x"}
    whole = json.dumps(body, indent=8).encode()
    for size in (1, 5, 1000):
        stream = Stream(gathered("openai"))
        for at in range(0, len(whole), size):
            stream.feed(whole[at : at + size])
        assert stream.raw() == whole and not stream.over
    for first in (b"data:", b"\xef\xbb\xbf\n\ndata:", b"event:x\ndata:", b": a\ndata:"):
        stream = Stream(gathered("openai"))
        for sign in first + b' {"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]}':
            stream.feed(bytes([sign]))
        assert json.loads(stream.raw())["choices"][0]["message"]["content"] == "Hi"
        assert stream.whole
    assert Stream(gathered("openai")).raw() == b""


def test_what_follows_the_end_of_a_stream_or_a_broken_piece_changes_nothing() -> None:
    one = b'data: {"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]}\n\n'
    stream = Stream(gathered("openai"))
    stream.feed(one + b"data: [DONE]\n\n")
    assert stream.over
    stream.feed(one)
    assert json.loads(stream.raw())["choices"][0]["message"]["content"] == "Hi"
    stream = Stream(gathered("openai"))
    stream.feed(b'data: {"choices": 5}\n\n')
    assert stream.over
    with pytest.raises(UnusableReply, match="unknown shape"):
        stream.raw()


@pytest.mark.parametrize(
    ("data", "why"), [(b"[1]", "no JSON object"), (b'{"a', CUT), (b"[" * 100_000, "nested too deeply"), (b"\xff", CUT)]
)
def test_what_an_event_holds_is_a_json_object(data: bytes, why: str) -> None:
    assert data_of(Event("", b'{"a": "\\ud83d"}')) == {"a": "\ud83d"}  # half a character: the other half may follow
    with pytest.raises(UnusableReply, match=why):
        data_of(Event("", data))


# --- events to a body -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wire", WIRES)
def test_nothing_or_half_of_it_is_no_body(wire: str) -> None:
    half: dict[str, Any] = {
        "openai": {"choices": [{"delta": {"content": "Hi"}}]},
        "responses": {"type": "response.output_text.delta", "delta": "Hi"},
        "anthropic": {"type": "message_start", "message": {"id": "m"}},
        "gemini": {"candidates": [{"content": {"parts": [{"text": "Hi"}]}}]},
    }
    for pieces in ([], [half[wire]]):
        gathering = gathered(wire, *pieces)
        assert not gathering.whole and not gathering.over
        with pytest.raises(UnusableReply, match=CUT):
            gathering.body()


def test_deltas_of_a_chat_become_its_message() -> None:
    def delta(finish: str | None = None, index: Any = 0, **said: Any) -> dict[str, Any]:
        return {"id": "c", "choices": [{"index": index, "delta": said, "finish_reason": finish}]}

    pieces: list[Any] = [
        delta(role="assistant", content=""),
        delta(reasoning_content="H"),
        delta(content="A", reasoning_content="m"),
        delta(content="X", index=1),  # of a second choice nobody wants to know
        delta("stop", index=1),
        delta(content="B", index=None),
        {"id": "c", "choices": [{"index": 0, "delta": {"content": "C"}, "logprobs": {"content": [{"token": "C"}]}}]},
        {"id": "c", "choices": []},
    ]
    gathering = gathered("openai", *pieces)
    assert not gathering.whole
    for piece in (delta("stop"), {"model": "m", "usage": {"n": 1}, "choices": []}, {"model": None, "odd": 1}):
        gathering.take(Event("", json.dumps(piece).encode()))
    assert gathering.whole and not gathering.over
    gathering.take(Event("", b" [DONE] "))
    assert gathering.over
    message = {"role": "assistant", "content": "ABC", "reasoning_content": "Hm"}
    choice = {"finish_reason": "stop", "index": 0, "message": message, "logprobs": {"content": [{"token": "C"}]}}
    assert gathering.body() == {"id": "c", "model": "m", "usage": {"n": 1}, "choices": [choice]}
    messages = (
        {"choices": [{"message": {"content": part}, "finish_reason": end}]}
        for part, end in (("A", None), ("AB", "stop"))
    )
    assert gathered("openai", *messages).body()["choices"][0]["message"]["content"] == "AB"  # the text so far


def test_parts_refusals_and_tools_of_a_chat_are_kept_as_they_come() -> None:
    parts = [{"type": "thinking", "thinking": "Hm"}]
    message = {"content": parts, "refusal": "No", "tool_calls": [{"id": "t"}]}
    body = gathered("openai", {"choices": [{"delta": message}]}, {"choices": [{"delta": {}, "finish_reason": "stop"}]})
    [choice] = body.body()["choices"]
    assert choice["message"] == {"role": "assistant", **message}


def test_what_is_wrong_ends_a_chat_and_minimax_says_it_in_its_own_way() -> None:
    for piece in ({"error": {"code": 502}}, {"choices": [{"error": {"code": 502}}]}):
        stream = Stream(gathered("openai"))
        stream.feed(f"data: {json.dumps(piece)}\n\n".encode())
        assert stream.over and not stream.whole
        assert json.loads(stream.raw())["error"] == {"code": 502}
    wrong = {"base_resp": {"status_code": 1026}}
    assert gathered("openai", wrong).body() == wrong


@pytest.mark.parametrize("status", ["completed", "incomplete", "failed", "cancelled"])
def test_a_response_is_what_its_last_event_holds_or_the_items_that_came_before(status: str) -> None:
    def end(**more: Any) -> dict[str, Any]:
        return {"type": f"response.{status}", "response": {"id": "r", **more}}

    item = {"type": "response.output_item.done", "item": {"type": "message"}}
    assert gathered("responses", end(output=[1])).body() == {"id": "r", "output": [1]}
    assert gathered("responses", item, item, end()).body() == {"id": "r", "output": [{"type": "message"}] * 2}
    assert gathered("responses", item, end(output=[])).body() == {"id": "r", "output": [{"type": "message"}]}
    assert gathered("responses", item, end(output=[1])).body() == {"id": "r", "output": [1]}
    assert gathered("responses", end()).body() == {"id": "r"}
    over = gathered("responses", item, b" [DONE]")
    assert over.over and not over.whole
    named = gathered("responses")
    named.take(Event(f"response.{status}", b'{"response": {"id": "r"}}'))
    assert named.whole and named.over


def test_blocks_of_a_message_of_anthropics_become_its_content_in_their_order() -> None:
    def piece(n: int, **delta: Any) -> dict[str, Any]:
        return {"type": "content_block_delta", "index": n, "delta": delta}

    begun = {"id": "m", "stop_reason": None, "usage": {"input_tokens": 3, "output_tokens": 1}}
    pieces: list[Any] = [
        {"type": "message_start", "message": begun},
        {"type": "ping"},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": "A"}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        piece(0, type="thinking_delta", thinking="H"),
        piece(0, type="signature_delta", signature="x"),
        piece(1, type="text_delta", text="B"),
        piece(0, type="thinking_delta", thinking="m"),
        {"type": "content_block_stop", "index": 1},
        {"type": "content_block_start", "index": 2, "content_block": {"type": "text", "text": "C"}},
        {"type": "content_block_stop", "index": 2},
        {"type": "content_block_stop", "index": 0},
    ]
    gathering = gathered("anthropic", *pieces)
    assert not gathering.whole
    delta = {"stop_reason": "end_turn", "stop_sequence": None}
    end = {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7, "input_tokens": None}}
    gathering.take(Event("", json.dumps(end).encode()))
    assert gathering.whole and not gathering.over
    gathering.take(Event("message_stop", b"{}"))
    assert gathering.over
    texts = [{"type": "text", "text": "AB"}, {"type": "text", "text": "C"}]
    assert gathering.body() == {
        **{"id": "m", "stop_reason": "end_turn", "usage": {"input_tokens": 3, "output_tokens": 7}},
        "content": [{"type": "thinking", "thinking": "Hm"}, *texts],
    }


def test_parts_of_gemini_become_one_candidate_and_a_blocked_prompt_has_none() -> None:
    def piece(text: str, **more: Any) -> dict[str, Any]:
        return {
            "candidates": [{"content": {"parts": [{"text": text}]}, **more}, {"index": 1, "content": {"parts": [5]}}],
            "id": 1,
        }

    gathering = gathered("gemini", piece("A", index=0, logprobsResult={"chosen": [1]}), piece("B", finishReason=None))
    assert not gathering.whole
    last = piece("C", finishReason="STOP", logprobsResult={"chosen": [2]}) | {"usage": 7, "id": None}
    gathering.take(Event("", json.dumps(last).encode()))
    assert gathering.whole and not gathering.over
    found = dict(gathering.body())
    [candidate] = found.pop("candidates")
    assert found == {"id": 1, "usage": 7}
    assert candidate["content"] == {"parts": [{"text": "A"}, {"text": "B"}, {"text": "C"}]}
    assert (candidate["finishReason"], candidate["index"]) == ("STOP", 0)
    assert candidate["logprobsResult"] == {"chosen": [1, 2]}
    blocked = gathered("gemini", {"promptFeedback": {"blockReason": "SAFETY"}})
    assert blocked.whole and blocked.body() == {"promptFeedback": {"blockReason": "SAFETY"}, "candidates": []}
