"""Secrets are taken out of whatever leaves the engine: replies, errors, warnings.

Only decoded text is looked through, never structure, numbers or names of fields; and only for what is long enough to be
a secret: local servers want keys like `x`, `none` or `EMPTY`, and a reply that happens to hold such a word stays as
it is. A secret is known in whatever way it is written that `spellings` reads, and in the forms of `secret_forms`.
"""

import re
import unicodedata
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace as with_fields
from operator import attrgetter

from msgspec.structs import replace
from yarl import URL

from selfexec.engines.base import CallResult
from selfexec.engines.http.encoded import Part, encoded_parts, has_long_row, listed_parts
from selfexec.engines.http.likely_tokens import can_spell, rows_of
from selfexec.engines.http.secret_forms import PIECE, SEED, Form, forms_of, is_secret, letters_for
from selfexec.engines.http.spellings import Read, letters_in, readings, readings_with_places
from selfexec.experiments import Token

MARK = "[key]"
LAYERS = 3  # how often something may be encoded
BETWEEN = "\0"  # fields that are looked through together
# what is rare in prose and frequent in keys, so that a quick look at it alone mostly suffices
RARE = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
RARE_SEED = 4
LETTERS = RARE + b"abcdefghijklmnopqrstuvwxyz"
FOLDED = bytes.maketrans(LETTERS[:26], LETTERS[36:])
NOT_RARE = bytes(set(range(256)) - set(RARE))
NOT_LETTERS = bytes(set(range(256)) - set(LETTERS))
PROSE = ("text", "reasoning", "refusal", "error", "policy", "unknown_end_text")
NAMES = (
    *("unknown_end", "stop_reason", "served_model", "fingerprint", "completion_id", "upstream", "effort"),
    *("form_parts", "other_model", "other_fields", "contradictions"),
)
TEXTS = (*PROSE, *NAMES)
PROSE_OF, NAMES_OF = attrgetter(*PROSE), attrgetter(*NAMES)


def passwords(url: URL) -> Iterator[str]:
    """What an address holds that is nobody's business: its password, and how name and password are sent together."""
    if url.password:
        yield url.password
        yield b64encode(f"{url.user or ''}:{url.password}".encode()).decode()


class Scrubber:
    """Takes these secrets out of text, in the forms of `secret_forms`, and however servers escape and wrap them."""

    def __init__(self, secrets: Iterable[str], given: Iterable[str] = ()) -> None:
        own = frozenset(given)  # in headers
        known = [secret for secret in dict.fromkeys((*secrets, *own)) if is_secret(secret, secret in own)]
        letters = letters_for([*known, *map(_folded, known)])
        self._letter, self._not_letter = re.compile(f"[{letters}]"), re.compile(f"[^{letters}]+")
        forms = list(dict.fromkeys(form for secret in known for form in forms_of(secret, self._letter, secret in own)))
        folded = [with_fields(form, literal=_folded(form.literal)) for form in forms if not form.is_encoded]
        self._seeds, self._folded_seeds = _seeds(forms), _seeds(folded)
        self._folded = _shortest(seed for form in folded for seed in _common_seeds(form))
        self._chosen = {form.letters.row: _least_letters(form) for form in folded if form.letters.row}
        quick = [_quick_seeds(form) for form in forms]
        self._rare = frozenset(seed for rare, _ in quick for seed in rare)
        self._common = _shortest(seed for _, common in quick for seed in common)

    def text(self, value: str) -> str:
        if not self._seeds:
            return value
        value = self._without_parts(value, listed_parts(value))
        if self._may_hold(value):
            value = self._without(value)
        return self._without_parts(value, encoded_parts(value))

    def raw(self, raw: bytes) -> bytes:
        """A body without secrets, to be read, quoted and cut: half of one would be known by nobody for a part of it."""
        return self.text(raw.decode(errors="replace")).encode() if self._seeds else raw

    def result(self, result: CallResult) -> CallResult:
        if not self._seeds:
            return result
        tokens = result.logprobs or ()
        rows = BETWEEN.join(rows_of(tokens)) if tokens else ""
        if self._can_be_chosen(tokens):
            result, rows = replace(result, logprobs=None), ""
        prose = BETWEEN.join(filter(None, (*PROSE_OF(result), rows)))
        whole = BETWEEN.join(filter(None, (prose, *NAMES_OF(result))))
        # names are long rows of letters themselves, and are not decoded
        if not (self._may_hold(whole) or listed_parts(prose) or has_long_row(prose)):
            return result
        texts = {name: text for name in TEXTS if (text := getattr(result, name))}
        without = {name: (self.text if name in PROSE else self._without)(text) for name, text in texts.items()}
        if without == texts and self.text(rows) == rows:
            return result
        # of a secret that was said, each token has a part
        return replace(result, logprobs=None, **without)

    def _can_be_chosen(self, tokens: Sequence[Token]) -> bool:
        """Whether a secret can be put together of alternatives of tokens, one for each place."""
        if not any(token.top_logprobs for token in tokens):
            return False

        def letters(word: str) -> str:
            return _folded(self._not_letter.sub("", word))

        return any(can_spell(tokens, letters, row, least) for row, least in self._chosen.items())

    def _without_parts(self, text: str, parts: Iterable[Part]) -> str:
        """A text without those of its parts that hold a secret once they are decoded."""
        done, kept = 0, list[str]()
        for start, end, meanings in parts:
            if start >= done and any(self._holds(meaning, LAYERS) for meaning in meanings):
                kept += [text[done:start], MARK]
                done = end
        return "".join([*kept, text[done:]]) if done else text

    def _holds(self, text: str, layers: int) -> bool:
        """Whether a secret stands in a text, encoded so many times at most."""
        if self._may_hold(text) and self._without(text) != text:
            return True
        if not layers or not text.isascii():  # what is encoded once more is written in letters
            return False
        parts = [*listed_parts(text), *encoded_parts(text)]
        return any(self._holds(meaning, layers - 1) for part in parts for meaning in part.meanings)

    def _may_hold(self, text: str) -> bool:
        """A quick look: False where no secret can be in a text, however it is written."""
        for reading in _compatible(readings(text)):
            data = reading.encode(errors="replace")
            row = data.translate(None, NOT_RARE)
            if len(row) < len(self._rare):  # each way takes a time in proportion to one of the two
                if not self._rare.isdisjoint([row[n : n + RARE_SEED] for n in range(len(row) - RARE_SEED + 1)]):
                    return True
            else:
                for seed in self._rare:
                    if seed in row:
                        return True
            if self._common:
                row = data.translate(None, NOT_LETTERS)
                for seed in self._common:
                    if seed in row:
                        return True
            row = data.translate(FOLDED, NOT_LETTERS)
            for seed in self._folded:
                if seed in row:
                    return True
        return False

    def _without(self, text: str) -> str:
        reads = [way for read in readings_with_places(text) for way in _ways_with_places(read)]
        spans = [span for read in reads for span in self._spans(read, self._seeds)]
        spans += [span for read in reads for span in self._spans(_folded_read(read), self._folded_seeds)]
        spans.sort()
        parts, done = [], 0
        for start, end in spans:
            if start >= done:
                parts += [text[done:start], MARK]
            done = max(done, end)
        return "".join([*parts, text[done:]])

    def _spans(self, read: Read, known: dict[str, list[tuple[Form, int]]]) -> Iterator[tuple[int, int]]:
        """From where to where secrets were written in a text, by one way of reading it."""
        row = self._not_letter.sub("", read.text)
        if not (seeds := [seed for seed in known if seed in row]):
            return
        letters = letters_in(read.text, self._letter)
        covered = bytearray(len(read.text))
        for seed in seeds:
            at = row.find(seed)
            while at >= 0:
                for form, index in () if covered[letters.places[at]] else known[seed]:
                    if extent := form.extent(read.text, letters, at, index):
                        start, end = extent
                        covered[start:end] = b"\1" * (end - start)
                        yield read.starts[start], read.ends[end - 1]
                at = row.find(seed, at + 1)


