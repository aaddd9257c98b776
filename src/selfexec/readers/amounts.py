"""Probabilities as they are written: numbers from 0 to 1, percentages, fractions, and the same in number words.

An expression states one number, and is nothing without it. A range and a bound state none, and neither does a number
outside of 0 to 1: nobody knows which number in the range was meant, or on which scale the number stands.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
NUMBER_WORDS = {word: n for n, word in enumerate(SMALL)} | {word: 10 * n for n, word in enumerate(TENS, 2)}
NUMBER_WORDS["hundred"] = 100
IN_WORDS = (
    rf"(?:one\s+|a\s+)?hundred|(?:{'|'.join(TENS)})(?:[\s-](?:{'|'.join(SMALL[1:10])}))?"
    rf"|(?:{'|'.join(sorted(SMALL, key=len, reverse=True))})"
)
DIGITS = r"\d{1,6}(?:[.,]\d{1,12})?|[.,]\d{1,12}"
NUMBER = rf"(?:(?:{DIGITS})(?:e-?\d{{1,2}})?|(?:{IN_WORDS})(?![\w-]))"
PERCENT = (
    r"(?:\s{0,2}(?:\\?%|％|٪)"
    r"|\s{1,2}(?:percent\b|per\s+cent\b|pct\b|prozent\b|pour\s?cent\b|por\s+ciento\b|por\s+cento\b))"
)
OUT_OF = r"(?:\s{0,2}/\s{0,2}|\s{1,2}(?:in|out\s+of)\s{1,2}(?:every\s+)?|-(?:in|out-of)-)"
# what may be said of a number that is no bound on it
ABOUT = (
    r"(?:(?:about|around|roughly|approximately|approx\.?|circa|ca\.|nearly|almost|maybe|perhaps|probably|only|just"
    r"|somewhere\s+around|something\s+like|of\s+the\s+order\s+of|etwa|ungefähr|rund|environ|unos|[~≈∼±=])\s{0,2})"
)
BOUND = re.compile(
    r"(?:[<>≤≥]=?|\b(?:(?:less|more|fewer|greater|lower|higher|smaller|larger)\s+than|at\s+(?:least|most)|up\s+to|under"
    r"|over|below|above|exceed(?:s|ing)?|no\s+(?:more|less|higher|lower)\s+than|mindestens|höchstens|unter|über"
    r"|(?:to|until|well\s+into|upwards?\s+of)|min(?:imum|\.)?|max(?:imum|\.)?))"
    rf"\s{{0,3}}(?:the\s+)?{ABOUT}?\Z",
    re.IGNORECASE,
)
# where the second number of a range begins
ONWARDS = re.compile(
    rf"\s{{0,3}}(?:[-–—−]|\.\.\.?|…|to\b|until\b|through\b|or\b|and\b|bis\b|oder\b|à\b|~)\s{{0,3}}{ABOUT}?(?=[\d.,])",
    re.IGNORECASE,
)
FROM = re.compile(
    rf"(?:\d%?\s{{0,2}}[-–—−]\s{{0,2}}|\bbetween\s+{ABOUT}?|\bfrom\s+{ABOUT}?|\bzwischen\s+)\Z", re.IGNORECASE
)
STATED = re.compile(
    r"(?<![\w.,/$€£#^])(?<!\d:)(?:(?P<even>(?:fifty|50)\s{0,2}[-–/:]\s{0,2}(?:fifty|50)(?![\w%]))"
    rf"|(?P<sign>[-−]\s?)?(?P<number>{NUMBER})"
    rf"(?:(?P<percent>{PERCENT})|{OUT_OF}(?P<whole>{NUMBER})(?P<of>{PERCENT})?)?(?!\w))",
    re.IGNORECASE,
)
# "0.9 (very likely)", "0.75 (75%)", "0.9 // harmless": words behind a number, or the same number once more
REMARK = re.compile(r"\s{0,4}(?:\([^()\n]{0,120}\)?|(?://|#)[^\n]{0,120})\s{0,4}")
MARKUP = " \t\r\n*_`\"'“”‘’$\\()[]{}|"


class Amount(NamedTuple):
    """A stretch of text that states a probability. Its value is None where what it states is no single number from 0
    to 1. `plain`: it is a bare number, without a percent sign or a whole that it is a part of.
    """

    start: int
    end: int
    value: float | None
    plain: bool


def amounts(text: str) -> Iterator[Amount]:
    """The numbers that a text states, each with what it says of a probability, in their order."""
    at = 0
    while expression := STATED.search(text, at):
        at = expression.end()
        if expression["even"]:
            yield Amount(expression.start(), expression.end(), 0.5, False)
            continue
        onwards = ONWARDS.match(text, at)
        second = STATED.match(text, onwards.end()) if onwards else None
        if second:
            at = second.end()
            yield Amount(expression.start("number"), at, None, False)
        else:
            yield _amount(text, expression)


def only_amount(words: str) -> Amount | None:
    """What some words state that hold a probability and nothing else but markup, quotes, "about" and a remark."""
    begun = len(words) - len(words.lstrip(MARKUP))
    stated = words[begun:].rstrip(MARKUP).rstrip(".").rstrip(MARKUP)
    if about := re.match(rf"{ABOUT}{{1,2}}", stated, re.IGNORECASE):
        begun += about.end()
        stated = stated[about.end() :]
    expression = next(amounts(stated), None)
    if expression is None or expression.start != 0:
        return None
    remark = stated[expression.end :]
    if remark and not (REMARK.fullmatch(remark) and all(other.value == expression.value for other in amounts(remark))):
        return None
    return Amount(begun, begun + expression.end, expression.value, expression.plain)


def _amount(text: str, expression: re.Match[str]) -> Amount:
    number = _number(expression["number"])
    value: float | None = number
    if expression["percent"]:
        value = number / 100
    elif expression["whole"]:
        whole = _number(expression["whole"]) / (100 if expression["of"] else 1)
        value = number / whole if whole > 0 else None
    before = text[max(expression.start() - 40, 0) : expression.start()]
    bounded = BOUND.search(before) or FROM.search(before)
    if expression["sign"] or bounded or value is None or not 0 <= value <= 1:
        value = None
    return Amount(
        expression.start("number"), expression.end(), value, not expression["percent"] and not expression["whole"]
    )


def _number(words: str) -> float:
    """The number that digits or number words stand for."""
    if words[0].isdigit() or words[0] in ".,":
        return float(words.replace(",", "."))
    parts = [NUMBER_WORDS[part] for part in re.split(r"[\s-]+", words.lower()) if part in NUMBER_WORDS]
    return float(100 if 100 in parts else sum(parts))
