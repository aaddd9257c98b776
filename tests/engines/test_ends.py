"""What ends a reply, in every wire format, whole and in pieces: only a listed end makes text a reply, and only a listed
end makes no text a silence.

The words are those that providers document (docs/models.md says which); no provider was asked.
"""

import asyncio
import itertools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import pytest
from aiohttp import web
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from selfexec.engines import CallResult, Connection
from selfexec.engines.http.bodies import RetryableError, bounded, decoded
from selfexec.engines.http.client import HttpEngine
from selfexec.engines.http.ends import BLOCKS, TABLE, block_of, end_of, printable_end, worst
from selfexec.engines.http.providers import Endpoint
from selfexec.engines.http.wires import WIRES, Stream, UnusableReply
from selfexec.errors import InputError
from sockets import call, server

HERE = "http://127.0.0.1:1/v1"
SECRET = "sk-planted-0123456789-abcdefghijklmnopqrstuvwxyz"


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFEXEC_API_KEY", SECRET)
    monkeypatch.setattr("selfexec.engines.http.client.REFUSAL_PAUSES", (0.01, 0.01))
    monkeypatch.setattr("selfexec.engines.http.client.pause", lambda *_: 0.01)


# --- one reply in every format ----------------------------------------------------------------------------------------


def responses_end(word: Any) -> dict[str, Any]:
    """How the Responses format says an end: by its status, or by why it is incomplete."""
    if word in ("completed", "failed", "cancelled", "in_progress", "queued", None):
        return {"status": word}
    return {"status": "incomplete", "incomplete_details": {"reason": word}}


def whole(wire: str, text: Any, word: Any, *, top: Any = None, inner: Any = None, bare: bool = False) -> dict[str, Any]:
    """A body with this text and end. `top` and `inner` are errors beside it, `bare` leaves its content out."""
    body: dict[str, Any] = {}
    part: dict[str, Any] = {}
    if wire == "openai":
        part = {"index": 0, "finish_reason": word} | ({} if bare else {"message": {"content": text}})
        body = {"choices": [part]}
    elif wire == "responses":
        part = {"type": "message", "content": [{"type": "output_text", "text": text}]}
        body = {"output": [] if bare else [part], **responses_end(word)}
    elif wire == "anthropic":
        part = {"type": "text", "text": text}
        body = {"stop_reason": word} | ({} if bare else {"content": [part]})
    else:
        part = {"finishReason": word} | ({} if bare else {"content": {"parts": [{"text": text}]}})
        body = {"candidates": [part]}
    if top is not None:
        body["error"] = top
    if inner is not None:
        (part if wire in ("openai", "gemini") else body)["error"] = inner
    return body


def events(*pieces: Any) -> bytes:
    lines = []
    for piece in pieces:
        name, data = piece if isinstance(piece, tuple) else (piece.get("type", ""), piece)
        lines.append(
            (f"event: {name}\n" if name else "") + f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n"
        )
    return "".join(lines).encode()


