"""Somebody else's text on a terminal: it is shown, and does nothing there."""

import re

# C0 and C1 controls but for line feed and tab; what turns the writing direction of the text behind it; lone surrogates
HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def harmless(text: str) -> str:
    """A text whose control characters are seen instead of obeyed: an escape is shown as \\x1b."""
    return HARMFUL.sub(lambda found: _written_out(ord(found[0])), text.replace("\r\n", "\n"))


def harmless_line(text: str) -> str:
    """The same in one line, for names in a table."""
    return harmless(" ".join(text.split()))


def _written_out(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
