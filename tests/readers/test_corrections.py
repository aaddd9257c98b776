"""Marks that sentences behind them correct."""

import pytest

from selfexec.readers import read_marks

OPTIONS = ["sand", "cactus", "tent", "nomad", "oasis"]
MARKS = {"sand": True, "cactus": True, "tent": False, "nomad": True, "oasis": True}
OBJECT = '{"sand": true, "cactus": true, "tent": false, "nomad": true, "oasis": true}'


def marks_with(sentence: str) -> dict[str, bool] | None:
    value = read_marks(f"{OBJECT}\n\n{sentence}", OPTIONS).value
    return None if value is None else dict(value)


@pytest.mark.parametrize(
    "sentence",
    [
        "I wrote nomad as true, but camel takes that slot. That's a slip. Nomad should be false; the rest stands.",
        "False is what nomad should be.",
        "It should be false for nomad.",
        "Please change nomad from true to false.",
        "I should have written false for nomad.",
        "Sorry: nomad → false.",
        "I marked nomad as true by mistake.",
        "Nomad shouldn't be true.",
        "Nomad must be false, not true.",
        "Actually, nomad should not appear.",
        "Wait, nomad. It should be false.",
        "Flip nomad.",
        "Wait, no: nomad should be false. That was a mistake.",
        "Moment, nomad sollte falsch sein.",
        "Perdón, nomad debe ser falso.",
        "Espera, nomad no debería ser true.",
        "Pardon, nomad doit être faux.",
        "抱歉，nomad应该是false，其他不变。",
        "nomad 不应该是 true。",
        "عفوا، nomad ينبغي أن تكون خطأ.",
    ],
)
def test_a_sentence_that_states_the_mark_of_one_option_corrects_that_mark_alone(sentence: str) -> None:
    assert marks_with(sentence) == MARKS | {"nomad": False}


@pytest.mark.parametrize(
    "sentence",
    [
        "Sorry, nomad should be false and tent true.",
        "Nomad should be false. Tent should be true.",
        "I swapped nomad and tent by mistake.",
    ],
)
def test_two_options_are_corrected_each_to_its_own_mark(sentence: str) -> None:
    assert marks_with(sentence) == MARKS | {"nomad": False, "tent": True}


@pytest.mark.parametrize(
    "sentence",
    [
        "Nomad is true because nomads live there.",
        "I wrote nomad as true since it is common.",
        "Nomad might be false.",
        "If camel were there, nomad should be false.",
        "Should nomad be false? I think not.",
        "I don't think nomad should be false.",
        "It would be wrong to say nomad is false.",
        "There is no mistake here: nomad stays true.",
        "I almost made nomad false.",
        "The rest should be false, such as camel.",
        "Errors are possible, e.g. for nomad.",
    ],
)
def test_what_is_reported_supposed_doubted_or_denied_corrects_nothing(sentence: str) -> None:
    assert marks_with(sentence) == MARKS


@pytest.mark.parametrize(
    "sentence",
    ["Wait, nomad is a slip.", "Oops, I made a mistake with nomad.", "Hay un error en nomad.", "nomad 写错了。"],
)
def test_marks_of_which_one_is_called_an_error_and_not_corrected_are_not_read(sentence: str) -> None:
    assert marks_with(sentence) is None
