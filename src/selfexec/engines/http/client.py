"""Chat completions over HTTP, as fast as the wire allows, honest about every failure.

429, 5xx, resets, timeouts, bodies that are none    asked again, with growing pauses, a bounded number of times
a server that cannot be reached for a minute         its calls are given up at once until it is back
streams that break off                              the same: half of a reply is no reply
what a cache has sent                               the run stops, and says how to do without: no session was opened
replies whose upstream died                         the same: a finish reason "error" is no reply
refusals, content filters, policy errors            kept: they are behaviour (`policy` says which errors are one)
empty text                                          asked once more, then kept as empty
401, 402, 403, 404, a request that nobody accepts   the run stops, and says what to do; once something has come back,
                                                    only when it comes three times, since one replica may be wrong
redirects, certificates that nobody vouches for     so it does

Nothing leaves `ask`, be it a reply or an error, that holds a key: see `scrubbing`.
"""

import asyncio
import random
import re
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import NamedTuple, NoReturn, Self

import msgspec
from yarl import URL

from selfexec.engines.base import Call, Connection, Outcome
from selfexec.engines.http.bodies import (
    WRONG_ADDRESS,
    Again,
    bounded,
    decoded,
    error_body,
    message_in,
    seconds_of,
    withheld,
)
from selfexec.engines.http.gateways import cached_by, is_cut, with_headers
from selfexec.engines.http.lines import Line
from selfexec.engines.http.policy import error_in_reply, status_in_reply, verdict
from selfexec.engines.http.providers import Endpoint, endpoint
from selfexec.engines.http.quota import spent
from selfexec.engines.http.rate_limit import RateLimit
from selfexec.engines.http.shutdown import shutdown_said
from selfexec.engines.http.transport import Fault, Response, Transport, Untrusted
from selfexec.engines.http.wires import WIRES, Stream, Unusable
from selfexec.errors import InputError
from selfexec.text.numbers import number_of

ATTEMPTS = 8
FIRST_ATTEMPTS = 3  # until anything has come back: a wrong address should not take minutes to say so
LONGEST_PAUSE = 60.0
GONE = 60.0  # seconds without any connection after which a server that had answered is no longer waited for
REFUSALS = 3  # how often a call is refused for good before the run stops, once this address has answered
REFUSAL_PAUSES = (2.0, 6.0)
SIMULATED = "sim/"  # how models behind `selfexec serve` are called
GIVEN = ("length", "content_filter", "refusal")  # finish reasons that say why there is no text


class Refused(Again):
    """A refusal that ends the run unless the next attempt goes better."""

    def __init__(self, what: str) -> None:
        super().__init__(what, cause="refused")


class Post(NamedTuple):
    """One call as it goes over the wire, the same at every attempt."""

    line: Line
    payload: bytes
    headers: Mapping[str, str]


