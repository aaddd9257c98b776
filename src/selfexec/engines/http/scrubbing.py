"""Secrets are taken out of whatever leaves the engine: replies, errors, warnings.

Only decoded text is looked through, never structure, numbers or names of fields; and only for what is long enough to be
a secret: local servers want keys like `x`, `none` or `EMPTY`, and a reply that happens to hold such a word stays as
it is.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from msgspec.structs import replace
from yarl import URL

from selfexec.engines.base import Outcome

MARK = "[key]"
LONG = 16  # characters from which on anything is taken for a secret
MARKED_LONG = 8  # with a beginning that only keys have
BEGINNINGS = ("sk-", "sk_", "csk-", "AIza", "gsk_", "xai-", "hf_", "nvapi-", "fw_", "tgp_", "pplx-", "r8_")
TEXTS = (
    *("text", "reasoning", "refusal", "error", "policy"),
    *("stop_reason", "served_model", "fingerprint", "completion_id", "upstream", "effort"),
)


def is_secret(value: str) -> bool:
    """Whether this can be somebody's secret, rather than a word that a server wants for one."""
    return len(value) >= LONG or (len(value) >= MARKED_LONG and value.startswith(BEGINNINGS))


def passwords(url: URL) -> Iterator[str]:
    """What an address holds that is nobody's business: its password, and how name and password are sent together."""
    if url.password:
        yield url.password
        yield b64encode(f"{url.user or ''}:{url.password}".encode()).decode()


class Scrubber:
    """Takes these secrets out of text, as they are, and in the forms that servers give back: base64, percent signs,
    JSON's escapes.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        known = [secret for secret in dict.fromkeys(secrets) if is_secret(secret)]
        # the longest first: one may be part of another
        self._plain = sorted({form for secret in known for form in _forms(secret)}, key=len, reverse=True)
        self._escaped = re.compile("|".join(map(_escapable, known)))
        self._escapes = ("\\u00", "\\/") if any("/" in secret for secret in known) else ("\\u00",)

    def text(self, value: str) -> str:
        for form in self._plain:
            if form in value:
                value = value.replace(form, MARK)
        if self._plain and any(escape in value for escape in self._escapes):
            value = self._escaped.sub(MARK, value)
        return value

    def outcome(self, outcome: Outcome) -> Outcome:
        if not self._plain:
            return outcome
        texts = {name: text for name in TEXTS if (text := getattr(outcome, name))}
        tokens = "".join(token.token for token in outcome.logprobs or ())
        whole = "\n".join([*texts.values(), tokens])
        if self.text(whole) == whole:
            return outcome
        # of a secret that was said, each token has a part
        return replace(outcome, logprobs=None, **{name: self.text(text) for name, text in texts.items()})


def _forms(secret: str) -> Iterator[str]:
    """A secret as it is, and as it may be written down."""
    yield secret
    for kept in ("", "/"):
        yield (written := quote(secret, safe=kept))
        yield re.sub("%..", lambda sign: sign[0].lower(), written)
    for before in range(3):  # base64 depends on how many bytes, modulo 3, stand before it
        whole = b64encode(b"\0" * before + secret.encode()).decode()
        inner = whole[-(-before * 8 // 6) : (before + len(secret.encode())) * 8 // 6]
        yield inner
        yield inner.replace("+", "-").replace("/", "_")


def _escapable(secret: str) -> str:
    """A pattern for a secret of which each character may be escaped, at any depth: JSON stands inside JSON."""
    return "".join(rf"(?:\\*{re.escape(c)}|\\+u(?i:{ord(c):04x}))" for c in secret)
