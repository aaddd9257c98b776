"""A call of a tool that was not sent, and a stop at a string that was not sent, are no ends of a model's answer."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_ends import BEGIN, BLOCK_END, FORMATS, OWN, events, of_stream, streamed, whole

from effort import examples
from selfexec.engines import CallResult
from selfexec.engines.http.bodies import RetryableError, decoded
from selfexec.engines.http.providers import Endpoint
from selfexec.engines.http.wires import WIRES, Stream
from selfexec.experiments import messages_of

HERE = "http://127.0.0.1:1/v1"
TOOLS: dict[str, dict[str, Any]] = {
    "openai": {"tools": [{"type": "function", "function": {"name": "look"}}]},
    "responses": {"tools": [{"type": "function", "name": "look"}]},
    "anthropic": {"tools": [{"name": "look", "input_schema": {}}]},
    "gemini": {"tools": [{"functionDeclarations": [{"name": "look"}]}]},
}


def answer(wire: str, body: Any, **sent: Any) -> CallResult:
    """What a body says as the reply to a request with these settings."""
    where = Endpoint("m", HERE, wire, "x")  # type: ignore[arg-type]
    asked = {**WIRES[where.wire].body(where, messages_of("Who?"), {}), **sent}
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return decoded(where, WIRES[where.wire], raw, json.dumps(asked).encode())


def in_pieces(wire: str, data: bytes) -> bytes:
    stream = Stream(WIRES[wire].gathering())  # type: ignore[index]
    stream.feed(data)
    return stream.raw()


def with_call(wire: str, text: str, kind: str) -> list[dict[str, Any]]:
    """Whole replies that call a tool next to this text, by a call, by the word for their end, and by both."""
    done = next(iter(OWN[wire]))
    body, bare = whole(wire, text, done), whole(wire, text, done)
    if wire == "openai":
        call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        body["choices"][0]["message"] |= (
            {"function_call": call["function"]} if kind == "old" else {"tool_calls": [call]}
        )
        bare["choices"][0]["finish_reason"] = "function_call" if kind == "old" else "tool_calls"
        return [body, bare, {"choices": [{**body["choices"][0], "finish_reason": "tool_calls"}]}]
    if wire == "responses":
        item = "mcp_approval_request" if kind == "old" else "function_call"
        body["output"].append({"type": item, "id": "c", "name": "look", "arguments": "{}"})
        return [body]
    if wire == "anthropic":
        body["content"].append({"type": "tool_use", "id": "c", "name": "look", "input": {}})
        return [body, bare | {"stop_reason": "tool_use"}, body | {"stop_reason": "tool_use"}]
    body["candidates"][0]["content"]["parts"].append({"functionCall": {"name": "look", "args": {}}})
    return [body]


@FORMATS
@pytest.mark.parametrize("text", ["", "Let me look."])
@pytest.mark.parametrize("kind", ["new", "old"])
def test_a_reply_that_calls_a_tool_which_was_not_sent_has_an_unknown_end(wire: str, text: str, kind: str) -> None:
    for body in with_call(wire, text, kind):
        found = answer(wire, body)
        assert found.text is None and found.unknown_end and found.unknown_end_text == (text or None)
        found = answer(wire, body, **TOOLS[wire])
        assert (found.text, found.error) == (text, None)


def test_a_call_that_came_in_a_stream_is_one_too() -> None:
    call = {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "look", "arguments": "{}"}}]}
    use = {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t", "name": "look"}}
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    for wire, data in (
        ("openai", streamed("openai", "Hello", "stop", early=[{"choices": [{"index": 0, "delta": call}]}])),
        ("anthropic", events(*BEGIN, BLOCK_END, use, {**BLOCK_END, "index": 1}, end, {"type": "message_stop"})),
    ):
        assert answer(wire, in_pieces(wire, data)).unknown_end
        assert answer(wire, in_pieces(wire, data), **TOOLS[wire]).error is None


@FORMATS
def test_what_a_servers_own_tools_did_is_no_call(wire: str) -> None:
    body = whole(wire, "Hello", next(iter(OWN[wire])))
    parts = {
        "responses": lambda: body["output"].insert(0, {"type": "web_search_call", "status": "completed"}),
        "anthropic": lambda: body["content"].insert(0, {"type": "server_tool_use", "name": "web_search", "id": "s"}),
        "gemini": lambda: body["candidates"][0]["content"]["parts"].insert(0, {"executableCode": {"code": "1"}}),
        "openai": lambda: body["choices"][0]["message"].update(tool_calls=[], function_call=None),
    }
    parts[wire]()
    assert answer(wire, body).text == "Hello"


# --- strings at which it stopped --------------------------------------------------------------------------------------

STRINGS = st.sampled_from(["\nUser:", "\n\nHuman:", "###", "five", "Question", "User: ", "[END]"])
TOKENS = st.sampled_from(["<|im_end|>", "</s>", "<end_of_turn>", "<|eot_id|>", "<|END_OF_TURN_TOKEN|>", "<｜User｜>"])


def stopped(wire: str, stop: Any) -> list[Any]:
    """Replies in one piece and in several that say at which string they stopped."""
    done = next(iter(OWN[wire]))
    body = whole(wire, "Hello", done)
    within = {"__verbose": {"stop": True, "stopping_word": stop}}  # of llama.cpp, in its last piece as well
    if wire == "anthropic":
        end = {"type": "message_delta", "delta": {"stop_reason": "stop_sequence", "stop_sequence": stop}}
        text = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello"}}
        data = events(*BEGIN, text, BLOCK_END, end, {"type": "message_stop"})
        return [body | {"stop_reason": "stop_sequence", "stop_sequence": stop}, in_pieces(wire, data), body | within]
    if wire == "openai":
        last = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], **within}
        found: list[Any] = [
            body | within,
            in_pieces(wire, events({"choices": [{"delta": {"content": "Hello"}}]}, last)),
        ]
        for name in ("stop_reason", "matched_stop"):
            data = events(
                {"choices": [{"index": 0, "delta": {"content": "Hello"}}]},
                {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", name: stop}]},
            )
            found += [{"choices": [body["choices"][0] | {name: stop}]}, in_pieces(wire, data)]
        return found
    return [body | {"matched_stop": stop}, body | within]


@FORMATS
@given(stop=STRINGS, others=st.lists(STRINGS, max_size=2))
@settings(max_examples=examples(40), deadline=None)
def test_a_stop_at_a_string_that_was_not_sent_is_a_cut(wire: str, stop: str, others: list[str]) -> None:
    name = {"openai": "stop", "anthropic": "stop_sequences", "gemini": "stopSequences"}.get(wire, "stop")
    for sent, ends in (([], "length"), ([*others, stop], "stop"), ([one for one in others if one != stop], "length")):
        settings_sent = {"generationConfig": {name: sent}} if wire == "gemini" else {name: sent}
        for body in stopped(wire, stop):
            found = answer(wire, body, **settings_sent)
            assert (found.text, found.stop_reason) == ("Hello", ends)


@FORMATS
@given(stop=st.one_of(TOKENS, st.sampled_from([None, "", 128001, "stop", "eos", "null"])))
@settings(max_examples=examples(40), deadline=None)
def test_a_token_that_ends_a_turn_its_number_and_a_word_for_an_end_are_no_such_string(wire: str, stop: Any) -> None:
    for body in stopped(wire, stop):
        found = answer(wire, body)
        assert (found.text, found.stop_reason) == ("Hello", "stop")


def test_a_string_that_was_sent_alone_may_be_stopped_at() -> None:
    assert answer("openai", stopped("openai", "###")[0], stop="###").stop_reason == "stop"


# --- pieces whose words nobody would find -----------------------------------------------------------------------------


def anthropic_with(delta: dict[str, Any], kind: str = "text") -> bytes:
    """A message whose first block has a piece of another kind between two of text, or whose second one has it."""
    text = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello "}}
    end = ({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, {"type": "message_stop"})
    if kind == "text":
        return events(*BEGIN, text, {"type": "content_block_delta", "index": 0, "delta": delta}, text, BLOCK_END, *end)
    other = {"type": "content_block_start", "index": 1, "content_block": {"type": kind, "thinking": ""}}
    piece = {"type": "content_block_delta", "index": 1, "delta": delta}
    return events(*BEGIN, text, BLOCK_END, other, piece, {**BLOCK_END, "index": 1}, *end)


PIECES = {
    "signature_delta": "thinking",
    "input_json_delta": "server_tool_use",
    "compaction_delta": "compaction",
    "citations_delta": "text",
}


@pytest.mark.parametrize(("name", "kind"), PIECES.items())
def test_a_piece_of_a_message_stands_in_a_block_of_its_own_kind(name: str, kind: str) -> None:
    delta = {"type": name, "signature": "a", "partial_json": "{", "content": "b", "citation": {}}
    for other in ("text", "thinking", "server_tool_use", "compaction"):
        found = of_stream("anthropic", anthropic_with(delta, other))
        # a compaction that was not asked for is one of the prompt
        assert (found is not None and found.error is None) == (other == kind != "compaction"), other


@given(
    name=st.sampled_from(["contents", "message", "output_text", "answerText", "new_content", "texts", "messages"]),
    words=st.sampled_from([" there", [{"content": " there"}], {"content": " there"}]),
)
@settings(max_examples=examples(40), deadline=None)
def test_words_in_another_field_of_a_delta_make_a_stream_unreadable(name: str, words: Any) -> None:
    lost = {"choices": [{"index": 0, "delta": {name: words}}]}
    assert of_stream("openai", streamed("openai", "Hello", "stop", early=[lost])) is None


@pytest.mark.parametrize(
    "delta",
    [
        *({"reasoning_text": "hm"}, {"contents": ""}, {"message": None}, {"content_type": "text"}, {"context": "a"}),
        *({"content": " there", "display_text": " there"}, {"role": "assistant", "name": "bot"}, {"obfuscation": "x"}),
    ],
    ids=repr,
)
def test_other_fields_of_a_delta_change_nothing(delta: dict[str, Any]) -> None:
    found = of_stream(
        "openai", streamed("openai", "Hello", "stop", early=[{"choices": [{"index": 0, "delta": delta}]}])
    )
    assert found and found.text == "Hello" + str(delta.get("content", ""))


# --- silence for which text was counted -------------------------------------------------------------------------------

COUNTED = {
    "openai": lambda n: {"usage": {"prompt_tokens": 9, "completion_tokens": n}},
    "responses": lambda n: {"usage": {"input_tokens": 9, "output_tokens": n}},
    "anthropic": lambda n: {"usage": {"input_tokens": 9, "output_tokens": n}},
    "gemini": lambda n: {"usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": n}},
}


@FORMATS
def test_silence_has_no_more_tokens_than_the_end_of_a_turn(wire: str) -> None:
    body = whole(wire, "", next(iter(OWN[wire])))
    for n in (0, 1, 4, 5):
        found = answer(wire, body | COUNTED[wire](n))
        assert (found.text, found.error) == ("", None)
    for n in (6, 8, 9, 400):
        with pytest.raises(RetryableError, match=f"{n} tokens of text were counted"):
            answer(wire, body | COUNTED[wire](n))


def test_a_message_that_goes_on_from_a_beginning_is_half_of_one_where_none_was_sent() -> None:
    body = whole("openai", "and bake it.", "stop")
    begun = [{"role": "user", "content": "Who?"}, {"role": "assistant", "content": "Mix flour", "prefix": True}]
    for prefix, messages, counted in (
        (True, None, False),
        (False, None, True),
        (None, None, True),
        (True, begun, True),
    ):
        body["choices"][0]["message"]["prefix"] = prefix
        found = answer("openai", body, **({"messages": messages} if messages else {}))
        assert (found.text == "and bake it.") is counted
        assert counted or "none was sent" in (found.error or "")
