"""What a reply says it is a reply to, where it repeats what was asked: the prompt in any format, settings in Responses.

A field that was sent and comes back with another value, and one that would change the reply and was not sent at all,
say that this is the reply to another request, or that a gateway changed ours. A field that does not come back says
nothing, nor does a number that was left to the server.
"""

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeGuard

from selfexec.engines.http.wires.base import list_of, object_of

EARLIER = ("previous_response_id", "conversation")  # what a session may know of another by
NUMBERS = ("temperature", "top_p")
CLOSE = 1e-3  # between a number and the same in half the precision


WORD = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
PROMPTS = frozenset(("prompt", "input", "messages", "contents"))


def repeats_another_prompt(asked: Mapping[str, Any], body: Mapping[str, Any]) -> bool:
    """Whether a body repeats a prompt that is not the one that was sent: neither stands in the other, by their letters
    alone, since a server may repeat it with a template around it, or cut.
    """
    fields = [name for name in sorted(PROMPTS) if name in asked]
    sent = "".join(_letters(asked[name]) for name in fields)
    last = next((text for name in fields if (text := _letters(list_of(asked[name])[-1:]))), sent)
    return not all(echoed in sent or last in echoed for echoed in map(_letters, echoes_in(body)))


def echoes_in(body: Mapping[str, Any]) -> list[Any]:
    """What a body repeats of a prompt: in fields of the formats' names, and where it has words also in those of an
    object within it or of a choice, and in fields as `user_prompt`.
    """
    choices = [choice for name in ("choices", "candidates") for choice in list_of(body.get(name))]
    fields = [field for place in (body, *choices) for field in object_of(place).items()]
    fields += [inner for name, part in fields if name not in NOT_AROUND for inner in object_of(part).items()]
    own = [body[name] for name in sorted(PROMPTS) if name in body]
    return own + [value for name, value in fields if is_echo(name, value)]


def is_echo(name: str, value: Any) -> bool:
    """Whether a field repeats a prompt in words. Prices and names of templates have none; a text named `input` may say
    what a filter found in it.
    """
    return _names_a_prompt(name) and _has_words(value) and not (name == "input" and isinstance(value, str))


NOT_AROUND = frozenset(("message", "delta", "content", "usage", "usageMetadata", "logprobs"))


@lru_cache(maxsize=2048)
def _names_a_prompt(name: str) -> bool:
    words = [word.lower() for word in WORD.findall(name)]
    return name in PROMPTS or (words[-1:] == ["prompt"] and "system" not in words)


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
    for name in EARLIER:
        if (given := _id_in(body.get(name))) and given != _id_in(asked.get(name)):
            return f"it goes on from what this session was not asked to know ({name})"
    if (given := body.get("instructions")) and not _are_alike(given, asked.get("instructions")):
        return "the instructions that it was given are others than were sent"
    if list_of(body.get("tools")) and not asked.get("tools"):
        return "it was given tools, and none were sent"
    for name in NUMBERS:
        sent, given = asked.get(name), body.get(name)
        if _is_number(sent) and _is_number(given) and not math.isclose(sent, given, rel_tol=CLOSE, abs_tol=CLOSE):
            return f"its {name} is {given:g}, and {sent:g} was sent"
    sent, given = (object_of(part.get("reasoning")).get("effort") for part in (asked, body))
    if sent and isinstance(given, str) and given.casefold() != str(sent).casefold():
        return "its effort is another one than was sent"
    return None


def _id_in(value: Any) -> Any:
    return value.get("id") if isinstance(value, dict) else value


def _are_alike(given: Any, sent: Any) -> bool:
    if isinstance(given, str) and isinstance(sent, str):
        return given.split() == sent.split()
    return bool(given == sent)


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
