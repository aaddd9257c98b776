"""Text as it may be meant: escapes undone, markup left out, and of what is left the letters and digits with the places
where they were written.

Servers give back what they were sent in JSON, in HTML or in addresses, one inside another, wrap long lines, quote and
colour. So a text is read in several ways: each layer of escapes (`\\u002d`, `\\x2d`, `\\055`, `%2D`, `=2D`,
`&#45;`, `&#x2d;`, `&lowbar;`) is undone, with tags, colour codes and line breaks in place and without them. Whatever
else stands between the characters of a word is no letter or digit, and is left out when words are compared.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple, TypeVar
from urllib.parse import unquote

from selfexec.text.regex import regex

LAYERS = 4  # of escapes: JSON inside an address inside HTML inside JSON
ESCAPE = regex(
    # one set of characters at the beginning, which is what the search for the next place is fast with
    r"[\\%&=](?:"
    # a run of backslashes is looked at from its beginning alone, or long ones would be looked at again and again
    r"(?<=\\)(?<!\\\\)\\*+"
    r"(?:u(?:[0-9a-fA-F]{4}|\{[0-9a-fA-F]{1,6}\})|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|[0-3][0-7]{2}|[nrtvfe])"
    r"|(?<=%)(?:[0-7][0-9a-fA-F]|[89a-fA-F][0-9a-fA-F](?:%[89a-fA-F][0-9a-fA-F])*+)"
    r"|(?<==)[0-9A-F]{2}"
    r"|(?<=&)(?:\#[0-9]{1,12}|\#[xX][0-9a-fA-F]{1,12}|[A-Za-z][A-Za-z0-9]{1,31});?"
    r")"
)
QUOTED_PRINTABLE = regex("=[0-9A-F]{2}")
TAG = r"(?<=<)/?[A-Za-z!][^<>]*+>"
# what a terminal obeys: after ESC, after its one-byte form, and colours whose ESC was lost on the way
TERMINAL = (
    r"(?<=\x1b)(?:\[[0-?]*+[ -/]*+[@-~]|\][^\x07\x1b]*+(?:\x07|\x1b\\)?|[()][0-9A-Z])"
    r"|(?<=\x9b)[0-?]*+[ -/]*+[@-~]"
    r"|(?<=\[)[0-9;]*+m"
)
BREAKS = "\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
BLANKS = " \t\xa0"
MARKUP = regex(rf"[<\[\x1b\x9b](?:{TAG}|{TERMINAL})")
# the beginning of an escape at which a line is broken; a backslash alone continues the line
BROKEN_ESCAPE = regex(r"((?:\\(?:u\{?|[Ux])|%|&#?)[0-9A-Za-z]{0,31})" rf"[{BLANKS}]?[{BREAKS}][{BLANKS}{BREAKS}]*+")
CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f", "e": "\x1b"}
LARGEST = 0x10FFFF


class Read(NamedTuple):
    """A text in one way of reading it. Each character was written between the place in `starts` and that in `ends`."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


T = TypeVar("T", str, Read)


def readings(text: str) -> Iterator[str]:
    """A text as it is written, and in each further way in which it may be meant."""
    return _readings(text, str, _replaced)


def readings_with_places(text: str) -> Iterator[Read]:
    """The same, with where each character was written in the text."""
    read = Read(text, range(len(text)), range(1, len(text) + 1))
    return _readings(read, attrgetter("text"), _replaced_with_places)


def _readings(written: T, text_of: Callable[[T], str], replaced: Callable[[re.Pattern[str], T], T]) -> Iterator[T]:
    """One layer after another is undone, with the markup in place (a word may stand in a tag) and without it, where
    escapes are made whole too that a line break cut.
    """
    yield written
    bare: T | None = None
    for layer in range(LAYERS + 1):
        before, before_bare = written, bare
        if layer and _may_be_escaped(text_of(written)):
            written = replaced(ESCAPE, written)
        if bare is not None:
            bare = replaced(MARKUP, replaced(BROKEN_ESCAPE, replaced(ESCAPE, bare)))
        elif _is_marked(text_of(written)):
            bare = replaced(MARKUP, replaced(BROKEN_ESCAPE, written))
        if written is not before:
            yield written
        if bare is not None and bare is not before_bare:
            yield bare
        elif layer and written is before:
            return


def _may_be_escaped(text: str) -> bool:
    """Mostly no text is, and looking for single characters takes next to no time."""
    return "\\" in text or "%" in text or "&" in text or ("=" in text and QUOTED_PRINTABLE.search(text) is not None)


def _is_marked(text: str) -> bool:
    """Whether a text holds markup, or escapes that are wrapped."""
    if ("<" in text or "[" in text or "\x1b" in text or "\x9b" in text) and MARKUP.search(text):
        return True
    return _may_be_escaped(text) and BROKEN_ESCAPE.search(text) is not None


def _replaced(pattern: re.Pattern[str], text: str) -> str:
    after = pattern.sub(_meaning, text)
    return text if after == text else after


def _replaced_with_places(pattern: re.Pattern[str], read: Read) -> Read:
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0

    def take_over(until: int) -> None:
        parts.append(read.text[done:until])
        starts.extend(read.starts[done:until])
        ends.extend(read.ends[done:until])

    for found in pattern.finditer(read.text):
        if found.re.pattern == BROKEN_ESCAPE.pattern:
            take_over(found.end(1))
            done = found.end()
            continue
        take_over(found.start())
        meant = _meaning(found)
        parts.append(meant)
        starts.extend([read.starts[found.start()]] * len(meant))
        ends.extend([read.ends[found.end() - 1]] * len(meant))
        done = found.end()
    take_over(len(read.text))
    after = Read("".join(parts), starts, ends)
    return read if after.text == read.text else after


def _meaning(found: re.Match[str]) -> str:
    """What stands for an escape, or for the half of one before a line break; nothing for markup."""
    if found.re.pattern == ESCAPE.pattern:
        return _meant(found[0])
    return found[1] if found.re.pattern == BROKEN_ESCAPE.pattern else ""


@lru_cache(maxsize=1024)
def _meant(written: str) -> str:
    """What an escape stands for."""
    if written[0] == "%":
        return unquote(written, errors="replace")
    if written[0] == "=":
        return chr(int(written[1:], 16))
    if written[0] == "&":
        from html import unescape  # a table of two thousand names, which is seldom wanted

        return unescape(written)
    escape = written.lstrip("\\")
    if escape in CONTROLS:
        return CONTROLS[escape]
    number = int(escape, 8) if escape[0] in "0123" else int(escape[1:].strip("{}"), 16)
    return chr(number) if number <= LARGEST else ""


class Letters(NamedTuple):
    """The letters and digits of a text in a row, and where each of them stands in it."""

    row: str
    places: Sequence[int]


def letters_in(text: str, letter: re.Pattern[str]) -> Letters:
    """Everything in a text that matches `letter`, a pattern of one character, without what stands between."""
    found = list(letter.finditer(text))
    return Letters("".join(match[0] for match in found), [match.start() for match in found])
