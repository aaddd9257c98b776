"""Sentences that correct what was stated of labels before them: "Actually, I'd lower Q2 to 0.4, 600 tokens"."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from selfexec.readers.probability.amounts import WORD
from selfexec.readers.probability.of_all_labels import SENTENCE
from selfexec.readers.probability.quantities import Expected, by_size, numbers_in
from selfexec.text.regex import regex

CORRECTS = regex(
    r"[^.!?\n]*\b(?:actually|correction|wait|I\s+meant|on\s+reflection|on\s+second\s+thoughts?|should\s+be|instead|make\s+(?:it|that)"
    r"|(?:I|let\s+me)(?:['’](?:d|ll)|\s+(?:would|will|should|have))?\s+(?:\w+\s+)?(?:chang|revis|lower|rais|adjust)\w*)\b",
    re.IGNORECASE,
)


class Correction(NamedTuple):
    """What a sentence says of a label, and where in that the words end that announce a correction."""

    label: str
    words: str
    begun: int


def corrections_of(text: str, labels: Sequence[str], begun: int = 0) -> tuple[str, list[Correction]]:
    """The text, place for place, without the sentences from `begun` on that correct labels which all stand before them;
    and these corrections.
    """
    name = re.compile(rf"(?<!{WORD})(?:{'|'.join(map(re.escape, labels))})(?!{WORD})", re.IGNORECASE)
    first: dict[str, int] = {}
    for match in name.finditer(text):
        first.setdefault(match[0].upper(), match.end())
    corrections: list[Correction] = []
    begun = max(begun, *first.values()) if first.keys() == set(labels) else len(text)
    for sentence in SENTENCE.finditer(text, begun):
        corrections += (found := list(_in_a_sentence(sentence[0], name, first)))
        text = text[: sentence.start()] + " " * len(sentence[0]) + text[sentence.end() :] if found else text
    return text, corrections


def revised(expected: Expected, corrections: Sequence[Correction]) -> Expected:
    """What is expected of labels after corrections. Of a label whose correction cannot be read, nothing is."""
    for correction in corrections:
        new = _corrected_to(correction)
        of_others = {label: numbers for label, numbers in expected.items() if label != correction.label}
        expected = {**expected, correction.label: {**expected.get(correction.label, {}), **new}} if new else of_others
    return expected


def _in_a_sentence(sentence: str, name: re.Pattern[str], labels: Iterable[str]) -> Iterator[Correction]:
    """What a sentence corrects: all of it is on its only label, else what follows each; "it" stands for a label, whose
    digit is no number. A sentence that names none may be on any of them, so that nothing can be read of it.
    """
    lead, named = CORRECTS.match(sentence), list(name.finditer(sentence))
    if not lead or not re.search(r"\d", name.sub(" ", sentence)[lead.end() :]):
        return
    if not named:
        yield from (Correction(label, "", 0) for label in labels)
    if len({match[0].upper() for match in named}) == 1:
        yield Correction(named[0][0].upper(), name.sub("it", sentence), lead.end())
        return
    for match, after in zip_longest(named, named[1:]):
        words = sentence[match.end() : after.start() if after else None]
        yield Correction(match[0].upper(), f"{lead[0]} it{words}", lead.end())


def _corrected_to(correction: Correction) -> dict[str, float]:
    """The quantities that a correction states; none where one of its numbers is a range, a bound, or one too many."""
    numbers = [number for number in numbers_in(correction.words) if number.at >= correction.begun]
    stated = {number.quantity or by_size(number): number for number in numbers}
    chance = stated.get("wrong") or stated.get("correct")
    tokens = stated["tokens"].tokens if "tokens" in stated else None
    value = chance.amount.value if chance and chance.amount else None
    if len(stated) < len(numbers) or (chance and value is None) or ("tokens" in stated and not tokens):
        return {}
    new = {"correct": round(1 - value, 9) if "wrong" in stated else value} if value is not None else {}
    return {**new, "tokens": tokens} if tokens else new
