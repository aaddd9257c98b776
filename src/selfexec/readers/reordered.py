"""Orders that words behind them change: "Swap Q1 and Q2", "the last two should be swapped", "Q1 should come before Q2".

One change that leaves no choice is carried out: two labels that are named, or two places that are, change places. Of
several changes, or of one that may be carried out in more than one way, the order is not known.
"""

import re
from typing import Literal

from selfexec.readers.corrections import DOUBTS, NOT_SAID
from selfexec.readers.result import Commitment
from selfexec.readers.suppositions import SUPPOSED
from selfexec.text.regex import regex

CLOSING = " \t\r\n\"'`*_)]}."
REACH = 2_000  # characters behind an order in which it is changed
FIRST = r"\b[Qq]([1-4])\b[*_`\"'“”]{0,3}"  # opens a pattern
LABEL = r"[*_`\"'“”]{0,3}\b[Qq]([1-4])\b[*_`\"'“”]{0,3}"
MENTION = regex(r"\b[Qq]([1-4])\b")
PAIRS = {"first": (0, 1), "middle": (1, 2), "last": (2, 3)}
# one of each row is in all that the pattern of the same place finds, in small letters
EXCHANGING = (
    *("swap", "switch", "exchang", "revers", "chang", "trad", "tausch", "cambi", "échang", "invers", "换"),
    *("对调", "بد"),
)
SHOULD = (
    *("should", "must", "ought", "need", "has to", "sollte", "muss", "gehört", "deb", "tiene", "devr", "doit", "应"),
    *("يجب", "i'd ", "i'll ", "i would", "i will"),
)
BEFORE_OR_BEHIND = (
    *(" before", "ahead of", " after", " behind", " vor ", " nach ", " hinter ", "antes", "después", "avant", "après"),
    *("在", "قبل", "بعد"),
)
MOVING = ("rank", "place", "put", "move", "should", "must", "ought", "need", "has to")
TWO = regex(
    r"\b(?:those|these|the|first|last|middle)\s+(?:two|pair)\s+(?:\w+\s+){0,3}"
    r"(?:swap|switch|exchang|revers|chang\w+\s+places|trad\w+\s+places)\w*"
    r"|\b(?:swap|switch|exchange|reverse)\s+(?:those|these|the\s+(?:first|last|middle|other)?\s*two)\b"
    r"|\btausche\s+(?:diese|die)\s+(?:ersten|letzten)?\s*(?:beiden|zwei)\b",
    re.IGNORECASE,
)
WHICH_TWO = regex(r"\b(?P<which>first|last|middle)\s+(?:two|pair)\b", re.IGNORECASE)
BY_NAME = regex(
    rf"\b(?:swap|switch|exchange)\s+{LABEL}\s+(?:and|with|for)\s+{LABEL}"
    rf"|{FIRST}\s+(?:and|with)\s+{LABEL}\s+(?:should|need\s+to|must|have\s+to|ought\s+to)\s+(?:be\s+)?(?:swap|switch|exchang|revers)"
    rf"|\b(?:ver|aus)?tausche\s+{LABEL}\s+(?:und|mit|gegen)\s+{LABEL}|\b(?:inter)?cambi(?:o|ar|aré|emos)\s+{LABEL}\s+(?:y|con|por)\s+{LABEL}"
    rf"|\b(?:j'|échange|inverse)\s*(?:échange|inverse)?\s+{LABEL}\s+(?:et|avec|contre)\s+{LABEL}"
    rf"|(?:交换|对调|互换)\s*{LABEL}\s*(?:和|与)\s*{LABEL}|[اأس]?[اأ]?بد[ّ]?ل\s+(?:بين\s+)?{LABEL}\s+و\s?{LABEL}",
    re.IGNORECASE,
)
# a label that should stand before another one, or behind it
BEFORE = regex(
    rf"{FIRST}\s*(?:(?:should|must|ought\s+to|needs?\s+to|has\s+to)\s+(?:really\s+|actually\s+)?(?:come|go|be|stand|rank|be\s+(?:placed|ranked|listed|put))\s+(?:right\s+|just\s+)?(?P<en>before|ahead\s+of|after|behind)"
    rf"|(?:sollte|muss|gehört)\s+(?P<de>vor|nach|hinter)|(?:debería|debe|tiene\s+que)\s+(?:ir|estar|venir)\s+(?P<es>antes|después)\s+de"
    rf"|(?:devrait|doit)\s+(?:venir|être|aller)\s+(?P<fr>avant|après)|(?:应该|应当|应)(?:排|放)?在|يجب\s+أن\s+(?:يأتي|يكون)\s+(?P<ar>قبل|بعد))\s*{LABEL}"
    r"\s*(?P<zh>之前|前面|之后|后面)?"
    rf"|\bI(?:'d|'ll|\s+would|\s+will|\s+should)\s+(?:move|put|place|rank)\s+{LABEL}\s+(?P<put>before|ahead\s+of|after|behind)\s+{LABEL}",
    re.IGNORECASE,
)
BEHIND = {"after", "behind", "nach", "hinter", "después", "après", "之后", "后面", "بعد"}
TO_AN_END = regex(
    r"(?:\bI(?:'d|'ll|\s+would|\s+will)\s+|\blet\s+me\s+|^\W*|[.!?:]\W+)(?:rank|place|put|move)\s+(?:it|[Qq](?P<put>[1-4]))\s+(?P<there>last|first)\b"
    r"|\b(?:it|[Qq](?P<label>[1-4]))\s+(?:should|must|ought\s+to|needs?\s+to|has\s+to)\s+(?:really\s+|actually\s+)?(?:come|go|be|stand|rank|be\s+(?:placed|ranked|listed|put))\s+"
    r"(?P<where>last|first)\b",
    re.IGNORECASE,
)
# "I'll rank Q4 last because ..." gives reasons, unless it is said that something changes
CHANGES_COURSE = regex(
    r"\b(?:however|but|actually|instead|wait|sorry|hmm+|on\s+(?:second\s+thoughts?|reflection))\b", re.IGNORECASE
)
DENIED = regex(r"(?:\b(?:no|not|never|need\s+to|reason\s+to)|n't)\s+(?:\w+\s+){0,2}$", re.IGNORECASE)
SENTENCE_BEGINS = regex(r"[.!?。！？\n]\s*")
LABELS_NEAR = 2  # sentences in which "those two" are named


