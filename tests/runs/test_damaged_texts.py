"""Texts that were damaged on their way are named, and texts that only look a little like it are not."""

import base64
import html
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfexec.runs.damaged_texts import damaged_texts, damages_of
from selfexec.runs.records import Reply
from selfexec.runs.run import Run

TEXT = 'A café isn’t far — “ask” there, said Émile, and bring \'lantern\', copper & "velvet" along.\n\n{"choice": "A"}'


def reply(text: str, n: int = 0) -> Reply:
    return Reply(model="m", experiment="restriction", item=str(n), session="execute", text=text)


DAMAGED = {
    "characters that were lost (U+FFFD)": TEXT.replace("fé", "f��"),
    "UTF-8 that was read as Windows-1252": TEXT.encode().decode("cp1252", "replace"),
    "entities of HTML in the place of characters": html.escape(TEXT),
    "the form of a string in JSON": json.dumps(TEXT),
    "the form of base 64": base64.b64encode(TEXT.encode()).decode(),
    "each word twice": " ".join(f"{word} {word}" for word in TEXT.split()),
    "their beginning twice": TEXT + TEXT,
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_two_texts_with_one_damage_are_named(damage: str) -> None:
    whole = [reply(f"{TEXT} {n}", n) for n in range(9)]
    torn = [reply(DAMAGED[damage], n) for n in (20, 21)]
    assert damaged_texts(whole) == {}
    assert damaged_texts([*whole, *torn])[damage] == torn
    assert damaged_texts([*whole, torn[0]]) == {}


@given(st.text(st.characters(min_codepoint=0xA1, max_codepoint=0x24F, categories=["L"]), min_size=4, max_size=20))
def test_letters_read_in_another_encoding_are_found_and_the_letters_themselves_are_not(letters: str) -> None:
    text = "a ".join(letters)
    assert "UTF-8 that was read as Windows-1252" not in damages_of(text)
    assert "UTF-8 that was read as Windows-1252" in damages_of(text.encode().decode("latin-1"))


@given(st.text(min_size=60), st.integers(50, 59))
def test_a_text_that_begins_again_after_a_part_is_found(text: str, cut: int) -> None:
    if len({*text.strip()[:48]}) >= 8 and len(text.strip()) >= 60 and text.strip()[:48] not in text.strip()[1:]:
        text = text.strip()
        assert "their beginning twice" in damages_of(text[:cut].rstrip() + text)
        assert "their beginning twice" not in damages_of(text)


@pytest.mark.parametrize(
    "lawful",
    [
        "LIBERTÉ» is written on it, and «ÉGALITÉ» as well, by Zoë.",  # É» is a letter in UTF-8
        'Write &lt; for <, &amp; for & and &quot; for ".',
        '"Yes."',
        "aGVsbG8gd29ybGQ= is how it is written in base 64.",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "very " * 40,
        "It was so so good, and that that was said is no no in it at all for you and you.",
        "-" * 110,
        f"{TEXT}\n" * 3,  # a model that goes round in circles
        "",
    ],
)
def test_what_a_model_may_write_itself_is_no_damage(lawful: str) -> None:
    assert [*damages_of(lawful)] == []


def test_texts_without_the_end_of_thoughts_are_named_where_most_have_it() -> None:
    thinking = [reply(f"Hm.\n</think>\n\nAnswer {n}.", n) for n in range(9)]
    cut = [reply(f"Hm {n}.", n) for n in (20, 21)]
    assert damaged_texts([*thinking, *cut]) == {"no end of their thoughts": cut}
    assert damaged_texts([*thinking[:3], *cut]) == damaged_texts(cut) == damaged_texts(thinking) == {}


def test_of_ten_recorded_models_no_text_is_damaged(ten_models: Run) -> None:
    found: dict[str, Any] = {}
    for model in ten_models.models:
        found |= damaged_texts(reply for reply in ten_models.replies.values() if reply.model == model)
    assert found == {}
