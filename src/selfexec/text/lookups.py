"""Look-ups by name which, where they find nothing, say what there is."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TypeVar

SHOWN = 20  # names that a message lists
T = TypeVar("T")


class Named(dict[str, T]):
    """Things by name."""

    def __missing__(self, name: object) -> T:
        raise KeyError(f"there is no {name!r} ({listed('names', self)})")


def listed(what: str, names: Iterable[object]) -> str:
    """Such as "models: a, b and 7 more"."""
    known = list(dict.fromkeys(map(str, names)))
    more = f" and {len(known) - SHOWN:,} more" if len(known) > SHOWN else ""
    return f"{what}: {', '.join(islice(known, SHOWN)) or 'none'}{more}"


def what_there_is(rows: Iterable[object], wanted: Mapping[str, object]) -> str:
    """Of the first field in which no row has what is wanted, what there is, among the rows that the fields before
    leave.
    """
    left = list(rows)
    for field, value in wanted.items():
        there = dict.fromkeys(getattr(row, field) for row in left)
        if value not in there:
            return listed(f"{field}s", there)
        left = [row for row in left if getattr(row, field) == value]
    return listed("found", left)
