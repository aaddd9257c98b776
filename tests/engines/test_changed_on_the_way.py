"""Replies that were changed on the way, are one part of several, or answer another question: none of them is scored.

And what looks alike and says nothing of this reply: counts, settings, and what is done about failures.
"""

import base64
import hashlib
import json
from typing import Any

import pytest
from multidict import CIMultiDict
from test_ends import FORMATS, OWN, counts, events, of_body, of_stream, places_in, short_pauses, streamed, whole
from test_failures_within import both_ways, outermost, piece_of
from test_something_else import HERE, PROMPT, answered, good, sent

from selfexec.engines.http.bodies import RetryableError, decoded
from selfexec.engines.http.providers import Endpoint
from selfexec.engines.http.response_headers import failure_header, wrong_digest
from selfexec.engines.http.wires import WIRES, Stream

__all__ = ["short_pauses"]

CHANGED = ("redacted", "is_masked", "textTransformed", "content_rewritten", "wasSanitized", "mock", "stubbed_response")
STOOD_IN = ("placeholder", "fallback", "fallback_used", "from_fallback", "is_fallback", "mocked")


@FORMATS
@pytest.mark.parametrize("name", CHANGED + STOOD_IN)
def test_a_text_that_was_changed_or_stands_in_for_one_is_no_reply_wherever_that_is_said(wire: str, name: str) -> None:
    for place in range(3):
        for value in (True, "true", 1):
            assert both_ways(wire, {name: value}, place) == [False, False]
        for value in (False, None, "no", 0, "", "auto"):
            assert both_ways(wire, {name: value}, place) == [True, True]
    hooks = {"after_request_hooks": [{"verdict": True, "checks": [{"id": "pii", name: True}]}]}
    assert both_ways(wire, {"hook_results": hooks}, 0) == [False, False]


@FORMATS
def test_what_else_may_be_changed_or_stand_in_is_not_the_reply(wire: str) -> None:
    for field in (
        *({"logging": {"redacted": True}}, {"routing": {"config": {"fallback": True}}}, {"use_fallback": True}),
        *({"allow_fallback": True}, {"last_modified": "2026-01-01"}, {"api_key_masked": True}, {"mock_server": "off"}),
        *({"pii": {"redacted": 0}}, {"replaced_tokens": 5}, {"fallbacks": ["a/b"]}, {"translated_from": "de"}),
    ):
        assert both_ways(wire, field, 0) == [True, True], field


@FORMATS
def test_a_guardrail_that_changed_a_text_has_intervened(wire: str) -> None:
    for action in ("REDACT", "masked", "ANONYMIZED", "rewrite"):
        found = of_body(wire, {**whole(wire, "Hello", next(iter(OWN[wire]))), "guardrail": {"action": action}})
        assert found and found.stop_reason == "content_filter"
    for action in ("NONE", "allow", "", None):
        found = of_body(wire, {**whole(wire, "Hello", next(iter(OWN[wire]))), "guardrail": {"action": action}})
        assert found and found.stop_reason == "stop"


def test_a_header_says_that_a_text_was_changed_unless_its_encoding_is_what_changed() -> None:
    for name in ("X-PII-Redacted", "X-Transformed", "X-Content-Modified", "X-Mock-Response", "X-Placeholder"):
        assert all(failure_header(CIMultiDict({name: value})) for value in ("true", "1", "yes"))
        assert not any(failure_header(CIMultiDict({name: value})) for value in ("false", "0", "", "none"))
    warned = CIMultiDict({"Warning": '214 proxy "Transformation Applied"'})
    assert failure_header(warned) == 'warning: 214 proxy "Transformation Applied"'
    assert failure_header(CIMultiDict({**warned, "Content-Encoding": "gzip"})) is None
    assert failure_header(CIMultiDict({"Warning": '299 - "port 214 is old"', "Last-Modified": "1"})) is None


# --- digests ---------------------------------------------------------------------------------------------------------


def in_base_64(digest: bytes) -> str:
    return base64.b64encode(digest).decode()


