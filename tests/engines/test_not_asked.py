"""A response that says what it is a reply to is one to what was asked, or none; of several ends the worst counts."""

import json
from typing import Any

import pytest
from test_ends import FORMATS, OWN, asked, events, of_body, of_stream, short_pauses, whole

from selfexec.engines.http.wires import WIRES, Stream
from selfexec.engines.http.wires.echoes import not_asked

__all__ = ["short_pauses"]
Streams = pytest.mark.parametrize("streams", [False, True])
SENT = {"model": "m", "input": [], "temperature": 0.7, "instructions": "Be  brief.", "reasoning": {"effort": "low"}}


@pytest.mark.parametrize(
    "echoed",
    [
        {"previous_response_id": "resp_1"},
        {"conversation": {"id": "conv_1"}},
        {"conversation": "conv_1"},
        {"instructions": "You are a pirate."},
        {"instructions": [{"role": "developer", "content": "You are a pirate."}]},
        {"tools": [{"type": "web_search"}]},
        {"temperature": 1.0},
        {"temperature": 0},
        {"reasoning": {"effort": "high"}},
        {"prompt": {"id": "pmpt_1", "version": "2"}},
        {"text": {"format": {"type": "json_schema", "name": "x", "schema": {}}}},
        {"response_format": {"type": "json_object"}},
        {"tool_choice": "required"},
        {"tool_choice": {"type": "function", "name": "f"}},
        {"stop": ["\n"]},
    ],
)
def test_a_response_to_other_settings_is_none_to_ours(echoed: dict[str, Any]) -> None:
    assert not_asked(SENT, echoed)
    assert not_asked(SENT, {**SENT, **echoed})


@pytest.mark.parametrize(
    "echoed",
    [
        {},
        SENT,
        {"previous_response_id": None, "conversation": None, "tools": [], "instructions": None, "temperature": None},
        {"temperature": 0.699999988079071, "instructions": "Be brief.\n"},  # a float of 32 bits
        {"top_p": 0.95, "max_output_tokens": 100, "truncation": "disabled", "reasoning": {"effort": None}},
        {"reasoning": {"effort": "LOW", "summary": "auto"}},
        # what OpenAI sends of settings that were not sent, with the defaults of its documents
        {
            **{"background": False, "frequency_penalty": 0.0, "max_output_tokens": None, "max_tool_calls": None},
            **{"parallel_tool_calls": True, "presence_penalty": 0.0, "prompt": None, "prompt_cache_key": None},
            **{"service_tier": "default", "store": True, "tool_choice": "auto", "tools": [], "top_logprobs": 0},
            **{"text": {"format": {"type": "text"}, "verbosity": "medium"}, "truncation": "disabled", "user": None},
            **{"metadata": {}, "safety_identifier": None, "prompt_cache_retention": None, "billing": {"payer": "x"}},
        },
        # what vLLM sends: its own defaults, and what is left of its context
        {"max_output_tokens": 130_000, "top_p": 0.8, "top_k": 20, "tool_choice": "auto", "service_tier": "auto"},
        {"prompt": "Hello?", "text": "Hello", "tool_choice": "none", "stop": [], "logit_bias": {}},
    ],
)
def test_what_a_response_leaves_out_or_fills_in_says_nothing(echoed: dict[str, Any]) -> None:
    assert not_asked(SENT, echoed) is None


