"""What items say, whatever they are of: what a prompt about one has in it, and by which words texts are compared."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from selfexec.experiments import Item
from selfexec.readers import fold
from selfexec.runs.reply import Reply
from selfexec.text.regex import regex

Items = Mapping[str, Mapping[str, Item]]  # by experiment and id
KNOWN_AT_ONCE = 4096
STEM = 5  # letters by which words are compared
WORD = regex(r"[^\W\d_]{4,}|\d+")
# words that stand in any prompt
COMMON = frozenset(
    (
        *("this", "that", "these", "those", "with", "your", "have", "from", "what", "when", "been", "will", "which"),
        *("their", "there", "they", "would", "could", "should", "about", "into", "does", "more", "some", "than"),
    )
)


def texts_by_reply(items: Items) -> Callable[[Reply], str]:
    """The text of the item that a reply is about; an empty one where the item is not known."""

    @lru_cache(KNOWN_AT_ONCE)
    def text_of(experiment: str, id: str) -> str:
        item = items.get(experiment, {}).get(id)
        return "" if item is None else "\n".join(texts_in(item))

    return lambda reply: text_of(reply.experiment, reply.item)


def texts_in(item: Item) -> Iterator[str]:
    """All texts of an item, its id among them."""
    yield from _strings_in(msgspec.to_builtins(item))


def longest_text_in(item: Item) -> str:
    """The longest text of an item: of a request, what is asked for."""
    return max(texts_in(item), key=len, default="")


def listed_in(item: Item) -> Iterator[str]:
    """What an item lists, as options."""
    for value in msgspec.to_builtins(item).values():
        if isinstance(value, Sequence) and not isinstance(value, str):
            yield from (inner for inner in value if isinstance(inner, str))


def _strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | Sequence):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _strings_in(inner)


def stems_in(text: str) -> set[str]:
    """The words of a text by their first letters, and its numbers."""
    return {word[:STEM] for word in WORD.findall(fold(text)) if word not in COMMON}
