"""Probabilities beside the names of the two things that may happen: {"refuse": 0.3, "comply": 0.7}, or in two lines."""

import re
from collections.abc import Iterator
from itertools import pairwise

from selfexec.readers.probability.amounts import ROUNDING, Amount, amounts, on_one_scale, only_amount
from selfexec.readers.probability.sides import Sides
from selfexec.readers.result import Commitment
from selfexec.text.regex import regex

KEY = r"[\"'](?P<{}>[A-Za-z][\w -]{{0,40}})[\"']\s{{0,8}}:\s{{0,8}}"
NUMBER = r"(?P<{}>[\"'][^\"'\n]{{1,20}}[\"']|[\d.]{{1,12}}%?)\s{{0,8}}"
TWO_EVENTS = regex(
    r"\{\s{0,12}(?:[\"'](?:prob(?:abilit(?:y|ies))?|p|chances?|likelihood)[\"']\s{0,8}:\s{0,8}(?P<nested>\{)\s{0,12})?"
    + rf"{KEY}{NUMBER},\s{{{{0,12}}}}{KEY}{NUMBER}".format("one", "p", "other", "q")
    + r"(?:,\s{0,12})?\}(?(nested)\s{0,12}\})",
    re.IGNORECASE,
)
NEAR = 1_000  # characters before an object, and behind it, that may say what its letters stand for
DEFINED = (
    r"(?<![\w'’]){}\b[\"'*_`)]{{0,3}}\s?(?:[:=]|is\b|means\b|stands\s+for\b|for\b|(?=that\b))\s{{0,2}}"
    r"((?:(?!\band\s+[A-Z]\b)[^.,;\n]){{2,120}})"
)
WORDS = regex(r"(?<=[a-z])(?=[A-Z])|[\W_]+")


def probability_of_two_events(text: str, sides: Sides) -> Iterator[Commitment]:
    """The probability of a claim from each object whose two keys, and no more, name its coming true and the opposite;
    None of one whose numbers do not add up to 1.
    """
    for match in TWO_EVENTS.finditer(text):
        rest = text[max(match.start() - NEAR, 0) : match.start()] + "\n" + text[match.end() : match.end() + NEAR]
        names = [_meant(key, rest) for key in (match["one"], match["other"])]
        by_side = {_side(name, sides): number for name, number in zip(names, (match["p"], match["q"]), strict=True)}
        if by_side.keys() != {1, -1}:
            continue
        stated = {str(side): amount for side, words in by_side.items() if (amount := only_amount(words))}
        values = on_one_scale(stated)
        adds_up = len(values) == 2 and abs(sum(values.values()) - 1) <= ROUNDING
        yield Commitment(match.start(), match.end(), values["1"] if adds_up else None)


def _number_of(line: str) -> Amount | None:
    """The only number of a line, which ends with it but for a remark: "It will provide an answer - 97%"."""
    stated = list(amounts(line))
    return stated[0] if len(stated) == 1 and only_amount(line[stated[0].start :]) else None


def two_events_in_lines(text: str, sides: Sides) -> Iterator[Commitment]:
    """The probability of a claim from each two lines that follow each other, name its coming true and the opposite, or
    the opposite and that, and end with numbers that add up to 1. "I would refuse: 3%" alone may be a slip; beside
    "I would answer: 97%" it is not.
    """
    lines = [line for line in re.finditer(r"[^\n]+", text) if line[0].strip()]
    for two in pairwise(lines):
        numbers = [_number_of(line[0]) for line in two]
        names = [line[0][: a.start] if a else "" for line, a in zip(two, numbers, strict=True)]
        by_side = {_side(name.strip(" -–—:=|*_>→•~≈("), sides): a for name, a in zip(names, numbers, strict=True)}
        values = on_one_scale({str(side): a for side, a in by_side.items() if a})
        if by_side.keys() == {1, -1} and len(values) == 2 and abs(sum(values.values()) - 1) <= ROUNDING:
            yield Commitment(two[0].start(), two[1].end(), values["1"])


def _meant(key: str, rest: str) -> str:
    """What a letter stands for by the words outside of the object: "where A is that I answer and B that I don't"."""
    defined = re.search(DEFINED.format(key), rest) if len(key) == 1 else None
    return defined[1] if defined else WORDS.sub(" ", key).strip()


def _side(key: str, sides: Sides) -> int:
    return sides.named(key) or sides.of(key)
