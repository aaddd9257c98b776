"""The errors in the body of a response, in one shape, whatever made it and however deep it stands in another one."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from selfexec.engines.http.doubled_names import DoubledName, check_names, without_doubles
from selfexec.text.regex import regex

LARGEST_ERROR = 2**20  # bytes: what is longer, and not quite JSON, is no error message
READ = 4_000  # characters of a message that are looked at
LONGEST_CODE = 100
DEPTH = 4  # errors within errors, as gateways hand them on
WORDS = ("message", "msg", "detail")  # where bodies that are no replies say why
LITELLM = regex(r"litellm\.\w+: (?:(?:litellm\.)?\w+: )*(?:[\w ]{1,60} - )?(?:b['\"])?")
STATUSES = ("code", "status", "status_code", "statusCode")
FLAT_CODES = ("error_code", "errorCode")
FLAT_WORDS = ("error_msg", "error_message", "errorMessage")  # Baidu's first
# fields in which a part of a reply may tell of an error: nearly all replies have none of them
TELLING = frozenset(("error", "errors", *FLAT_CODES, *FLAT_WORDS, *STATUSES))
# the fields that say what an error is, and the others whose contents are known
NAMED = ("message", "detail", "code", "status", "error_code", "__type", "type", "param")
READ_FIELDS = frozenset(
    (
        *NAMED,
        *("error", "errors", "metadata", "details", "innererror", "inner_error", "provider_specific_fields"),
        *("content_filter_result", "content_filter_results", "contentFilter", "content_filters", "moderation_details"),
        *("id", "request_id", "requestId", "request-id", "req_id", "trace_id", "created", "object", "model", "user_id"),
        *("provider", "timestamp", "event_id", "sequence_number", "choices", "usage", "output", "content", "base_resp"),
    )
)
READ_METADATA = frozenset(
    ("raw", "reasons", "flagged_input", "provider_name", "model_slug", "error_type", "limit_source", "is_byok")
)
NOTHING = ("", "none", "null", "false", "0")


class Error(NamedTuple):
    """An error in the fields in which it came. `names` are the fields of its metadata that hold something, and `fields`
    those of the whole; `quotas` are the limits that it says were passed; `nested` is a gateway's account of what
    another server said. `param` is the field of the request that it names, and `beside` whatever else it says, in a
    word or in fields that nothing is known about; `messages` are its messages, also those of one word.
    """

    codes: frozenset[str] = frozenset()
    type: str = ""
    sentences: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    quotas: tuple[str, ...] = ()
    nested: bool = False
    messages: tuple[str, ...] = ()
    param: str = ""
    beside: tuple[str, ...] = ()


def error_body(raw: bytes) -> Any:
    """What a body with an error holds; None where it is no JSON, or one in which a name has two values."""
    try:
        body = msgspec.json.decode(raw)
        check_names(raw, body)
        return body
    except (DoubledName, RecursionError):
        return None
    except (msgspec.DecodeError, UnicodeDecodeError):
        if len(raw) > LARGEST_ERROR:
            return None
    try:
        return json.loads(raw.decode(errors="replace"), object_pairs_hook=without_doubles)
    except (ValueError, RecursionError):
        return None


def errors_in(body: Any, nested: bool = False, depth: int = 0) -> Iterator[Error]:
    """The errors that a body tells of, what another server said within them included."""
    if depth >= DEPTH:
        return
    if isinstance(body, list):
        body = body[0] if body else None  # Google's OpenAI format
    if not isinstance(body, Mapping):
        return
    error = body.get("error") or body.get("errors")
    if isinstance(error, list):
        error = error[0] if error else None  # Cloudflare
    around: Mapping[str, Any] = {}
    if isinstance(error, str):  # xAI: the error is a sentence, the code stands beside it
        error = {**body, "message": error}
    elif isinstance(error, Mapping):
        around = body
    else:
        error = body
    metadata = mapping_of(error.get("metadata"))
    yield Error(
        codes=frozenset(_codes(error, metadata)),
        type=_text(error.get("type"))[:LONGEST_CODE],
        sentences=tuple(_sentences(error)),
        names=frozenset(name for name, value in metadata.items() if value),
        fields=frozenset(name for part in (body, error) for name, value in part.items() if value),
        quotas=tuple(_quotas(error)),
        nested=nested,
        messages=tuple(_messages(error)),
        param=_text(error.get("param")),
        beside=(
            *_beside(error, READ_FIELDS),
            *_beside(around, READ_FIELDS - {*NAMED}),
            *_beside(metadata, READ_METADATA),
        ),
    )
    for text in (metadata.get("raw"), error.get("message")):  # OpenRouter, LiteLLM
        yield from _within(text, depth)


def error_beside(*places: Any) -> Any:
    """The error that stands in one of these parts of a reply, the first of them first; None where none says anything.
    `{}`, code 0, `false` and a "null" that was written as a word say nothing.
    """
    for place in places:
        if not isinstance(place, dict):
            continue
        if place.get("object") == "error" or place.get("type") == "error" or not TELLING.isdisjoint(place):
            error = _error_of(place)
            if error is not None:
                return error
    return None


def _error_of(place: Mapping[str, Any]) -> Any:
    """The error in a part of a reply that has a field in which one may stand."""
    for name in ("error", "errors"):
        if says_something(error := place.get(name)):
            if isinstance(error, str):  # its code stands beside it
                return {"message": error, "code": place.get("code"), "type": place.get("type")}
            return error
    if place.get("object") == "error" or place.get("type") == "error":  # vLLM; Anthropic and Responses in a stream
        return {name: value for name, value in place.items() if name not in ("object", "choices", "content")}
    code = next((place[name] for name in FLAT_CODES if name in place), None)
    flat = {"code": code, "message": next((place[name] for name in FLAT_WORDS if place.get(name)), None)}
    if says_something(flat) and (code is None or says_something(code)):
        return flat
    if (status := next((place[name] for name in STATUSES if _is_status(place.get(name))), None)) is not None:
        return {"code": status, "message": next((place[name] for name in WORDS if place.get(name)), None)}
    return None


def _is_status(value: Any) -> bool:
    """Whether this is the status of an error, in the place where a body would have one."""
    return bool(re.fullmatch("[45][0-9][0-9]", str(value)))


def says_something(value: Any) -> bool:
    """Whether an error, or a part of one, says anything at all."""
    waiting = [value]  # as deep as a body may be, no function calls itself
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            if part.strip().casefold() not in NOTHING:
                return True
        elif isinstance(part, dict):
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
        elif part:
            return True
    return False


def sentence_of(error: Any) -> str:
    """What an error says, in words if it has any, else as it is. Whatever it is, it says something."""
    if isinstance(error, list):
        error = next((part for part in error if says_something(part)), error)
    if isinstance(error, Mapping):
        names = (*WORDS, "error", "code", "type")
        error = next((error[name] for name in names if says_something(error.get(name))), error)
    said = error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
    return said.strip() or "an error without words"


# --- the fields of an error ------------------------------------------------------------------------------------------


def _codes(error: Mapping[str, Any], metadata: Mapping[str, Any]) -> Iterator[str]:
    """The codes of an error, also those which Azure, LiteLLM, Google and OpenRouter put one level down."""
    handed_on = mapping_of(error.get("provider_specific_fields"))
    inner = (error.get("innererror"), error.get("inner_error"), handed_on.get("innererror"))
    given = (
        *(error.get(name) for name in ("code", "status", "error_code")),
        str(error.get("__type") or "").rpartition("#")[2] or None,  # AWS
        *(metadata.get(name) for name in ("error_type", "limit_source")),
        *(mapping_of(detail).get("reason") for detail in list_of(error.get("details"))[:8]),
        *(mapping_of(part).get("code") for part in inner),
    )
    for code in given:
        if isinstance(code, str | int) and not isinstance(code, bool):
            yield str(code)[:LONGEST_CODE]


def _sentences(error: Mapping[str, Any]) -> Iterator[str]:
    """What an error says in words. A code with blanks in it is words too, as xAI sends it."""
    message = error.get("message")
    if isinstance(message, Mapping):
        message = message.get("message") or message.get("error")
    for text in (message, error.get("detail"), error.get("code")):
        if isinstance(text, str) and " " in text:
            yield text.strip()[:READ]


def _messages(error: Mapping[str, Any]) -> Iterator[str]:
    """What an error says in words, also in one word."""
    message = error.get("message")
    if isinstance(message, Mapping):
        message = message.get("message") or message.get("error")
    for text in (message, error.get("detail")):
        if isinstance(text, str):
            yield text.strip()[:READ]


def _beside(part: Mapping[str, Any], read: frozenset[str]) -> Iterator[str]:
    """What stands in the fields of an error that are not read as something else."""
    for name, value in part.items():
        if (name in read and not (name in WORDS and isinstance(value, list))) or not says_something(value):
            continue
        if isinstance(value, str):
            yield value[:READ]
        elif isinstance(value, Mapping | list) or name in NAMED:
            yield json.dumps(value)[:READ]


def _quotas(error: Mapping[str, Any]) -> Iterator[str]:
    """The limits that Google says were passed: those of a day look like those of a minute but for their names."""
    for detail in map(mapping_of, list_of(error.get("details"))):
        if str(detail.get("@type")).endswith("google.rpc.QuotaFailure"):
            yield from (str(mapping_of(one).get("quotaId")) for one in list_of(detail.get("violations")))


def _within(text: Any, depth: int) -> Iterator[Error]:
    """What another server said, in the text in which a gateway hands it on."""
    if isinstance(text, Mapping):
        yield from errors_in(text, True, depth + 1)
    if not isinstance(text, str):
        return
    text = text.strip()[: 10 * READ]
    wrapped = LITELLM.match(text)
    rest = text[wrapped.end() :] if wrapped else text
    if rest.startswith(("{", "[")):
        try:
            body, _ = json.JSONDecoder().raw_decode(rest)
        except (ValueError, RecursionError):
            return
        yield from errors_in(body, True, depth + 1)
    elif wrapped:
        yield Error(sentences=(rest[:READ],), nested=True, messages=(rest[:READ],))


def mapping_of(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}  # of JSON: to ask for any Mapping takes ten times as long


def list_of(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) and value != "None" else ""  # LiteLLM writes Python's None as a word
