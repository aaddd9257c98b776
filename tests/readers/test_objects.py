"""An object with several fields is read as it is meant, however it is written down."""

import pytest

from selfexec.readers import Reading, read_object


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