def digests_of(raw: bytes) -> dict[str, str]:
    sha = in_base_64(hashlib.sha256(raw).digest())
    return {
        "Content-MD5": in_base_64(hashlib.md5(raw).digest()),
        "Content-Digest": f"sha-256=:{sha}:",
        "Repr-Digest": f"sha-512=:{in_base_64(hashlib.sha512(raw).digest())}:",
        "Digest": f"SHA-256={sha},md5={hashlib.md5(raw).hexdigest()}",
    }


def test_a_digest_is_that_of_the_body_and_one_that_cannot_be_compared_says_nothing() -> None:
    for name, value in digests_of(b"Hello").items():
        assert wrong_digest(CIMultiDict({name: value}), b"Hello") is None
        assert wrong_digest(CIMultiDict({name: value}), b"Hello!") == name.lower()
        assert wrong_digest(CIMultiDict({name: value, "Content-Encoding": "br"}), b"Hello!") is None
        for other in ("", "x", "sha-256=:AAAA:", "crc32c=AAAAAA==", "md5=?", "sha-999=:AAAA:"):
            assert wrong_digest(CIMultiDict({name: other}), b"Hello") is None


@FORMATS
def test_a_body_with_another_digest_than_its_own_is_no_reply(wire: str) -> None:
    raw = json.dumps(good(wire)).encode()
    assert counts(answered(wire, digests_of(raw)))
    found = answered(wire, {"Content-Digest": digests_of(raw + b" ")["Content-Digest"]})
    assert found.text is None and "content-digest" in (found.error or "") and "2 attempts" in (found.error or "")


# --- one part of several ----------------------------------------------------------------------------------------------

PARTIAL: list[dict[str, Any]] = [
    *({"has_more": True}, {"hasMore": "true"}, {"more": True}, {"next_page_token": "abc"}, {"nextCursor": "x"}),
    *({"next": "https://example.org/?page=2"}, {"continuation_token": "x"}, {"next_page": 2}),
    *({"page": 1, "total_pages": 3}, {"part": 2, "parts": 3}, {"chunk_index": 0, "total_chunks": 2}),
    {"page_number": 0, "page_count": 2},
]
COMPLETE: list[dict[str, Any]] = [
    *({"has_more": False}, {"more": None}, {"next_page_token": ""}, {"nextCursor": None}, {"next": None}),
    *({"page": 3, "total_pages": 3}, {"part": 1, "parts": 1}, {"chunk_index": 1, "total_chunks": 2}, {"page": 0}),
    *({"page_index": 0, "page_count": 1}, {"total_pages": 9}, {"search": {"has_more": True}}, {"next_steps": "x"}),
    *({"chunk": 7}, {"parts": [{"id": 1}]}, {"learn_more": True}, {"token": {"next": "x"}}),
]


@FORMATS
@pytest.mark.parametrize("field", PARTIAL, ids=repr)
def test_one_part_of_several_is_no_reply(wire: str, field: dict[str, Any]) -> None:
    assert not outermost(wire, field)
    for place in range(1 if wire == "anthropic" else 2):
        body = whole(wire, "Hello", next(iter(OWN[wire])))
        places_in(wire, body)[place].update(field)
        assert not counts(of_body(wire, body))


@FORMATS
@pytest.mark.parametrize("field", COMPLETE, ids=repr)
def test_the_last_of_several_parts_and_pages_of_something_else_change_nothing(wire: str, field: dict[str, Any]) -> None:
    assert both_ways(wire, field, 0) == [True, True]


@FORMATS
def test_of_the_pieces_of_a_stream_the_last_one_says_whether_more_follows(wire: str) -> None:
    done = next(iter(OWN[wire]))
    more, last = {"has_more": True, "chunk": 1, "chunks": 2}, {"has_more": False, "chunk": 2, "chunks": 2}
    for fields, counted in (([more, last], True), ([last, more], False), ([more], False)):
        early = [piece_of(wire, field) for field in fields]
        assert counts(of_stream(wire, streamed(wire, "Hello", done, early=early))) is counted


def test_a_header_says_that_more_follows() -> None:
    for name, value in (("X-Has-More", "true"), ("X-Next-Page", "2"), ("Link", '</v1?page=2>; rel="prev next"')):
        assert failure_header(CIMultiDict({name: value})) == f"{name.lower()}: {value}"
    for name, value in (("X-Has-More", "false"), ("X-Next-Page", ""), ("Link", '</next>; rel="preload"')):
        assert failure_header(CIMultiDict({name: value})) is None


