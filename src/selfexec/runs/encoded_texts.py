"""Texts that are written in another encoding than the model wrote them in: for HTML, an address, a string of a program,
a tokenizer, or in the wrong character set.

There is one rule for all: what encodes a text does so wherever it can. So a text is encoded where decoding makes it
shorter, and no character that comes of decoding stands in the rest of the text as itself. Who writes *about* an
encoding writes the characters themselves, too.
"""

import binascii
import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from selfexec.text.regex import regex

LOST = "\N{REPLACEMENT CHARACTER}"
# which UTF-8 may have been read in; bytes without a character there stand for themselves
CHARACTER_SETS: Mapping[str, str] = {
    "cp1252": "Windows-1252",
    "mac_roman": "Mac Roman",
    **{f"cp{number}": f"code page {number}" for number in (437, 850, 852, 866, 874, 932, 936, 949, 950)},
    **{f"cp{number}": f"Windows-{number}" for number in range(1250, 1259) if number != 1252},
    **{f"iso8859_{number}": f"ISO 8859-{number}" for number in (2, 5, 7, 9, 15)},
    "koi8_r": "KOI8-R",
    "euc_jp": "EUC-JP",
}
NOT_ASCII = regex(r"[^\x00-\x7f]+")
LEAST_RUNS = 2
# the letters by which byte-level tokenizers write bytes: those that can be seen as themselves, the others in order
SEEN = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
BYTE_LETTERS: Mapping[str, int] = {
    **{chr(byte): byte for byte in SEEN},
    **{chr(0x100 + n): byte for n, byte in enumerate(byte for byte in range(0x100) if byte not in SEEN)},
}
BLOCK = "\N{LOWER ONE EIGHTH BLOCK}"
BASE_64 = regex(r"[A-Za-z0-9+/_-]{40,}={0,2}")
HEXADECIMAL = regex(r"(?:[0-9A-Fa-f]{2}){20,}")
TO_URL_SAFE = str.maketrans("+/", "-_")
LEAST_OF_UTF_16 = 16


class Way(NamedTuple):
    """A way to write characters: by which signs a text may be written so, how the parts look that are, what each means,
    and how many there are at least. `unless` is what a text has that is not written so.
    """

    hints: tuple[str, ...]
    part: re.Pattern[str]
    meaning: Callable[[str], str | None]
    least: int = 2
    unless: re.Pattern[str] | None = None


def encodings_of(text: str, asked: str = "") -> Iterator[str]:
    """What a text seems to be written in, where what was asked shows nothing of the kind."""
    hinted = dict.fromkeys(name for hint, name in HINTS if hint in text and hint not in asked)
    yield from (name for name in hinted if _is_written(text, WAYS[name]))
    if not text.isascii():
        yield from _misread(text)
    yield from (name for name, is_written in WHOLE.items() if is_written(text.strip()))


def _is_written(text: str, way: Way) -> bool:
    """Whether all of a text that can be written in a way is."""
    parts = way.part.findall(text)
    if len(parts) < way.least or (way.unless and way.unless.search(text)):
        return False
    meanings = [way.meaning(part) for part in parts]
    decoded = "".join(meaning for meaning in meanings if meaning is not None)
    if None in meanings or len(decoded.encode(errors="replace")) >= len("".join(parts).encode(errors="replace")):
        return False
    rest = way.part.sub("", text)
    return not any(sign in rest for sign in {*decoded})


def _misread(text: str) -> Iterator[str]:
    """The character set that UTF-8 was read in: the first by which all that is not ASCII is fewer characters. Words in
    capitals before a quotation mark may look so by chance, but not all that a text has.
    """
    runs = [run for run in NOT_ASCII.findall(text) if LOST not in run]
    if len(runs) >= LEAST_RUNS and min(map(len, runs)) > 1:  # one character is the bytes of no fewer ones
        names = (name for codec, name in CHARACTER_SETS.items() if all(_reads_back(run, codec) for run in runs))
        yield from (f"UTF-8 that was read as {name}" for name in [*names][:1])


def _reads_back(run: str, codec: str) -> bool:
    """Whether characters are the bytes of fewer ones in UTF-8."""
    try:
        raw = b"".join(sign.encode("latin-1" if sign <= "\x9f" else codec) for sign in run)
        return len(raw.decode()) < len(run)
    except UnicodeError:
        return False


def _text_of(written: bytes) -> str | None:
    """The text that bytes are in UTF-8; None where they are none that anybody reads."""
    try:
        text = written.decode()
    except UnicodeDecodeError:
        return None
    return text if all(sign.isprintable() or sign.isspace() for sign in text) else None


def _of_an_address(part: str) -> str | None:
    return _text_of(unquote_to_bytes(part.replace("+", " ")))


