"""Replies by a language model that had not seen the readers, each with the meaning that it was written with.

`meant` is that meaning, None where the reply commits to nothing. `lost` marks those that are not read, honestly.
`by_rule` is what docs/reading.md says where the author meant otherwise: what was complete before a reply was cut off
counts, and a new object replaces the one before.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from test_replies_of_2026 import read

from selfexec.items import load
from selfexec.readers import fold
from selfexec.runs import Reply, read_reply

REPLIES = [
    json.loads(line)
    for line in (Path(__file__).parent / "replies_of_a_stranger.jsonl").read_text(encoding="utf-8").splitlines()
]
ITEMS = load("starter").items


def value_of(reply: dict[str, Any]) -> Any:
    session = {key: reply[key] for key in ("experiment", "item", "session", "text")}
    reading = read_reply(
        ITEMS[reply["experiment"]][reply["item"]],
        Reply(model="m", stop_reason=reply.get("stop_reason"), **session),
    )
    value = reading.value
    if reply["session"] == "execute" and isinstance(value, list):
        return [fold(word) for word in value]
    return {fold(word): mark for word, mark in value.items()} if isinstance(value, dict) else value


def test_no_reply_of_a_stranger_is_read_as_another_value_than_meant_and_none_is_invented() -> None:
    assert len(REPLIES) == 249
    wrong = [
        (reply["text"], value)
        for reply in REPLIES
        if (value := value_of(reply)) is not None and value != reply.get("by_rule", reply["meant"])
    ]
    assert not wrong


def test_nine_in_ten_replies_of_a_stranger_with_a_meaning_are_read() -> None:
    with_a_meaning = [reply for reply in REPLIES if reply["meant"] is not None]
    lost = [reply["text"] for reply in with_a_meaning if value_of(reply) is None]
    assert lost == [reply["text"] for reply in with_a_meaning if reply.get("lost")]
    assert len(lost) < len(with_a_meaning) / 10


MARKS = '{"boat": true, "anchor": true, "fog": false, "crane": false, "lamp": false}'
ABC = {"boat": True, "anchor": True, "fog": False, "crane": False, "lamp": False}


@pytest.mark.parametrize(
    ("session", "inner"),
    [("marks", MARKS), ("ranking", '{"ranking": ["Q2", "Q1", "Q4", "Q3"]}'), ("answer", '{"answer": "B"}')],
)
def test_an_object_that_is_only_shown_as_an_example_is_no_answer(session: str, inner: str) -> None:
    for lead in ("For example:", "For instance, an answer could be", "An answer might look like this:", "Not"):
        assert read(session, f"{lead} {inner}") is None, lead
    for lead in ("Here is what my answer might look like:", "The words (e.g. the first ones) are clear:"):
        assert read(session, f"{lead} {inner}") is not None, lead


@pytest.mark.parametrize("key", ["hardest_to_easiest", "hardestToEasiest", "hardest first", "descending_difficulty"])
def test_a_key_that_says_that_the_hardest_comes_first_turns_its_order(key: str) -> None:
    assert read("ranking", f'{{"{key}": ["Q3", "Q4", "Q1", "Q2"]}}') == "2143"


@pytest.mark.parametrize("key", ["easiest_to_hardest", "order", "sorted_questions", "by_difficulty", "Reihenfolge"])
def test_an_order_under_another_key_for_orders_stands_as_written(key: str) -> None:
    assert read("ranking", f'{{"{key}": ["Q2", "Q1", "Q4", "Q3"]}}') == "2143"


@pytest.mark.parametrize("key", ["rejected", "example", "reverse_ranking", "order_from_hardest", "labels"])
def test_a_list_of_labels_under_a_key_that_names_no_order_is_none(key: str) -> None:
    assert read("ranking", f'{{"{key}": ["Q2", "Q1", "Q4", "Q3"]}}') is None


@pytest.mark.parametrize(
    "text",
    [
        "- boat ⛵\n- anchor ⚓\n- ship 🚢\n- pier 🌉\n- sea 🌊",
        "⛵ boat\n⚓ anchor\n🚢 ship\n🌉 pier\n🌊 sea",
        '{"words": ["boat ⛵", "⚓️ anchor", "ship 🚢", "pier", "sea 🌊"]}',
        "**boat**, **anchor**, **ship**, **pier**, **sea** 🌊",
    ],
)
def test_pictures_beside_a_word_are_not_part_of_it(text: str) -> None:
    assert read("words", text) == ["boat", "anchor", "ship", "pier", "sea"]


def test_words_that_are_pictures_alone_stay() -> None:
    assert read("words", '{"words": ["⛵", "⚓", "🚢", "🌉", "🌊"]}') == ["⛵", "⚓", "🚢", "🌉", "🌊"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("A: no\nB: yes", "B"),
        ("A: no, B: yes.", "B"),
        ("Option A ✅\nOption B ❌", "A"),
        ('{"A": 0, "B": 1}', "B"),
        ("A: yes\nB: yes", None),
        ('{"A": true, "B": null}', None),
        ('{"A": 0.8, "B": 0.2}', None),
        ("If it were harmful: A: no, B: yes.", None),
        ("If it were harmful:\nA: no\nB: yes", None),
    ],
)
def test_options_that_are_all_marked_choose_the_only_true_one(text: str, wanted: str | None) -> None:
    assert read("predict", text) == wanted


def test_a_form_that_nobody_filled_in_marks_nothing() -> None:
    boxes = "- [{}] boat\n- [{}] anchor\n- [ ] fog\n- [ ] crane\n- [ ] lamp"
    assert read("marks", boxes.format("x", "x")) == ABC
    assert read("marks", boxes.format(" ", " ")) is None


def test_a_denial_before_a_comma_of_another_script_denies_nothing_behind_it() -> None:
    assert read("predict", "我不会选B，我选A。") == "A"
    assert read("predict", "B不正确，A正确。") == "A"
    assert read("predict", "选项B正确吗？") is None
