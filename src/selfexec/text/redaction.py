"""What must not be written down: keys, and whatever looks like one."""

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote_plus

from selfexec.text.regex import regex

HIDDEN = "(not shown)"
NAMES = regex(
    r"(^|[._-])(api|access|auth|secret|private|subscription)?[._-]?"
    r"(keys?|token|secret|password|passwd|pwd|authorization|auth|bearer|credentials?|cookie|headers?)$",
    re.IGNORECASE,
)
SPACED = regex(r"(?<=[a-z])(?=[A-Z])")  # apiKey as api-Key
LOOKS = regex(r"[A-Za-z0-9+/=._~-]{20,}|://[^/\s]*@|\b(bearer|basic)\s+\S", re.IGNORECASE)

KEY = regex(r"^(sk-|sk_|AIza|gsk_|xai-|hf_|nvapi-)\S{8,}|\b(bearer|basic)\s+\S", re.IGNORECASE)

RUN = regex(r"[A-Za-z0-9]{12,}")
CHANGE = regex(r"(?<=[0-9])(?=[A-Za-z])|(?<=[A-Za-z])(?=[0-9])")
WRAPPING = "\"'`()[]{}<>,;:.!?"


def shown(name: str, value: Any) -> str:
    """A setting's value as JSON, with everything left out that is named or looks like a key."""
    return json.dumps(bare(name, value), ensure_ascii=False)


def hides(name: str, value: Any) -> bool:
    """Whether something of a setting is left out."""
    return HIDDEN in shown(name, value)


def bare(name: str, value: Any) -> Any:
    """A value without what is named or looks like a key."""
    if _is_named_as_one(name):
        return HIDDEN
    if isinstance(value, dict):
        return {str(key): bare(str(key), part) for key, part in value.items()}
    if isinstance(value, list):
        return [bare("", part) for part in value]
    return HIDDEN if isinstance(value, str) and LOOKS.search(value) else value


# what stands in the query of an address that may be seen; any other value may be a key
OPEN_IN_QUERY = ("api-version", "version", "alt")


def bare_address(address: str) -> str:
    """An address without the name and password that may stand in it, and of its query the names alone."""
    scheme, slashes, rest = address.partition("://")
    if not slashes:
        scheme, rest = "", address
    rest, question, query = rest.partition("?")
    server, slash, path = rest.partition("/")
    pairs = [part.partition("=") for part in query.split("&")]
    shown = [f"{n}={v if n.lower() in OPEN_IN_QUERY else HIDDEN}" if equals else n for n, equals, v in pairs]
    return f"{scheme}{slashes}{server.rpartition('@')[2]}{slash}{path}{question}{'&'.join(shown)}"


def secrets_in_query(query: str) -> Iterator[str]:
    """The values in the query of an address that may be keys, as they are written and as they are meant."""
    for part in query.split("&"):
        name, equals, value = part.partition("=")
        if not equals:
            yield name
        elif name.lower() not in OPEN_IN_QUERY:
            yield value
            yield unquote_plus(value)


def _is_named_as_one(name: str) -> bool:
    return NAMES.search(SPACED.sub("-", name)) is not None


def _is_key(name: str, value: Any) -> bool:
    """Whether a value is a key for sure, by its name or by how it begins."""
    return _is_named_as_one(name) or (isinstance(value, str) and KEY.search(value) is not None)


def kept(name: str, value: Any) -> Any:
    """A setting as a run may keep it: of what is a key for sure only the digest, so that another one is seen to differ.

    Else it stays as it is: a run has to say what was sent. What was kept so before comes back as it was.
    """
    if value is None or (isinstance(value, str) and value.startswith(HIDDEN)):
        return value
    if _is_key(name, value):
        return digested(value)
    if isinstance(value, dict):
        return {str(key): kept(str(key), part) for key, part in value.items()}
    if isinstance(value, list):
        return [kept("", part) for part in value]
    return value


def digested(value: Any) -> str:
    """The digest of a value, in its place. What was kept so before comes back as it was."""
    if isinstance(value, str) and value.startswith(HIDDEN):
        return value
    digest = hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
    return f"{HIDDEN} SHA-256 {digest[:16]}"


def holds_text(value: Any) -> bool:
    """Whether a value is a text, or has one in it."""
    if isinstance(value, dict):
        return any(map(holds_text, value.values()))
    return isinstance(value, str) or (isinstance(value, list | tuple) and any(map(holds_text, value)))


def key_texts(name: str, value: Any) -> Iterator[str]:
    """The texts of a setting whose digest alone `kept` keeps, with and without a word before them, as in
    `Bearer sk-...`.
    """
    if _is_key(name, value):
        yield from _texts(value)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from key_texts(str(key), part)
    elif isinstance(value, list):
        for part in value:
            yield from key_texts("", part)


def looks_random(word: str) -> bool:
    """Whether a word is a secret by its looks, so that no ordinary text holds it by chance: at least 16 characters, and
    within them 12 letters and digits in a row that change at least three times between letters and digits. Sentences,
    words, names of models, dates and numbers are none.
    """
    return len(word) >= 16 and any(changes(run) >= 3 for run in RUN.findall(word))


def changes(word: str) -> int:
    """How often a word changes between letters and digits."""
    return len(CHANGE.findall(word))


def secret_words_in(value: Any) -> Iterator[str]:
    """The words in the texts of a value that look random, in whatever punctuation they stand."""
    for text in _texts(value):
        for word in text.split():
            yield from (form for form in (word, word.strip(WRAPPING)) if looks_random(form))


def _texts(value: Any) -> Iterator[str]:
    """All texts that a value holds."""
    if isinstance(value, str):
        yield value
        yield value.rpartition(" ")[2]
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(part)