def _of_hexadecimal(part: str) -> str | None:
    return _text_of(bytes.fromhex(NOT_HEXADECIMAL.sub("", part)))


def _of_json(part: str) -> str | None:
    try:
        return str(json.loads(f'"{part}"'))
    except ValueError:
        return None


def _of_html(part: str) -> str | None:
    meant = unescape(part)
    return meant if meant != part else None


def _of_byte_letters(part: str) -> str | None:
    return _text_of(bytes(BYTE_LETTERS[sign] for sign in part)) if {*part} <= BYTE_LETTERS.keys() else None


def _nothing(part: str) -> str:
    return ""


HIGH_BYTE = r"[89A-F][0-9A-F](?:=\r?\n)?"  # in quoted-printable, with a line break that is none
NOT_HEXADECIMAL = regex(r"=\r?\n|0x|[^0-9A-Fa-f]")
WAYS: Mapping[str, Way] = {
    "entities of HTML in the place of characters": Way(
        ("&",), regex(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8}\d?);"), _of_html, least=1
    ),
    "the escapes of an address (%20)": Way(
        ("%",), regex(r"(?:%[0-9A-Fa-f]{2})+|\++"), _of_an_address, unless=regex("://")
    ),
    "quoted-printable (=20)": Way(
        ("=",),
        regex(rf"={HIGH_BYTE}(?:={HIGH_BYTE})*|=3D|=20(?=\r?\n)|=(?<=[^\n]{{60}}=)\r?\n"),
        _of_hexadecimal,
        unless=regex("=="),
    ),
    "the escapes of a string (\\u00e9)": Way(("\\u",), regex(r"(?:\\u[0-9a-fA-F]{4})+"), _of_json),
    'quotes or line breaks written as in a string (\\" or \\n)': Way(
        ("\\",),
        regex(r"\\[\"'`]|(?:\\n)+(?![a-z])"),
        lambda part: part.replace("\\n", "\n").lstrip("\\"),
        unless=regex(r"(?<!\\)\""),  # where quotes stand as themselves, escapes may stand between them
    ),
    "the escapes of Markdown (\\*)": Way(("\\*\\*",), regex(r"(?:\\[*#_])+"), lambda part: part.replace("\\", "")),
    "the bytes of a tokenizer (<0x0A>)": Way(("<0x",), regex(r"(?:<0x[0-9A-F]{2}>)+"), _of_hexadecimal, least=1),
    f"the blanks of a tokenizer ({BLOCK})": Way((BLOCK,), regex(f"{BLOCK}+"), lambda part: part.replace(BLOCK, " ")),
    "the letters of a tokenizer (\u0120)": Way(("\u0120", "\u010a"), NOT_ASCII, _of_byte_letters),
    "the pieces of a tokenizer (##)": Way(
        (" ##", "@@ ", "</w>"), regex(r"(?<=[a-z]) ##(?=[a-z])|(?<=\w)@@ (?=\w)|</w>"), _nothing
    ),
    "the form of text in XML (CDATA)": Way(("<![CDATA[",), regex(r"<!\[CDATA\[|\]\]>"), _nothing),
}
HINTS = [(hint, name) for name, way in WAYS.items() for hint in way.hints]


def _is_in_json(text: str) -> bool:
    if not (len(text) > 2 and text[0] == text[-1] == '"' and "\\" in text):
        return False
    try:
        return isinstance(json.loads(text), str)
    except ValueError:
        return False


def _is_base_64(text: str) -> bool:
    """Whether a text is one row of letters, broken into lines at most, that are the bytes of another text."""
    row = "".join(text.splitlines()) if BASE_64.match(text) else ""
    if not BASE_64.fullmatch(row):
        return False
    try:
        hidden = urlsafe_b64decode(row.translate(TO_URL_SAFE) + "=" * (-len(row) % 4))
    except binascii.Error:
        return False
    return _text_of(hidden) is not None


def _is_hexadecimal(text: str) -> bool:
    return HEXADECIMAL.fullmatch(text) is not None and _of_hexadecimal(text) is not None


def _is_utf_16(text: str) -> bool:
    """Whether a text is ASCII that was read two bytes at a time."""
    if len(text) < LEAST_OF_UTF_16 or text[:1].isascii():
        return False
    return any(
        _text_of(text.encode(f"utf-16-{order}", "replace")) is not None and text.encode(f"utf-16-{order}").isascii()
        for order in ("le", "be")
    )


# whole texts
WHOLE: Mapping[str, Callable[[str], bool]] = {
    "the form of a string in JSON": _is_in_json,
    "the form of base 64": _is_base_64,
    "the form of hexadecimal": _is_hexadecimal,
    "ASCII that was read as UTF-16": _is_utf_16,
}
