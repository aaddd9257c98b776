"""The simulated models behind a server that speaks all wire formats: to try a set-up, to test, to measure speed.

It can be slow, strict about its rate, and faulty in the ways that real servers are.
"""

import asyncio
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import msgspec
from aiohttp import web

from selfexec.engines.sim.chance import draw
from selfexec.engines.sim.engine import PROFILES, SimRespondent, respondent
from selfexec.engines.sim.faults import BLOCKED, ERRORS, PASSING, Manners, parse_faults
from selfexec.engines.sim.formats import FORMATS, Format, ParsedRequest, Piece, SimReply
from selfexec.engines.sim.knowledge import Knowledge
from selfexec.errors import InputError
from selfexec.items import ItemSet

__all__ = ["ERRORS", "Manners", "SimServer", "parse_faults", "serve"]
PLAIN = Manners()
DRIP = 0.05  # seconds between the pieces of a slow body
BEFORE_ANYTHING = (*ERRORS, "429", "reset", "garbage", "no-choices", "firewall")  # faults without a reply


class SimServer:
    """Answers in each wire format below /v1 (Gemini's below /v1beta too), and GET /v1/models."""

    def __init__(self, item_set: ItemSet, manners: Manners = PLAIN) -> None:
        self.manners = manners
        self.requests = 0
        self._name = secrets.token_hex(4)  # so that ids of completions differ between servers
        self._knowledge = Knowledge.of(item_set)
        self._respondents: dict[str, SimRespondent] = {}
        self._asked: dict[bytes, int] = {}
        self._allowance = max(manners.rate, 1.0)
        self._filled = time.monotonic()

    def app(self) -> web.Application:
        app = web.Application(client_max_size=64 * 2**20)
        for form in FORMATS:
            for root in ("/v1", "/v1beta"):
                app.router.add_post(f"{root}{form.path}", partial(self.complete, form=form))
        app.router.add_get("/v1/models", self.models)
        return app

    async def models(self, request: web.Request) -> web.Response:
        names = [{"id": f"sim/{name}", "object": "model", "owned_by": "selfexec"} for name in PROFILES]
        return _json({"object": "list", "data": names})

    async def complete(self, request: web.Request, form: Format = FORMATS[0]) -> web.StreamResponse:
        self.requests += 1
        raw = await request.read()
        try:
            body = msgspec.json.decode(raw)
            asked = form.read(body, request.match_info.get("model", ""))
            who = self._who(asked.model)
        except (msgspec.DecodeError, AttributeError, KeyError, IndexError, TypeError):
            return _json({"error": {"message": f"the body is no request of {request.path}"}}, 400)
        except InputError as unknown:
            return _json({"error": {"message": str(unknown), "code": "model_not_found"}}, 404)
        if self.manners.latency:
            await asyncio.sleep(self.manners.latency)
        if wait := self._over_the_rate():
            return _json({"error": {"message": "rate limit"}}, 429, {"Retry-After": f"{wait:.2f}"})
        fault = self._fault(raw)
        if fault in BEFORE_ANYTHING:
            return _broken(fault, request)
        epoch = int(request.headers.get("X-Selfexec-Epoch", "1"))
        said = self._said(who, asked, epoch, fault, body)
        headers = {"X-LiteLLM-Cache-Key": "of-a-reply-before"} if fault == "cached" else {}
        if body.get("stream") is True or request.match_info.get("way") == "streamGenerateContent":
            return await _streaming(request, form.pieces(said), fault, headers)
        if fault in ("slow-body", "cut"):
            return await _dripping(request, form.whole(said), fault)
        return _json(form.whole(said), 200, headers)

    def _said(
        self, who: SimRespondent, asked: ParsedRequest, epoch: int, fault: str | None, body: Mapping[str, Any]
    ) -> SimReply:
        reply = who.reply(asked.messages, epoch, thinks=asked.thinks)
        length = sum(len(message.content) for message in asked.messages)
        name = f"sim-{self._name}-{self.requests}"
        return SimReply(asked.model, reply.text or "", reply.output_tokens, length // 4, name, fault, body)

    def _who(self, model: str) -> SimRespondent:
        if model not in self._respondents:
            self._respondents[model] = respondent(model, self._knowledge)
        return self._respondents[model]

    def _fault(self, raw: bytes) -> str | None:
        """What befalls this request, by its content and how often it has come."""
        if not self.manners.faults:
            return None
        times = self._asked[raw] = self._asked.get(raw, 0) + 1
        point = draw("fault", self.manners.seed, raw.decode(errors="replace"))
        for fault, share in self.manners.faults.items():
            if point < share:
                # a fault that passes strikes once or twice
                return fault if fault not in PASSING or times <= 1 + (point < share / 3) else None
            point -= share
        return None

    def _over_the_rate(self) -> float:
        """Seconds to wait if the request comes too early, by a bucket that fills at the rate."""
        rate = self.manners.rate
        if not rate:
            return 0.0
        now = time.monotonic()
        self._allowance = min(self._allowance + (now - self._filled) * rate, max(rate, 1.0))
        self._filled = now
        if self._allowance < 1:
            return (1 - self._allowance) / rate
        self._allowance -= 1
        return 0.0


def _json(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    return web.Response(
        body=msgspec.json.encode(body), status=status, content_type="application/json", headers=dict(headers or {})
    )


def _broken(fault: str, request: web.Request) -> web.Response:
    if fault == "reset":
        if request.transport:
            request.transport.abort()
        return web.Response(status=500)
    if fault == "garbage":
        return web.Response(text="<html><body>Bad gateway</body></html>", content_type="text/html")
    if fault == "no-choices":
        return _json({"error": {"message": "upstream provider failed"}})
    if fault == "firewall":
        return web.Response(text=BLOCKED, content_type="text/html", status=403)
    if fault == "429":
        return _json({"error": {"message": "slow down"}}, 429, {"Retry-After": "0.05"})
    status, body = ERRORS[fault]
    return _json(body, status)


async def _dripping(request: web.Request, reply: dict[str, Any], fault: str) -> web.StreamResponse:
    body = msgspec.json.encode(reply)
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    step = max(len(body) // 5, 1)
    for start in range(0, len(body), step):
        if fault == "cut" and start > len(body) // 2:
            return _torn(request, response)
        await response.write(body[start : start + step])
        if fault == "slow-body":
            await asyncio.sleep(DRIP)
    await response.write_eof()
    return response


async def _streaming(
    request: web.Request, pieces: Iterable[Piece], fault: str | None, headers: Mapping[str, str]
) -> web.StreamResponse:
    """A reply in pieces, as server-sent events."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", **headers})
    await response.prepare(request)
    whole = list(pieces)
    for n, (name, data) in enumerate(whole):
        if fault == "cut" and n >= len(whole) // 2:
            return _torn(request, response)
        text = data.encode() if isinstance(data, str) else msgspec.json.encode(data)
        await response.write((f"event: {name}\n".encode() if name else b"") + b"data: " + text + b"\n\n")
        if fault == "slow-body":
            await asyncio.sleep(DRIP)
    await response.write_eof()
    return response


def _torn(request: web.Request, response: web.StreamResponse) -> web.StreamResponse:
    if request.transport:
        request.transport.abort()
    return response


async def serve(
    item_set: ItemSet, manners: Manners, host: str, port: int, announce: Callable[[str], None] = lambda address: None
) -> None:
    """Serve until cancelled. `announce` gets the address once it can be called; port 0 takes any that is free."""
    runner = web.AppRunner(SimServer(item_set, manners).app(), access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port, backlog=1024).start()
        announce(f"http://{host}:{runner.addresses[0][1]}/v1")
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
