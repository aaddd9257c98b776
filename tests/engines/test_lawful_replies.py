"""Whole replies of servers that keep to their format in ways of their own: none of them is lost."""

import json
from typing import Any

import pytest
from test_charsets import sending, written
from test_ends import FORMATS, OWN, chunk, counts, events, of_body, of_stream, streamed, whole
from test_failures_within import both_ways
from test_streams import asked, short_pauses

from selfexec.engines.http.charsets import Recoder

__all__ = ["short_pauses"]
TEXT = "Dear neighbours, welcome to our picnic."


def is_whole(found: Any, text: str = TEXT) -> bool:
    return found is not None and (found.text, found.error) == (text, None)


@pytest.mark.parametrize("kind", ["vertex_event", "usage", "ping", "message_note"])
def test_an_event_of_a_new_type_is_passed_over_in_anthropics_format_unless_words_or_a_failure_come_with_it(
    kind: str,
) -> None:
    event = {"type": kind, "tokens": {"input": 5}}
    assert is_whole(of_stream("anthropic", streamed("anthropic", TEXT, "end_turn", early=[event])))
    for more in ({"text": "lost"}, {"delta": {"text": "lost"}}, {"success": False}, {"type": f"{kind}_failed"}):
        assert not counts(of_stream("anthropic", streamed("anthropic", TEXT, "end_turn", early=[event | more])))


@FORMATS
def test_done_behind_a_whole_stream_changes_nothing_and_makes_no_half_of_one_whole(wire: str) -> None:
    data = streamed(wire, TEXT, next(iter(OWN[wire])))
    assert is_whole(of_stream(wire, data + b"data: [DONE]\n\n"))
    half = data.split(b"\n\n")[:-2] if wire != "anthropic" else data.split(b"\n\n")[:3]
    assert not counts(of_stream(wire, b"\n\n".join([*half, b"data: [DONE]\n\n"])))


@pytest.mark.parametrize(
    "field", [{"message": "ok"}, {"code": 200, "msg": "success"}, {"code": 0, "message": "OK"}], ids=repr
)
@pytest.mark.parametrize("wire", ["openai", "gemini"])
def test_a_word_that_all_is_well_may_stand_in_each_piece(wire: str, field: dict[str, Any]) -> None:
    lines = streamed(wire, TEXT, next(iter(OWN[wire]))).decode().split("\n\n")[:-1]
    pieces = [json.loads(line.removeprefix("data: ")) for line in lines]
    counted = {"choices" if wire == "openai" else "candidates": [], "usage": {"total_tokens": 5}}
    for late in ([], [counted]):
        assert is_whole(of_stream(wire, events(*(piece | field for piece in [*pieces, *late]))))
    for said in ("it died", "upstream is gone"):
        assert not counts(of_stream(wire, events(*pieces, counted | {"message": said})))


@FORMATS
def test_an_empty_line_of_data_keeps_a_connection_alive_and_says_nothing(wire: str) -> None:
    data = streamed(wire, TEXT, next(iter(OWN[wire]))).split(b"\n\n")
    for line in (b"data:", b"data: ", b"event: message\ndata:"):
        for at in range(len(data) - 1):
            assert is_whole(of_stream(wire, b"\n\n".join([*data[:at], line, *data[at:]])))


def test_blanks_behind_the_end_of_a_stream_are_no_words_that_came_late() -> None:
    said = [chunk(delta={"content": TEXT}), chunk("stop", delta={})]
    found = of_stream("openai", events(*said, chunk(delta={"content": "\n"})))
    assert found and found.error is None and found.text and found.text.rstrip() == TEXT
    assert of_stream("openai", events(*said, chunk(delta={"content": "\nand"}))) is None
    # where each piece bears an end, a blank one does not tell either whether it is the last
    each = [chunk("stop", delta={"content": part}) for part in ("Dear", "\n")]
    assert of_stream("openai", events(*each)) is None