BEGIN = (
    {"type": "message_start", "message": {"id": "m"}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
)
BLOCK_END = {"type": "content_block_stop", "index": 0}


def streamed(wire: str, text: str, word: Any, *late: Any, early: Sequence[Any] = ()) -> bytes:
    """The same reply in pieces, with other events before its end or behind it."""
    half = len(text) // 2
    texts = (text[:half], text[half:])
    if wire == "openai":
        deltas = [{"choices": [{"index": 0, "delta": {"content": part}}]} for part in texts]
        return events(*deltas, *early, {"choices": [{"index": 0, "delta": {}, "finish_reason": word}]}, *late)
    if wire == "responses":
        kind = word if word in ("completed", "failed", "cancelled") else "incomplete"
        end = {"type": f"response.{kind}", "response": whole("responses", text, word)}
        return events(*({"type": "response.output_text.delta", "delta": part} for part in texts), *early, *late, end)
    if wire == "anthropic":
        deltas = [
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": part}} for part in texts
        ]
        end = {"type": "message_delta", "delta": {"stop_reason": word}}
        return events(*BEGIN, *deltas, *early, BLOCK_END, end, *late, {"type": "message_stop"})
    pieces = [{"candidates": [{"content": {"parts": [{"text": part}]}}]} for part in texts]
    return events(*pieces, *early, {"candidates": [{"finishReason": word}]}, *late)


def read(wire: str, raw: bytes) -> CallResult | None:
    """What a body says; None where it is no reply."""
    try:
        return decoded(Endpoint("m", HERE, wire, "x"), WIRES[wire], raw)  # type: ignore[index, arg-type]
    except RetryableError:
        return None


def of_body(wire: str, body: Any) -> CallResult | None:
    return read(wire, json.dumps(body).encode())


def of_stream(wire: str, data: bytes) -> CallResult | None:
    stream = Stream(WIRES[wire].gathering())  # type: ignore[index]
    stream.feed(data)
    try:
        return read(wire, stream.raw())
    except UnusableReply:
        return None


def counts(result: CallResult | None) -> bool:
    """Whether somebody takes it for what the model said, or for its silence."""
    return result is not None and result.error is None


FORMATS = pytest.mark.parametrize("wire", list(WIRES))
BOTH = pytest.mark.parametrize("way", ["whole", "streamed"])


def came(wire: str, way: str, text: str, word: Any) -> CallResult | None:
    return of_body(wire, whole(wire, text, word)) if way == "whole" else of_stream(wire, streamed(wire, text, word))


# the end of each format, and what it is called by us
OWN = {
    "openai": {"stop": "stop", "length": "length", "content_filter": "content_filter", "tool_calls": "tool_calls"},
    "responses": {"completed": "stop", "max_output_tokens": "length", "content_filter": "content_filter"},
    "anthropic": {
        **{"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "refusal": "refusal"},
        **{"model_context_window_exceeded": "length", "tool_use": "tool_use"},
    },
    "gemini": {
        **{"STOP": "stop", "MAX_TOKENS": "length"},
        **dict.fromkeys(("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"), "content_filter"),
        **dict.fromkeys(("LANGUAGE", "IMAGE_SAFETY", "MODEL_ARMOR"), "content_filter"),
    },
}
CASES = [(wire, word, stop) for wire, words in OWN.items() for word, stop in words.items()]


@BOTH
@pytest.mark.parametrize(("wire", "word", "stop"), CASES)
def test_the_ends_that_a_format_documents_end_a_reply(way: str, wire: str, word: str, stop: str) -> None:
    found = came(wire, way, "Hello there", word)
    assert found and (found.text, found.stop_reason, found.error) == ("Hello there", stop, None)


# gateways and servers hand on each other's words in the OpenAI format
HANDED_ON = {
    "stop": "eos eos_token end_turn stop_sequence COMPLETE STOP eosFound stopStringFound done normal FinishReason.STOP",
    "length": "MAX_TOKENS max-tokens maxTokens model_length token_limit REASON_MAX_LEN FINISH_REASON_MAX_TOKENS",
    "content_filter": "PROHIBITED_CONTENT recitation sensitive ERROR_TOXIC guardrail_intervened blocked moderation "
    "content-filter content_filter:PROHIBITED_CONTENT",
    "function_call": "function_call",
}
HANDED = [(word, stop) for stop, words in HANDED_ON.items() for word in words.split()]


@pytest.mark.parametrize(("word", "stop"), [*HANDED, ("content_filter: PROHIBITED_CONTENT", "content_filter")])
def test_the_words_of_others_mean_in_the_openai_format_what_they_mean_there(word: str, stop: str) -> None:
    found = of_body("openai", whole("openai", "Hello", word))
    assert found and (found.text, found.stop_reason, found.error) == ("Hello", stop, None)


UNKNOWN = [
    *("null", "None", "none", "unknown", "other", "OTHER", "something new", "pause_turn", "compaction"),
    *(
        "-stop",
        "_stop",
        ".stop",
        "stop.",
        "stop-",
        "<stop>",
        "/s",
        "im_end",
        "<|im_end>",
        "<|tool_call|>",
        "<|eom_id|>",
    ),
    *("FINISH_REASON_UNSPECIFIED", "stopped", "not_stop", "stop: because", "sto\u0440", "\u200bstop", "stop;length"),
    *(" ", "finish_reason", "0", "length?", None, 0, 5, True, 1.5, [], ["stop"], {}, {"type": "stop"}),
]


@FORMATS
@pytest.mark.parametrize("word", UNKNOWN, ids=repr)
def test_a_reply_with_any_other_end_is_none_and_its_text_is_kept_apart(wire: str, word: Any) -> None:
    found = of_body(wire, whole(wire, "Hello", word))
    assert found and (found.text, found.unknown_end_text, found.stop_reason) == (None, "Hello", None)
    missing = "incomplete" if wire == "responses" and word == "" else "none"
    shown = word if isinstance(word, str) else missing if word is None else json.dumps(word)
    assert found.unknown_end == shown
    assert found.error and "which is not known to end one" in found.error and printable_end(shown) in found.error


TOKENS = "</s> <|im_end|> <|eot_id|> <|eot|> <|end|> <|endoftext|> <end_of_turn> <|END_OF_TEXT|> <|return|> <eos>"


@pytest.mark.parametrize("token", TOKENS.split())
def test_the_token_that_ended_a_turn_ends_a_reply(token: str) -> None:
    for ends in ({"finish_reason": token}, {"finish_reason": "stop", "native_finish_reason": token}):
        found = of_body("openai", {"choices": [{"message": {"content": "Hello"}, **ends}]})
        assert found and (found.text, found.stop_reason, found.error) == ("Hello", "stop", None)


PRINTED = (
    *("null", "undefined", "[object Object]", "<nil>", "(null)", "%!s(<nil>)", " null\n", "NaN", "<no value>"),
    "[object Promise]",
)
UNSEEN = "\u200b\ufeff\0\ufffd \n\t\u2060\u00ad\u2800\u3164\u034f\x1b"


@FORMATS
@BOTH
@given(text=st.sampled_from(PRINTED) | st.text(st.sampled_from(UNSEEN), min_size=1, max_size=60))
@settings(max_examples=examples(40), deadline=None)
def test_a_text_without_a_visible_character_is_empty_and_a_programs_nothing_is_no_reply(
    wire: str, way: str, text: str
) -> None:
    found = came(wire, way, text, next(iter(OWN[wire])))
    if text in PRINTED:
        assert found is None
    else:
        assert found is None or (found.text, found.error) == ("", None)


@FORMATS
def test_a_programs_nothing_that_was_withheld_is_withheld(wire: str) -> None:
    for text in PRINTED:
        found = of_body(wire, whole(wire, text, "SAFETY" if wire == "gemini" else "content_filter"))
        assert found and (found.text, found.stop_reason) == ("", "content_filter")


@FORMATS
@BOTH
@given(
    text=st.sampled_from(
        [
            "None",
            "Null",
            "nil",
            "null.",
            "NaN is a number",
            "<b>",
            "0",
            "false",
            ".",
            "?",
            "\U0001f600",
            "\u200bA\u200b",
            '""',
        ]
    )
)
@settings(max_examples=examples(20), deadline=None)
def test_a_short_answer_is_what_it_says(wire: str, way: str, text: str) -> None:
    found = came(wire, way, text, next(iter(OWN[wire])))
    assert found and (found.text, found.error) == (text, None)


NO_REFUSAL = ("null", "None", "NULL", "false", "none", " ", "\n", "\u200b", "undefined", "")


@pytest.mark.parametrize("refusal", NO_REFUSAL)
def test_a_refusal_that_says_nothing_is_none(refusal: str) -> None:
    message = {"role": "assistant", "content": "Hello", "refusal": refusal}
    bodies = [of_body("openai", {"choices": [{"message": message, "finish_reason": "stop"}]})]
    pieces = ({"choices": [{"index": 0, "delta": part}]} for part in ({"content": "Hello"}, {"refusal": refusal}))
    bodies.append(of_stream("openai", events(*pieces, {"choices": [{"delta": {}, "finish_reason": "stop"}]})))
    parts = [{"type": "output_text", "text": "Hello"}, {"type": "refusal", "refusal": refusal}]
    bodies.append(of_body("responses", {"status": "completed", "output": [{"type": "message", "content": parts}]}))
    for found in bodies:
        assert found and (found.text, found.refusal, found.error) == ("Hello", None, None)
    message["refusal"] = "I cannot help with that."
    found = of_body("openai", {"choices": [{"message": message, "finish_reason": "stop"}]})
    assert found and found.refusal == "I cannot help with that."


def test_a_delta_without_words_beside_a_message_is_none() -> None:
    message = {"role": "assistant", "content": "Hello", "tool_calls": []}
    for delta in ({"role": "assistant", "content": ""}, {"content": None, "role": ""}, {"content": "Hello"}, {}):
        found = of_body("openai", {"choices": [{"message": message, "delta": delta, "finish_reason": "stop"}]})
        assert found and (found.text, found.error) == ("Hello", None)  # the first is what Perplexity sends
    for odd in ({"content": "there"}, {"refusal": "No"}, {"role": "user", "content": ""}, {"text": "x"}, "Hello", [1]):
        assert of_body("openai", {"choices": [{"message": message, "delta": odd, "finish_reason": "stop"}]}) is None


DIED = (
    *("error", "ERROR", "server_error", "timeout", "cancelled", "engine_overloaded", "abort", "network_error"),
    *("MALFORMED_RESPONSE", "failed"),
)


@FORMATS
@BOTH
@pytest.mark.parametrize("word", DIED)
def test_a_reply_that_died_is_none_whatever_was_said(wire: str, way: str, word: str) -> None:
    assert came(wire, way, "Hello", word) is None


@FORMATS
@pytest.mark.parametrize("word", ["null", "none", "", None])
def test_a_stream_whose_end_is_nothing_but_a_word_for_nothing_broke_off(wire: str, word: Any) -> None:
    assert not counts(of_stream(wire, streamed(wire, "Hello", word)))


@FORMATS
def test_nothing_said_is_a_silence_only_where_the_model_was_done(wire: str) -> None:
    done = "completed" if wire == "responses" else next(iter(OWN[wire]))
    found = of_body(wire, whole(wire, "", done))
    assert found and (found.text, found.error) == ("", None)
    for word in UNKNOWN:
        assert not counts(of_body(wire, whole(wire, "", word)))
        assert not counts(of_body(wire, whole(wire, "", word, bare=True)))
    assert not counts(of_body(wire, whole(wire, "", done, bare=True)))


# --- errors beside a reply --------------------------------------------------------------------------------------------

ERRORS = [
    {"message": "upstream timed out", "code": 504},
    "upstream timed out",
    {"code": 504},
    {"type": "overloaded_error"},
    {"status": "UNAVAILABLE"},
    {"x": {"y": ["z"]}},
    {"message": {"message": "upstream timed out"}},
    ["upstream timed out"],
    [{"message": "upstream timed out"}],
    True,
]
HARMLESS: list[Any] = [None, {}, "", False, 0, [], "null", {"message": None, "code": 0}, {"type": None}, {"code": "0"}]


@FORMATS
@pytest.mark.parametrize("place", ["top", "inner"])
@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_an_error_beside_a_whole_reply_voids_it(wire: str, place: str, error: Any) -> None:
    done = next(iter(OWN[wire]))
    errors: dict[str, Any] = {place: error}
    found = of_body(wire, whole(wire, "Hello", done, **errors))
    assert found and (found.text, found.unknown_end, found.unknown_end_text) == (None, f"{done}+error", "Hello")
    assert of_body(wire, whole(wire, "", done, **errors)) is None


@FORMATS
@pytest.mark.parametrize("error", HARMLESS, ids=repr)
def test_an_error_that_says_nothing_is_none(wire: str, error: Any) -> None:
    for place in ("top", "inner"):
        found = of_body(wire, whole(wire, "Hello", next(iter(OWN[wire])), **{place: error}))
        assert found and (found.text, found.error) == ("Hello", None)


EVENTS = [
    ("error", {"message": "upstream timed out"}),
    ("error", {"error": {"message": "upstream timed out"}}),
    ("error", "upstream timed out"),
    ("error", ""),
    ("error", {}),
    ("ERROR", {"status": "UNAVAILABLE"}),
    ("", {"error": "upstream timed out"}),
    ("", {"error": {"code": 504}}),
    ("", {"type": "error", "message": "upstream timed out"}),
    ("", {"object": "error", "message": "upstream timed out"}),
    ("", {"message": "upstream timed out", "code": 504}),
    ("", {"error_code": 18, "error_msg": "upstream timed out"}),
]


@FORMATS
@pytest.mark.parametrize("event", EVENTS, ids=repr)
def test_an_error_in_a_stream_voids_what_came_before_and_after_it(wire: str, event: Any) -> None:
    done = next(iter(OWN[wire]))
    assert not counts(of_stream(wire, streamed(wire, "Hello", done, early=[event])))
    late = of_stream(wire, streamed(wire, "Hello", done, event))
    assert not counts(late)
    if wire != "responses":  # whose last event is the whole reply
        assert late and (late.unknown_end, late.unknown_end_text) == (f"{done}+error", "Hello")


@FORMATS
@pytest.mark.parametrize(
    "beside",
    [
        {"object": "error", "message": "it died"},
        {"error_code": 18, "error_msg": "it died"},
        {"errorCode": "E18", "errorMessage": "it died"},
        {"errors": [{"message": "it died"}]},
        {"code": 504, "message": "it died"},
        {"statusCode": 500},
    ],
    ids=repr,
)
def test_an_error_may_stand_beside_a_reply_without_a_field_of_its_own(wire: str, beside: dict[str, Any]) -> None:
    found = of_body(wire, {**whole(wire, "Hello", next(iter(OWN[wire]))), **beside})
    assert found and found.text is None and found.unknown_end_text == "Hello"
    for fine in ({"error_code": 0, "error_msg": "success"}, {"code": 200, "message": "ok"}, {"code": 0, "msg": "ok"}):
        assert counts(of_body(wire, {**whole(wire, "Hello", next(iter(OWN[wire]))), **fine}))


def test_an_error_within_a_message_voids_it_too() -> None:
    body = {"choices": [{"message": {"content": "Hello", "error": {"message": "died"}}, "finish_reason": "stop"}]}
    found = of_body("openai", body)
    assert found and (found.text, found.unknown_end) == (None, "stop+error")


@FORMATS
def test_what_follows_the_end_of_a_stream_changes_nothing_however_it_is_cut(wire: str) -> None:
    done = next(iter(OWN[wire]))
    close = {"anthropic": b"", "responses": b""}.get(wire, b"data: [DONE]\n\n")
    data = streamed(wire, "Hello", done) + (close if wire == "openai" else b"")
    if wire == "gemini":
        return  # only the connection ends it
    late = events(("error", {"message": "late"}))
    for pieces in ([data + late], [data, late]):
        stream = Stream(WIRES[wire].gathering())  # type: ignore[index]
        for piece in pieces:
            stream.feed(piece)
        found = read(wire, stream.raw())
        assert found and (found.text, found.error) == ("Hello", None)


# --- several words ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("finish", "native", "stop", "unknown"),
    [
        ("stop", "STOP", "stop", None),
        ("stop", "completed", "stop", None),
        ("stop", None, "stop", None),
        ("stop", "", "stop", None),
        ("stop", "MAX_TOKENS", "length", None),
        ("stop", "PROHIBITED_CONTENT", "content_filter", None),
        ("length", "SAFETY", "content_filter", None),
        ("stop", "engine gave up", None, "engine gave up"),
        (None, "stop", None, "none"),
        ("content_filter", "who knows", None, "who knows"),
    ],
)
def test_of_two_words_the_worse_counts(finish: Any, native: Any, stop: str | None, unknown: str | None) -> None:
    for beside in ({"native_finish_reason": native}, {"provider_specific_fields": {"native_finish_reason": native}}):
        choice = {"message": {"content": "Hello"}, "finish_reason": finish, **beside}
        found = of_body("openai", {"choices": [choice]})
        assert found and (found.stop_reason, found.unknown_end) == (stop, unknown)
        piece = {"delta": {"content": "Hello"}, "finish_reason": finish, **beside}
        pieces = of_stream("openai", events({"choices": [piece]}))
        assert pieces == found if finish else pieces is None


def test_an_upstream_that_died_is_dead_whatever_the_gateway_says() -> None:
    choice = {"message": {"content": "Hello"}, "finish_reason": "stop", "native_finish_reason": "ERROR"}
    assert of_body("openai", {"choices": [choice]}) is None


@pytest.mark.parametrize("wire", ["openai", "anthropic", "gemini"])
def test_a_later_word_of_a_stream_does_not_mend_an_earlier_one(wire: str) -> None:
    done = next(iter(OWN[wire]))
    ends = {
        "openai": {"choices": [{"delta": {}, "finish_reason": "timeout"}]},
        "anthropic": {"type": "message_delta", "delta": {"stop_reason": "timeout"}},
        "gemini": {"candidates": [{"finishReason": "timeout"}]},
    }
    assert of_stream(wire, streamed(wire, "Hello", done, early=[ends[wire]])) is None
    assert of_stream(wire, streamed(wire, "Hello", done, ends[wire])) is None


def test_a_response_is_no_more_whole_than_its_messages() -> None:
    body = whole("responses", "Hello", "completed")
    body["output"][0]["status"] = "completed"
    assert counts(of_body("responses", body))
    body["output"][0]["status"] = "incomplete"
    found = of_body("responses", body)
    assert found and (found.unknown_end, found.unknown_end_text) == ("incomplete", "Hello")
    for reason in ("stop", "completed"):  # an incomplete one is whole by no word
        found = of_body("responses", {**body, "status": "incomplete", "incomplete_details": {"reason": reason}})
        assert found and found.unknown_end == reason


@pytest.mark.parametrize("reason", ["SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "MODEL_ARMOR", "JAILBREAK"])
def test_a_prompt_that_gemini_blocks_is_withheld(reason: str) -> None:
    found = of_body("gemini", {"promptFeedback": {"blockReason": reason}})
    assert found and (found.text, found.stop_reason, found.error) == ("", "content_filter", None)


@pytest.mark.parametrize(
    "reason", ["BLOCK_REASON_UNSPECIFIED", "BLOCKED_REASON_UNSPECIFIED", "quota", "null", "STOP", 7]
)
def test_a_prompt_blocked_for_a_reason_that_nobody_knows_is_not(reason: Any) -> None:
    assert not counts(of_body("gemini", {"promptFeedback": {"blockReason": reason}}))


# --- what a message holds ---------------------------------------------------------------------------------------------


def with_parts(wire: str, parts: list[Any]) -> CallResult | None:
    body = whole(wire, "", next(iter(OWN[wire])))
    if wire == "openai":
        body["choices"][0]["message"]["content"] = parts
    elif wire == "gemini":
        body["candidates"][0]["content"]["parts"] = parts
    else:
        (body["output"][0] if wire == "responses" else body)["content"] = parts
    return of_body(wire, body)


@FORMATS
def test_a_refusal_among_the_parts_is_the_refusal(wire: str) -> None:
    found = with_parts(wire, [{"type": "refusal", "refusal": "I will not."}])
    assert found and (found.text, found.refusal, found.error) == ("", "I will not.", None)


@FORMATS
def test_text_in_an_object_is_its_value_and_anything_else_is_no_reply(wire: str) -> None:
    kind = {"responses": "output_text"}.get(wire, "text")
    found = with_parts(wire, [{"type": kind, "text": {"value": "Hello", "annotations": []}}])
    assert found and found.text == "Hello"
    for text in ({"valu": "Hello"}, {"value": 5}, ["Hello"], 5, True):
        assert with_parts(wire, [{"type": kind, "text": text}]) is None
    for part in (5, ["Hello"], True):
        assert with_parts(wire, [{"type": kind, "text": "Hello"}, part]) is None
    assert with_parts(wire, [{"type": "output_audio", "data": "x"}]) is None


def test_thoughts_in_parts_of_their_own_are_words_too() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    found = with_parts("openai", [thought, {"type": "text", "text": "Hello"}])
    assert found and (found.text, found.reasoning) == ("Hello", "Hm.")


@pytest.mark.parametrize(("wire", "list_"), [("openai", "choices"), ("gemini", "candidates")])
def test_of_several_choices_the_first_by_its_number_counts(wire: str, list_: str) -> None:
    first, other = (whole(wire, text, next(iter(OWN[wire])))[list_][0] for text in ("first", "other"))
    first, other = ({name: value for name, value in one.items() if name != "index"} for one in (first, other))
    found = of_body(wire, {list_: [{**other, "index": 2}, {**first, "index": 0}]})
    assert found and found.text == "first"
    for choices in ([{**other, "index": 2}], [first, other], [{**first, "index": 0}, {**other, "index": 0}]):
        assert of_body(wire, {list_: choices}) is None


def test_a_message_that_repeats_its_deltas_is_not_said_twice() -> None:
    deltas = [{"choices": [{"index": 0, "delta": {"content": part}}]} for part in ("Hel", "lo")]
    message = {"role": "assistant", "content": "Hello"}
    for last in ({"delta": {}, "message": message}, {"message": message}):
        found = of_stream("openai", events(*deltas, {"choices": [{"index": 0, **last, "finish_reason": "stop"}]}))
        assert found and found.text == "Hello"


def test_a_function_call_without_content_is_what_a_tool_call_is() -> None:
    called: dict[str, Any] = {"tool_calls": [{"id": "1"}], "function_call": {"name": "f"}}
    for finish, what in called.items():
        found = of_body("openai", {"choices": [{"message": {finish: what}, "finish_reason": finish}]})
        assert found and (found.text, found.stop_reason) == ("", finish)


@FORMATS
def test_a_count_of_thousands_of_digits_costs_no_reply(wire: str) -> None:
    body = json.dumps({**whole(wire, "Hello", next(iter(OWN[wire]))), "usage": 0, "usageMetadata": 0})
    number = "9" * 5000
    names = '{"completion_tokens": %s, "output_tokens": %s, "candidatesTokenCount": %s}' % ((number,) * 3)
    found = read(wire, re.sub('"usage": 0|"usageMetadata": 0', lambda m: m[0][:-1] + names, body).encode())
    assert found and (found.text, found.output_tokens) == ("Hello", None)
    assert read(wire, f"{body}{body}".encode()) is None  # of two replies nobody knows which is meant


def test_half_a_character_is_marked_as_one_that_was_lost() -> None:
    raw = json.dumps(whole("openai", "Hi \ud83d there", "stop")).encode()
    found = read("openai", raw)
    assert found and found.text == "Hi \N{REPLACEMENT CHARACTER} there"


# --- what speaks against a reply -------------------------------------------------------------------------------------

FAILING = ("Error", "exception", "EXCEPTION_MESSAGE", "fault", "faultString", "upstreamFailure", "failed", "errno")
AGAINST: list[dict[str, Any]] = [
    *({name: value} for name in FAILING for value in ("it died", {"reason": "it died"}, True, 7)),
    *({name: "it died"} for name in ("detail", "Details", "message", "msg")),
    *({name: 502} for name in ("code", "status_code", "statusCode", "httpStatus")),
    *({"code": code} for code in ("502", "upstream_gone", 10013)),
    *({"success": False}, {"ok": False}, {"aborted": True}, {"interrupted": True}, {"x_groq": {"error": "it died"}}),
    {"error": {"message": ""}},
]
BESIDES: list[dict[str, Any]] = [
    *({name: value} for name in FAILING for value in (None, False, 0, "", {}, [], "null", {"code": 0})),
    *({name: value} for name in ("code", "status_code") for value in (None, 0, 200, "200", "", "ok", "Success")),
    *({name: value} for name in ("message", "msg") for value in (None, "", "OK", "success")),
    *({"success": True}, {"ok": True}, {"ok": "true"}, {"aborted": False}, {"default_model": "m"}, {"failover": "b"}),
    *({"x_groq": {"id": "r", "usage": {"queue_time": 0.1}}}, {"detail": None}, {"warnings": ["deprecated"]}),
    *({"provider": "P"}, {"timings": {"prompt_ms": 5}}, {"stats": {"stop_reason": "eosFound"}}, {"obfuscation": "x"}),
    *({"prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {"hate": {"filtered": False}}}]},),
    *({"citations": ["u"]}, {"search_results": [{"url": "u"}]}, {"kv_transfer_params": None}, {"token_ids": [1, 2]}),
    *({"prompt_logprobs": None}, {"service_tier": "default"}, {"metadata": {"weight_version": "1"}}, {"warning": "x"}),
    {"error": {"message": "", "type": "", "code": None}},  # an empty object of a server in Go
]


def places_in(wire: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    """The objects of a whole body in which a server may add a field, from the outside in."""
    if wire == "openai":
        return [body, body["choices"][0], body["choices"][0]["message"]]
    if wire == "gemini":
        return [body, body["candidates"][0], body["candidates"][0]["content"]]
    return [body, body["output"][0]] if wire == "responses" else [body, body["content"][0]]


@FORMATS
@given(field=st.sampled_from(AGAINST), place=st.integers(0, 2), early=st.booleans())
@settings(max_examples=examples(60), deadline=None)
def test_a_field_that_tells_of_a_failure_voids_a_reply_wherever_it_stands(
    wire: str, field: dict[str, Any], place: int, early: bool
) -> None:
    done = next(iter(OWN[wire]))
    for text in ("Hello", ""):
        body = whole(wire, text, done)
        places = places_in(wire, body)
        places[place % len(places)].update(field)
        assert not counts(of_body(wire, body))
        assert not counts(of_stream(wire, streamed(wire, text, done, early=[field])))


@FORMATS
@given(field=st.sampled_from(BESIDES), place=st.integers(0, 2))
@settings(max_examples=examples(60), deadline=None)
def test_a_field_that_only_its_own_server_knows_changes_nothing(wire: str, field: dict[str, Any], place: int) -> None:
    body = whole(wire, "Hello", next(iter(OWN[wire])))
    places = places_in(wire, body)
    sentence = not {"message", "msg"}.isdisjoint(field)  # which a choice and an event have of their own
    places[0 if sentence else place % len(places)].update(field)
    found = of_body(wire, body)
    assert found and (found.text, found.error) == ("Hello", None)
    if wire in ("openai", "gemini") and not sentence:
        piece = {"choices" if wire == "openai" else "candidates": [], **field}
        found = of_stream(wire, streamed(wire, "Hello", next(iter(OWN[wire])), early=[piece]))
        assert found and (found.text, found.error) == ("Hello", None)


STRAY = [
    *('{"error": {"message": "it died"}}', "<html>502 Bad Gateway</html>", "Traceback (most recent call last):"),
    *('event: exception\ndata: {"reason": "it died"}', 'event: failure\ndata: {"choices": []}', "event: x\ndata: {}"),
    *('data: {"status_code": 502}', 'data: {"code": 502}', 'data: {"exception": "it died"}'),
    'data: {"Error": {"Message": "it died"}}',
]
ASIDE = [
    ": OPENROUTER PROCESSING",
    ":",
    "id: 5",
    "retry: 100",
    "event",
    "data: ",
    'event: ping\ndata: {"type": "ping"}',
]


@FORMATS
@given(stray=st.sampled_from(STRAY), aside=st.sampled_from(ASIDE[:5]), at=st.integers(1, 2))
@settings(max_examples=examples(40), deadline=None)
def test_whatever_else_a_stream_says_makes_its_end_unknown_but_for_the_fields_of_the_standard(
    wire: str, stray: str, aside: str, at: int
) -> None:
    data = streamed(wire, "Hello", next(iter(OWN[wire]))).split(b"\n\n")
    good = b"\n\n".join([*data[:at], aside.encode(), *data[at:]])
    found = of_stream(wire, good)
    assert found and (found.text, found.error) == ("Hello", None)
    assert not counts(of_stream(wire, b"\n\n".join([*data[:at], stray.encode(), *data[at:]])))


@FORMATS
def test_an_event_that_only_keeps_the_connection_alive_says_nothing(wire: str) -> None:
    found = of_stream(wire, streamed(wire, "Hello", next(iter(OWN[wire])), early=[("ping", {"type": "ping"})]))
    assert found and (found.text, found.error) == ("Hello", None)


@FORMATS
@pytest.mark.parametrize("role", ["user", "system", "tool", "developer", 5])
def test_what_another_role_says_is_not_the_models(wire: str, role: Any) -> None:
    done = next(iter(OWN[wire]))
    for given_, counted in ((role, False), ("assistant", True), ("model", True), (None, True)):
        body = whole(wire, "Hello", done)
        (body if wire == "anthropic" else places_in(wire, body)[1 if wire == "responses" else 2])["role"] = given_
        assert counts(of_body(wire, body)) is counted


@FORMATS
def test_silence_is_an_empty_text_and_nothing_that_lacks_one(wire: str) -> None:
    kind = {"responses": "output_text"}.get(wire, "text")
    assert counts(with_parts(wire, [{"type": kind, "text": ""}]))
    bad: list[Any] = [{"type": kind, "text": None}, {"type": kind}, None, {}, {"type": "error", "message": "it died"}]
    for part in bad:
        assert with_parts(wire, [part]) is None
        assert with_parts(wire, [{"type": kind, "text": "Hello"}, part]) is None
    assert with_parts(wire, [{"type": kind, "text": "Hello", "error": {"message": "it died"}}]) is None


@FORMATS
def test_an_empty_text_of_many_tokens_is_no_silence_unless_they_were_thoughts(wire: str) -> None:
    body = whole(wire, "", next(iter(OWN[wire])))
    if wire == "gemini":
        counted: dict[str, Any] = {"usageMetadata": {"candidatesTokenCount": 20}}
        thought: dict[str, Any] = {"usageMetadata": {"candidatesTokenCount": 2, "thoughtsTokenCount": 18}}
    else:
        name = "completion_tokens" if wire == "openai" else "output_tokens"
        counted = {"usage": {name: 20}}
        thought = {"usage": {name: 20, f"{name}_details": {"reasoning_tokens": 18}}}
    assert not counts(of_body(wire, body | counted))
    assert counts(of_body(wire, body | {"usage": {"completion_tokens": 3, "output_tokens": 3}}))
    if wire == "anthropic":
        hidden = {"content": [{"type": "redacted_thinking", "data": "x"}]}
        assert counts(of_body(wire, body | counted | hidden))
    else:
        assert counts(of_body(wire, body | thought))


def chunk(finish: str | None = None, **choice: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "finish_reason": finish, **choice}]}


END = chunk("stop", delta={})
SAID = chunk(delta={"content": "Hello"})
UNREAD = [
    *(
        [chunk(text="Hello"), END],
        [chunk(delta="Hello"), END],
        [chunk("stop")],
        [chunk(delta={"role": "assistant"}), END],
    ),
    *([SAID, chunk(delta="Hello"), END], [SAID, chunk(delta={"content": ""}, text="there"), END]),
    *(
        [SAID, chunk(delta=["Hello"]), END],
        [SAID, chunk(delta={"content": 5}), END],
        [chunk(delta={"content": None}), END],
    ),
    *(
        [chunk(message="Hello"), END],
        [SAID, chunk(delta={"refusal": True}), END],
        [SAID, chunk(delta={"role": "user"}), END],
    ),
]


@pytest.mark.parametrize("pieces", UNREAD, ids=repr)
def test_a_stream_with_words_in_another_place_or_without_any_place_for_them_is_no_reply(pieces: list[Any]) -> None:
    assert of_stream("openai", events(*pieces)) is None


ELSEWHERE: list[tuple[str, dict[str, Any]]] = [
    *(("openai", {name: "there"}) for name in ("text", "content", "response", "output")),
    *(("openai", chunk(delta={"content": ""}, **{name: "there"})) for name in ("content", "output")),
    *(
        ("openai", chunk(delta={name: there}))
        for name in ("text", "value", "parts", "output", "output_text", "response", "completion")
        for there in ("there", ["there"])
    ),
    ("openai", {"choices": [{"index": 1, "delta": {"content": "there"}}]}),
    ("openai", {"choices": [{"index": 2, "delta": {"reasoning": "there"}}]}),
    ("gemini", {"candidates": [{"index": 1, "content": {"parts": [{"text": "there"}]}}]}),
    ("openai", {"choices": [{"index": "0", "delta": {"content": "there"}}]}),
    *(("gemini", {name: "there"}) for name in ("text", "content", "response", "output")),
    *(("gemini", {"candidates": [{name: "there"}]}) for name in ("text", "output", "message", "delta", "parts")),
    ("gemini", {"candidates": [{"content": "there"}]}),
    ("gemini", {"candidates": [{"content": {"parts": "there"}}]}),
    ("anthropic", {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "there"}}),
    ("anthropic", {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "x"}}),
    ("anthropic", {"type": "message_start", "message": {"content": [{"type": "text", "text": "there"}]}}),
]


@pytest.mark.parametrize(("wire", "piece"), ELSEWHERE, ids=repr)
def test_words_in_another_place_of_a_stream_are_not_left_out(wire: str, piece: dict[str, Any]) -> None:
    for text in ("Hello", ""):
        found = of_stream(wire, streamed(wire, text, next(iter(OWN[wire])), early=[piece]))
        assert not counts(found)


def test_words_in_another_place_of_a_whole_reply_are_not_left_out() -> None:
    for wire, place, name in (
        *(("openai", 1, "text"), ("openai", 1, "content"), ("openai", 2, "text"), ("responses", 0, "output_text")),
        *(("responses", 1, "text"), ("gemini", 1, "text"), ("gemini", 1, "output")),
    ):
        body = whole(wire, "", next(iter(OWN[wire])))
        places_in(wire, body)[place][name] = "there"
        assert of_body(wire, body) is None
    assert counts(of_body("responses", whole("responses", "Hello", "completed") | {"output_text": "Hello"}))


def test_a_stream_of_a_role_and_an_empty_text_is_a_silence() -> None:
    found = of_stream("openai", events(chunk(delta={"role": "assistant", "content": ""}), END))
    assert found and (found.text, found.error) == ("", None)


@pytest.mark.parametrize("delta", [{"type": "new_delta", "text": "Hello"}, {"type": "text_delta"}, {}])
def test_a_delta_of_anthropics_of_an_unknown_kind_or_without_its_text_is_no_reply(delta: Any) -> None:
    piece = {"type": "content_block_delta", "index": 0, "delta": delta}
    assert of_stream("anthropic", streamed("anthropic", "Hello", "end_turn", early=[piece])) is None


def test_text_that_stands_twice_in_a_piece_is_read_once() -> None:
    both = [chunk(delta={"role": "assistant", "content": part}, text=part) for part in ("Hel", "lo")]
    found = of_stream("openai", events(*both, chunk("stop", delta={"role": "assistant", "content": ""}, text="")))
    assert found and found.text == "Hello"  # as Together streams, which names the role in each piece too


def test_a_stream_that_begins_again_or_repeats_the_whole_is_no_reply() -> None:
    begin = chunk(delta={"role": "assistant", "content": ""})
    assert of_stream("openai", events(begin, SAID, begin, SAID, END)) is None
    parts = [chunk(delta={"content": part}) for part in ("Hel", "lo")]
    assert of_stream("openai", events(*parts, chunk("stop", delta={"content": "Hello"}))) is None
    assert counts(of_stream("openai", events(begin, SAID, SAID, END)))  # a model may say a word twice
    long = "It was a dark and stormy night."
    for wire in ("openai", "anthropic", "gemini"):
        again = streamed(wire, long, next(iter(OWN[wire]))).split(b"\n\n")
        whole_again = [part.replace(long[:15].encode(), long.encode()) for part in again if long[:15].encode() in part]
        behind = 4 if wire == "anthropic" else 2
        assert of_stream(wire, b"\n\n".join([*again[:behind], *whole_again, *again[behind:]])) is None
    item = whole("responses", "Hello", "completed")["output"][0]
    assert of_body("responses", {"status": "completed", "output": [item, item]}) is None


def test_a_response_tells_of_its_end_in_three_places_and_the_worst_counts() -> None:
    body = whole("responses", "Hello", "completed")
    for reason in ("odd", "stop", 5, {"x": 1}):
        found = of_body("responses", {**body, "incomplete_details": {"reason": reason}})
        assert found and (found.text, found.unknown_end_text) == (None, "Hello")
    found = of_body("responses", {**body, "incomplete_details": {"reason": "content_filter"}})
    assert found and found.stop_reason == "content_filter"
    for nothing in (None, {}, {"reason": None}):
        assert counts(of_body("responses", {**body, "incomplete_details": nothing}))
    body["output"][0]["status"] = "completed"
    for status in ({}, {"status": None}, {"status": ""}):
        found = of_body("responses", {"output": body["output"], **status})
        assert found and found.unknown_end == "none"
    end = {"type": "response.completed", "response": body}
    assert counts(of_stream("responses", events(end)))
    assert not counts(of_stream("responses", events(("response.failed", end))))
    assert not counts(of_stream("responses", events(("", {**end, "type": "response.failed"}))))
    begun = {"type": "response.output_text.delta", "delta": "Hello"}
    empty = {"type": "response.completed", "response": whole("responses", "", "completed")}
    assert of_stream("responses", events(begun, empty)) is None


@pytest.mark.parametrize(("details", "stop"), [({"type": "stop", "stop": "<|end|>"}, "stop"), ("max_tokens", "length")])
def test_the_details_of_a_finish_are_an_end_too(details: Any, stop: str) -> None:
    for shape, reading in (("message", of_body), ("delta", None)):
        choice = {shape: {"content": "Hello"}, "finish_reason": "stop", "finish_details": details}
        body = {"choices": [choice]}
        found = reading("openai", body) if reading else of_stream("openai", events(body))
        assert found and found.stop_reason == stop
        choice["finish_details"] = {"type": "odd"}
        found = reading("openai", body) if reading else of_stream("openai", events(body))
        assert found and found.unknown_end == "odd"


# --- how streams are written ------------------------------------------------------------------------------------------


@FORMATS
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"], ids=["LF", "CRLF", "CR"])
def test_lines_of_a_stream_end_in_each_way_of_the_standard(wire: str, end: bytes) -> None:
    data = streamed(wire, "Hello", next(iter(OWN[wire]))).replace(b"\n", end)
    for size in (1, 2, 3, len(data)):
        stream = Stream(WIRES[wire].gathering())  # type: ignore[index]
        for at in range(0, len(data), size):
            stream.feed(data[at : at + size])
        found = read(wire, stream.raw())
        assert found and found.text == "Hello"


def test_events_that_run_together_are_called_so() -> None:
    stream = Stream(WIRES["openai"].gathering())
    stream.feed(streamed("openai", "Hello", "stop").replace(b"\n\n", b"\n"))
    with pytest.raises(Exception, match="leaves out the empty lines between its events"):
        stream.raw()


# --- properties -------------------------------------------------------------------------------------------------------

LISTED = [*TABLE, *(word for words in OWN.values() for word in words), *(word for word, _ in HANDED)]
SPELLINGS: list[Callable[[str], str]] = [str, str.upper, str.title, lambda word: f"{word}!", lambda word: word[:-1]]
RANDOM_WORDS = st.one_of(
    st.none(),
    st.text(max_size=30),
    st.integers(),
    st.booleans(),
    st.lists(st.text(max_size=3), max_size=2),
    st.builds(lambda word, spell: spell(word), st.sampled_from(LISTED), st.sampled_from(SPELLINGS)),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["message", "code", "x"]), inner),
    max_leaves=4,
)
RANDOM_ERRORS = st.one_of(st.none(), st.sampled_from([*ERRORS, *HARMLESS]), JSON)
# what may end a reply, written down once more by its letters alone, from the documents
ENDS = (
    "stop endturn stopsequence stopsequencereached eos eostoken eosfound endid endoftext stopstringfound "
    "stopwords stopcriteriamet word complete completed finish finished done normal toolcalls toolcall "
    "functioncall tooluse length maxtokens maxoutputtokens maxcompletiontokens maximumtokens maxlen maxlength "
    "limit tokenlimit modellength maxcontext contextlengthexceeded contextlengthreached "
    "modelcontextwindowexceeded maxpredictedtokensreached errorlimit repetition repetitiontruncation "
    "contentfilter contentfiltered sensitive guardrailintervened blocked moderation safety recitation "
    "blocklist prohibitedcontent spii language modelarmor jailbreak errortoxic imagesafety "
    "imageprohibitedcontent imagerecitation refusal </s> <|/s|> "
    "<imend> <eos> <eot> <eotid> <end> <endoftext> <endofturn> <endofsentence> <return> "
    "<|imend|> <|eos|> <|eot|> <|eotid|> <|end|> <|endoftext|> <|endofturn|> <|endofsentence|> <|return|> "
)
ENDS_BY_LETTERS = frozenset(ENDS.split())


