"""Replies that are begun for the model, over HTTP on a real socket: in two spellings, and only where they are gone on
with.
"""

import asyncio
from typing import Any

import pytest

from prefill_server import PrefillServer, Way
from selfexec.engines import Call, CallResult, Connection, engine_type, refuse_unable
from selfexec.engines.http.client import HttpEngine
from selfexec.engines.http.prefill import BEGUN, COUNT, REPEATED_OTHERS, WITHIN, without_beginning
from selfexec.errors import InputError
from selfexec.experiments import Key, Message
from sockets import server

ASKED, RIGHT = "Which colours has the flag of France?", "They are blue, white and red."
NEEDS: Any = frozenset({"turns", "prefill"})


def begun(text: str, model: str = "vllm/m") -> Call:
    messages = (Message("user", ASKED), Message("assistant", text))
    return Call(Key(model, "any", "flag", 1, "execute.none"), messages, {"temperature": 0}, NEEDS)


def asked(one: PrefillServer, *calls: Call) -> list[CallResult]:
    async def main() -> list[CallResult]:
        async with (
            server(one.app) as url,
            HttpEngine([calls[0].model], Connection(base_url=url, timeout=5)) as engine,
        ):
            return [await engine.ask(call) for call in calls]

    return asyncio.run(main())


def test_vllm_is_told_by_two_fields_and_goes_on_with_the_last_message() -> None:
    one = PrefillServer("goes on", {ASKED: RIGHT})
    [result] = asked(one, begun("They are"))
    assert result.text == " blue, white and red."
    body = one.bodies[-1]
    assert (body["continue_final_message"], body["add_generation_prompt"]) == (True, False)
    assert body["messages"] == [{"role": "user", "content": ASKED}, {"role": "assistant", "content": "They are"}]


def test_mistral_is_told_by_the_last_message() -> None:
    one = PrefillServer("goes on", {ASKED: RIGHT})
    [result] = asked(one, begun("They are", "mistral/m"))
    assert result.text == " blue, white and red."
    assert one.bodies[-1]["messages"][-1] == {"role": "assistant", "content": "They are", "prefix": True}
    assert "continue_final_message" not in one.bodies[-1]


def test_a_server_is_probed_once_with_the_settings_of_the_call_and_before_any_call_that_needs_it() -> None:
    one = PrefillServer("goes on", {ASKED: RIGHT})
    plain = Call(Key("vllm/m", "any", "flag", 1, "execute"), (Message("user", ASKED),), {"temperature": 0}, NEEDS)
    assert [result.text for result in asked(one, plain, begun("They"), plain)] == [
        RIGHT,
        " are blue, white and red.",
        RIGHT,
    ]
    first, second, *others = one.bodies
    assert first["messages"][0]["content"] == second["messages"][0]["content"] == COUNT
    assert first["messages"][1]["content"].endswith(f") {BEGUN}")
    assert second["messages"][1]["content"].endswith(f") {WITHIN}")
    assert first["temperature"] == 0 and len(others) == 3


def test_a_call_that_needs_no_prefill_is_asked_without_a_probe() -> None:
    one = PrefillServer("drops", {ASKED: RIGHT})
    asked(one, Call(Key("vllm/m", "any", "flag", 1, "execute"), (Message("user", ASKED),)))
    assert len(one.bodies) == 1


@pytest.mark.parametrize("way", ["drops", "takes it for a turn", "refuses to count"])
def test_a_server_that_does_not_go_on_is_named_and_nothing_is_asked(way: Way) -> None:
    one = PrefillServer(way, {ASKED: RIGHT})
    with pytest.raises(InputError, match=r"http://127.0.0.1:\d+/v1: it does not go on with a reply .* A gateway may"):
        asked(one, begun("They are"))
    assert {body["messages"][0]["content"] for body in one.bodies} == {COUNT}


def test_a_beginning_that_the_server_repeats_is_left_out() -> None:
    one = PrefillServer("repeats", {ASKED: RIGHT})
    first, second = asked(one, begun("They are"), begun("They are blue,"))
    assert (first.text, second.text) == (" blue, white and red.", " white and red.")


def test_a_beginning_that_the_model_itself_writes_again_is_kept() -> None:
    # this server repeats nothing, as its probe has shown: the model begins anew
    one = PrefillServer("goes on", {ASKED: "They are They are blue."})
    [result] = asked(one, begun("They are"))
    assert result.text == " They are blue."


def test_a_reply_without_its_beginning_is_an_error_where_others_have_theirs() -> None:
    found = without_beginning(CallResult("Something else."), begun("They are").messages)
    assert (found.text, found.error) == (None, REPEATED_OTHERS)


# --- where there is none ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "options", "has_it"),
    [
        ("vllm/m", {}, True),
        ("sglang/m", {"base_url": "https://gpu.example.org/v1"}, True),
        ("llamacpp/m", {}, True),
        ("mistral/m", {}, True),
        ("deepseek/m", {}, False),
        ("deepseek/m", {"base_url": "https://api.deepseek.com/beta"}, True),
        ("deepseek/m", {"base_url": "https://api.deepseek.com/beta/chat/completions"}, True),
        ("deepseek/m", {"base_url": "http://localhost:4000/v1"}, True),
        ("openai/m", {}, False),
        ("anthropic/m", {}, False),
        ("google/m", {}, False),
        ("ollama/m", {}, False),
        ("mine/m", {"base_url": "http://localhost:8000/v1"}, False),
        ("vllm/m", {"base_url": "http://localhost:8000/v1", "wire": "responses"}, False),
    ],
)
def test_prefill_is_there_where_the_server_is_known_to_have_it(model: str, options: Any, has_it: bool) -> None:
    connection = Connection(**options)
    assert ("prefill" in engine_type(model, connection).capabilities(model, connection)) is has_it


def test_an_experiment_that_needs_it_is_refused_by_name_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    from selfexec.experiments import EXPERIMENTS

    monkeypatch.setattr(type(EXPERIMENTS["association"]), "needs", NEEDS)
    with pytest.raises(InputError, match=r"association needs prefill .* 'openai/m'"):
        refuse_unable(["openai/m"], ["association"], Connection())
