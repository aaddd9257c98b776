"""Batch files: many calls in one file that a provider asks within a day at half the price, and the files that come
back. A call has the body that it would have over HTTP, and what comes back of it means what it would mean there.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import msgspec

from selfexec.engines.base import Call, CallResult, Connection
from selfexec.engines.base import Wire as WireName
from selfexec.engines.http.providers import ENDINGS, PROVIDERS, Endpoint, endpoint, first_key, wire_of
from selfexec.engines.registry import HTTP, engine_type, likely_names
from selfexec.engines.settings import secrets_sent
from selfexec.errors import InputError, NoApiKey

Line = Mapping[str, Any]
MB = 1_000_000  # as providers count, or a little less
BROKEN = -1  # in the place of a status, where a provider gives none


@dataclass(frozen=True)
class BatchForm:
    """A provider's form of a file of requests: which wire formats go into it, how many requests and bytes it may hold,
    one request of an id, an address and a body, and what stands around and between requests.
    """

    name: str
    title: str
    wires: tuple[WireName, ...]
    most_requests: int | None
    most_bytes: int
    request: Callable[[str, Endpoint, Line], Line]
    head: bytes = b""
    between: bytes = b"\n"
    tail: bytes = b"\n"
    ending: str = "jsonl"


def _of_openai(id: str, where: Endpoint, body: Line) -> Line:
    return {"custom_id": id, "method": "POST", "url": f"/v1{ENDINGS[where.wire]}", "body": body}


def _of_anthropic(id: str, where: Endpoint, body: Line) -> Line:
    return {"custom_id": id, "params": body}


def _of_gemini(id: str, where: Endpoint, body: Line) -> Line:
    return {"key": id, "request": body}


# limits as OpenAI's and Anthropic's references of the API and Gemini's guide give them
FORMS: Mapping[str, BatchForm] = {
    "openai": BatchForm("openai", "OpenAI's", ("openai", "responses"), 50_000, 200 * MB, _of_openai),
    "anthropic": BatchForm(
        "anthropic",
        "Anthropic's",
        ("anthropic",),
        100_000,
        256 * MB,
        _of_anthropic,
        head=b'{"requests":[\n',
        between=b",\n",
        tail=b"\n]}\n",
        ending="json",
    ),
    "gemini": BatchForm(
        "gemini",
        "Gemini's",
        ("gemini",),
        None,
        2_000 * MB,
        _of_gemini,
    ),
}


def batch_place(model: str, connection: Connection, form: BatchForm) -> Endpoint:
    """Where a model is asked, without its key, which stands in no file. InputError where it is not asked over HTTP, or
    not in a format that goes into such files.
    """
    if engine_type(model, connection).name != HTTP.name:
        raise InputError(
            f"model {model!r}: {engine_type(model, connection).name} has no batch files, only what is asked over HTTP. "
            "Ask it with `selfexec run`."
        )
    try:
        with likely_names():
            where = replace(endpoint(model, connection.base_url, wire=connection.wire), key=None)
    except NoApiKey:
        provider, _, name = model.partition("/")
        where = Endpoint(name, PROVIDERS[provider].base_url, wire_of(model, connection), provider)
    if where.wire not in form.wires:
        right = next((other.name for other in FORMS.values() if where.wire in other.wires), None)
        raise InputError(
            f"model {model!r}: it is asked in the wire format {where.wire!r}, which does not go into {form.title} "
            f"batch files. Say {_way_out(connection, form, right)}."
        )
    return where


def _way_out(connection: Connection, form: BatchForm, right: str | None) -> str:
    """What to say where a model is not asked in the wire format of such files."""
    other = f"--to batch-{right}" if right else None
    if connection.base_url and connection.wire is None:  # then any server's format may be named
        return " or ".join(filter(None, [f"--wire {form.wires[0]}, if its server speaks that", other]))
    return other or "--wire"


def batch_request(id: str, where: Endpoint, call: Call, form: BatchForm) -> bytes:
    """One request of a file. InputError where a secret would stand in it."""
    from selfexec.engines.http.wires import WIRES

    if any(secrets_sent(call.sampling)):
        raise InputError(
            f"model {call.model!r}: something in its settings or in --extra-body is a key, or looks like one, and "
            "would stand in every line of the file. Leave it out, or ask with `selfexec run`."
        )
    body = WIRES[where.wire].body(where, call.messages, call.sampling)
    return msgspec.json.encode(form.request(id, where, body))


# --- what comes back -------------------------------------------------------------------------------------------------


class BatchResult(NamedTuple):
    """What a line says became of a request: `status` as over HTTP with the body of the response; BROKEN where there is
    none, since it was never asked or nobody says what became of it. `said` puts in words what no status says.
    """

    custom_id: str
    form: str
    status: int
    body: Any = None
    said: str = ""


class NoResult(Exception):
    """A line that is no result. The text says what it is instead."""


def result_in(line: bytes) -> BatchResult:
    """The result that a line of a file holds. NoResult: there is none in it."""
    if line.lstrip().startswith(b'{"requests":'):
        raise NoResult("a file of requests, no result: it is what was exported. Give the one that came back.")
    found = _object(line)
    if "custom_id" in found and ("body" in found or "params" in found):
        raise NoResult("a request, no result: it stands in the file that was exported. Give the one that came back.")
    if "key" in found and "request" in found and not ("response" in found or "error" in found):
        raise NoResult("a request, no result: it stands in the file that was exported. Give the one that came back.")
    if isinstance(found.get("result"), dict) and _is_id(found.get("custom_id")):
        return _of_anthropics(found["custom_id"], found, found["result"])
    if _is_id(found.get("custom_id")) and ("response" in found or "error" in found):
        return _of_openais(found["custom_id"], found)
    key = found.get("key") or _mapping(found.get("metadata")).get("key")
    if isinstance(key, str) and any(name in found for name in ("response", "error", "status")):
        return _of_geminis(key, found)
    if "processing_status" in found or str(found.get("object")).startswith("batch") or "request_counts" in found:
        raise NoResult("how the batch stands, no result. Give the file of results, once it has ended.")
    raise NoResult("no result of a batch in a form that is known (OpenAI's, Anthropic's, Gemini's).")


def _object(line: bytes) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(line)
    except RecursionError:
        raise NoResult("nested too deeply. Is this the right file?") from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        try:
            found = json.loads(line.decode())  # with half of a surrogate pair in a reply
        except (ValueError, RecursionError):
            raise NoResult("not JSON, or cut off. Fetch the file again.") from None
    if not isinstance(found, dict):
        raise NoResult("no JSON object. Is this the right file?")
    return found


def _is_id(value: Any) -> bool:
    return bool(value) and isinstance(value, str)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


# the words with which a line or its response may say that all went well
WENT_WELL = ("completed", "succeeded", "success", "ok")


def _with_error_of(body: Any, *parts: Line) -> Any:
    """The body of a response, and in it the error that the line or another part of it gives beside the response: it
    means there what it means beside a reply over HTTP.
    """
    from selfexec.engines.http.errors import error_beside, says_something

    failed = (part.get("status") for part in parts)
    words = [word for word in failed if says_something(word) and word != 200 and str(word).lower() not in WENT_WELL]
    error = error_beside(*parts) or (words[0] if words else None)
    if error is None:
        return body
    given = body if isinstance(body, dict) else {}
    if isinstance(error, str):
        error = {"message": error}
    return given | {"batch_error" if says_something(given.get("error")) else "error": error}


def _of_openais(id: str, line: Line) -> BatchResult:
    response, error = line.get("response"), line.get("error")
    if isinstance(response, dict):
        status = response.get("status_code")
        if isinstance(status, int) and 100 <= status < 600:
            around = {name: value for name, value in response.items() if name != "status_code"}
            return BatchResult(id, "openai", status, _with_error_of(response.get("body"), line, around))
    code = _mapping(error).get("code")
    gone = {"batch_expired": "expired", "batch_cancelled": "cancelled", "batch_canceled": "cancelled"}
    if code in gone:
        return BatchResult(id, "openai", BROKEN, said=f"{gone[code]} in the batch")
    if error:
        return BatchResult(id, "openai", 400, {"error": error}, said="error in the batch")
    return BatchResult(id, "openai", BROKEN, said="nothing came of it in the batch")


# the statuses that Anthropic's error types have over HTTP
ANTHROPIC_STATUSES = {
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}


def _of_anthropics(id: str, line: Line, result: Line) -> BatchResult:
    kind = result.get("type")
    if kind == "succeeded":
        return BatchResult(id, "anthropic", 200, _with_error_of(result.get("message"), line, result))
    if kind in ("expired", "canceled", "cancelled"):
        return BatchResult(
            id, "anthropic", BROKEN, said=f"{'expired' if kind == 'expired' else 'cancelled'} in the batch"
        )
    if kind == "errored":
        error = _mapping(result.get("error"))
        inner = error.get("error") if isinstance(error.get("error"), dict) else error
        status = ANTHROPIC_STATUSES.get(str(_mapping(inner).get("type")), 400)
        return BatchResult(id, "anthropic", status, {"error": inner})
    return BatchResult(id, "anthropic", BROKEN, said="nothing came of it in the batch")


# the statuses that codes of gRPC have over HTTP: https://cloud.google.com/apis/design/errors
GRPC = {1: 499, 3: 400, 4: 504, 5: 404, 7: 403, 8: 429, 9: 400, 11: 400, 13: 500, 14: 503, 16: 401}


def _of_geminis(id: str, found: Mapping[str, Any]) -> BatchResult:
    if isinstance(found.get("response"), dict):
        return BatchResult(id, "gemini", 200, _with_error_of(found["response"], found))
    error = _mapping(found.get("error") or found.get("status"))
    code = error.get("code")
    if code == 1 or error.get("status") == "CANCELLED":
        return BatchResult(id, "gemini", BROKEN, said="cancelled in the batch")
    if code == 4 or error.get("status") == "DEADLINE_EXCEEDED":
        return BatchResult(id, "gemini", BROKEN, said="expired in the batch")
    if error:
        status = code if isinstance(code, int) and 400 <= code < 600 else GRPC.get(code, 500) if code else 500
        return BatchResult(id, "gemini", status, {"error": dict(error)})
    return BatchResult(id, "gemini", BROKEN, said="nothing came of it in the batch")


def call_result(result: BatchResult, model: str, url: str, wire: WireName) -> CallResult:
    """What became of a request to a model at an address, as if it had been asked over HTTP. What failed is a CallResult
    with an error: it is to be asked again.
    """
    from selfexec.engines.http.bodies import CachedReply, RetryableError, bounded, decoded, message_in, withheld
    from selfexec.engines.http.errors import error_body
    from selfexec.engines.http.policy import verdict
    from selfexec.engines.http.scrubbing import Scrubber
    from selfexec.engines.http.wires import WIRES

    provider, _, name = model.partition("/")
    where = Endpoint(name, url, wire, provider)
    if result.status == BROKEN:
        return CallResult(None, error=result.said)
    scrubber = Scrubber(_keys(where))
    raw = scrubber.raw(json.dumps(result.body).encode())  # what is wrong is quoted and cut: secrets go before
    if result.status == 200:
        try:
            found = bounded(decoded(where, WIRES[where.wire], raw))
        except (RetryableError, CachedReply) as failure:
            found = CallResult(None, error=str(failure))
        return scrubber.result(found)
    if (said := verdict(where, result.status, error_body(raw))).kind == "policy":
        return withheld(result.status, said.said)
    what, message = result.said or f"status {result.status}", message_in(raw)
    if 200 < result.status < 300:  # a part of a reply, or another thing
        message = "only with status 200 it is a whole reply"
    message = "; ".join(filter(None, (said.said, message)))
    return CallResult(None, error=f"{what}: {message}" if message else what)


def _keys(where: Endpoint) -> list[str]:
    """The keys that a server may have sent back in what it says is wrong."""
    known = PROVIDERS.get(where.provider)
    with suppress(InputError):
        key = first_key(known.keys) if known else None
        return [key.value] if key else []
    return []
