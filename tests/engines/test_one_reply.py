"""A stream is one reply: its pieces bear one name, its words come before its end, and nobody else's are among them."""

import json
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_ends import BEGIN, BLOCK_END, FORMATS, OWN, counts, events, in_pieces, of_body, of_stream, streamed

from effort import examples

TEXT = "Dear neighbours, welcome to our picnic."
NAMES = {"openai": ("id", "model"), "gemini": ("responseId", "modelVersion")}
NAMED = pytest.mark.parametrize(("wire", "name"), [(wire, name) for wire in NAMES for name in NAMES[wire]])
WORDS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=20)
CUTS = st.sets(st.integers(1, len(TEXT) - 1), max_size=6)


def cut(text: str, cuts: Iterable[int]) -> list[str]:
    at = [0, *sorted(cuts), len(text)]
    return [text[start:end] for start, end in pairwise(at)]


def piece(wire: str, words: str = "", end: bool = False, **names: Any) -> dict[str, Any]:
    """A piece of a stream of chat or Gemini's format: words, and whether the reply ends with them."""
    if wire == "openai":
        return {
            "choices": [{"index": 0, "delta": {"content": words}, "finish_reason": "stop" if end else None}],
            **names,
        }
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": [{"text": words}]}}
    return {"candidates": [{**candidate, "finishReason": "STOP"} if end else candidate], **names}


def delta(words: str, index: int = 0, kind: str = "text") -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": f"{kind}_delta", kind: words}}


def block(index: int, kind: str = "text") -> list[dict[str, Any]]:
    return [{"type": "content_block_start", "index": index, "content_block": {"type": kind, kind: ""}}]