def is_end(word: Any) -> bool:
    """Whether a word may end a reply: a second way of telling, part by part."""
    if not isinstance(word, str) or not word.isascii():
        return False
    blanks = " _-.\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f"
    parts = ["".join(sign for sign in part.lower() if sign not in blanks) for part in word.split(":")]
    return all(ENDS_BY_LETTERS & {part, re.sub("^(finish|stop|block|blocked)?reason", "", part)} for part in parts)


def is_wrong(error: Any) -> bool:
    """Whether an error of those above says something."""
    if isinstance(error, list | dict):
        return any(map(is_wrong, error.values() if isinstance(error, dict) else error))
    return str(error).strip().lower() not in ("", "none", "null", "false", "0")


@FORMATS
@given(
    word=RANDOM_WORDS,
    text=st.sampled_from(["", "Hello", "{"]),
    top=RANDOM_ERRORS,
    inner=RANDOM_ERRORS,
    bare=st.booleans(),
)
@settings(max_examples=examples(60), deadline=None)
def test_nothing_that_is_not_on_the_list_is_ever_an_outcome(
    wire: str, word: Any, text: str, top: Any, inner: Any, bare: bool
) -> None:
    if wire in ("responses", "anthropic"):
        inner = None  # where the two are one place
    early = [("error", {"error": error}) for error in (top, inner) if is_wrong(error)]
    for result in (
        of_body(wire, whole(wire, text, word, top=top, inner=inner, bare=bare)),
        of_stream(wire, streamed(wire, text, word, early=early)),
    ):
        if counts(result):
            assert is_end(word) and not is_wrong(top) and not is_wrong(inner)
        elif result is not None:
            assert (result.text, result.refusal, result.stop_reason) == (None, None, None)
            assert result.unknown_end and len(result.unknown_end) <= 200
            assert result.error and result.error.isprintable() and len(result.error) < 600


