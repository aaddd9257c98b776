"""Parts of a text that are written in a way from which nobody reads at once what they hold.

    long rows of letters          base64, base32 or hexadecimal of anything, as often as it was done
    dumps of bytes                lines of hexadecimal with offsets before them or characters behind
    lists of single characters    each with its number, as `1. s`, `2. k`

Such a part is decoded and looked through as a whole. What `secret_forms` knows without decoding needs none of this.
"""

import re
from base64 import b16decode, b32decode, urlsafe_b64decode
from binascii import Error as NotEncoded
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from selfexec.text.regex import regex

SHORTEST = 24  # letters in a row: longer than words, and as long as 12 characters in base64 of hexadecimal are at least
ROW = regex(r"[A-Za-z0-9+/_-]{24,}={0,6}(?:\s+[A-Za-z0-9+/_-]{24,}={0,6})*(?:\s+[A-Za-z0-9+/_-]+={0,6}(?!\S))?")
LONGEST = 100_000  # letters of a row that are decoded
HEXADECIMAL, BASE32 = regex("[0-9A-F]+"), regex("[A-Z2-7]+")
BLANK = regex(r"[\s=]+")
# every letter of a row becomes `a`, so that a long row is found without a pattern
AS_ROW = bytes(97 if chr(n).isascii() and (chr(n).isalnum() or chr(n) in "+/_-") else 32 for n in range(256))
LONG_ROW = b"a" * SHORTEST
BYTES = regex(r"[0-9A-Fa-f]{2}[ \t-]{1,2}(?:[0-9A-Fa-f]{2}){1,8}[\s-]")
DUMP_LINE = regex(
    r"^[ \t]*(?:(?:0x)?([0-9A-Fa-f]{4,16})[:|]?[ \t]+)?"
    r"((?:[0-9A-Fa-f]{2}){1,8}(?:[ \t-]{1,2}(?:[0-9A-Fa-f]{2}){1,8}){1,31})"
    r"(?:[ \t]*$|[ \t]{2,}.*$|[ \t]*\|.*$)",
    re.MULTILINE,
)
# begins with what is rare, since it is looked for in every reply; of blanks a few, since two rows of them next to each
# other would be tried in every division of a long one
GAP = r"[\])]?[ \t]{0,8}[.:)=|>-]{0,4}[ \t]{0,8}"
NUMBERED = regex(rf"(\d{{1,4}}){GAP}([\"'`]?)([^\s\"'`])\2(?=[\s,;|]|$)[\s,;|\[]*")
NO_DIGITS = regex("[^0-9A-Fa-f]+")
TWO_NUMBERED = regex(rf"\d{GAP}[\"'`]?[^\s\"'`\d][\"'`]?[\s,;|]+\[?\d")
LEAST_LISTED = 8  # characters in a list


class Part(NamedTuple):
    """The part of a text from `start` to before `end`, and what it may hold."""

    start: int
    end: int
    meanings: list[str]


def listed_parts(text: str) -> list[Part]:
    """The parts of a text that may be dumps of bytes or lists of characters, from left to right."""
    return sorted([*_dumps(text), *_lists(text)])


def has_long_row(text: str) -> bool:
    return LONG_ROW in text.encode(errors="replace").translate(AS_ROW)


def encoded_parts(text: str) -> Iterator[Part]:
    """The parts of a text that may be encoded as long rows of letters, from left to right."""
    if has_long_row(text):
        for row in ROW.finditer(text):
            yield Part(*row.span(), list(_decoded(BLANK.sub("", row[0])[:LONGEST])))


def _decoded(row: str) -> Iterator[str]:
    """What a row of letters may be, wherever its first group begins."""
    upper = row.upper()
    alphabets = (
        (urlsafe_b64decode, row.replace("+", "-").replace("/", "_"), 4, True),
        (b16decode, upper, 2, HEXADECIMAL.fullmatch(upper)),
        (b32decode, upper, 8, BASE32.fullmatch(upper)),
    )
    for decode, written, group, may_be in alphabets:
        for start in range(group) if may_be else ():
            length = len(written) - start
            with suppress(NotEncoded, ValueError):
                yield decode(written[start : start + length - length % group]).decode("latin-1")


def _dumps(text: str) -> Iterator[Part]:
    """Lines of bytes that follow one another."""
    start = end = -1
    digits: list[tuple[str, str]] = []
    for line in DUMP_LINE.finditer(text) if BYTES.search(text) else ():
        if line.start() != end + 1 and digits:
            yield Part(start, end, _decoded_dump(digits))
            digits = []
        start, end = line.start() if not digits else start, line.end()
        digits.append((line[1] or "", line[2]))
    if digits:
        yield Part(start, end, _decoded_dump(digits))


def _decoded_dump(lines: list[tuple[str, str]]) -> list[str]:
    """What lines hold, each with what may be its offset, or its first bytes."""
    rows = "".join(row for _, row in lines), "".join(f"{offset}{row}" for offset, row in lines)
    found = (NO_DIGITS.sub("", row) for row in dict.fromkeys(rows))
    return [bytes.fromhex(row).decode("latin-1") for row in found if len(row) % 2 == 0]


def _lists(text: str) -> Iterator[Part]:
    """Single characters with numbers that follow one another."""
    start = end = number = -1
    signs: list[str] = []
    for item in NUMBERED.finditer(text) if TWO_NUMBERED.search(text) else ():
        if signs and not (item.start() == end and int(item[1]) == number + 1):
            if len(signs) >= LEAST_LISTED:
                yield Part(start, end, ["".join(signs)])
            signs = []
        start = item.start() if not signs else start
        end, number = item.end(), int(item[1])
        signs.append(item[3])
    if len(signs) >= LEAST_LISTED:
        yield Part(start, end, ["".join(signs)])