STOP = [{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, {"type": "message_stop"}]


# --- names -----------------------------------------------------------------------------------------------------------


@NAMED
@given(cuts=CUTS, data=st.data())
@settings(max_examples=examples(25), deadline=None)
def test_a_piece_under_another_name_makes_a_stream_unusable_wherever_it_comes(
    wire: str, name: str, cuts: set[int], data: st.DataObject
) -> None:
    texts = cut(TEXT, cuts)
    # an empty name says nothing: Azure begins with one, TGI has no other
    names = data.draw(st.lists(st.sampled_from(["one", "", None]), min_size=len(texts), max_size=len(texts)))
    pieces = [piece(wire, text, **{name: given}) for text, given in zip(texts, names, strict=True)]
    end = piece(wire, end=True, **{name: "one"})
    found = of_stream(wire, events(*pieces, end))
    assert found and (found.text, found.error) == (TEXT, None)
    at = data.draw(st.integers(0, len(pieces)))
    other = piece(wire, data.draw(WORDS), **{name: "two"})
    assert of_stream(wire, events(*pieces[:at], other, *pieces[at:], end)) is None
    assert (
        of_stream(wire, events(*pieces, piece(wire, "!", **{name: "one"}), piece(wire, end=True, **{name: "two"})))
        is None
    )


def test_the_counts_behind_a_reply_may_come_under_a_gateways_own_name_for_the_model() -> None:
    last = {"id": "c", "model": "alias", "choices": [], "usage": {"completion_tokens": 9}}
    found = of_stream("openai", events(piece("openai", TEXT, True, id="c", model="m-2024"), last))
    assert found and (found.text, found.output_tokens, found.error) == (TEXT, 9, None)


def test_a_message_of_anthropics_that_begins_under_another_name_is_another_one() -> None:
    for name in ("id", "model"):
        begin = [{"type": "message_start", "message": {name: given}} for given in ("one", "two")]
        whole = [*block(0), delta(TEXT), BLOCK_END, *STOP]
        assert counts(of_stream("anthropic", events(begin[0], *whole)))
        assert of_stream("anthropic", events(*begin, *whole)) is None


def response(text: str, **fields: Any) -> dict[str, Any]:
    output = [{"type": "message", "content": [{"type": "output_text", "text": text}]}]
    return {"type": "response.completed", "response": {"status": "completed", "output": output, **fields}}


@given(cuts=CUTS, other=WORDS, at=st.integers(0, 6))
@settings(max_examples=examples(25), deadline=None)
def test_the_words_of_a_response_are_those_of_its_pieces(cuts: set[int], other: str, at: int) -> None:
    deltas = [{"type": "response.output_text.delta", "delta": text} for text in cut(TEXT, cuts)]
    for end in (TEXT, f"{TEXT}\n"):  # servers differ in the blanks that they cut off at the end
        found = of_stream("responses", events(*deltas, response(end)))
        assert found and (found.text, found.error) == (end, None)
    alien = {"type": "response.output_text.delta", "delta": other}
    assert of_stream("responses", events(*deltas[:at], alien, *deltas[at:], response(TEXT))) is None
    assert of_stream("responses", events(*deltas, response(other))) is None


@pytest.mark.parametrize(
    ("models", "is_one"),
    [
        (("gpt-5", "gpt-5"), True),
        (("gpt-5", "gpt-5-2025-08-07"), True),
        (("openai/gpt-5", "GPT-5"), True),
        (("claude-4-latest", "claude-4-20260102"), True),
        (("openai/gpt-5", "gpt-5@2025-08-07"), True),
        (("gpt-5", "claude-9"), False),
        (("gpt-5", "gpt-5.1"), False),
        (("gpt-5", "gpt-5-mini"), False),
        (("m", "m2"), False),
        (("gpt-5-mini", "gpt-5-2025-08-07"), False),
    ],
)
def test_the_model_of_a_response_is_the_one_that_began_it(models: tuple[str, str], is_one: bool) -> None:
    begin = {"type": "response.created", "response": {"id": "one", "model": models[0], "output": []}}
    said = {"type": "response.output_text.delta", "delta": TEXT}
    assert counts(of_stream("responses", events(begin, said, response(TEXT, model=models[1])))) == is_one


def test_what_a_response_says_is_whole_stands_in_it_at_the_end() -> None:
    said = {"type": "response.output_text.delta", "delta": TEXT}
    part = {"type": "response.content_part.done", "part": {"type": "output_text", "text": TEXT}}
    text = {"type": "response.output_text.done", "text": TEXT}
    item = {"type": "response.output_item.done", "output_index": 0, "item": response(TEXT)["response"]["output"][0]}
    thought = {"type": "response.content_part.done", "part": {"type": "reasoning_text", "text": "Hm."}}
    assert counts(of_stream("responses", events(said, text, thought, part, item, response(f"{TEXT}\n"))))
    for event in (part, text, item):
        other = json.loads(json.dumps(event).replace("picnic", "party"))
        assert of_stream("responses", events(said, other, response(TEXT))) is None
    second = {**item, "output_index": 1, "item": response("Bring cake.")["response"]["output"][0]}
    assert of_stream("responses", events(said, item, second, response(TEXT))) is None


def test_the_id_of_a_response_may_change_only_where_its_pieces_vouch_for_the_words() -> None:
    begin = {"type": "response.created", "response": {"id": "one", "status": "in_progress", "output": []}}
    said = {"type": "response.output_text.delta", "delta": TEXT}
    assert counts(of_stream("responses", events(begin, response(TEXT, id="one"))))
    assert counts(of_stream("responses", events(begin, said, response(TEXT, id="two"))))  # as at GitHub Copilot
    assert of_stream("responses", events(begin, response(TEXT, id="two"))) is None


# --- the end ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wire", NAMES)
@given(cuts=CUTS, data=st.data())
@settings(max_examples=examples(25), deadline=None)
def test_no_words_come_after_the_end_of_a_reply(wire: str, cuts: set[int], data: st.DataObject) -> None:
    texts = cut(TEXT, cuts)
    end = data.draw(st.integers(0, len(texts) - 1))
    # an end may come with the last words or behind them, again and again, but not with words to follow
    pieces = [piece(wire, text, end=number >= end) for number, text in enumerate(texts)]
    found = of_stream(wire, events(*pieces, piece(wire, "", True), piece(wire)))
    assert counts(found) == (end == len(texts) - 1)
    assert of_stream(wire, events(*pieces, piece(wire, "", True), piece(wire, data.draw(WORDS)))) is None


@pytest.mark.parametrize("name", ["refusal", "reasoning_content", "reasoning"])
def test_a_refusal_and_thoughts_are_words_that_do_not_come_after_the_end(name: str) -> None:
    last = {"choices": [{"index": 0, "delta": {name: "Hm"}}]}
    assert of_stream("openai", events(piece("openai", TEXT, True), last)) is None
    parts = {"choices": [{"index": 0, "delta": {"content": [{"type": "text", "text": "Hm"}]}}]}
    assert of_stream("openai", events(piece("openai", TEXT, True), parts)) is None


def test_what_has_no_words_may_come_after_the_end() -> None:
    notes = {"choices": [{"index": 0, "finish_reason": None, "content_filter_results": {"hate": {"filtered": False}}}]}
    usage = {"choices": [{"index": 0, "delta": {}}], "usage": {"completion_tokens": 9}}  # LiteLLM
    found = of_stream("openai", events(piece("openai", TEXT, True), {"id": "", "model": "", **notes}, usage))
    assert found and (found.text, found.output_tokens, found.error) == (TEXT, 9, None)


# --- blocks ----------------------------------------------------------------------------------------------------------


@given(cuts=CUTS, data=st.data())
@settings(max_examples=examples(25), deadline=None)
def test_a_delta_of_anthropics_goes_to_a_block_that_is_open(cuts: set[int], data: st.DataObject) -> None:
    thoughts = [*block(0, "thinking"), delta("Hm", 0, "thinking"), BLOCK_END]
    inner = [*block(1), *(delta(text, 1) for text in cut(TEXT, cuts)), {**BLOCK_END, "index": 1}]
    whole = [BEGIN[0], *thoughts, *inner, *STOP]
    found = of_stream("anthropic", events(*whole))
    assert found and (found.text, found.error) == (TEXT, None)
    at = data.draw(st.integers(1, len(whole) - 1))
    stray = delta(data.draw(WORDS), data.draw(st.sampled_from([0, 2, 7])))
    assert of_stream("anthropic", events(*whole[:at], stray, *whole[at:])) is None
    outside = data.draw(st.sampled_from([1, *range(len(whole) - 2, len(whole))]))
    assert of_stream("anthropic", events(*whole[:outside], delta("x", 1), *whole[outside:])) is None


def test_a_message_of_anthropics_ends_with_its_blocks_closed_and_begins_none_behind_its_end() -> None:
    whole = [*BEGIN, delta(TEXT), BLOCK_END]
    assert counts(of_stream("anthropic", events(*whole, *STOP)))
    assert of_stream("anthropic", events(*BEGIN, delta(TEXT), STOP[0])) is None  # nor does the message
    for behind in ([*block(1), delta("x", 1)], [{**block(1)[0], "content_block": {"type": "text", "text": "x"}}]):
        late = [*whole, STOP[0], *behind, {**BLOCK_END, "index": 1}, STOP[1]]
        assert of_stream("anthropic", events(*late)) is None


# --- a message beside the pieces -------------------------------------------------------------------------------------


def beside(words: str, message: str | None, end: bool = False) -> dict[str, Any]:
    one = piece("openai", words, end)
    if message is not None:
        one["choices"][0]["message"] = {"role": "assistant", "content": message}
    return one


@given(cuts=CUTS, data=st.data())
@settings(max_examples=examples(25), deadline=None)
def test_a_message_beside_the_pieces_has_their_words(cuts: set[int], data: st.DataObject) -> None:
    texts = cut(TEXT, cuts)
    # the text so far (Perplexity), that of the piece (Foundry Local), or none
    ways = data.draw(st.lists(st.integers(0, 2), min_size=len(texts), max_size=len(texts)))
    given = [("".join(texts[: n + 1]), texts[n], None)[way] for n, way in enumerate(ways)]
    pieces = [beside(text, message) for text, message in zip(texts, given, strict=True)]
    found = of_stream("openai", events(*pieces, beside("", TEXT, True)))
    assert found and (found.text, found.error) == (TEXT, None)
    other = data.draw(WORDS)
    at = data.draw(st.integers(0, len(pieces) - 1))
    assume(other not in (texts[at], "".join(texts[: at + 1])))
    assert (
        of_stream("openai", events(*pieces[:at], beside(texts[at], other), *pieces[at + 1 :], beside("", TEXT, True)))
        is None
    )
    alone = {"choices": [{"index": 0, "message": {"content": TEXT + other}, "finish_reason": "stop"}]}
    assert of_stream("openai", events(*pieces, alone)) is None


# --- events without data ---------------------------------------------------------------------------------------------


@FORMATS
@given(
    name=st.sampled_from(["error", "Error", "ERROR", " error "]), more=st.sampled_from(["", "\nid: 7", "\nretry: 5"])
)
@settings(max_examples=examples(40), deadline=None)
def test_an_event_error_without_data_is_an_error_wherever_it_comes(wire: str, name: str, more: str) -> None:
    data = streamed(wire, TEXT, next(iter(OWN[wire]))).split(b"\n\n")
    for at in range(len(data) - 1):
        found = of_stream(wire, b"\n\n".join([*data[:at], f"event: {name}{more}".encode(), *data[at:]]))
        assert not counts(found)


@FORMATS
def test_an_event_without_data_is_one_but_for_those_that_hold_nothing(wire: str) -> None:
    data = streamed(wire, TEXT, next(iter(OWN[wire]))).split(b"\n\n")
    for name, fine in {
        **dict.fromkeys(("ping", "keepalive", "keep-alive", "heartbeat", "message", "done", "Ping", ""), True),
        **dict.fromkeys(("exception", "interrupted", "x", "content_block_delta", "response.output_text.delta"), False),
    }.items():
        found = of_stream(wire, b"\n\n".join([data[0], f"event: {name}".encode(), *data[1:]]))
        assert counts(found) is fine, name


@FORMATS
def test_the_name_of_an_event_that_was_cut_off_says_nothing_but_for_an_error(wire: str) -> None:
    data = streamed(wire, TEXT, next(iter(OWN[wire])))
    if wire in ("openai", "gemini"):  # in the others nothing is read behind the end
        assert counts(of_stream(wire, data + b"event: mess"))
        assert not counts(of_stream(wire, data + b"event: error"))


# --- a stream that begins again under the same name -------------------------------------------------------------------


def begun_again(wire: str, before: int, words: str) -> list[Any]:
    """A stream that begins, breaks off after so many of its pieces, and begins again under the same name."""
    parts = [words[at : at + 5] for at in range(0, len(words), 5)]
    again = [*parts[:before], None, *parts]
    if wire == "openai":
        opening = {"id": "c", "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}
        pieces = [opening if part is None else piece(wire, part, id="c") for part in again]
        return [opening, *pieces, piece(wire, "", end=True, id="c")]
    if wire == "anthropic":
        start = [{"type": "message_start", "message": {"id": "m"}}, *BEGIN[1:]]
        blocks = [[BLOCK_END, *start] if part is None else [delta(part)] for part in again]
        end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
        return [*start, *(event for block in blocks for event in block), BLOCK_END, end, {"type": "message_stop"}]
    created = {"type": "response.created", "response": {"id": "r", "status": "in_progress"}}
    pieces = [created if part is None else {"type": "response.output_text.delta", "delta": part} for part in again]
    body = {
        "id": "r",
        "status": "completed",
        "output": [{"type": "message", "content": [{"type": "text", "text": words}]}],
    }
    return [created, *pieces, {"type": "response.completed", "response": body}]


@pytest.mark.parametrize("wire", ["openai", "anthropic", "responses"])
@given(
    before=st.integers(1, 7),
    words=st.text(st.characters(min_codepoint=97, max_codepoint=122), min_size=36, max_size=40),
)
@settings(max_examples=examples(40), deadline=None)
def test_a_stream_that_begins_again_under_the_same_name_is_no_reply(wire: str, before: int, words: str) -> None:
    assert of_stream(wire, events(*begun_again(wire, before, words))) is None


def test_a_second_beginning_without_words_before_it_is_one_too() -> None:
    assert of_stream("anthropic", events(*begun_again("anthropic", 0, TEXT))) is None
    assert of_stream("responses", events(*begun_again("responses", 0, TEXT))) is None


def test_a_list_of_parts_that_begins_again_is_no_reply() -> None:
    part = {"content": [{"type": "text", "text": "Hello"}]}
    first, more = {"role": "assistant", **part}, part
    pieces = [{"choices": [{"delta": found}]} for found in (first, more, first, more)]
    assert of_stream("openai", events(*pieces, piece("openai", end=True))) is None
    assert counts(of_stream("openai", events(*pieces[:2], piece("openai", end=True))))


PARAGRAPH = "Dear neighbours, welcome to our picnic on the green. Bring cups.\n"


@pytest.mark.parametrize("wire", ["openai", "gemini"])
@given(cuts=CUTS, more=CUTS, lost=st.integers(0, 8))
@settings(max_examples=examples(25), deadline=None)
def test_a_text_that_begins_again_as_a_whole_is_no_reply_though_nothing_else_says_so(
    wire: str, cuts: set[int], more: set[int], lost: int
) -> None:
    begun = PARAGRAPH[: len(PARAGRAPH) - lost]
    parts = [*cut(begun, cuts), *cut(PARAGRAPH + "And chairs.", more)]
    found = of_stream(wire, events(*(piece(wire, part) for part in parts), piece(wire, end=True)))
    assert found is None


@pytest.mark.parametrize("wire", ["openai", "gemini"])
def test_a_model_may_repeat_a_short_line_or_go_round_in_circles(wire: str) -> None:
    for parts in (["Yes, it is.\n"] * 2, [PARAGRAPH] * 5 + ["Dear neighbours, wel"], ["ha" * 30] * 500, ["a"] * 20_000):
        pieces = cut("".join(parts), range(7, len("".join(parts)), 7))
        found = of_stream(wire, events(*(piece(wire, part) for part in pieces), piece(wire, end=True)))
        assert found and found.text == "".join(parts)


@pytest.mark.parametrize("name", ["system_fingerprint", "provider"])
def test_a_piece_of_another_upstream_makes_a_stream_unusable(name: str) -> None:
    def found(*names: Any) -> Any:
        pieces = [piece("openai", text, **{name: given}) for text, given in zip("abcd", names, strict=True)]
        return of_stream("openai", events(*pieces, piece("openai", end=True)))

    assert found("one", "one", "two", "two") is None
    assert found(None, "one", "one", "two") is None
    for names in (("one", "one", None, ""), ("", None, "one", "one"), ("one", None, "one", "")):
        assert (reply := found(*names)) and (reply.text, reply.error) == ("abcd", None)


def test_a_piece_that_is_older_than_the_first_is_of_another_reply() -> None:
    def found(*times: Any) -> Any:
        pieces = [piece("openai", text, created=given) for text, given in zip("abcd", times, strict=True)]
        return of_stream("openai", events(*pieces, piece("openai", end=True)))

    assert found(100, 100, 40, 100) is None
    # many servers give the time of each piece, and Azure none with the first and the last
    for times in ((100, 100, 101, 102), (0, 100, 100, 0), (100, None, 103, 100)):
        assert (reply := found(*times)) and (reply.text, reply.error) == ("abcd", None)


# --- an end on each piece --------------------------------------------------------------------------------------------


def with_end(wire: str, words: str, end: str | None) -> dict[str, Any]:
    made = piece(wire, words)
    place, name = ("choices", "finish_reason") if wire == "openai" else ("candidates", "finishReason")
    made[place][0][name] = end
    return made


@pytest.mark.parametrize("wire", ["openai", "gemini"])
def test_an_end_that_each_piece_bears_says_nothing_of_which_is_the_last(wire: str) -> None:
    def found(*pieces: tuple[str, str | None], over: bool = True) -> Any:
        sent = events(*(with_end(wire, words, end) for words, end in pieces))
        return of_stream(wire, sent + (b"data: [DONE]\n\n" if over else b""))

    done = "stop" if wire == "openai" else "STOP"
    for texts in (("A", "A", "B", "A"), ("Dear ", "neighbours", ", welcome"), ("", "a", "b", "")):
        reply = found(*((text, done) for text in texts))
        assert reply and (reply.text, reply.error) == ("".join(texts), None)
    assert found(("a", None), ("b", done), ("c", done)) is None
    assert found(("a", done), ("b", None), ("c", done)) is None
    assert found(("a", done), ("b", "length")) is None
    assert found(("a", "length"), ("b", "length")) is None
    assert found(("a", "error"), ("b", "error")) is None
    # half of it would look the same
    assert found(("a", done), ("b", done), over=False) is None
    assert (reply := found(("ab", done), over=False)) and reply.text == "ab"


@pytest.mark.parametrize("counted", range(4))
def test_where_each_piece_of_geminis_has_stop_it_is_whole_if_only_the_last_has_the_counts(counted: int) -> None:
    pieces = [piece("gemini", text, True) for text in ("Dear ", "neighbours", ", welcome")]
    for one in pieces[counted:]:
        one["usageMetadata"] = {"promptTokenCount": 7, "candidatesTokenCount": 5}
    # running counts in each piece, as of the models before Gemini 2, tell of no piece that it is the last
    assert counts(of_stream("gemini", events(*pieces))) == (counted == 2)
    assert counts(of_stream("gemini", events(*pieces) + b"data: [DONE]\n\n"))


@pytest.mark.parametrize("said", ["The model stopped early.", {"text": "no"}, "", None])
def test_geminis_stop_with_a_message_that_explains_it_is_an_unknown_end(said: Any) -> None:
    first, last = piece("gemini", "Hi"), piece("gemini", end=True)
    last["candidates"][0]["finishMessage"] = said
    whole = piece("gemini", "Hi", True)
    whole["candidates"][0]["finishMessage"] = said
    for found in (of_stream("gemini", events(first, last)), of_body("gemini", whole)):
        assert found
        assert (found.text, found.unknown_end) == ((None, "STOP (with a finishMessage)") if said else ("Hi", None))


# --- a piece that comes twice ----------------------------------------------------------------------------------------

IN_PIECES = pytest.mark.parametrize("wire", ["openai", "gemini", "anthropic"])
LONG_PIECE = " neighbours, welcome to our"  # 27 characters, 14 of them different


@IN_PIECES
@given(begin=WORDS, end=WORDS)
@settings(max_examples=examples(25), deadline=None)
def test_a_long_piece_in_the_middle_that_comes_twice_leaves_the_end_unknown(wire: str, begin: str, end: str) -> None:
    assume(not LONG_PIECE.startswith(begin[:1]) and begin != end)
    once, twice = [begin, LONG_PIECE, end], [begin, LONG_PIECE, LONG_PIECE, end]
    found = of_stream(wire, in_pieces(wire, once))
    assert found and (found.text, found.error) == ("".join(once), None)
    found = of_stream(wire, in_pieces(wire, twice))
    assert found and (found.text, found.unknown_end_text) == (None, "".join(twice))
    assert found.unknown_end and found.unknown_end.endswith("+error")


@IN_PIECES
@pytest.mark.parametrize(
    "again",
    [
        [" very", " very"],
        ["abcdefghijklmnopqrstuvw"] * 2,  # 23 characters
        ["-" * 80] * 2,
        ["0.00, 0.00, 0.00, 0.00, 0.00, "] * 2,
        [LONG_PIECE] * 3,  # round in circles
        [LONG_PIECE, " and", LONG_PIECE],
        [" ha", " ha", " ho", " ho", " hi", " hi"],
    ],
)
def test_what_a_model_may_say_twice_in_a_row_counts(wire: str, again: list[str]) -> None:
    pieces = ["Dear", *again, "!"]
    found = of_stream(wire, in_pieces(wire, pieces))
    assert found and (found.text, found.error) == ("".join(pieces), None)


@IN_PIECES
@given(pieces=st.lists(st.text("abcdefgh", min_size=1, max_size=4), min_size=4, max_size=12, unique=True))
@settings(max_examples=examples(25), deadline=None)
def test_a_stream_in_which_each_piece_comes_twice_is_no_reply(wire: str, pieces: list[str]) -> None:
    assert not counts(of_stream(wire, in_pieces(wire, [piece for piece in pieces for _ in range(2)])))
    assert counts(of_stream(wire, in_pieces(wire, [piece for piece in pieces[:3] for _ in range(2)] + ["!"])))
