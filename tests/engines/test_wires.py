"""What each wire format sends, and what it makes of a body that comes back, field by field."""

from typing import Any

import pytest

from selfexec.engines.base import CallResult
from selfexec.engines.http.providers import endpoint
from selfexec.engines.http.wires import LONGEST_NAME, WIRES, UnusableReply
from selfexec.experiments import Message
from sockets import completion


def result(wire: str, body: Any) -> CallResult:
    return WIRES[wire].result(body)


def changed(**usage: Any) -> dict[str, Any]:
    body = completion()
    body["usage"] |= usage
    return body


# --- OpenAI ----------------------------------------------------------------------------------------------------------


def test_a_chat_completion_is_kept_field_by_field() -> None:
    body = changed(cost=0.25) | {"id": "c-1", "provider": "P", "simulated": True}
    found = result("openai", body)
    assert found == CallResult(
        text="Hi",
        output_tokens=5,
        stop_reason="stop",
        input_tokens=3,
        reasoning_tokens=2,
        served_model="m-2026-01-01",
        fingerprint="fp",
        cost_usd=0.25,
        completion_id="c-1",
        upstream="P",
        simulated=True,
    )


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (0, 0),
        (10**8 - 1, 10**8 - 1),
        (10**8, None),
        (2**31, None),
        (-1, None),
        (True, None),
        ("5", None),
        (5.0, None),
        (None, None),
    ],
)
def test_a_count_is_a_whole_number_that_can_be_one(given: Any, kept: int | None) -> None:
    assert result("openai", changed(completion_tokens=given)).output_tokens == kept


@pytest.mark.parametrize(
    ("given", "kept"), [(0, 0.0), (2, 2.0), (-0.1, None), (float("inf"), None), (float("nan"), None), (True, None)]
)
def test_a_cost_is_a_number_from_zero_on(given: Any, kept: float | None) -> None:
    assert result("openai", changed(cost=given)).cost_usd == kept


def test_a_name_is_no_page_of_text() -> None:
    assert result("openai", completion() | {"id": "x" * LONGEST_NAME}).completion_id == "x" * 200
    assert result("openai", completion() | {"id": "x" * 201}).completion_id is None
    assert result("openai", completion() | {"id": ""}).completion_id is None
    assert result("openai", completion() | {"usage": "none", "id": 5}).completion_id is None


def test_thoughts_are_kept_apart_wherever_a_server_puts_them() -> None:
    def kept(text: Any, **message: Any) -> tuple[str | None, str | None]:
        found = result("openai", completion(text, **message))
        return found.text, found.reasoning

    assert kept("<think>Well.</think>\nA") == ("A", "Well.")
    assert kept(" <reasoning></reasoning>A") == ("A", None)
    assert kept("<think>So.</think>A", reasoning_content="Well. ") == ("A", "Well. So.")
    assert kept("A </b>", reasoning="Hm.") == ("A </b>", "Hm.")
    assert kept("A", reasoning_content="One.", reasoning="Two.") == ("A", "One.")
    assert kept("A", reasoning_content=5) == ("A", None)
    parts = [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "text", "text": "A"},
        "B",
        {"text": "C"},
        {"type": "reference", "reference_ids": [1]},
    ]
    assert kept(parts) == ("ABC", "Hm.")
    with pytest.raises(UnusableReply, match="a part that is not known, 'x'"):
        kept([*parts, {"type": "x", "text": "D"}])
    with pytest.raises(UnusableReply, match="neither text nor an object"):
        kept([*parts, 5])
    with pytest.raises(UnusableReply, match="unknown shape"):
        kept({"text": "A"})


@pytest.mark.parametrize(("finish", "kept"), [("max_tokens", "length"), ("SAFETY", "content_filter"), ("eos", "stop")])
def test_finish_reasons_of_gateways_are_those_of_the_format(finish: str, kept: str) -> None:
    assert result("openai", completion(finish=finish)).stop_reason == kept


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"choices": []}, "no choices"),
        ({"choices": ["x"]}, "no choices"),
        ({"error": {"message": "went wrong"}}, "went wrong"),
        (completion(finish="abort"), "it broke off, it ended with 'abort'$"),
        (
            {"choices": [{"message": {"content": "A"}, "finish_reason": "abort", "error": {"message": "it died"}}]},
            "it broke off, it ended with 'abort': it died$",
        ),
        (completion(None), "its message holds no content"),
        ({"choices": [{"text": "Hi", "finish_reason": "stop"}]}, "it has 'text' in place of a message"),
        ({"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]}, "it has 'delta' in place of a message"),
    ],
)
def test_what_is_no_reply_says_why(body: dict[str, Any], why: str) -> None:
    with pytest.raises(UnusableReply, match=why):
        result("openai", body)


