"""Replies that begin or end within the object that they were asked for are named, by any cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfexec.runs.halved_objects import halved_objects, is_half
from selfexec.runs.reply import Reply
from selfexec.runs.run import Run

OBJECTS = (
    '{"words": ["prices", "money", "economy", "wages", "interest"]}',
    '{\n  "choice": "A"\n}',
    '{"ranking": ["Q2", "Q1", "Q4", "Q3"]}',
    '{"wave": true, "fish": false}',
)


def reply(text: str, n: int, session: str = "execute", stop: str | None = "stop") -> Reply:
    return Reply(model="m", experiment="association", item=str(n), session=session, text=text, stop_reason=stop)


WHOLE = [reply(f"Well.\n{OBJECTS[0]}", n) for n in range(40)]


@given(st.sampled_from(OBJECTS), st.sampled_from(["", "Let me see.\n\n", "It is {x}: "]), st.data())
def test_wherever_an_object_is_cut_its_beginning_is_half(whole: str, before: str, data: st.DataObject) -> None:
    kept = data.draw(st.integers(1, len(whole) - 1))
    assert is_half(before + whole[:kept]) is True
    assert not is_half(before + whole)


@given(st.sampled_from(OBJECTS), st.integers(1, 5))
def test_an_object_without_its_first_signs_is_half(whole: str, lost: int) -> None:
    assert is_half(whole[lost:])


@pytest.mark.parametrize("stop", ["stop", None])
def test_two_halved_replies_are_named_though_the_server_says_that_they_are_whole(stop: str | None) -> None:
    cut = [reply(f"Well.\n{OBJECTS[0][:-n]}", n, stop=stop) for n in (3, 12)]
    assert halved_objects([*WHOLE, *cut]) == cut
    assert halved_objects([*WHOLE, cut[0]]) == halved_objects(WHOLE) == []
    assert halved_objects([*WHOLE * 3, *cut]) == []  # 2 of 122: a model may forget a bracket
    limited = [reply(one.text or "", n, stop="length") for n, one in enumerate(cut)]
    assert halved_objects([*WHOLE, *limited]) == []  # which is said


@pytest.mark.parametrize("text", ["Set {a, b} and {", "He said }", "No object.", "f(x) = {x", 'Say "{" twice.'])
def test_brackets_of_other_texts_are_no_half(text: str) -> None:
    asked = Reply(model="m", experiment="restriction", item="1", session="execute", text=text, stop_reason="stop")
    assert halved_objects([asked, asked]) == []  # nobody asked for an object there


def test_of_ten_recorded_models_none_is_named(ten_models: Run) -> None:
    for model in ten_models.models:
        assert halved_objects(reply for reply in ten_models.replies.values() if reply.model == model) == []
