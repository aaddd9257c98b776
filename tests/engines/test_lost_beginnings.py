"""A stream of which a part was lost is no reply, where its format or other streams show it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_ends import BEGIN, BLOCK_END, asked, counts, events, of_stream, short_pauses

from effort import examples

__all__ = ["short_pauses"]
TEXT = "Dear neighbours, welcome."


def anthropic(*texts: str) -> list[dict[str, Any]]:
    """A message of these blocks, the pieces of each of which are its words."""
    pieces: list[dict[str, Any]] = [BEGIN[0]]
    for n, text in enumerate(texts):
        pieces.append({**BEGIN[1], "index": n})
        for word in text.split(" "):
            delta = {"type": "text_delta", "text": word}
            pieces.append({"type": "content_block_delta", "index": n, "delta": delta})
        pieces.append({**BLOCK_END, "index": n})
    return [*pieces, {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, {"type": "message_stop"}]


@given(lost=st.integers(0, 10))
@settings(max_examples=examples(30), deadline=None)
def test_a_message_of_anthropics_without_its_first_events_does_not_count(lost: int) -> None:
    pieces = anthropic("Dear neighbours, welcome.", "Bring your cups.")  # 11 events before message_delta
    assert counts(of_stream("anthropic", events(*pieces[lost:]))) is (lost == 0)


def test_a_whole_block_that_was_lost_is_noticed_by_the_numbers_of_the_others() -> None:
    pieces = anthropic("Dear neighbours.", "Welcome.", "Bring cups.")
    of_block = [piece for piece in pieces if piece.get("index") != 0]
    assert not counts(of_stream("anthropic", events(*of_block)))
    assert not counts(of_stream("anthropic", events(*(piece for piece in pieces if piece.get("index") != 1))))
    assert counts(of_stream("anthropic", events(*pieces)))


def responses(texts: list[str], number: Any = lambda n: n) -> list[dict[str, Any]]:
    """A response whose end leaves its output out, so that it is the items that came."""
    pieces: list[dict[str, Any]] = [{"type": "response.created", "response": {"id": "r"}}]
    for n, text in enumerate(texts):
        item = {"type": "message", "content": [{"type": "output_text", "text": text}]}
        pieces.append({"type": "response.output_text.delta", "output_index": n, "delta": text})
        pieces.append({"type": "response.output_item.done", "output_index": n, "item": item})
    pieces.append({"type": "response.completed", "response": {"id": "r", "status": "completed", "output": []}})
    return [{**piece, "sequence_number": number(n)} for n, piece in enumerate(pieces)]


@pytest.mark.parametrize("lost", [0, 1, 2])
def test_an_item_of_a_response_that_was_lost_is_noticed_where_only_the_items_have_the_words(lost: int) -> None:
    texts = ["One.", "Two.", "Three."]
    pieces = responses(texts)
    found = of_stream("responses", events(*pieces))
    assert found and (found.text, found.error) == ("One.\n\nTwo.\n\nThree.", None)
    assert of_stream("responses", events(*(piece for piece in pieces if piece.get("output_index") != lost))) is None


@pytest.mark.parametrize("number", [lambda n: 0, lambda n: n + 1, lambda n: None, lambda n: n % 3])
def test_numbers_of_events_that_do_not_grow_or_begin_elsewhere_say_nothing(number: Any) -> None:
    assert counts(of_stream("responses", events(*responses(["One.", "Two."], number))))


# --- chat completions ------------------------------------------------------------------------------------------------


def chat(*, role: bool, model: str = "m", lost: int = 0) -> bytes:
    """A stream that begins with a role, or has none; `lost` are the events that are missing at its beginning."""
    deltas = [*([{"role": "assistant", "content": ""}] if role else []), *({"content": w} for w in TEXT.split(" "))]
    pieces = [{"model": model, "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    return events(*pieces[lost:], {"model": model, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})


@pytest.mark.parametrize("lost", [1, 2, 3])
def test_a_chat_stream_without_a_role_lost_its_beginning_where_others_named_one(lost: int) -> None:
    replies = [(200, chat(role=True)), (200, chat(role=True, lost=lost)), (200, chat(role=True))]
    [first, second], served = asked("openai", *replies, calls=2, streams=True)
    assert first.text == second.text == TEXT.replace(" ", "")
    assert (served, second.retry_causes) == (3, ("broken stream",))


def test_a_server_that_never_names_a_role_and_another_one_behind_the_same_gateway_are_read() -> None:
    [*found], served = asked("openai", (200, chat(role=False)), calls=3, streams=True)
    assert served == 3 and all(counts(outcome) for outcome in found)
    replies = [(200, chat(role=True, model="one")), (200, chat(role=False, model="two"))]
    [*found], served = asked("openai", *replies, calls=2, streams=True)
    assert served == 2 and all(counts(outcome) for outcome in found)


# --- ends of blocks, which LiteLLM's proxy leaves out in Anthropic's format -------------------------------------------


def test_a_server_that_never_ends_its_blocks_is_read_and_one_that_does_is_not_where_an_end_is_lost() -> None:
    whole = [{**piece, "message": {"model": "m"}} if "message" in piece else piece for piece in anthropic(TEXT)]
    open_ended = [piece for piece in whole if piece["type"] != "content_block_stop"]
    [*found], served = asked("anthropic", (200, events(*open_ended)), calls=3, streams=True)
    assert served == 3 and {outcome.text for outcome in found} == {TEXT.replace(" ", "")}
    replies = [(200, events(*whole)), (200, events(*open_ended)), (200, events(*whole))]
    [_, second], served = asked("anthropic", *replies, calls=2, streams=True)
    assert (served, second.text, second.retry_causes) == (3, TEXT.replace(" ", ""), ("broken stream",))
    [*found], served = asked(
        "anthropic", (200, events(*anthropic())), (200, events(*open_ended)), calls=3, streams=True
    )
    assert found[-1].text == TEXT.replace(" ", "")  # a message without any block has no end of one
