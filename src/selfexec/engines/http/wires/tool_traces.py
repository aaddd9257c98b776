"""What in a reply shows that a tool was used for it: a search, code that was run, a page that was read, a server's own.

    a count    a number above 0 of searches or uses of tools (`usage.server_tool_use.web_search_requests`)
    a find     what one has found or put out, in a field of such a name (`citations`, `codeExecutionResult`)
    a kind     an item or a part whose type is that of a use (`web_search_call`, `mcp_list_tools`)

No answer to a request that sends no tool has any of these, unless somebody else gave the model one.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from selfexec.engines.http.name_words import name_words
from selfexec.engines.http.raw_bodies import RawBody
from selfexec.engines.http.wires.unasked import has_tools
from selfexec.text.regex import regex

COUNTS = frozenset(
    (
        *("token", "tokens", "count", "counts", "num", "number", "n", "seconds", "requests", "used", "queries"),
        *("calls", "uses", "invocations"),
    )
)
LIMITS = frozenset(("max", "maximum", "limit", "limits", "remaining", "allowed", "quota", "budget"))
SEARCHES = frozenset(
    (
        *("search", "searches", "sources", "web", "grounding", "tool", "tools", "retrieval", "rag"),
        *("mcp", "interpreter"),
    )
)
ASKED = frozenset(("search", "plugins", "web", "grounding", "sources", "retrieval", "files", "documents"))
FOUND = frozenset(
    (
        *("citations", "annotations", "groundingMetadata", "executed_tools", "web_search", "citation", "annotation"),
        *("grounding_metadata", "sources", "retrieved_documents", "url_citations"),
    )
)
# words that together make the name of what a tool has found or done, of any server
OF_FINDS = tuple(
    frozenset(words.split())
    for words in (
        *("search results", "executable code", "code execution", "code interpreter", "url context"),
        *("tool call", "tool response", "tool responses", "tool result", "tool results", "tool output", "tool outputs"),
    )
)
OF_USES = frozenset(("tool", "tools", "mcp", "search", "retrieval", "interpreter", "citation"))  # in the name of a type
CALL = "call"
A_TYPE = b"type"
# a type that may be that of a use, in a body: the quotes within a text are escaped
MAY_BE_A_USE = regex(rb'"type"\s*:\s*"[^"\\]*(?:call|tool|mcp|search|retrieval|interpreter|citation)')


def asks_for_tools(sent: Mapping[str, Any]) -> bool:
    """Whether a request sends tools, or asks for a search by any name."""
    return has_tools(sent) or any(not ASKED.isdisjoint(name_words(name)) for name in sent)


@lru_cache(maxsize=1024)
def is_name_of_a_find(name: str) -> bool:
    """Whether a field of this name holds what a tool has found or put out."""
    return name in FOUND or any(words.issubset(name_words(name)) for words in OF_FINDS)


@lru_cache(maxsize=256)
def _may_hold_finds(names: frozenset[bytes]) -> bool:
    return any(is_name_of_a_find(name.decode(errors="replace")) for name in names)


def finds_in_piece(piece: RawBody) -> Mapping[str, Any]:
    """What a piece of a stream says that a tool has found; nothing of nearly all."""
    return dict(_finds_in(piece.value)) if _may_hold_finds(piece.names) else {}


def _finds_in(place: Any) -> Iterator[tuple[str, Any]]:
    for name, value in place.items() if isinstance(place, dict) else ():
        if isinstance(value, list | dict) and is_name_of_a_find(name) and _holds(value):
            yield name, value
        else:
            yield from _finds_in(value)
    for part in place if isinstance(place, list) else ():
        yield from _finds_in(part)


def trace_of_a_tool(path: str, name: str, value: Any) -> str | None:
    """What a field of a reply says of a tool that was used; None for nearly all."""
    if type(value) in (int, float):
        return f"{path} is above 0" if value > 0 and _counts_uses(path) else None
    if isinstance(value, list | dict):
        return f"{path} is there" if is_name_of_a_find(name) and _holds(value) else None
    if name == A_TYPE.decode() and isinstance(value, str) and _is_kind_of_a_use(value):
        return f"{path} is {value}"
    return None


@lru_cache(maxsize=1024)
def _counts_uses(path: str) -> bool:
    """Whether a number at this path is how often a tool was used: its name says so, or, where that has but words for
    counts, the name of the object in which it stands (`web_search.num_requests`).
    """
    *_, around, name = ["", *path.split(".")]
    words = {*name_words(name)}
    whole = words | {*name_words(around)} if COUNTS.issuperset(words) else words
    return not (COUNTS.isdisjoint(words) or SEARCHES.isdisjoint(whole)) and LIMITS.isdisjoint(whole)


@lru_cache(maxsize=256)
def _is_kind_of_a_use(kind: str) -> bool:
    words = name_words(kind)
    return CALL in words or not OF_USES.isdisjoint(words)


def _holds(value: Any) -> bool:
    """Whether there is anything in a list or an object, however deep."""
    if isinstance(value, dict):
        return any(map(_holds, value.values()))
    return any(map(_holds, value)) if isinstance(value, list) else bool(value)
