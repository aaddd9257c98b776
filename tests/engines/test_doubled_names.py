"""A name that stands twice in an object of a body, with two values: nobody can say which of them is meant."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_ends import FORMATS, OWN, asked, counts, good, of_stream, read, streamed, whole
from test_policy import GATEWAY

from effort import examples
from selfexec.engines.http.doubled_names import DoubledName, check_names
from selfexec.engines.http.errors import error_body
from selfexec.engines.http.policy import verdict


class Pairs(list[tuple[str, Any]]):
    """An object as it is written: names with values, of which some may stand twice."""


TEXT = st.text(st.sampled_from('ab":{}[],\\ \n\té\u2028'), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.lists(st.tuples(TEXT, inner), max_size=4).map(Pairs),
    max_leaves=12,
)


def written(value: Any, colon: str, escaped: bool) -> str:
    if isinstance(value, Pairs):
        pairs = (json.dumps(name, ensure_ascii=escaped) + colon + written(part, colon, escaped) for name, part in value)
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(written(part, colon, escaped) for part in value) + "]"
    return json.dumps(value, ensure_ascii=escaped)


def meant(value: Any) -> Any:
    """A value as decoders read it."""
    if isinstance(value, Pairs):
        return {name: meant(part) for name, part in value}
    return [meant(part) for part in value] if isinstance(value, list) else value


def is_doubled(value: Any) -> bool:
    """Whether an object within has a name with two values: by comparing each pair with each."""
    if isinstance(value, Pairs):
        pairs = [(name, meant(part)) for name, part in value]
        if any(name == other and part != last for name, part in pairs for other, last in pairs):
            return True
    inner = [part for _, part in value] if isinstance(value, Pairs) else value if isinstance(value, list) else []
    return any(map(is_doubled, inner))


@given(value=VALUES, colon=st.sampled_from([":", ": ", " :", "\n:\t"]), escaped=st.booleans())
@settings(max_examples=examples(150), deadline=None)
def test_a_name_with_two_values_is_found_wherever_it_stands_and_nothing_else_is(
    value: Any, colon: str, escaped: bool
) -> None:
    raw = written(value, colon, escaped).encode()
    if is_doubled(value):
        with pytest.raises(DoubledName):
            check_names(raw, msgspec.json.decode(raw))
    else:
        check_names(raw, msgspec.json.decode(raw))


def doubled(wire: str, raw: bytes) -> list[bytes]:
    """A reply in which, in turn, each name of those that count stands twice, with another value first."""
    names = [b'"finish_reason": ', b'"content": ', b'"text": ', b'"status": ', b'"stop_reason": ', b'"finishReason": ']
    found = [name for name in names if name in raw]
    return [raw.replace(name, name + b'"other", ' + name) for name in found]


@FORMATS
def test_a_reply_with_two_ends_or_two_texts_is_none_in_one_piece_or_in_many(wire: str) -> None:
    done = next(iter(OWN[wire]))
    bodies = doubled(wire, json.dumps(whole(wire, "Hello", done)).encode())
    streams = doubled(wire, streamed(wire, "Hello", done))
    assert len(bodies) >= 2 and streams
    assert not any(counts(read(wire, raw)) for raw in bodies)
    assert not any(counts(of_stream(wire, raw)) for raw in streams)
    same = json.dumps(whole(wire, "Hello", done)).encode()
    name = b'"text": "Hello"' if b'"text"' in same else b'"content": "Hello"'
    assert counts(read(wire, same.replace(name, name + b", " + name)))  # the same value twice is one


@FORMATS
@pytest.mark.parametrize("streams", [False, True])
def test_such_a_reply_is_asked_for_again(wire: str, streams: bool) -> None:
    answer = good(wire, streams=streams)
    raw = answer if streams else json.dumps(answer).encode()
    [found], served = asked(wire, (200, doubled(wire, raw)[0]), (200, good(wire, streams=streams)), streams=streams)
    assert (found.text, found.attempt, served) == ("Hello", 2, 2)


def test_a_body_that_is_not_quite_json_is_looked_at_too() -> None:
    raw = json.dumps(whole("openai", "Hi \ud83d there", "stop")).encode()
    assert counts(read("openai", raw))
    assert read("openai", raw.replace(b'"finish_reason"', b'"finish_reason": "length", "finish_reason"')) is None


def test_an_error_with_two_codes_is_no_policy() -> None:
    one = b'{"error": {"code": "content_filter", "message": "flagged"}}'
    two = one.replace(b'"code"', b'"code": "account_suspended", "code"')
    assert verdict(GATEWAY, 400, error_body(one)).kind == "policy"
    assert verdict(GATEWAY, 400, error_body(two)).kind != "policy"
    within = {"error": {"code": "content_filter", "message": "flagged", "details": [two.decode()]}}
    assert verdict(GATEWAY, 400, within).kind != "policy"
    assert verdict(GATEWAY, 400, {"error": {**within["error"], "details": [one.decode()]}}).kind == "policy"
