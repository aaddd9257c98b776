"""What else says that a reply was withheld, cut, torn or not asked for; and what looks like it and says nothing."""

import json
from typing import Any

import pytest
from multidict import CIMultiDict
from test_ends import FORMATS, HERE, OWN, counts, events, of_body, of_stream, places_in, streamed, whole
from test_failures_within import piece_of

from selfexec.engines.http.bodies import decoded
from selfexec.engines.http.providers import Endpoint
from selfexec.engines.http.response_headers import failure_header
from selfexec.engines.http.wires import WIRES

RAILS = {"type": "input", "name": "self check input", "decisions": ["refuse to respond"], "stop": True}
WELL = {"type": "input", "decisions": ["execute self_check_input"], "stop": False}
WITHHELD: list[dict[str, Any]] = [
    {"guardrails_data": {"log": {"activated_rails": [WELL, RAILS]}}},
    {"x_higress_guardrail": {"denyCode": 200, "blockedDetails": [{"level": "high"}]}},
    {"output_guardrail": [{"flagged": True}]},
    {"moderation": {"flagged": True, "action": "replaced"}},
    {"filtered": True},
    {"content_filter_results": {"hate": {"filtered": True, "severity": "high"}}},
]
LET_THROUGH: list[dict[str, Any]] = [
    {"guardrails_data": {"log": {"activated_rails": [WELL]}}},
    {"x_higress_guardrail": {"denyCode": 0, "blockedDetails": []}},
    {"output_guardrail": [{"flagged": False}]},
    {"input_guardrail": {"flagged": True, "action": "warn"}},
    {"guardrail": {"denied_topics": ["war"], "block_threshold": 0.5}},
    {"moderation": {"flagged": True, "scores": {"hate": 0.9}}},
    {"moderation": {"flagged": False, "action": "allow"}},
    {"filtered": False},
    {"retrieval": {"filtered": True}},
    {"content_filter_results": {"hate": {"filtered": False}, "code": {"filtered": False, "detected": True}}},
]


def stops(wire: str, field: dict[str, Any]) -> set[Any]:
    """How a reply with this field in each of its objects ended, and one with it in a piece of a stream."""
    done, found = next(iter(OWN[wire])), []
    for place in range(2 if wire in ("openai", "gemini") else 1):
        body = whole(wire, "Hello", done)
        places_in(wire, body)[place].update(field)
        found.append(of_body(wire, body))
    if wire != "responses" or "filtered" not in str(field):
        found.append(of_stream(wire, streamed(wire, "Hello", done, early=[piece_of(wire, field)])))
    return {result and result.stop_reason for result in found}


@FORMATS
@pytest.mark.parametrize("field", WITHHELD, ids=repr)
def test_a_denial_of_a_guardrail_or_filter_withholds_a_reply(wire: str, field: dict[str, Any]) -> None:
    assert stops(wire, field) == {"content_filter"}


@FORMATS
@pytest.mark.parametrize("field", LET_THROUGH, ids=repr)
def test_a_guardrail_that_denied_nothing_withholds_nothing(wire: str, field: dict[str, Any]) -> None:
    assert stops(wire, field) == {"stop"}


@FORMATS
def test_a_second_word_for_the_end_may_stand_one_object_deeper(wire: str) -> None:
    body = whole(wire, "Hello", next(iter(OWN[wire])))
    assert not counts(of_body(wire, {**body, "meta_info": {"finish_reason": {"type": "abort"}}}))
    refused = of_body(wire, {**body, "stop_details": {"type": "refusal", "category": "cyber"}})
    assert refused and refused.stop_reason == "refusal"
    for calm in ({"meta_info": {"finish_reason": {"type": "stop", "matched": 2}}}, {"stop_details": None}):
        assert counts(of_body(wire, {**body, **calm}))


@FORMATS
def test_a_text_that_begins_or_ends_with_half_a_character_was_torn(wire: str) -> None:
    done = next(iter(OWN[wire]))
    for text, is_kept in (("\ude00 Hello", False), ("Hello \ud83d", False), ("Hi \ud83d there", True)):
        assert counts(of_body(wire, whole(wire, text, done))) == is_kept
        assert counts(of_stream(wire, streamed(wire, text, done))) == is_kept
    assert not counts(of_body(wire, whole(wire, "Hello \N{REPLACEMENT CHARACTER}", done)))
    assert counts(of_body(wire, whole(wire, "Hel\N{REPLACEMENT CHARACTER}lo", done)))


@FORMATS
def test_thoughts_without_an_answer_are_no_answer(wire: str) -> None:
    done = next(iter(OWN[wire]))
    for text, is_kept in (
        ("analysisWe need five words. Maybe sky.", False),
        ("analysisWe need five words.assistantfinalsky", True),
        ("analysis of it: five words", True),
        ("analysisResult", True),
        ("<think>The user wants me to answer, so I should", False),
        ("\n<thinking>Hm. <b>Sky</b>", False),
        ("<think>Hm.</think>Sky", True),
        ("In HTML <think> is no tag", True),
        ("<thinker>Sky", True),
    ):
        assert counts(of_body(wire, whole(wire, text, done))) == is_kept
        assert counts(of_stream(wire, streamed(wire, text, done))) == is_kept


