"""Failures that stand somewhere within a reply, next to a whole text: in objects and lists that no format lists.

The replies of providers are those of their documents (`errors/replies.jsonl`); no provider was asked.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_ends import FORMATS, OWN, counts, events, of_body, of_stream, places_in, streamed, whole

from effort import examples
from selfexec.engines.http.wires.objections import objections

LINES = (Path(__file__).parents[1] / "errors" / "replies.jsonl").read_text("utf-8").splitlines()
USUAL = [json.loads(line) for line in LINES]
FAILURES: list[dict[str, Any]] = [
    *(
        {name: value}
        for name in ("error", "lastError", "exception", "upstream_failure")
        for value in ("it died", {"code": 5})
    ),
    *({name: True} for name in ("truncated", "is_partial", "partial", "degraded", "responseInterrupted", "timed_out")),
    *({name: "true"} for name in ("incomplete", "was_aborted", "upstreamDegraded", "output_truncated")),
    *({"truncated": {"at": 50}}, {"aborted": "upstream gone"}, {"stream_interrupted": 1}, {"failed": 3}),
    *({name: "failed"} for name in ("status", "state", "upstream_status", "outcome", "phase")),
    *(
        {"status": value}
        for value in ("ERROR", "timeout", "partial", "degraded", "server_error", 502, "503", ["failed"])
    ),
    *({"success": False}, {"ok": "false"}, {"status_code": 500}, {"http_code": 504}),
]
# the codes of servers for success, which the words beside them explain
WELL_SAID: list[dict[str, Any]] = [
    *({"status": {"code": code, "message": word}} for code in ("20000", 20000, "0000") for word in ("OK", "success")),
    *({"code": 20000, "message": "OK"}, {"result_info": {"code": "1000", "msg": "Success"}}),
]
NOTHING = (None, False, 0, "", {}, [], "none", "null", "false", {"code": 0}, {"message": ""})
CALM: list[dict[str, Any]] = [
    *({name: value} for name in ("error", "exception", "truncated", "partial", "failed") for value in NOTHING),
    *(
        {"status": value}
        for value in ("ok", "success", "active", "HIT", "miss", "stored", 0, 200, "200", None, "no error")
    ),
    *({"success": True}, {"ok": 1}, {"truncation": "auto"}, {"truncated": "no"}, {"partial": "disabled"}),
    *({"max_errors": 3}, {"retry_on_failure": True}, {"allow_partial": True}, {"include_errors": True}),
    *({"failed_attempts": 2}, {"attempts": [{"error": "it died", "status": 502}, {"status": 200}]}, {"default": "x"}),
    *({"message": "You use an old version."}, {"details": {"cached": 5}}, {"rejected_prediction_tokens": 3}),
    *({"vertex_ai_safety_results": [[{"category": "x", "blocked": True}]]}, {"moderation": {"rejected": True}}),
    *({"language_code": "de"}, {"code": "US"}, {"warnings": ["the answer may contain errors"]}, {"error_rate": 0}),
]
NAMES = st.sampled_from(["metadata", "upstream", "x", "usage", "provider", "meta", "info", "timings", "debug", "extra"])


def nested(names: list[str], field: dict[str, Any], listed: bool) -> dict[str, Any]:
    """A field within objects of these names, from the outside in; the innermost one may stand in a list."""
    found: Any = {"id": "x", **field}
    for n, name in enumerate(reversed(names)):
        found = {name: [found, {"id": "y"}] if listed and not n else found, "version": 1}
    return dict(found)


def piece_of(wire: str, field: dict[str, Any]) -> dict[str, Any]:
    """A piece of a stream with this field and nothing else to say."""
    form: dict[str, dict[str, Any]] = {
        "openai": {"choices": []},
        "gemini": {"candidates": []},
        "anthropic": {"type": "ping"},
        "responses": {"type": "response.in_progress", "response": {"id": "r", "status": "in_progress"}},
    }
    return {**form[wire], **field}


def both_ways(wire: str, field: dict[str, Any], place: int, text: str = "Hello") -> list[bool]:
    """Whether a reply with this field counts: in one piece, where it stands in one of its objects, and in a stream."""
    done = next(iter(OWN[wire]))
    body = whole(wire, text, done)
    places = places_in(wire, body)
    places[place % len(places)].update(field)
    return [
        counts(of_body(wire, body)),
        counts(of_stream(wire, streamed(wire, text, done, early=[piece_of(wire, field)]))),
    ]


@FORMATS
@given(
    field=st.sampled_from(FAILURES),
    names=st.lists(NAMES, min_size=1, max_size=5),
    place=st.integers(0, 2),
    listed=st.booleans(),
    text=st.sampled_from(["Hello", ""]),
)
@settings(max_examples=examples(80), deadline=None)
def test_a_failure_voids_a_reply_however_deep_it_stands(
    wire: str, field: dict[str, Any], names: list[str], place: int, listed: bool, text: str
) -> None:
    assert both_ways(wire, nested(names, field, listed), place, text) == [False, False]


@FORMATS
@given(
    field=st.sampled_from(CALM),
    names=st.lists(NAMES, min_size=1, max_size=5),
    place=st.integers(0, 2),
    listed=st.booleans(),
)
@settings(max_examples=examples(80), deadline=None)
def test_what_says_nothing_of_a_failure_changes_nothing_however_deep_it_stands(
    wire: str, field: dict[str, Any], names: list[str], place: int, listed: bool
) -> None:
    assert both_ways(wire, nested(names, field, listed), place) == [True, True]


@FORMATS
@pytest.mark.parametrize(
    "field", [{"truncated": True}, {"isPartial": "true"}, {"degraded": "upstream"}, {"state": "failed"}]
)
def test_an_invented_flag_voids_a_reply_at_its_outermost_place_too(wire: str, field: dict[str, Any]) -> None:
    for place in range(3):
        assert both_ways(wire, field, place) == [False, False]


def test_a_failure_that_a_later_piece_takes_back_was_one() -> None:
    bad, good = {"metadata": {"error": "it died"}}, {"metadata": {"error": None}}
    for wire in OWN:
        data = streamed(wire, "Hello", next(iter(OWN[wire])), early=[piece_of(wire, bad), piece_of(wire, good)])
        assert not counts(of_stream(wire, data))
    for flag, later in (({"truncated": True}, {"truncated": False}), (bad, good)):
        pieces: dict[str, list[Any]] = {
            "gemini": [
                {"candidates": [{"content": {"parts": [{"text": "Hello"}]}, **flag}]},
                {"candidates": [{"finishReason": "STOP", **later}]},
            ],
            "openai": [
                {"choices": [{"delta": {"content": "Hello"}, **flag}]},
                {"choices": [{"delta": {}, "finish_reason": "stop", **later}]},
            ],
        }
        for wire, parts in pieces.items():
            assert not counts(of_stream(wire, events(*parts)))


@pytest.mark.parametrize("case", USUAL, ids=[case["name"] for case in USUAL])
def test_replies_as_providers_document_them_count(case: Any) -> None:
    found = of_body(case["wire"], case["body"])
    assert found and (found.text, found.error) == ("Hello", None)


@pytest.mark.parametrize("case", USUAL, ids=[case["name"] for case in USUAL])
@given(data=st.data())
@settings(max_examples=examples(15), deadline=None)
def test_replies_as_providers_document_them_do_not_with_a_failure_anywhere(case: Any, data: st.DataObject) -> None:
    body = json.loads(json.dumps(case["body"]))
    within = [place for place in containers(body) if place is not body]
    data.draw(st.sampled_from(within)).update(data.draw(st.sampled_from(FAILURES)))
    assert not counts(of_body(case["wire"], body))


# whose words are the model's, a web page's, a schema's or of single tokens; items of tools; choices of earlier attempts
NOT_LOOKED_AT = {
    *("logprobs", "prompt_logprobs", "logprobsResult", "annotations", "reasoning_details", "thinking_blocks", "text"),
    *("search_results", "citationMetadata", "groundingMetadata", "urlContextMetadata", "tools", "input", "attempts"),
    *(
        "content_filter",
        "content_filter_results",
        "prompt_filter_results",
        "safetyRatings",
        "modelAttempts",
        "providerAttempts",
        "delta",
    ),
    *("output",),
}


def containers(value: Any) -> list[dict[str, Any]]:
    """The objects of a body in which a server says how the reply fared."""
    if isinstance(value, list):
        return [place for part in value for place in containers(part)]
    if not isinstance(value, dict):
        return []
    inner = [containers(part) for name, part in value.items() if name not in NOT_LOOKED_AT]
    tool = str(value.get("type")).endswith(("tool_use", "tool_result")) or "error_code" in value
    return ([] if tool else [value]) + [place for places in inner for place in places]


WRITTEN_ANYWHERE = {"status": "failed", "error": "it died", "truncated": True, "success": False}


def test_what_the_model_wrote_never_speaks_against_its_reply() -> None:
    call: dict[str, Any] = {"role": "assistant", "content": "Hello"}
    for field in (
        {"tool_calls": [{"id": "1", "function": {"name": "f", "arguments": json.dumps(WRITTEN_ANYWHERE)}}]},
        {"parsed": WRITTEN_ANYWHERE},
        {"content": json.dumps(WRITTEN_ANYWHERE)},
        {"reasoning_details": [WRITTEN_ANYWHERE]},
    ):
        assert counts(of_body("openai", {"choices": [{"message": {**call, **field}, "finish_reason": "stop"}]}))
        assert counts(of_stream("openai", events({"choices": [{"delta": {**call, **field}, "finish_reason": "stop"}]})))
    parts = [{"functionCall": {"name": "f", "args": WRITTEN_ANYWHERE}}, {"text": "Hello"}]
    assert counts(of_body("gemini", {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}))
    tool = {"type": "tool_use", "id": "1", "name": "f", "input": WRITTEN_ANYWHERE}
    assert counts(
        of_body("anthropic", {"content": [{"type": "text", "text": "Hello"}, tool], "stop_reason": "tool_use"})
    )


def test_of_attempts_the_last_one_counts() -> None:
    for last, counted in (({"status": 200}, True), ({"status": 502}, False), ({"success": False}, False)):
        body = {**whole("openai", "Hello", "stop"), "route": {"attempts": [{"status": 429}, last]}}
        assert counts(of_body("openai", body)) is counted


def test_where_a_failure_stands_is_said() -> None:
    body = {**whole("openai", "Hello", "stop"), "metadata": {"upstream": [{"error": {"message": "it died"}}]}}
    found = of_body("openai", body)
    assert (
        found
        and found.error == "the reply ended with 'stop', and an error came with it: metadata.upstream.error: it died"
    )


def test_a_body_of_very_many_objects_is_looked_at_whole_and_a_very_deep_one_too() -> None:
    deep: dict[str, Any] = {"error": "it died"}
    for _ in range(5_000):
        deep = {"x": [deep]}
    assert objections({"metadata": deep})
    assert objections({"metadata": [*({"id": n} for n in range(200_000)), {"error": "it died"}]})


# --- flags, states and ends that say that a reply is not all there ----------------------------------------------------

NOT_WELL: list[dict[str, Any]] = [
    *({name: value} for name in ("isSuccess", "success", "was_successful", "ok") for value in (False, 0, "no", "0")),
    *({name: value} for name in ("complete", "is_finished", "final") for value in (False, "0", "no", "false")),
    *({"state": value} for value in ("RUNNING", "pending", "still processing", "Queued")),
    *({"metadata": {"completion": {"complete": False}}}, {"usage": {"total": 5, "complete": False}}),
]
WELL: list[dict[str, Any]] = [
    *({name: value} for name in ("isSuccess", "success", "ok", "complete") for value in (True, 1, "yes", None)),
    *(
        {"state": value}
        for value in ("done", "COMPLETED", "Bavaria", "", None, "in the running for a prize of some sort")
    ),
    *({"metadata": {"worker_state": "running"}}, {"metadata": {"state": "running"}}, {"issuccess_rate": 0}),
    *({"moderation": {"completed": False}}, {"metadata": {"completed": 0}}, {"tasks": [{"done": False}]}),
]


def outermost(wire: str, field: dict[str, Any]) -> bool:
    return counts(of_body(wire, {**whole(wire, "Hello", next(iter(OWN[wire]))), **field}))


@FORMATS
def test_a_flag_or_a_state_that_says_that_a_reply_is_not_all_there_voids_it(wire: str) -> None:
    for field in NOT_WELL:
        assert not outermost(wire, field), field
    for field in WELL:
        assert outermost(wire, field), field


@FORMATS
@given(
    names=st.lists(st.sampled_from(["upstream", "raw", "generation", "extra", "gateway"]), min_size=1, max_size=3),
    end=st.sampled_from(["finish_reason", "finishReason", "stop_reason"]),
    word=st.sampled_from([("length", "length"), ("MAX_TOKENS", "length"), ("content_filter", "content_filter")]),
    listed=st.booleans(),
)
@settings(max_examples=examples(25), deadline=None)
def test_an_end_that_a_gateway_hands_on_within_an_object_counts_if_it_is_worse(
    wire: str, names: list[str], end: str, word: tuple[str, str], listed: bool
) -> None:
    body = whole(wire, "Hello", next(iter(OWN[wire])))
    for given_word, stop in (word, ("stop", "stop"), ("###", "stop")):
        field = nested(names, {end: given_word}, listed=False)
        found = of_body(wire, body | field)
        assert found and (found.text, found.stop_reason) == ("Hello", stop)
    attempts = nested(names, {"attempts": [{end: word[0]}, {end: "stop"}]}, listed=False)
    found = of_body(wire, body | attempts)
    assert found and found.stop_reason == "stop"


@pytest.mark.parametrize("name", ["type", "event", "reason"])
def test_a_piece_of_a_stream_that_says_that_it_was_broken_off_voids_it(name: str) -> None:
    for word, counted in (("abort", False), ("timeout", False), ("upstream_failure", False), ("ping", True)):
        data = streamed("openai", "Hello", "stop", {name: word})
        assert counts(of_stream("openai", data)) is counted
    for word, counted in (("abort", False), ("timeout", False), ("ping", True), ("new_kind", True)):
        data = streamed("anthropic", "Hello", "end_turn", early=[{"type": word}])
        assert counts(of_stream("anthropic", data)) is counted


def test_a_message_that_was_done_before_it_was_complete_voids_a_completed_response() -> None:
    for status, counted in (("incomplete", False), ("in_progress", False), ("completed", True), (None, True)):
        item = {**whole("responses", "Hello", "completed")["output"][0], "status": status}
        done = {"type": "response.output_item.done", "output_index": 0, "item": item}
        assert counts(of_stream("responses", streamed("responses", "Hello", "completed", early=[done]))) is counted
        if status == "incomplete":  # as it is where the whole response is
            cut = of_stream("responses", streamed("responses", "Hello", "max_output_tokens", early=[done]))
            assert cut and cut.stop_reason == "length"


@pytest.mark.parametrize("field", WELL_SAID)
def test_a_code_beside_the_words_that_all_went_well_is_no_failure(field: dict[str, Any]) -> None:
    assert not objections(field)


@pytest.mark.parametrize("code", [503, "429", "ERROR"])
def test_the_status_of_an_error_is_one_whatever_stands_beside_it(code: Any) -> None:
    assert objections({"status": {"code": code, "message": "OK"}})
    assert objections({"status": {"code": "20000", "message": "queue is full"}})
