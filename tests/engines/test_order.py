"""Pieces of a stream that are missing, out of order or of another reply, by the numbers that they bear."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_ends import counts, in_pieces, of_stream
from test_lost_beginnings import responses

from effort import examples
from selfexec.engines.http.wires.order import numbering

IN_PIECES = pytest.mark.parametrize("wire", ["openai", "gemini", "anthropic"])
TEXTS = ["Dear ", "neighbours", ", welcome", " to", " our", " picnic", ".", " Bring", " cake"]
FIELDS = ("sequence_number", "chunk_index", "seq", "eventId", "chunkNumber", "id")


def numbered(wire: str, field: str, number: Callable[[int], Any], texts: Sequence[str] = TEXTS) -> list[bytes]:
    """The events of a stream, each with a number: that of the event itself in `id`, else in a field of the piece."""
    found = []
    for n, event in enumerate(in_pieces(wire, texts).strip().split(b"\n\n")):
        head, _, data = event.partition(b"data: ")
        given = number(n)
        if given is None:
            found.append(event)
        elif field == "id":
            found.append(b"id: %s\n%s" % (str(given).encode(), event))
        else:
            found.append(head + b"data: " + json.dumps({**json.loads(data), field: given}).encode())
    return found


def of_events(wire: str, events: Sequence[bytes]) -> Any:
    return of_stream(wire, b"".join(event + b"\n\n" for event in events))


@IN_PIECES
@pytest.mark.parametrize("field", FIELDS)
@given(start=st.integers(0, 5), data=st.data())
@settings(max_examples=examples(12), deadline=None)
def test_a_piece_that_is_missing_or_out_of_order_voids_the_stream(
    wire: str, field: str, start: int, data: st.DataObject
) -> None:
    events = numbered(wire, field, lambda n: n + start)
    assert counts(of_events(wire, events))
    begin = 2 if wire == "anthropic" else 0  # where its words begin
    lost = data.draw(st.integers(begin + 1, begin + len(TEXTS) - 2))
    assert not counts(of_events(wire, [*events[:lost], *events[lost + 1 :]]))
    if field != "id":  # what comes twice, word for word, is known by itself
        swapped = [*events[:lost], events[lost + 1], events[lost], *events[lost + 2 :]]
        assert not counts(of_events(wire, swapped))


@IN_PIECES
@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize(
    "number",
    [
        *(lambda n: 0, lambda n: 7 * n, lambda n: n // 2, lambda n: n % 3, lambda n: None, lambda n: "x" * n),
        *(lambda n: [3, 1, 4, 1, 5, 9, 2, 6, 5][n % 9], lambda n: 1732440000000 + n, lambda n: f"evt_{n * n}"),
        lambda n: f"{n}-{n}",
        lambda n: n if n < 3 else None,
        lambda n: True,
    ],
)
def test_numbers_that_do_not_count_the_pieces_say_nothing(wire: str, field: str, number: Callable[[int], Any]) -> None:
    assert counts(of_events(wire, numbered(wire, field, number)))


@IN_PIECES
def test_the_last_piece_may_bear_a_number_of_its_own_but_may_leave_none_out(wire: str) -> None:
    last = len(numbered(wire, "seq", lambda n: n)) - 1
    for number, whole in ((0, True), (last - 1, True), (-1, True), (last, True), (last + 2, False)):
        events = numbered(wire, "seq", lambda n, given=number: given if n == last else n)  # type: ignore[misc]
        assert counts(of_events(wire, events)) == whole, number


def test_names_of_fields_that_number_pieces() -> None:
    assert numbering(FIELDS) == FIELDS[:5]
    others = ("index", "id", "created", "event", "token_index", "sequence_length", "chunk", "chunks", "content_index")
    assert numbering(others) == ("event", "chunk")  # their values decide: only a number tells


def with_usage(wire: str, counted: Sequence[tuple[int, int]]) -> bytes:
    """A stream that counts the tokens of its prompt and of its answer so far with each piece."""
    names = {
        "openai": ("usage", "prompt_tokens", "completion_tokens"),
        "anthropic": ("usage", "input_tokens", "output_tokens"),
        "gemini": ("usageMetadata", "promptTokenCount", "candidatesTokenCount"),
    }[wire]
    found = []
    for event, counts_ in zip(in_pieces(wire, TEXTS).strip().split(b"\n\n"), [*counted] + [(0, 0)] * 20, strict=False):
        head, _, data = event.partition(b"data: ")
        usage = {names[0]: dict(zip(names[1:], counts_, strict=True))} if any(counts_) else {}
        found.append(head + b"data: " + json.dumps({**json.loads(data), **usage}).encode())
    return b"\n\n".join(found) + b"\n\n"


@IN_PIECES
@pytest.mark.parametrize(
    ("counted", "whole"),
    [
        ([(9, n) for n in range(1, 10)], True),
        ([(9, n) for n in (1, 2, 3, 4, 1, 2, 3, 4, 5)], False),  # falls in the middle
        ([(9, n) for n in (1, 2, 3, 4, 5, 6, 7, 8, 3)], True),  # counted anew at the end, as by gateways
        ([(9, n) for n in (5, 8, 3, 8, 2, 9, 1, 4, 2)], True),  # of each piece by itself
        ([(9, n) if n < 5 else (309, n) for n in range(1, 10)], False),
        ([(9, n) for n in range(1, 9)] + [(12, 9)], True),
        ([(4, 1), (9, 9), (9, 9)], True),  # a first count that was an estimate
        ([(0, 0), (0, 0), (9, 7)], True),
    ],
)
def test_counts_of_tokens_that_are_those_of_another_reply_void_the_stream(
    wire: str, counted: list[tuple[int, int]], whole: bool
) -> None:
    # what Gemini counts begins anew behind a call of a tool of its own
    assert counts(of_stream(wire, with_usage(wire, counted))) == (whole or wire == "gemini")


def test_a_response_whose_end_repeats_all_words_needs_no_numbers() -> None:
    pieces = responses(["One.", "Two."])
    item = {"type": "message", "content": [{"type": "output_text", "text": "One.\n\nTwo."}]}
    pieces[-1]["response"]["output"] = [item]
    for piece in pieces:
        if piece["type"].endswith("done"):
            piece["sequence_number"] += 5
    deltas = [{"type": "response.output_text.delta", "delta": "One.\n\nTwo.", "sequence_number": 9}]
    found = of_stream("responses", b"".join(_event(p) for p in [pieces[0], *deltas, pieces[-1]]))
    assert counts(found)


def _event(piece: dict[str, Any]) -> bytes:
    return f"event: {piece['type']}\ndata: {json.dumps(piece)}\n\n".encode()


# --- what real servers send ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answers", "prompts"),
    [
        ([None, None, 12, 43], [391] * 4),  # Gemini 2.5 Flash, with thoughts
        ([20, None, 16, 40, 68, 92, 102, 122], [8] * 7 + [427]),  # Gemini 3, which looked into files
        ([51, None, 22, 46, 57, 108], [46] * 5 + [147]),  # which ran code
        ([7, 13, 13], [15, 15, 13]),
    ],
)
def test_the_counts_of_gemini_may_fall_and_change(answers: list[int | None], prompts: list[int]) -> None:
    """The counts are those of recorded streams, the words our own."""
    pieces = []
    for n, (answer, prompt) in enumerate(zip(answers, prompts, strict=True)):
        candidate = {"content": {"role": "model", "parts": [{"text": TEXTS[n]}]}, "index": 0}
        usage = {"promptTokenCount": prompt, "candidatesTokenCount": answer}
        end = {"finishReason": "STOP"} if n == len(answers) - 1 else {}
        pieces.append({"candidates": [candidate | end], "usageMetadata": usage, "modelVersion": "g", "responseId": "r"})
    found = of_stream("gemini", b"".join(b"data: " + json.dumps(piece).encode() + b"\n\n" for piece in pieces))
    assert found and (found.text, found.error) == ("".join(TEXTS[: len(answers)]), None)
