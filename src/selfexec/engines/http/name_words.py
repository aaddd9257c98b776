"""The words of a name as programs write them: `finishReason`, `finish_reason` and `x-finish-reason` have the same;
and the names in a body.
"""

from selfexec.text.regex import regex

NAME = regex(rb'"([A-Za-z_$][\w.$-]{0,59})"\s*:')
WORD = regex("[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def name_words(name: str) -> list[str]:
    """The words of a name, or of a text, in small letters. Digits are part of none."""
    return [word.lower() for word in WORD.findall(name)]


def names_in(raw: bytes) -> frozenset[bytes]:
    """The names of the fields in a body, wherever they stand. Without the quotes that are escaped, no string has any;
    so what stands before a quote and a colon, back to the quote before it, is a name.
    """
    pieces = raw.replace(b'\\"', b"").split(b'":')
    names = frozenset([piece[piece.rfind(b'"') + 1 :] for piece in pieces[:-1]])
    return names or frozenset(NAME.findall(raw))  # some programs write a blank before the colon