@given(st.text(max_size=300))
@settings(max_examples=examples(80), deadline=None)
def test_a_word_is_kept_as_it_came_and_shown_in_one_line(word: str) -> None:
    end = end_of(word)
    assert end.word == (word[:200] or "none")
    assert printable_end(word).isprintable() and len(printable_end(word)) <= 60
    assert end.kind == "unknown" or is_end(word) or end.kind == "died"


def test_of_several_ends_the_order_is_that_of_how_much_speaks_against_the_reply() -> None:
    ends = [end_of(word) for word in ("stop", "length", "refusal", "who knows", "error")]
    for n in range(len(ends)):
        assert worst(ends[: n + 1]) == ends[n] == worst(reversed(ends[: n + 1]))
    assert block_of("OTHER").kind == "withheld" and end_of("OTHER").kind == "unknown" and "other" in BLOCKS


# --- what the engine does with it -------------------------------------------------------------------------------------


def asked(wire: str, *answers: Any, calls: int = 1, streams: bool = False) -> tuple[list[CallResult], int]:
    """What comes of calls to a server that answers so in turn, the last for ever, and how often it was asked."""
    served = 0

    async def handler(request: web.Request) -> web.Response:
        nonlocal served
        status, answer = answers[min(served, len(answers) - 1)]
        served += 1
        if isinstance(answer, bytes):
            kind = "text/event-stream" if streams and status < 300 else "application/json"
            return web.Response(body=answer, status=status, content_type=kind)
        return web.json_response(answer, status=status)

    async def main() -> list[CallResult]:
        app = web.Application()
        app.router.add_post("/{path:.*}", handler)
        async with server(app) as url:
            options = Connection(base_url=url, wire=wire, timeout=5, stream=streams)  # type: ignore[arg-type]
            async with HttpEngine(["x/m"], options) as engine:
                return [await engine.ask(call("x/m")) for _ in range(calls)]

    return asyncio.run(main()), served


