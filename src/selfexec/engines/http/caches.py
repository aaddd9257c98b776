"""What in a reply says that a cache had it, by a rule about the names and values of fields, in bodies and headers.

A name says so that is made of nothing but words for a cache and for how it fared (`cacheHit`, `from_cache`,
`cached_response`, `cache_status`, `replayed`), or that stands in an object of such a name (`cache: {hit: true}`), with
a value that is true, or a word as HIT, `fresh` or `from cache`. The name of a product may be joined with the word for a
cache (`gptcache`). How long something is in a cache, and since when, says so too. A name with any other word in it
tells of something else: counts of a cache of prompts (`cached_tokens`, `cache_read_input_tokens`), a setting
(`cache_control`), a key.

A field that names where the reply came from (`source`, `provider`, `served_from`) says so by its value: a few plain
words, among them one for a cache (`semantic-cache`, `Redis cache`, `cached`). So does the name of a reply or of its
model, if it is nothing but words for a cache: see `stand_ins`.
"""

import re
from collections import deque
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from selfexec.engines.http.leaves import WRITTEN
from selfexec.engines.http.name_words import name_words
from selfexec.engines.http.stand_ins import NAMES, stand_ins_in
from selfexec.text.regex import regex

# a request that was collapsed with another one got what that one was answered (RFC 9211)
HIT = regex(
    r"(?<![a-z])(?<!no[ _-])(?<!not[ _-])(?:hit|collapsed)"
    r"(?![a-z]|\s*[=:]\s*\??(?:0|f|n)|[\s_-]*for[\s_-]*(?:pass|miss))",  # Varnish's word for what is not to be stored
    re.IGNORECASE,
)
# words in the values of headers and fields: that a cache was not what answered, that it was, and what says so by itself
FRESH = frozenset(
    (
        *("miss", "bypass", "dynamic", "none", "expired", "false", "no", "not", "disabled", "off"),
        *("pass", "skip", "empty", "fwd", "stored", "written", "saved", "write", "store"),
    )
)
OLD = frozenset(("stale", "updating", "revalidated", "fresh", "semantic", "exact", "match", "prerender"))
YES = frozenset(("true", "1", "yes", "?1"))
LOWER = regex("[a-z]+")
JOINED = regex(
    "([a-z]*?)(cached?)(age|at|on|date|since)?"
)  # with the name of a product, or with a word that may say what is asked for
# behind a word for a cache, at the end of a name: how long something is there, and since when
AGES, DATES = frozenset(("age",)), frozenset(("at", "on", "date", "since"))
ASKED = frozenset(
    (
        *("no", "not", "un", "skip", "bypass", "use", "force", "refresh", "disable", "disabled"),
        *("enable", "enabled", "allow", "to", "in", "ignore", "has", "with"),
    )
)
OTHER_CACHES = frozenset(("prompt", "prompts", "token", "tokens", "prefix", "context", "kv", "input"))
NUMBER = regex(r"\s*(\d+(?:\.\d+)?)(?![\w.])")
DATE = regex(r"\d{9,}|\d+[-/.: ]\d+|\d\s+\w{3}\s+\d")
OF_A_CACHE = frozenset(
    ("cache", "cached", "replayed", "stale", "dedup", "deduped", "deduplicated", "coalesced", "collapsed")
)
MAY_BE_A_CACHE = regex(b"cache|replayed|stale|dedup|coalesced|collapsed", re.IGNORECASE)  # anywhere in a body
AROUND = frozenset(
    (
        *("hit", "from", "by", "in", "is", "was", "served", "x", "semantic", "gateway", "idempotent"),
        *("response", "reply", "result", "status", "state", "outcome"),
    )
)
# a field whose name ends so tells where the reply came from
ORIGINS = frozenset(("source", "origin", "provider", "backend", "upstream", "from", "by"))
OF_TYPES = frozenset(("compute", "response", "reply", "answer", "result"))  # Hugging Face: x-compute-type
BEFORE_BY = frozenset(("served", "answered", "generated", "produced", "returned", "came"))  # and a few others of `from`
CACHE = regex("(?:[a-z]+)?cache|cached|caching|replay|replayed")
PLAIN = regex("[A-Za-z]+(?:[ _./:-]+[A-Za-z]+){0,3}")  # names of nodes of networks have digits
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


