"""Look-ups by name which, where they find nothing, say what may be meant, or what there is."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TypeVar

SHOWN = 20  # names that a message lists
NEAR = 0.75  # likeness by difflib: tipical for typical has .86, no-maybe for no-yes .71
ALIKE = 0.6  # likeness by difflib of a wrong name and the one that may be meant
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


def meant(name: str, known: Iterable[str]) -> str:
    """The way out of a name that there is none of: the one that is near it, or those that there are."""
    names = list(dict.fromkeys(known))
    if near := nearest(name, names, NEAR):
        return f"Did you mean {near!r}?"
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return f"There are {apart(names[:SHOWN])}{more}." if names else "There is none."


def nearest(name: str, known: Iterable[str], likeness: float = ALIKE) -> str | None:
    """The known name that is most like a name, at least as much as this; None where none is."""
    import difflib  # only a wrong name needs it

    near = difflib.get_close_matches(name, known, n=1, cutoff=likeness)
    return near[0] if near else None


def apart(names: Iterable[str]) -> str:
    """Names in a list; one with a comma in it is quoted."""
    return ", ".join(repr(name) if "," in name else name for name in names)


def found_by(rows: Iterable[T], wanted: Mapping[str, object], lacks: str) -> T:
    """The first row with these fields. KeyError: what it `lacks`, and what there is."""
    there = list(rows)
    for row in there:
        if all(getattr(row, field) == value for field, value in wanted.items()):
            return row
    raise KeyError(f"{lacks} ({what_there_is(there, wanted)})")


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
