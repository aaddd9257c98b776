"""What a server said of a model's replies that the numbers made of them rest on: that another model than the one that
was asked gave them, that it counted less or far more of a prompt than was sent, or more of a reply than came, and that
it made them before they were asked for; also that some replies lack what others have, and that texts came to prompts
which have nothing in common.

Whatever a server says so of a single reply for certain voids that reply, and it is not here. What stands here is only
likely: a name may be an alias, a count may leave something out, and a clock may be wrong.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

from selfexec.engines.model_names import is_one_model
from selfexec.facets import is_call
from selfexec.readers import most_tokens
from selfexec.runs.item_words import Items
from selfexec.runs.odd_replies import OddAbout, odd_replies
from selfexec.runs.repeated_texts import repeated_texts, text_of
from selfexec.runs.reply import Reply
from selfexec.text.numbers import number_of
from selfexec.text.printable import command_line, harmless_line

NAMES_SHOWN = 5
HOUR = 3600
TEXT_SHOWN = 60
Stated = Literal["served", "prompt_cut", "prompt_extended", "age", "counts", "nameless", "uncounted", "same_text"]
About = Stated | OddAbout


class Notice(NamedTuple):
    """What was said of `replies` of a model's replies, about which of these things, in words."""

    model: str
    about: About
    replies: int
    text: str


def notices_among(
    replies: Iterable[Reply],
    addresses: Mapping[str, str] = MappingProxyType({}),
    folder: Path | None = None,
    items: Items = MappingProxyType({}),
) -> Iterator[Notice]:
    """What servers said of these replies, by model, unless they are simulated; `folder` is that of the run that has
    them, where one has, `addresses` has where each model was asked last, and `items` what it was asked about.
    """
    by_model: dict[str, list[Reply]] = {}
    for reply in replies:
        # what a model has executed may be answered by another one, and says what its own behaviour says: that is meant
        if not (reply.failed or reply.simulated or is_call(reply.session)):
            by_model.setdefault(reply.model, []).append(reply)
    repeated = repeated_texts(reply for own in by_model.values() for reply in own)
    lacking = dict(uncounted(by_model, addresses))
    for model, own in by_model.items():
        yield from (Notice(model, *notice) for notice in notices_of(model, own, folder))
        if number := lacking.get(model):
            yield Notice(model, "uncounted", number, f"{model}: {_without_counts(number, own)}.")
        if groups := repeated.get(model):
            yield _repeated(model, groups, own, folder)
        known = {reply.key for group in repeated.get(model, ()) for reply in group}
        for odd in odd_replies(own, items):
            keys = {reply.key for reply in odd.replies}
            if odd.about in ("copies", "programs", "unrelated") and keys <= known:
                continue  # which is said already
            known |= keys if odd.about == "note" else set()
            what = f"{_of(len(odd.replies), own)} {odd.text}{_way_to_look(odd.replies, folder)}"
            yield Notice(model, odd.about, len(odd.replies), f"{model}: {what}")


def notices_of(model: str, replies: Sequence[Reply], folder: Path | None = None) -> Iterator[tuple[About, int, str]]:
    """What the server said of these replies of a model: about what, of how many of them, in words."""
    others = Counter(name for reply in replies if (name := _other_model(model, reply)))
    if others:
        named = [f"{harmless_line(name)} ({n:,})" for name, n in others.most_common(NAMES_SHOWN)]
        more = [f"{len(others) - len(named):,} more"] if len(others) > len(named) else []
        what = f"{_of(others.total(), replies)} came as those of another model: {', '.join([*named, *more])}"
        why = "a deployment or an alias may be called so; otherwise the scores are of what answered"
        yield "served", others.total(), f"{model}: {what}. Asked for was {harmless_line(model)}: {why}."
    if cut := sum(reply.prompt_cut for reply in replies):
        what = "the server counted fewer tokens than the prompt has words: the prompt may have been cut"
        yield "prompt_cut", cut, f"{model}: for {_of(cut, replies)} {what}, so that the model saw a part only."
    if extended := sum(reply.prompt_extended for reply in replies):
        what = "the server counted far more tokens of the prompt than were sent"
        why = "something on the way has put a text of its own before it, which the model saw as well"
        yield "prompt_extended", extended, f"{model}: for {_of(extended, replies)} {what}: {why}."
    if ages := _ages(replies):
        least, most = "ten minutes" if min(ages) < HOUR else "an hour", _hours(max(ages))
        what = f"made {least} or more before they were asked for, as the server says ({most} at most)"
        why = "they came from a cache, or its clock is wrong"
        yield "age", len(ages), f"{model}: {_of(len(ages), replies)} were {what}: {why}."
    if lost := sum(map(is_counted_too_long, replies)):
        yield "counts", lost, f"{model}: {_counted_too_long(lost, replies)}."
    if bare := nameless(replies):
        yield "nameless", bare, f"{model}: {_without_names(bare, replies, folder)}."


