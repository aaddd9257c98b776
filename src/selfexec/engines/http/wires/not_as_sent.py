"""What in a reply says that it is one to another prompt, or of another model, than was sent: a server or a gateway cut,
compacted or rewrote the prompt, or had another model answer.

A name says so of the prompt if it consists of nothing but words for a change (`truncated`, `dropped`, `compacted`,
`rewritten`), words for what is sent (`prompt`, `input`, `context`, `history`, `messages`, `tokens`) and words that
connect them, at least one of each of the first two; together with the name of the object in which it stands, where that
is made of the same words (`context_management.applied_edits`, `truncation.applied`). It does so with a value that is
true, a number above 0, a list that is not empty, or a word other than one for nothing. A name with any other word in it
(`truncation_strategy`, `max_input_tokens`, `dropped_params`) is a setting or tells of something else.

Another model answered where a fallback is named that is none of the model that was asked, unless the reply bears the
name of that; and where Anthropic's account of what it did (`usage.iterations`) has anything but messages of one model.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from selfexec.engines.http.ends import printable_end
from selfexec.engines.http.errors import says_something
from selfexec.engines.http.leaves import WRITTEN
from selfexec.engines.http.name_words import name_words
from selfexec.engines.http.wires.objections import APART, is_true
from selfexec.engines.model_names import is_one_model
from selfexec.text.regex import regex

CUT = frozenset(
    (
        *("truncated", "truncation", "trimmed", "cut", "cropped", "clipped", "shortened", "pruned", "dropped"),
        *("discarded", "evicted", "omitted", "overflow", "overflowed", "exceeded", "compacted", "compaction"),
    )
)
CHANGED = CUT | frozenset(
    (
        *("removed", "compressed", "compression", "summarized", "summarised", "edited", "edits", "rewritten"),
        *("modified", "altered", "replaced", "transformed", "redacted", "masked", "sanitized", "sanitised"),
        *("anonymized", "anonymised", "translated", "transforms", "revised"),
    )
)
SENT = frozenset(
    (
        *("prompt", "prompts", "input", "inputs", "context", "history", "conversation", "request", "query"),
        *("messages", "system", "applied"),
    )
)
TOKENS = frozenset(("token", "tokens"))  # which are those of the prompt if they were cut off
CONNECTING = frozenset(
    (
        *("is", "was", "were", "been", "has", "had", "to", "by", "from", "of", "in", "the", "x", "user"),
        *("count", "counts", "number", "num", "n", "total", "length", "limit", "window", "oldest", "middle"),
        *("management", "info", "size", "characters", "chars", "old", "new", "any", "automatically", "auto"),
    )
)
KNOWN = CHANGED | SENT | TOKENS | CONNECTING
# words by which a field says that nothing was done
NOT_DONE = frozenset(("no", "off", "never", "none", "disabled", "auto", "false", "null", "not"))
ELSEWHERE = WRITTEN | {"tools", "tool_choice", "instructions", "messages", "contents"}
# what has to stand in a body for a field of these to be in it
MAY_BE = regex(
    b"truncat|trimmed|cut|cropped|clipped|shortened|pruned|dropped|removed|discarded|evicted|omitted|compress|compact"
    b"|summari|overflow|exceeded|edit|rewritten|modified|altered|replaced|transformed|redacted|masked|saniti|anonymi"
    b"|translated|transforms|revised|fallback|failover|backup|substitut|rerouted|downgraded|iterations",
    re.IGNORECASE,
)
LONGEST_PATH = 100  # characters of a path that are shown
FALLBACKS = frozenset(
    (
        *("fallback", "fallbacks", "failover", "failovers", "backup", "substituted", "substitution", "rerouted"),
        "downgraded",
    )
)
ATTEMPTS = frozenset(("attempt", "attempts", "tried", "history"))
# in names of fallbacks: that one may be, how long it took, or that it has the same model elsewhere
NO_ANSWERER = frozenset(
    (
        *("provider", "providers", "region", "regions", "endpoint", "endpoints", "deployment", "key", "keys"),
        *("enabled", "available", "supported", "allowed", "configured", "policy", "config", "strategy", "mode"),
        *("list", "chain", "options", "candidates", "order", "max", "limit", "timeout", "id", "ms", "latency"),
        *("allow", "allows", "use", "uses", "include", "support", "supports", "can", "may", "should", "return"),
        *("duration", "time", "cost", "credit", "threshold", "ratelimit", "route", "routes", "models", "on", "if"),
        *("tier", "service", "priority", "speed"),
    )
)
NO_FALLBACK = NOT_DONE | frozenset(
    ("primary", "default", "original", "unused", "used", "needed", "enabled", "available", "supported", "configured")
)
AS_ASKED = (None, "", "message")  # the kinds of Anthropic's iterations in which the model answers
# by which a request asks for such a change of itself, and for other models or tools that have some
CHANGES_ASKED = ("context_management", "contextManagement", "transforms", "truncation", "plugins")
OTHERS_ASKED = ("fallbacks", "models", "route", "tools")


def not_as_sent(asked: Mapping[str, Any], body: Mapping[str, Any], model: str) -> str | None:
    """Why a reply is one to another prompt than was sent, or of another model than was asked; None where its body says
    nothing of the kind, or the request asked for that.
    """
    if (change := mark_of_a_change(body)) and not any(map(asked.get, CHANGES_ASKED)):
        return f"the prompt was changed before the model saw it: its {_shown(*change)}"
    if (other := mark_of_another_model(body, model)) and not any(map(asked.get, OTHERS_ASKED)):
        return f"another model answered: its {_shown(*other)}"
    return None


def _shown(path: str, value: Any) -> str:
    return f"{path} is {printable_end(value if isinstance(value, str) else json.dumps(value))}"


def mark_of_a_change(body: Mapping[str, Any]) -> tuple[str, Any] | None:
    """The first field, from the outside in, that says that the prompt was changed: its path and its value."""
    for name in ("content", "output"):
        if any(isinstance(part, dict) and part.get("type") == "compaction" for part in _list(body.get(name))):
            return name, "compaction"
    return next(((path, value) for path, name, value in _fields(body) if tells_of_a_change(name, value)), None)


def marks_in(piece: Mapping[str, Any]) -> dict[str, Any]:
    """What of this stands in one piece of a stream, as fields that say the same in the body of the whole."""
    fields = [*_fields(piece)]
    changes = {name.replace(".", "_"): value for _, name, value in fields if tells_of_a_change(name, value)}
    others = {name.replace(".", "_"): value for _, name, value in fields if _may_name_another(name, value)}
    return changes | others


def mark_of_another_model(body: Mapping[str, Any], asked: str) -> tuple[str, Any] | None:
    """The first field that says that another model than the one that was `asked` gave the reply."""
    for place in (body, body.get("usage")):
        iterations = place.get("iterations") if isinstance(place, dict) else None
        if isinstance(iterations, list) and not all(_is_own(step, asked) for step in iterations):
            return "iterations", iterations
    served = next((name for name in (body.get("model"), body.get("modelVersion")) if isinstance(name, str)), "")
    for path, name, value in _fields(body):
        if isinstance(value, str) and _is_only_possible(name, value, asked, served):
            continue
        if tells_of_a_fallback(name, value, asked):
            return path, value
    return None


def _is_only_possible(name: str, value: str, asked: str, served: str) -> bool:
    """Whether a fallback that is named may be one that was not needed: the reply bears the name of the model that was
    asked, or the field has no word that says more of it.
    """
    if served:
        return is_one_model(asked, served)
    return FALLBACKS.issuperset(name_words(name)) and not is_true(value)


def _may_name_another(name: str, value: Any) -> bool:
    return (name == "iterations" and isinstance(value, list)) or (is_name_of_a_fallback(name) and says_something(value))


def tells_of_a_change(name: str, value: Any) -> bool:
    """Whether a field, or a header, says that the prompt was changed on its way to the model."""
    return is_name_of_a_change(name) and _is_done(value)


@lru_cache(maxsize=4096)
def is_name_of_a_change(name: str) -> bool:
    """Whether a name consists of nothing but words for a change of what was sent."""
    words = {*name_words(name)}
    is_of_the_prompt = not (CHANGED.isdisjoint(words) or SENT.isdisjoint(words))
    is_of_tokens = not (CUT.isdisjoint(words) or TOKENS.isdisjoint(words))
    return (is_of_the_prompt or is_of_tokens) and words <= KNOWN


def _is_done(value: Any) -> bool:
    if isinstance(value, str):
        words = name_words(value)
        return says_something(value) and (NOT_DONE.isdisjoint(words[:1]) if words else _is_above_0(value))
    if isinstance(value, bool | int | float):
        return value > 0
    return isinstance(value, list) and any(map(says_something, value))


def _is_above_0(value: str) -> bool:
    try:
        return float(value) > 0
    except ValueError:
        return False


@lru_cache(maxsize=4096)
def is_name_of_a_fallback(name: str) -> bool:
    """Whether a field of this name tells whether another model than the one that was asked has answered."""
    words = {*name_words(name)}
    return not FALLBACKS.isdisjoint(words) and NO_ANSWERER.isdisjoint(words)


def tells_of_a_fallback(name: str, value: Any, asked: str) -> bool:
    """Whether a field or a header says that another model answered: that there was a fallback, how many, why, or to
    which model, unless that is the one that was asked.
    """
    if not is_name_of_a_fallback(name):
        return False
    if isinstance(value, str):
        word = value.strip().casefold()
        words = name_words(value)
        if not says_something(word) or is_one_model(asked, value) or (words and NO_FALLBACK.issuperset(words)):
            return False
        return not word.replace(".", "").isdecimal() or _is_above_0(word)
    if isinstance(value, list):
        last = value[-1] if value and not ATTEMPTS.isdisjoint(name_words(name)) else None
        model = last.get("model") if isinstance(last, dict) else None
        return isinstance(model, str) and not is_one_model(asked, model)
    return isinstance(value, bool | int | float) and value > 0


def _is_own(iteration: Any, asked: str) -> bool:
    if not isinstance(iteration, dict) or iteration.get("type") not in AS_ASKED:
        return False
    model = iteration.get("model")
    return not isinstance(model, str) or not model or is_one_model(asked, model)


def _fields(body: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """The fields of a body with their paths, and the names by which they are judged, those of an object around them
    that is about the same included; from the outside in, in a time linear in how much there is.
    """
    waiting: list[tuple[str, str, Any]] = [("", "", body)]
    for path, around, place in waiting:
        for name, value in place.items():
            if name in ELSEWHERE and not isinstance(value, dict):
                continue
            here = path if len(path) >= LONGEST_PATH else ".".join(filter(None, (path, name)))
            full = f"{around}.{name}" if around else name
            yield here, full, value
            part_of_it = full if {*name_words(full)} <= KNOWN | FALLBACKS else ""
            is_searched = name not in WRITTEN or name == "content"  # which is Gemini's message
            if is_searched and APART.isdisjoint(name_words(name)):
                waiting += [(here, part_of_it, part) for part in _list(value) if isinstance(part, dict)]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
