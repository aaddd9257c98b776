"""What reading a reply gives."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

import msgspec

from selfexec.text.regex import regex

State = Literal["read", "unreadable", "withheld", "missing"]
Side = Literal[
    "answering", "refusing", "being right", "failing"
]  # what a yes is, where a probability may be of its opposite
EVIDENCE_LENGTH = 240
# what stands around the only key of an object and its value
QUOTES = ('"', "'")
OPENING = regex(r"\{\s{0,12}[\"'“”„«]?$")
CLOSING = regex(r"\s{0,12}\}")


class Reading(msgspec.Struct, frozen=True):
    """What one reply commits to.

    `value` is a letter, a list of labels, a list of words, a map from word to true or false, or what else an
    experiment makes of an object; None in every state but `read`. `reason` says why a reply is not read: `format`,
    `truncated`, `performed`, `requested` or `declined` where it is unreadable, `model` or `provider` where it was
    withheld, and of a missing one why it is (`runs.readings`). Beside
    `read` it is `truncated` where the reply was cut off before a part of what was asked for, and else None.
    `evidence` is the stretch of the reply that the value was read from. `tokens` is what the reply cost, None where
    nobody counted. `probability` (0 to 1) is what a prediction gives to the yes of its item's claim, beside the value;
    None where it was not asked for one, or gives none. `judged` is what was said of the reply afterwards, by source:
    whether its item's claim came true, or a map of claims. `visible_tokens` are those of the answer alone, without
    thoughts; `uncounted` says why they are not known. `seconds` is how long a person took.
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
    seconds: float | None = None


class Commitment(NamedTuple):
    """A stretch of text that states an answer. Its value is None where what it states is no answer ("A, C")."""

    start: int
    end: int
    value: Any


def last_of(commitments: Iterable[Commitment]) -> Commitment:
    """The last of them; of two that end at the same place, the one that takes in more."""
    several = list(commitments)
    return several[0] if len(several) == 1 else max(several, key=lambda c: (c.end, -c.start))


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
