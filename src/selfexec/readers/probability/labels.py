"""Where each label of a question stands in a reply, and what belongs to it."""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from selfexec.readers.probability.amounts import WORD
from selfexec.readers.probability.quantities import NAMES, Quantity, quantity_named, quantity_of
from selfexec.text.regex import regex

QUESTION = r"question|frage|pregunta|domanda|no\.|nr\."  # "Frage 1" for Q1

# "问题1", "F1": a word that stands before all of the numbers of the questions, in their order
BEFORE_A_NUMBER = regex(r"(?<![^\W_])(?P<word>[^\W\d_]{1,12})[ ]?(?P<n>\d)(?![\w.,]|\s?%)")

ORDINALS = ("first", "second", "third", "fourth")

BARE = regex(r"(?<![\w.])\d*\.?\d+%?")

AND = regex(r"[\s,&/*_`\"']*(?:\b(?:and|und|et|y|to)\b)?[\s*_`\"']*", re.IGNORECASE)

# "Error probabilities: Q1 5%, Q2 ...": what stands at the head of several labels
HEADS = regex(r"(?:[^\n.;:\d]|(?<=\w)\.(?=\w)){0,60}[:\n(|]\W*\Z")


def relabelled(text: str, labels: Sequence[str]) -> str:
    """A text that names no label, with labels for other names of the questions: a word before their numbers, in their
    order, or "the first" to "the fourth".
    """
    if re.search(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, labels))})(?!{WORD})", text, re.IGNORECASE):
        return text
    bare = BARE.findall(text) if not re.sub(r"json|[][\s(),;`]", "", BARE.sub("", text)) else []
    each, rest = divmod(len(bare), len(labels))  # "[0.9, 0.8, 0.95, 0.7]", "[[0.9, 50], ...]"
    lists = [BARE.findall(line) for line in text.splitlines() if BARE.search(line)]
    if each == 2 and [len(one) for one in lists] == [len(labels)] * 2:  # two lists, one below the other
        bare = [number for pair in zip(*lists, strict=True) for number in pair]
    chances = bare[::each] if each in (1, 2) and not rest else []
    if any(not p.isdigit() for p in chances) and all(float(p.strip("%")) <= (100 if "%" in p else 1) for p in chances):
        rows = (", tokens ".join(bare[n * each : (n + 1) * each]) for n in range(len(labels)))
        return "\n".join(f"{label}: correct {row}" for label, row in zip(labels, rows, strict=True))
    numbers: dict[str, list[re.Match[str]]] = {}
    for match in BEFORE_A_NUMBER.finditer(text):
        numbers.setdefault(match["word"].lower(), []).append(match)
    order = [str(n + 1) for n in range(len(labels))]
    named = [each for each in numbers.values() if [match["n"] for match in each] == order]
    for each_of in (ORDINALS[: len(labels)], (*ORDINALS[: len(labels) - 1], "last")):
        ordinals = list(re.finditer(rf"\b(?:{'|'.join(each_of)})\b(?:\s+(?:question|one)\b)?", text, re.IGNORECASE))
        if [match[0].split()[0].lower() for match in ordinals] == list(each_of):
            named.append(ordinals)
    for label, match in zip(labels[::-1], named[0][::-1], strict=True) if len(named) == 1 else ():
        text = f"{text[: match.start()]}{label}{text[match.end() :]}"
    return text


def stretches(text: str, labels: Sequence[str]) -> Iterator[tuple[str, int, int, str, Quantity | None]]:
    """Each label, where what belongs to it begins and ends, what stands before it in its object, and the quantity that
    is named at the head of it and those before it.
    """
    names = "|".join(rf"{re.escape(label[0])}_?\{{?{re.escape(label[1:])}\}}?" for label in labels)
    pattern = re.compile(
        rf"(?<!(?!_){WORD})(?:(?P<label>{names})|(?P<sign>[TP])_?\{{?(?P<m>[1-{len(labels)}])\}}?|(?:{QUESTION})\s?(?P<n>[1-{len(labels)}]))"
        rf"(?!{WORD})[\"'”*_`)\]]*",
        re.IGNORECASE,
    )
    marks = [(_label(match, labels), match.start(), match.end(), match["sign"]) for match in pattern.finditer(text)]
    if not marks:
        marks = [(*mark, None) for mark in _numbered(text, labels)]
    group: list[str] = []
    head: Quantity | None = None
    begun = 0
    is_torn = text.rfind("{") > text.rfind("}")
    for (label, start, end, sign), after in zip_longest(marks, marks[1:]):
        stop = after[1] if after else len(text)
        lead = text[max(begun, text.rfind("\n\n", 0, max(start - 3, 0)), start - 100) : start]
        if (heading := HEADS.search(lead)) and (quantity := quantity_named(heading[0])):
            head = quantity
        begun = end
        group.append(label)
        if after and AND.fullmatch(text, end, stop):
            continue  # "Q1, Q2: 99%": what follows is of both
        paragraph = text.find("\n\n", end, stop)
        sought: Quantity | None = {"T": "tokens", "P": "correct"}[sign.upper()] if sign else head  # type: ignore[assignment]
        if after or not is_torn:
            yield from ((each, end, paragraph if paragraph >= 0 else stop, text[:start], sought) for each in group)
        group = []


def _label(match: re.Match[str], labels: Sequence[str]) -> str:
    digits = re.sub(r"\D", "", match["label"] or match["m"] or match["n"])
    return labels[int(digits) - 1]


def _numbered(text: str, labels: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """The lines of a numbered list, where its numbers are as many as the labels and in their order."""
    lines = list(re.finditer(r"^[ \t]*(?:[*_]{0,2}(\d{1,2})[.):]\s|\|\s*(?P<cell>\d)\s*(?=\|))", text, re.MULTILINE))
    if [line[1] or line["cell"] for line in lines] == [str(n + 1) for n in range(len(labels))]:
        yield from ((label, line.start(), line.end()) for label, line in zip(labels, lines, strict=True))


def enclosing(before: str) -> Quantity | None:
    """The quantity whose object a label stands in: {"correct": {"Q1": ..."""
    opening = before.rfind("{")
    lead = NAMES.search(before, max(opening - 40, 0), opening) if opening >= 0 else None
    return quantity_of(lead) if lead and re.fullmatch(r"[\"'\s:]*", before[lead.end() : opening]) else None


def heads_of(text: str, labels: Sequence[str]) -> Sequence[Quantity]:
    """The quantities in the order of the columns of a table, from the last line of heads before its rows."""
    for line in text.splitlines():
        match = [name for cell in line.split("|") if (name := quantity_named(cell))]
        of_a_row = any(label in line for label in labels)
        if line.count("|") > 2 and len(match) == 2 and len(set(match)) == 2 and not of_a_row:
            return match
    return ()