def good(wire: str, text: str = "Hello", streams: bool = False) -> Any:
    done = next(iter(OWN[wire]))
    return streamed(wire, text, done) if streams else whole(wire, text, done)


def odd(wire: str, word: Any, text: str = "Hello", streams: bool = False) -> Any:
    return streamed(wire, text, word) if streams else whole(wire, text, word)


@FORMATS
@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("status", [201, 202, 203, 204, 205, 206, 207, 208, 226, 245, 247, 299])
def test_another_status_of_success_brings_no_reply_in_any_format(wire: str, streams: bool, status: int) -> None:
    """Not even where the body reads as a whole reply: 202 is a reply that comes later, 203 one that a proxy changed."""
    first, other, third = (good(wire, text, streams) for text in ("first", "no reply", "whole"))
    answers = (200, first), (status, other), (200, third)
    (_, found), served = asked(wire, *answers, calls=2, streams=streams)
    assert (found.text, served, found.retry_causes) == ("whole", 3, (f"status {status}",))


@FORMATS
@pytest.mark.parametrize("streams", [False, True])
def test_a_server_that_never_answers_with_a_reply_stops_the_run_and_is_named(wire: str, streams: bool) -> None:
    with pytest.raises(InputError, match=r"status 202: only with status 200 it is a whole reply.*later, or in parts"):
        asked(wire, (202, good(wire, streams=streams)), streams=streams)


