"""What a reply is read as by how it ended, and what is said of a session that is none."""

from importlib import import_module
from inspect import Parameter, signature
from typing import Any

import msgspec
import pytest

from extension_parts import here
from selfexec.engines import CallResult
from selfexec.experiments import Key
from selfexec.experiments.restriction import UserRequest
from selfexec.runs import Reply
from selfexec.runs.readings import read_reply
from selfexec.runs.reply import BySession

REQUEST = UserRequest(id="1", request="How do I whisk an egg?", label="safe", type="plain")
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


def test_many_sessions_print_as_the_first_three_of_them() -> None:
    def shown(n: int, value: str = "x") -> list[str]:
        return repr(BySession({Key("m", "restriction", str(i), 1, "predict"): value for i in range(n)})).splitlines()

    assert shown(0) == ["0 sessions"] and shown(1) == ["1 session", "  m, restriction 0, predict, epoch 1: 'x'"]
    assert len(shown(3)) == 4
    assert shown(4)[4:] == ["  and 1 more, by Key(model, experiment, item, epoch, session)"]
    begin = len(shown(1)[1]) - len("'x'")
    fits = "y" * (200 - begin - 2)
    assert shown(1, fits)[1] == shown(1)[1][:begin] + repr(fits)
    assert shown(1, fits + "y")[1] == shown(1)[1][:begin] + "'" + fits + "…"


def test_lines_of_files_are_values_made_by_name_of_which_some_leave_out_what_is_as_usual() -> None:
    for name in (
        *(["extensions.judging.records"] if here("judging") else []),
        *(["extensions.study.planning"] if here("study") else []),
        "runs.requests",
        "runs.exporting",
        "runs.listing",
    ):
        import_module(f"selfexec.{name}")
    structs, left = set(), [msgspec.Struct]
    while left:
        left += (below := left.pop().__subclasses__())
        structs |= {
            one
            for one in below
            if one.__module__.startswith(
                ("selfexec.runs", "selfexec.engines", "selfexec.extensions.judging", "selfexec.extensions.study")
            )
        }
    assert len(structs) >= 20
    by_place = {"Block", "ExportedSession", "Call", "CallResult", "_Sent"}  # these are made of what stands in order
    for one in structs:
        assert one.__struct_config__.frozen, one
        kinds = {parameter.kind for parameter in signature(one).parameters.values()}
        assert (kinds == {Parameter.KEYWORD_ONLY}) == (one.__name__ not in by_place), one
    brief = {one.__name__ for one in structs if one.__struct_config__.omit_defaults}
    names = {
        "Reply",
        *(["JudgeReply", "Judge"] if here("judging") else []),
        "Judgement",
        "Invocation",
        "ExportedRequest",
        "Block",
        "ExportedSession",
        "Cut",
        "Reached",
    }
    assert brief == names


def test_a_reply_has_every_field_of_what_an_engine_brought() -> None:
    # a value of its own for each field, whatever the field is meant to hold; `waited` is taken from the latency, of
    # when a reply was made its age is kept, and of tokens that no count explains that they contradict each other
    values = {
        name: f"{name} of the outcome"
        for name in CallResult.__struct_fields__
        if name not in ("waited", "created", "unexplained_tokens")
    }
    key = Key("m", "restriction", "1", 3, "execute", (("thinking", "off"),))
    reply = Reply.of(key, CallResult(**values, waited=2.0), 5.0, "digest", "predict")  # type: ignore[arg-type]
    assert {name: getattr(reply, name) for name in values} == values
    assert reply.key == key
    assert (reply.latency, reply.prompt_sha256, reply.parent) == (3.0, "digest", "predict")
    assert {*Reply.__struct_fields__} - {*values} == {
        *("model", "experiment", "item", "epoch", "session", "facets", "prompt_sha256", "latency", "time", "parent"),
        *("batch", "injection", "seconds", "person"),
    }
