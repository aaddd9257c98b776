"""What stands for options in a reply, made plain before its numbers are read: letters and their options, what is left
over, and the opposite of each.
"""

import re
from collections.abc import Mapping, Sequence

from selfexec.readers.probability.amounts import ROUNDING, Amount, only_amount
from selfexec.readers.probability.denials import LAST, NOUN, blank
from selfexec.readers.probability.spoken_pairs import as_named, spelled
from selfexec.text.regex import regex


def without_the_rest(text: str, names: Mapping[str, str]) -> tuple[str, str | None]:
    """The text, place for place, without the option that is left at its end, and that: "A with 0.8, otherwise B"."""
    lead = r"(?P<else>(?:otherwise|else)\b,?\s(?:I(?:['’]d|\swould)\s\w+\s(?:for\s)?)?)?"
    name = rf"[\"'*]*(?P<name>{'|'.join(map(spelled, names))})[\"'*]*(?(else)|\s(?:(?:for\s)?the\srest|otherwise))"
    if (match := re.search(rf",?\s(?:and\s)?{lead}{name}(?=\W*(?:\n|\Z))", text, re.IGNORECASE)) is None:
        return text, None
    whose = {as_named(name): option for name, option in names.items()}
    return text[: match.start()] + blank(match) + text[match.end() :], whose[as_named(match["name"])]


def lettered(text: str, aliases: Mapping[str, str]) -> str:
    """The text, place for place, with letters for options that are numbers where a fraction follows: "42: 0.1"."""
    for word, letter in aliases.items() if all(word.isdecimal() for word in aliases) else ():
        weighed = r"(?=\s+(?:has|gets|with|at)\b[^.,;\d]{0,20}0?\.\d|\s?[:→(]\s?[~≈]?0?\.\d)"
        text = re.sub(rf"(?<![\w.,])(?<![=+×*/-]\s){word}{weighed}", letter.ljust(len(word)), text)
    return text


def without_echoes(text: str, aliases: Mapping[str, str]) -> str:
    """The text, place for place, without the one that comes second of a letter and its option: "B: Saturn"."""
    for word, letter in aliases.items():
        before = rf"(?<![\w'-]){letter}(?=[*_\"'`]{{0,3}}\s?[.:)(\]=–—-])"
        echo = rf"(?P<echo>[*_\"'`]{{0,3}}\s?[.:)(\]=–—-]{{1,2}}\s?[\"'*_`]{{0,3}}{spelled(word)}(?!\w)\)?)"
        behind = rf"(?<=(?<!\w){re.escape(word)})(?P<letter>[*_\"'`]{{0,3}}\s?[(\[]{letter}[)\]])"
        text = re.sub(
            rf"{before}{echo}|{behind}",
            lambda m: m[0].replace(m["echo"] or m["letter"], " " * len(m["echo"] or m["letter"])),
            text,
            flags=re.IGNORECASE,
        )
    return text


# "0.9 yes / 0.1 no", "yes 90%, no 10%", "0.9 (0.1 not)": a number, and what it leaves for the opposite
ANY = r"\.?\d[\d.]{0,8}\s?%?"

BOTH_SIDES = regex(
    rf"(?:\b(?:yes|in)\b[\s:=]{{1,3}})?(?P<yes>{ANY})(?:\s(?:yes|in)\b)?(?P<rest>\s?[,;/|(]\s?(?:and\s)?(?:"
    rf"(?:no|not(?:\s\w+)?|out|absent|missing)[\s:=]{{1,3}}(?P<no>{ANY})|(?P<other>{ANY})\s(?:no|not|out|absent|missing)\b)\)?)",
    re.IGNORECASE,
)


def without_complements(text: str) -> str:
    """The text, place for place, without what is stated of the opposite beside a number, where both add up to 1."""

    def alone(found: re.Match[str]) -> str:
        values = [
            amount.value for words in (found["yes"], found["no"] or found["other"]) if (amount := only_amount(words))
        ]
        if len(values) < 2 or None in values or abs(sum(v for v in values if v is not None) - 1) > ROUNDING:
            return found[0]
        before, behind = found.start("yes") - found.start(), found.end() - found.end("yes")
        return " " * before + found["yes"] + " " * behind

    begun = max(len(text) - LAST, 0)
    return text[:begun] + BOTH_SIDES.sub(alone, text[begun:])


# "Probability that it did NOT appear: nurse 0.4, hospital 0.1"
OF_THE_OPPOSITE = regex(
    rf"\b{NOUN}\b[^:\n]{{0,60}}(?:\bnot\b|n['’]t\b|\babsen\w*|\bmissing\b)[^:\n]{{0,40}}:", re.IGNORECASE
)


def parts_on_the_opposite(text: str) -> Sequence[tuple[int, int]]:
    """Where a heading says that numbers are of the absence of words: from there to the end of the paragraph."""
    leads = (found.end() for found in OF_THE_OPPOSITE.finditer(text))
    return [(lead, end if (end := text.find("\n\n", lead)) >= 0 else len(text)) for lead in leads]


def turned(amount: Amount) -> Amount:
    """One less it: of a word's absence."""
    known = None if amount.value is None else round(1 - amount.value, 9)
    return amount._replace(value=known, number=known if amount.plain else None)
