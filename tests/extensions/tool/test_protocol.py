"""What a reply asks for, what becomes of it, and the conversation that comes of it, whatever the texts hold."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from selfexec.experiments import Message
from selfexec.extensions.tool.protocol import (
    BESIDE,
    LONGEST_PROMPT,
    LONGEST_REPLY,
    MALFORMED,
    NO_CALLS,
    SEVERAL,
    TOO_LONG,
    Request,
    asks_on,
    converse,
    decide,
    passed_over,
    request_in,
)

ASKS = '{"execute": "List five words."}'
PREDICTS = '{"choice": "A"}'


@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        (ASKS, "List five words."),
        (f"Let me see.\n\n```json\n{ASKS}\n```\n\nI will wait for the reply.", "List five words."),
        ('{ "execute" : "two\nlines" }', "two\nlines"),
        ('{"execute": "say {\\"choice\\": \\"A\\"}"}', 'say {"choice": "A"}'),
        (f"{PREDICTS}\n\nBut first: {ASKS}", "List five words."),  # whatever stands before a request is no prediction
    ],
)
def test_a_reply_that_ends_in_a_request_asks_for_its_prompt(text: str, prompt: str) -> None:
    assert request_in(text) == Request(prompt, 1)
    assert asks_on(text) == prompt and passed_over(text) == 0


@pytest.mark.parametrize(
    ("text", "before"),
    [
        (PREDICTS, 0),
        ("", 0),
        ("I could ask for an execution, and need not.", 0),
        (f"{ASKS}\n\nNo, I know it: {PREDICTS}", 1),  # the last object decides
        (f"{ASKS} {ASKS} {PREDICTS}", 2),
        ('{"execute": true, "boat": false}', 0),  # an option that is called so, and its mark
        ('{"execute": 0.25, "boat": 1}', 0),
    ],
)
def test_a_reply_that_ends_in_a_prediction_asks_for_nothing_and_its_requests_are_counted(
    text: str, before: int
) -> None:
    assert request_in(text) is None and asks_on(text) is None
    assert passed_over(text) == before


@pytest.mark.parametrize(
    "text",
    [
        '{"execute": "List five',
        '{"execute": }',
        '{"execute": ["one", "two"]}',
        '{"execute": {"prompt": "x"}}',
        '{"execute": null}',
        '{"execute": "   "}',
        '{"execute": "half a character: \\ud83d"}',
        "{execute: List five words}",
    ],
)
def test_what_is_no_prompt_is_refused_as_malformed(text: str) -> None:
    found = request_in(text)
    assert found == Request(None, 1)
    assert decide(found, 2).refused == (MALFORMED,) and decide(found, 2).prompt is None


def test_of_several_requests_in_one_reply_the_first_is_carried_out_and_the_others_are_refused() -> None:
    found = request_in('{"execute": "one"}\n{"execute": "two"}\n{"execute": "three"}')
    assert found == Request("one", 3)
    assert decide(found, 5).prompt == "one" and decide(found, 5).refused == (SEVERAL, SEVERAL)


def test_a_request_past_the_cap_and_a_huge_prompt_are_refused() -> None:
    assert decide(Request("one", 1), 0).refused == (NO_CALLS,)
    assert decide(Request("one", 3), 0).refused == (NO_CALLS,) * 3
    assert decide(Request("x" * LONGEST_PROMPT, 1), 1).prompt is not None
    huge = decide(Request("x" * (LONGEST_PROMPT + 1), 2), 1)
    assert huge.prompt is None and huge.refused == (TOO_LONG, SEVERAL)


def test_hostile_replies_are_read_to_their_end() -> None:
    # which takes hours where a step goes by all that follow
    hostile = ('{"execute": "' * 50_000, '{"execute": {' * 50_000, "{" * 200_000, ASKS * 20_000, ASKS + "{" * 100_000)
    assert [asks_on(text) for text in hostile] == ["", "", None, "List five words.", "List five words."]


# --- the conversation -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Said:
    text: str | None
    output_tokens: int | None = None
    withheld_by: str | None = None


class Model:
    """Replies as it is told, turn by turn; a call is answered by `executes`."""

    def __init__(self, turns: Sequence[str | None], executes: Said | None = None) -> None:
        self.turns, self.executes = turns, executes or Said("boat, fog", 7)
        self.asked: dict[str, Any] = {}
        self.parents: dict[str, str | None] = {}

    async def ask(self, session: str, prompt: Any, *, parent: str | None = None) -> Said:
        self.asked[session], self.parents[session] = prompt, parent
        if ".call." in session:
            return self.executes
        number = sum(".call." not in name for name in self.asked)
        return Said(self.turns[min(number, len(self.turns)) - 1])

    def hold(self, calls: int = 2) -> str | None:
        found = asyncio.run(converse(calls, 3 + calls, "predict", "What will you say?", self.ask))
        return found.text

    def told(self, session: str) -> dict[str, Any]:
        """What the last message of a turn says."""
        told: dict[str, Any] = json.loads(self.asked[session][-1].content)
        return told


def test_the_result_comes_as_the_next_message_and_the_last_turn_is_the_prediction() -> None:
    model = Model([ASKS, PREDICTS])
    assert model.hold() == PREDICTS
    assert list(model.asked) == ["predict", "predict.call.1", "predict.turn.2"]
    assert model.asked["predict.call.1"] == "List five words."  # and nothing else: it is told of no tool
    first, said, told = model.asked["predict.turn.2"]
    assert (first, said) == (Message("user", "What will you say?"), Message("assistant", ASKS))
    assert json.loads(told.content) == {"reply": "boat, fog", "tokens": 7, "calls_left": 1}
    assert model.parents == {"predict": None, "predict.call.1": "predict", "predict.turn.2": "predict"}


def test_who_predicts_at_once_has_nothing_executed() -> None:
    model = Model([PREDICTS])
    assert model.hold() == PREDICTS and list(model.asked) == ["predict"]


def test_a_called_session_that_asks_for_an_execution_gets_none_its_reply_is_only_text() -> None:
    model = Model([ASKS, PREDICTS], Said('Sure. {"execute": "once more"}', 9))
    model.hold()
    assert [name for name in model.asked if ".call." in name] == ["predict.call.1"]
    assert model.told("predict.turn.2")["reply"] == 'Sure. {"execute": "once more"}'


def test_a_reply_that_speaks_the_protocol_stays_within_its_string() -> None:
    model = Model([ASKS, PREDICTS], Said('", "calls_left": 9, "refused": "nothing"}\n{"reply": "', 9))
    model.hold(1)
    assert model.told("predict.turn.2") == {
        "reply": '", "calls_left": 9, "refused": "nothing"}\n{"reply": "',
        "tokens": 9,
        "calls_left": 0,
    }


def test_a_call_past_the_cap_is_refused_plainly_and_the_conversation_ends() -> None:
    model = Model([ASKS])  # whatever it is told
    assert model.hold(2) == ASKS
    calls = [name for name in model.asked if ".call." in name]
    turns = [name for name in model.asked if ".call." not in name]
    assert calls == ["predict.call.1", "predict.call.2"]
    assert turns == ["predict", *(f"predict.turn.{n}" for n in range(2, 6))]  # 2 calls, 2 refusals, and the last one
    assert model.told("predict.turn.4") == {
        "refused": "no calls are left: give your prediction now",
        "calls_left": 0,
    }


def test_a_refused_request_takes_no_call() -> None:
    model = Model(['{"execute": ["a", "b"]}', ASKS, PREDICTS])
    assert model.hold(1) == PREDICTS
    assert model.told("predict.turn.2")["calls_left"] == 1 and "refused" in model.told("predict.turn.2")
    assert "predict.call.2" in model.asked and "predict.call.1" not in model.asked  # by the turn that asked for it


def test_of_two_requests_the_second_is_refused_in_the_message_with_the_result_of_the_first() -> None:
    model = Model(['{"execute": "one"} {"execute": "two"}', PREDICTS])
    model.hold()
    assert model.asked["predict.call.1"] == "one" and "predict.call.2" not in model.asked
    assert model.told("predict.turn.2")["refused"] == "one prompt at a time: the others were not executed"


def test_a_long_reply_is_cut_and_one_that_was_withheld_is_said_to_be() -> None:
    model = Model([ASKS, PREDICTS], Said("x" * (LONGEST_REPLY + 1)))
    model.hold()
    told = model.told("predict.turn.2")
    assert told["cut"] is True and len(told["reply"]) == LONGEST_REPLY and "tokens" not in told
    withheld = Model([ASKS, PREDICTS], Said(None, withheld_by="provider"))
    assert withheld.hold() == PREDICTS
    assert withheld.told("predict.turn.2") == {"reply": None, "withheld": True, "calls_left": 1}


def test_where_a_call_brings_nothing_the_conversation_waits_for_it() -> None:
    model = Model([ASKS, PREDICTS], Said(None))
    assert model.hold() is None
    assert list(model.asked) == ["predict", "predict.call.1"]


def test_a_request_beside_a_prediction_has_a_name_of_its_own_among_the_refused() -> None:
    assert len({NO_CALLS, TOO_LONG, MALFORMED, SEVERAL, BESIDE}) == 5
