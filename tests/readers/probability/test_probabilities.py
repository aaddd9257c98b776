"""Probabilities are read from what states one, and from nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from replies_with_probabilities import OF_A_REQUEST, OF_WORDS, OPTIONS

from selfexec.readers import read_probabilities, read_probability
from selfexec.readers.probability.amounts import NUMBER_WORDS

hundredths = st.integers(0, 100)
words = st.sampled_from(("boat", "anchor", "fog", "crane", "sea wall", "pier"))


def test_sixty_two_replies_are_what_the_lists_hold() -> None:
    assert len(OF_A_REQUEST) + len(OF_WORDS) == 62


@pytest.mark.parametrize(("text", "meant", "reason"), OF_A_REQUEST)
def test_a_reply_is_read_as_the_probability_that_it_states(text: str, meant: float | None, reason: str | None) -> None:
    reading = read_probability(text)
    assert (reading.value, reading.reason) == (meant, reason)


@pytest.mark.parametrize(("text", "meant", "reason"), OF_WORDS)
def test_a_reply_is_read_as_the_probability_of_each_word(text: str, meant: object, reason: str | None) -> None:
    reading = read_probabilities(text, OPTIONS)
    assert (reading.value, reading.reason) == (meant, reason)


@given(hundredths)
def test_a_probability_is_the_same_in_every_form_that_it_is_written_in(n: int) -> None:
    decimal = f"{n / 100:.2f}"
    forms = (
        f'{{"probability": {decimal}}}',
        f'{{"probability": "{n}%"}}',
        f'{{"probability": {decimal.replace(".", ",")}}}',
        f"I would say {decimal}.",
        f"The probability is {n} percent.",
        f"Final answer: {n} out of 100",
        f"**{decimal}**",
    )
    assert {read_probability(form).value for form in forms} == {n / 100}


@given(st.floats(0, 1, allow_subnormal=False))
def test_a_number_under_the_key_is_read_to_its_last_digit(p: float) -> None:
    text = f"{p:.12f}"
    assert read_probability(f'{{"probability": {text}}}').value == float(text)


@given(st.floats(1.001, 10) | st.floats(100.001, 1e6))
def test_a_number_from_one_to_ten_or_above_a_hundred_is_no_probability(number: float) -> None:
    assert read_probability(f'{{"probability": {number:.3f}}}').value is None


@given(st.integers(11, 100))
def test_a_bare_number_above_ten_is_in_percent(n: int) -> None:
    assert read_probability(f'{{"probability": {n}}}').value == n / 100


@given(st.integers(0, 99), st.integers(1, 100))
def test_two_ends_of_a_range_state_no_number(low: int, width: int) -> None:
    high = min(low + width, 100)
    for words in (f"{low}-{high}%", f"between {low}% and {high}%", f"{low / 100:.2f} to {high / 100:.2f}"):
        assert read_probability(f"I would say {words}.").value is None


@given(st.dictionaries(words, hundredths, min_size=1))
def test_probabilities_of_words_are_the_same_as_an_object_and_as_lines(parts: dict[str, int]) -> None:
    meant = {word: n / 100 for word, n in parts.items()}
    as_object = "{" + ", ".join(f'"{word}": {n / 100:.2f}' for word, n in parts.items()) + "}"
    as_lines = "\n".join(f"- {word}: {n}%" for word, n in parts.items())
    assert read_probabilities(as_object, list(parts)).value == meant
    assert read_probabilities(as_lines, list(parts)).value == meant


@given(st.text(alphabet=st.characters(exclude_categories=["N"], codec="utf-8"), max_size=200))
def test_a_text_without_numbers_states_no_probability_in_digits(text: str) -> None:
    in_words = any(word in text.lower() for word in NUMBER_WORDS)
    assert in_words or read_probability(text).value is None


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        # on a scale to 100, "crane: 1" means one hundredth, not 1
        ('{"boat": 90, "crane": 1}', {"boat": 0.9, "crane": 0.01}),
        ('{"boat": 1, "crane": 0}', {"boat": 1.0, "crane": 0.0}),
        # half a percent, or one half?
        ('{"boat": 90, "crane": 0.5}', {"boat": 0.9}),
        # of ten, or in percent?
        ('{"boat": 9, "crane": 1}', None),
        ('{"boat": 9, "crane": 1} (out of ten, on a scale from 0 to 10)', {"boat": 0.9, "crane": 0.1}),
        ('{"boat": 110, "crane": 1}', None),
    ],
)
def test_bare_numbers_of_a_reply_stand_on_one_scale(text: str, meant: object) -> None:
    assert read_probabilities(text, ["boat", "crane"]).value == meant


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ('{"probability": "0.9 (very likely)"}', 0.9),
        ("0.75 (75%)", 0.75),
        ('{\n"probability": 0.95 // harmless\n}', 0.95),
        # another number in the remark: which is meant?
        ("0.75 (65%)", None),
        ("0.9 (out of 10)", None),
        # two numbers and no word
        ("0.8\n0.2", None),
        ("0.8\n0.8", 0.8),
    ],
)
def test_a_remark_in_brackets_may_say_the_same_and_no_other_number(text: str, meant: float | None) -> None:
    assert read_probability(text).value == meant


def test_of_a_reply_that_was_cut_off_only_an_object_counts() -> None:
    thinking = "My first estimate is 0.7. But then again"
    assert read_probability(thinking).value == 0.7
    assert read_probability(thinking, keyed_alone=True).value is None
    assert read_probability('{"probability": 0.7}\nBecause', keyed_alone=True).value == 0.7


@pytest.mark.parametrize("noise", ["0.5 ", "{", '"probability": ', "boat: ", "I would say ", "ninety-", "1/"])
def test_noise_of_thousands_of_parts_is_read_without_an_error(noise: str) -> None:
    read_probability(noise * 25_000)
    read_probabilities(noise * 25_000, OPTIONS)
