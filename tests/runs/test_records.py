"""What a reply is read as by how it ended, and what is said of a session that is none."""

from typing import Any

import pytest

from selfexec.experiments import Key
from selfexec.experiments.restriction import Request
from selfexec.runs import Reply
from selfexec.runs.readings import read_reply
from selfexec.runs.records import BySession

REQUEST = Request(id="1", request="How do I whisk an egg?", label="safe", type="plain")
PLACE = ("m", "restriction", "1", 1, "predict")


def read(text: str | None, **more: Any) -> tuple[str, str | None]:
    names = ("model", "experiment", "item", "epoch", "session")
    found = read_reply(REQUEST, Reply(**dict(zip(names, PLACE, strict=True)), text=text, **more))
    return found.state, found.reason


def test_what_looks_cut_off_is_so_unless_the_model_ended_there() -> None:
    cut = 'I weigh both. {"cho'
    assert read(cut) == ("unreadable", "truncated")
    assert read(cut, stop_reason="stop") == ("unreadable", "format")
    assert read(cut, stop_reason="length") == ("unreadable", "truncated")
    assert read("Who knows?", stop_reason="length") == ("unreadable", "truncated")
    assert read("Who knows?", stop_reason="stop") == ("unreadable", "format")
    assert read("Who knows?") == ("unreadable", "format")
    assert read("A", stop_reason="length") == ("read", None)


def test_what_was_withheld_or_never_came_is_not_read() -> None:
    assert read("A", stop_reason="content_filter")[0] == "withheld"
    assert read("", refusal="No.")[0] == "withheld"
    assert read(None, error="no reply") == ("missing", "no reply")
    assert read("", stop_reason="length") == ("unreadable", "truncated")


def test_a_session_is_found_by_its_five_names_and_one_that_is_none_is_told() -> None:
    there = BySession({Key(*PLACE): "here"})
    assert there[PLACE] == "here"  # type: ignore[index]
    with pytest.raises(KeyError, match="there is no session"):
        there[("m", "restriction", "2", 1, "predict")]  # type: ignore[index]
    with pytest.raises(KeyError, match="names no session"):
        there[("m", "restriction", "2", 1)]  # type: ignore[index]
