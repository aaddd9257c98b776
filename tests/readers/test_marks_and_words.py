"""Replies that are nothing but their object are read at once, and as the other readers would read them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfexec.readers import read_marks, read_words, weighed_marks, weighed_words
from selfexec.readers.marks_and_words import LISTED, MARKED, read_bare

WORDS = ("boat", "words", "true", "swords", "I", "can", "am", "example", "not", "instance", "json", "like", "two words")
SETTINGS = (
    "{}",
    "```json\n{}\n```",
    "```\n{}\n```",
    "\n\n{}\n",
    "So: {}",
    "{}\n\nI cannot tell.",
    "Not {}",
    "```{}```",
)

listed = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7)
settings = st.sampled_from(SETTINGS)
indents = st.sampled_from([None, 1, 2, 4, 13])


def weighed(reply: str, options: list[str]) -> tuple[object, object]:
    """What the readers make of a reply that weigh all that it says."""
    return weighed_marks.weigh_marks(reply, options), weighed_words.weigh_words(reply)


@given(listed, settings, indents)
def test_a_list_that_is_the_whole_reply_is_read_as_the_other_readers_would(
    of_words: list[str], setting: str, indent: int | None
) -> None:
    reply = setting.replace("{}", json.dumps({"words": of_words}, indent=indent))
    assert (read_marks(reply, WORDS), read_words(reply)) == weighed(reply, list(WORDS))


@given(st.dictionaries(st.sampled_from(WORDS), st.booleans(), min_size=1), settings, indents, listed)
def test_marks_that_are_the_whole_reply_are_read_as_the_other_readers_would(
    marked: dict[str, bool], setting: str, indent: int | None, options: list[str]
) -> None:
    reply = setting.replace("{}", json.dumps(marked, indent=indent))
    assert (read_marks(reply, options), read_words(reply)) == weighed(reply, options)


def test_the_last_mark_of_a_word_counts() -> None:
    reply = '{"boat": true, "sea": false, "boat": false}'
    found = read_bare(reply, MARKED)
    assert found and found.value == {"boat": False, "sea": False} and found.evidence == reply
    assert read_marks(reply, ["boat", "sea"]) == weighed(reply, ["boat", "sea"])[0] == found


@pytest.mark.parametrize(
    "reply",
    [
        'No: {"words": ["boat"]}',
        '{"words": ["boat"]} or so',
        '{"words": ["boat", "two words"]}',
        '{"words": ["boat"',
        '{"words": []}',
        '{"words": ["boat"], "more": 1}',
    ],
)
def test_what_is_more_or_less_than_the_object_is_left_to_the_other_readers(reply: str) -> None:
    assert read_bare(reply, LISTED) is None


@pytest.mark.parametrize("indent", [None, 2, 4])
@pytest.mark.parametrize("between", ["\n", ",\n", "\n\nAnd the others:\n\n"])
def test_objects_that_mark_some_of_the_options_each_are_read_together_however_they_are_laid_out(
    indent: int | None, between: str
) -> None:
    parts = [{"boat": True, "fog": False}, {"hill": True}, {"moon": False, "pig": True}]
    found = read_marks(between.join(json.dumps(part, indent=indent) for part in parts), ["boat", "fog", "hill", "moon"])
    assert found.value == parts[0] | parts[1] | parts[2]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("fog", [True, False])
def test_an_object_that_marks_a_word_again_begins_anew(indent: int | None, fog: bool) -> None:
    drafts = [{"boat": True, "fog": True}, {"fog": fog, "hill": False}]
    reply = "\n\nOr rather:\n\n".join(json.dumps(part, indent=indent) for part in drafts)
    assert read_marks(reply, ["boat", "fog", "hill"]).value == drafts[1]
