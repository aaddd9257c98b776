"""Numbers that others take the place of: "0.9 ... actually no, make that 0.97", "70%, so let's settle on 75%".

What corrects stands directly before the new number and is a chain of words that take back, resolve or conclude. The new
number then belongs to whatever the old one did, so that it is written in its place before anything is read.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from selfexec.readers.probability.amounts import ABOUT, Amount, amounts
from selfexec.readers.result import Commitment
from selfexec.text.regex import regex

REACH = 120  # characters between a number and the one that takes its place
# what takes back by itself: with one of these in a chain, the number behind it is the one that holds
TAKES_BACK = (
    r"(?:actually|wait|(?:or\s+)?rather|correction|scratch\s+that|on\s+(?:reflection|second\s+thoughts?)|thinking\s+again"
    r"|I\s+(?:mean|meant)|sorry|oops|strike\s+that"
    r"|mak(?:e|ing)\s+(?:it|that)|settl(?:e|ing)\s+(?:on|at|for)"
    r"|eher|besser\s+gesagt|plutôt|mejor\s+dicho|更正|不对|いや)"
)
# what may stand beside it
BESIDE = (
    r"(?:no|nope|hmm+|well|so|but|and|then|now|ok(?:ay)?|yes|finally|final\w*|overall|let['’]?s|let\s+(?:me|us)|I(?:['’](?:d|ll)|\s+(?:would|will))?"
    r"|say|go\s+with|call\s+it|put\s+it\s+at|my|the|answer|number|estimate|probability|is|be|to|it|a|bit|at)"
)
CHAIN = regex(
    rf"(?:\A|(?<=[\s,.;:…–—(!?-]))(?:{BESIDE}\b[\s,.:;…–—!-]{{1,4}}){{0,5}}{TAKES_BACK}(?:\b|(?<=[\u3000-\u9fff]))[\s,.:;…–—!-]{{0,4}}"
    rf"(?:(?:{BESIDE}|{TAKES_BACK})\b[\s,.:;…–—!-]{{0,4}}){{0,6}}{ABOUT}{{0,2}}[\s*_`\"'“]{{0,4}}\Z",
    re.IGNORECASE,
)
# behind a number that is of something else than the one before it: "Actually, 0.4 for fog"
OF_ANOTHER = regex(r"[*_`\"'”]{0,3}\s?(?:chance\s+)?(?:(?:for|of|that|on|to)\b|[:=])", re.IGNORECASE)


# behind the old number, and of the new one as well: "0.9 that I would, or rather 0.8"
LINKED = regex(
    r"[*_`\"'”)]{0,3}\s?(?:that|of|chance|probab\w*|likel\w*|for|in\s+favou?r|against|sure|certain|confident)\b"
)


class Corrected(NamedTuple):
    """A text, as long as before, with the numbers that hold in the places of those that they replace; and where the
    words of each correction stand.
    """

    text: str
    spans: Sequence[tuple[int, int]]

    def reaching(self, commitment: Commitment) -> Commitment:
        """A commitment with the words that correct it: they do not take it back, they are a part of it."""
        ends = [end for start, end in self.spans if start <= commitment.end and commitment.start <= end]
        return commitment._replace(end=max([commitment.end, *ends]))


def corrected(text: str, begun: int = 0) -> Corrected:
    """The text with each number that is corrected written anew in its own place, from the place `begun` on."""
    spans: list[tuple[int, int]] = []
    for old, chain, new in _corrections(text, begun):
        behind = text[old.end : chain] if LINKED.match(text, old.end, chain) else ""
        sign = "%" if new.plain and "%" in text[old.start : old.end] and (new.number or 0) > 1 else ""
        anew = text[new.start : new.end] + sign + behind
        text = text[: old.start] + anew.ljust(new.end - old.start) + text[new.end :]
        spans.append((old.start, new.end))
    return Corrected(text, spans)


def _corrections(text: str, begun: int) -> Iterator[tuple[Amount, int, Amount]]:
    """Each number with where the words begin that correct it, and the number that they put in its place: the last one,
    where it is corrected again.
    """
    stated = [a._replace(start=begun + a.start, end=begun + a.end) for a in amounts(text[begun:])]
    first: tuple[Amount, int] | None = None
    for old, new, after in zip_longest(stated, stated[1:], stated[2:]):
        chain = _chain(text, old, new) if new else None
        if new is None or chain is None:
            continue
        first = first or (old, chain)
        if after is None or _chain(text, new, after) is None:
            yield *first, new
            first = None


def _chain(text: str, old: Amount, new: Amount) -> int | None:
    """Where the words between two numbers begin that put the second in the place of the first; None where none do."""
    gap = text[old.end : new.start]
    if len(gap) > REACH or re.search(r"[{}\n|]", gap) or OF_ANOTHER.match(text, new.end):
        return None
    if _counts(text, old) != _counts(text, new):
        return None
    chain = CHAIN.search(gap)
    return old.end + chain.start() if chain else None


def _counts(text: str, amount: Amount) -> bool:
    """Whether a number may only count: behind a percentage, a bare one is in percent."""
    return amount.plain and (amount.number or 0) > 1 and "tok" in text[amount.end : amount.end + 5]
