"""A prediction is read from objects, lists, tables and prose, and nothing is read into it."""

import json

import pytest
from annie import ANNIE, EXPERIMENT, REPLY, SAID

from selfexec.readers import Reading
from selfexec.runs import Reply, read_reply

OBJECT = json.dumps(SAID)
WAYS = {
    "an object": OBJECT,
    "an object in a fence": f"```json\n{json.dumps(SAID, indent=2)}\n```",
    "an object in another one": json.dumps({"properties": SAID}),
    "an object behind a draft": f"I would say: Hi there!\n\n{OBJECT}",
    "the last of two objects": OBJECT.replace("hello", "hi").replace("dogs", "cats") + f"\n\nNo, rather:\n\n{OBJECT}",
    "words for yes and no": json.dumps({**SAID, "question": "Yes", "longer": "no", "names": "true"}),
    "null where there is none": json.dumps({**SAID, "number": None}),
    "marks around words": json.dumps({**SAID, "first_word": "“Hello,”", "picks": "Dogs."}),
    "as Python writes it": str(SAID),
    "lines": "\n".join(f"- **{name}**: {value}" for name, value in SAID.items()),
    "names in words": "\n".join(f"{name.replace('_', ' ').capitalize()} = {value}" for name, value in SAID.items()),
    "a table": "| property | value |\n|---|---|\n" + "\n".join(f"| {name} | {value} |" for name, value in SAID.items()),
    "no braces": ", ".join(f'"{name}": {json.dumps(value)}' for name, value in SAID.items()),
    "a sentence for each": ". ".join(
        f'The {name.replace("_", " ")} would be "{value}"' for name, value in SAID.items()
    ),
}


def reading(text: str, stop: str = "stop") -> Reading:
    reply = Reply(
        model="m", experiment=EXPERIMENT.name, item=ANNIE.id, epoch=1, session="predict", text=text, stop_reason=stop
    )
    return read_reply(ANNIE, reply)


def test_a_reply_that_may_have_any_form_has_the_properties_of_what_follows_a_prompt_in_it_too() -> None:
    text = "Here is a prompt.\n\nUser: Do you like dogs or cats?"
    reply = Reply(model="m", experiment=EXPERIMENT.name, item=ANNIE.id, session="execute", text=text)
    assert read_reply(ANNIE, reply).value["question"] is True


@pytest.mark.parametrize("way", WAYS)
def test_a_prediction_is_read_however_it_is_written(way: str) -> None:
    assert reading(WAYS[way]).value == SAID


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ('{"first_word": "Hello or Hi", "question": true}', {"question": True}),
        ('{"first_word": "Hello", "question": "maybe"}', {"first_word": "hello"}),
        ('{"picks": "fish", "longer": 1, "number": "a few", "names": false}', {"names": False}),
        ('{"first_word": "...", "question": "true or false", "names": true}', {"names": True}),
        ("question: yes\nlonger: no\nquestion: no", {"question": False, "longer": False}),
        ("Your number: 7", None),
        ("I pick cats, and the number is 7, and the question is no question.", None),
        ("It asks a question, names nobody and is longer than most.", None),
        ('{"mood": "good"}', None),
        ("first word: it depends on the day, question: yes", None),
    ],
)
def test_what_is_no_value_is_left_out(said: str, value: object) -> None:
    found = reading(said)
    assert (found.state, found.value) == (("read", value) if value else ("unreadable", None))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (REPLY, "performed"),
        ("Hi Annie, nice to meet you!", "performed"),
        ("Dogs! They are loyal friends, Annie, and they make me laugh every single day of the week.", "performed"),
        ("I don't know.", "format"),
        ("", "format"),
        ("It depends on the day.", "format"),
        ("My response would greet Annie by her name.", "format"),
        ("first word: a greeting", "format"),
        ("I'm sorry, but I can't predict how I would respond.", "declined"),
    ],
)
def test_a_reply_to_the_prompt_is_told_from_what_cannot_be_read(text: str, reason: str) -> None:
    assert reading(text).reason == reason


def test_a_prediction_that_was_cut_off_counts_where_it_gives_every_value() -> None:
    assert reading(f"{OBJECT}\n\nThis is bec", "length").value == SAID
    cut = reading('{"first_word": "Hello", "question": true, "lon', "length")
    assert (cut.state, cut.reason) == ("unreadable", "truncated")


def test_a_reply_that_was_cut_off_counts_where_its_beginning_decides() -> None:
    def whole(text: str) -> bool:
        return EXPERIMENT.counts_when_cut(ANNIE, "execute.1", text, EXPERIMENT.read(ANNIE, "execute.1", text).value)

    assert not whole(f"{REPLY} And 7 more th")  # it may yet be longer, and pick the other one
    only_first = type(ANNIE)(id="a", prompt="Hi", topic="", properties=type(ANNIE.properties)(first_word="hi"))
    read = EXPERIMENT.read(only_first, "execute.1", "Hel")
    assert not EXPERIMENT.counts_when_cut(only_first, "execute.1", "Hel", read.value)
    assert EXPERIMENT.counts_when_cut(
        only_first, "execute.1", "Hello the", EXPERIMENT.read(only_first, "execute.1", "Hello").value
    )


def test_readings_from_elsewhere_are_taken_by_the_same_values() -> None:
    assert EXPERIMENT.given(ANNIE, "predict", {"first_word": "Hello!", "question": "yes", "mood": "good"}) == {
        "first_word": "hello",
        "question": True,
    }
    assert EXPERIMENT.given(ANNIE, "predict", "hello") is None
    assert EXPERIMENT.given(ANNIE, "predict", {"mood": "good"}) is None
