"""Ends that nobody asked for: a call of a tool where none was sent, and a stop at a string that was not sent.

A session sends no tools unless its settings say so. A reply that calls one, or ends since one was called, is then no
answer of the model's: somebody else gave it tools, or a server read its words as a call. And a server that stops at a
string of its own has cut the reply, whatever the end is called.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from selfexec.engines.http.ends import end_of
from selfexec.engines.http.wires.base import list_of, object_of
from selfexec.text.regex import regex

CALLED = ("tool_calls", "function_call", "tool_use")  # how replies end that call a tool
# parts of a message and items of a response by which the client is asked to do something; what a server's own tools do
# has other names
CALLS = frozenset(
    (
        *("tool_use", "tool_call", "tool_calls", "function_call", "custom_tool_call", "mcp_approval_request"),
        *("computer_call", "local_shell_call", "shell_call", "apply_patch_call"),
    )
)
TOOL = regex("tool|function|mcp|plugin", re.IGNORECASE)
# the string at which it stopped: of vLLM, SGLang, Anthropic and llama.cpp
STRINGS = ("stop_reason", "matched_stop", "stop_sequence", "stopping_word")
SENT = ("stop", "stop_sequences", "stopSequences")
TOKEN = regex(r"<[^\s<>]+>")  # of a model's vocabulary, as a turn's end


def has_tools(asked: Mapping[str, Any]) -> bool:
    """Whether tools were sent, under any name."""
    return any(value and TOOL.search(name) for name, value in asked.items())


def calls_a_tool(body: Mapping[str, Any]) -> bool:
    """Whether a reply calls a tool of the client's."""
    messages = [object_of(object_of(choice).get("message")) for choice in list_of(body.get("choices"))]
    if any(message.get(name) for message in messages for name in ("tool_calls", "function_call")):
        return True
    contents = [object_of(object_of(candidate).get("content")) for candidate in list_of(body.get("candidates"))]
    parts = [part for content in contents for part in list_of(content.get("parts"))]
    # code that nothing follows was to be run by somebody else; a server's own tool would have brought a result
    if any(object_of(part).get("functionCall") for part in parts) or any(
        object_of(part).get("executableCode") for part in parts[-1:]
    ):
        return True
    said = (body.get("content"), body.get("output"), *(message.get("content") for message in messages))
    return any(object_of(part).get("type") in CALLS for value in said for part in list_of(value))


def goes_on_alone(asked: Mapping[str, Any], body: Mapping[str, Any]) -> bool:
    """Whether a message says that it goes on from a beginning (Mistral's `prefix`) where the request has none."""
    messages = [object_of(object_of(choice).get("message")) for choice in list_of(body.get("choices"))]
    last = object_of([None, *list_of(asked.get("messages"))][-1])
    return any(message.get("prefix") is True for message in messages) and last.get("role") != "assistant"


def stops_in(place: Mapping[str, Any]) -> dict[str, str]:
    """The fields of an object that hold the string at which a reply stopped, and neither a word for an end nor a token
    by which a turn ends.
    """
    return {name: value for name in STRINGS if _is_string_of_a_stop(value := place.get(name))}


def stops_within(place: Mapping[str, Any]) -> dict[str, str]:
    """The same of objects within one, as llama.cpp's `__verbose`. A `stop_reason` there may be of something else."""
    stops = [stops_in(object_of(part)) for part in place.values()]
    return {name: stop for part in stops for name, stop in part.items() if name != STRINGS[0]}


def _is_string_of_a_stop(value: Any) -> TypeGuard[str]:
    return (
        isinstance(value, str)
        and value.casefold() not in ("", "null", "none")
        and end_of(value).kind == "unknown"
        and not TOKEN.fullmatch(value.strip())
    )


def strings_stopped_at(body: Mapping[str, Any]) -> set[str]:
    """The strings at which a reply stopped, as its server says."""
    choices = [stops_in(object_of(choice)) for choice in (body, *list_of(body.get("choices")))]
    return {stop for stops in (*choices, stops_within(body)) for stop in stops.values()}


def stops_sent(asked: Mapping[str, Any]) -> Iterator[str]:
    """The strings at which a reply was to stop."""
    for place in (asked, object_of(asked.get("generationConfig"))):
        for name in SENT:
            given = place.get(name)
            yield from (given,) if isinstance(given, str) else list_of(given)
