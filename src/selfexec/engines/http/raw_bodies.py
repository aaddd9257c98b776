"""The body of a reply beside what a wire format reads of it: its bytes, the names in it, and what it holds.

Most bodies need not be decoded again. One in which something may be unusual is decoded once for all who look at it.
"""

from functools import cached_property
from typing import Any

import msgspec

from selfexec.engines.http.name_words import names_in

LONGEST = 1_000_000  # bytes of a body: of larger ones no names are looked up
NO_NAMES = frozenset[bytes]()


class RawBody:
    """A body with status 200, as JSON in UTF-8."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.names = names_in(raw) if len(raw) <= LONGEST else NO_NAMES

    @cached_property
    def value(self) -> Any:
        """What it holds; None where that cannot be decoded. How such a body is read, and that it may be broken, is said
        elsewhere.
        """
        try:
            return msgspec.json.decode(self.raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