@pytest.mark.parametrize("event", ["content_block_delta", "content_block_stop", "message_delta", "message_stop"])
def test_a_piece_of_anthropics_that_is_not_complete_leaves_its_message_so(event: str) -> None:
    lines = streamed("anthropic", "Hello", "end_turn").decode().split("\n\n")[:-1]
    pieces = [json.loads(line.rpartition("data: ")[2]) for line in lines]
    for value in (False, True):
        for within in (None, "delta"):
            marked = [_marked(piece, within, value) if piece["type"] == event else piece for piece in pieces]
            is_marked = marked != pieces
            assert counts(of_stream("anthropic", events(*marked))) is (value or not is_marked)


def _marked(piece: dict[str, Any], within: str | None, complete: bool) -> dict[str, Any]:
    if within is None:
        return piece | {"complete": complete}
    return piece | {within: piece[within] | {"complete": complete}} if within in piece else piece


# --- another question -------------------------------------------------------------------------------------------------

NAMES = ("question", "query", "echo", "user_query", "original_question", "last_user_message", "matched_query")


def echoes_as(wire: str, field: dict[str, Any]) -> list[bool]:
    """Whether a reply with a field counts that repeats what was asked: in one piece, and in a stream."""
    where = Endpoint("m", HERE, wire, "x")  # type: ignore[arg-type]
    stream = Stream(WIRES[wire].gathering())  # type: ignore[index]
    stream.feed(streamed(wire, "Hello", next(iter(OWN[wire])), early=[piece_of(wire, field)]))
    found = []
    for raw in (json.dumps(good(wire) | field).encode(), stream.raw()):
        found.append(True)
        try:
            assert counts(decoded(where, WIRES[wire], raw, json.dumps(sent(wire)).encode()))  # type: ignore[index]
        except RetryableError as fault:
            found[-1] = "it repeats another prompt" not in str(fault)
    return found


@FORMATS
@pytest.mark.parametrize("name", NAMES)
def test_a_question_that_comes_back_under_any_name_is_the_one_that_was_asked(wire: str, name: str) -> None:
    asked, other = PROMPT, PROMPT.replace("bake bread", "grow beans")
    half = len(asked) // 2
    for same in (asked, asked.upper(), asked[:20], f"{asked[:half]}...{asked[half + 3 :]}", "OK", "", None, True):
        assert echoes_as(wire, {name: same}) == [True, True], same
        assert echoes_as(wire, {"metadata": {name: same}}) == [True, True]
    assert echoes_as(wire, {name: other}) == echoes_as(wire, {"metadata": {name: other}}) == [False, False]


@FORMATS
def test_a_history_that_comes_back_holds_what_was_asked(wire: str) -> None:
    for text, counted in ((PROMPT, True), ("How do I grow beans in May?", False)):
        turns = [{"role": "user", "content": text}, {"role": "assistant", "content": "Hello"}]
        assert echoes_as(wire, {"history": turns}) == [counted, counted]


@FORMATS
def test_what_a_server_asked_others_is_not_what_it_was_asked(wire: str) -> None:
    other = "How do I grow beans in May?"
    for field in (
        *({"search_query": other}, {"web_search": {"query": other}}, {"tool_results": {"question": other}}),
        *({"follow_up_question": other}, {"related_questions": [other]}, {"request_id": other}, {"query_time": other}),
    ):
        assert echoes_as(wire, field) == [True, True], field


# --- what says nothing of this reply ----------------------------------------------------------------------------------


@FORMATS
def test_a_count_is_no_flag(wire: str) -> None:
    for field in (
        *({"speculative": {"rejected": 5, "accepted": 20}}, {"speculative": {"rejected": 1, "accepted": 0}}),
        *(
            {"hooks": {"success": 0, "failed": 0}},
            {"draft": {"tokens": 9, "dropped": 3}},
            {"jobs": {"ok": 0, "ill": 0}},
        ),
    ):
        assert both_ways(wire, field, 0) == [True, True], field
    for field in (
        *({"upstream": {"success": 0}}, {"upstream": {"rejected": 1}}, {"upstream": {"id": "a", "success": 0}}),
        *(
            {"upstream": {"status": 502, "ms": 9}},
            {"upstream": {"errors": 2, "ok": 1}},
            {"upstream": {"truncated": 1}},
            {"usage_of": {"stream_interrupted": 1, "tokens": 5}},
            {"upstream": {"is_success": 0, "ms": 5}},
        ),
    ):
        assert both_ways(wire, field, 0) == [False, False], field


