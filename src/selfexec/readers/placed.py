"""Orders that are read from the places of their labels: tables, maps, and the ends by name.

"| Q1 | 2 |", '{"Q1": 2, ...}', "Rank 1: Q2", "Easiest: Q2. Next: Q1. Then: Q4. Hardest: Q3." Each needs all four labels
with a place of its own, and no word that the rule does not know.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from selfexec.readers.directions import APART, CLOSED, EASIEST, HARDEST, ONE_END
from selfexec.readers.nesting import place
from selfexec.readers.result import Commitment
from selfexec.readers.scan import lines

# "Sorted: 2, 1, 4, 3"
DIGITS = re.compile(
    r"\b(?:rank(?:ing|ed)?|order|sorted|reihenfolge|orden|classement|排序|顺序)[*_]{0,2}\s?[:：]\s?[*_]{0,2}"
    r"(?P<row>[1-4](?:\s?(?:,|<|→|->|、)\s?[1-4]){3})[\s*_.]{0,4}(?:\n|$)",
    re.IGNORECASE,
)
LABEL = r"[Qq](?:uestion)?[ _]?(?P<label>[1-4])"
# a row or a line of one label and its place: "| Q1 | 2 |", "Q1: rank 2", '"Q1": 2'
PLACED = re.compile(
    rf"""[\s|*_"'“”>-]{{0,12}}{LABEL}[*_"'”\s]{{0,6}}[|:=→–-]{{1,2}}>?[\s*_"']{{0,6}}(?:(?:rank|place|position|\#|no\.?)\s?)?
        (?P<place>[1-4])(?:st|nd|rd|th)?[*_"']{{0,3}}\s{{0,6}}(?:\([^()\n]{{0,40}}\))?[\s|,.;]{{0,6}}$""",
    re.VERBOSE | re.IGNORECASE,
)
MAP = re.compile(r"\{\s{0,12}(?:[\"'](?P<key>\w{1,30})[\"']\s{0,4}:\s{0,4}\{)?(?P<body>[^{}\[\]]{16,240})\}")
PAIR = re.compile(r"[\"']?[Qq](?:uestion)?[ _]?([1-4])[\"']?\s{0,4}:\s{0,4}[\"']?([1-4])[\"']?\s{0,4}(?:,|$)")
# what a heading may call the places; the first is the easiest unless it is said to be the hardest
OF_PLACES = re.compile(
    r"rank|place|position|order|reihenfolge|rang|orden|puesto|posición|排名|顺序|ترتيب|difficulty", re.IGNORECASE
)
OF_ANOTHER_SCALE = re.compile(
    r"\beas(?:e|iness)\b|confiden|certain|probab|chance|score|points|tokens|accuracy|correctness|descending|revers|answer",
    re.IGNORECASE,
)
ONE_IS_HARDEST = re.compile(rf"\b(?:1|rank\s1|first)\s*(?:=|is|:|means)\s*(?:the\s+)?(?:{HARDEST})", re.IGNORECASE)
MENTION = re.compile(r"(?<![A-Za-z0-9])[Qq](?:uestion\s?)?([1-4])(?![0-9])")
# what may stand between labels whose ends are named
BETWEEN = re.compile(
    rf"""(?:{APART}(?:{HARDEST}|{EASIEST}){CLOSED}|second|third|2nd|3rd|next|then|after\s+that|followed\s+by|finally|lastly|\band\b|\bis\b|\bare\b|comes?|\bthe\b
        |\bvery\b|questions?|\bone\b|easy|easier|medium|moderate|harder|\bhard\b|difficult|middle|most|\bby\s+far\b|for\s+me|i\s+think|probably
        |dann|danach|gefolgt\s+von|\bist\b|\bund\b|frage|\bdie\b|luego|después|seguid[oa]\s+de|\bes\b|\bla\b|\bel\b|\by\b|pregunta
        |puis|ensuite|suivie\s+de|\best\b|\bet\b|question|其次|然后|接着|最后|是|的|而|题|ثم|هو|هي|يليه|السؤال|\bو)""",
    re.VERBOSE | re.IGNORECASE,
)
SPELLED = re.compile(r"[^\W_]")
CLAUSE = re.compile(r"[,.;\n，。；、،؛]")
LONGEST = 400


def in_places(text: str) -> Iterator[Commitment]:
    """Orders of four labels, each with its place."""
    yield from _mapped(text)
    yield from _tabled(text)
    yield from _between_ends(text)
    for match in DIGITS.finditer(text):
        labels = [f"Q{digit}" for digit in re.findall("[1-4]", match["row"])]
        if len(set(labels)) == 4:
            yield Commitment(match.start(), match.end(), labels)


def _ordered(pairs: list[tuple[str, str]], said: str) -> list[str] | None:
    """The labels by their places, where each has one, and what is said of the places names no other scale."""
    if len(pairs) != 4 or len({label for label, _ in pairs}) < 4 or {place for _, place in pairs} != set("1234"):
        return None
    if OF_ANOTHER_SCALE.search(said):
        return None
    order = [f"Q{label}" for label, _ in sorted(pairs, key=lambda pair: pair[1])]
    return order[::-1] if ONE_IS_HARDEST.search(said) else order


def _mapped(text: str) -> Iterator[Commitment]:
    """{"Q1": 2, "Q2": 1, ...}"""
    for match in MAP.finditer(text) if '"' in text or "'" in text else ():
        pairs = PAIR.findall(match["body"].strip())
        said = text[max(match.start() - 160, 0) : match.start()] + (match["key"] or "")
        named = match["key"] is None or OF_PLACES.search(match["key"]) is not None
        order = _ordered(pairs, said) if named and match["body"].count(":") == 4 else None
        if order and place(text, match.start() + 1).answers:
            yield Commitment(match.start(), match.end(), order)


def _tabled(text: str) -> Iterator[Commitment]:
    """Rows or lines of a label and its place, below a heading that speaks of places."""
    run: list[tuple[str, str]] = []
    start, lead = 0, ""
    for at, line in lines(text):
        if len(line) < 200 and (match := PLACED.match(line)):
            start = start if run else at
            run.append((match["label"], match["place"]))
            said = lead + line
            if len(run) == 4 and OF_PLACES.search(said) and (order := _ordered(run, lead)):
                yield Commitment(start, at + len(line), order)
        elif line.strip(" |:-\t\r"):
            run, lead = [], line[-200:]


def _between_ends(text: str) -> Iterator[Commitment]:
    """Four labels in a row, where the first is called easiest and the last hardest, or the other way round."""
    mentions = list(MENTION.finditer(text))[-200:]
    for n in range(len(mentions) - 3):
        four = mentions[n : n + 4]
        labels = [f"Q{mention[1]}" for mention in four]
        if len(set(labels)) < 4 or four[-1].end() - four[0].start() > LONGEST:
            continue
        before = re.split(r"[.!?。\n]", text[max(four[0].start() - 60, 0) : four[0].start()])[-1]
        behind = re.split(r"[.!?。\n]", text[four[-1].end() : four[-1].end() + 60])[0]
        between = [text[one.end() : other.start()] for one, other in pairwise(four)]
        if any(SPELLED.search(BETWEEN.sub(" ", words)) for words in (before, *between, behind)):
            continue
        parts = CLAUSE.split(between[0])
        first = _end(before) or _end(parts[0])
        tail = CLAUSE.split(between[-1])[-1] if CLAUSE.search(between[-1]) else between[-1]
        last = _end(behind) or _end(tail)
        if first and last and first != last:
            yield Commitment(four[0].start() - len(before), four[-1].end(), labels if first == "easy" else labels[::-1])


def _end(words: str) -> str | None:
    """Which end of an order some words name; None where they name none, or both."""
    named = {match.lastgroup for match in ONE_END.finditer(words)}
    return named.pop() if len(named) == 1 else None
