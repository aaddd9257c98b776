"""In which charset a body comes: the one that it declares, where Python knows it, else UTF-8.

Bytes that are none of that charset are not replaced: a reply in which signs stand that nobody sent is another reply.
"""

import codecs
import re
from functools import lru_cache

CHARSET = re.compile(r""";\s*charset\s*=\s*["']?([^\s;"']+)""", re.IGNORECASE)


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
    return raw if charset is None else raw.decode(charset).encode()
