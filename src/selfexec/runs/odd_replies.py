"""What replies of one model show beside each other that may not have come from it: a rule each, in a file of its own.

None of it is certain for a single reply, so nothing is voided. Each finding is said with how many replies it is about
and how to look at one of them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

from selfexec.engines.base import BETWEEN_PARTS
from selfexec.runs.copied_texts import copied_texts, joined_texts
from selfexec.runs.damaged_texts import damaged_texts
from selfexec.runs.exchanged_replies import exchanged_replies
from selfexec.runs.exchanged_words import exchanged_words
from selfexec.runs.halved_objects import halved_objects
from selfexec.runs.item_words import Items, texts_by_reply
from selfexec.runs.odd_counts import odd_texts, with_the_same_count
from selfexec.runs.odd_endings import (
    begun_within,
    broken_off,
    cut_and_judged,
    with_one_count,
    with_one_length,
    with_one_note,
)
from selfexec.runs.program_texts import program_texts
from selfexec.runs.prompt_counts import odd_prompts, prompts_at_a_limit, uncounted_prompts
from selfexec.runs.prompt_shifts import shifted_prompts
from selfexec.runs.replies_unlike_others import in_words, unlike_others
from selfexec.runs.reply import Reply
from selfexec.runs.run_ons import run_ons
from selfexec.runs.shared_ids import with_one_id
from selfexec.runs.unrelated_texts import begun_with_the_request, echoes, unrelated_texts
from selfexec.text.printable import harmless_line, in_short

LEAST = 2  # replies
LONGEST_EXAMPLE = 60  # characters
SHOWN = 3  # contradictions that are named
OfCounts = Literal[
    "unlike",
    "prompt_counts",
    "prompts_uncounted",
    "prompt_limit",
    "prompt_shift",
    "text_counts",
    "same_count",
    "limit",
    "length",
]
OfTexts = Literal[
    "copies",
    "one_id",
    "joined",
    "echoes",
    "note",
    "exchanged",
    "words_exchanged",
    "halved",
    "cut",
    "begun_within",
    "request_first",
    "run_on",
    "broken_off",
    "damaged",
    "programs",
    "unrelated",
    "contradictions",
]
OddAbout = OfCounts | OfTexts


class Odd(NamedTuple):
    """Replies with one thing about them that is odd, and what that is and may mean, behind "7 of 30 replies"."""

    about: OddAbout
    replies: Sequence[Reply]
    text: str


def odd_replies(replies: Sequence[Reply], items: Items = MappingProxyType({})) -> Iterator[Odd]:
    """What is odd about replies of one model, by the replies themselves, by those that came beside them, and by the
    items that they are about.
    """
    came = [reply for reply in replies if not reply.person]
    unlike = unlike_others(came)
    if unlike.replies:
        why = "they may be of another server or version, of a cache or a stub"
        yield Odd("unlike", unlike.replies, f"are made up differently from the others ({in_words(unlike)}): {why}")
    rules: tuple[tuple[OddAbout, list[Reply], str], ...] = (
        ("prompt_counts", odd_prompts(came), PROMPT_COUNTS),
        ("prompts_uncounted", uncounted_prompts(came), PROMPTS_UNCOUNTED),
        ("prompt_limit", prompts_at_a_limit(came), PROMPT_LIMIT),
        ("text_counts", odd_texts(came), TEXT_COUNTS),
        ("same_count", with_the_same_count(came), SAME_COUNT),
        ("copies", copied_texts(came), COPIES),
        ("one_id", with_one_id(came), ONE_ID),
        ("joined", joined_texts(came), JOINED),
        ("note", with_one_note(came), NOTE),
        ("limit", with_one_count(came), LIMIT),
        ("length", with_one_length(came), LENGTH),
        ("cut", cut_and_judged(came), CUT),
        ("begun_within", begun_within(came), BEGUN_WITHIN),
        ("request_first", begun_with_the_request(came, items), REQUEST_FIRST),
        ("run_on", run_ons(came), RUN_ON),
        ("broken_off", broken_off(came), BROKEN_OFF),
        ("exchanged", exchanged_replies(came, items), EXCHANGED),
        ("words_exchanged", exchanged_words(came, items), WORDS_EXCHANGED),
        ("halved", halved_objects(came), HALVED),
        ("echoes", echoes(came, items), f"{ECHOES}. {OF_PROGRAMS}"),
    )
    yield from (Odd(*odd) for odd in rules if len(odd[1]) >= LEAST)
    shifted, by = shifted_prompts(came)
    if shifted:
        how_many = f"have about {abs(by)} tokens of the prompt {'more' if by > 0 else 'fewer'} than others"
        yield Odd("prompt_shift", shifted, f"{how_many} {SHIFT}")
    if contradicting := [reply for reply in came if reply.contradictions]:
        what = contradictions_in_words(contradicting)
        yield Odd("contradictions", contradicting, f"do not fit their requests, others or themselves: {what}")
    asked = texts_by_reply(items)
    if damaged := damaged_texts(came, asked):
        text = f"have signs of damage: {_counted(damaged)}. Something on the way may have changed the texts"
        yield Odd("damaged", _all_of(damaged), text)
    held = program_texts(came, asked)
    if held:
        text = f"hold what programs write: {_counted(held)}, as in {_shortest(_all_of(held))}. {OF_PROGRAMS}"
        yield Odd("programs", _all_of(held), text)
    named = {reply.key for reply in _all_of(held)}
    if unrelated := [reply for reply in unrelated_texts(came, items) if reply.key not in named]:
        yield Odd("unrelated", unrelated, f"{UNRELATED}, as in {_shortest(unrelated)}. {OF_PROGRAMS}")


def _shortest(replies: Sequence[Reply]) -> str:
    """The shortest text of some replies, in quotation marks, in one line."""
    text = " ".join(harmless_line(min((reply.text or "" for reply in replies), key=len)).split())
    return f'"{text if len(text) <= LONGEST_EXAMPLE else f"{text[: LONGEST_EXAMPLE - 1]}…"}"'


def _all_of(groups: Mapping[str, Sequence[Reply]]) -> list[Reply]:
    return [*{reply.key: reply for group in groups.values() for reply in group}.values()]


def _counted(groups: Mapping[str, Sequence[Reply]]) -> str:
    return ", ".join(f"{name} ({len(group):,})" for name, group in groups.items())


def contradictions_in_words(replies: Sequence[Reply]) -> str:
    """What these replies contradict, the most frequent first, with how many do."""
    times = Counter(part for reply in replies for part in (reply.contradictions or "").split(BETWEEN_PARTS))
    named = [f"{in_short(harmless_line(part))} ({number:,})" for part, number in times.most_common(SHOWN)]
    return "; ".join([*named, f"{len(times) - SHOWN:,} more"] if len(times) > SHOWN else named)


PROMPT_COUNTS = (
    "have a count of prompt tokens that is far from what prompts of their length have otherwise: the prompt may have "
    "been lost, cut, extended or exchanged on the way"
)
PROMPTS_UNCOUNTED = (
    "have counts of prompt tokens that are too small for what was sent, or do not grow with it: prompts may have been "
    "lost or cut on the way, unless the server counts only what it had in no cache"
)
PROMPT_LIMIT = (
    "have the same largest count of prompt tokens, though their prompts differ in length: the longer ones may have "
    "been cut"
)
SHIFT = "of their kind and length: something on the way may have put a text before some prompts and not before others"
TEXT_COUNTS = (
    "have a count of tokens that is far from what texts like theirs have otherwise: parts of a text may have been lost "
    "or added on the way, unless the model thought unseen"
)
SAME_COUNT = (
    "have the same count of tokens, whatever their length: the server does not count them, so that nothing can be said "
    "of how many tokens an answer takes"
)
COPIES = "have a long text that other prompts got as well: a cache may have sent it again, or replies were exchanged"
ONE_ID = "have an id that other replies have as well, where most have their own: a cache or a stub may have sent them"
JOINED = (
    "begin or end with the reply to another prompt, or begin with the end of one: parts of two replies may have been "
    "joined on the way"
)
ECHOES = "repeat what they were asked, and say hardly anything else"
NOTE = "end with the same sentence behind a text that breaks off: what cut them may have written it"
LIMIT = (
    "end at the same largest count of tokens, though the server says that they came to their end: a limit may "
    "have cut them"
)
LENGTH = (
    "break off at the same largest length, though the server says that they came to their end: something on the way "
    "may have cut them"
)
BEGUN_WITHIN = "begin in the middle of a sentence: their beginnings may have been lost on the way"
REQUEST_FIRST = "begin with the whole request: a server that was to send the reply alone may have sent both"
RUN_ON = (
    "go on behind their answer with another prompt, or further words, and another answer: the end of the turn may have "
    "been lost (a template, a stop token), unless the model changed its mind. Where the prompt behind it has a "
    "known form, the first answer is read; where it has none, most such replies are unreadable"
)
BROKEN_OFF = (
    "break off in the middle of a sentence, though the server says that they came to their end: something on the way "
    "may have cut them, unless the model itself ends so"
)
CUT = (
    "were cut by a limit of tokens, so that only their beginnings are judged: set a higher one (--set max_tokens=...); "
    "where none was set, it is the server's own"
)
EXCHANGED = (
    "end with an object that belongs to another prompt of the run, and to nothing in their own: replies may have been "
    "exchanged on the way"
)
WORDS_EXCHANGED = (
    "have words of another prompt of the run and none of their own: replies may have been exchanged on the way"
)
HALVED = (
    "begin or end within the JSON that they were asked for, though the server says that they are whole: a part of them "
    "may have been lost on the way, unless the model itself leaves it out"
)
UNRELATED = (
    "have nothing to do with their prompts: they are short, have neither the form that was asked for nor a word of "
    "what was asked, and nobody speaks in them"
)
OF_PROGRAMS = "Unless the model itself writes so, something on the way has written it"