def _seeds(forms: Sequence[Form]) -> dict[str, list[tuple[Form, int]]]:
    """Short rows of letters, one of which is in each part by which a form is known: in which forms they stand, and at
    which of their letters. Whole forms are the first: a secret that repeats itself is found there as a whole.
    """
    seeds: dict[str, list[tuple[Form, int]]] = {}
    for form in forms:
        seeds.setdefault(form.letters.row, []).append((form, 0))
    for form in forms:
        row, last = form.letters.row, -1
        for window in form.windows():
            if last < window.start:
                last = max(window.end - SEED, window.start)
                seeds.setdefault(row[last : window.end], []).append((form, last))
    return seeds


def _folded(text: str) -> str:
    """A text in small letters, each at its place."""
    small = text.lower()
    return small if len(small) == len(text) else "".join(char.lower()[0] for char in text)


def _folded_read(read: Read) -> Read:
    return read._replace(text=_folded(read.text))


def _is_wide(text: str) -> bool:
    """Whether a text holds characters that stand for others, as letters of double width do."""
    return not (text.isascii() or unicodedata.is_normalized("NFKC", text))


def _compatible(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield text
        if _is_wide(text):
            yield unicodedata.normalize("NFKD", text)


def _ways_with_places(read: Read) -> Iterator[Read]:
    yield read
    if _is_wide(read.text):
        plain = [unicodedata.normalize("NFKD", char) for char in read.text]
        places = [at for at, chars in enumerate(plain) for _ in chars]
        yield Read("".join(plain), [read.starts[at] for at in places], [read.ends[at] for at in places])


def _common_seeds(form: Form) -> Iterator[bytes]:
    """Rows of letters: each part by which a form is known holds one of them."""
    last = b""
    for window in form.windows():
        part = form.letters.row[window.start : window.end].encode(errors="replace").translate(None, NOT_LETTERS)
        if part and not (last and last in part):
            last = part[-SEED:]
            yield last


def _quick_seeds(form: Form) -> tuple[list[bytes], list[bytes]]:
    """The same for the quick look: rows of rare letters, and rows of any letters for parts that have too few of them.
    Letters outside ASCII are in neither.
    """
    rare: list[bytes] = []
    common: list[bytes] = []
    for window in form.windows():
        part = form.letters.row[window.start : window.end].encode(errors="replace").translate(None, NOT_LETTERS)
        row = part.translate(None, NOT_RARE)
        if (rare and rare[-1] in row) or (common and common[-1] in part):
            continue
        if len(row) >= RARE_SEED:
            rare.append(row[-RARE_SEED:])
        else:
            common.append(part[-SEED:])
    return rare, common


def _least_letters(form: Form) -> int:
    """How many letters of a form have to be in a row of alternatives that were chosen among many."""
    row = form.letters.row
    return len(row) if form.least >= len(form.literal) else min(PIECE, len(row))


def _shortest(seeds: Iterable[bytes]) -> tuple[bytes, ...]:
    """Each once, without those that hold another."""
    every = set(seeds)
    return tuple(seed for seed in every if not any(other in seed for other in every - {seed}))
