"""Counts of prompt tokens that are not those of what was sent are named; templates, caches and tokenizers are not."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfexec.runs.prompt_counts import odd_prompts, prompts_at_a_limit, uncounted_prompts
from selfexec.runs.reply import Reply


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


def test_a_system_prompt_that_came_with_none_shows_in_the_shortest_prompts() -> None:
    """380 bytes stood before every prompt, and are in no count: of the first, 20 of 400 bytes were counted."""
    lost = prompts(lambda length: 3 + (length - 380) // 4)
    odd = [one for one in lost if (one.prompt_bytes or 0) > 16 * (one.input_tokens or 0)]
    assert odd_prompts(lost) == odd == lost[:3]
    assert odd_prompts(prompts(lambda length: 3 + length // 4)) == []


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
    assert uncounted_prompts(prompts(lambda length: draw.choice((5, length // 8, length // 4)))) == []


def test_an_earlier_exchange_in_some_prompts_is_named_though_counts_scatter() -> None:
    """No template of one length adds more tokens to some prompts than these have bytes."""
    draw = random.Random(3)
    came = prompts(lambda length: length // 4 + draw.choice((0, 150, 300, 450, 600, 2_000)))
    extended = [reply for reply in came if (reply.input_tokens or 0) > 2_000]
    assert len(extended) > 2 and odd_prompts(came) == extended


@given(st.integers(0, 40))
def test_counts_that_do_not_grow_with_the_prompts_or_are_too_small_for_them_are_named(around: int) -> None:
    for count in (lambda length: around + 1, lambda length: around + min(length // 4, 130)):
        came = prompts(count)
        assert uncounted_prompts(came) == came and prompts_at_a_limit(came) == []
    lost = [reply(n, prompt_bytes=1_800 + n, input_tokens=around + 30 + n // 4) for n in range(30)]  # a system prompt
    assert uncounted_prompts(lost) == lost
    assert uncounted_prompts(lost[:11]) == []  # too few to compare


@pytest.mark.parametrize("bytes_a_token", [1.5, 4.2, 6, 9, 12])
@pytest.mark.parametrize("around", [0, 12, 3_000])
def test_no_template_and_no_tokenizer_makes_counts_too_small_or_alike(bytes_a_token: float, around: int) -> None:
    draw = random.Random(4)
    came = prompts(lambda length: around + round(length / bytes_a_token * draw.uniform(0.9, 1.1)))
    assert uncounted_prompts(came) == prompts_at_a_limit(came) == odd_prompts(came) == []
    alike = [reply(n, prompt_bytes=500 + n % 2, input_tokens=around + 120) for n in range(30)]
    assert uncounted_prompts(alike) == prompts_at_a_limit(alike) == []


def test_the_longest_prompts_that_share_the_largest_count_were_cut() -> None:
    came = prompts(lambda length: min(length // 4, 300))
    cut = [reply for reply in came if reply.input_tokens == 300]
    assert 3 < len(cut) < len(came) / 2
    assert prompts_at_a_limit(came) == cut and uncounted_prompts(came) == []
