"""Replies to the very prompts of the starter set, by a third language model that had not seen the readers.

`meant` is what each was written to mean, None where it commits to nothing or was cut off before its fifth word. Before
anything was mended for them, 125 of the 168 with a meaning were read, 4 as another value and 1 of the others; since
then the rules behind these five errors are in place, and what is lost is left as it is.
"""

import json
from pathlib import Path
from typing import Any

from selfexec.items import load
from selfexec.readers import Reading, fold
from selfexec.runs import Reply, read_reply

REPLIES = [
    json.loads(line)
    for line in (Path(__file__).parent / "replies_of_a_third_stranger.jsonl").read_text(encoding="utf-8").splitlines()
]
ITEMS = load("starter").items
LOST_AT_MOST = 40


def reading_of(reply: dict[str, Any]) -> Reading:
    session = {key: reply[key] for key in ("experiment", "item", "session", "text")}
    item = ITEMS[reply["experiment"]][reply["item"]]
    return read_reply(item, Reply(model="m", stop_reason=reply.get("stop_reason", "stop"), **session))


def folded(value: Any) -> Any:
    if isinstance(value, dict):
        return {fold(word): mark for word, mark in value.items()}
    return [fold(word) for word in value] if isinstance(value, list | tuple) else value


def test_no_reply_of_a_third_stranger_is_read_as_another_value_than_meant_and_none_is_invented() -> None:
    assert len(REPLIES) == 200
    wrong = [
        (reply["text"], value)
        for reply in REPLIES
        if (value := reading_of(reply).value) is not None and folded(value) != folded(reply["meant"])
    ]
    assert not wrong


def test_three_in_four_replies_of_a_third_stranger_with_a_meaning_are_read() -> None:
    with_a_meaning = [reply for reply in REPLIES if reply["meant"] is not None]
    assert len(with_a_meaning) == 168
    assert sum(reading_of(reply).value is None for reply in with_a_meaning) <= LOST_AT_MOST


def test_all_predictions_of_a_third_stranger_that_do_the_task_are_said_to() -> None:
    performed = [reading_of(reply).reason for reply in REPLIES if reply.get("performed")]
    assert performed == ["performed"] * 7