def reordered(text: str, found: Commitment) -> list[str] | None:
    """The order that a commitment states with the change that words behind it make; None where they change it and it
    cannot be read how.
    """
    order: list[str] = found.value
    tail = text[found.end : found.end + REACH].replace("’", "'")
    if not tail.strip(CLOSING):
        return order
    small = tail.lower()
    patterns = [TWO, BY_NAME] if any(cue in small for cue in EXCHANGING) else []
    if any(cue in small for cue in SHOULD) and any(cue in small for cue in BEFORE_OR_BEHIND):
        patterns.append(BEFORE)
    matches = [match for pattern in patterns for match in pattern.finditer(tail)]
    changes = [change for match in matches if (change := _change(tail, match, order)) is not None]
    to_an_end = (" first" in small or " last" in small) and any(cue in small for cue in MOVING)
    if to_an_end and _moved_to_an_end(tail, order):
        changes.append("unclear")
    if not changes:
        return order
    places = {change for change in changes if not isinstance(change, str)}
    if len(places) != 1 or "unclear" in changes:
        return None
    earlier, later = places.pop()
    exchanged = list(order)
    exchanged[earlier], exchanged[later] = exchanged[later], exchanged[earlier]
    return exchanged


def _change(tail: str, match: re.Match[str], order: list[str]) -> tuple[int, int] | Literal["unclear"] | None:
    """The two places whose labels change places; None where the words change nothing."""
    sentence = _sentence(tail, match)
    held_back = (
        "?" in sentence
        or "？" in sentence
        or any(hedge.search(sentence) for hedge in (SUPPOSED, DOUBTS, NOT_SAID))
        or DENIED.search(tail, 0, match.start()) is not None
    )
    if match.re.pattern == BEFORE.pattern:
        if held_back:
            return None
        first, second = _by_place(match, order)
        if first < second:
            return None  # as it is: a reason
        return (second, first) if first - second == 1 else "unclear"
    if held_back:
        return "unclear"
    if match.re.pattern == BY_NAME.pattern:
        labels = [f"Q{digit}" for digit in match.groups() if digit]
    elif which := WHICH_TWO.search(match[0]) or WHICH_TWO.search(tail, max(match.start() - 6, 0), match.end()):
        return PAIRS[which["which"].lower()]
    else:
        labels = _last_two(tail, match.start())
    if len(set(labels)) != 2:
        return "unclear"
    earlier, later = sorted(order.index(label) for label in labels)
    return (earlier, later)


def _sentence(tail: str, match: re.Match[str]) -> str:
    begin = max((stop.end() for stop in SENTENCE_BEGINS.finditer(tail, 0, match.start())), default=0)
    stop = SENTENCE_BEGINS.search(tail, match.end())
    return tail[begin : stop.start() + 1 if stop else len(tail)]


def _by_place(match: re.Match[str], order: list[str]) -> tuple[int, int]:
    """The present places of two labels, the one first that should stand before the other."""
    earlier, later = (order.index(f"Q{digit}") for digit in match.groups() if digit and digit in "1234")
    words = {kind: match[kind] for kind in ("en", "de", "es", "fr", "ar", "zh", "put")}
    behind = any(word and word.lower() in BEHIND for word in words.values())
    return (later, earlier) if behind else (earlier, later)


def _last_two(tail: str, end: int) -> list[str]:
    """The labels that the last sentences before a place name."""
    begins = [0, *(stop.end() for stop in SENTENCE_BEGINS.finditer(tail, 0, end))]
    return list(dict.fromkeys(f"Q{digit}" for digit in MENTION.findall(tail[begins[-LABELS_NEAR:][0] : end])))


def _moved_to_an_end(tail: str, order: list[str]) -> bool:
    """Whether words put a question at an end where it does not stand ("However, Q2 ... I would rank it last")."""
    for match in TO_AN_END.finditer(tail):
        sentence = _sentence(tail, match)
        spared = any(hedge.search(sentence) for hedge in (SUPPOSED, DOUBTS, NOT_SAID))
        subject = match["put"] or match["label"] or _subject(tail, match)
        place = 0 if (match["where"] or match["there"]).lower() == "first" else -1
        reported = match[0][:1] in "iI" and not CHANGES_COURSE.search(tail[: match.start()].split("\n")[-1])
        if subject and not spared and not reported and "?" not in sentence and order[place] != f"Q{subject}":
            return True
    return False


def _subject(tail: str, match: re.Match[str]) -> str:
    """The digit of the label that "it" stands for: the first that its sentence names, else the last one before."""
    sentence = _sentence(tail, match)
    before = sentence[: sentence.find(match[0].strip(" .!?:\n"))]
    named = MENTION.findall(before)
    earlier = MENTION.findall(tail[: match.start()])
    return named[0] if named else earlier[-1] if earlier else ""