def mark_of_a_cache(body: Mapping[str, Any], asked: str = "") -> tuple[str, Any] | None:
    """The first field of a body, from the outside in, that says that a cache had the reply: its path and its value.
    The name of the model that was `asked` says nothing.
    """
    for name, value, answerer in stand_ins_in(body, asked):
        if answerer == "cache":
            return name, value
    for path, value in _fields_of_caches(body):
        name = path.rpartition(".")[2]
        if is_name_of_an_origin(name) or is_name_of_a_time(name):
            if says_a_cache(value) or (is_name_of_a_time(name) and is_time_in_a_cache(name, value)):
                return path, value
            continue
        is_bare = name.lower() in ("cache", "x_cache")  # which, if true, may say that there is one
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
    is_known = is_name_of_a_cache(name) or is_name_of_an_origin(name) or is_name_of_a_time(name) or name in NAMES
    return {name if is_known else f"cache_{name}": value}


def is_count(value: Any) -> bool:
    return type(value) is int


def says_cached(value: Any) -> bool:
    return value is True or (type(value) is int and value == 1) or (isinstance(value, str) and is_old(value, True))


def is_old(value: str, of_an_outcome: bool) -> bool:
    """Whether one of the caches that a value tells of had the reply: by the word hit wherever it stands, and by others
    where the name is that of an outcome and no later part of the value says that the cache was passed by.
    """
    parts = value.lower().split(",")
    if any(map(HIT.search, parts)):
        return True
    fresh = [at for at, part in enumerate(parts) if not FRESH.isdisjoint(LOWER.findall(part))]
    return of_an_outcome and any(map(_is_old_without_hit, parts[max(fresh, default=-1) + 1 :]))


def _is_old_without_hit(part: str) -> bool:
    words = LOWER.findall(part)
    is_hit = any(word.endswith("hit") and word != "hit" and not word.startswith("no") for word in words)
    return is_hit or part.strip() in YES or not OLD.isdisjoint(words) or says_a_cache(part.strip())


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
            if not isinstance(value, dict | list) and (tells or is_name_of_an_origin(name) or is_name_of_a_time(name)):
                yield here, value
            for part in (value,) if isinstance(value, dict) else value if isinstance(value, list) else ():
                if isinstance(part, dict):
                    waiting.append((here, tells, part))


LONGEST_PATH = 100  # characters of a path that are shown


def is_name_of_a_cache(name: str) -> bool:
    """Whether a field of this name says by itself whether a cache had the reply."""
    return _tells(name, within=False)


def words_of(name: str) -> list[str]:
    """The words of a name in small letters, those that are joined with a word for a cache apart."""
    found = list[str]()
    for word in name_words(name):
        joined = JOINED.fullmatch(word)
        found += filter(None, joined.groups()) if joined else [word]
    return found


@lru_cache(maxsize=4096)
def is_name_of_a_time(name: str) -> bool:
    """Whether a field of this name tells how long something has been in a cache of replies, or since when."""
    words = words_of(name)
    return (
        len(words) > 1
        and words[-2] in ("cache", "cached")
        and words[-1] in AGES | DATES
        and (OTHER_CACHES | ASKED).isdisjoint(words[:-2])
    )


def is_time_in_a_cache(name: str, value: Any) -> bool:
    """Whether a field of such a name says that something has been in a cache."""
    text = str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    if words_of(name)[-1] in AGES:
        return is_any_above_0(text)
    return DATE.search(text) is not None


def is_any_above_0(value: str) -> bool:
    """Whether one number in a list of them is: each cache on the way adds one."""
    return any(float(number[1]) > 0 for part in value.split(",") if (number := NUMBER.match(part)))


@lru_cache(maxsize=4096)
def is_name_of_an_origin(name: str) -> bool:
    """Whether a field of this name tells where the reply came from."""
    words = name_words(name)
    if words[-1:] in (["by"], ["from"]):
        return not BEFORE_BY.isdisjoint(words)
    if words[-1:] == ["type"]:
        return not OF_TYPES.isdisjoint(words[-2:-1])
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
    words = set(words_of(name))
    if (joined := JOINED.fullmatch(name.lower())) and joined[1] not in OTHER_CACHES | ASKED:
        words.discard(joined[1])
    return bool(words) and words <= OF_A_CACHE | AROUND and (within or not OF_A_CACHE.isdisjoint(words))
