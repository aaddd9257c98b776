"""What one list or sentence says of all the questions: as many numbers as there are labels, or one for each of them."""

import re
from collections.abc import Sequence

from selfexec.readers.probability.amounts import SMALL
from selfexec.readers.probability.quantities import (
    NAMES,
    PAST,
    TURNS,
    UNIT,
    Expected,
    Number,
    Quantity,
    numbers_in,
    quantity_named,
    quantity_of,
    told_apart,
)
from selfexec.text.regex import regex

COUNTS_EACH = regex(
    rf"\d\S{{0,3}}(?:{UNIT.pattern}|\s+(?:each|apiece|for\s+(?:each|every|all))\b)|%|\.\d", re.IGNORECASE
)

OF_EACH = regex(
    r"(?:\A|(?<=[.;\n]))(?P<rule>[^.;,\n]{0,80}\b(?:each|all|every|apiece)\b[^.;,\n]{0,80}?)"
    r"(?P<other>,?\s+(?:apart\s+from|except(?:\s+for)?|but|other\s+than|excluding)\s[^.;\n]{0,80})?(?=[.;,\n]|\Z)",
    re.IGNORECASE,
)

SEPARATES = r"\s*(?:[,;/|]\s*(?:and\s)?|\band\b|\s)\s*"

ONE_OF_A_LIST = r"[~≈]?\.?\d[\d.]*(?:\s?%)?"

SENTENCE = regex(r"(?:[^.!?\n]|[.](?=\d)){1,400}")

ALL = regex(r"\b(?:all(?:\s+(?:four|of\s+them|questions))?|each|every)\b", re.IGNORECASE)

LONGEST = 1_000  # characters of a sentence, and of what stands behind a label


def lists_of_all(text: str, labels: Sequence[str]) -> tuple[str, list[tuple[Quantity, list[Number]]]]:
    """Lists of as many numbers as there are labels, each with the quantity that it is headed by or is in the unit of;
    and the text without them.
    """
    names = "|".join(map(re.escape, labels))
    pattern = re.compile(
        rf"(?<![\w.%])(?<!\d\s)(?<!\d,\s)(?<!\d,)({ONE_OF_A_LIST}(?:{SEPARATES}{ONE_OF_A_LIST}){{{len(labels) - 1}}})"
        r"(?![\w%]|[.,;/]?\s?\d)"
    )
    listed: list[tuple[Quantity, list[Number]]] = []
    done = 0
    for match in list(pattern.finditer(text)):
        begun = max(done, *(text.rfind(mark, 0, match.start()) + 1 for mark in ("\n", ". ", "; ")))
        lead = text[begun : match.start()]
        labelled = re.findall(rf"(?<!\w)(?:{names})(?!\w)", lead)
        if labelled and labelled not in (list(labels), [labels[0], labels[-1]]):
            continue
        quantity = "tokens" if UNIT.match(text, match.end()) else quantity_named(lead)
        numbers = [next(numbers_in(part), None) for part in re.findall(ONE_OF_A_LIST, match[0])]
        known = [number for number in numbers if number]
        if quantity and len(known) == len(labels) and not TURNS.search(lead):
            listed.append((quantity, known))
            text = text[:begun] + " " * (match.end() - begun) + text[match.end() :]
            done = match.end()
    return text, listed


def said_of_each(text: str, labels: Sequence[str]) -> tuple[str, list[tuple[Quantity, list[Number]]]]:
    """What a sentence before or behind all of the labels says of each of them, perhaps with an exception: "About 20
    tokens each, apart from Q3 with 300"; and the text without it.
    """
    label = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, labels))})(?!\w)", re.IGNORECASE)
    shared: list[tuple[Quantity, list[Number]]] = []
    for match in OF_EACH.finditer(text) if label.search(text) else ():
        rule, exceptional = list(numbers_in(match["rule"])), list(numbers_in(match["other"] or ""))
        exceptions = [each.upper() for each in label.findall(match["other"] or "")]
        is_within = label.search(text, 0, match.start()) and label.search(text, match.end())
        if is_within or label.search(match["rule"]) or len(rule) != 1 or len(exceptional) != bool(match["other"]):
            continue
        quantity = rule[0].quantity
        if (
            quantity
            and COUNTS_EACH.search(match["rule"])
            and not TURNS.search(match["rule"])
            and not PAST.search(match["rule"])
            and (not match["other"] or exceptions)
        ):
            shared.append((quantity, [exceptional[0] if name in exceptions else rule[0] for name in labels]))
            text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    return text, shared


def counted_for(text: str, labels: Sequence[str]) -> tuple[str, dict[str, float]]:
    """The tokens that a sentence counts for labels behind them, and the text without it: "30 tokens for each of the
    first three, and 150 for Q4".
    """
    name = f"(?:{'|'.join(map(re.escape, labels))})"
    first = "|".join(f"first {SMALL[n]}" for n in range(2, len(labels)))
    pattern = re.compile(
        rf"(?<![\w.,])(?P<n>\d{{1,6}})(?:\s+tok\w*)?\s+(?:for|on|to)\s+(?:each\s+of\s+)?"
        rf"(?P<labels>{name}(?:(?:,\s|,?\s+and\s+){name}(?!\w))*|the\s+(?P<first>{first}))(?!\w)",
        re.IGNORECASE,
    )
    counted: dict[str, float] = {}
    for sentence in SENTENCE.finditer(text):
        match = list(pattern.finditer(sentence[0]))
        if len(match) < 2 or not _is_of_tokens(sentence[0]):
            continue
        for each in match:
            named = re.findall(name, each["labels"].upper())
            named = list(labels[: SMALL.index(each["first"].lower().split()[1])]) if each["first"] else named
            counted |= dict.fromkeys(named, float(each["n"]))
        text = text[: sentence.start()] + " " * len(sentence[0]) + text[sentence.end() :]
    return text, counted


def _is_of_tokens(sentence: str) -> bool:
    """Whether a sentence speaks of tokens to come, and of no other quantity."""
    named = {quantity_of(name) for name in NAMES.finditer(sentence)}
    return named == {"tokens"} and not TURNS.search(sentence) and not PAST.search(sentence)


def one_for_all(text: str, labels: Sequence[str], wanted: Sequence[Quantity]) -> Expected | None:
    """One sentence about all of the questions, where no label is named."""
    if any(re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text, re.IGNORECASE) for label in labels):
        return None
    for sentence in re.split(r"(?<=[.!?])\s+|\n+", text):
        if len(sentence) > LONGEST or not ALL.search(sentence):
            continue
        stated = list(numbers_in(sentence))
        if any(number.amount is None and not number.tokens for number in stated):
            continue  # a range, or a bound
        numbers = [number for number in stated if number.quantity]
        if TURNS.search(sentence) or len(numbers) != len(wanted):
            continue
        named = told_apart(numbers, None, ())
        correct, tokens = named.get("correct"), named.get("tokens")
        if correct and tokens and correct.amount and correct.amount.value is not None and tokens.tokens:
            return {label: {"correct": correct.amount.value, "tokens": tokens.tokens} for label in labels}
    return None
