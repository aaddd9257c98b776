"""The lean engine: chat completions over HTTP, as fast as the wire allows, honest about every failure.

429, 5xx, resets, timeouts, bodies that are none    asked again, with growing pauses, a bounded number of times
refusals, content filters, policy errors            kept: they are behaviour
empty text                                          asked once more, then kept as empty
401, 402, 403, 404, a request that nobody accepts   the run stops, and says what to do
"""

import asyncio
import json
import os
import random
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Self

import aiohttp
import msgspec
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt, wait_random_exponential
from yarl import URL

from selfexec.engines import Call, EngineOptions, Outcome
from selfexec.engines.lean.pace import Pace
from selfexec.engines.lean.providers import Endpoint, endpoint
from selfexec.engines.lean.wires import WIRES, Unusable, Wire
from selfexec.errors import InputError

ATTEMPTS = 8
FIRST_ATTEMPTS = 3  # until anything has come back: a wrong address should not take minutes to say so
LONGEST_PAUSE = 60.0
PROXIES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")
# how providers say that a policy of theirs, not the request's form, is in the way
POLICY = (
    *("content_filter", "content_policy", "content management policy", "usage policy", "policy violation"),
    *("invalid_prompt", "moderation", "prohibited", "responsibleai", "flagged"),
)


class Again(Exception):
    """A failure that may pass. `pause` is how long the server asked to wait."""

    def __init__(self, what: str, pause: float | None = None) -> None:
        super().__init__(what)
        self.pause = pause


class Line(NamedTuple):
    """The way to one model, the same for all its calls."""

    where: Endpoint
    wire: Wire
    url: URL
    headers: Mapping[str, str]
    pace: Pace


class Post(NamedTuple):
    """One call as it goes over the wire, the same at every attempt."""

    line: Line
    payload: bytes
    headers: Mapping[str, str]


class LeanEngine:
    """Asks models over HTTP. One pool of connections, and one pace for each address."""

    def __init__(self, models: Sequence[str], options: EngineOptions) -> None:
        self.options = options
        self.warnings: list[str] = []
        endpoints = {model: endpoint(model, options.base_url) for model in models}
        paces = {where.url: Pace(options.max_connections) for where in endpoints.values()}
        self._lines = {model: _line(where, paces[where.url]) for model, where in endpoints.items()}
        self._served: dict[str, str] = {}
        self._answered: set[str] = set()
        self._known_settings: dict[tuple[str, str], dict[str, Any]] = {}
        self._http: aiohttp.ClientSession

    async def __aenter__(self) -> Self:
        self._http = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            timeout=aiohttp.ClientTimeout(total=self.options.timeout),
            # no session may know of another by a cookie
            cookie_jar=aiohttp.DummyCookieJar(),
            # with it, aiohttp looks into ~/.netrc in a thread at every call, which costs more than the call
            trust_env=any(os.environ.get(name) for name in PROXIES),
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.close()

    async def ask(self, call: Call) -> Outcome:
        """What came back. Raises InputError where no further call can succeed either."""
        line = self._lines[call.model]
        body = line.wire.body(line.where, call.prompt, self.options.system, self._settings(call))
        # simulated models tell repetitions apart by it; nobody else is told
        repeated = call.epoch > 1 and self.options.base_url
        headers = {**line.headers, "X-Selfexec-Epoch": str(call.epoch)} if repeated else line.headers
        post = Post(line, msgspec.json.encode(body), headers)
        attempt = 1
        try:
            outcome = await self._once(post)
        except Again as failure:
            # the retry policy costs time of its own, so that calls that go well do without it
            outcome, attempt = await self._again(post, failure)
        if outcome.error is None and not outcome.text and outcome.stop_reason == "stop" and not outcome.refusal:
            again = await self._quietly(post)
            outcome, attempt = again or outcome, attempt + 1
        self._note(call.model, outcome)
        return msgspec.structs.replace(outcome, attempt=attempt) if attempt > 1 else outcome

    def _settings(self, call: Call) -> dict[str, Any]:
        place = (call.experiment, call.kind)
        if place not in self._known_settings:
            found = {**self.options.extra_body, **settings_for(self.options.settings, call)}
            self._known_settings[place] = found
        return self._known_settings[place]

    async def _again(self, post: Post, failure: Again) -> tuple[Outcome, int]:
        where = post.line.where
        attempts = 1
        last = failure

        def pause(state: RetryCallState) -> float:
            return last.pause or float(wait_random_exponential(multiplier=0.5, max=LONGEST_PAUSE)(state))

        try:
            await asyncio.sleep(failure.pause or random.uniform(0.1, 0.5))
            most = (ATTEMPTS if where.url in self._answered else FIRST_ATTEMPTS) - 1
            policy = AsyncRetrying(
                stop=stop_after_attempt(most), wait=pause, retry=retry_if_exception_type(Again), reraise=True
            )
            async for turn in policy:
                with turn:
                    attempts += 1
                    try:
                        return await self._once(post), attempts
                    except Again as again:
                        last = again
                        raise
        except Again as final:
            if where.url not in self._answered:
                raise InputError(f"{where.shown}: {final} ({attempts} attempts). Is this the right address?") from None
            return Outcome(None, error=f"{final} ({attempts} attempts)"), attempts
        raise AssertionError("the retry policy ended without a result")

    async def _quietly(self, post: Post) -> Outcome | None:
        try:
            return await self._once(post)
        except Again:
            return None

    async def _once(self, post: Post) -> Outcome:
        where, pace = post.line.where, post.line.pace
        async with pace:
            status, headers, raw = await self._send(post)
        if status == 200:
            outcome = _decoded(post.line.wire, raw)
            self._answered.add(where.url)
            pace.went_well()
            return outcome
        message = _message(raw)
        if status == 429 or status >= 500 or status in (408, 409, 425):
            wait = _seconds(headers.get("Retry-After"))
            if status in (429, 503, 529):
                pace.too_fast(wait)
            raise Again(f"status {status}: {message}" if message else f"status {status}", wait)
        if status in (400, 403, 422, 451) and _is_policy(raw):
            self._answered.add(where.url)
            return Outcome("", stop_reason="content_filter")
        return self._refused(where, status, message)

    async def _send(self, post: Post) -> tuple[int, Mapping[str, str], bytes]:
        where = post.line.where
        try:
            async with self._http.post(post.line.url, data=post.payload, headers=post.headers) as response:
                raw = await response.read()
                # whatever a server sends back, the key is not in it
                if where.key and (key := where.key.encode()) in raw:
                    raw = raw.replace(key, b"[key]")
                return response.status, response.headers, raw
        except TimeoutError:
            raise Again(f"no reply within {self.options.timeout:g} s") from None
        except aiohttp.InvalidURL:
            raise _invalid(where) from None
        except (aiohttp.ClientError, OSError) as fault:
            raise Again(f"the connection failed ({type(fault).__name__}: {_scrubbed(str(fault), where)})") from None

    def _refused(self, where: Endpoint, status: int, message: str) -> Outcome:
        """A status that asking again will not change."""
        said = f" The server says: {message}" if message else ""
        way_out = {
            401: "the key is not accepted. Check it.",
            402: "the account is out of credit. Fill it up; the same command goes on from here.",
            403: "the key may not use this model.",
            404: f"there is no model {where.name!r} here, or the address is wrong.",
        }.get(status)
        if way_out:
            raise InputError(f"{where.shown}: status {status}: {way_out}{said}")
        if where.url not in self._answered:
            raise InputError(f"{where.shown}: status {status}: the request is not accepted.{said}")
        return Outcome(None, error=f"status {status}: {message}")

    def _note(self, model: str, outcome: Outcome) -> None:
        """Remember which model served, and warn where that changes."""
        if not outcome.served_model:
            return
        first = self._served.setdefault(model, outcome.served_model)
        if outcome.served_model != first:
            self._served[model] = outcome.served_model
            self.warnings.append(f"{model}: served by {first} at first, now by {outcome.served_model}")


