"""What reading a reply gives."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

import msgspec

from selfexec.readers.notation import plain_text
from selfexec.readers.withdrawal import declines, ends_in_the_open, given_up, withdrawn

State = Literal["read", "unreadable", "withheld", "missing"]
EVIDENCE_LENGTH = 240
# what stands around the only key of an object and its value
QUOTES = ('"', "'")
OPENING = re.compile(r"\{\s{0,12}[\"'“”„«]?$")
CLOSING = re.compile(r"\s{0,12}\}")


class Reading(msgspec.Struct, frozen=True):
    """What one reply commits to.

    `value` is a letter, a list of labels, a list of words, a map from word to true or false, or what else an
    experiment makes of an object; None in every state but `read`. `reason` says why a reply is not read: `format`,
    `truncated`, `performed` or `declined` where it is unreadable, `model` or `provider` where it was withheld.
    `evidence` is the stretch of the reply that the value was read from. `tokens` is what the reply cost, None where
    nobody counted. `probability` (0 to 1) is what a prediction gives to the yes of its item's claim, beside the value;
    None where it was not asked for one, or gives none. `judged` is what was said of the reply afterwards, by source:
    whether its item's claim came true, or a map of claims. `visible_tokens` are those of the answer alone, without
    thoughts; `uncounted` says why they are not known.
    """

    state: State
    value: Any = None
    reason: str | None = None
    evidence: str | None = None
    tokens: int | None = None
    probability: float | None = None
    judged: Mapping[str, Any] = {}
    visible_tokens: int | None = None
    uncounted: str | None = None


class Commitment(NamedTuple):
    """A stretch of text that states an answer. Its value is None where what it states is no answer ("A, C")."""

    start: int
    end: int
    value: Any


def conclude(text: str, commitments: list[Commitment], *, of_a_request: bool = False) -> Reading:
    """The reading that a reply's commitments amount to: the last of them, unless it was withdrawn.

    Of a request, "so I cannot answer" gives the reason of a choice; else it says that none is made after all.
    """
    if not commitments:
        return unreadable(text)
    last = outermost(commitments)
    if last.value is None:
        return unreadable(text, last)
    if not ends(text, last) and withdrawn(plain_text(text), last.end):
        return unreadable(text, last)
    if not of_a_request and given_up(text, last.start):
        return unreadable(text, last)
    return Reading("read", last.value, evidence=quoted(text, last))


def outermost(commitments: Iterable[Commitment]) -> Commitment:
    """The last of them; of two that end at the same place, the one that takes in more."""
    several = list(commitments)
    return several[0] if len(several) == 1 else max(several, key=lambda c: (c.end, -c.start))


def ends(text: str, commitment: Commitment) -> bool:
    """Whether a text ends with this commitment: nothing comes after it but closing marks. Most replies do."""
    return not text[commitment.end :].strip(" \n`}")


def unreadable(text: str, last: Commitment | None = None) -> Reading:
    """A reply without a commitment, or whose last one is no answer, with the reason."""
    evidence = quoted(text, last) if last else None
    if not last and ends_in_the_open(text):
        return Reading("unreadable", reason="truncated")
    reason = "declined" if declines(text) else "format"
    return Reading("unreadable", reason=reason, evidence=evidence)


def quoted(text: str, commitment: Commitment) -> str:
    """A commitment's words: the whole object where nothing else stands in it, else key and value without a brace."""
    start, end, _ = commitment
    words = text[start:end].strip()
    if words.startswith("{"):
        brace = text.index("{", start) if words.count("{") > words.count("}") else -1
    else:
        opening = OPENING.search(text, max(start - 16, 0), start)
        brace = opening.start() if opening else -1
    if brace >= 0:
        closing = CLOSING.match(text, end)
        words = text[brace : closing.end()] if closing else text[brace + 1 : end].strip()
    elif (quote := text[max(start - 1, 0) : start]) in QUOTES and words.count(quote) % 2:
        words = quote + words
    return words[:EVIDENCE_LENGTH]