@FORMATS
@pytest.mark.parametrize("streams", [False, True])
def test_a_reply_of_which_a_gateways_guardrails_complain_without_denying_it_counts(wire: str, streams: bool) -> None:
    (found,), served = asked(wire, (246, good(wire, streams=streams)), streams=streams)
    assert (found.text, found.error, served) == ("Hello", None, 1)


@FORMATS
@pytest.mark.parametrize("streams", [False, True])
def test_a_reply_with_an_unknown_end_is_asked_for_once_more(wire: str, streams: bool) -> None:
    replies = [(200, odd(wire, "strange", streams=streams)), (200, good(wire, "whole", streams))]
    [found], served = asked(wire, *replies, streams=streams)
    assert (found.text, found.error, found.attempt, found.retry_causes, served) == (
        "whole",
        None,
        2,
        ("unknown end",),
        2,
    )
    replies = [(200, odd(wire, word, f"by {word}", streams=streams)) for word in ("strange", "stranger")]
    [found], served = asked(wire, *replies, streams=streams)
    assert (found.text, found.unknown_end, found.unknown_end_text, served) == (None, "stranger", "by stranger", 2)
    assert found.error == "the reply ended with 'stranger', which is not known to end one"


@FORMATS
@pytest.mark.parametrize("streams", [False, True])
def test_a_whole_reply_with_an_error_beside_it_is_not_paid_for_eight_times(wire: str, streams: bool) -> None:
    done, error = next(iter(OWN[wire])), {"message": "no usage", "code": 500}
    if streams and wire != "responses":
        body: Any = streamed(wire, "Hello", done, ("error", error))
    else:
        body, streams = whole(wire, "Hello", done, top=error), False
    [first, found], served = asked(wire, (200, good(wire, streams=streams)), (200, body), calls=2, streams=streams)
    assert first.text == "Hello" and served == 3
    assert (found.text, found.unknown_end, found.unknown_end_text) == (None, f"{done}+error", "Hello")


