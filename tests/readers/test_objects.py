"""An object with several fields is read as it is meant, however it is written down."""

from typing import Any

import pytest

from selfexec.experiments.association import Target
from selfexec.readers import Reading, closed, read_object
from selfexec.runs import Reply, read_reply


def read(text: str) -> Reading:
    return read_object(text, "question", lambda value: value["question"])


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ('{"question": "Why?", "answer": "A"}', "Why?"),
        ('Let me think {of one}.\n\n```json\n{\n "answer": "A",\n "question": "Why?",\n}\n```\nThat is it.', "Why?"),
        ("{'question': 'Why?', 'answer': True}", "Why?"),
        ("{“question”: “Why?”}", "Why?"),
        ('{"question": "Why\nnot?"}', "Why\nnot?"),
        ('{"question": "Why {not}?", "options": {"A": "}"}}', "Why {not}?"),
        ('{"question": "Is it \\"so\\"?"}', 'Is it "so"?'),
        # LaTeX: JSON knows no "\(", takes "\f" for a form feed and "\t" for a tab
        ('{"question": "What is \\(\\frac{1}{2} \\times 3\\)?"}', "What is \\(\\frac{1}{2} \\times 3\\)?"),
        ('{"question": "What is \\\\frac{1}{2}?"}', "What is \\frac{1}{2}?"),
        ('{"question": "One.\\nTwo.\\tThree: \\u00e9"}', "One.\nTwo.\tThree: é"),
        ('{"outer": {"question": "Inside?"}}', "Inside?"),
    ],
)
def test_an_object_is_read_as_it_is_meant(text: str, question: str) -> None:
    found = read(text)
    assert (found.state, found.value) == ("read", question)


def test_the_last_object_with_the_key_counts() -> None:
    assert read('{"question": "First?"}\nOn reflection:\n{"question": "Second?"}\n{"note": "done"}').value == "Second?"


def test_what_is_thought_is_not_said() -> None:
    assert read('{"question": "Said?"}<think>{"question": "Thought?"}</think>').value == "Said?"


def test_an_answer_that_is_taken_back_is_none() -> None:
    assert read('{"question": "Why?"}\nActually, no. I take that back.').state == "unreadable"


def test_one_that_is_no_answer_is_not_passed_over_for_an_earlier_one() -> None:
    found = read_object('{"question": "Why?"} {"question": null}', "question", lambda value: value["question"])
    assert (found.state, found.reason) == ("unreadable", "format")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "format"),
        ("What a question.", "format"),
        ('{"question": "Wh', "truncated"),
        ("I'm sorry, but I can't help with that.", "declined"),
        ('["question", "Why?"]', "format"),
        ('{"answer": "question"}', "format"),
    ],
)
def test_what_holds_no_such_object_says_why(text: str, reason: str) -> None:
    found = read(text)
    assert (found.state, found.reason) == ("unreadable", reason)


@pytest.mark.parametrize(
    "text",
    [
        "{" * 100_000 + '"question"' * 10_000,
        '{"question": ' * 20_000,
        '{"question": "' + "\\" * 100_000,
        '{"question": "' + '\\"' * 100_000,
        '"question"' + "}" * 100_000,
        '{"question": ' + "[" * 15_000,
        "{'question': " + "(" * 15_000,
        '{"question": 1' + "0" * 10_000 + "}",
    ],
)
def test_noise_is_no_object_and_takes_no_time(text: str) -> None:
    assert read(text).state in ("read", "unreadable")


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ('{"p": 0.5', '{"p": 0.5}'),
        ('```json\n{"p": {"q": [1, 2\n```', '```json\n{"p": {"q": [1, 2]}}\n```'),
        ('{"p": "a } b", "q": "5%"', '{"p": "a } b", "q": "5%"}'),
        ('{"p": 0.', '{"p": 0.'),
        ('{"p": "so it', '{"p": "so it'),
        ('{"p":', '{"p":'),
        ('{"p": 0.5}', '{"p": 0.5}'),
    ],
)
def test_brackets_that_are_missing_are_closed_behind_a_whole_value_alone(text: str, whole: str) -> None:
    assert closed(text) == whole


@pytest.mark.parametrize(("stop", "last"), [("stop", 0.25), ("length", None)])
def test_the_last_number_of_an_open_object_counts_where_the_reply_ended_by_itself(stop: str, last: Any) -> None:
    text = '{"wave": 0.75, "salt": 0.5, "desk": 0.25'
    place = {"model": "m", "experiment": "association", "item": "ocean", "session": "predict"}
    reply = Reply(**place, text=text, stop_reason=stop, facets={"elicit": "probability"})
    reading = read_reply(Target(id="ocean", target="ocean", options=["wave", "salt", "desk"]), reply)
    assert reading.value.get("desk") == last
    assert reading.evidence in text
