"""Whether a moderation's answer is about the prompt that was sent: what it quotes as flagged has to stand in that."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec

from selfexec.text.regex import regex

QUOTING = "flagged_input"  # OpenRouter's, which leaves out the middle of what is long
LEFT_OUT = regex(r"\.{3,}|…")
LETTERS = regex(r"\w+")


def quotes_another_prompt(asked: bytes, body: Any) -> bool:
    """Whether an error quotes as flagged what does not stand in the body of the request that it came to."""
    quotes = [value for name, value in _texts(body) if name == QUOTING]
    if not quotes:
        return False
    sent = [_folded(value) for _, value in _texts(msgspec.json.decode(asked))]
    return not all(any(_stands_in(quote, text) for text in sent) for quote in quotes)


def _stands_in(quote: str, text: str) -> bool:
    """Whether the parts of a quotation follow one another in a text, by their letters alone."""
    at = 0
    for part in map(_folded, LEFT_OUT.split(quote)):
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


def _folded(text: str) -> str:
    return "".join(LETTERS.findall(text.casefold()))


def _texts(body: Any) -> Iterator[tuple[str, str]]:
    """All texts of a body with the names of their fields, those of JSON within a text included."""
    waiting = [("", body)]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.items()
        elif isinstance(value, list):
            waiting += [(name, part) for part in value]
        elif isinstance(value, str):
            yield name, value
            if QUOTING in value and name != QUOTING:
                with suppress(ValueError, RecursionError):
                    waiting.append((name, json.loads(value[value.index("{") : value.rindex("}") + 1])))
