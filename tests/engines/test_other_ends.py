"""What a reply says of its end in fields of other formats, and in other places than its own: the worse word counts."""

from typing import Any

import pytest
from test_ends import FORMATS, OWN, CallResult, counts, of_body, of_stream, places_in, streamed, whole

TEXT = "Dear neighbours, welcome to our picnic."
NAMES = pytest.mark.parametrize(
    "name",
    [
        *("finish_reason", "finishReason", "stop_reason", "stopReason", "native_finish_reason", "nativeFinishReason"),
        *("done_reason", "upstream_finish_reason", "stop_type"),
    ],
)


def says(found: CallResult | None) -> str | None:
    """How a reply ended, by our name for it; None where it counts for nothing."""
    return found.stop_reason if found is not None and found.error is None else None


def piece_at(wire: str, place: int, field: dict[str, Any]) -> dict[str, Any]:
    """A piece of a stream without words, with a field at one of its places, from the outside in."""
    if wire == "openai":
        delta = [field if place == at else {} for at in range(3)]
        return {"choices": [{"index": 0, "delta": delta[2], **delta[1]}], **delta[0]}
    if wire == "gemini":
        content = [field if place == at else {} for at in range(3)]
        return {"candidates": [{"content": {"role": "model", **content[2]}, **content[1]}], **content[0]}
    if wire == "anthropic":
        return {"type": "message_delta", "delta": field} if place else {"type": "ping", **field}
    response = {"id": "r", "status": "in_progress", **(field if place == 1 else {})}
    return {"type": "response.in_progress", "response": response, **(field if place != 1 else {})}


@FORMATS
@NAMES
@pytest.mark.parametrize(
    ("word", "stop"),
    [
        *(("length", "length"), ("MAX_TOKENS", "length"), ("SAFETY", "content_filter"), ("error", None)),
        *(("timeout", None), ("stop", "stop"), ("end_turn", "stop"), ("", "stop")),
    ],
)
def test_a_word_for_the_end_in_any_field_for_one_counts_where_it_is_the_worse(
    wire: str, name: str, word: str, stop: str | None
) -> None:
    done = next(iter(OWN[wire]))
    for place in range(3):
        body = whole(wire, TEXT, done)
        places = places_in(wire, body)
        at = places[place % len(places)]
        if wire == "anthropic" and at is not body:
            continue  # a part of a text has no end of its own
        if name not in at:
            at[name] = word
            assert says(of_body(wire, body)) == stop, place
        is_own = name in ("finish_reason" if wire == "openai" else "stop_reason", "finishReason")
        if not is_own:  # which would be the end of the stream
            found = of_stream(wire, streamed(wire, TEXT, done, early=[piece_at(wire, place, {name: word})]))
            assert says(found) == stop, place


@FORMATS
def test_what_litellm_hands_on_counts_in_each_place(wire: str) -> None:
    done = next(iter(OWN[wire]))
    for place in range(3):
        for name in ("stop_reason", "finishReason"):
            body = whole(wire, TEXT, done)
            places = places_in(wire, body)
            if not (wire == "anthropic" and place % len(places)):
                places[place % len(places)]["provider_specific_fields"] = {name: "max_tokens"}
                assert says(of_body(wire, body)) == "length"


def test_a_later_piece_does_not_mend_the_word_of_an_earlier_one_and_none_completes_a_stream() -> None:
    for wire, name in (("openai", "done_reason"), ("gemini", "finish_reason"), ("anthropic", "finish_reason")):
        for place in range(3):
            pieces = [piece_at(wire, place, {name: word}) for word in ("length", "stop")]
            done = next(iter(OWN[wire]))
            assert says(of_stream(wire, streamed(wire, TEXT, done, early=pieces))) == "length"
            assert not counts(of_stream(wire, streamed(wire, TEXT, None, early=pieces[1:])))


@FORMATS
def test_the_string_or_the_number_of_the_token_at_which_a_server_stopped_is_no_word_for_an_end(wire: str) -> None:
    for value in ("\n\nHuman:", "###", 128001, None, True):
        for name in ("stop_reason", "stopReason", "matched_stop", "stop_type"):
            body = whole(wire, TEXT, next(iter(OWN[wire])))
            if name not in body:
                assert counts(of_body(wire, body | {name: value})), (name, value)


@FORMATS
def test_a_word_that_nobody_knows_makes_the_end_unknown(wire: str) -> None:
    body = whole(wire, TEXT, next(iter(OWN[wire]))) | {"upstream_finish_reason": "OTHER"}
    found = of_body(wire, body)
    assert found and (found.text, found.unknown_end) == (None, "OTHER")


@FORMATS
@pytest.mark.parametrize(
    ("field", "stop"),
    [
        *(({"stopped_limit": True}, "length"), ({"stoppedLimit": True, "stopped_eos": False}, "length")),
        *(({"stopped_eos": True, "stopped_limit": False}, "stop"), ({"stopped_word": True}, "stop")),
        *(({"stopped": True}, "stop"), ({"stopped_by": True}, "stop")),
        *(({name: "INTERVENED"}, "content_filter") for name in ("amazon-bedrock-guardrailAction", "guardrail_action")),
        *(({name: {"action": "INTERVENED"}}, "content_filter") for name in ("guardrail", "guardrailResult")),
        *(({"guardrail": {"action": "blocked"}}, "content_filter"), ({"guardrail": {"action": "NONE"}}, "stop")),
        *(({"amazon-bedrock-guardrailAction": "NONE"}, "stop"), ({"guardrails": ["pii"]}, "stop")),
    ],
    ids=repr,
)
def test_flags_of_what_stopped_it_and_a_guardrails_action_are_ends(wire: str, field: Any, stop: str) -> None:
    done = next(iter(OWN[wire]))
    for place in range(3):
        body = whole(wire, TEXT, done)
        places = places_in(wire, body)
        if wire != "anthropic" or not place:
            places[place % len(places)].update(field)
            assert says(of_body(wire, body)) == stop
        assert says(of_stream(wire, streamed(wire, TEXT, done, early=[piece_at(wire, place, field)]))) == stop


@FORMATS
@pytest.mark.parametrize("name", ["complete", "completed", "done", "is_finished", "isFinished", "finished", "eos"])
def test_a_whole_reply_that_says_that_it_is_not_all_there_does_not_count(wire: str, name: str) -> None:
    for place in range(3):
        for value, counted in ((False, False), ("false", False), (True, True), (None, True), (0, True)):
            body = whole(wire, TEXT, next(iter(OWN[wire])))
            places = places_in(wire, body)
            places[0 if wire == "anthropic" else place % len(places)][name] = value
            assert counts(of_body(wire, body)) is counted


@pytest.mark.parametrize("wire", ["openai", "gemini"])
@pytest.mark.parametrize("place", [0, 1])
def test_in_a_stream_each_piece_but_the_last_may_say_that_it_is_not_all_there(wire: str, place: int) -> None:
    done = next(iter(OWN[wire]))
    for last, counted in ((True, True), (False, False)):
        pieces = [piece_at(wire, place, {"is_finished": flag}) for flag in (False, False, last)]
        assert counts(of_stream(wire, streamed(wire, TEXT, done, early=pieces))) is counted
