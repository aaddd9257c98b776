"""What printed words, signs and numbers mean. The paragraphs are in glossary.md, which is docs/glossary.md as well."""

import difflib
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from selfexec.errors import InputError

PAGE = Path(__file__).with_name("glossary.md")
ALSO = "Also: "


class Entry(NamedTuple):
    """A term with the other names it goes by, its paragraph, and the heading under which it stands."""

    term: str
    names: tuple[str, ...]
    text: str
    heading: str


@cache
def entries() -> tuple[Entry, ...]:
    """Every entry, in the order of the page."""
    sections = re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.MULTILINE)[1:]
    return tuple(entry for section in sections for entry in _entries(section))


def by_heading() -> Mapping[str, list[str]]:
    """The terms under each heading, in the order of the page."""
    terms: dict[str, list[str]] = {}
    for entry in entries():
        terms.setdefault(entry.heading, []).append(entry.term)
    return terms


def explain(term: str) -> Entry:
    """What a term means.

    Args:
        term: A word, sign, verdict, state or metric as it is printed; case, dashes and underscores do not matter.

    Returns:
        The entry with the term as a name.

    Raises:
        InputError: No entry has it. The message has the nearest names.
    """
    names = _by_name()
    if entry := names.get(_key(term)):
        return entry
    near = difflib.get_close_matches(_key(term), names, n=3, cutoff=0.6)
    within = [key for key in names if len(_key(term)) > 2 and _key(term) in key][:3]
    by_term = {names[key].term: key for key in reversed([*near, *within])}
    # a sign is named by the word that was near: "?" would read as the end of the question
    terms = [term if re.search(r"\w", term) else key for term, key in reversed(by_term.items())]
    way_out = f"Did you mean {' or '.join(terms)}?" if terms else "All terms: selfexec explain"
    raise InputError(f"explain {term!r}: there is no such term. {way_out}")


@cache
def _by_name() -> Mapping[str, Entry]:
    return {_key(name): entry for entry in reversed(entries()) for name in (*reversed(entry.names), entry.term)}


def _key(name: str) -> str:
    """A name without what makes no difference; a sign stays as it is."""
    plain = re.sub(r"[\s_-]+", " ", name).strip().casefold()
    return plain or name


def _entries(section: str) -> Iterator[Entry]:
    """The entries of a section of the page, which begins with its heading."""
    heading, *parts = re.split(r"^### ", section, flags=re.MULTILINE)
    for part in parts:
        term, *lines = part.strip().split("\n")
        names = tuple(lines.pop(0).removeprefix(ALSO).split(", ")) if lines[0].startswith(ALSO) else ()
        yield Entry(term, names, " ".join(lines), heading.strip())


def other_names(entry: Entry) -> list[str]:
    """The names that an entry has besides its term, without those that differ from it in spelling alone."""
    return [name for name in entry.names if _key(name) != _key(entry.term)]
