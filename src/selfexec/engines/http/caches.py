"""What in a reply says that a cache had it, by a rule about the names and values of fields, in bodies and headers.

A name says so that is made of nothing but words for a cache and for how it fared (`cacheHit`, `from_cache`,
`cached_response`, `cache_status`, `replayed`), or that stands in an object of such a name (`cache: {hit: true}`), with
a value that is true, or a word as HIT. A name with any other word in it tells of something else: counts of a cache of
prompts (`cached_tokens`, `cache_read_input_tokens`), a setting (`cache_control`), a key.

A field that names where the reply came from (`source`, `provider`, `served_from`) says so by its value: a few plain
words, among them one for a cache (`semantic-cache`, `Redis cache`, `cached`).
"""

import re
from collections import deque
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from selfexec.engines.http.leaves import WRITTEN

# a request that was collapsed with another one got what that one was answered (RFC 9211)
HIT = re.compile(r"(?<![a-z])(?<!no[ _-])(?<!not[ _-])(?:hit|collapsed)(?![a-z]|\s*[=:]\s*\??(?:0|f|n))", re.IGNORECASE)
# words in the values of headers and fields: that a cache was not what answered, that it was, and what says so by itself
FRESH = frozenset(
    (
        *("miss", "bypass", "dynamic", "none", "expired", "false", "no", "not", "disabled", "off"),
        *("pass", "skip", "empty", "fwd"),
    )
)
OLD = frozenset(("stale", "updating", "revalidated"))
YES = frozenset(("true", "1", "yes", "?1"))
LOWER = re.compile("[a-z]+")
WORD = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
OF_A_CACHE = frozenset(
    ("cache", "cached", "replayed", "stale", "dedup", "deduped", "deduplicated", "coalesced", "collapsed")
)
MAY_BE_A_CACHE = re.compile(b"cache|replayed|stale|dedup|coalesced|collapsed", re.IGNORECASE)  # anywhere in a body
AROUND = frozenset(
    (
        *("hit", "from", "by", "in", "is", "was", "served", "x", "semantic", "gateway", "idempotent"),
        *("response", "reply", "result", "status", "state", "outcome"),
    )
)
# a field whose name ends so tells where the reply came from
ORIGINS = frozenset(("source", "origin", "provider", "backend", "upstream", "from", "by"))
BEFORE_BY = frozenset(("served", "answered", "generated", "produced", "returned", "came"))  # and a few others of `from`
CACHE = re.compile("(?:[a-z]+)?cache|cached|caching|replay|replayed")
PLAIN = re.compile("[A-Za-z]+(?:[ _./:-]+[A-Za-z]+){0,3}")  # names of nodes of networks have digits
OTHER_CACHES = frozenset(("prompt", "prompts", "token", "tokens", "prefix", "context", "kv", "input"))
# what holds counts and prices, among which are those of caches of prompts, what was asked, and tables of tools
ELSEWHERE = WRITTEN | {
    "usage",
    "usageMetadata",
    "timings",
    "input",
    "messages",
    "contents",
    "prompt",
    "tools",
    "metrics",
}


def mark_of_a_cache(body: Mapping[str, Any]) -> tuple[str, Any] | None:
    """The first field of a body, from the outside in, that says that a cache had the reply: its path and its value."""
    for path, value in _fields_of_caches(body):
        if is_name_of_an_origin(path.rpartition(".")[2]):
            if says_a_cache(value):
                return path, value
            continue
        is_bare = path.rpartition(".")[2].lower() in ("cache", "x_cache")  # which, if true, may say that there is one
        if (
            says_cached(value)
            and not (is_bare and not isinstance(value, str))
            and not (is_count(value) and "." in path)
        ):
            return path, value
    return None


def as_field(mark: tuple[str, Any]) -> Mapping[str, Any]:
    """A mark as a field of a body itself, which says the same there."""
    path, value = mark
    name = path.rpartition(".")[2]
    return {name if is_name_of_a_cache(name) or is_name_of_an_origin(name) else f"cache_{name}": value}


def is_count(value: Any) -> bool:
    return type(value) is int


def says_cached(value: Any) -> bool:
    return value is True or (type(value) is int and value == 1) or (isinstance(value, str) and is_old(value, True))


def is_old(value: str, of_an_outcome: bool) -> bool:
    """Whether one of the caches that a value tells of had the reply: by the word hit wherever it stands, and by others
    where the name is that of an outcome.
    """
    return any(HIT.search(part) or (of_an_outcome and _is_old_without_hit(part)) for part in value.lower().split(","))


def _is_old_without_hit(part: str) -> bool:
    words = LOWER.findall(part)
    return FRESH.isdisjoint(words) and (part.strip() in YES or not OLD.isdisjoint(words))


def _fields_of_caches(body: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The fields with names of caches of replies, each with its path, in a time linear in how much there is."""
    waiting: deque[tuple[str, bool, Mapping[str, Any]]] = deque([("", False, body)])
    while waiting:
        path, within, place = waiting.popleft()
        for name, value in place.items():
            if name in ELSEWHERE and not (name == "content" and isinstance(value, dict)):  # Gemini's message
                continue
            tells = _tells(name, within)
            here = path if len(path) >= LONGEST_PATH else ".".join(filter(None, (path, name)))
            if not isinstance(value, dict | list) and (tells or is_name_of_an_origin(name)):
                yield here, value
            for part in (value,) if isinstance(value, dict) else value if isinstance(value, list) else ():
                if isinstance(part, dict):
                    waiting.append((here, tells, part))


LONGEST_PATH = 100  # characters of a path that are shown


def is_name_of_a_cache(name: str) -> bool:
    """Whether a field of this name says by itself whether a cache had the reply."""
    return _tells(name, within=False)


@lru_cache(maxsize=4096)
def is_name_of_an_origin(name: str) -> bool:
    """Whether a field of this name tells where the reply came from."""
    words = [word.lower() for word in WORD.findall(name)]
    if words[-1:] in (["by"], ["from"]):
        return not BEFORE_BY.isdisjoint(words)
    return not ORIGINS.isdisjoint(words[-1:]) and ASKED_OF_ORIGINS.isdisjoint(words)


ASKED_OF_ORIGINS = frozenset(("allow", "allowed", "require", "required", "prefer", "preferred", "code"))


def says_a_cache(value: Any) -> bool:
    """Whether the value of a field that tells where a reply came from is a cache of replies."""
    if not isinstance(value, str) or not PLAIN.fullmatch(value):
        return False
    words = LOWER.findall(value.lower())
    if not FRESH.isdisjoint(words) or not OTHER_CACHES.isdisjoint(words):
        return False
    return any(CACHE.fullmatch(word) and not word.startswith(("no", "un")) for word in words)


@lru_cache(maxsize=4096)
def _tells(name: str, within: bool) -> bool:
    """Whether a field of this name, or one in an object of a cache, is about where the reply came from."""
    words = {word.lower() for word in WORD.findall(name)}
    return bool(words) and words <= OF_A_CACHE | AROUND and (within or not OF_A_CACHE.isdisjoint(words))
