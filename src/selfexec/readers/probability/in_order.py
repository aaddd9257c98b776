"""The numbers of a reply that names no option, where they are as many and in the order of the options."""

import re
from collections.abc import Sequence

from selfexec.readers.probability.amounts import Amount, only_amount
from selfexec.readers.probability.denials import LAST, LONGEST
from selfexec.readers.probability.spoken_pairs import as_named
from selfexec.text.regex import regex

ORDINAL = regex(
    r"\W{0,4}(?:(?:option|word|choice|candidate)\s)?#?(?P<n>\d{1,2})\s?[*_`]{0,2}[.):=–—-]{1,2}[*_`]{0,2}\s(?P<value>[^\n]+)",
    re.IGNORECASE,
)


def in_their_order(text: str, options: Sequence[str]) -> list[tuple[str, Amount]]:
    """The numbers of a reply that names no option, where they are as many and in the order of the options: a list of
    bare numbers, or lines that are numbered.
    """
    if names := _listed_first(text, options):
        options, text = names
    lines = [line for line in text.splitlines() if line.strip()]
    found = [match for line in lines if (match := ORDINAL.fullmatch(line.rstrip()))]
    if [match["n"] for match in found] == [str(n + 1) for n in range(len(options))]:
        values = [only_amount(match["value"]) for match in found]
    else:
        parts = re.split(r"[,;\s]+", text.strip("[]() \t\n`.")) if len(text) <= LONGEST else []
        values = [only_amount(part) for part in parts]
    known = [value for value in values if value and value.value is not None]
    whole = len(values) == len(known) == len(options) > 2 and any(value.value not in (0, 1) for value in known)
    return [(option, value) for option, value in zip(options, values, strict=True) if value] if whole else []


TWO_LISTS = regex(r"\[(?P<names>[^\[\]]{1,400})\][\s,;\"'\w:=]{1,60}\[(?P<numbers>[^\[\]]{1,200})\]")


def _listed_first(text: str, options: Sequence[str]) -> tuple[Sequence[str], str] | None:
    """The options in the order of a list of them, and the list of numbers behind it."""
    lists = TWO_LISTS.search(text, max(len(text) - LAST, 0))
    order = [as_named(name.strip(" \n\"'")) for name in lists["names"].split(",")] if lists else []
    known = {as_named(option): option for option in options}
    return ([known[name] for name in order], lists["numbers"]) if lists and sorted(order) == sorted(known) else None
