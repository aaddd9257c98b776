"""The simulated models behind a server that speaks all wire formats: to try a set-up, to test, to measure speed.

It can be slow, and strict about its rate.
"""

import asyncio
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import msgspec
from aiohttp import web

from selfexec.engines.sim.engine import PROFILES, SimRespondent, respondent
from selfexec.engines.sim.formats import FORMATS, Format, ParsedRequest, Piece, SimReply
from selfexec.engines.sim.simulation import Knowledge
from selfexec.errors import InputError
from selfexec.items import ItemSet


class SimServer:
    """Answers in each wire format below /v1 (Gemini's below /v1beta too), and GET /v1/models. Chat completions go on
    with a reply that is begun, where the request says so.

    Args:
        item_set: The items that its models know.
        latency: Seconds before each reply.
        rate: Requests a second; more are turned away with 429. 0 is no limit.
    """

    def __init__(self, item_set: ItemSet, *, latency: float = 0.0, rate: float = 0.0) -> None:
        self.requests = 0
        self._latency, self._rate = latency, rate
        self._name = secrets.token_hex(4)  # so that ids of completions differ between servers
        self._knowledge = Knowledge.of(item_set)
        self._respondents: dict[str, SimRespondent] = {}
        self._allowance = max(rate, 1.0)
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
        if self._latency:
            await asyncio.sleep(self._latency)
        if wait := self._over_the_rate():
            return _json({"error": {"message": "rate limit"}}, 429, {"Retry-After": f"{wait:.2f}"})
        reply = self._reply(who, asked, int(request.headers.get("X-Selfexec-Epoch", "1")), body)
        if body.get("stream") is True or request.match_info.get("way") == "streamGenerateContent":
            return await self.stream(request, form.pieces(reply))
        return _json(form.whole(reply))

    async def stream(self, request: web.Request, pieces: Iterable[Piece]) -> web.StreamResponse:
        """A reply in pieces, as server-sent events."""
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for name, data in pieces:
            text = data.encode() if isinstance(data, str) else msgspec.json.encode(data)
            await response.write((f"event: {name}\n".encode() if name else b"") + b"data: " + text + b"\n\n")
        await response.write_eof()
        return response

    def _reply(self, who: SimRespondent, asked: ParsedRequest, epoch: int, body: Mapping[str, Any]) -> SimReply:
        if asked.begun:
            reply = who.continued(asked.messages, epoch, asked.begun)
        else:
            reply = who.reply(asked.messages, epoch, thinks=asked.thinks)
        length = sum(len(message.content) for message in asked.messages)
        name = f"sim-{self._name}-{self.requests}"
        return SimReply(asked.model, reply.text or "", reply.output_tokens, length // 4, name, body)

    def _who(self, model: str) -> SimRespondent:
        if model not in self._respondents:
            self._respondents[model] = respondent(model, self._knowledge)
        return self._respondents[model]

    def _over_the_rate(self) -> float:
        """Seconds to wait if the request comes too early, by a bucket that fills at the rate."""
        rate = self._rate
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
    return web.Response(body=msgspec.json.encode(body), status=status, content_type="application/json", headers=headers)


async def serve(
    server: SimServer, host: str, port: int, announce: Callable[[str], None] = lambda address: None
) -> None:
    """Serve until cancelled. `announce` gets the address once it can be called; port 0 takes any that is free."""
    runner = web.AppRunner(server.app(), access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port, backlog=1024).start()
        announce(f"http://{host}:{runner.addresses[0][1]}/v1")
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
