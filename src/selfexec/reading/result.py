"""What reading a reply gives."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

import msgspec

State = Literal["read", "unreadable", "withheld", "missing"]
EVIDENCE_LENGTH = 240


class Reading(msgspec.Struct, frozen=True):
    """What one reply commits to.

    `value` is a letter, a list of labels, a list of words or a map from word to true or false, and None in every
    state but `read`. `reason` says why a reply is not read: `format`, `truncated` or `declined` where it is unreadable,
    `model` or `provider` where it was withheld. `evidence` is the stretch of the reply that the value was read from.
    `tokens` is what the reply cost, None where nobody counted.
    """

    state: State
    value: Any = None
    reason: str | None = None
    evidence: str | None = None
    tokens: int | None = None


class Commitment(NamedTuple):
    """A stretch of text that states an answer. Its value is None where what it states is no answer ("A, C")."""

    start: int
    end: int
    value: Any


THOUGHT = re.compile(
    r"<(/?)(?:think|thinking|thoughts?|reasoning)>|\[(/?)think\]|◁(/?)think▷"
    r"|<\|(?:begin|(end))_of_thought\|>",
    re.IGNORECASE,
)


def legible(text: str) -> str:
    """The part of a reply that answers, place for place: reasoning between <think> marks is blanked out, and the
    marks that byte-level tokenizers leave for space and newline are put right.
    """
    if "Ġ" in text:
        text = text.replace("Ġ", " ").replace("Ċ", "\n")
    if not ("hink" in text or "HINK" in text or "hought" in text or "easoning>" in text):
        return text
    pieces: list[str] = []
    at = blank = 0
    thinking = False
    for mark in THOUGHT.finditer(text):
        closes = any(mark.groups())
        if closes and not thinking:
            # a thought that began with the reply, its opening mark lost: all so far is blank
            pieces, blank = [], mark.end()
        else:
            pieces.append(" " * (mark.end() - at) if thinking else text[at : mark.start()] + " " * len(mark[0]))
        at = mark.end()
        thinking = not closes
    return " " * blank + "".join(pieces) + (" " * (len(text) - at) if thinking else text[at:])


def conclude(text: str, commitments: list[Commitment]) -> Reading:
    """The reading that a reply's commitments amount to: the last of them, unless it was withdrawn."""
    if not commitments:
        return unreadable(text)
    last = outermost(commitments)
    if last.value is None or (not ends(text, last) and withdrawn(legible(text), last.end)):
        return unreadable(text, last)
    return Reading("read", last.value, evidence=quoted(text, last))


def outermost(commitments: Iterable[Commitment]) -> Commitment:
    """The last of them; of two that end at the same place, the one that takes in more."""
    return max(commitments, key=lambda c: (c.end, -c.start))


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
    return text[commitment.start : commitment.end].strip()[:EVIDENCE_LENGTH]


# A reply that says a word more often, or has more lines, is noise: only so many, from the end, are looked at.
AT_MOST = 2_000


def places(text: str, *words: str) -> Iterator[int]:
    """Where any of the words stands, as written: word by word, each from the end."""
    for word in words:
        at = text.rfind(word)
        for _ in range(AT_MOST):
            if at < 0:
                break
            yield at
            at = text.rfind(word, 0, at)


def matches(text: str, pattern: re.Pattern[str], *words: str) -> Iterator[re.Match[str]]:
    """Matches of a pattern at the places of some literal words that it begins with."""
    for at in places(text, *words):
        if found := pattern.match(text, at):
            yield found


def lines(text: str) -> list[tuple[int, str]]:
    """The lines of a text with their places."""
    kept = text.split("\n")[-AT_MOST:]
    at = len(text) - sum(len(line) + 1 for line in kept) + 1
    placed = []
    for line in kept:
        placed.append((at, line))
        at += len(line) + 1
    return placed