SETTINGS: dict[str, tuple[Any, Any]] = {
    "temperature": (0.5, 0.6),
    "top_p": (0.9, 1.0),
    "max_output_tokens": (100, 16),
    "top_logprobs": (5, 2),
    "frequency_penalty": (0.5, 0.1),
    "instructions": ("Be brief.", "Be long."),
    "tool_choice": ("none", "auto"),
    "truncation": ("disabled", "auto"),
    "reasoning": ({"effort": "low"}, {"effort": "high"}),
    "text": ({"format": {"type": "json_object"}}, {"format": {"type": "text"}}),
    "prompt": ({"id": "pmpt_1"}, {"id": "pmpt_2"}),
    "previous_response_id": ("resp_1", "resp_2"),
    "user": ("me", "somebody"),
    "parallel_tool_calls": (False, True),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_each_setting_that_was_sent_comes_back_as_it_was_sent_or_not_at_all(name: str) -> None:
    sent, other = SETTINGS[name]
    asked_for = {"model": "m", "input": [], name: sent}
    for given in ({}, {name: None}, {name: sent}):
        assert not_asked(asked_for, {"model": "m-2", "store": True, **given}) is None
    assert name in str(not_asked(asked_for, {name: other}))


def test_what_a_server_completes_of_a_setting_is_no_other_one() -> None:
    form = {"type": "json_schema", "name": "x", "schema": {"type": "object"}}
    completed = {**form, "strict": True, "schema": {"type": "object", "additionalProperties": False}}
    assert not_asked({"text": {"format": form}}, {"text": {"format": completed}}) is None
    assert not_asked({"text": {"format": form}}, {"text": {"format": {**completed, "name": "y"}}})
    # OpenAI sorts tools and completes them
    assert (
        not_asked({"tools": [{"type": "b"}, {"type": "a"}]}, {"tools": [{"type": "a", "x": 1}, {"type": "b"}]}) is None
    )
    assert (
        not_asked({"reasoning": {"summary": "auto"}}, {"reasoning": {"effort": "medium", "summary": "detailed"}})
        is None
    )
    assert not_asked({"top_logprobs": 5, "include": ["x"], "service_tier": "flex"}, {"top_logprobs": 0}) is None
    given = [{"role": "developer", "content": "Be brief."}]
    assert not_asked({"instructions": "Be brief."}, {"instructions": given}) is None


def test_a_setting_that_only_the_beginning_of_a_stream_repeats_counts_too() -> None:
    begin = {"type": "response.created", "response": {"instructions": "You are a pirate.", "temperature": 0.7}}
    end = {"type": "response.completed", "response": whole("responses", "Hello", "completed")}
    delta = {"type": "response.output_text.delta", "delta": "Hello"}
    stream = Stream(WIRES["responses"].gathering())
    stream.feed(events(begin, delta, end))
    assert not_asked({"instructions": "Be brief."}, json.loads(stream.raw()))
    assert not_asked({"instructions": "You are a pirate.", "temperature": 0.7}, json.loads(stream.raw())) is None


def test_an_earlier_response_that_was_sent_may_come_back() -> None:
    sent = {"previous_response_id": "resp_1", "conversation": "conv_1", "tools": [{"type": "web_search"}]}
    assert not_asked(sent, {**sent, "conversation": {"id": "conv_1"}}) is None
    assert not_asked(sent, {"previous_response_id": "resp_2"})


@Streams
def test_such_a_response_is_missing_with_the_reason_and_is_not_paid_for_eight_times(streams: bool) -> None:
    good = whole("responses", "Hello", "completed")
    bad = {**good, "previous_response_id": "resp_of_another_session"}
    bodies = [events({"type": "response.completed", "response": one}) if streams else one for one in (good, bad)]
    [first, found], served = asked("responses", *((200, body) for body in bodies), calls=2, streams=streams)
    assert (first.text, served) == ("Hello", 1 + 2)
    assert found.text is None and found.error and "previous_response_id" in found.error


# --- several messages ------------------------------------------------------------------------------------------------


def message(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}], **more}


def response(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"status": "completed", "output": list(messages)}


def both_ways(*messages: dict[str, Any]) -> list[Any]:
    """What is read of a response with these messages: whole, in pieces, and where only the items have them."""
    body = response(*messages)
    texts = [part["text"] for one in messages for part in one["content"]]
    deltas = [{"type": "response.output_text.delta", "delta": text} for text in texts]
    items = [
        {"type": "response.output_item.done", "output_index": n, "item": item} for n, item in enumerate(body["output"])
    ]
    return [
        of_body("responses", body),
        of_stream("responses", events(*deltas, {"type": "response.completed", "response": body})),
        of_stream(
            "responses",
            events(*deltas, *items, {"type": "response.completed", "response": {"status": "completed", "output": []}}),
        ),
    ]