def test_code_that_nobody_asked_gemini_to_run_is_no_answer_of_its_own() -> None:
    body = whole("gemini", "Hello", "STOP")
    body["candidates"][0]["content"]["parts"].append({"executableCode": {"language": "PYTHON", "code": "print(1)"}})
    for asked, is_kept in (({}, False), ({"tools": [{"codeExecution": {}}]}, True)):
        sent = json.dumps({"contents": [{"parts": [{"text": "Hi"}]}], **asked}).encode()
        found = decoded(Endpoint("m", HERE, "gemini", "x"), WIRES["gemini"], json.dumps(body).encode(), sent)
        assert counts(found) == is_kept


def test_geminis_pieces_may_come_as_a_list_which_has_to_be_whole() -> None:
    pieces = [{"candidates": [{"content": {"parts": [{"text": text}]}}]} for text in ("Hel", "lo")]
    pieces[-1]["candidates"][0]["finishReason"] = "STOP"
    found = of_stream("gemini", json.dumps(pieces).encode())
    assert found and (found.text, found.stop_reason) == ("Hello", "stop")
    assert of_stream("gemini", json.dumps(pieces).encode()[:-1]) is None
    assert of_stream("gemini", json.dumps(pieces[:1]).encode()) is None
    assert of_stream("openai", json.dumps([whole("openai", "Hello", "stop")]).encode()) is None
    assert events() == b""


HALF = ("Upstream timed out; a partial response was returned", "response truncated: upstream closed")
WHOLE = (
    "the answer may contain errors",
    "The response may be truncated.",
    "this model is deprecated",
    "no partial reply",
)


@FORMATS
def test_a_warning_that_half_a_reply_came_voids_it_wherever_it_stands(wire: str) -> None:
    for said, is_kept in (*((text, False) for text in HALF), *((text, True) for text in WHOLE)):
        for field in ({"warning": said}, {"meta": {"warnings": [said]}}, {"warnings": [{"message": said}]}):
            assert [counts(found) for found in two_ways(wire, field)] == [is_kept] * 2, field
        if not is_kept:
            assert failure_header(CIMultiDict({"Warning": f'199 - "{said}"'}))
            assert failure_header(CIMultiDict({"X-Upstream-Warning": said}))
        else:
            assert failure_header(CIMultiDict({"Warning": f'199 - "{said}"'})) is None


def two_ways(wire: str, field: dict[str, Any]) -> list[Any]:
    done = next(iter(OWN[wire]))
    in_pieces = streamed(wire, "Hello", done, early=[piece_of(wire, field)])
    return [of_body(wire, {**whole(wire, "Hello", done), **field}), of_stream(wire, in_pieces)]


@FORMATS
def test_a_comment_of_a_stream_may_tell_of_an_error(wire: str) -> None:
    plain = streamed(wire, "Hello", next(iter(OWN[wire])))
    for comment in (
        ": error: upstream reset",
        ":ERROR",
        ": response truncated",
        ": upstream timeout, closing",
        ": upstream connection failed",
        ": stream aborted",
        ": the connection to the provider was lost",
        ": upstream_disconnected",
    ):
        assert not counts(of_stream(wire, f"{comment}\n\n".encode() + plain))
    for comment in (
        ": OPENROUTER PROCESSING",
        ": PING",
        ":",
        ": no error",
        ": keep-alive",
        ": keepalive, timeout in a minute",
        ": timeout=60",
        ": timeout 60s",
        ": ping to prevent timeout",
        ": connected",
        ": queued, position 3",
        ": in progress",
        ": stream closed",
    ):
        assert counts(of_stream(wire, f"{comment}\n\n".encode() + plain))


@FORMATS
def test_the_last_of_several_attempts_has_to_be_of_the_model_that_was_asked(wire: str) -> None:
    def routed(*models: str) -> dict[str, Any]:
        attempts = [{"modelId": model, "success": model == models[-1]} for model in models]
        return {"providerMetadata": {"gateway": {"routing": {"modelAttempts": attempts}}}}

    assert [counts(found) for found in two_ways(wire, routed("m", "other/x"))] == [False, False]
    for models in (("m",), ("m", "m"), ()):
        assert [counts(found) for found in two_ways(wire, routed(*models))] == [True, True]
    assert failure_header(CIMultiDict({"X-Model-Fallback": "gpt-4o-mini"}))
    for value in ("false", "none", "0", "", "enabled"):
        assert failure_header(CIMultiDict({"X-Model-Fallback": value})) is None
