"""Names and probabilities in sentences: "an 80% chance of cup", "dark, moon and stars each have 0.8", "P(fog) = .1".

A sentence or a line is read where its names and its numbers go together in one of four ways: a number behind each name
or group of names, a number before each, one number behind a group, or one for each of a group. A sentence that denies,
supposes or asks, and one with a number that belongs to no name, states nothing of any.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from selfexec.readers.amounts import Amount, amounts, only_amount
from selfexec.readers.folding import fold

LONGEST = 400  # characters of a sentence
UNIT = re.compile(r"(?<=[.!?。])\s+(?=\S)|;\s+|\n+|\$\$")
TURNS = re.compile(
    r"n['’]t\b|\b(?:not|no|never|without|unless|if|whether|neither|nor|instead|rather\s+than|nicht|kein\w*|pas|jamais)\b|\?"
    r"|\bun(?:likely|sure|certain)\b(?=[^()]{0,30}(?:to\s+be|that))|\b(?:doubt|others?|another|people|typical|average|base\s+rate)\b"
    r"|\b(?:left\s+out|absent|absence|missing|omitted|excluded|omit|exclude|leave\s+(?:it\s+)?out)\b"
    r"|\b(?:for\s+example|for\s+instance|e\.g\.|at\s+first|initially|between)\b",
    re.IGNORECASE,
)
EACH = re.compile(r"\b(?:each|all|both|every|either|apiece|alike|these|chacun\w*|je(?:weils)?)\b", re.IGNORECASE)
ALL = re.compile(r"\b(?:all|every|each)\b", re.IGNORECASE)
CORRECTS = re.compile(
    r"\b(?:actually|correction|typo|mistake|I\s+meant|on\s+reflection|on\s+second\s+thoughts?|make\s+(?:it|that)|scratch\s+that"
    r"|should\s+(?:be|have\s+been)|chang(?:e|ing)|revis(?:e|ing)|lower(?:ing)?|rais(?:e|ing)|wait)\b",
    re.IGNORECASE,
)
# "1%, not 5%": the number that another one takes the place of
INSTEAD_OF = re.compile(
    r",?\s*\b(?:not|instead\s+of|rather\s+than|from)\s+[~≈]?\d[\d.,]{0,12}\s?%?(?=\s{0,2}(?:to\b|[.,;!)]|\Z))",
    re.IGNORECASE,
)
# "fog: no (0.1)": the choice beside its number
YES_OR_NO = re.compile(r"(?<=[:=|–—-])\s*(?:yes|no|true|false)\b(?=\s*[(,|–—-])", re.IGNORECASE)
# between the names of a group: commas, "and", quotes
LISTED = re.compile(r"[\s\"'“”*_`,&/]*(?:\b(?:and|und|et|y)\b)?[\s\"'“”*_`,]*", re.IGNORECASE)
# behind a number that is not of a probability: a unit, a degree, a thing that is counted
COUNTED = re.compile(
    r"\s{0,2}(?:°|(?!(?:chances?|probab\w*|likel\w*|that|and|for|each|to|in|because|as|vs|there|here|too|then|now|but|since|so"
    r"|while|whereas|again|overall|with|at|on|would|is|seems|given)\b)[a-z]+\b)",
    re.IGNORECASE,
)
IN_BRACKETS = re.compile(r"\([^()]{0,120}\)")
DECIMAL = re.compile(r"[.,]\d")


class _Mark(NamedTuple):
    """A name or a number in a sentence, whichever it is."""

    start: int
    end: int
    name: str | None
    amount: Amount | None


def spoken_pairs(text: str, names: Mapping[str, str], begun: int = 0) -> Iterator[tuple[str, Amount]]:
    """Each name with the number that a sentence gives it. A correction that cannot be read gives the names in it a
    number without a value: what was said of them before does not hold. `names`: words as they stand in a text -> whose
    they are.
    """
    pattern, odds = _pattern(list(names)), "odds" in text.lower()
    whose = {fold(word): owner for word, owner in names.items()}
    spoken = False
    for start, unit in _units(text, begun):
        plain = YES_OR_NO.sub(_blank, INSTEAD_OF.sub(_blank, unit))
        named = list(_names(plain, pattern, whose))
        marks = sorted([*named, *_numbers(plain, odds, {mark.start for mark in named})])
        pairs = [] if TURNS.search(plain) else list(_together(plain, marks))
        if not pairs and CORRECTS.search(plain) and any(mark.amount for mark in marks):
            pairs = [(mark.name, Amount(mark.start, mark.end, None, False)) for mark in marks if mark.name]
        spoken = spoken or any(mark.name for mark in marks)
        yield from ((name, a._replace(start=start + a.start, end=start + a.end)) for name, a in pairs)
    if not spoken:
        yield from _of_all(text, list(dict.fromkeys(names.values())), begun)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _of_all(text: str, owners: Sequence[str], begun: int) -> Iterator[tuple[str, Amount]]:
    """One number for all, in a text that names none of them: "all five are equally likely: 20% each"."""
    for start, unit in _units(text, begun):
        match = [mark.amount for mark in _numbers(unit, odds=False) if mark.amount and not mark.amount.plain]
        if len(match) == 1 and not TURNS.search(unit) and ALL.search(unit) and EACH.search(unit[match[0].end :]):
            moved = match[0]._replace(start=start + match[0].start, end=start + match[0].end)
            yield from ((owner, moved) for owner in owners)


def _pattern(words: Sequence[str]) -> re.Pattern[str]:
    long = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True) if len(word) > 1)
    # "A" is an article and "I" a pronoun: a letter has to stand alone
    letters = "".join(re.escape(word) for word in words if len(word) == 1)
    parts = [rf"(?i:(?<![\w-])(?:{long})(?![\w-]))"] if long else []
    parts += [rf"(?<![\w'°-])[{letters}](?=[\"'”*_`)\]}}]*\s*(?:[,:;.|=)(–—-]|\Z))"] if letters else []
    return re.compile("|".join(parts) or r"(?!)")


def _units(text: str, begun: int) -> Iterator[tuple[int, str]]:
    for match in [*UNIT.finditer(text, begun), None]:
        end = match.start() if match else len(text)
        if 0 < end - begun <= LONGEST and "{" not in text[begun:end].replace("\\text{", ""):
            yield begun, text[begun:end]
        begun = match.end() if match else end


def _names(unit: str, pattern: re.Pattern[str], whose: Mapping[str, str]) -> Iterator[_Mark]:
    for match in pattern.finditer(unit):
        owner = whose.get(fold(match[0]))
        if owner is not None:
            yield _Mark(match.start(), match.end(), owner, None)


def _numbers(unit: str, odds: bool, named: Collection[int] = ()) -> Iterator[_Mark]:
    """The numbers that may be probabilities: without those in a remark in brackets, where others stand outside."""
    match = [amount for amount in amounts(unit, odds=odds) if not _is_counted(unit, amount, named)]
    # "wave (0.9)" gives the word its number; "0.8 (or maybe 0.9)" and "Mercury (-38.8 °C)" only remark on something
    remarks = [match.span() for match in IN_BRACKETS.finditer(unit) if only_amount(match[0]) is None]
    outside = [a for a in match if not any(start < a.start < end for start, end in remarks)]
    for amount in outside or match:
        yield _Mark(amount.start, amount.end, None, amount)


def _is_counted(unit: str, amount: Amount, named: Collection[int]) -> bool:
    """Whether a bare number says how many there are of something: one that is no decimal number, or has a unit. The
    next name, which stands at one of the places of `named`, is none.
    """
    if not amount.plain:
        return False
    thing = COUNTED.match(unit, amount.end)
    if thing and not any(thing.start() <= start < thing.end() for start in named):
        return True
    is_decimal = DECIMAL.search(unit[amount.start : amount.end]) is not None
    return amount.number is not None and amount.number <= 1 and amount.number.is_integer() and not is_decimal


def _together(unit: str, marks: Sequence[_Mark]) -> Iterator[tuple[str, Amount]]:
    """The names with their numbers; none where they do not go together in one of the four ways."""
    runs = _runs(marks)
    names = [run for run in runs if run[0].name is not None]
    numbers = [run for run in runs if run[0].amount is not None]
    if not names or any(len(run) > 1 for run in numbers) or abs(len(names) - len(numbers)) > 0:
        return
    in_a_list = all(_is_list(unit, run) for run in names)
    one_for_each = len(numbers) == 1 and EACH.search(unit) is not None
    if not (in_a_list or one_for_each):
        return
    if any(len(run) > 1 for run in names) and runs[0][0].amount is not None and not EACH.search(unit):
        return  # "80% for cup and beans": of both together, perhaps
    for run, (number,) in zip(names, numbers, strict=True):
        for mark in run:
            if mark.name is not None and number.amount is not None:
                yield mark.name, number.amount


def _runs(marks: Sequence[_Mark]) -> list[list[_Mark]]:
    """Marks of a kind that follow each other."""
    runs: list[list[_Mark]] = []
    for mark in marks:
        if runs and (runs[-1][0].name is None) == (mark.name is None):
            runs[-1].append(mark)
        else:
            runs.append([mark])
    return runs


def _is_list(unit: str, run: Sequence[_Mark]) -> bool:
    return all(LISTED.fullmatch(unit, earlier.end, two.start) for earlier, two in pairwise(run))
