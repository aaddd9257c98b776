"""Replies to the very prompts of the starter set, by a sixth language model that had not seen the readers.

`meant` is what each was written to mean, None where it commits to nothing or was cut off before its fifth word. Before
anything was mended for them, 149 of the 161 with a meaning were read, 2 as another value and 10 not at all, and
nothing from the 39 others. Four are still lost, which are left as they are: two sets of marks in everyday prose, "the
other one" of two options, and marks under translated names, which mark one of the options only.
"""

import json
from pathlib import Path
from typing import Any

from test_replies_of_a_third_stranger import folded, reading_of

REPLIES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "replies_of_a_sixth_stranger.jsonl").read_text(encoding="utf-8").splitlines()
]
LOST_AT_MOST = 4


def value_of(reply: dict[str, Any]) -> Any:
    """What a reply is read as. Right marks of some options only, as claims take them, are not yet the reply."""
    value, meant = folded(reading_of(reply).value), folded(reply["meant"])
    if not isinstance(value, dict) or not isinstance(meant, dict):
        return value
    contrary = any(meant.get(word, mark) != mark for word, mark in value.items())
    return value if contrary or meant.keys() <= value.keys() else None


def test_no_reply_of_a_sixth_stranger_is_read_as_another_value_than_meant_and_none_is_invented() -> None:
    assert len(REPLIES) == 200
    wrong = [
        (reply["text"], value)
        for reply in REPLIES
        if (value := value_of(reply)) is not None and value != folded(reply["meant"])
    ]
    assert not wrong


def test_all_but_four_replies_of_a_sixth_stranger_with_a_meaning_are_read() -> None:
    with_a_meaning = [reply for reply in REPLIES if reply["meant"] is not None]
    assert len(with_a_meaning) == 161
    assert sum(value_of(reply) is None for reply in with_a_meaning) <= LOST_AT_MOST
