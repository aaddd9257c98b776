"""What a reply says it is a reply to, where it repeats what was asked: the prompt in any format, settings in Responses.

A setting that was sent and comes back with another value, and one that would change the reply, was not sent and is none
of the documented defaults, say that this is the reply to another request, or that a gateway changed ours. A field that
does not come back says nothing, nor does what was left to the server: it fills in numbers, efforts and lengths as its
model has them.
"""

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeGuard

from selfexec.engines.http.name_words import name_words
from selfexec.engines.http.wires.base import list_of, object_of
from selfexec.text.regex import regex

EARLIER = ("previous_response_id", "conversation")  # what a session may know of another by
NUMBERS = ("temperature", "top_p")
CLOSE = 1e-3  # between a number and the same in half the precision


PROMPTS = frozenset(("prompt", "input", "messages", "contents"))
# other names of what was asked: alone, or of whom or when
QUESTIONS = frozenset(("question", "query", "echo", "history", "request"))
OF_USERS = frozenset(("message", "messages", "text", "input", "content", "utterance"))
USERS = frozenset(("user", "human"))
WHOSE = USERS | {"original", "last", "input", "received", "matched", "cached", "similar", "my", "your", "chat"}
# objects of what a server asked others, as the web
SEARCHES = frozenset(("search", "searches", "retrieval", "rag", "web", "tool", "tools", "grounding", "plugin"))
MAY_ECHO = regex(b"prompt|question|query|echo|history|request|input|messages|contents|user|human", re.IGNORECASE)
LEFT_OUT = regex(r"\.{3,}|\u2026")


def repeats_another_prompt(asked: Mapping[str, Any], body: Mapping[str, Any]) -> bool:
    """Whether a body repeats a prompt that is not the one that was sent: neither stands in the other, by their letters
    alone, since a server may repeat it with a template around it, or cut, at its end or in the middle.
    """
    fields = [name for name in sorted(PROMPTS) if name in asked]
    sent = "".join(_letters(asked[name]) for name in fields)
    last = next((text for name in fields if (text := _letters(list_of(asked[name])[-1:]))), sent)
    return not all(last in _letters(echoed) or _stands_in(echoed, sent) for echoed in echoes_in(body))


def repeats_another_system(asked: Mapping[str, Any], body: Mapping[str, Any]) -> bool:
    """Whether a body repeats messages of which one is to the model, and was not sent."""
    sent = "".join(_letters(asked.get(name)) for name in (*sorted(PROMPTS), *SYSTEM))
    messages = [message for echoed in echoes_in(body) for message in list_of(echoed) if isinstance(message, dict)]
    to_model = [message for message in messages if message.get("role") in ("system", "developer")]
    return not all(_letters(message) in sent for message in to_model)


SYSTEM = ("instructions", "system", "systemInstruction", "system_instruction")  # where requests have theirs


def _stands_in(echoed: Any, sent: str) -> bool:
    """Whether what a server repeats of a prompt stands in it, but for what it left out where it has an ellipsis."""
    parts = LEFT_OUT.split(echoed) if isinstance(echoed, str) else [echoed]
    return all(_letters(part) in sent for part in parts)


def echoes_in(body: Mapping[str, Any]) -> list[Any]:
    """What a body repeats of a prompt: in fields of the formats' names, and where it has words also in those of an
    object within it or of a choice, and in fields as `user_prompt`.
    """
    choices = [choice for name in ("choices", "candidates") for choice in list_of(body.get(name))]
    fields = [field for place in (body, *choices) for field in object_of(place).items()]
    fields += [inner for name, part in fields if not _is_of_others(name) for inner in object_of(part).items()]
    own = [body[name] for name in sorted(PROMPTS) if name in body]
    return own + [value for name, value in fields if is_echo(name, value)]


def is_echo(name: str, value: Any) -> bool:
    """Whether a field repeats a prompt in words. Prices and names of templates have none; a text named `input` may say
    what a filter found in it.
    """
    return _names_a_prompt(name) and _has_words(value) and not (name == "input" and isinstance(value, str))


def _is_of_others(name: str) -> bool:
    """Whether an object of this name holds the reply, counts, or what a server asked others."""
    return name in NOT_AROUND or not SEARCHES.isdisjoint(name_words(name))


NOT_AROUND = frozenset(("message", "delta", "content", "usage", "usageMetadata", "logprobs"))


@lru_cache(maxsize=2048)
def _names_a_prompt(name: str) -> bool:
    words = name_words(name)
    if name in PROMPTS or (words[-1:] == ["prompt"] and "system" not in words):
        return True
    whose, noun = {*words[:-1]}, {*words[-1:]}
    return whose <= WHOSE and bool(noun & QUESTIONS or (noun & OF_USERS and whose & USERS))


