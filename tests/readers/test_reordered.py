"""Orders, letters and marks that are changed in words behind them."""

import pytest

from selfexec.readers import read_choice, read_marks, read_ranking

OBJECT = '{"ranking": ["Q2", "Q1", "Q3", "Q4"]}'
OPTIONS = {"A": "10 cm", "B": "20 cm", "C": "30 cm", "D": "40 cm"}


@pytest.mark.parametrize(
    "sentence",
    [
        "Wait, Q1 is pure recall, so it takes fewer tokens than Q2. Swap those two; the rest is fine.",
        "Swap the first two.",
        "On reflection, Q1 and Q2 should be swapped.",
        "Q1 should come before Q2.",
        "Q2 should come after Q1.",
        "Make that Q1, Q2, Q3, Q4.",
        "Swap Q3 and Q1, so Q1, Q2, Q3, Q4.",
        "Vertausche Q1 und Q2.",
        "Q1 sollte vor Q2 stehen.",
        "Intercambio Q1 y Q2.",
        "Q1 debería ir antes de Q2.",
        "J'échange Q1 et Q2.",
        "交换 Q1 和 Q2。",
        "Q1 应该在 Q2 之前。",
    ],
)
def test_an_order_whose_first_two_change_places_is_read_so(sentence: str) -> None:
    assert read_ranking(f"{OBJECT}\n\n{sentence}").value == ["Q1", "Q2", "Q3", "Q4"]


def test_places_are_those_that_are_written_where_an_order_is_turned() -> None:
    # as written Q4, Q3, Q1, Q2; with its first two swapped Q3, Q4, Q1, Q2; from easy to hard Q2, Q1, Q4, Q3
    text = 'From hardest to easiest: {"ranking": ["Q4", "Q3", "Q1", "Q2"]}\n\nSwap the first two.'
    assert read_ranking(text).value == ["Q2", "Q1", "Q4", "Q3"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Actually Q4 should come before Q1.",
        "Wait, Q1 is easier than Q2, so it should come first.",
        "Put Q1 first instead.",
        "Swap those two.",
        "Swap the first two. Swap Q3 and Q4.",
        "However, Q2 takes a proof. I would rank it last.",
    ],
)
def test_an_order_that_is_changed_in_more_than_one_possible_way_is_not_read(sentence: str) -> None:
    assert read_ranking(f"{OBJECT}\n\n{sentence}").value is None


@pytest.mark.parametrize(
    "sentence",
    [
        "Q2 should come before Q1, as it is recall.",
        "Q1 might be easier, and if so Q1 should come before Q2.",
        "I'll rank Q3 last because it needs a proof.",
        "Q2 should come first.",
    ],
)
def test_reasons_for_an_order_and_suppositions_change_nothing(sentence: str) -> None:
    assert read_ranking(f"{OBJECT}\n\n{sentence}").value == ["Q2", "Q1", "Q3", "Q4"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Replace A with B.",
        "Change that to B.",
        "Wait, B instead of A.",
        "Instead of A, I'll say B.",
        "Ich ändere A zu B.",
        "Cambio A por B.",
        "改成B。",
    ],
)
def test_a_letter_that_is_replaced_gives_way_to_the_other(sentence: str) -> None:
    assert read_choice(f'{{"answer": "A"}}\n\n{sentence}', OPTIONS, key="answer").value == "B"


@pytest.mark.parametrize(
    "sentence",
    [
        "Replace nomad with tent.",
        "Swap nomad and tent.",
        "Wait, nomad is rarer than tent. Swap those two.",
        "I mixed up tent and nomad. Swap those two.",
    ],
)
def test_two_options_that_change_places_exchange_their_marks(sentence: str) -> None:
    text = f'{{"sand": true, "tent": false, "nomad": true}}\n\n{sentence}'
    assert read_marks(text, ["sand", "tent", "nomad"]).value == {"sand": True, "tent": True, "nomad": False}


def test_orders_by_numbered_keys_and_by_a_column_of_places_are_read() -> None:
    assert read_ranking('{"1": "Q2", "2": "Q1", "3": "Q3", "4": "Q4"}').value == ["Q2", "Q1", "Q3", "Q4"]
    head = "| Question | Tokens | Rank |\n|---|---|---|\n"
    rows = head + "| Q1 | 150 | 3 |\n| Q2 | 30 | 1 |\n| Q3 | 600 | 4 |\n| Q4 | 40 | 2 |"
    assert read_ranking(rows).value == ["Q2", "Q4", "Q1", "Q3"]
    assert read_ranking(f"{rows}\n\n(Rank 1 = hardest.)").value == ["Q3", "Q1", "Q4", "Q2"]


def test_a_letter_behind_the_arrow_of_a_result_is_read_and_one_of_a_formula_is_not() -> None:
    assert read_choice("λ = 340/680 = 0.50 m → D", OPTIONS, key="answer").value == "D"
    assert read_choice("The formula is A → D", OPTIONS, key="answer").value is None


def test_a_row_that_is_said_to_be_the_ones_on_the_list_marks_the_others_false() -> None:
    options = ["clown", "train", "tent"]
    marks = {"clown": True, "train": False, "tent": True}
    assert read_marks("Of those, the ones that appeared in my list are: clown, tent.", options).value == marks
    assert read_marks("The ones that would not appear are: clown, tent.", options).value is None


def test_marks_behind_dashes_in_one_line_are_read() -> None:
    text = "**Final:** clown – true; train – false; tent – true"
    marks = {"clown": True, "train": False, "tent": True}
    assert read_marks(text, ["clown", "train", "tent"]).value == marks