def test_commentary_is_not_the_answer() -> None:
    comment = message("I will think about it.", phase="commentary")
    for found in both_ways(comment, message('{"choice": "B"}', phase="final_answer")):
        assert found and (found.text, found.error) == ('{"choice": "B"}', None)
    assert both_ways(comment) == [None, None, None]
    assert both_ways(message("Hello", phase="rehearsal")) == [None, None, None]


def test_two_messages_are_apart() -> None:
    for found in both_ways(message("The answer is A"), message("Because of the rain.")):
        assert found and (found.text, found.error) == ("The answer is A\n\nBecause of the rain.", None)


# --- words that contradict each other --------------------------------------------------------------------------------


def with_other_end(wire: str, name: str, word: str) -> Any:
    body = whole(wire, "Hello", next(iter(OWN[wire])))
    place = {"openai": "choices", "responses": "output", "gemini": "candidates"}.get(wire)
    (body[place][0] if place else body)[name] = word
    return body


@FORMATS
@pytest.mark.parametrize("name", ["stop_reason", "stopReason", "done_reason", "completion_reason", "end_reason"])
@pytest.mark.parametrize("word", ["abort", "error", "timeout", "server_error", "cancelled"])
def test_a_second_end_that_tells_of_a_failure_counts_whatever_stands_beside_it(wire: str, name: str, word: str) -> None:
    found = of_body(wire, with_other_end(wire, name, word))
    assert found is None or found.error is not None


@FORMATS
def test_a_second_end_that_says_the_same_or_is_no_words_for_an_end_changes_nothing(wire: str) -> None:
    for name, word in (("stopReason", "stop"), ("done_reason", "stop"), ("finish_sequence", "abort")):
        found = of_body(wire, with_other_end(wire, name, word))
        assert found and (found.text, found.error) == ("Hello", None)


@Streams
def test_where_chat_completions_have_two_words_the_worse_counts_and_a_string_that_stopped_it_is_none(
    streams: bool,
) -> None:
    for word, stop in (
        ("length", "length"),
        ("max_tokens", "length"),
        ("###", "stop"),
        (128009, "stop"),
        (None, "stop"),
    ):
        end = {"index": 0, "finish_reason": "stop", "stop_reason": word}
        if streams:
            piece = {"choices": [{"index": 0, "delta": {"content": "Hello"}}]}
            found = of_stream("openai", events(piece, {"choices": [{**end, "delta": {}}]}))
        else:
            body = {"choices": [{**end, "message": {"role": "assistant", "content": "Hello"}}]}
            found = of_body("openai", body)
        assert found and (found.text, found.stop_reason, found.error) == ("Hello", stop, None)


# --- numbers that are none -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1e308, -1, -0.5, 1e12])
def test_an_absurd_cost_is_unknown(number: float) -> None:
    body = whole("openai", "Hello", "stop") | {"usage": {"cost": number, "completion_tokens": -5}}
    found = of_body("openai", json.loads(json.dumps(body)))
    assert found and (found.text, found.cost_usd, found.output_tokens) == ("Hello", None, None)


@FORMATS
def test_an_absurd_count_of_tokens_is_unknown(wire: str) -> None:
    for count in (-1, 10**9, 2**63, 1.5e300):
        usage = {"completion_tokens": count, "output_tokens": count}
        body = whole(wire, "Hello", next(iter(OWN[wire])))
        body |= {"usage": usage} if wire != "gemini" else {"usageMetadata": {"candidatesTokenCount": count}}
        found = of_body(wire, body)
        assert found and (found.text, found.output_tokens) == ("Hello", None)


@pytest.mark.parametrize(("limit", "end"), [(64, "length"), (65, "stop"), (None, "stop"), ("64", "stop")])
def test_a_response_with_as_many_tokens_as_the_limit_that_it_repeats_was_cut_there(limit: Any, end: str) -> None:
    body = whole("responses", "Hello", "completed") | {"max_output_tokens": limit}
    body["usage"] = {"input_tokens": 3, "output_tokens": 64, "total_tokens": 67}
    assert of_body("responses", body).stop_reason == end