def _ages(replies: Sequence[Reply]) -> list[int]:
    """For how many seconds replies had been there when they were asked for. Of less than an hour it is one only where
    fewer than half of the replies have it: a clock may be off by as much.
    """
    ages = [reply.age for reply in replies if reply.age]
    is_clock = 2 * len(ages) >= len(replies)
    return [age for age in ages if age >= HOUR or not is_clock]


def _other_model(model: str, reply: Reply) -> str | None:
    """The name of another model than was asked that a reply bears, or that a field or a header has of it."""
    served = reply.served_model
    return served if served and not is_one_model(model, served) else reply.other_model


def is_counted_too_long(reply: Reply) -> bool:
    """Whether the server counted more tokens of a reply that came to its end than the text can have, and says that none
    of them were thoughts. Where it does not say, a model that thinks unseen looks just so: of ten recorded models three
    do. A reply with a tool has the counts of several calls.
    """
    if reply.reasoning_tokens != 0 or reply.reasoning or not reply.text or "tool" in reply.facets:
        return False
    return reply.stop_reason in (None, "stop") and (reply.output_tokens or 0) > most_tokens(reply.text)


def _counted_too_long(number: int, replies: Sequence[Reply]) -> str:
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


def _without_counts(number: int, replies: Sequence[Reply]) -> str:
    """What is said of so many of these replies without a count of tokens."""
    return (
        f"{_of(number, replies)} came without counts of tokens, which most others from there have: the end of these "
        "replies may have been lost on the way, unless nobody counts for this model"
    )


def _without_names(number: int, replies: Sequence[Reply], folder: Path | None) -> str:
    """What is said of so many of these replies that lack what the others have."""
    look = f". Look at them: {command_line('read {} --show', folder)}" if folder else ""
    return (
        f"{_of(number, replies)} came without an id, a model's name and counts, which most others have: something on "
        f"the way may have answered in its place{look}"
    )


def uncounted(by_model: Mapping[str, Sequence[Reply]], addresses: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """How many texts of each model came without any count of tokens, where most others from the same address have one.
    Those that lack everything else too are `nameless`.
    """
    having, lacking = Counter[str](), dict[str, int]()
    for model, replies in by_model.items():
        asked = [reply for reply in replies if reply.latency is not None and reply.text and not reply.person]
        counted = sum(reply.output_tokens is not None for reply in asked)
        having[addresses.get(model, model)] += counted
        lacking[model] = len(asked) - counted - nameless(replies)
    for model, number in lacking.items():
        where = addresses.get(model, model)
        alike = sum(n for other, n in lacking.items() if addresses.get(other, other) == where)
        if number > 0 and having[where] > alike:
            yield model, number


def _repeated(model: str, groups: Sequence[Sequence[Reply]], replies: Sequence[Reply], folder: Path | None) -> Notice:
    """What is said of texts that came to prompts which have nothing in common."""
    keys = {reply.key for group in groups for reply in group}
    most = max(groups, key=len)
    text = " ".join(harmless_line(text_of(most)).split())
    shown = text if len(text) <= TEXT_SHOWN else f"{text[: TEXT_SHOWN - 1]}…"
    what = f"{_of(len(keys), replies)} hold a text that came to prompts which have nothing in common"
    why = "unless the model itself writes so (a set refusal, a closing line), something on the way has written it"
    text = f'{model}: {what} ("{shown}", {len(most):,} times): {why}{_way_to_look(most, folder)}'
    return Notice(model, "same_text", len(keys), text)


def _way_to_look(replies: Sequence[Reply], folder: Path | None) -> str:
    """The end of a sentence about these replies, with the command that shows one of them where the run is known."""
    if folder is None:
        return "."
    one = replies[0]
    way = command_line("read {} --item {} --session {} --show", folder, one.item, one.session)
    return f". Look at one of them: {way}"


def _of(number: int, replies: Sequence[Reply]) -> str:
    return f"{number:,} of {number_of(len(replies), 'reply', 'replies')}"


def _hours(seconds: int) -> str:
    return f"{seconds / HOUR:,.0f} h" if seconds >= HOUR else f"{seconds / 60:.0f} min"
