"""Secrets are taken out of whatever leaves the engine: replies, errors, warnings.

Only decoded text is looked through, never structure, numbers or names of fields; and only for what is long enough to be
a secret: local servers want keys like `x`, `none` or `EMPTY`, and a reply that happens to hold such a word stays as
it is. A secret is known in whatever way it is written that `spellings` reads. Of a key, and of what looks random, 12
characters in a row are known as well; a shorter part is not.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from operator import attrgetter

from msgspec.structs import replace
from yarl import URL

from selfexec.engines.base import Outcome
from selfexec.engines.http.spellings import steps, steps_with_places
from selfexec.text.redaction import looks_random

MARK = "[key]"
LONG = 16  # characters from which on anything is taken for a secret
MARKED_LONG = 8  # with a beginning that only keys have
BEGINNINGS = ("sk-", "sk_", "csk-", "AIza", "gsk_", "xai-", "hf_", "nvapi-", "fw_", "tgp_", "pplx-", "r8_")
PIECE = 12  # characters in a row by which a part of a secret is known
BETWEEN = "\0"  # fields that are looked through together: nothing that is left out when text is read
# bytes that are left out of the quick look: blanks, backslashes, and all of characters outside ASCII
LEFT_OUT = bytes([*b" \t\n\r\v\f\x1c\x1d\x1e\\", *range(0x80, 0x100)])
SHORT_ESCAPES = (b"\\n", b"\\r", b"\\t")
# escapes of ASCII, and of what `spellings` leaves out; each begins with one character, so that the search is fast
PERCENT = re.compile(rb"%[0-9A-Fa-f]{2}")
ENTITY = re.compile(rb"&[#A-Za-z]")
TAG = re.compile(rb"<[wWbB]")
BACKSLASH = re.compile(rb"\\(?:u(?:00[0-7]|0085|00[aA][dD]|034|061|11|17|180|200[b-fB-F]|202|206|[fF][eE]|\{)|U|x|v|f)")
ANY_BACKSLASH = re.compile(rb"\\[uUxvf]")  # where a secret holds more than ASCII
TEXTS = (
    *("text", "reasoning", "refusal", "error", "policy"),
    *("unknown_end", "unknown_end_text"),
    *("stop_reason", "served_model", "fingerprint", "completion_id", "upstream", "effort"),
)
TEXTS_OF = attrgetter(*TEXTS)


def is_secret(value: str) -> bool:
    """Whether this can be somebody's secret, rather than a word that a server wants for one."""
    return len(value) >= LONG or (len(value) >= MARKED_LONG and value.startswith(BEGINNINGS))


def passwords(url: URL) -> Iterator[str]:
    """What an address holds that is nobody's business: its password, and how name and password are sent together."""
    if url.password:
        yield url.password
        yield b64encode(f"{url.user or ''}:{url.password}".encode()).decode()


class Scrubber:
    """Takes these secrets out of text, as they are, in base64, and however servers escape and wrap them."""

    def __init__(self, secrets: Iterable[str]) -> None:
        known = [secret for secret in dict.fromkeys(secrets) if is_secret(secret)]
        forms = dict.fromkeys(form for secret in known for form in _forms(secret))
        # a secret may itself hold what looks like an escape, or blanks at which a line is wrapped
        read = (text for form in forms for text in (*steps(form), "".join(form.split())))
        self._forms = [form for form in dict.fromkeys(read) if is_secret(form) or form in forms]
        pieces = [piece for secret in known for piece in _pieces(secret)]
        self._backslash = BACKSLASH if all(form.isascii() for form in self._forms) else ANY_BACKSLASH
        looked_for = {form.encode().translate(None, LEFT_OUT) for form in self._forms}
        # each piece holds one of these whole, wherever it begins
        blocks = {block.encode().translate(None, LEFT_OUT) for secret in known for block in _blocks(secret)}
        looked_for = {form for form in looked_for if not any(block in form for block in blocks)} | blocks
        self._quick = [form for form in looked_for if not any(other in form for other in looked_for - {form})]
        self._forms += [piece for piece in pieces if piece not in self._forms]

    def text(self, value: str) -> str:
        return self._without(value) if self._forms and self._may_hold(value) else value

    def raw(self, raw: bytes) -> bytes:
        """A body without secrets, to be read, quoted and cut: half of one would be known by nobody for a part of it."""
        return self.text(raw.decode(errors="replace")).encode() if self._forms else raw

    def outcome(self, outcome: Outcome) -> Outcome:
        if not self._forms:
            return outcome
        whole = BETWEEN.join(filter(None, TEXTS_OF(outcome)))
        if outcome.logprobs:
            whole += BETWEEN + "".join(token.token for token in outcome.logprobs)
        if not self._may_hold(whole) or self._without(whole) == whole:
            return outcome
        texts = {name: self._without(text) for name in TEXTS if (text := getattr(outcome, name))}
        # of a secret that was said, each token has a part
        return replace(outcome, logprobs=None, **texts)

    def _may_hold(self, text: str) -> bool:
        """A quick look: False where no secret can be in a text, however it is written."""
        data = text.encode(errors="replace")
        if (
            (b"%" in data and PERCENT.search(data))
            or (b"&" in data and ENTITY.search(data))
            or (b"<" in data and TAG.search(data))
        ):
            return True
        if b"\\" in data:
            if self._backslash.search(data):
                return True
            for escape in SHORT_ESCAPES:
                data = data.replace(escape, b"")
        data = data.translate(None, LEFT_OUT)
        for form in self._quick:  # noqa: SIM110 - a generator takes twice as long
            if form in data:
                return True
        return False

    def _without(self, text: str) -> str:
        if not any(form in read for read in steps(text) for form in self._forms):
            return text
        spans = sorted(
            (read.starts[start], read.ends[start + len(form) - 1])
            for read in steps_with_places(text)
            for form in self._forms
            for start in _places(form, read.text)
        )
        parts, done = [], 0
        for start, end in spans:
            if start >= done:
                parts += [text[done:start], MARK]
            done = max(done, end)
        return "".join([*parts, text[done:]])


def _blocks(secret: str) -> Iterator[str]:
    """Parts of a secret of which every piece of it holds at least one."""
    half = PIECE // 2
    if any(_pieces(secret)):
        yield from (secret[start : start + half] for start in range(0, len(secret) - half + 1, half + 1))


def _places(form: str, text: str) -> Iterator[int]:
    """Where a form of a secret begins in a text."""
    start = text.find(form)
    while start >= 0:
        yield start
        start = text.find(form, start + 1)


def _forms(secret: str) -> Iterator[str]:
    """A secret as it is, in hexadecimal, and as base64 of a text in which it stands."""
    yield secret
    yield secret.encode().hex()
    yield secret.encode().hex().upper()
    for before in range(3):  # base64 depends on how many bytes, modulo 3, stand before it
        whole = b64encode(b"\0" * before + secret.encode()).decode()
        inner = whole[-(-before * 8 // 6) : (before + len(secret.encode())) * 8 // 6]
        # where nothing stands behind the secret, its last bits and the padding stand at the end
        whole = whole[-(-before * 8 // 6) :]
        for form in (inner, whole.rstrip("="), whole):
            yield form
            yield form.replace("+", "-").replace("/", "_")


def _pieces(secret: str) -> Iterator[str]:
    """What is known for a part of a secret: PIECE of its characters in a row, where it is a key or looks random. Part
    of anything else may be an ordinary word.
    """
    if looks_random(secret) or secret.startswith(BEGINNINGS):
        yield from (secret[start : start + PIECE] for start in range(len(secret) - PIECE + 1))