def test_an_error_beside_a_text_voids_it_and_in_place_of_one_it_is_no_reply() -> None:
    error = {"error": {"message": "went wrong"}}
    found = result("openai", completion("A") | error)
    assert (found.text, found.unknown_end, found.unknown_end_text) == (None, "stop+error", "A")
    assert found.error == "the reply ended with 'stop', and an error came with it: went wrong"
    for body in (completion("") | error, completion("", error={"message": "went wrong"})):
        with pytest.raises(UnusableReply, match=r"^went wrong$"):
            result("openai", body)


def test_nothing_said_is_a_reply_where_the_model_was_done_cut_off_or_withheld() -> None:
    assert result("openai", completion("", finish="stop")).text == ""
    assert result("openai", completion(None, finish="length")).stop_reason == "length"
    assert result("openai", completion(None, finish="content_filter")).stop_reason == "content_filter"
    assert result("openai", completion("", finish="x") | {"output_sensitive": True}).stop_reason == "content_filter"
    assert result("openai", completion("", finish="x") | {"input_sensitive": True}).stop_reason == "content_filter"
    assert result("openai", completion("A") | {"output_sensitive": True}).stop_reason == "stop"
    assert result("openai", completion(None, refusal="No.")).refusal == "No."
    assert result("openai", completion(None, finish="tool_calls", tool_calls=[{"id": "1"}])).text == ""


# --- Responses --------------------------------------------------------------------------------------------------------


def response(*parts: Any, status: str = "completed", **fields: Any) -> dict[str, Any]:
    message = {"type": "message", "role": "assistant", "content": list(parts)}
    return {"id": "r", "model": "m", "status": status, "output": [message] if parts else [], **fields}


def said(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": []}


def test_a_response_is_kept_field_by_field() -> None:
    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "In short."}]}
    body = response(said("H"), said("i"), reasoning={"effort": "low"}, provider="P", simulated=True)
    body["output"].insert(0, thought)
    body["usage"] = {"input_tokens": 3, "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 2}, "cost": 1}
    assert result("responses", body) == CallResult(
        text="Hi",
        output_tokens=5,
        stop_reason="stop",
        input_tokens=3,
        reasoning_tokens=2,
        reasoning="In short.",
        served_model="m",
        cost_usd=1.0,
        completion_id="r",
        upstream="P",
        effort="low",
        simulated=True,
    )
    # thoughts themselves, where a server shows them, and not what it says of them
    thought["content"] = [{"type": "reasoning_text", "text": "Hm."}]
    assert result("responses", body).reasoning == "Hm."
    assert result("responses", response(said("<think>Hm.</think>Hi"))).text == "Hi"


def test_what_a_response_did_not_complete_has_the_reason_as_other_formats_say_it() -> None:
    def stop(reason: Any) -> str | None:
        body = response(said("H"), status="incomplete", incomplete_details={"reason": reason})
        found = result("responses", body)
        return found.stop_reason or found.unknown_end

    assert (stop("max_output_tokens"), stop("content_filter")) == ("length", "content_filter")
    assert (stop("the moon"), stop(None)) == ("the moon", "incomplete")
    # used up before the first word, or withheld: no text, and a reply all the same
    for reason in ("max_output_tokens", "content_filter"):
        body = response(status="incomplete", incomplete_details={"reason": reason})
        assert result("responses", body).text == ""
    assert result("responses", response({"type": "refusal", "refusal": "No."})).refusal == "No."
    assert result("responses", response(said(""))).text == ""


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"id": "r"}, "no output"),
        (response(), "its message holds no content, and it ended with 'completed'"),
        (response(said("half"), status="in_progress"), "it ended with 'in_progress'"),
        (response(said("half"), status="cancelled"), "it ended with 'cancelled'"),
        (response(said("half"), status="failed", error={"code": "server_error", "message": "it died"}), "it died"),
        (response(said("half"), status="failed", error=None), "it ended with 'failed'$"),
        ({"error": {"message": "went wrong"}}, "went wrong"),
        ({"choices": [{"message": {"content": "Hi"}}]}, "no output"),
    ],
)
def test_what_is_no_response_says_why(body: dict[str, Any], why: str) -> None:
    with pytest.raises(UnusableReply, match=why):
        result("responses", body)


