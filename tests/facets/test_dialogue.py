"""Sessions within a session: what they are called, and that no experiment's own name is taken for one."""

import pytest

from selfexec.experiments import EXPERIMENTS, Key
from selfexec.facets import (
    FACETS,
    Nested,
    answers_calls,
    base_of,
    call_of,
    is_call,
    may_nest,
    nested,
    turn_of,
    why_apart,
)
from selfexec.items import load


def test_turns_and_calls_are_named_after_their_session() -> None:
    assert [turn_of("predict", n) for n in (1, 2)] == ["predict", "predict.turn.2"]
    assert nested("predict.turn.2") == Nested("predict", "turn", 2)
    assert nested(call_of("predict.a", 1)) == Nested("predict.a", "call", 1)
    assert base_of("predict.call.3") == "predict" and is_call("predict.call.3") and not is_call("predict.turn.3")


@pytest.mark.parametrize(
    "name", ["predict", "execute.Q1", "turn.1", "call.1", "predict.turn.0", "predict.call.100", "predict.turn.x"]
)
def test_other_names_are_of_no_session_within_another(name: str) -> None:
    assert nested(name) is None and base_of(name) == name and not is_call(name)


def test_no_experiment_has_a_session_that_is_called_like_one_within_another() -> None:
    items = load("starter")
    names = {s for e in items.experiments for i in items[e].values() for s in EXPERIMENTS[e].session_names(i)}
    assert names and not [name for name in names if nested(name)]


def test_where_no_facet_makes_a_conversation_nothing_is_within_a_session() -> None:
    assert not may_nest((("frame", "person"),), "restriction", Nested("predict", "turn", 2))
    assert not may_nest((), "restriction", Nested("predict", "call", 1))
    assert answers_calls(Key("m", "restriction", "i", 1, "predict.call.1")) == "m"


def test_of_the_facets_in_the_core_none_stands_apart() -> None:
    apart = {name for name, facet in FACETS.items() if facet.apart}
    assert apart <= {"tool"}
    assert why_apart("default") is None and why_apart("frame=person") is None and why_apart("no condition") is None
