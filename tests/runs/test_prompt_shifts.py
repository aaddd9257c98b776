"""Prompts that were counted one number of tokens apart are named; items of other scripts and smooth counts are not."""

import random
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from selfexec.experiments import EXPERIMENTS, JobKey
from selfexec.runs.odd_counts import rough_tokens
from selfexec.runs.odd_replies import odd_replies
from selfexec.runs.prompt_shifts import shifted_prompts
from selfexec.runs.replay import ReplayedItem, prompts_of
from selfexec.runs.reply import Reply
from selfexec.runs.run import Run

KINDS: Mapping[str, tuple[int, float]] = {"predict": (460, 0.24), "execute": (170, 0.2), "judge": (900, 0.22)}


def prompts(items: int = 16, noise: float = 1.0, seed: int = 1, **fields: Any) -> list[Reply]:
    """Replies to the prompts of three kinds of sessions on each item, whose counts grow with the item's length."""
    draw = random.Random(seed)
    found = []
    for n in range(items):
        length = draw.randint(4, 40)
        for kind, (template, share) in KINDS.items():
            tokens = round(share * template + length / 4 + draw.uniform(-noise, noise)) + 8
            key = {"experiment": "restriction", "item": str(n), "session": kind}
            counts = {"prompt_bytes": template + length, "input_tokens": tokens}
            found.append(Reply(model="m", text="Hello.", **key, **counts, **fields))
    return found


def shifted(replies: list[Reply], which: Callable[[int, Reply], bool], by: int) -> tuple[list[Reply], list[Reply]]:
    """Replies of which some were counted so many tokens more, and these."""
    more = [
        replace(reply, input_tokens=(reply.input_tokens or 0) + by) if which(n, reply) else reply
        for n, reply in enumerate(replies)
    ]
    return more, [reply for n, reply in enumerate(more) if which(n, replies[n])]


@given(st.integers(25, 300), st.integers(12, 60), st.integers(0, 100))
def test_a_third_of_prompts_that_were_counted_one_number_of_tokens_above_the_others_are_named(
    by: int, items: int, seed: int
) -> None:
    replies, odd = shifted(prompts(items, seed=seed), lambda n, reply: (n + seed) % 7 in (0, 3), by)
    found = shifted_prompts(replies)
    assert {reply.key for reply in found.replies} == {reply.key for reply in odd}
    assert abs(found.tokens - by) <= 3


def test_so_are_those_below_most_and_it_is_said_by_how_much() -> None:
    replies, odd = shifted(prompts(), lambda n, reply: n % 4 == 1, -50)
    found = shifted_prompts(replies)
    assert {reply.key for reply in found.replies} == {reply.key for reply in odd} and abs(found.tokens + 50) <= 3
    text = next(odd.text for odd in odd_replies(replies) if odd.about == "prompt_shift")
    assert text.startswith(
        f"have about {-found.tokens} tokens of the prompt fewer than others of their kind and length"
    )
    above, _ = shifted(prompts(), lambda n, reply: n % 4 == 1, 50)
    assert any("tokens of the prompt more than" in odd.text for odd in odd_replies(above))


@given(st.integers(0, 100), st.floats(0, 30))
def test_counts_that_grow_with_the_prompts_are_not_however_they_scatter(seed: int, noise: float) -> None:
    assert shifted_prompts(prompts(40, noise, seed)).replies == ()


def test_items_of_another_script_lie_apart_in_all_sessions_and_are_not() -> None:
    replies, odd = shifted(prompts(), lambda n, reply: int(reply.item) % 5 == 0, 45)
    assert len(odd) > 8 and shifted_prompts(replies).replies == ()


def test_kinds_of_sessions_and_conditions_that_have_templates_of_their_own_are_not() -> None:
    replies, _ = shifted(prompts(), lambda n, reply: reply.session == "judge", 60)
    assert shifted_prompts(replies).replies == ()
    others = prompts(facets={"thinking": "on"})
    assert shifted_prompts([*prompts(), *shifted(others, lambda n, reply: True, 60)[0]]).replies == ()


def test_few_or_uncounted_prompts_say_nothing() -> None:
    for replies in (prompts(4), [replace(reply, input_tokens=None) for reply in prompts()]):
        assert shifted_prompts(shifted(replies, lambda n, reply: False, 0)[0]).replies == ()
    replies, _ = shifted(prompts(), lambda n, reply: n in (4, 9, 14), 60)
    assert shifted_prompts(replies).replies == ()


@pytest.fixture(scope="module")
def counted(ten_models: Run) -> Mapping[str, list[Reply]]:
    """The replies of ten recorded models with the bytes of their prompts, and with tokens by a rough tokenizer."""
    of_models: dict[str, list[Reply]] = defaultdict(list)
    texts: dict[JobKey, dict[str, str | None]] = defaultdict(dict)
    for key, reply in ten_models.replies.items():
        texts[key[:4]][reply.session] = reply.text
    for (model, experiment, item, epoch), said in texts.items():
        item_of, templates = ten_models.items[experiment][item], EXPERIMENTS[experiment].prompts
        [prompts] = prompts_of([ReplayedItem(experiment, item_of, templates, said)])
        for session, prompt in prompts.items():
            key = {"model": model, "experiment": experiment, "item": item, "epoch": epoch, "session": session}
            assert isinstance(prompt, str)
            tokens = round(rough_tokens(prompt)) + 8
            of_models[model].append(Reply(text="x", prompt_bytes=len(prompt.encode()), input_tokens=tokens, **key))
    return of_models


def test_of_the_prompts_of_ten_recorded_models_none_are_apart(counted: Mapping[str, list[Reply]]) -> None:
    draw = random.Random(3)
    for replies in counted.values():
        assert shifted_prompts(replies).replies == ()
        for items in (7, 16, 40):  # as of runs with --limit
            some = {*draw.sample(sorted({(one.experiment, one.item) for one in replies}), 3 * items)}
            assert shifted_prompts([one for one in replies if (one.experiment, one.item) in some]).replies == ()


def test_of_the_same_prompts_those_with_a_text_before_them_are(counted: Mapping[str, list[Reply]]) -> None:
    draw = random.Random(3)
    for replies in counted.values():
        chosen = {n for n in range(len(replies)) if draw.random() < 1 / 3}
        all_of_them, odd = shifted(replies, lambda n, reply, chosen=chosen: n in chosen, 40)  # type: ignore[misc]
        found = shifted_prompts(all_of_them)
        assert len(found.replies) > len(odd) / 4 and abs(found.tokens - 40) <= 3
        assert {reply.key for reply in found.replies} <= {reply.key for reply in odd}
