"""The forms in which a secret may be written, and how much of one has to stand in a text for it to be known.

A secret and a text are compared by their letters and digits alone, so that nothing that stands between them matters:
blanks, line breaks, quotation marks, colour codes, characters without a width. Two limits keep ordinary words:

- What changes between letters and digits at least three times, or is encoded, is known whatever stands between.
  Anything else may be a row of words, as a password is: there the signs have to be those of the secret, and plain
  blanks count.
- Of a key, and of what looks random, a part is known that gives away 12 of its characters; of anything else the whole.
"""

import re
from base64 import a85encode, b16encode, b32encode, b64encode, b85encode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from selfexec.engines.http.spellings import Letters, letters_in, readings
from selfexec.text.redaction import changes, looks_random
from selfexec.text.regex import regex

LONG = 16  # characters from which on anything is taken for a secret
MARKED_LONG = 8  # with a beginning that only keys have
BEGINNINGS = ("sk-", "sk_", "csk-", "AIza", "gsk_", "xai-", "hf_", "nvapi-", "fw_", "tgp_", "pplx-", "r8_")
PIECE = 12  # characters in a row by which a part of a secret is known
CHANGES = 3  # between letters and digits, from which on a word is none of a language
CHANCE = 3  # letters in a row by which two texts do not go on alike by chance
SEED = 6  # letters and digits from which a comparison starts
ASCII_LETTERS = "A-Za-z0-9"
PLAIN = regex("[A-Za-z]+(?:[ _-][A-Za-z]+)*|[0-9][0-9.:/-]*")  # words, dates, versions


def is_secret(value: str, given: bool = False) -> bool:
    """Whether this can be somebody's secret, rather than a word that a server wants for one. What is `given` as one may
    be shorter, but for plain words and dates, which replies hold as well.
    """
    if given and len(value) >= MARKED_LONG and not PLAIN.fullmatch(value):
        return True
    return len(value) >= LONG or (len(value) >= MARKED_LONG and value.startswith(BEGINNINGS))


def letters_for(secrets: Sequence[str]) -> str:
    """What counts as a letter where these secrets are looked for, to be put between brackets: letters and digits of
    ASCII, and for a secret with hardly any of them all of its characters.
    """
    few = (secret for secret in secrets if len(re.findall(f"[{ASCII_LETTERS}]", secret)) < SEED)
    more = "".join(sorted({char for secret in few for char in secret if not char.isspace()}))
    return f"{ASCII_LETTERS}{re.escape(more)}"


class Window(NamedTuple):
    """The letters from `start` to before `end` of a form: one of the shortest parts by which it is known."""

    start: int
    end: int


@dataclass(frozen=True)
class Form:
    """A secret in one way of writing it, known by `least` characters in a row. It may be made of words unless
    it is encoded.
    """

    literal: str
    least: int
    letter: re.Pattern[str]
    is_encoded: bool = False

    @cached_property
    def letters(self) -> Letters:
        return letters_in(self.literal, self.letter)

    @cached_property
    def signs(self) -> frozenset[str]:
        return frozenset(char for char in self.literal if not (self.letter.match(char) or char.isspace()))

    def windows(self) -> Iterator[Window]:
        """The shortest parts by which this form is known, from left to right, but for those of too few letters; at last
        the whole, which may hold none of the others.
        """
        places = self.letters.places
        start = end = 0
        for first in range(len(self.literal) - self.least + 1):
            while start < len(places) and places[start] < first:
                start += 1
            while end < len(places) and places[end] < first + self.least:
                end += 1
            if end - start >= SEED:
                yield Window(start, end)
        if places:
            yield Window(0, len(places))

    def between(self, index: int) -> str:
        """What stands between a letter and the one before it."""
        return self.literal[self.letters.places[index - 1] + 1 : self.letters.places[index]]

    def allows(self, gap: str, index: int) -> bool:
        """Whether what stands in a text before a letter is what stands there in the form, but for characters that the
        form does not have. Blanks count where nothing that cannot be seen stands with them, as a line break.
        """
        own = self.between(index)
        if not gap:
            return not own or own.isspace()
        if [char for char in gap if char in self.signs] != [char for char in own if char in self.signs]:
            return False
        return " " not in gap or " " in own or not gap.isprintable()

    def extent(self, text: str, letters: Letters, at: int, index: int) -> tuple[int, int] | None:
        """From where to where this form, or a part by which it is known, stands in a text around a letter.

        Args:
            text: What is looked through.
            letters: The letters of the text.
            at: The number of a letter of the text.
            index: The number of the letter of this form that it is to be.

        Returns:
            Places in the text; None where too little of the form is there.
        """
        exact = self._common(text, letters, at, index, exact=True)
        loose = self._common(text, letters, at, index, exact=False)
        # a letter or two behind a blank may be the next word's, which begins as the secret goes on
        further = not self._is_known(exact) or len(loose.letters) >= len(exact.letters) + CHANCE
        chosen = loose if further and (self.is_encoded or changes(loose.letters) >= CHANGES) else exact
        return (chosen.start, chosen.end) if self._is_known(chosen) else None

    def _is_known(self, common: "_Common") -> bool:
        return common.length >= self.least

    def _common(self, text: str, letters: Letters, at: int, index: int, *, exact: bool) -> "_Common":
        (own, own_places), (row, places) = self.letters, letters
        first, here = index, at
        while first and here and own[first - 1] == row[here - 1]:
            if exact and not self.allows(text[places[here - 1] + 1 : places[here]], first):
                break
            first, here = first - 1, here - 1
        last, there = index, at
        while last + 1 < len(own) and there + 1 < len(row) and own[last + 1] == row[there + 1]:
            if exact and not self.allows(text[places[there] + 1 : places[there + 1]], last + 1):
                break
            last, there = last + 1, there + 1
        begin, start = own_places[first], places[here]
        while begin and start and self.literal[begin - 1] == text[start - 1]:
            begin, start = begin - 1, start - 1
        stop, end = own_places[last] + 1, places[there] + 1
        while stop < len(self.literal) and end < len(text) and self.literal[stop] == text[end]:
            stop, end = stop + 1, end + 1
        return _Common(start, end, stop - begin, own[first : last + 1])