@FORMATS
def test_what_came_with_an_unknown_end_is_scrubbed_and_bounded(wire: str) -> None:
    word = "x" * 180 + SECRET  # cut at 200 characters, it would show the first 20 of the key
    [found], _ = asked(wire, (200, whole(wire, f"I know {SECRET}.", word)))
    everything = msgspec.json.encode(found).decode()
    assert SECRET[:8] not in everything and found.unknown_end_text == "I know [key]."
    assert bounded(msgspec.structs.replace(found, unknown_end_text="x" * 5_000_000)).unknown_end_text is None


@pytest.mark.parametrize("status", [421, 423, 424, 425, 449, 460, 498, 499])
def test_statuses_that_pass_are_asked_again(status: int) -> None:
    [found], served = asked("openai", (status, {"error": {"message": "later"}}), (200, good("openai")))
    assert (found.text, found.retry_causes, served) == ("Hello", (f"status {status}",), 2)


@FORMATS
@pytest.mark.parametrize(
    "error",
    [
        {"error": {"code": "ThrottlingException", "message": "Rate exceeded"}},
        {"__type": "com.amazon.coral#ThrottlingException", "message": "Rate exceeded"},
        {"error": {"code": "Throttling.RateQuota", "message": "slow down"}},
        {"error": {"type": "rate_limit_error", "message": "slow down"}},
        {"error": {"code": "rate_limit_exceeded", "message": "slow down"}},
        {"error": {"code": "TooManyRequests"}},
    ],
    ids=repr,
)
def test_a_400_that_says_too_fast_passes_and_so_does_one_within_a_200(wire: str, error: Any) -> None:
    for status in (400, 200):
        [found], _ = asked(wire, (status, error), (200, good(wire)))
        if status == 200 and "__type" in error:
            continue  # a body without an error in it says nothing of a rate
        assert (found.text, found.retry_causes) == ("Hello", ("rate limit",))


