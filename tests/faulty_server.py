"""The simulated models behind a server that fails as real ones do.

A fault that passes (PASSING) strikes the first attempts of a call; one that does not is the same for a prompt each
time, so that a run under faults has one right outcome. Faults of a whole reply are those of chat completions.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any

import msgspec
from aiohttp import web

from selfexec.engines.sim.formats import FORMATS, Format, Piece
from selfexec.engines.sim.server import SimServer
from selfexec.engines.sim.traits import draw
from selfexec.items import ItemSet

PASSING = ("429", "500", "reset", "garbage", "no-choices", "slow-body", "cut", "empty", "died")
# status and body of the faults that are an error, in the words of those who send it
ERRORS: Mapping[str, tuple[int, Mapping[str, Any]]] = {
    "429": (429, {"error": {"message": "slow down"}}),
    "500": (500, {"error": {"message": "internal error"}}),
    "no-choices": (200, {"error": {"message": "upstream provider failed"}}),
    "policy": (
        400,
        {
            "error": {
                "message": "Your request was rejected as a result of our safety system.",
                "type": "invalid_request_error",
                "code": "content_policy_violation",
            }
        },
    ),
    "policy-azure": (
        400,
        {
            "error": {
                "message": "The response was filtered due to the prompt triggering Azure OpenAI's content management "
                "policy. Please modify your prompt and retry.",
                "type": None,
                "param": "prompt",
                "code": "content_filter",
                "status": 400,
                "innererror": {"code": "ResponsibleAIPolicyViolation"},
            }
        },
    ),
    "policy-anthropic": (
        400,
        {
            "type": "error",
            "error": {"type": "invalid_request_error", "message": "Output blocked by content filtering policy"},
        },
    ),
    "policy-xai": (
        403,
        {
            "code": "The caller does not have permission to execute the specified operation",
            "error": "Content violates usage guidelines. Team: 0000, API key ID: 0000, Model: sim, "
            "Failed check: SAFETY_CHECK_TYPE_BIO",
        },
    ),
    "policy-openrouter": (
        403,
        {
            "error": {
                "code": 403,
                "message": "sim requires moderation on a provider. Your input was flagged.",
                "metadata": {"reasons": ["violence"], "flagged_input": "...", "provider_name": "sim"},
            }
        },
    ),
    "region": (403, {"error": {"message": "Access from your region is prohibited by our terms.", "type": "forbidden"}}),
}
PAGES = {  # status and text of the faults that are HTML
    "garbage": (200, "<html><body>Bad gateway</body></html>"),
    "firewall": (
        403,
        "<html><title>Attention Required!</title>Sorry, you have been blocked: prohibited by our usage policy.</html>",
    ),
}
WITHHELD = "I can't help with that."
ALTERED = ("content-filter", "refusal", "truncation", "died", "empty", "no-usage")  # replies that come, but otherwise
BROKEN = ("reset", "slow-body", "cut")  # connections
DRIP = 0.05  # seconds between the parts of a slow body
STRIKING: ContextVar[str | None] = ContextVar("STRIKING")  # what befalls the request that is being answered


class FaultyServer(SimServer):
    """Answers as `SimServer` does, but for a share of requests with each of these faults."""

    def __init__(self, item_set: ItemSet, faults: Mapping[str, float], *, latency: float = 0.0) -> None:
        super().__init__(item_set, latency=latency)
        assert faults.keys() <= {*ERRORS, *PAGES, *ALTERED, *BROKEN} and sum(faults.values()) <= 1
        self._faults = faults
        self._times: dict[bytes, int] = {}

    async def complete(self, request: web.Request, form: Format = FORMATS[0]) -> web.StreamResponse:
        fault = self.fault(await request.read())
        STRIKING.set(fault)
        if fault in ERRORS or fault in PAGES or fault == "reset":
            self.requests += 1
            return _failed(fault, request)
        response = await super().complete(request, form)
        if fault is None or response.status != 200 or not isinstance(response, web.Response):
            return response
        if fault in ALTERED:
            return web.json_response(altered(msgspec.json.decode(response.body), fault))
        return await _in_parts(request, bytes(response.body), torn=fault == "cut")

    async def stream(self, request: web.Request, pieces: Iterable[Piece]) -> web.StreamResponse:
        return await super().stream(request, _torn(request, [*pieces]) if STRIKING.get() == "cut" else pieces)

    def fault(self, raw: bytes) -> str | None:
        """What befalls this request, by its content and how often it has come."""
        times = self._times[raw] = self._times.get(raw, 0) + 1
        point = draw("fault", 0, raw.decode(errors="replace"))
        for fault, share in self._faults.items():
            if point < share:
                # a fault that passes strikes once or twice
                return fault if fault not in PASSING or times <= 1 + (point < share / 3) else None
            point -= share
        return None


def altered(body: dict[str, Any], fault: str) -> dict[str, Any]:
    """The body of a chat completion as it is under a fault."""
    [choice] = body["choices"]
    message = choice["message"]
    half = message["content"][: len(message["content"]) // 2]
    if fault == "no-usage":
        return {name: part for name, part in body.items() if name != "usage"}
    changes: dict[str, tuple[dict[str, Any], str]] = {
        "content-filter": ({"content": ""}, "content_filter"),
        "refusal": ({"content": None, "refusal": WITHHELD}, "stop"),
        "truncation": ({"content": half}, "length"),
        "died": ({"content": half}, "error"),
        "empty": ({"content": ""}, "stop"),
    }
    change, finish = changes[fault]
    counted = {"usage": body["usage"] | {"completion_tokens": 1}} if fault == "empty" else {}  # the end of a turn
    return body | counted | {"choices": [choice | {"message": message | change, "finish_reason": finish}]}


def _failed(fault: str, request: web.Request) -> web.Response:
    if fault == "reset":
        assert request.transport is not None
        request.transport.abort()
        return web.Response(status=500)
    if fault in PAGES:
        status, page = PAGES[fault]
        return web.Response(text=page, content_type="text/html", status=status)
    status, body = ERRORS[fault]
    return web.json_response(body, status=status, headers={"Retry-After": "0.05"} if fault == "429" else {})


async def _in_parts(request: web.Request, body: bytes, *, torn: bool) -> web.StreamResponse:
    """A body that comes in five parts, or of which half comes before the connection breaks."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    step = max(len(body) // 5, 1)
    for start in range(0, len(body) // 2 if torn else len(body), step):
        await response.write(body[start : start + step])
        await asyncio.sleep(0 if torn else DRIP)
    if torn and request.transport:
        request.transport.abort()
        return response
    await response.write_eof()
    return response


def _torn(request: web.Request, pieces: list[Piece]) -> Iterator[Piece]:
    """Half of the pieces, and then the connection breaks."""
    yield from pieces[: len(pieces) // 2]
    assert request.transport is not None
    request.transport.abort()