WRONG = r"(?:wrong|incorrect|not\s+(?:right|correct)|mistaken|an?\s+(?:error|mistake))"
OPENER = r"(?:(?:wait|but|however|sorry|oops|no|oh|hm+|actually|hold\s+on)[,.!]?\s+){0,4}"
# said at once after the answer: "that is wrong", "Hmm, it's a mistake."
AT_ONCE = re.compile(
    rf"[\s}}`'\"*.]*{OPENER}(?:that|this|it)(?:'s|\s+is|\s+was)\s+(?:actually\s+|clearly\s+)?{WRONG}\s*(?:[.!,;]|$)",
    re.IGNORECASE,
)
# said anywhere after it, of the answer by name
WITHDRAWAL = re.compile(
    rf"""(?:^|[\n.!?(*}}`]\s{{0,4}}){OPENER}(?:
        (?:actually,?\s+no|no,?\s+wait|scratch\s+that|strike\s+that|i\s+take\s+that\s+back|never\s?mind)\b
      | (?:please\s+)?(?:disregard|ignore)\s+(?:that|the\s+above|my|everything)\b
      | i\s+(?:was\s+wrong|made\s+an?\s+(?:mistake|error))\s*(?:[.!,;]|$)
      | i\s+(?:retract|withdraw)\s+(?:my|that|this)\b
    )
    | \b(?:this|that|my|the\s+(?:above|previous|earlier|first|json))\s+
      (?:(?:json|first|previous|earlier|own|final|last|given)\s+){{0,3}}
      (?:answer(?:\s+choice)?|choice|ranking|json(?:\s+response)?|order|output)(?:\s+above)?\s+(?:is|was)\s+
      (?:actually\s+|clearly\s+|in\s+fact\s+|also\s+)?{WRONG}\b(?!\s+(?:most|some|about|in\s+\d))
    | \bthis\s+(?:json|response)(?:\s+response)?\s+is\s+{WRONG}\s*(?:[.!]|$)""",
    re.VERBOSE | re.IGNORECASE,
)
# no withdrawal is without one of these; the patterns are slow, and most replies have none
WITHDRAWING = (
    *("wrong", "incorrect", "not right", "not correct", "mistake", "error", "scratch", "strike", "never mind"),
    *("nevermind", "disregard", "ignore", "back", "actually", "no, wait", "no wait", "retract", "withdraw"),
)
EXPECTED = re.compile(r"\b(?:expect|believe|would|likely|probably|if)\b[^.\n]{0,60}$", re.IGNORECASE)


def withdrawn(text: str, start: int) -> bool:
    """Whether what was said before `start` is taken back after it. Mere doubt takes nothing back."""
    tail = text[start : start + 4000]
    lowered = tail.lower()
    if not any(word in lowered for word in WITHDRAWING):
        return False
    found = AT_ONCE.match(tail) or WITHDRAWAL.search(tail)
    return found is not None and not EXPECTED.search(tail, 0, found.start() + 1)


REFUSAL = re.compile(
    r"""\b(?:
        i(?:'m|\s+am)\s+(?:very\s+|really\s+|so\s+)?(?:sorry|unable|not\s+able|not\s+going\s+to)
      | i\s+apologi[sz]e
      | i\s?(?:can(?:not|'t|\s+not)|won't|will\s+not|must\s+(?:decline|refuse)|don't\s+feel\s+comfortable)
      | i\s+(?:have\s+to|respectfully)\s+decline
      | (?:can(?:not|'t)|unable\s+to|not\s+able\s+to|impossible\s+to)\s+(?:\w+\s+){0,2}
        (?:help|assist|answer|provide|rank|predict|determine|make|give|choose)
      | need\s+more\s+(?:information|context|details)
      | (?:please\s+|could\s+you\s+)provide\s+(?:\w+\s+){0,3}(?:information|context|details|question|options?|items?)
    )""",
    re.VERBOSE | re.IGNORECASE,
)


def declines(text: str) -> bool:
    """Whether a reply without an answer says that it will not, or cannot, give one."""
    return REFUSAL.search((text[:1500] + "\n" + text[-1500:]).replace("’", "'")) is not None


def ends_in_the_open(text: str) -> bool:
    """Whether a reply stops inside an object, a code block or a sentence: it was cut off."""
    end = text.rstrip()
    if not end:
        return False
    if text.count("```") % 2 or text.rfind("{") > text.rfind("}"):
        return True
    return len(text) - len(end) > 200 or (len(end) > 400 and end[-1].isalnum() and "." in end)
