"""What a server said of a model's replies that the numbers made of them rest on: that another model than the one that
was asked gave them, that it counted less of a prompt than was sent or more of a reply than came, and that it made them
before they were asked for; also that some replies lack what all others have, and that one text answers all prompts.

Whatever a server says so of a single reply for certain voids that reply, and it is not here. What stands here is only
likely: a name may be an alias, a count may leave something out, and a clock may be wrong.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from selfexec.engines.model_names import is_one_model
from selfexec.facets import is_call
from selfexec.runs.records import Reply
from selfexec.runs.run import Run
from selfexec.text.numbers import number_of
from selfexec.text.printable import harmless_line

NAMES_SHOWN = 5
MOST_TOKENS, SLACK = 4, 50  # tokens for each byte of a text, and beside it: a token of text has one byte at least
LEAST_REPLIES, LEAST_BYTES = 3, 20  # of one text to all prompts: a shorter one may be what was asked for, as a choice
About = Literal["served", "prompt_cut", "age", "counts", "nameless", "same_text"]


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
        yield from (Notice(model, *notice) for notice in notices_of(model, replies))


def notices_of(model: str, replies: Sequence[Reply]) -> Iterator[tuple[About, int, str]]:
    """What the server said of these replies of a model: about what, of how many of them, in words."""
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
    if lost := sum(map(is_counted_too_long, replies)):
        yield "counts", lost, f"{model}: {counted_too_long(lost, replies)}."
    if bare := nameless(replies):
        yield "nameless", bare, f"{model}: {without_names(bare, replies)}."
    if same := same_to_all(replies):
        yield "same_text", same, f"{model}: {all_the_same(same)}."


def is_counted_too_long(reply: Reply) -> bool:
    """Whether the server counted more tokens of a reply that came to its end than the text can have, and said that
    none of them were thoughts. A reply with a tool has the counts of several calls.
    """
    if reply.reasoning_tokens != 0 or reply.reasoning or not reply.text or "tool" in reply.facets:
        return False
    most = MOST_TOKENS * len(reply.text.encode(errors="replace")) + SLACK
    return reply.stop_reason in (None, "stop") and (reply.output_tokens or 0) > most


def counted_too_long(number: int, replies: Sequence[Reply]) -> str:
    """What is said of so many of these replies that are shorter than the server counted."""
    return (
        f"for {_of(number, replies)} the server counted far more tokens of text than these texts can have, and no "
        "thoughts: parts of them may have been lost on the way, or thoughts are hidden in the count"
    )


def nameless(replies: Sequence[Reply]) -> int:
    """How many replies came over a network without any of what names or counts a reply, where most others have all of
    it: small servers may give nothing of the kind, and then with no reply.
    """
    asked = [reply for reply in replies if reply.latency is not None and reply.policy is None and not reply.person]
    marks = [(reply.completion_id, reply.served_model, reply.output_tokens) for reply in asked]
    bare = sum(not any(given) for given in marks)
    return bare if sum(all(given) for given in marks) > bare else 0


def without_names(number: int, replies: Sequence[Reply]) -> str:
    """What is said of so many of these replies that lack what the others have."""
    return (
        f"{_of(number, replies)} came without an id, a model's name and counts, which most others have: something on "
        "the way may have answered in its place. Look at them (selfexec read RUN --show)"
    )


def same_to_all(replies: Sequence[Reply]) -> int:
    """How many replies there are where all of a model's have one text, to prompts of several kinds; 0 otherwise."""
    own = [reply for reply in replies if not is_call(reply.session)]
    text = own[0].text if own else None
    if not text or len(own) < LEAST_REPLIES or len(text.encode(errors="replace")) < LEAST_BYTES:
        return 0
    kinds = {(reply.experiment, reply.key.kind) for reply in own}
    return len(own) if len(kinds) > 1 and all(reply.text == text for reply in own) else 0


def all_the_same(number: int) -> str:
    """What is said of so many replies that are all the same."""
    return (
        f"all {number:,} replies are the same, letter by letter, to prompts of different kinds, as a prediction and an "
        "execution: unless the model refuses in set words, something on the way answers in its place. Look at them "
        "(selfexec read RUN --show)"
    )


def _of(number: int, replies: Sequence[Reply]) -> str:
    return f"{number:,} of {number_of(len(replies), 'reply', 'replies')}"


def _hours(seconds: int) -> str:
    return f"{seconds / 3600:,.0f} h"
