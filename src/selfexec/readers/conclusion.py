"""Which reading the commitments of a reply amount to."""

from selfexec.readers.notation import plain_text
from selfexec.readers.result import Commitment, Reading, last_of, quoted
from selfexec.readers.withdrawal import declines, ends_in_the_open, given_up, withdrawn


def conclude(text: str, commitments: list[Commitment], *, of_a_request: bool = False) -> Reading:
    """The reading that a reply's commitments amount to: the last of them, unless it was withdrawn.

    Of a request, "so I cannot answer" gives the reason of a choice; else it says that none is made after all.
    """
    if not commitments:
        return unreadable(text)
    last = last_of(commitments)
    if last.value is None:
        return unreadable(text, last)
    if not ends(text, last) and withdrawn(plain_text(text), last.end):
        return unreadable(text, last)
    if not of_a_request and given_up(text, last.start):
        return unreadable(text, last)
    return Reading("read", last.value, evidence=quoted(text, last))


def ends(text: str, commitment: Commitment) -> bool:
    """Whether a text ends with this commitment: nothing comes after it but closing marks. Most replies do."""
    return not text[commitment.end :].strip(" \n`}")


def unreadable(text: str, last: Commitment | None = None) -> Reading:
    """A reply without a commitment, or whose last one is no answer, with the reason."""
    evidence = quoted(text, last) if last else None
    if not last and ends_in_the_open(text):
        return Reading("unreadable", reason="truncated")
    reason = "declined" if declines(text) else "format"
    return Reading("unreadable", reason=reason, evidence=evidence)
