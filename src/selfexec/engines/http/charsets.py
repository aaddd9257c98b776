"""In which charset a body comes: UTF-8 where its bytes are that, whatever is declared, since JSON and streams of events
are UTF-8 by their standards; else the one that it declares, where Python knows it.

Bytes that are none of that charset are not replaced: a reply in which signs stand that nobody sent is another reply.
"""

import codecs
import re
from functools import lru_cache

from selfexec.text.regex import regex

CHARSET = regex(r""";\s*charset\s*=\s*["']?([^\s;"']+)""", re.IGNORECASE)
SHIFT = regex(rb"[\0\x1b]")  # of charsets in which signs of two bytes look like ASCII; JSON has them escaped
LONGEST_SIGN = 4  # bytes of one in UTF-8
NOT_ASCII = regex(rb"[\0\x1b\x80-\xff]")


@lru_cache(maxsize=64)
def charset_of(content_type: str) -> str | None:
    """The charset that a Content-Type declares; None where it is UTF-8, unknown to Python, or not said."""
    found = CHARSET.search(content_type)
    try:
        name = codecs.lookup(found[1]).name if found else "utf-8"
        "".encode(name)  # some codecs are none of text
    except (LookupError, ValueError):
        return None
    return None if name in ("utf-8", "utf-8-sig") else name


def is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def in_utf8(raw: bytes, content_type: str) -> bytes:
    """A body in UTF-8, whatever it came in. UnicodeError: its bytes are none of the charset that it declares."""
    charset = charset_of(content_type)
    if charset is None or (is_utf8(raw) and not SHIFT.search(raw)):
        return raw
    return raw.decode(charset).encode()


class Recoder:
    """Writes a body that comes in parts, and declares a charset, in UTF-8. The first sign outside ASCII decides which
    of the two it is. UnicodeError: the bytes are none of the one that it is.
    """

    def __init__(self, charset: str) -> None:
        self._declared = codecs.getincrementaldecoder(charset)()
        self._chosen = None if _extends_ascii(charset) else self._declared
        self._held = b""  # the beginning of the first sign outside ASCII

    def feed(self, part: bytes, final: bool = False) -> bytes:
        if self._chosen:
            return self._chosen.decode(part, final).encode()
        part, self._held = self._held + part, b""
        found = NOT_ASCII.search(part)
        if not found:
            return part
        begin, rest = part[: found.start()], part[found.start() :]
        if any(is_utf8(rest[: n + 1]) for n in range(LONGEST_SIGN)) and not SHIFT.match(rest):
            self._chosen = codecs.getincrementaldecoder("utf-8")()
        elif len(rest) < LONGEST_SIGN and not final:
            self._held = rest
            return begin
        else:
            self._chosen = self._declared
        return begin + self._chosen.decode(rest, final).encode()


def _extends_ascii(charset: str) -> bool:
    ascii_signs = bytes(range(0x20, 0x7F))
    try:
        return ascii_signs.decode(charset).encode() == ascii_signs
    except UnicodeError:
        return False
