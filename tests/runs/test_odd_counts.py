"""Counts of tokens far from those of other texts of their length are named; scattered ones are not."""

import random
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from selfexec.runs.odd_counts import odd_texts, rough_tokens, with_the_same_count
from selfexec.runs.reply import Reply
from selfexec.runs.run import Run

WORDS = [
    "the",
    "river",
    "runs",
    "past",
    "an",
    "old",
    "lantern",
    "and",
    "a",
    "copper",
    "orchard",
    "where",
    "nobody",
    "looks",
]


def reply(n: int, **fields: Any) -> Reply:
    return Reply(model="m", experiment="restriction", item=str(n), session="execute", **{"text": "Hello."} | fields)


def texts(share: Callable[[], float] = lambda: 1.0, number: int = 40, **fields: Any) -> list[Reply]:
    """Replies of 20 to 100 words, of which so many times their tokens were counted."""
    draw = random.Random(1)
    found = []
    for n in range(number):
        text = " ".join(draw.choices(WORDS, k=draw.randint(20, 100)))
        tokens = round(rough_tokens(text) * share() * draw.uniform(0.9, 1.1))
        found.append(reply(n, text=text, output_tokens=tokens, stop_reason="stop", **fields))
    return found


@pytest.mark.parametrize("share", [0.03, 0.4, 2.5, 5.0])
def test_texts_counted_far_below_or_above_what_they_have_are_named(share: float) -> None:
    odd = texts(lambda: share, 4)
    assert odd_texts(texts()) == []
    assert odd_texts([*texts(), *odd]) == odd
    assert odd_texts([*texts(number=5), *odd]) == []  # too few to compare


def test_the_few_texts_of_a_large_run_that_go_round_in_circles_are_not() -> None:
    assert odd_texts([*texts(number=400), *texts(lambda: 40.0, 3)]) == []


def test_short_texts_with_more_tokens_than_bytes_are_named_where_the_model_does_not_think_unseen() -> None:
    short = [reply(n, text="I can't help with that.", output_tokens=n) for n in (300, 500)]
    lawful = [reply(n, text="I can't help with that.", output_tokens=n) for n in (7, 60)]  # with the marks of a format
    assert odd_texts([*texts(), *short, *lawful]) == short
    apart = [msgspec.structs.replace(one, reasoning_tokens=(one.output_tokens or 0) - 7) for one in short]
    assert odd_texts([*texts(), *apart]) == []
    draw = random.Random(3)
    assert odd_texts([*texts(lambda: draw.uniform(1, 6)), *short]) == []  # as of one that thinks


def test_a_model_that_thinks_unseen_has_high_counts_and_no_low_ones() -> None:
    draw = random.Random(3)
    thinking = texts(lambda: draw.choice((1.0, 2.0, 4.0, 9.0)), 60)
    assert odd_texts(thinking) == []
    cut = texts(lambda: 0.02, 4)
    assert odd_texts([*thinking, *cut]) == cut  # which is less than the text alone has


def test_thoughts_that_are_counted_apart_are_no_text() -> None:
    for fields in ({"reasoning": "Hm. " * 90}, {"facets": {"tool": "self:3"}}, {"forced_end": 3, "forced": ()}):
        assert odd_texts([*texts(), *texts(lambda: 5.0, 6, **fields)]) == []
    counted = texts(lambda: 5.0, 6)
    assert odd_texts([*texts(), *counted]) == counted


def test_of_ten_recorded_models_no_reply_is_odd(ten_models: Run) -> None:
    for model in ten_models.models:
        assert odd_texts(reply for reply in ten_models.replies.values() if reply.model == model) == []


def test_one_count_for_texts_of_any_length_is_named_and_for_texts_of_one_length_it_is_not() -> None:
    same = [msgspec.structs.replace(one, output_tokens=100) for one in texts()]
    assert with_the_same_count(same) == same
    assert with_the_same_count(texts()) == with_the_same_count(same[:11]) == []
    few = [msgspec.structs.replace(one, output_tokens=100) for one in texts(number=35)]
    assert with_the_same_count([*few, *texts(number=5)]) == []  # 35 of 40
    alike = [reply(n, text=f"a river {n} " * 9, output_tokens=100) for n in range(10, 40)]
    assert with_the_same_count(alike) == []
