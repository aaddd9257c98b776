"""Texts that break off before one note, or at one count, are named; closing lines and short answers are not."""

import random
from typing import Any

import pytest

from selfexec.runs.odd_endings import (
    begun_within,
    breaks_off,
    broken_off,
    cut_and_judged,
    with_one_count,
    with_one_length,
    with_one_note,
)
from selfexec.runs.reply import Reply
from selfexec.runs.run import Run

WORDS = [
    "river",
    "lantern",
    "copper",
    "harvest",
    "violin",
    "granite",
    "orbit",
    "meadow",
    "compass",
    "velvet",
    "thunder",
]
NOTES = [
    "\n\nError: upstream stream terminated unexpectedly, please retry",
    " Network error. If this issue persists please contact us through our help center.",
    "\n\n内容由于不合规被停止生成，我们换个话题吧",
    "\n[stream closed by the gateway before its end]",
]


def words(n: int, number: int = 20) -> str:
    draw = random.Random(n)
    return " ".join(draw.choices(WORDS, k=number))


def reply(n: int, text: str, **fields: Any) -> Reply:
    key = {"model": "m", "experiment": "restriction", "item": str(n), "session": "execute", "stop_reason": "stop"}
    return Reply(**key | {"text": text} | fields)


WHOLE = [reply(n, f"It is about {words(n)}.") for n in range(20)]


@pytest.mark.parametrize("note", NOTES)
def test_one_note_behind_texts_that_break_off_is_named(note: str) -> None:
    cut = [reply(n, words(n) + note) for n in range(50, 55)]
    assert {r.item for r in with_one_note([*WHOLE, *cut])} == {r.item for r in cut}
    assert with_one_note([*WHOLE, *cut[:2]]) == []
    whole = [reply(n, f"{words(n)}.{note}") for n in range(50, 55)]
    assert with_one_note([*WHOLE, *whole]) == []  # behind whole sentences it may be the model's
    assert with_one_note([reply(n, words(n) + note) for n in range(9)]) == []  # all of them: it is how the model writes


@pytest.mark.parametrize(
    "ending",
    [
        ' I would rather not answer that.\n\n{"choice": "A"}',
        ', which I would normally answer.\n\n{"choice": "A"}',
        " I'd be happy to help with that in another way.",
        " B: Wrong, and so it is not the one.",
        '\n\n```json\n{"ranking": ["Q3", "Q1", "Q2", "Q4"]}\n```',
    ],
)
def test_sentences_that_texts_end_with_by_themselves_are_not(ending: str) -> None:
    assert with_one_note([*WHOLE, *(reply(n, words(n) + ending) for n in range(50, 55))]) == []


def test_texts_that_break_off_at_one_largest_count_are_named() -> None:
    counted = [reply(n, f"{words(n, n)}.", output_tokens=n + 20) for n in range(8, 30)]
    cut = [reply(n, words(n, 60), output_tokens=64) for n in range(50, 54)]
    assert with_one_count([*counted, *cut]) == cut
    assert with_one_count([*counted, *(reply(n, f"{words(n, 60)}.", output_tokens=64) for n in range(50, 54))]) == []
    assert with_one_count([*counted, *cut, reply(60, words(60, 60), output_tokens=70)]) == []  # no limit
    for fields in ({"stop_reason": "length"}, {"stop_reason": None}):
        assert (
            with_one_count([*counted, *(reply(n, words(n, 60), output_tokens=64, **fields) for n in range(50, 54))])
            == []
        )


def test_free_texts_of_many_lengths_at_one_largest_count_are_named_however_they_end() -> None:
    counted = [reply(n, f"{words(n, n)}.", output_tokens=n + 20) for n in range(8, 30)]
    cut = [reply(n, f"{words(n, n)}.", output_tokens=64) for n in range(50, 55)]
    assert with_one_count([*counted, *cut]) == cut
    assert with_one_count([*counted, *cut[:4]]) == []
    alike = [reply(n, f"{words(50, 40)}.", output_tokens=64) for n in range(50, 55)]
    assert with_one_count([*counted, *alike]) == []  # texts of one length may well have one count
    assert with_one_count(cut * 3) == []  # no others to compare with


def test_where_a_text_breaks_off() -> None:
    assert all(map(breaks_off, ("and then", "of 12", "first,", "that is –", "these:", "One.\n2. ", "One.\n- two.\n* ")))
    assert not any(
        map(breaks_off, ("and then.", "So?", '{"a": 1}', "**bold**", "“so”", "我们。", "", "1.", "It was 2."))
    )


