"""Lists of words that are amended in words behind them."""

import pytest

from selfexec.readers import read_words

WORDS = ["storm", "wind", "destruction", "flood", "Katrina"]
OBJECT = '{"words": ["storm", "wind", "destruction", "flood", "Katrina"]}'


def words_with(sentence: str) -> list[str] | None:
    value = read_words(f"{OBJECT}\n\n{sentence}").value
    return None if value is None else list(value)


@pytest.mark.parametrize(
    ("sentence", "new"),
    [
        ("Replace Katrina with evacuation.", "evacuation"),
        ('Actually, "Katrina" is a name rather than a word, so let me replace it with "evacuation".', "evacuation"),
        ("Let me swap out Katrina for evacuation.", "evacuation"),
        ("I would substitute evacuation for Katrina.", "evacuation"),
        ("Wait, Katrina is a name. Make that evacuation.", "evacuation"),
        ('Sorry, "Katrina" should be "evacuation".', "evacuation"),
        ("Katrina should be replaced with evacuation.", "evacuation"),
        ("Actually, evacuation instead of Katrina.", "evacuation"),
        ("Instead of Katrina, I will say evacuation.", "evacuation"),
        ('Actually, scratch "Katrina" and use "evacuation".', "evacuation"),
        ("Correction: Katrina → evacuation.", "evacuation"),
        ("Let me replace the last one with evacuation.", "evacuation"),
        ('Replace "Katrina" with "storm surge".', "storm surge"),
        ("Ich ersetze Katrina durch Evakuierung.", "Evakuierung"),
        ("Statt Katrina nehme ich Evakuierung.", "Evakuierung"),
        ("Cambio Katrina por evacuación.", "evacuación"),
        ("En lugar de Katrina, evacuación.", "evacuación"),
        ("Je remplace Katrina par évacuation.", "évacuation"),
        ("把“Katrina”改为“撤离”。", "撤离"),
        ('سأستبدل "Katrina" بكلمة "إخلاء".', "إخلاء"),
    ],
)
def test_one_word_that_is_replaced_by_one_word_gives_way_to_it(sentence: str, new: str) -> None:
    assert words_with(sentence) == [*WORDS[:4], new]


@pytest.mark.parametrize(
    "sentence",
    [
        "Actually, two of these are poor. My five are: rain, wind, sea, flood, mud.",
        "My final list: rain, wind, sea, flood, mud.",
        "Make that rain, wind, sea, flood, mud.",
        "Scratch all that. My five are rain, wind, sea, flood, and mud.",
    ],
)
def test_a_list_that_is_announced_anew_takes_the_place_of_the_first(sentence: str) -> None:
    assert words_with(sentence) == ["rain", "wind", "sea", "flood", "mud"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Let me replace Katrina with something else.",
        "Actually, drop Katrina.",
        "Replace Katrina with evacuation, and wind with gale.",
        "Let me replace one of them: evacuation.",
        "Replace Katrina with flood.",
    ],
)
def test_a_list_that_is_amended_in_more_than_one_possible_way_is_not_read(sentence: str) -> None:
    assert words_with(sentence) is None


@pytest.mark.parametrize(
    "sentence",
    [
        "I chose storm instead of rain because it is closer.",
        "Let me know if you would like me to replace Katrina with another word.",
        "Katrina could be replaced with evacuation.",
        "I almost replaced wind with rain.",
        "Actually, I replaced rain with Katrina at the last moment.",
        "I won't replace Katrina with anything.",
        "If names are not allowed, replace Katrina with evacuation.",
        "Should I replace Katrina? No.",
        "Changing seas make wind stronger.",
        'Flood waters replace "streets".',
        "Drop by drop, flood comes.",
        "Other words would be: rain, cloud, sea, boat, mud.",
        "My five reasons: fear, loss, rain, cost, pain.",
        "My original list was rain, wind, sea, storm, flood, but I improved it.",
    ],
)
def test_what_is_reported_offered_supposed_or_denied_amends_no_list(sentence: str) -> None:
    assert words_with(sentence) == WORDS


def test_lists_without_a_key_are_amended_too() -> None:
    lines = "1. storm\n2. wind\n3. destruction\n4. flood\n5. Katrina\n\nActually, replace Katrina with evacuation."
    assert read_words(lines).value == [*WORDS[:4], "evacuation"]
    row = "storm, wind, destruction, flood, Katrina. Actually, replace Katrina with evacuation."
    assert read_words(row).value == [*WORDS[:4], "evacuation"]
