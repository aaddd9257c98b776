"""Replies to the very prompts of the starter set, by a fifth language model that had not seen the readers.

`meant` is what each was written to mean, None where it commits to nothing or was cut off before its fifth word. Before
anything was mended for them, 146 of the 160 with a meaning were read, 3 as another value and 11 not at all, and
something from 2 of the 40 others. Three are still lost, which are left as they are: marks two objects deep, shares with
a threshold in words, and a word that is left open behind a sentence with two verbs.
"""

import json
from pathlib import Path
from typing import Any

from test_replies_of_a_third_stranger import folded, reading_of

REPLIES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "replies_of_a_fifth_stranger.jsonl").read_text(encoding="utf-8").splitlines()
]
LOST_AT_MOST = 3


def test_no_reply_of_a_fifth_stranger_is_read_as_another_value_than_meant_and_none_is_invented() -> None:
    assert len(REPLIES) == 200
    wrong = [
        (reply["text"], value)
        for reply in REPLIES
        if (value := reading_of(reply).value) is not None and folded(value) != folded(reply["meant"])
    ]
    assert not wrong


def test_all_but_three_replies_of_a_fifth_stranger_with_a_meaning_are_read() -> None:
    with_a_meaning = [reply for reply in REPLIES if reply["meant"] is not None]
    assert len(with_a_meaning) == 160
    assert sum(reading_of(reply).value is None for reply in with_a_meaning) <= LOST_AT_MOST