def test_what_a_limit_cut_is_named_where_it_is_judged_and_not_read() -> None:
    cut = [reply(n, words(n), stop_reason="length") for n in range(30, 32)]
    assert cut_and_judged([*WHOLE, *cut]) == cut
    assert cut_and_judged([*WHOLE * 5, *cut]) == []  # two of a hundred
    for lawful in ({"session": "judge"}, {"text": ""}, {"stop_reason": "stop"}, {"experiment": "self_simulation"}):
        assert (
            cut_and_judged([*WHOLE, *(reply(n, **{"text": "a", "stop_reason": "length"} | lawful) for n in (40, 41))])
            == []
        )


def test_texts_that_begin_within_a_sentence_are_named_where_capitals_stand_within_them() -> None:
    begun = [reply(n, f"ding to {words(n)}. It was so. And so on.") for n in range(30, 33)]
    assert begun_within([*WHOLE, *begun]) == begun
    assert begun_within([*WHOLE, *begun[:2]]) == []
    small = [reply(n, f"it is about {words(n)}. it was so. and so on.") for n in range(30, 40)]
    assert begun_within([*WHOLE, *small]) == []  # a style
    assert begun_within([*WHOLE, *(reply(n, "gold. It is.") for n in range(30, 40))]) == []  # short
    judged = [reply(n, one.text or "", session="judge") for n, one in enumerate(begun)]
    assert begun_within([*WHOLE, *judged]) == []


def test_many_texts_that_break_off_are_named_and_a_few_are_not() -> None:
    broken = [reply(n, f"It is about {words(n, 30)}") for n in range(30, 37)]
    assert broken_off([*WHOLE, *broken]) == broken  # 7 of 27
    assert broken_off([*WHOLE, *broken[:5]]) == broken_off([*WHOLE[:2], *broken[:3]]) == []
    cut = [reply(n, one.text or "", stop_reason="length") for n, one in enumerate(broken)]
    assert broken_off([*WHOLE, *cut]) == []  # the server says so


def test_as_many_characters_before_each_ellipsis_are_a_limit() -> None:
    whole = [reply(n, f"It is about {words(n, 60)}.") for n in range(20)]
    cut = [reply(n, f"{words(n, 50)[:200]}...") for n in range(20, 23)]
    assert with_one_length([*whole, *cut]) == cut


def test_of_ten_recorded_models_no_ending_is_odd(ten_models: Run) -> None:
    for model in ten_models.models:
        own = [reply for reply in ten_models.replies.values() if reply.model == model]
        assert with_one_note(own) == with_one_count(own) == begun_within(own) == broken_off(own) == []


def test_texts_that_break_off_at_the_largest_length_are_named() -> None:
    def of(n: int, text: str) -> Reply:
        return Reply(model="m", experiment="restriction", item=str(n), session="execute", text=text, stop_reason="stop")

    whole = [of(n, f"{'word ' * n}is the end.") for n in range(1, 12)]
    cut = [of(n, f"{n} " + "so it goes on and on " * 20) for n in range(20, 23)]
    for length, least in ((200, 2), (203, 3)):  # 200 is a round number, as limits are
        those = [of(int(reply.item), (reply.text or "")[: length - 1] + "x") for reply in cut]
        assert with_one_length([*whole, *those[:least]]) == those[:least]
        assert with_one_length([*whole, *those[: least - 1]]) == []
        at_an_end = of(30, f"30 {'a' * (length - 4)}.")
        assert with_one_length([*whole, *those, at_an_end]) == [*those, at_an_end]  # by chance
        assert with_one_length([*whole, *those, of(40, "word " * 60)]) == []  # which is longer
        assert with_one_length([*whole, *(of(n, f"{n}{'a' * (length - 3)}.") for n in range(20, 23))]) == []


def test_as_many_words_before_each_ellipsis_are_a_limit_and_as_many_without_one_a_list() -> None:
    whole = [reply(n, f"It is about {words(n, 60)}.") for n in range(20)]
    cut = [reply(n, f"{words(n, 50)}...") for n in range(20, 23)]
    assert with_one_length([*whole, *cut]) == with_one_length([*whole, *cut, reply(9, f"{words(9, 40)}…")]) == cut
    assert with_one_length([*whole, *cut[:2]]) == []
    assert with_one_length([*whole, *(reply(n, words(n, 50)) for n in range(20, 23))]) == []
    assert with_one_length([*whole, *(reply(n, f"{words(n, 40 + n)}...") for n in range(20, 29))]) == []
