"""Where things stand in a text, found in time linear in its length."""

import re
from collections.abc import Iterator

# A reply that says a word more often, or has more lines, is noise: only so many, from the end, are looked at.
AT_MOST = 1_000


def places(text: str, *words: str) -> Iterator[int]:
    """Where any of the words stands, as written: word by word, each from the end."""
    for word in words:
        at = text.rfind(word)
        for _ in range(AT_MOST):
            if at < 0:
                break
            yield at
            at = text.rfind(word, 0, at)


def matches(text: str, pattern: re.Pattern[str], *words: str) -> Iterator[re.Match[str]]:
    """Matches of a pattern at the places of some literal words that it begins with."""
    for at in places(text, *words):
        if found := pattern.match(text, at):
            yield found


def lines(text: str) -> list[tuple[int, str]]:
    """The lines of a text with their places."""
    kept = text.split("\n")[-AT_MOST:]
    at = len(text) - sum(len(line) + 1 for line in kept) + 1
    placed = []
    for line in kept:
        placed.append((at, line))
        at += len(line) + 1
    return placed