@FORMATS
@pytest.mark.parametrize("place", range(3))
def test_of_a_list_whose_last_object_says_that_it_went_well_the_last_counts(wire: str, place: int) -> None:
    for name in ("trace", "hops", "upstreams"):
        for well in ({"ok": True}, {"status": 200}, {"success": "true"}, {"status": "succeeded"}):
            assert both_ways(wire, {name: [{"error": "timeout"}, well]}, place) == [True, True]
            assert both_ways(wire, {name: [well, {"error": "timeout"}]}, place) == [False, False]
            assert both_ways(wire, {name: [{"id": 1}, {**well, "error": "timeout"}]}, place) == [False, False]
        for silent in ({"id": 2}, {"ok": None}, {"status": ""}, {"ok": False}):
            assert both_ways(wire, {name: [{"error": "timeout"}, silent]}, place) == [False, False]


@FORMATS
def test_a_number_that_tells_how_often_something_fails_is_no_failure(wire: str) -> None:
    for name in ("error_rate", "errorRate", "failure_ratio", "timeout_error_percent"):
        assert both_ways(wire, {"metrics": {name: 0.01}}, 0) == [True, True]
        assert both_ways(wire, {name: 1}, 0) == [True, True]
        assert both_ways(wire, {"metrics": {name: "it died"}}, 0) == [False, False]
    assert both_ways(wire, {"metrics": {"errors": 0.01}}, 0) == [False, False]


@FORMATS
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("charset", ["iso-8859-1", "windows-1252", "us-ascii", "shift_jis"])
def test_what_is_utf_8_is_read_as_that_whatever_is_declared(wire: str, stream: bool, charset: str) -> None:
    raw = written(wire, "café €5 😀", stream).encode()
    assert asked(sending(raw, f"application/json; charset={charset}"), wire, stream=stream)[0].text == "café €5 😀"


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        *(("latin-1", text) for text in ("café", "é", "café über")),
        *(("shift_jis", text) for text in ("日本語 A", "ア")),
        *(("iso2022_jp", "日本語 A"), ("utf-16", "café"), ("utf-16-le", "A"), ("cp037", "Hello")),
    ],
)
def test_what_is_declared_is_read_in_the_same_way_however_it_is_cut(charset: str, text: str) -> None:
    for written_in in (charset, "utf-8"):
        raw = text.encode(written_in)
        if written_in == "utf-8" and charset.startswith(("utf", "cp")):
            continue  # in which ASCII means something else
        for size in range(1, len(raw) + 1):
            recoder = Recoder(charset)
            parts = [recoder.feed(raw[at : at + size]) for at in range(0, len(raw), size)]
            assert b"".join([*parts, recoder.feed(b"", final=True)]).decode() == text


def test_half_a_pair_within_a_text_is_marked_as_one() -> None:
    raw = json.dumps(whole("openai", f"{TEXT} \ud83d {TEXT}", "stop"))
    assert is_whole(of_body("openai", json.loads(raw)), f"{TEXT} \N{REPLACEMENT CHARACTER} {TEXT}")


@pytest.mark.parametrize("wire", ["openai", "gemini"])
def test_another_choice_that_comes_to_its_own_end_changes_nothing(wire: str) -> None:
    if wire == "openai":
        other = [{"choices": [{"index": 1, "delta": {"content": part}}]} for part in ("Hi", " there", "")]
        end: Any = {"choices": [{"index": 1, "delta": {}, "finish_reason": "stop"}]}
    else:
        other = [{"candidates": [{"index": 1, "content": {"parts": [{"text": part}]}}]} for part in ("Hi", " you", "")]
        end = {"candidates": [{"index": 1, "finishReason": "STOP"}]}
    done = next(iter(OWN[wire]))
    assert is_whole(of_stream(wire, streamed(wire, TEXT, done, early=[*other, end])))
    assert is_whole(of_stream(wire, streamed(wire, TEXT, done, early=other[2:])))
    assert not counts(of_stream(wire, streamed(wire, TEXT, done, early=other)))