@FORMATS
def test_a_429_within_a_200_slows_the_pace(wire: str, monkeypatch: pytest.MonkeyPatch) -> None:
    slowed: list[Any] = []
    monkeypatch.setattr("selfexec.engines.http.rate_limit.RateLimit.too_fast", lambda self, wait: slowed.append(wait))
    [found], _ = asked(wire, (200, {"error": {"code": 429, "message": "slow down"}}), (200, good(wire)))
    assert (found.text, found.retry_causes, slowed) == ("Hello", ("rate limit",), [None])


def test_a_budget_that_is_used_up_at_portkey_stops_the_run() -> None:
    with pytest.raises(Exception, match="the budget that was set for this key at the gateway is used up"):
        asked("openai", (200, good("openai")), (412, {"error": {"message": "Budget exhausted"}}), calls=2)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (446, {"hook_results": {}, "error": {"message": "The guardrail checks defined in the config failed."}}),
        (
            424,
            {"success": False, "error": [{"code": 2016, "message": "Prompt blocked due to security configurations"}]},
        ),
        (400, {"errors": [{"code": 2017, "message": "Response blocked due to security configurations"}]}),
        (400, {"input_guardrail": [{"flagged": True}], "finishReason": "input_guardrail_triggered"}),
    ],
)
def test_a_guardrail_that_somebody_set_up_is_named(status: int, body: Any) -> None:
    [_, found], served = asked("openai", (200, good("openai")), (status, body), calls=2)
    assert found.text is None and served == 2
    assert found.error and found.error.startswith(
        f"status {status}: a guardrail that was set up at the gateway blocked it"
    )


# --- secrets are taken out before anything is cut ---------------------------------------------------------------------

PLACES: list[Callable[[str], Any]] = [
    lambda text: {"error": {"message": text}},
    lambda text: {"error": text},
    lambda text: {"message": text},
    lambda text: {"detail": text},
    lambda text: {"error": {"code": text, "message": "no"}},
    lambda text: {"error": {"status": text, "code": "content_filter", "message": ""}},
    lambda text: {"error": {"type": text, "code": "content_filter"}},
    lambda text: {"error": {"code": "content_filter", "message": text}},
    lambda text: {"error": {"metadata": {"raw": json.dumps({"error": {"message": text, "code": "content_filter"}})}}},
    lambda text: {"error": {"message": "litellm.BadRequestError: " + json.dumps({"error": {"code": text}})}},
    lambda text: text.encode(),
]


CUTS = [100, 200, 298, 300, 4_000, 10_000]
FILLERS = ["x", "x y "]


def places_cuts_and_fillers() -> Iterator[Any]:
    """Every place, cut and filler. Quick are two of each place, with one filler each, which have each cut with both
    fillers; slow are the other pairs of a place and a cut; long is each pair with its other filler.
    """
    for place in range(len(PLACES)):
        for n, cut in enumerate(CUTS):
            quick = (place + n // 3) % 2 if n % 3 == place % 3 else None
            for k, filler in enumerate(FILLERS):
                first = k == (quick if quick is not None else (place + n) % 2)
                marks = [] if k == quick else [pytest.mark.slow] if first else [pytest.mark.long]
                yield pytest.param(place, cut, filler, marks=marks)


def test_quick_and_slow_cases_of_cut_errors_hold_every_pair() -> None:
    cases = [*places_cuts_and_fillers()]
    assert len(cases) == len(PLACES) * len(CUTS) * len(FILLERS)
    quick = [case.values for case in cases if not case.marks]
    assert {(place, filler) for place, _, filler in quick} == set(itertools.product(range(len(PLACES)), FILLERS))
    assert {(cut, filler) for _, cut, filler in quick} == set(itertools.product(CUTS, FILLERS))
    often = [case.values for case in cases if pytest.mark.long not in case.marks]
    assert {(place, cut) for place, cut, _ in often} == set(itertools.product(range(len(PLACES)), CUTS))


@pytest.mark.parametrize(("place", "cut", "filler"), [*places_cuts_and_fillers()])
def test_no_part_of_a_key_is_left_where_an_error_is_cut(place: int, cut: int, filler: str) -> None:
    shown: list[str] = []
    for before in (cut - 5, cut - 14, cut - len(SECRET) + 1):
        body = PLACES[place]((filler * cut)[: max(before, 0)] + SECRET + filler * 30)
        for status in (400, 200):
            try:
                outcomes, _ = asked("openai", (200, good("openai")), (status, body), calls=2)
                shown += [msgspec.json.encode(result).decode() for result in outcomes]
            except Exception as stopped:
                shown.append(str(stopped))
    assert shown and not any(SECRET[:5] in text for text in shown)


@pytest.mark.parametrize("status", [400, 200])
@pytest.mark.parametrize("end_of_line", [8, 16, 30])
def test_no_line_of_a_key_is_left_where_an_error_is_cut_behind_it(status: int, end_of_line: int) -> None:
    broken = f"{SECRET[:end_of_line]}\n{SECRET[end_of_line:]}"
    for before in range(298 - len(broken), 300, 4):  # an error is cut at 300 characters, between words
        body = {"error": {"message": "x y " * (before // 4) + broken + " x y" * 30}}
        with pytest.raises(Exception, match="x y") as stopped:
            asked("openai", (status, body))
        assert SECRET[:5] not in str(stopped.value)


# --- text so far with each piece -------------------------------------------------------------------------------------


def in_pieces(wire: str, pieces: Sequence[str]) -> bytes:
    """A stream whose text comes in these pieces; the format of responses says the whole at its end too."""
    if wire == "openai":
        return events(*(chunk(delta={"content": piece}) for piece in pieces), chunk("stop", delta={}))
    if wire == "gemini":
        end = {"candidates": [{"finishReason": "STOP"}]}
        return events(*({"candidates": [{"content": {"parts": [{"text": piece}]}}]} for piece in pieces), end)
    deltas = [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}} for piece in pieces
    ]
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    return events(*BEGIN, *deltas, BLOCK_END, end, {"type": "message_stop"})


@pytest.mark.parametrize("wire", ["openai", "gemini", "anthropic"])
@given(text=st.text(min_size=3, max_size=40), data=st.data())
@settings(max_examples=examples(40), deadline=None)
def test_a_stream_of_the_text_so_far_is_no_reply_however_short_it_is(wire: str, text: str, data: st.DataObject) -> None:
    cuts = data.draw(st.sets(st.integers(1, len(text) - 1), min_size=2))
    assert of_stream(wire, in_pieces(wire, [text[:cut] for cut in sorted(cuts)] + [text])) is None


@pytest.mark.parametrize("wire", ["openai", "gemini", "anthropic"])
@pytest.mark.parametrize(
    "pieces", [("A", "A"), ("no", " no"), ("ha", "haha"), ("1", "10"), ("ha", "ha", "ha"), ("x", "xy", "y"), ("", "a")]
)
def test_what_a_model_may_repeat_itself_counts(wire: str, pieces: tuple[str, ...]) -> None:
    found = of_stream(wire, in_pieces(wire, pieces))
    assert found and (found.text, found.error) == ("".join(pieces), None)