def test_what_is_asked_of_the_responses_api_is_kept_nowhere_whatever_the_settings_say() -> None:
    where = endpoint("any/m", "https://x.example/v1", wire="responses")
    sampling = {"max_tokens": 9, "temperature": 0, "system": "Be brief.", "store": True}
    assert WIRES["responses"].body(where, (Message("user", "Hi"), Message("assistant", "Ho")), sampling) == {
        "model": "m",
        "input": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}],
        "max_output_tokens": 9,
        "temperature": 0,
        "instructions": "Be brief.",
        "store": False,
    }
    assert WIRES["responses"].url(where) == "https://x.example/v1/responses"


# --- Anthropic and Gemini --------------------------------------------------------------------------------------------


def test_an_anthropic_message_is_kept_field_by_field() -> None:
    content = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Hi"}]
    body = {"content": content, "stop_reason": "end_turn", "model": "m", "id": "i"}
    body["usage"] = {"input_tokens": 3, "output_tokens": 5}
    kept = CallResult("Hi", 5, "stop", input_tokens=3, reasoning="Hm.", served_model="m", completion_id="i")
    assert result("anthropic", body) == kept
    assert result("anthropic", {**body, "content": [], "stop_reason": "refusal"}).stop_reason == "refusal"
    assert result("anthropic", {**body, "content": content[:1]}).text == ""
    for part, text in ((content[1:], "Hi"), ([], None)):
        found = result("anthropic", {**body, "content": part, "stop_reason": "pause_turn"})
        assert (found.text, found.unknown_end, found.unknown_end_text) == (None, "pause_turn", text)
    with pytest.raises(UnusableReply, match="no content"):
        result("anthropic", {"type": "message"})
    # what a cache of prompts took or gave was read as well: 3 + 4 + 5
    cached = {"cache_creation_input_tokens": 4, "cache_read_input_tokens": 5, "cache_x_input_tokens": 6}
    assert result("anthropic", {**body, "usage": body["usage"] | cached}).input_tokens == 12


def gemini(parts: list[Any], finish: str = "STOP", **usage: int) -> dict[str, Any]:
    candidate = {"content": {"parts": parts}, "finishReason": finish}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m", "responseId": "i"}


def test_a_gemini_reply_is_kept_field_by_field() -> None:
    parts = [{"text": "Hm.", "thought": True}, {"text": "H"}, {"text": "i"}]
    found = result("gemini", gemini(parts, promptTokenCount=3, candidatesTokenCount=5, thoughtsTokenCount=2))
    counted = {"output_tokens": 7, "input_tokens": 3, "reasoning_tokens": 2}
    assert found == CallResult(
        "Hi", stop_reason="stop", reasoning="Hm.", served_model="m", completion_id="i", **counted
    )
    # what it cost is the answer and the thoughts, as far as they were counted
    assert result("gemini", gemini(parts, candidatesTokenCount=5)).output_tokens == 5
    assert result("gemini", gemini(parts, thoughtsTokenCount=2)).output_tokens == 2
    assert result("gemini", gemini(parts)).output_tokens is None


def test_what_gemini_withheld_is_told_from_what_it_failed_to_make() -> None:
    assert result("gemini", gemini([], "SAFETY")).stop_reason == "content_filter"
    assert result("gemini", {"promptFeedback": {"blockReason": "OTHER"}}).stop_reason == "content_filter"
    assert result("gemini", gemini([{"text": "Hi"}], "OTHER")).unknown_end_text == "Hi"
    assert result("gemini", gemini([], "MAX_TOKENS")).stop_reason == "length"
    assert result("gemini", gemini([], "OTHER")).unknown_end == "OTHER"
    with pytest.raises(UnusableReply, match="no candidates"):
        result("gemini", {"candidates": []})
