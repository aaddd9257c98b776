"""What a server said of a model's replies that the numbers made of them rest on: that another model than the one that
was asked gave them, that it counted less of a prompt than was sent, and that it made them before they were asked for.

Whatever a server says so of a single reply for certain voids that reply, and it is not here. What stands here is only
likely: a name may be an alias, a count may leave something out, and a clock may be wrong.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from selfexec.engines.model_names import is_one_model
from selfexec.runs.records import Reply
from selfexec.runs.run import Run
from selfexec.text.numbers import number_of
from selfexec.text.printable import harmless_line

NAMES_SHOWN = 5
About = Literal["served", "prompt_cut", "age"]


class Notice(NamedTuple):
    """What was said of `replies` of a model's replies, about which of these things, in words."""

    model: str
    about: About
    replies: int
    text: str


def notices_in(run: Run) -> Iterator[Notice]:
    """What servers said of the replies of a run, by model; of simulated models nothing."""
    by_model: dict[str, list[Reply]] = {}
    for reply in run.replies.values():
        if not reply.failed and reply.model not in run.simulated:
            by_model.setdefault(reply.model, []).append(reply)
    for model, replies in by_model.items():
        yield from (Notice(model, *notice) for notice in _notices_of(model, replies))


def _notices_of(model: str, replies: Sequence[Reply]) -> Iterator[tuple[About, int, str]]:
    others = Counter(
        reply.served_model for reply in replies if reply.served_model and not is_one_model(model, reply.served_model)
    )
    if others:
        named = [f"{harmless_line(name)} ({n:,})" for name, n in others.most_common(NAMES_SHOWN)]
        more = [f"{len(others) - len(named):,} more"] if len(others) > len(named) else []
        what = f"{_of(others.total(), replies)} came as those of another model: {', '.join([*named, *more])}"
        why = "a deployment or an alias may be called so; otherwise the scores are of what answered"
        yield "served", others.total(), f"{model}: {what}. Asked for was {harmless_line(model)}: {why}."
    if cut := sum(reply.prompt_cut for reply in replies):
        what = "the server counted fewer tokens than the prompt has words: the prompt may have been cut"
        yield "prompt_cut", cut, f"{model}: for {_of(cut, replies)} {what}, so that the model saw a part only."
    if ages := [reply.age for reply in replies if reply.age]:
        what = f"made an hour or more before they were asked for, as the server says ({_hours(max(ages))} at most)"
        why = "they came from a cache, or its clock is wrong"
        yield "age", len(ages), f"{model}: {_of(len(ages), replies)} were {what}: {why}."


def _of(number: int, replies: Sequence[Reply]) -> str:
    return f"{number:,} of {number_of(len(replies), 'reply', 'replies')}"


def _hours(seconds: int) -> str:
    return f"{seconds / 3600:,.0f} h"
