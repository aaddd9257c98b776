"""JSON in which one object has a name twice: which of two values is meant nobody can say, and decoders take the last.

To decode a body once more with an eye on each name takes ten times as long. So the names are counted first: as many as
were written have to be left once the body is decoded, unless one stood twice.
"""

import json
from collections.abc import Sequence
from typing import Any

import msgspec

NAME_ENDS, QUOTED_NAME_ENDS = b'":', b'\\":'  # the second stands within a text
# names before whose colon there is a blank, or that end in a backslash: these cannot be counted so
UNCOUNTED = (b" :", b"\t:", b"\n:", b"\r:", b'\\\\":')


class DoubledName(ValueError):
    """A name stands twice in an object, with two values."""


def check_names(raw: bytes, decoded: Any) -> None:
    """Raise DoubledName where a name stands twice in an object of this JSON, with two values. RecursionError: it is
    nested too deeply to be looked at.
    """
    if not any(ending in raw for ending in UNCOUNTED) and _count(raw) == _count(msgspec.json.encode(decoded)):
        return
    json.loads(raw.decode(errors="replace"), object_pairs_hook=without_doubles)


def _count(raw: bytes) -> int:
    """How many names stand in the objects of this JSON."""
    return raw.count(NAME_ENDS) - raw.count(QUOTED_NAME_ENDS)


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