def _line(where: Endpoint, pace: Pace) -> Line:
    wire = WIRES[where.wire]
    headers = {"Content-Type": "application/json", "User-Agent": "selfexec", **wire.headers(where)}
    try:
        return Line(where, wire, URL(wire.url(where)), headers, pace)
    except ValueError:
        raise _invalid(where) from None


def _invalid(where: Endpoint) -> InputError:
    return InputError(f"{where.shown}: not a valid address. Mend --base-url.")


def settings_for(settings: Mapping[str, Any], call: Call) -> dict[str, Any]:
    """The settings of one call. `temperature` holds for all, `execute.temperature` for one kind of session,
    `difficulty.temperature` for one experiment, `difficulty.execute.temperature` for both; the narrower one wins.
    """
    scopes = ("", f"{call.kind}.", f"{call.experiment}.", f"{call.experiment}.{call.kind}.")
    found: dict[str, Any] = {}
    for scope in scopes:
        for name, value in settings.items():
            if name.startswith(scope) and "." not in name[len(scope) :]:
                found[name[len(scope) :]] = value
    return found


def _decoded(wire: Wire, raw: bytes) -> Outcome:
    try:
        body = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        body = _leniently(raw)
    if not isinstance(body, dict):
        raise Again("the reply is no JSON object")
    try:
        return wire.outcome(body)
    except Unusable as fault:
        raise Again(f"the reply is no completion ({fault})") from None
    except (AttributeError, TypeError, KeyError, IndexError):
        raise Again("the reply has an unknown shape") from None


def _leniently(raw: bytes) -> Any:
    """A body with half a surrogate pair or a stray byte in it, as models that write bytes make them: still a reply."""
    try:
        body = json.loads(raw.decode(errors="replace"))
        return json.loads(json.dumps(body, ensure_ascii=False).encode(errors="replace"))
    except (ValueError, RecursionError):
        raise Again("the reply is not JSON") from None


def _message(raw: bytes) -> str:
    """What a server says is wrong, in one short line."""
    try:
        body = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        body = None
    error = body.get("error", body) if isinstance(body, dict) else None
    if isinstance(error, dict):
        error = error.get("message") or error.get("detail")
    text = error if isinstance(error, str) else raw[:200].decode(errors="replace")
    return " ".join(text.split())[:300]


def _is_policy(raw: bytes) -> bool:
    lowered = raw[:4000].decode(errors="replace").lower()
    return any(word in lowered for word in POLICY)


def _seconds(retry_after: str | None) -> float | None:
    """Seconds of a Retry-After header, which may be a number or a date."""
    if not retry_after:
        return None
    try:
        seconds = float(retry_after)
    except ValueError:
        from datetime import UTC, datetime
        from email.utils import parsedate_to_datetime

        try:
            seconds = (parsedate_to_datetime(retry_after) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return None
    return min(max(seconds, 0.0), LONGEST_PAUSE) or None


def _scrubbed(text: str, where: Endpoint) -> str:
    return text.replace(where.key, "[key]") if where.key else text