class HttpEngine:
    """Asks models over HTTP. One pool of connections, and one pace for each address."""

    def __init__(self, models: Sequence[str], connection: Connection) -> None:
        self.warnings: list[str] = []
        endpoints = {
            model: endpoint(model, connection.base_url, api_key_env=connection.api_key_env, wire=connection.wire)
            for model in models
        }
        if (connection.api_key_env or connection.headers) and len({where.url for where in endpoints.values()}) > 1:
            raise InputError(
                "--api-key-env and --header are for one address, and these models are at several. "
                "Give a command for each."
            )
        self.addresses: Mapping[str, str] = {model: where.shown for model, where in endpoints.items()}
        paces = {where.url: RateLimit(connection.max_connections) for where in endpoints.values()}
        given = connection.headers
        streams = connection.stream
        self._lines = {model: Line(where, paces[where.url], given, streams) for model, where in endpoints.items()}
        whole = (connection.base_url or "").partition("?")[0].rstrip("/")
        if whole and any(where.url != whole for where in endpoints.values()):
            self.warnings.append("--base-url: its end is left out, since it is added to every base URL by itself")
        self._answered: set[str] = set()
        self._keeping: set[str] = set()
        self._unreachable: dict[str, float] = {}  # address -> since when no connection to it could be made
        self._transport = Transport(connection.timeout)

    async def __aenter__(self) -> Self:
        await self._transport.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._transport.__aexit__(kind, error, trace)

    async def ask(self, call: Call) -> Outcome:
        """What came back. Raises InputError where no further call can succeed either."""
        line = self._lines[call.model]
        line.keep_back(call.sampling)
        try:
            return line.scrubber.outcome(bounded(await self._asked(line, call)))
        except InputError as fault:
            raise InputError(line.scrubber.text(fault.typed)) from None

    async def notices(self, model: str) -> Sequence[str]:
        """What the server says of a model in its list: that it is about to be shut down. Nothing where it says nothing,
        or has no such list.
        """
        line = self._lines[model]
        try:
            response = await self._transport.get(line.listed, line.headers, line.proxy)
        except Fault:
            return []
        said = shutdown_said(line.where.name, error_body(response.raw), datetime.now(UTC).date())
        return [line.scrubber.text(f"{model}: {text}") for text in said if response.status == 200]

    async def _asked(self, line: Line, call: Call) -> Outcome:
        streaming = line.wire.streaming if line.streams else {}
        sampling = {"logprobs": True, **call.sampling} if "logprobs" in call.needs else call.sampling
        body = {**streaming, **line.wire.body(line.where, call.messages, sampling)}
        # the server of simulated models tells repetitions apart by it; nobody else is told
        repeated = call.key.epoch > 1 and call.model.startswith(SIMULATED)
        headers = {**line.headers, "X-Selfexec-Epoch": str(call.key.epoch)} if repeated else line.headers
        post = Post(line, msgspec.json.encode(body), headers)
        outcome, causes = await self._persistently(post)
        if outcome.error is None and not outcome.text and outcome.stop_reason not in GIVEN and not outcome.refusal:
            again = await self._quietly(post)
            outcome, causes = again or outcome, [*causes, "empty reply"]
        if is_cut(call.messages, call.sampling, outcome):
            outcome = msgspec.structs.replace(outcome, prompt_cut=True)
        if not causes:
            return outcome
        return msgspec.structs.replace(outcome, attempt=len(causes) + 1, retry_causes=tuple(causes))

    async def _persistently(self, post: Post) -> tuple[Outcome, list[str]]:
        """What came back in the end, and why it was asked for again, once for each time."""
        where = post.line.where
        causes: list[str] = []
        refusals = 0
        while True:
            attempt = len(causes) + 1
            try:
                return await self._once(post), causes
            except Refused as failure:
                refusals += 1
                if refusals == REFUSALS or where.url not in self._answered:
                    raise InputError(str(failure)) from None
                await asyncio.sleep(REFUSAL_PAUSES[refusals - 1])
                causes.append(failure.cause)
            except Again as failure:
                answered = where.url in self._answered
                if attempt < (ATTEMPTS if answered else FIRST_ATTEMPTS) and not self._is_gone(where):
                    await asyncio.sleep(failure.pause or pause(attempt))
                    causes.append(failure.cause)
                    continue
                tried = f"{failure} ({number_of(attempt, 'attempt')})"
                if not answered:
                    raise InputError(f"{where.shown}: {tried}. {failure.way_out}") from None
                return Outcome(None, error=tried), causes

    def _is_gone(self, where: Endpoint) -> bool:
        """Whether a server that had answered cannot be reached for so long that nobody should wait for it."""
        since = self._unreachable.get(where.url)
        if since is None or where.url not in self._answered or time.monotonic() - since < GONE:
            return False
        said = (
            f"{where.shown}: no connection could be made for {GONE:g} s. From then on calls to it are given up at once "
            "for as long as that lasts; when the server is back, the same command asks for what is missing"
        )
        if said not in self.warnings:
            self.warnings.append(said)
        return True

    async def _quietly(self, post: Post) -> Outcome | None:
        try:
            return await self._once(post)
        except Again:
            return None

    async def _once(self, post: Post) -> Outcome:
        where, pace = post.line.where, post.line.pace
        async with pace:
            status, headers, raw = await self._send(post)
        if 200 <= status < 300:
            if why := cached_by(headers):
                raise InputError(f"{where.shown}: {why}.")
            try:
                outcome = decoded(where, post.line.wire, raw)
            except Again:
                self._stop_if_final(where, raw)
                raise
            self._answered.add(where.url)
            self._note_kept(where, raw)
            pace.went_well()
            return with_headers(outcome, headers)
        if 300 <= status < 400:
            self._redirected(post, status, headers.get("Location", ""))
        message, wait = message_in(raw), seconds_of(headers.get("Retry-After"))
        self._stop_if_spent(where, status, raw, wait)
        found = verdict(where, status, error_body(raw))
        if found.kind == "passing":
            if status in (429, 503, 529):
                pace.too_fast(wait)
            what = f"status {status}: {message}" if message else f"status {status}"
            raise Again(what, wait, cause=_cause(status))
        if found.kind == "policy":
            return withheld(status, found.said)
        return self._refused(where, status, message, of_the_account=found.kind == "account")

    async def _send(self, post: Post) -> Response:
        line = post.line
        stream = Stream(line.wire.gathering()) if line.streams else None
        try:
            response = await self._transport.post(line.url, post.payload, post.headers, line.proxy, stream)
            self._unreachable.pop(line.where.url, None)
            if stream is None or not 200 <= response.status < 300:
                return response
            return response._replace(raw=stream.raw())
        except Unusable as fault:
            raise Again(f"no whole reply came ({fault})", cause="broken stream") from None
        except Untrusted as fault:
            raise Refused(f"{line.where.shown}: {fault}.") from None
        except Fault as fault:
            if fault.address_in_doubt:
                self._unreachable.setdefault(line.where.url, time.monotonic())
            else:
                self._unreachable.pop(line.where.url, None)
            way_out = WRONG_ADDRESS if fault.address_in_doubt else "Try again later."
            raise Again(str(fault), way_out=way_out, cause=fault.cause) from None

    def _stop_if_spent(self, where: Endpoint, status: int, raw: bytes, wait: float | None = None) -> None:
        """Raise InputError where an error says that nothing more will come for money or for today; Refused where the
        status alone says so.
        """
        if why := spent(status, raw, wait):
            said = f" The server says: {message}" if (message := message_in(raw)) else ""
            raise (Refused if status == 402 else InputError)(
                f"{where.shown}: status {status}: {why}. All replies so far are kept; fill the account up or wait, "
                f"then the same command goes on from here.{said}"
            )

    def _stop_if_final(self, where: Endpoint, raw: bytes) -> None:
        """Raise InputError or Refused where an error that came with status 200 is about money or the account."""
        body = error_body(raw)
        if (error := error_in_reply(body)) is None:
            return
        status, raw = status_in_reply(body), msgspec.json.encode({"error": error})
        self._stop_if_spent(where, status, raw)
        if verdict(where, status, {"error": error}).kind == "account":
            self._refused(where, status, message_in(raw), of_the_account=True)

    def _note_kept(self, where: Endpoint, raw: bytes) -> None:
        """Warn once where a server that was told to keep nothing says that it does."""
        if where.wire == "responses" and b'"store"' in raw and where.url not in self._keeping:
            body = error_body(raw)
            if isinstance(body, dict) and body.get("store") is True:
                self._keeping.add(where.url)
                self.warnings.append(
                    f"{where.shown}: it was told to keep nothing (store: false), and says that it keeps replies "
                    "(store: true). No session asks for them; whether one knows of another, selfexec check tries"
                )

    def _redirected(self, post: Post, status: int, location: str) -> NoReturn:
        """It is not followed: it would carry the key elsewhere, or turn the question into none."""
        target = _place(post.line.url, location)
        raise Refused(
            f"{post.line.where.shown}: status {status}: it points to {target}, which is not followed. If that is "
            "right, give that address."
        )

    def _refused(self, where: Endpoint, status: int, message: str, of_the_account: bool) -> Outcome:
        """A status that asking again will not change."""
        said = f" The server says: {message}" if message else ""
        way_out = {
            401: f"the key is not accepted. {where.way_to_key}",
            403: "the key may not use this model.",
            404: f"there is no model {where.name!r} here, or the address is wrong, or it does not speak the format of "
            f"{WIRES[where.wire].title} (--wire).{_better_address(where)}",
        }.get(status, "the account, its key or its region is in the way.")
        if where.wire == "responses" and status in (400, 422) and re.search(r"\bstore\b", message):
            raise Refused(
                f"{where.shown}: status {status}: it refuses `store: false`, so that it would keep what is asked and "
                f"said. Nothing is asked without it: ask elsewhere, or in another format (--wire openai).{said}"
            )
        if of_the_account:
            raise Refused(f"{where.shown}: status {status}: {way_out}{said}")
        if where.url not in self._answered:
            maybe = f" Another --wire may be right: it was asked in {WIRES[where.wire].title}." if status == 405 else ""
            raise InputError(f"{where.shown}: status {status}: the request is not accepted.{maybe}{said}")
        return Outcome(None, error=f"status {status}: {message}")


def _better_address(where: Endpoint) -> str:
    """What is mostly meant where the address is only that of a server."""
    bare = where.wire in ("openai", "responses") and URL(where.url).path == "/"
    return f" Most end in /v1: try {where.shown.rstrip('/')}/v1." if bare else ""


def _cause(status: int) -> str:
    """What kind of failure a status stands for that may pass."""
    return "rate limit" if status == 429 else "server error" if status >= 500 else f"status {status}"


def pause(attempt: int) -> float:
    """Seconds before the next attempt: at random, so that calls which failed together do not come back together."""
    return random.uniform(0.1, min(0.5 * 2 ** (attempt - 1), LONGEST_PAUSE))


def _place(url: URL, location: str) -> str:
    """Whose place a redirect names: the server alone, since paths and queries may hold what is nobody's business."""
    try:
        target = url.join(URL(location))
        if target.origin() != url.with_user(None).origin():
            return str(target.origin())
    except ValueError:
        return "no valid address"
    return f"another path of {target.host}"