@FORMATS
def test_how_failures_are_dealt_with_and_how_many_came_before_is_no_failure(wire: str) -> None:
    for field in (
        *({"error_budget": 0.9}, {"fault_tolerance": "high"}, {"failure_mode": "open"}, {"error_handler": "default"}),
        *({"fault_injection": "off"}, {"errorCorrection": True}, {"previous_errors": 1}, {"failed_attempts": 2}),
        *({"max_errors": 3}, {"retry_on_failure": True}, {"ignore_errors": True}),
    ):
        for place in range(3):
            assert both_ways(wire, field, place) == [True, True], field
    for field in (
        {"error_code": "E7"},
        {"error_upstream": True},
        {"failure_reason": "x"},
        {"fallback_error": {"a": "b"}},
    ):
        assert both_ways(wire, field, 0) == [False, False], field


@FORMATS
def test_headers_of_what_is_done_about_failures_say_of_none(wire: str) -> None:
    headers = {"X-Failure-Mode": "open", "X-Error-Handler": "default", "X-Previous-Errors": "1"}
    headers |= {"X-Error-Page": "/500.html", "X-Cache-Status": "UPDATING, MISS", "X-Fault-Injection": "off"}
    assert counts(answered(wire, headers))


def test_an_event_of_another_name_space_is_passed_over_in_the_responses_format_unless_words_come_with_it() -> None:
    limits = {"type": "codex.rate_limits", "rate_limits": {"allowed": True, "limit_reached": False}}
    for event, counted in (
        *((limits, True), (limits | {"delta": "lost"}, False), (limits | {"error": "it died"}, False)),
        *(({"type": "codex.failed"}, False), ({"type": "codex.timeout"}, False), ({"type": "message"}, False)),
    ):
        data = streamed("responses", "Hello", "completed", early=[event])
        assert counts(of_stream("responses", data)) is counted, event


# --- ends -------------------------------------------------------------------------------------------------------------

TOKENS = (
    "<|END_OF_TURN_TOKEN|>",
    "\u2039\uff5cend\u2581of\u2581sentence\uff5c>",
    "<\uff5cend\u2581of\u2581sentence\uff5c>",
)


@FORMATS
@pytest.mark.parametrize("token", [*TOKENS, "\uff1c|im_end|\uff1e", "\u27e8end_of_turn\u27e9"])
def test_a_token_that_ends_a_turn_does_so_in_any_brackets_and_spelling(wire: str, token: str) -> None:
    if wire != "responses":  # which gives a reason only where it is incomplete
        found = of_body(wire, whole(wire, "Hello", token))
        assert found and (found.text, found.stop_reason) == ("Hello", "stop")
    for text, counted in ((f"Hello{token}", True), (f"Hello{token}\n", True), (f"Hello{token} And?", False)):
        assert counts(of_body(wire, whole(wire, text, next(iter(OWN[wire]))))) is counted
    for other in ("<|tool_call|>", "\u2039b\u203a", "a < b | c > d"):
        assert counts(of_body(wire, whole(wire, f"Hello {other} you", next(iter(OWN[wire])))))


@FORMATS
def test_as_many_tokens_as_any_format_puts_around_no_words_are_a_silence_and_more_are_none(wire: str) -> None:
    # five: <think>, a blank line, </think>, a blank line, the end of the turn
    counted = {"openai": ("usage", "completion_tokens"), "gemini": ("usageMetadata", "candidatesTokenCount")}
    usage, name = counted.get(wire, ("usage", "output_tokens"))
    for tokens, is_silence in ((0, True), (1, True), (5, True), (6, False)):
        found = of_body(wire, {**whole(wire, "", next(iter(OWN[wire]))), usage: {name: tokens}})
        assert (found is not None and found.error is None) is is_silence
