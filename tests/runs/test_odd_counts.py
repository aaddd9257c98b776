"""Counts of tokens far from those of other prompts and texts of their length are named; scattered ones are not."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfexec.runs.odd_counts import odd_prompts, odd_texts, rough_tokens
from selfexec.runs.records import Reply
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


def prompts(count: Callable[[int], int], number: int = 30) -> list[Reply]:
    """Replies to requests of growing lengths, whose prompts were counted so."""
    return [reply(n, prompt_bytes=400 + 40 * n, input_tokens=count(400 + 40 * n)) for n in range(number)]


@given(st.integers(0, 700), st.floats(0.15, 0.5))
def test_prompts_counted_far_below_or_above_their_length_are_named(around: int, tokens_a_byte: float) -> None:
    def lawful(length: int) -> int:
        return around + int(tokens_a_byte * length)

    assert odd_prompts(prompts(lawful)) == []
    for wrong in (1, 24, lawful(1000) + 1500):
        odd = [reply(n, prompt_bytes=1000, input_tokens=wrong) for n in range(100, 107)]
        assert odd_prompts([*prompts(lawful), *odd]) == odd


def test_prompts_that_no_one_counted_or_few_did_say_nothing() -> None:
    lost = reply(90, prompt_bytes=1000, input_tokens=1)
    assert odd_prompts([*prompts(lambda length: length // 4, 10), lost]) == []
    assert odd_prompts([*prompts(lambda length: 0), lost]) == []
    old = [reply(n, input_tokens=1 + n * n) for n in range(30)]  # of a run that kept no lengths
    assert odd_prompts(old) == []


def test_the_counts_of_several_calls_with_a_tool_are_not_those_of_one_request() -> None:
    several = [reply(n, prompt_bytes=900, input_tokens=2_000, facets={"tool": "self:3"}) for n in range(50, 55)]
    assert odd_prompts([*prompts(lambda length: length // 4), *several]) == []


def test_counts_of_prompts_that_scatter_say_nothing() -> None:
    """As of a server that leaves out what it had in a cache."""
    draw = random.Random(2)
    assert odd_prompts(prompts(lambda length: draw.choice((5, length // 8, length // 4)))) == []


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
