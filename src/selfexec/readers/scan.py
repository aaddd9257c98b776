"""Where things stand in a text, found in time linear in its length."""

import re

# A reply that says a word more often, or has more lines, is noise: only so many, from the end, are looked at.
AT_MOST = 1_000


def places(text: str, *words: str, since: int = 0) -> list[int]:
    """Where any of the words stands, as written, from a place on: word by word, each from the end."""
    found: list[int] = []
    for word in words:
        at = text.rfind(word, since)
        if at < 0:
            continue  # as of most words, thousands of times
        most = len(found) + AT_MOST
        while at >= 0 and len(found) < most:
            found.append(at)
            at = text.rfind(word, since, at)
    return found


def matches(text: str, pattern: re.Pattern[str], *words: str) -> list[re.Match[str]]:
    """Matches of a pattern at the places of some literal words that it begins with."""
    there = places(text, *words)
    return [found for at in there if (found := pattern.match(text, at))] if there else []


def lines(text: str) -> list[tuple[int, str]]:
    """The lines of a text with their places."""
    kept = text.split("\n")[-AT_MOST:]
    at = len(text) - sum(len(line) + 1 for line in kept) + 1
    placed = []
    for line in kept:
        placed.append((at, line))
        at += len(line) + 1
    return placed
