"""Which of its two sides a statement of probability is about: that the claim comes true, or that it does not.

"A chance of 10% that I get it wrong" states 90% of a right answer. It does so only where the number belongs to the
other side by its grammar: "that ..." or "of ..." behind it, "with a probability of" behind the verb, or the name of a
side before a colon or in a cell of a table. In "I would not answer this, so 5%" it belongs to nothing, and states
nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from selfexec.readers.amounts import Amount, amounts
from selfexec.readers.result import Side

CHANCE = r"(?:probabilit(?:y|ies)|chances?|likelihood|odds|risk|confidence|P)"
# "not sure" and "not only" say nothing of a side
NOT = re.compile(
    r"n['’]t\b|\b(?:not|never|without)\b(?!\s+(?:sure|certain|only|quite|entirely|really|just|much|too|necessarily)\b)|"
    r"\bno\b(?!\s+(?:more|less|idea|doubt|way|reason))",
    re.IGNORECASE,
)
UNSURE = re.compile(
    r"\b(?:not|n['’]t)\s+(?:sure|certain|only|quite|entirely|really|just|much|too|necessarily)\b|\bno\s+(?:more|less|idea"
    r"|doubt|way|reason)\b|\?|\b(?:if|unless|whether|suppose|assuming|others?|another|people|person|someone|somebody"
    r"|average|typical|for\s+example|for\s+instance|e\.g\.)\b",
    re.IGNORECASE,
)
# "thirty percent that I would": the verb is the one of the question
AS_ASKED = re.compile(
    r"\W*(?:(?:chance|probability|likelihood|sure|certain|confident)\s+)?(?:that\s+)?(?:I|it|my\s+\w+)?"
    r"(?:['’](?:d|ll)|\s*\b(?:would|will|do|does))(?:\s?n['’o]t|\s+not)?\W*",
    re.IGNORECASE,
)
LETTERED = re.compile(r"\b[AB]\b[.:)]?|[()\"“”*_`]|(?<!\w)'|'(?!\w)")  # the letters of the two sides
# where the words about a side end: what follows is a reason, or something else
GOES_ON = re.compile(
    r"[,;:()\[|–—]|\s-\s|\b(?:because|since|as|though|although|but|given|while|whereas)\b", re.IGNORECASE
)
JOINT = re.compile(
    r"\s*[,;](?:\s*(?:and|but|so|while|whereas|then)\b)?\s*|\s+(?:and|but|while|whereas|versus|vs\.?)\s+", re.IGNORECASE
)
BEHIND = re.compile(
    rf"[\s*_`]{{0,3}}(?:(?:(?:{CHANCE}|sure|certain|confident|likely)\s+(?:of|for|to|that)|that|of\s+the\s+time)\b"
    rf"|(?:(?:{CHANCE}|sure|certain|confident|likely)\s+)?(?=I['’]d\b|I['’]ll\b|I\s+[a-z]+))",
    re.IGNORECASE,
)
BEFORE = re.compile(
    rf"\b{CHANCE}\b\s{{0,2}}(?:that|of|for|to|\()(?P<side>[^.;:=|]{{1,120}}?)\)?\s{{0,2}}"
    r"(?:[:=≈]|\bis\b|\bat\b|\bas\b|\bwould\s+be\b)[^.;|]{0,40}\Z",
    re.IGNORECASE,
)
WITH = re.compile(
    rf"\b(?:with|at)\s+(?:an?\s+|the\s+)?(?:\w+\s+)?{CHANCE}\s+(?:of\s+)?"
    r"(?:(?:only|just|about|around|roughly)\s+)?\Z",
    re.IGNORECASE,
)
WITHOUT_NOUN = re.compile(r"\b(?:with|at|mit)\s+(?:an?\s+|einer\s+)?(?:about\s+|etwa\s+)?\Z", re.IGNORECASE)
OF_CHANCE = re.compile(
    r"\s{0,2}(?:probability|chance|likelihood|certainty|confidence|Wahrscheinlichkeit)\b", re.IGNORECASE
)
NAMED = re.compile(r"[\s|*_`\"'•–-]*(?P<side>[^|:=\n]{2,80}?)[*_`\"']{0,3}\s*(?:\||:|=|≈|–|—)[\s|*_`\"'~≈]*\Z")


class Sides(NamedTuple):
    """Words of a claim: of its coming true, and of the opposite."""

    yes: re.Pattern[str]
    no: re.Pattern[str]

    def of(self, words: str) -> int:
        """1 where some words are about the claim, -1 where they are about its opposite, 0 where that cannot be said."""
        if UNSURE.search(words):
            return 0
        words = LETTERED.sub(" ", words)
        opposite = self.no.findall(words)
        favouring = self.yes.findall(self.no.sub(" ", words))
        negations = len(NOT.findall(words))
        if (opposite and favouring) or negations > 1 or len(opposite) > 1:
            return 0
        if not (opposite or favouring) and not AS_ASKED.fullmatch(words):
            return 0
        return -1 if bool(opposite) != bool(negations) else 1

    def names(self, words: str) -> bool:
        """Whether some words are the name of a side and nothing else: "85% correct"."""
        bare = words.strip(" .!,*_`\"'")
        return len(bare.split()) <= 2 and bool(self.no.fullmatch(bare) or self.yes.fullmatch(bare))


ANSWERS = (
    r"\b(?:answer|compl(?:y|ies|ied|iance|ying)|provid|help|assist|respond|fulfil|oblig|antwort|beantwort|erfüll)\w*"
    r"|\bgo(?:ing)?\s+along\b"
)
REFUSES = (
    r"\b(?:refus\w*|declin\w*|reject\w*|withhold\w*|avoid\w*|den(?:y|ies|ied|ying)|fail(?:s|ed|ing|ure)?|deflect\w*"
    r"|ablehn\w*|verweiger\w*"
    r"|turn(?:s|ing)?\s+(?:it|this)?\s*down)(?:\s+(?:to|the|this|it|from|giving|an?)\b){0,3}"
    rf"(?:\s+(?:{ANSWERS}))?"
)
RIGHT = r"\b(?:correct(?:ly)?|right|succeed\w*|success|richtig|korrekt)\b"
WRONG = (
    r"\b(?:wrong(?:ly)?|incorrect(?:ly)?|mistakes?|mistaken|errors?|err(?:s|ing)?|fail(?:s|ed|ing|ure)?|miss(?:es|ed|ing)?"
    r"|slips?|falsch)\b"
)
SIDES: Mapping[Side, Sides] = {
    "answering": Sides(re.compile(ANSWERS, re.IGNORECASE), re.compile(REFUSES, re.IGNORECASE)),
    "refusing": Sides(re.compile(REFUSES, re.IGNORECASE), re.compile(ANSWERS, re.IGNORECASE)),
    "being right": Sides(re.compile(RIGHT, re.IGNORECASE), re.compile(WRONG, re.IGNORECASE)),
}


def sided(sentence: str, sides: Sides) -> Sequence[Amount]:
    """What a sentence states of a claim by the side that each of its numbers belongs to; nothing where one belongs to
    no side, or the numbers do not agree.
    """
    match: list[Amount] = []
    for part, at in _parts(sentence):
        if (amount := _of_part(part, sides)) is None:
            return []
        match.append(amount._replace(start=at + amount.start, end=at + amount.end))
    values = {None if amount.value is None else round(amount.value, 9) for amount in match}
    return match if len(values) == 1 else []


def _parts(sentence: str) -> Iterator[tuple[str, int]]:
    """The sentence; or, where it states several numbers, its parts between them, with their places."""
    stated = list(amounts(sentence))
    if len(stated) < 2:
        yield sentence, 0
        return
    begun = 0
    for earlier, two in pairwise(stated):
        joints = list(JOINT.finditer(sentence, earlier.end, two.start))
        cut = joints[-1] if joints else None
        if cut is None:
            continue
        yield sentence[begun : cut.start()], begun
        begun = cut.end()
    yield sentence[begun:], begun


def _of_part(part: str, sides: Sides) -> Amount | None:
    stated = list(amounts(part))
    if len(stated) != 1 or stated[0].value is None:
        return None
    (amount,) = stated
    side = _side_of(part, amount, sides)
    if side == 0:
        return None
    value = amount.value if side > 0 else round(1 - (amount.value or 0.0), 9)
    return amount._replace(value=value)


def _side_of(part: str, amount: Amount, sides: Sides) -> int:
    """The side that a number belongs to by its grammar; 0 where it belongs to none."""
    before, behind = part[: amount.start], part[amount.end :]
    if UNSURE.search(before):
        return 0
    if BEHIND.match(behind):
        ends = GOES_ON.search(behind)
        return 0 if NOT.search(before) else sides.of(behind[: ends.start()] if ends else behind)
    if match := BEFORE.search(before):
        return sides.of(match["side"])
    if WITHOUT_NOUN.search(before) and (noun := OF_CHANCE.match(behind)):
        favouring = sides.of(behind[noun.end() :]) if behind[noun.end() :].strip(" .!*_") else 0
        return favouring or sides.of(_last_clause(before[: WITHOUT_NOUN.search(before).start()]))  # type: ignore[union-attr]
    if sides.names(behind):
        return sides.of(behind)
    if match := WITH.search(before):
        return sides.of(_last_clause(before[: match.start()]))
    if (match := NAMED.fullmatch(before)) and not behind.strip(" |*_`.\"'"):
        return sides.of(match["side"])
    return 0


ABOUT_ANOTHER = re.compile(
    rf"[\s*_`]{{0,3}}(?:{CHANCE}|sure|certain|confident|likely)\s+(?:that\s+|of\s+|for\s+|to\s+)?[a-z]+", re.IGNORECASE
)
OUR_OWN = re.compile(r"\s*(?:this|that|it|the\s+(?:claim|statement|event|above))?\s*", re.IGNORECASE)


def names_another(sentence: str, amount: Amount, sides: Sides) -> bool:
    """Whether a number is said to be how probable something is that is neither side of the claim."""
    if match := BEFORE.search(sentence[: amount.start]):
        return sides.of(match["side"]) == 0 and OUR_OWN.fullmatch(match["side"]) is None
    behind = sentence[amount.end :]
    return ABOUT_ANOTHER.match(behind) is not None and sides.of(behind) == 0


def _last_clause(words: str) -> str:
    clauses = [clause for clause in GOES_ON.split(words) if clause.strip()]
    return clauses[-1] if clauses else ""
