"""Orders given by the places of their labels: tables, maps, and the ends by name.

"| Q1 | 2 |", '{"Q1": 2, ...}', "Rank 1: Q2", "Easiest: Q2. Next: Q1. Then: Q4. Hardest: Q3." Each needs all four labels
with a place of its own, and no word that the rule does not know.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from selfexec.readers.directions import APART as ALONE
from selfexec.readers.directions import CLOSED, EASIEST, HARDEST, ONE_END, runs_down
from selfexec.readers.nesting import place
from selfexec.readers.result import Commitment
from selfexec.readers.scan import AT_MOST, lines
from selfexec.text.regex import regex

# "Sorted: 2, 1, 4, 3"
DIGITS = regex(
    r"\b(?:rank(?:ing|ed)?|order|sorted|reihenfolge|orden|classement|排序|顺序)[*_]{0,2}\s?[:：]\s?[*_]{0,2}"
    r"(?P<row>[1-4](?:\s?(?:,|<|→|->|、)\s?[1-4]){3})[\s*_.]{0,4}(?:\n|$)",
    re.IGNORECASE,
)
LABEL = r"[Qq](?:uestion)?[ _]?(?P<label>[1-4])"
# a row or a line of one label and its place: "| Q1 | 2 |", "Q1: rank 2", '"Q1": 2'
PLACED = regex(
    rf"""[\s|*_"'“”>-]{{0,12}}{LABEL}[*_"'”\s]{{0,6}}[|:=→–-]{{1,2}}>?[\s*_"']{{0,6}}(?:(?:rank|place|position|\#|no\.?)\s?)?
        (?P<place>[1-4])(?:st|nd|rd|th)?[*_"']{{0,3}}\s{{0,6}}(?:\([^()\n]{{0,40}}\))?[\s|,.;]{{0,6}}$""",
    re.VERBOSE | re.IGNORECASE,
)
# '<item rank="1">Q4</item>', '<q id="Q4" rank="1"/>', "<Q4>1</Q4>"
ELEMENT = regex(
    r"<(?P<tag>\w{1,20})(?P<attributes>(?:\s{1,4}\w{1,20}=[\"'][^\"'<>\n]{0,20}[\"']){0,4})\s{0,4}"
    r"(?:/>|>\s{0,8}(?P<body>[Qq](?:uestion)?[ _]?[1-4]|[1-4])\s{0,8}(?:</|\n|$))"
)
IN_ELEMENT = regex(r"[Qq](?:uestion)?[ _]?[1-4](?!\d)")
LABEL_ALONE = regex(r"[Qq](?:uestion)?[ _]?[1-4]")
ATTRIBUTE = regex(r"(?P<key>\w{1,20})=[\"'](?P<value>[^\"'<>\n]{0,20})[\"']")
OF_A_PLACE = regex(r"rank|place|position|pos|order|index|n|no|nr|num|number|rang|platz|orden|puesto|id", re.IGNORECASE)
NAMES_OF_PLACES = {"first": 1, "second": 2, "third": 3, "fourth": 4, "easiest": 1, "hardest": 4, "last": 4}
NAMED_PLACE = regex(
    rf"(?:rank|place|position|pos|platz)_?(?P<place>[1-4])|(?P<name>{'|'.join(NAMES_OF_PLACES)})", re.IGNORECASE
)
# "<rank>1</rank><label>Q4</label>"
APART = regex(
    r"<(?P<kind>rank|place|position|order)>\s{0,8}(?P<place>[1-4])\s{0,8}</(?P=kind)>\s{0,40}"
    r"<(?P<tag>\w{1,20})>\s{0,8}[Qq](?:uestion)?[ _]?(?P<label>[1-4])\s{0,8}</(?P=tag)>",
    re.IGNORECASE,
)
MAP = regex(r"\{\s{0,12}(?:[\"'](?P<key>\w{1,30})[\"']\s{0,4}:\s{0,4}\{)?(?P<body>[^{}\[\]]{16,240})\}")
# {"1": "Q2", "2": "Q1", ...}
BY_NUMBER = regex(
    r"[\"'](?:rank|place|position|pos)?[ _]?([1-4])[\"']\s{0,4}:\s{0,4}"
    r"[\"'][Qq](?:uestion)?[ _]?([1-4])[\"']\s{0,4}(?:,|$)",
    re.IGNORECASE,
)
# a table with a column of places among others
HEAD_OF_PLACES = regex(
    r"[\s*_]*(?:(?:my|final)\s)?(?:rank(?:ing)?|place|position|order|rang|platz|orden|puesto|posición|排名|顺序)(?:\s?\([^()|]{0,40}\))?[\s*_]*",
    re.IGNORECASE,
)
OF_A_ROW = regex(r"[\s*_\"'`]*(?:[Qq](?:uestion)?[ _]?)?([1-4])(?:st|nd|rd|th)?[.)]?[\s*_\"'`]*")
PAIR = regex(r"[\"']?[Qq](?:uestion)?[ _]?([1-4])[\"']?\s{0,4}:\s{0,4}[\"']?([1-4])[\"']?\s{0,4}(?:,|$)")
# what a heading may call the places; the first is the easiest unless it is said to be the hardest
OF_PLACES = regex(
    r"rank|place|position|order|reihenfolge|rang|orden|puesto|posición|排名|顺序|ترتيب|difficulty", re.IGNORECASE
)
OF_ANOTHER_SCALE = regex(
    r"\beas(?:e|iness)\b|confiden|certain|probab|chance|score|points|tokens|accuracy|correctness|descending|revers|answer",
    re.IGNORECASE,
)
ONE_IS_HARDEST = regex(rf"\b(?:1|rank\s1|first)\s*(?:=|is|:|means)\s*(?:the\s+)?(?:{HARDEST})", re.IGNORECASE)
MENTION = regex(r"(?<![A-Za-z0-9])[Qq](?:uestion\s?)?([1-4])(?![0-9])")
# what may stand between labels whose ends are named
BETWEEN = regex(
    rf"""(?:{ALONE}(?:{HARDEST}|{EASIEST}){CLOSED}|second|third|2nd|3rd|next|then|after\s+that|followed\s+by|finally|lastly|\band\b|\bis\b|\bare\b|comes?|\bthe\b
        |\b(?:would|will|should)\s+be\b|\ba\s+(?:bit|little)\b|slightly|somewhat|\bstill\b|\beven\b|\babout\b|\bon\b|\bof\b|\babove\b
        |\bi\s+(?:expect|believe|guess|suppose)\b|\bi(?:'d|\s+would)\s+say\b|\bin\s+my\s+(?:view|opinion|case)\b|\bfor\s+my(?:self)?\b
        |\bam\b|\bfür\s+mich\b|\bkommt\b|\bkommen\b|\bder\b|\bdas\b|\bzur?\b|\bpara\s+mí\b|\bviene\b|\bde\b|\bpour\s+moi\b|\bvient\b|\ble\b
        |\bvery\b|questions?|\bone\b|easy|easier|medium|moderate|harder|\bhard\b|difficult|middle|most|\bby\s+far\b|for\s+me|i\s+think|probably
        |dann|danach|gefolgt\s+von|\bist\b|\bund\b|frage|\bdie\b|luego|después|seguid[oa]\s+de|\bes\b|\bla\b|\bel\b|\by\b|pregunta
        |puis|ensuite|suivie\s+de|\best\b|\bet\b|question|其次|然后|接着|最后|是|的|而|题|ثم|هو|هي|يليه|السؤال|\bو)""",
    re.VERBOSE | re.IGNORECASE,
)
# "the article on self-defence (Q2)": what a question is about, before its label in brackets
NO_PART_OF_IT = (
    r"not|never|nor|neither|hardly|rarely|or|might|may|could|can|whether|if|than|except|without|unlike|the|is|are|be|was|were|and|by|then|comes?"
    r"|next|that|followed|finally|lastly|after|first|last|easiest|hardest|longest|shortest|nicht|kein\w*|oder|die|der|das|den|dem|ist|sind|und|dann|von"
    r"|kommt|danach|no|ni|o|la|el|las|los|es|son|y|luego|después|viene|seguid[oa]|pas|ou|le|les|est|et|puis|ensuite|vient|suivie?|\w*n't"
)
ABOUT = regex(
    rf"(?:(?<![\w'])(?!(?:{NO_PART_OF_IT})(?![\w']))[\w'-]+\s+){{1,7}}(?:(?:on|of|de|zu|sur|about)\s+(?:(?!(?:{NO_PART_OF_IT})(?![\w']))[\w'-]+\s+){{1,5}})?"
    r"(?=\([Qq][1-4]\))",
    re.IGNORECASE,
)
# "..., because it involves a calculation": up to the next clause
WHY = regex(
    r",?\s*\b(?:because|since|as\s+(?:it|they|this|that)|weil|porque|ya\s+que|parce\s+que)\b[^.;\n(]{0,120}?(?=,\s+(?:and|then|followed|und|dann|y|et)\b|[.;\n]|$)",
    re.IGNORECASE,
)
GIVING_REASONS = ("ecause", "ince", "as ", "eil", "orque", "ya que", "arce que")
AT_LAST = regex(r"\b(?:finally|lastly|schließlich|zuletzt|por\s+último|finalmente|enfin|finalement)\b", re.IGNORECASE)
SPELLED = regex(r"[^\W_]")
CLAUSE = regex(r"[,.;\n，。；、،؛]")
LONGEST = 400


def in_places(text: str) -> Iterator[Commitment]:
    """Orders of four labels, each with its place."""
    yield from _mapped(text)
    yield from _marked_up(text)
    yield from _tabled(text)
    yield from _in_a_column(text)
    yield from _between_ends(text)
    for match in DIGITS.finditer(text):
        labels = [f"Q{digit}" for digit in re.findall("[1-4]", match["row"])]
        if len(set(labels)) == 4:
            down = runs_down(text, match.start(), match.end())
            yield Commitment(match.start(), match.end(), labels[::-1] if down else labels)


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
        body = match["body"].strip()
        pairs = PAIR.findall(body) or [(label, number) for number, label in BY_NUMBER.findall(body)]
        said = text[max(match.start() - 160, 0) : match.start()] + (match["key"] or "")
        named = match["key"] is None or OF_PLACES.search(match["key"]) is not None
        order = _ordered(pairs, said) if named and match["body"].count(":") == 4 else None
        if order and place(text, match.start() + 1).answers:
            yield Commitment(match.start(), match.end(), order)


def _marked_up(text: str) -> Iterator[Commitment]:
    """Four elements with a label and its place each, in attributes, names or bodies; or the elements of an order."""
    if "<" not in text:
        return
    elements = [match for match in ELEMENT.finditer(text) if IN_ELEMENT.search(match[0])][:AT_MOST]
    paired = [(match, _label_and_place(match)) for match in elements]
    whole = [(match, pair) for match, pair in paired if pair] or [
        (m, (m["label"], m["place"])) for m in APART.finditer(text)
    ]
    if not whole:
        labels = [(match, match["body"][-1]) for match in elements if match["body"] and not match["attributes"]]
        alike = (
            len({match["tag"] for match, _ in labels}) == 1 and OF_PLACES.search(text, 0, elements[0].start())
            if labels
            else None
        )
        whole = [(match, (label, str(n))) for n, (match, label) in enumerate(labels, 1)] if alike else []
    if not whole:
        return
    start, end = whole[0][0].start(), whole[-1][0].end()
    if order := _ordered([pair for _, pair in whole], text[max(start - 160, 0) : start]):
        yield Commitment(start, end, order[::-1] if runs_down(text, start, end) else order)


def _label_and_place(element: re.Match[str]) -> tuple[str, str] | None:
    """The one label and the one place that an element holds."""
    labels = [element["body"]] if element["body"] else []
    places: list[str] = []
    name = NAMED_PLACE.fullmatch(element["tag"])
    if name:
        places.append(name["place"] or str(NAMES_OF_PLACES[name["name"].lower()]))
    if LABEL_ALONE.fullmatch(element["tag"]):
        labels, places = [element["tag"]], [element["body"]] if element["body"] else []
    for attribute in ATTRIBUTE.finditer(element["attributes"]):
        if LABEL_ALONE.fullmatch(attribute["value"]):
            labels.append(attribute["value"])
        elif OF_A_PLACE.fullmatch(attribute["key"]):
            places.append(attribute["value"])
    if len(labels) != 1 or len(places) != 1 or not LABEL_ALONE.fullmatch(labels[0]):
        return None
    return labels[0][-1], places[0]


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


def _in_a_column(text: str) -> Iterator[Commitment]:
    """Four rows of a table that has a column of places among others."""
    head: list[str] = []
    lead, start, run = "", 0, list[tuple[str, str]]()
    for at, line in lines(text) if text.count("|") > 15 else ():
        cells = line.strip(" \t|").split("|") if "|" in line and len(line) < 400 else []
        columns = [n for n, cell in enumerate(cells) if HEAD_OF_PLACES.fullmatch(cell)]
        if len(cells) < 3:
            head, lead = [], line[-200:] if line.strip() else lead
        elif len(columns) == 1 and not LABEL_ALONE.search(line):
            head, start, run = [cells[columns[0]]], at, []
            column, width = columns[0], len(cells)
        elif head and len(cells) == width and line.strip(" |:-\t\r"):
            labels = [cell.strip(" *_`") for cell in cells if LABEL_ALONE.fullmatch(cell.strip(" *_`"))]
            number = OF_A_ROW.fullmatch(cells[column])
            if len(labels) == 1 and number:
                run.append((labels[0][-1], number[1]))
            below = text[at + len(line) : at + len(line) + 120]
            if len(run) == 4 and (order := _ordered(run, lead + head[0])):
                yield Commitment(start, at + len(line), order[::-1] if ONE_IS_HARDEST.search(below) else order)


def _between_ends(text: str) -> Iterator[Commitment]:
    """Four labels in a row, the first called easiest and the last hardest, or the other way round."""
    mentions = list(MENTION.finditer(text))[-200:]
    if len(mentions) < 4:
        return
    begin = max(mentions[0].start() - LONGEST, 0)
    text = text[:begin] + _without_subjects(text[begin : mentions[-1].end() + LONGEST])
    for n in range(len(mentions) - 3):
        four = mentions[n : n + 4]
        labels = [f"Q{mention[1]}" for mention in four]
        if len(set(labels)) < 4 or four[-1].end() - four[0].start() > LONGEST:
            continue
        before = re.split(r"[.!?。\n]", text[max(four[0].start() - 160, 0) : four[0].start()])[-1]
        behind = re.split(r"[.!?。\n]", text[four[-1].end() : four[-1].end() + 160])[0]
        between = [text[one.end() : other.start()] for one, other in pairwise(four)]
        if any(SPELLED.search(BETWEEN.sub(" ", words)) for words in (before, *between, behind)):
            continue
        parts = CLAUSE.split(between[0])
        first = _end(before) or _end(parts[0])
        tail = CLAUSE.split(between[-1])[-1] if CLAUSE.search(between[-1]) else between[-1]
        last = _end(behind) or _end(tail)
        if first and not last and AT_LAST.search(tail) and not SPELLED.search(behind):
            last = "easy" if first == "hard" else "hard"
        if first and last and first != last:
            yield Commitment(four[0].start() - len(before), four[-1].end(), labels if first == "easy" else labels[::-1])


def _without_subjects(text: str) -> str:
    """Place for place: blanks for what questions are about, before their labels in brackets, and for reasons."""
    if "(Q" in text or "(q" in text:
        text = ABOUT.sub(lambda match: " " * len(match[0]), text)
    if not any(word in text for word in GIVING_REASONS):
        return text
    return WHY.sub(lambda match: " " * len(match[0]), text)


def _end(words: str) -> str | None:
    """Which end of an order some words name; None where they name none, or both."""
    named = {match.lastgroup for match in ONE_END.finditer(words)}
    return named.pop() if len(named) == 1 else None
