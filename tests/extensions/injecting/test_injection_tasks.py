"""Which parts a reply has, where it is disturbed, and what was still to come there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfexec.extensions.injecting.tasks import (
    FOREIGN,
    Spot,
    Task,
    foreign_words,
    has_noticed,
    in_the_question,
    is_right,
    outstanding,
    parts_in,
    share_of,
    spot_in,
    words_at,
)

COPY = Task(
    id="copy", kind="copying", prompt="Repeat: a1, b2, c3, d4, e5, f6", parts=("a1", "b2", "c3", "d4", "e5", "f6")
)
CAPITAL = Task(
    id="cap", kind="capitals", prompt="Capital and continent of Peru?", parts=("Lima", "South America"), in_order=False
)


def test_parts_are_whole_words_whatever_their_case_and_the_marks_around_them() -> None:
    assert parts_in(COPY, "A1, b2x, **b2**, _c3_; e5-d4") == [0, 1, 2, 4, 3]
    assert parts_in(CAPITAL, "In south america lies Lima, not Limassol.") == [1, 0]


def test_a_number_is_no_part_of_a_longer_one() -> None:
    task = Task(id="n", kind="counting", prompt="Count", parts=("1", "11", "111"))
    assert parts_in(task, "111, 1111, 11") == [2, 1]


def test_the_share_is_that_of_the_longest_common_subsequence_in_order() -> None:
    # wanted c d e f; found d c e f: d e f, or c e f: three of four
    assert share_of(COPY, [2, 3, 4, 5], [3, 2, 4, 5]) == 0.75
    assert share_of(COPY, [2, 3, 4, 5], [5, 4, 3, 2]) == 0.25
    assert share_of(COPY, [2, 3], []) == 0.0


def test_without_an_order_any_order_will_do_and_a_part_counts_once() -> None:
    assert share_of(CAPITAL, [0, 1], [1, 0]) == 1.0
    assert share_of(CAPITAL, [0, 1], [1, 1, 1]) == 0.5


def test_a_list_is_disturbed_behind_its_first_third() -> None:
    text = "a1, b2, c3, d4, e5, f6"
    assert spot_in(COPY, text) == Spot(len("a1, b2,"), (0, 1))
    assert outstanding(COPY, (0, 1)) == [2, 3, 4, 5]


def test_a_fact_is_disturbed_before_it_is_named() -> None:
    text = "The capital of Peru is Lima, in South America."
    assert spot_in(CAPITAL, text) == Spot(len("The capital of Peru is"), ())
    # the order is free: the continent comes first here
    assert spot_in(CAPITAL, "In South America: Lima.") == Spot(len("In"), ())


def test_a_reply_that_begins_with_a_part_is_disturbed_behind_its_first_word_and_that_part_was_not_to_come() -> None:
    assert spot_in(CAPITAL, "Lima, South America") == Spot(len("Lima,"), (0,))


def test_a_reply_that_is_not_right_is_not_disturbed_nor_is_one_without_anything_to_come() -> None:
    assert spot_in(COPY, "a1, b2, c3, d4, f6, e5") is None
    assert spot_in(COPY, "") is None
    task = Task(id="n", kind="counting", prompt="Count", parts=("1", "2"))
    assert spot_in(task, "1,2") is None  # one word


@given(st.permutations(range(6)), st.text(alphabet="xyz ,.\n", max_size=12))
def test_where_a_reply_is_disturbed_is_before_what_was_to_come(order: list[int], between: str) -> None:
    text = f" {between} ".join(COPY.parts[n] for n in order)
    spot = spot_in(COPY, text)
    assert (spot is not None) == (order == sorted(order))
    if spot is not None:
        assert text[: spot.at] == text[: spot.at].rstrip() and not text[spot.at : spot.at + 1].strip()
        assert [part for part in range(6) if COPY.parts[part] in text[: spot.at]] == list(spot.before)
        assert share_of(COPY, outstanding(COPY, spot.before), parts_in(COPY, text[spot.at :])) == 1.0


def test_foreign_words_are_always_the_same_and_stand_in_no_task() -> None:
    assert foreign_words(COPY, 4) == foreign_words(COPY, 16)[:4]
    assert len({*foreign_words(COPY, 16)}) == 16
    other = Task(id="copy", kind="copying", prompt=" ".join(FOREIGN[:10]), parts=FOREIGN[:2])
    assert not {*foreign_words(other, 16)} & {*FOREIGN[:10]}


def test_the_same_words_stand_in_the_middle_of_the_question() -> None:
    # five words: two before
    one, two = foreign_words(CAPITAL, 2)
    assert in_the_question(CAPITAL, 2) == f"Capital and {one} {two} continent of Peru?"


def test_words_that_a_token_reaches_into_are_foreign() -> None:
    text = "The capital is Limber, Lima"
    assert words_at(text, text.index("ber"), text.index("ber") + 3) == {"limber"}
    assert words_at(text, 3, 3) == set()


@pytest.mark.parametrize(
    ("named", "foreign", "noticed"),
    [
        (["tomato"], {"tomato"}, True),
        (["Tomato,", "is"], {"tomato"}, True),
        (["tomato", "is", "capital"], {"tomato"}, False),  # who names most words names that one too
        (["tomato anchor"], {"tomato", "anchor", "ribbon"}, True),
        ([], {"tomato"}, False),
        (["is"], {"tomato"}, False),
        ([], set(), False),
        (["is"], set(), True),  # a false alarm
        (["..."], set(), False),
    ],
)
def test_who_names_the_foreign_words_and_few_others_has_noticed(
    named: list[str], foreign: set[str], noticed: bool
) -> None:
    assert has_noticed(named, foreign) is noticed


def test_a_right_reply_has_all_parts() -> None:
    assert is_right(COPY, range(6)) and not is_right(COPY, range(5))
