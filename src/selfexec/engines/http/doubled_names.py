"""JSON in which one object has a name twice: which of two values is meant nobody can say, and decoders take the last.

To decode a body once more with an eye on each name takes ten times as long. So its quotation marks are counted first:
what was decoded and is written again has as many, unless a name stood twice, which loses the two around it.
"""

import json
from collections.abc import Sequence
from typing import Any

import msgspec

QUOTE = b'"'
ESCAPED_QUOTE = b"\\u0022"  # which is written again as a quotation mark, and would make up for a lost one


class DoubledName(ValueError):
    """A name stands twice in an object, with two values."""


def has_single_names(raw: bytes, decoded: Any) -> bool:
    """Whether it is certain that no name stands twice in an object of this JSON."""
    return raw.count(QUOTE) == msgspec.json.encode(decoded).count(QUOTE) and ESCAPED_QUOTE not in raw


def check_names(raw: bytes, decoded: Any) -> None:
    """Raise DoubledName where a name stands twice in an object of this JSON, with two values. RecursionError: it is
    nested too deeply to be looked at.
    """
    if has_single_names(raw, decoded):
        return
    json.loads(raw.decode(errors="replace"), object_pairs_hook=without_doubles)


def without_doubles(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object of these names and values. DoubledName: a name has two values."""
    found = dict(pairs)
    if len(found) < len(pairs):
        for name, value in pairs:
            if found[name] != value:
                raise DoubledName(f"{name!a:.60} stands twice in it, with two values")
    return found


def with_doubles(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object of these names and values, in which a name that stands twice has all of its values."""
    found = dict(pairs)
    if len(found) < len(pairs):
        return {name: [value for other, value in pairs if other == name] for name in found}
    return found
