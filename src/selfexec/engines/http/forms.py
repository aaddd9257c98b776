"""What a reply is made up of, apart from what it says: the names of its fields and headers, and who they say answered.

A gateway that answers by itself, from a cache, a stub or another server, makes replies of other fields and headers than
the server behind it. No single name tells that, but that some of a model's replies lack what the others have, or have
what these lack. So each reply is kept with the number of its form, and the first few of a form with its parts: `runs`
compares them once all have come.

A form has the names that depend neither on what the model said nor on how the bytes travel: see `is_neutral_field` and
`is_neutral_header`. Values are parts of it where a name tells where a reply came from, and they hold no number; and
those of settings that a server repeats and was not sent, since a few replies with others answer another request.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple
from zlib import crc32

from selfexec.engines.base import BETWEEN_PARTS
from selfexec.engines.http.known_names import OF_CALLS
from selfexec.engines.http.name_words import name_words
from selfexec.engines.http.other_fields import OtherFields
from selfexec.engines.http.raw_bodies import RawBody
from selfexec.engines.model_names import is_one_model
from selfexec.text.regex import regex

PARTS_KEPT = 5  # replies of a form that are kept with its parts: a later reply may take the place of one
MOST_FORMS = 64  # of a model: where there are more, they say nothing
MOST_NAMES = 300  # of fields or headers: a reply that has more, or is too long to be looked through, has no form
LONGEST_NAME = 60  # characters
PRINTED = regex(rb"[A-Za-z_$][\w.$@-]*")
HASH = regex(r"[0-9a-f]{12}", re.IGNORECASE)
MODEL = regex(r"[@A-Za-z0-9][\w./:@-]{1,99}")
LETTERS = regex(r"[A-Za-z]{2}")  # a version has hardly any
PLAIN = regex(r"[A-Za-z][A-Za-z _./-]{0,59}")  # the name of a node in a network has a number

# words of fields that come and go with what a model says and thinks, with caches of prompts, and with filters' results
OF_WHAT_IS_SAID = frozenset(
    (
        *("reasoning", "thinking", "thought", "thoughts", "redacted", "signature", "encrypted", "refusal", "tool"),
        *("tools", "function", "citation", "citations", "annotation", "annotations", "logprob", "logprobs", "bytes"),
        *("rating", "ratings", "safety", "severity", "filter", "filtered", "detected", "cache", "cached", "audio"),
        *("image", "video", "modality", "accepted", "rejected", "prediction", "obfuscation", "cost", "price"),
    )
)
# names that say nothing without the object in which they stand, as those of a thought or a filter; an error is judged
# where it stands
WITHIN_OTHERS = frozenset(
    (
        *("type", "text", "index", "format", "data", "summary", "id", "name", "status", "role", "content", "token"),
        *("category", "probability", "blocked", "hate", "violence", "sexual", "selfHarm", "self_harm", "code"),
        *(
            "error",
            "details",
            "tokenCount",
            "start_index",
            "end_index",
            "startIndex",
            "endIndex",
            "url",
            "uri",
            "title",
        ),
    )
)
# headers of HTTP itself (RFC 9110, 9111, 9112 and 6265), and of what browsers are told; not those with the time at
# which a response was made, which a server sends always or never
OF_HTTP = frozenset(
    (
        *("accept-ranges", "age", "allow", "alt-svc", "cache-control", "connection", "content-encoding"),
        *("content-language", "content-length", "content-type", "etag", "keep-alive"),
        *("link", "nel", "pragma", "priority", "report-to", "set-cookie", "strict-transport-security"),
        *("trailer", "transfer-encoding", "upgrade", "vary", "via", "warning", "traceparent", "tracestate"),
    )
)
ORIGINS = frozenset(("provider", "server", "backend", "upstream", "origin", "source", "channel", "engine"))
# of several places where one model runs, or of several models that one name is spread over; their names have numbers
DEPLOYMENTS = frozenset(("deployment", "variant", "target", "option", "base"))
OF_A_DEPLOYMENT = frozenset(("name", "index"))  # behind one of these words
DEPLOYED = regex(r"[\w./:@\[\]-]{1,100}")
OF_A_MODEL = frozenset(("name", "group", "slug", "version"))  # behind the word model
# of the models that such a name is not that of the one that answered
OTHER_MODELS = frozenset(
    (
        *("requested", "request", "default", "fallback", "base", "parent", "embedding", "judge", "draft", "guard"),
        *("moderation", "tokenizer", "allowed", "available", "input", "reward", "original"),
    )
)
# what a server repeats of a request, and fills in where that has none: the same for each reply of a model
SETTINGS = frozenset(
    (
        *("temperature", "top_p", "top_k", "min_p", "presence_penalty", "frequency_penalty", "repetition_penalty"),
        *("effort", "verbosity", "truncation", "parallel_tool_calls"),
    )
)
NAMED_ALREADY = ("model", "modelVersion")  # which every reply is kept with
OF_OFFERS = "azureml-model-group"  # at Azure a group of offers


class Form(NamedTuple):
    """The form of a reply: its number, its parts where they are to be kept, the name of another model than was asked
    that a header or a field has, with its place, and what is not known of its fields and headers.
    """

    number: int | None
    parts: str | None
    other_model: str | None
    other_fields: str | None = None


class Forms:
    """The forms of the replies that came, by address and model."""

    def __init__(self) -> None:
        self._times: dict[tuple[str, str], Counter[int]] = {}
        self._others = OtherFields()

    def form_of(
        self,
        url: str,
        model: str,
        served: str | None,
        body: RawBody,
        headers: Mapping[str, str],
        of_pieces: Mapping[str, Any] = MappingProxyType({}),
        asked: bytes = b"",
    ) -> Form:
        """The form of a reply with this body and these headers, that was asked for at an address of a model.
        `of_pieces` are the fields that are not known in the pieces of a stream, `asked` is the request.
        """
        names, raw = body.names, body.raw
        others = self._others.of(url, model, body, headers, of_pieces)
        if not 0 < len(names) <= MOST_NAMES or len(headers) > MOST_NAMES:
            return Form(None, None, None, others)
        look = _look(names, tuple(headers))
        origins = (*_values(look.field_origins, raw), *((name, headers[name]) for name in look.header_origins))
        number, parts = _numbered(look.parts, origins, tuple(_settings(look.settings, raw, asked)))
        models = (*_values(look.field_models, raw), *((name, headers[name]) for name in look.header_models))
        other = next((f"{value} ({name})" for name, value in models if _is_another(value, model, served)), None)
        return Form(*self._kept(url, model, number, parts), other, others)

    def _kept(self, url: str, model: str, number: int, parts: str) -> tuple[int | None, str | None]:
        """A number and its parts as they are kept."""
        times = self._times.setdefault((url, model), Counter())
        if number not in times and len(times) >= MOST_FORMS:
            return None, None
        times[number] += 1
        return number, parts if times[number] <= PARTS_KEPT else None


class Look(NamedTuple):
    """Names that are parts of a form, and those among all whose values say who answered, and which model."""

    parts: str
    field_origins: tuple[str, ...]
    header_origins: tuple[str, ...]
    field_models: tuple[str, ...]
    header_models: tuple[str, ...]
    settings: tuple[str, ...]


@lru_cache(maxsize=256)
def _look(names: frozenset[bytes], headers: tuple[str, ...]) -> Look:
    """What names say. A server sends the same ones with nearly every reply."""
    fields = sorted(name.decode() for name in names if len(name) <= LONGEST_NAME and PRINTED.fullmatch(name))
    headed = sorted({name.lower() for name in headers if len(name) <= LONGEST_NAME})
    parts = [f"field {name}" for name in fields if not is_neutral_field(name)]
    parts += [f"header {name}" for name in headed if not is_neutral_header(name)]
    return Look(
        BETWEEN_PARTS.join(parts),
        tuple(filter(is_name_of_who_answered, fields)),
        tuple(filter(is_name_of_who_answered, headed)),
        tuple(name for name in fields if is_name_of_a_model(name) and name not in NAMED_ALREADY),
        tuple(name for name in headed if is_name_of_a_model(name) and name != OF_OFFERS),
        tuple(name for name in fields if name in SETTINGS),
    )


@lru_cache(maxsize=256)
def _numbered(names: str, origins: tuple[tuple[str, str], ...], settings: tuple[str, ...]) -> tuple[int, str]:
    """The number of a form and its parts: what has the same parts has the same number, on every machine."""
    values = [f"{name}: {value}" for name, value in origins if _names_an_origin(name, value)]
    parts = BETWEEN_PARTS.join(filter(None, (names, *values, *settings)))
    return crc32(parts.encode()), parts


def _names_an_origin(name: str, value: str) -> bool:
    return (DEPLOYED if is_name_of_a_deployment(name) else PLAIN).fullmatch(value) is not None


def _values(names: tuple[str, ...], raw: bytes) -> tuple[tuple[str, str], ...]:
    """The fields of a body that have these names, with their values in words."""
    if not names:
        return ()
    matches = ((name, re.search(rb'"%b"\s*:\s*"([^"\\]{1,100})"' % re.escape(name).encode(), raw)) for name in names)
    return tuple((name, match[1].decode(errors="replace")) for name, match in matches if match)


def _settings(names: tuple[str, ...], raw: bytes, asked: bytes) -> Iterator[str]:
    """The settings of a reply that were not sent, with their values; nothing of those that have none."""
    for name in names:
        key = name.encode()
        found = None if key in asked else re.search(rb'"%b"\s*:\s*("[^"\\]{1,20}"|-?[\d.]{1,20}|true|false)' % key, raw)
        if found:
            yield f"{name}: {found[1].decode().strip(chr(34))}"


def is_neutral_field(name: str) -> bool:
    """Whether a field may be there or not, as what a model said has it."""
    return name in WITHIN_OTHERS or not OF_WHAT_IS_SAID.isdisjoint(name_words(name))


def is_neutral_header(name: str) -> bool:
    """Whether a header may be there or not: one of HTTP, or one of nothing but words for limits, times and ids of
    calls, which may begin with the name of a product (`x-litellm-response-duration-ms`).
    """
    words = [word for word in name_words(name) if word != "x"]
    behind = words[1:] if words and words[0] not in OF_CALLS else words
    return name in OF_HTTP or (bool(behind) and OF_CALLS.issuperset(behind))


def is_name_of_who_answered(name: str) -> bool:
    """Whether a name is that of what answered: its last word is one for a server or a provider, or it is that of one
    of several deployments.
    """
    return not ORIGINS.isdisjoint(name_words(name)[-1:]) or is_name_of_a_deployment(name)


def is_name_of_a_deployment(name: str) -> bool:
    """Whether a name is that of a deployment: `x-ms-deployment-name`, `x-litellm-model-api-base`."""
    words = name_words(name)
    while words and words[-1] in OF_A_DEPLOYMENT:
        words.pop()
    return len(words) > 1 and words[-1] in DEPLOYMENTS


def is_name_of_a_model(name: str) -> bool:
    """Whether a name is that of the model that answered: it ends with the word for one."""
    words = name_words(name)
    while words and words[-1] in OF_A_MODEL:
        words.pop()
    return words[-1:] == ["model"] and OTHER_MODELS.isdisjoint(words)


def _is_another(value: str, asked: str, served: str | None) -> bool:
    """Whether a value is the name of another model than was asked, and than the reply is said to be of."""
    if not MODEL.fullmatch(value) or HASH.search(value) or not LETTERS.search(value):
        return False
    return not (is_one_model(asked, value) or (served is not None and is_one_model(served, value)))
