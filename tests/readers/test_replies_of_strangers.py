"""Replies to the very prompts of the starter set, by language models that had not seen the readers.

`meant` is what each was written to mean, None where it commits to nothing or was cut off before its fifth word. What
was read of them before anything was mended for them stands in docs/reading.md. Since then the rules behind what was
read as another value are in place, and what is lost is left as it is: of the fifth set marks two objects deep, shares
with a threshold in words, and a word that is left open behind a sentence with two verbs; of the sixth two sets of marks
in everyday prose, "the other one" of two options, and marks under translated names, which mark one of the options only.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from selfexec.items import load
from selfexec.readers import Reading, fold
from selfexec.runs import Reply, read_reply

ITEMS = load("starter").items
SETS = {  # which stranger -> replies with a meaning, and how many of these are lost at most
    "third": (168, 40),
    "fourth": (160, 0),
    "fifth": (160, 3),
    "sixth": (161, 4),
}


def replies_of(stranger: str) -> list[dict[str, Any]]:
    path = Path(__file__).parent / f"replies_of_a_{stranger}_stranger.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def reading_of(reply: dict[str, Any]) -> Reading:
    session = {key: reply[key] for key in ("experiment", "item", "session", "text")}
    item = ITEMS[reply["experiment"]][reply["item"]]
    return read_reply(item, Reply(model="m", stop_reason=reply.get("stop_reason", "stop"), **session))


def folded(value: Any) -> Any:
    if isinstance(value, dict):
        return {fold(word): mark for word, mark in value.items()}
    return [fold(word) for word in value] if isinstance(value, list | tuple) else value


def value_of(reply: dict[str, Any]) -> Any:
    """What a reply is read as. Right marks of some options only, as claims take them, are not yet the reply."""
    value, meant = folded(reading_of(reply).value), folded(reply["meant"])
    if not isinstance(value, dict) or not isinstance(meant, dict):
        return value
    contrary = any(meant.get(word, mark) != mark for word, mark in value.items())
    return value if contrary or meant.keys() <= value.keys() else None


@pytest.mark.parametrize("stranger", SETS)
def test_no_reply_of_a_stranger_is_read_as_another_value_than_meant_and_none_is_invented(stranger: str) -> None:
    replies = replies_of(stranger)
    assert len(replies) == 200
    wrong = [
        (reply["text"], value)
        for reply in replies
        if (value := value_of(reply)) is not None and value != folded(reply["meant"])
    ]
    assert not wrong


@pytest.mark.parametrize("stranger", SETS)
def test_no_more_replies_with_a_meaning_are_lost_than_those_that_are_known(stranger: str) -> None:
    number, lost_at_most = SETS[stranger]
    with_a_meaning = [reply for reply in replies_of(stranger) if reply["meant"] is not None]
    assert len(with_a_meaning) == number
    assert sum(value_of(reply) is None for reply in with_a_meaning) <= lost_at_most


def test_all_predictions_that_do_the_task_are_said_to() -> None:
    performed = [reading_of(reply).reason for reply in replies_of("third") if reply.get("performed")]
    assert performed == ["performed"] * 7
