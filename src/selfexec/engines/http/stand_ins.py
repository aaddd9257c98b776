"""What answered in place of a model, by the names that a reply gives itself: a cache, a guard, or a dummy.

A gateway that answers by itself often says so by the id or the model of its reply (`from-cache`, `ai-cache.hit`,
`from-security-guard`). Such a name consists of nothing but words for what answered, at least one of them, and
of words that connect them, or stands in angle brackets (`<synthetic>`) and is no word for a missing name
(`<unknown>`). A name with any other word in it (`org/cache-augmented-7b`) is that of a model, and so is the one
that was asked for, whatever it consists of. A model that judges prompts (`llama-guard-3`,
`omni-moderation-latest`) is one too, but not the one that was asked: what it says is a verdict, and no reply.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal

from selfexec.engines.http.name_words import name_words
from selfexec.text.regex import regex

Answerer = Literal["cache", "guard", "dummy"]
# the fields in which a reply of any format names itself and its model
NAMES = ("id", "model", "object", "system_fingerprint", "provider", "responseId", "modelVersion")
# what answered, that which speaks most against a model first: a gateway has caches and guards
ANSWERERS: Mapping[Answerer, frozenset[str]] = {
    "cache": frozenset(("cache", "cached", "caching", "replay", "replayed")),
    "guard": frozenset(
        (
            *("guard", "guards", "guardrail", "guardrails", "filter", "filtered", "moderation", "moderator"),
            *("policy", "firewall", "blocked", "denied"),
        )
    ),
    "dummy": frozenset(
        ("proxy", "gateway", "mock", "mocked", "stub", "placeholder", "fallback", "canned", "dummy", "failover")
    ),
}
CONNECTING = frozenset(
    (
        *("from", "by", "the", "a", "is", "was", "served", "in", "of", "at", "x"),
        *("ai", "llm", "model"),
        *("hit", "semantic", "exact", "local", "default", "plugin", "service", "server"),
        *("response", "reply", "result", "answer", "content", "security", "safety", "input", "output"),
    )
)
# with which ids begin: a proxy may put its own name behind one
OF_AN_ID = frozenset(("chat", "completion", "chatcmpl", "cmpl", "message", "msg", "resp"))
OF_OTHERS = ("object", "provider")
OF_MODELS = ("model", "modelVersion")
JUDGING = frozenset(("guard", "guardian", "moderation", "shieldgemma", "llamaguard"))
LETTERS = regex("[a-z]+")
ALL = frozenset(word for words in ANSWERERS.values() for word in words)
JOINED = regex("(semantic|ai|llm|response)(cache)", re.IGNORECASE)
PLAIN = regex("[^0-9]{1,60}")  # a name with a number is one of several
# a name in angle brackets is that of no model: Claude Code writes `<synthetic>` for what no model said
BRACKETED = regex(r"\s*<[^<>]*>\s*")
UNFILLED = frozenset(("unknown", "none", "null", "nil", "undefined", "empty", "name", "id", "your", "any"))
MAY = regex("|".join(("<", *sorted(ALL | JUDGING))), re.IGNORECASE)


def stand_in(name: Any) -> Answerer | None:
    """What a field of a reply says has answered; None where it may be a model, or holds no name. Ids are looked at
    once each, and nearly all of them have a digit early on.
    """
    return answerer_of(name) if isinstance(name, str) and PLAIN.fullmatch(name) and MAY.search(name) else None


@lru_cache(maxsize=1024)
def answerer_of(name: str) -> Answerer | None:
    """What a name of a reply without digits says has answered; None where it may be a model."""
    words = set(name_words(JOINED.sub(r"\1 \2", name)))
    if BRACKETED.fullmatch(name) and not words <= ALL | CONNECTING | UNFILLED:
        return "dummy"
    answerer = next((answerer for answerer, own in ANSWERERS.items() if words & own), None)
    connecting = CONNECTING | OF_AN_ID if answerer == "cache" else CONNECTING
    return answerer if words <= ALL | connecting else None


def stand_ins_in(body: Mapping[str, Any], asked: str = "") -> Iterator[tuple[str, str, Answerer]]:
    """The fields in which a body, or the response or message within an event, names what stood in for a model, with
    their values; but for the name of the model that was asked. A provider and a kind of object may be called as a
    gateway or a guard is.
    """
    for place in (body, body.get("response"), body.get("message")):
        named = ((name, place.get(name)) for name in NAMES) if isinstance(place, dict) else ()
        for name, value in named:
            answerer = stand_in(value)
            is_meant = answerer == "cache" or name not in OF_OTHERS
            if answerer is not None and is_meant and name_words(str(value)) != name_words(asked):
                yield name, str(value), answerer


def judge_in(body: Mapping[str, Any], asked: str) -> str | None:
    """The name of a guard's model that a body, or the response or message within it, says has answered in place of the
    one that was asked; None where it names none.
    """
    for place in (body, body.get("response"), body.get("message")):
        names = [place.get(name) for name in OF_MODELS] if isinstance(place, dict) else []
        if judge := next((name for name in names if judges(name, asked)), None):
            return str(judge)
    return None


def judges(name: Any, asked: str = "") -> bool:
    """Whether a name is that of a model that judges prompts and replies, where one of another kind was asked."""
    return isinstance(name, str) and _judges(name, asked)


@lru_cache(maxsize=1024)
def _judges(name: str, asked: str) -> bool:
    return not JUDGING.isdisjoint(LETTERS.findall(name.casefold())) and JUDGING.isdisjoint(
        LETTERS.findall(asked.casefold())
    )