class _Common(NamedTuple):
    """What a text and a form have in common: from where to where in the text, how many characters of the form these
    are, and the letters among them.
    """

    start: int
    end: int
    length: int
    letters: str


class Encoding(NamedTuple):
    """A way of writing bytes by characters of so many bits, and so many bytes at a time. `spelt` are its alphabets."""

    encode: Callable[[bytes], bytes]
    bits: int
    group: int
    spelt: tuple[Callable[[str], str], ...]


ENCODINGS = (
    Encoding(b16encode, 4, 1, (str.lower, str.upper)),
    Encoding(b32encode, 5, 5, (str,)),
    Encoding(b64encode, 6, 3, (str, lambda text: text.replace("+", "-").replace("/", "_"))),
)
# ways of writing four bytes at a time by five characters, each of them depending on all four bytes
IN_FOURS: tuple[Callable[[bytes], bytes], ...] = (a85encode, b85encode)
FOUR, FIVE = 4, 5
# bytes one after the other, as in a list of numbers
NUMBERS: tuple[Callable[[int], str], ...] = (
    *(str, "0x{:02x}".format, "0x{:02X}".format, "{:o}".format, "{:03o}".format),
    *("U+{:04X}".format, "char({})".format),
)


def forms_of(secret: str, letter: re.Pattern[str], given: bool = False) -> Iterator[Form]:
    """A secret as it is, forwards and backwards, as it is meant where it holds escapes itself, as the numbers of its
    bytes, and as hexadecimal, base32, base64, ascii85 and base85 of a text in which it stands.
    """
    in_parts = looks_random(secret) or secret.startswith(BEGINNINGS)
    for meant in (reading for reading in readings(secret) if is_secret(reading, given)):
        yield Form(meant, PIECE if in_parts else len(meant), letter)
    if in_parts:  # words backwards may be words
        yield Form(secret[::-1], PIECE, letter)
    raw = secret.encode(errors="replace")
    for encode in IN_FOURS:
        yield from _in_fours(encode, raw, letter, in_parts)
    for written in NUMBERS:
        numbers = [written(byte) for byte in raw]
        whole = "".join(numbers)
        # bytes have two or three digits: more of them than any ten have are those of 12, or a little more
        most = max(sum(map(len, numbers[at : at + PIECE - 2])) for at in range(len(numbers)))
        yield Form(whole, min(most + 1, len(whole)) if in_parts else len(whole), letter, is_encoded=True)
    for encoding in ENCODINGS:
        yield from _encoded(encoding, raw, letter, in_parts)
        yield from _encoded(encoding, secret.encode("utf-16-le", errors="replace"), letter, in_parts, 2 * PIECE)


def _encoded(
    encoding: Encoding, raw: bytes, letter: re.Pattern[str], in_parts: bool, piece: int = PIECE
) -> Iterator[Form]:
    """A secret within a text in one encoding, which depends on how many bytes of a group stand before it."""
    encode, bits, group, alphabets = encoding
    for before in range(group):
        hidden = -(-before * 8 // bits)  # characters in which other bytes have a part
        whole = encode(b"\0" * before + raw).decode()[hidden:]
        # where something stands behind the secret, its last bits and the padding are not at the end
        least = (before + len(raw)) * 8 // bits - hidden
        if in_parts:  # wherever 12 characters begin, so many of the encoding are theirs alone
            least = min(least, piece * 8 // bits - (group > 1))
        for form in dict.fromkeys(spelt(whole) for spelt in alphabets):
            yield Form(form, least, letter, is_encoded=True)


def _in_fours(encode: Callable[[bytes], bytes], raw: bytes, letter: re.Pattern[str], in_parts: bool) -> Iterator[Form]:
    """A secret within a text whose bytes are written in fours by five characters, wherever the first four begin."""
    for start in range(FOUR):
        end = start + (len(raw) - start) // FOUR * FOUR
        if whole := encode(raw[start:end]).decode():
            # wherever 12 bytes begin, two groups of four are theirs alone
            yield Form(whole, min(2 * FIVE, len(whole)) if in_parts else len(whole), letter, is_encoded=True)
