"""Text as it may be meant: escapes undone, and without the characters that a page or a terminal puts into a long word.

Servers give back what they were sent in JSON, in HTML or in addresses, one inside another, and wrap long lines. So a
text is read step by step: each step undoes one layer of escapes (`\\u002d`, `\\x2d`, `\\/`, `%2D`, `&#45;`, `&#x2d;`,
`&lowbar;`) and leaves out line breaks, with the blanks around them, and characters without a width.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

STEPS = 4  # layers of escapes: JSON inside an address inside HTML inside JSON
BREAKS = "\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
NO_WIDTH = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
)
BLANKS = " \t\xa0"
WRITTEN = re.compile(
    # one set of characters at the beginning, which is what the search for the next place is fast with
    rf"[\\%&<{BLANKS}{BREAKS}{NO_WIDTH}](?:"
    # a run of blanks is looked at from its beginning alone, or long ones would be looked at again and again
    rf"(?<=[{BLANKS}])(?<![{BLANKS}]{{2}})[{BLANKS}]*+[{BREAKS}{NO_WIDTH}][{BLANKS}{BREAKS}{NO_WIDTH}]*+"
    rf"|(?<=[{BREAKS}{NO_WIDTH}])[{BLANKS}{BREAKS}{NO_WIDTH}]*+"
    r"|(?<=\\)\\*+(?:u(?:[0-9a-fA-F]{4}|\{[0-9a-fA-F]{1,6}\})|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|[nrtvf])?"
    r"|(?<=%)(?:[0-7][0-9a-fA-F]|[89a-fA-F][0-9a-fA-F](?:%[89a-fA-F][0-9a-fA-F])*+)"
    r"|(?<=&)(?:\#[0-9]{1,12}|\#[xX][0-9a-fA-F]{1,12}|[A-Za-z][A-Za-z0-9]{1,31});?"
    r"|(?<=<)(?:[bB][rR]|[wW][bB][rR])[ ]?/?>)"
)
LETTERS = {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f"}
LARGEST = 0x10FFFF


class Read(NamedTuple):
    """A text after some steps. Each of its characters was written between the place in `starts` and that in `ends`."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


def steps(text: str) -> Iterator[str]:
    """A text as it is written, and as it reads after each step, as long as a step changes anything."""
    yield text
    for _ in range(STEPS):
        before, text = text, WRITTEN.sub(_meaning, text)
        if text == before:
            return
        yield text


def steps_with_places(text: str) -> Iterator[Read]:
    """The same, with where each character was written in the text."""
    read = Read(text, range(len(text)), range(1, len(text) + 1))
    yield read
    for _ in range(STEPS):
        before, read = read, _next(read)
        if read.text == before.text:
            return
        yield read


def _next(read: Read) -> Read:
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0

    def take_over(until: int) -> None:
        parts.append(read.text[done:until])
        starts.extend(read.starts[done:until])
        ends.extend(read.ends[done:until])

    for found in WRITTEN.finditer(read.text):
        take_over(found.start())
        meant = _meaning(found)
        parts.append(meant)
        starts.extend([read.starts[found.start()]] * len(meant))
        ends.extend([read.ends[found.end() - 1]] * len(meant))
        done = found.end()
    take_over(len(read.text))
    return Read("".join(parts), starts, ends)


def _meaning(found: re.Match[str]) -> str:
    return _meant(found[0]) if found[0][0] in "\\%&<" else ""


@lru_cache(maxsize=1024)
def _meant(written: str) -> str:
    """What an escape stands for; nothing for backslashes that escape what follows them by itself."""
    if written[0] == "<":
        return "\n"
    if written[0] == "%":
        return unquote(written, errors="replace")
    if written[0] == "&":
        from html import unescape  # a table of two thousand names, which is seldom wanted

        return unescape(written)
    escape = written.lstrip("\\")
    if len(escape) < 2:
        return LETTERS.get(escape, "")
    number = int(escape[1:].strip("{}"), 16)
    return chr(number) if number <= LARGEST else ""
