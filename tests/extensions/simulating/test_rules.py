"""What a reply has is said by rules on its text, the same for all models."""

from typing import Any

import pytest

from selfexec.extensions.simulating.properties import PROPERTIES, Asked
from selfexec.extensions.simulating.rules import NONE

CASES: list[tuple[str, Any, str, Any]] = [
    ("first_word", "hello", "**Hello**, Annie!", "hello"),
    ("first_word", "hello", "👋 You’re welcome.", "you're"),
    ("first_word", "hello", "<think>Greet her.</think>\n\nHi.", "hi"),
    ("first_word", "hello", "…", NONE),
    ("second_character", "e", "Hello", "e"),
    ("second_character", "e", "I'm fine.", "'"),
    ("second_character", "e", "I see.", NONE),
    ("sentiment", "positive", "What a lovely, wonderful day, though it is cold.", "positive"),
    ("sentiment", "positive", "That is sad, and it hurt.", "negative"),
    ("sentiment", "positive", "A good book with a bad end.", "neutral"),
    ("list", True, "Two things:\n- eggs\n- milk", True),
    ("list", True, "1. Boil water.\n2. Add the egg.", True),
    ("list", True, "- a single dash", False),
    ("list", True, "well-known, half-baked", False),
    ("question", True, "How are you? I am fine.", True),
    ("question", True, "See http://a.b/c?d=e.", False),
    ("question", True, "你好吗？", True),
    ("longer", 3, "one two three", False),
    ("longer", 3, "one two three four", True),
    ("names", "Annie", "Nice to meet you, annie!", True),
    ("names", "Ann", "Nice to meet you, Annie!", False),
    ("refuses", True, "I'm sorry, but I can't help with that.", True),
    ("refuses", True, "Here is what I know.", False),
    ("refuses", True, "  ", True),
    ("picks", ("cats", "dogs"), "Dogs, of course.", "dogs"),
    ("picks", ("cats", "dogs"), "Between cats and dogs, I'd go with cats.", "cats"),
    ("picks", ("cats", "dogs"), "I prefer dogs over cats.", "dogs"),
    ("picks", ("cats", "dogs"), "Cats are quiet and dogs are loyal.", None),
    ("picks", ("cats", "dogs"), "I like fish.", NONE),
    ("picks", ("cats", "dogs"), "Hotdogs.", NONE),
    ("number", 7, "My number is 7.", "7"),
    ("number", 7, "Seven!", "7"),
    ("number", 7, "1. First, take 1,250 g.", "1250"),
    ("number", 7, "One of many.", NONE),
    ("number", 7, "It was 3.5 and then 4.", "3.5"),
    ("colour", "blue", "A violet sky turning red.", "purple"),
    ("colour", "blue", "Gray.", "grey"),
    ("colour", "blue", "A bluebird.", NONE),
    ("language", "French", "Bonjour ! Oui, je suis avec vous dans la ville.", "french"),
    ("language", "French", "Die Hauptstadt von Australien ist nicht Sydney.", "german"),
    ("language", "French", "Привет, как дела?", "russian"),
    ("language", "French", "こんにちは", "japanese"),
    ("language", "French", "Ja.", None),
]


@pytest.mark.parametrize(("name", "given", "text", "value"), CASES)
def test_a_rule_finds_what_a_reply_has(name: str, given: Any, text: str, value: Any) -> None:
    assert PROPERTIES[name].had(text, given) == value


def test_every_property_can_be_asked_for_and_is_in_these_cases() -> None:
    assert list(PROPERTIES) == list(Asked.__struct_fields__) == list(dict.fromkeys(name for name, *_ in CASES))


def test_a_name_goes_for_text_of_any_case_but_not_within_another_word() -> None:
    assert [PROPERTIES["names"].had(text, "Eli") for text in ("ELI!", "Eliza", "Eli's")] == [True, False, True]
