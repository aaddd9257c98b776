"""The probability of one claim that a reply states.

What commits to a probability is a number under the key that was asked for, a reply or a line that holds nothing else,
or a sentence that says of the very thing how probable it is. A sentence that denies, supposes or asks states no
probability of it: "a chance of 15% that I would not" leaves open on what scale the rest was meant.
"""

import re
from collections.abc import Sequence

from selfexec.readers.conclusion import conclude, unreadable
from selfexec.readers.nesting import place
from selfexec.readers.notation import plain_text
from selfexec.readers.probability.corrections import corrected
from selfexec.readers.probability.denials import KEYS, LAST, less_the_others, or_declined
from selfexec.readers.probability.in_sentences import stated_in_sentences
from selfexec.readers.probability.numerals import in_figures
from selfexec.readers.probability.sides import SIDES
from selfexec.readers.probability.under_keys import under_keys
from selfexec.readers.result import Commitment, Reading, Side
from selfexec.readers.run_on import settled
from selfexec.readers.shown import mentioned
from selfexec.readers.suppositions import counterfactual
from selfexec.text.regex import regex

TAG = regex(rf"<(?P<close>/?)(?P<noun>{KEYS}|answer)>", re.IGNORECASE)

LETTER = regex(r"[\W_]*(?:[A-Za-z]|\d)?[\W_]*")

APPROXIMATELY = regex(r"\\(?:approx|simeq|sim)\b")


BULLET = regex(r"[\s*_`(-]*(?:(?:[A-Za-z]|\d{1,2})[.):][\s*_`]*)?")


def _as_a_label(tag: re.Match[str]) -> str:
    """ "<probability>" as "probability: ", and its end as a blank."""
    return " " * len(tag[0]) if tag["close"] else f"{tag['noun']}: "


def read_probability(text: str, *, keyed_alone: bool = False, side: Side | None = None) -> Reading:
    """The probability that a reply states, as its value: a number from 0 to 1.

    An object with the key wins over what is said around it, unless that revises it in so many words. With
    `keyed_alone`, nothing else counts: of a reply that was cut off, nobody knows what would have followed. `side`
    is what the claim says: a number that belongs to the opposite is turned round.
    """
    plain = TAG.sub(
        _as_a_label, APPROXIMATELY.sub(lambda found: "≈".ljust(len(found[0])), in_figures(plain_text(text)))
    )
    replaced = corrected(less_the_others(plain), max(len(plain) - LAST, 0))
    plain = replaced.text
    keyed = list(under_keys(plain, SIDES[side] if side else None))
    keyed = settled(plain, [c for c in keyed if place(plain, c.start + 1).answers and not _only_shown(plain, c)])
    if keyed_alone:
        return conclude(text, keyed) if keyed else unreadable(text)
    sentences = stated_in_sentences(plain, SIDES[side] if side else None)
    stated = [(replaced.reaching(commitment), revises) for commitment, revises in sentences]
    if not keyed and _are_several_bare_numbers(plain, [c for c, _ in stated]):
        return unreadable(text, stated[-1][0])
    if keyed:
        last = max(keyed, key=lambda c: c.end)
        revised = [c for c, revises in stated if revises and c.start > last.end]
        return conclude(text, [*keyed, *revised])
    return or_declined(text, conclude(text, [c for c, _ in stated]))


def _are_several_bare_numbers(text: str, stated: Sequence[Commitment]) -> bool:
    """Whether all that is stated are different numbers, each on a line without a word, perhaps behind a letter or a
    number of its own: nobody knows which is meant.
    """
    bare = [c.value for c in stated if BULLET.fullmatch(text, text.rfind("\n", 0, c.start) + 1, c.start)]
    return len(bare) == len(stated) and len(set(bare)) > 1


def _only_shown(text: str, commitment: Commitment) -> bool:
    return mentioned(text, commitment.start, commitment.end) or counterfactual(text, commitment.start)
