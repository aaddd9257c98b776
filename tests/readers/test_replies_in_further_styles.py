"""Replies in many styles: none is read as another value than meant, none is invented, and few are lost."""

from typing import Any

import pytest
from replies_in_further_styles import CITIES, LOST, REPLIES
from test_replies_of_2026 import read

from selfexec.readers import fold, read_choice


def value_of(session: str, text: str) -> Any:
    if session == "city":
        return read_choice(text, CITIES, key="answer").value
    value = read(session, text)
    if session == "words" and value:
        return [fold(word) for word in value]
    return {fold(word): mark for word, mark in value.items()} if session == "marks" and value else value


def test_no_reply_is_read_as_another_value_than_meant_and_none_is_invented() -> None:
    wrong = [
        (reply.text, value)
        for reply in REPLIES
        if (value := value_of(reply.session, reply.text)) is not None and value != reply.wanted
    ]
    assert not wrong


def test_all_but_the_few_that_are_named_are_read() -> None:
    lost = {reply.text for reply in REPLIES if reply.wanted is not None and value_of(reply.session, reply.text) is None}
    assert lost == LOST


@pytest.mark.parametrize(
    ("session", "text"),
    [
        ("predict", "I hope I would answer."),
        ("predict", "Pretend that I would answer."),
        ("predict", "My friend says A."),
        ("words", "Well, harbors, I think, are nice, calm, and old."),
        ("ranking", '{"confidence": {"Q1": 2, "Q2": 1, "Q3": 4, "Q4": 3}}'),
        ("ranking", "Q1, Q2, Q3 and Q4 are all equally hard."),
        ("marks", "All of them might have appeared."),
        ("city", "A court, B movies, C major."),
        ("city", "Option C mentions The Hague."),
    ],
)
def test_a_sentence_with_a_word_that_does_more_than_choose_commits_to_nothing(session: str, text: str) -> None:
    assert value_of(session, text) is None


@pytest.mark.parametrize(
    "lead", ["从长度来看：", "Q3 being the hardest, the order is:", "I put the longest answer last."]
)
def test_a_lead_that_names_the_hard_end_without_putting_it_first_turns_nothing(lead: str) -> None:
    assert value_of("ranking", lead + ' {"ranking": ["Q2", "Q1", "Q4", "Q3"]}') == "2143"