def _has_words(value: Any) -> bool:
    """Whether a text, or a list of messages, is more than a name or a number."""
    if isinstance(value, list):
        return any(_has_words(part.get("content", part.get("parts"))) for part in value if isinstance(part, dict)) or (
            any(_has_words(part.get("text")) for part in value if isinstance(part, dict))
        )
    is_text = isinstance(value, str) and sum(map(str.isalpha, value)) >= LEAST_LETTERS
    return is_text and (not value.isascii() or len(value.split()) >= LEAST_WORDS)


LEAST_LETTERS, LEAST_WORDS = 12, 4


def _letters(value: Any) -> str:
    """The letters of all that is said in a prompt, in order."""
    texts, waiting = list[str](), [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            texts.append("".join(filter(str.isalnum, part)).casefold())
        elif isinstance(part, list):
            waiting += reversed(part)
        elif isinstance(part, dict):
            waiting += [part[name] for name in ("content", "parts", "text") if name in part]
    return "".join(texts)


def not_asked(asked: Mapping[str, Any], body: Mapping[str, Any]) -> str | None:
    """What a response is a reply to that was not asked; None where it says nothing of the kind."""
    for name, given in body.items():
        if name in asked:
            if name not in NOT_REPEATED and (found := _difference(name, asked[name], given)) is not None:
                return found
        elif name in DEFAULTS and _is_given(name, given) and not _is_default(DEFAULTS[name], given):
            return GIVEN_UNASKED.get(name, f"its {name} is one that was not sent")
    return None


# fields of a request that a response does not repeat, or not as they were sent: where it is kept, which tier served it,
# and tools, which OpenAI sorts and completes
NOT_REPEATED = frozenset(
    ("model", "input", "stream", "stream_options", "store", "include", "service_tier", "metadata", "tools")
)
# the settings that change a reply, and what stands there, but for nothing, where they were not sent. Numbers, efforts
# and the like are filled in with what the model or the server has for them, which differs from one to the other
DEFAULTS: Mapping[str, tuple[Any, ...]] = {
    **dict.fromkeys((*EARLIER, "instructions", "prompt", "tools", "stop", "stop_sequences", "logit_bias"), ()),
    "tool_choice": ("auto", "none"),
    "text": ({"format": {"type": "text"}},),
    "response_format": ({"type": "text"}, "text"),
}
GIVEN_UNASKED: Mapping[str, str] = {
    **{name: f"it goes on from what this session was not asked to know ({name})" for name in EARLIER},
    "instructions": "the instructions that it was given are others than were sent",
    "tools": "it was given tools, and none were sent",
}
LEFT = ("auto", "default")  # values that leave it to the server what it takes


def is_setting(name: str) -> bool:
    """Whether a field of a response repeats a setting of the request."""
    return name in DEFAULTS or name in (*NUMBERS, "reasoning", "max_output_tokens")


OBJECTS = ("prompt", "text")  # a template and a format: a text in one of these repeats the prompt, or the reply
SCHEMAS = ("parameters", "schema", "json_schema")  # which servers complete


def _is_given(name: str, value: Any) -> bool:
    """Whether a setting that was not sent has a value."""
    return isinstance(value, dict) if name in OBJECTS else bool(value) and value is not True


def _is_default(defaults: tuple[Any, ...], given: Any) -> bool:
    """Whether a value is one of the defaults. A default that is an object has only the fields that matter."""
    objects = (default for default in defaults if isinstance(default, dict) and isinstance(given, dict))
    return given in defaults or any(_difference("", default, given) is None for default in objects)


def _difference(name: str, sent: Any, given: Any) -> str | None:
    """What of a setting came back other than it was sent. What does not come back says nothing."""
    if given is None or sent is None or sent in LEFT:
        return None
    if name in EARLIER:
        sent, given = _id_in(sent), _id_in(given)
    if isinstance(sent, dict) and isinstance(given, dict):
        named = ((f"{name}.{key}", part, given.get(key)) for key, part in sent.items() if key not in SCHEMAS)
        within = (_difference(*part) for part in named)
        return next((found for found in within if found is not None), None)
    if isinstance(sent, list) and isinstance(given, list) and len(sent) == len(given):
        parts = (_difference(name, *pair) for pair in zip(sent, given, strict=True))
        return next((found for found in parts if found is not None), None)
    if _is_number(sent) and _is_number(given):
        if math.isclose(sent, given, rel_tol=CLOSE, abs_tol=CLOSE) or (given == 0 and name not in NUMBERS):
            return None
        return f"its {name} is {given:g}, and {sent:g} was sent"
    if _are_alike(given, sent) or not given:
        return None
    return GIVEN_UNASKED.get(name, f"its {name} is another one than was sent")


def _id_in(value: Any) -> Any:
    return value.get("id") if isinstance(value, dict) else value


def _are_alike(given: Any, sent: Any) -> bool:
    if isinstance(given, str) and isinstance(sent, str):
        return given.casefold().split() == sent.casefold().split()
    return bool(given == sent) or (isinstance(given, list) and bool(sent) and _letters(given) == _letters(sent))


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
