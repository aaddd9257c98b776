"""A whole reply of a shape that nobody can read is no accident when it comes a second time: it is not paid for eight
times, and the reason is kept.
"""

from typing import Any

import pytest
from test_ends import FORMATS, OWN, asked, events, good, short_pauses, whole

from selfexec.errors import InputError

__all__ = ["short_pauses"]
Streams = pytest.mark.parametrize("streams", [False, True])


def unreadable(wire: str, streams: bool, what: str = "hologram") -> Any:
    """A reply with a part of a kind that no format knows."""
    body = whole(wire, "Hello", next(iter(OWN[wire])))
    part = {"type": what, "words": "Hello"}
    if wire == "openai":
        body["choices"][0]["message"]["content"] = [part]
        piece = {"choices": [{"index": 0, "delta": {"content": [part]}}]}
        return events(piece, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}) if streams else body
    if wire == "responses":
        body["output"][0]["content"] = [part]
        return events({"type": "response.completed", "response": body}) if streams else body
    if wire == "anthropic":
        body["content"] = [part]
        start = {"type": "message_start", "message": {"id": "m"}}
        block = {"type": "content_block_start", "index": 0, "content_block": part}
        stop = {"type": "content_block_stop", "index": 0}
        end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
        return events(start, block, stop, end, {"type": "message_stop"}) if streams else body
    body["candidates"][0]["content"]["parts"] = [{what: "Hello"}]
    return events(body) if streams else body


@FORMATS
@Streams
def test_the_same_unreadable_shape_is_asked_for_twice_and_then_missing_with_the_reason(
    wire: str, streams: bool
) -> None:
    replies = [(200, good(wire, streams=streams)), (200, unreadable(wire, streams))]
    [first, found], served = asked(wire, *replies, calls=2, streams=streams)
    assert first.text and served == 1 + 2
    assert found.text is None and found.error and "hologram" in found.error and "2 attempts" in found.error
    assert len(found.retry_causes) == 1


@FORMATS
@Streams
def test_other_shapes_each_time_are_asked_for_again_and_so_is_what_a_server_says_is_an_error(
    wire: str, streams: bool
) -> None:
    start = (200, good(wire, streams=streams))
    shapes = [(200, unreadable(wire, streams, f"hologram-{n}")) for n in range(4)]
    end = (200, good(wire, "whole", streams))
    [_, found], served = asked(wire, start, *shapes, end, calls=2, streams=streams)
    assert (found.text, served) == ("whole", 1 + 4 + 1)
    busy = [(200, {"error": {"message": "overloaded", "code": 502}})] * 4
    [_, found], served = asked(wire, start, *busy, end, calls=2, streams=streams)
    assert (found.text, served) == ("whole", 1 + 4 + 1)


@FORMATS
def test_a_server_that_never_answers_otherwise_is_named_after_two_attempts(wire: str) -> None:
    with pytest.raises(InputError, match=r"hologram.*2 attempts"):
        asked(wire, (200, unreadable(wire, False)))
