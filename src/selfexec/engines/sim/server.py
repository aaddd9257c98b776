"""The simulated models behind an OpenAI-compatible server: to try a set-up, to test, to measure speed.

It can be slow, strict about its rate, and faulty in the ways that real servers are.
"""

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import msgspec
from aiohttp import web

from selfexec.engines.sim.chance import draw
from selfexec.engines.sim.engine import PROFILES, Respondent, respondent
from selfexec.engines.sim.knowledge import Knowledge
from selfexec.errors import InputError
from selfexec.experiments import Message
from selfexec.items import ItemSet

SOME = msgspec.Meta(min_length=1)
# fault -> what it is like
FAULTS = {
    "429": "too many requests",
    "500": "internal error",
    "reset": "the connection breaks",
    "garbage": "status 200, and HTML",
    "no-choices": "status 200, and no choices",
    "slow-body": "the body comes in drips",
    "content-filter": "finish reason content_filter",
    "refusal": "the refusal field",
    "policy": "status 400, content policy, as OpenAI says it",
    "policy-azure": "the same in Azure's words",
    "policy-anthropic": "the same in Anthropic's",
    "policy-xai": "status 403, the same in xAI's",
    "policy-openrouter": "status 403, the same in OpenRouter's",
    "region": "status 403, this region may not ask",
    "firewall": "status 403, and HTML",
    "died": "finish reason error, half of the text",
    "truncation": "half of the text, finish reason length",
    "no-usage": "no token counts",
    "empty": "no text, finish reason stop",
}
PASSING = ("429", "500", "reset", "garbage", "no-choices", "slow-body", "empty", "died")
# status and body of the faults that are an error of that kind
ERRORS: Mapping[str, tuple[int, Mapping[str, Any]]] = {
    "500": (500, {"error": {"message": "internal error"}}),
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
BLOCKED = "<html><title>Attention Required!</title>Sorry, you have been blocked: prohibited by our usage policy.</html>"


@dataclass(frozen=True)
class Manners:
    """How the server behaves: seconds before each reply, requests a second (0 is no limit), shares of faulty replies.

    A fault that passes (PASSING) befalls the first attempts of a call; one that does not is the same for a prompt
    each time, so that a run under faults has one right outcome.
    """

    latency: float = 0.0
    rate: float = 0.0
    faults: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        for fault, share in self.faults.items():
            if fault not in FAULTS:
                raise InputError(f"fault {fault!r}: there are {', '.join(FAULTS)}.")
            if not 0 <= share <= 1:
                raise InputError(f"fault {fault}={share}: the share must lie between 0 and 1.")
        if sum(self.faults.values()) > 1:
            raise InputError("the shares of the faults add up to more than 1.")


class SimServer:
    """Answers POST /v1/chat/completions and GET /v1/models."""

    def __init__(self, item_set: ItemSet, manners: Manners = Manners()) -> None:
        self.manners = manners
        self.requests = 0
        self._name = secrets.token_hex(4)  # so that ids of completions differ between servers
        self._knowledge = Knowledge.of(item_set)
        self._respondents: dict[str, Respondent] = {}
        self._asked: dict[bytes, int] = {}
        self._allowance = max(manners.rate, 1.0)
        self._filled = time.monotonic()

    def app(self) -> web.Application:
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/v1/chat/completions", self.complete)
        app.router.add_get("/v1/models", self.models)
        return app

    async def models(self, request: web.Request) -> web.Response:
        names = [{"id": f"sim/{name}", "object": "model", "owned_by": "selfexec"} for name in PROFILES]
        return _json({"object": "list", "data": names})

    async def complete(self, request: web.Request) -> web.StreamResponse:
        self.requests += 1
        raw = await request.read()
        try:
            body = msgspec.json.decode(raw)
            spoken = [message for message in body["messages"] if message["role"] != "system"]
            model, messages = body["model"], msgspec.convert(spoken, Annotated[list[Message], SOME])
            who = self._who(model)
        except (msgspec.DecodeError, KeyError, IndexError, TypeError):
            return _json({"error": {"message": "the body is no chat-completions request"}}, 400)
        except InputError as unknown:
            return _json({"error": {"message": str(unknown), "code": "model_not_found"}}, 404)
        if self.manners.latency:
            await asyncio.sleep(self.manners.latency)
        if wait := self._over_the_rate():
            return _json({"error": {"message": "rate limit"}}, 429, {"Retry-After": f"{wait:.2f}"})
        fault = self._fault(raw)
        if fault and (fault in ERRORS or fault in ("429", "reset", "garbage", "no-choices", "firewall")):
            return _broken(fault, request)
        epoch, thinks = int(request.headers.get("X-Selfexec-Epoch", "1")), _is_to_think(body)
        reply = who.reply(messages, epoch, thinks=thinks)
        length = sum(len(message.content) for message in messages)
        completion = _completion(model, reply.text or "", reply.output_tokens, length // 4, fault)
        completion["id"] = f"sim-{self._name}-{self.requests}"
        if fault == "slow-body":
            return await _dripping(request, completion)
        return _json(completion)

    def _who(self, model: str) -> Respondent:
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


def _is_to_think(body: Mapping[str, Any]) -> bool:
    """Whether a request leaves thinking on, in the words of servers like vLLM."""
    template = body.get("chat_template_kwargs")
    return not isinstance(template, dict) or template.get("enable_thinking") is not False


def _json(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    return web.Response(
        body=msgspec.json.encode(body), status=status, content_type="application/json", headers=dict(headers or {})
    )


def _completion(model: str, text: str, tokens: int | None, prompt_tokens: int, fault: str | None) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    finish = "stop"
    if fault == "content-filter":
        message["content"], finish = "", "content_filter"
    elif fault == "refusal":
        message |= {"content": None, "refusal": "I can't help with that."}
    elif fault == "truncation":
        message["content"], finish = text[: len(text) // 2], "length"
    elif fault == "died":
        message["content"], finish = text[: len(text) // 2], "error"
    elif fault == "empty":
        message["content"] = ""
    completion: dict[str, Any] = {
        "object": "chat.completion",
        "model": model,
        "simulated": True,  # so that nobody who runs this server by another name takes it for a language model
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }
    if fault != "no-usage":
        total = prompt_tokens + (tokens or 0)
        completion["usage"] = {"prompt_tokens": prompt_tokens, "completion_tokens": tokens, "total_tokens": total}
    return completion


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


async def _dripping(request: web.Request, completion: dict[str, Any]) -> web.StreamResponse:
    body = msgspec.json.encode(completion)
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    step = max(len(body) // 5, 1)
    for start in range(0, len(body), step):
        await response.write(body[start : start + step])
        await asyncio.sleep(0.05)
    await response.write_eof()
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


def parse_faults(texts: Sequence[str]) -> dict[str, float]:
    """'429=0.1' as a fault and its share."""
    faults: dict[str, float] = {}
    for text in texts:
        name, _, share = text.partition("=")
        try:
            faults[name] = float(share)
        except ValueError:
            raise InputError(f"--fault {text}: write it as FAULT=SHARE, like 429=0.1.") from None
    return faults
