"""Chat completions over HTTP, as fast as the wire allows, honest about every failure.

429, 5xx, resets, timeouts, bodies that are none    asked again, with growing pauses, a bounded number of times
replies whose upstream died                         the same: a finish reason "error" is no reply
refusals, content filters, policy errors            kept: they are behaviour (`policy` says which errors are one)
empty text                                          asked once more, then kept as empty
401, 402, 403, 404, a request that nobody accepts   the run stops, and says what to do; once something has come back,
                                                    only when it comes three times, since one replica may be wrong
redirects, certificates that nobody vouches for     so it does

Nothing leaves `ask`, be it a reply or an error, that holds a key: see `scrubbing`.
"""

import asyncio
import json
import math
import random
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple, NoReturn, Self

import msgspec
from yarl import URL

from selfexec.engines.base import Call, EngineOptions, Outcome, is_simulated
from selfexec.engines.http.formats import WIRES, Unusable, Wire
from selfexec.engines.http.headers import checked, secrets_of
from selfexec.engines.http.policy import error_in_reply, policy_in_reply, shortened, status_in_reply, verdict
from selfexec.engines.http.providers import Endpoint, endpoint
from selfexec.engines.http.proxies import proxy_for
from selfexec.engines.http.quota import spent
from selfexec.engines.http.rate_limit import RateLimit
from selfexec.engines.http.scrubbing import Scrubber, passwords
from selfexec.engines.http.transport import Fault, Response, Transport, Untrusted
from selfexec.errors import InputError
from selfexec.text.redaction import secrets_in

ATTEMPTS = 8
FIRST_ATTEMPTS = 3  # until anything has come back: a wrong address should not take minutes to say so
LONGEST_PAUSE = 60.0
LONGEST_TEXT = 4_000_000  # characters of a reply, its thoughts included: what one line of the journal may hold
REFUSALS = 3  # how often a call is refused for good before the run stops, once this address has answered
REFUSAL_PAUSES = (2.0, 6.0)
STREAMED = (b"data:", b"event:", b"id:", b"retry:", b": ")  # how a line of text/event-stream begins, and no JSON
GIVEN = ("length", "content_filter", "refusal")  # finish reasons that say why there is no text


class Again(Exception):
    """A failure that may pass. `pause` is how long the server asked to wait, `way_out` what to do where it stays,
    `cause` what kind of failure it is, for counts.
    """

    def __init__(
        self, what: str, pause: float | None = None, way_out: str = "Try again later.", cause: str = "no completion"
    ) -> None:
        super().__init__(what)
        self.pause = pause
        self.way_out = way_out
        self.cause = cause


class Refused(Again):
    """A refusal that ends the run unless the next attempt goes better."""

    def __init__(self, what: str) -> None:
        super().__init__(what, cause="refused")


WRONG_ADDRESS = "Is this the right address?"


class Line(NamedTuple):
    """The way to one model, the same for all its calls."""

    where: Endpoint
    wire: Wire
    url: URL
    headers: Mapping[str, str]
    proxy: URL | None
    pace: RateLimit
    scrubber: Scrubber


class Post(NamedTuple):
    """One call as it goes over the wire, the same at every attempt."""

    line: Line
    payload: bytes
    headers: Mapping[str, str]


class HttpEngine:
    """Asks models over HTTP. One pool of connections, and one pace for each address."""

    def __init__(self, models: Sequence[str], options: EngineOptions) -> None:
        self.options = options
        self.warnings: list[str] = []
        endpoints = {
            model: endpoint(model, options.base_url, api_key_env=options.api_key_env, wire=options.wire)
            for model in models
        }
        if (options.api_key_env or options.headers) and len({where.url for where in endpoints.values()}) > 1:
            raise InputError(
                "--api-key-env and --header are for one address, and these models are at several. "
                "Give a command for each."
            )
        self.addresses: Mapping[str, str] = {model: where.shown for model, where in endpoints.items()}
        paces = {where.url: RateLimit(options.max_connections) for where in endpoints.values()}
        self._lines = {model: _line(where, paces[where.url], options) for model, where in endpoints.items()}
        if options.base_url and any(where.url != options.base_url.rstrip("/") for where in endpoints.values()):
            self.warnings.append("--base-url: its end is left out, since it is added to every base URL by itself")
        self._answered: set[str] = set()
        self._known_settings: dict[tuple[str, str], dict[str, Any]] = {}
        self._transport = Transport(options.timeout)

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
        try:
            return line.scrubber.outcome(_bounded(await self._asked(line, call)))
        except InputError as fault:
            raise InputError(line.scrubber.text(str(fault))) from None

    async def _asked(self, line: Line, call: Call) -> Outcome:
        body = line.wire.body(line.where, call.prompt, self.options.system, self._settings(call))
        # simulated models tell repetitions apart by it; nobody else is told
        repeated = call.epoch > 1 and is_simulated(call.model)
        headers = {**line.headers, "X-Selfexec-Epoch": str(call.epoch)} if repeated else line.headers
        post = Post(line, msgspec.json.encode(body), headers)
        outcome, causes = await self._persistently(post)
        if outcome.error is None and not outcome.text and outcome.stop_reason not in GIVEN and not outcome.refusal:
            again = await self._quietly(post)
            outcome, causes = again or outcome, [*causes, "empty reply"]
        if not causes:
            return outcome
        return msgspec.structs.replace(outcome, attempt=len(causes) + 1, retry_causes=tuple(causes))

    def _settings(self, call: Call) -> dict[str, Any]:
        place = (call.experiment, call.kind)
        if place not in self._known_settings:
            found = {**self.options.extra_body, **settings_for(self.options.settings, call)}
            self._known_settings[place] = found
        return self._known_settings[place]

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
                if attempt < (ATTEMPTS if answered else FIRST_ATTEMPTS):
                    await asyncio.sleep(failure.pause or _pause(attempt))
                    causes.append(failure.cause)
                    continue
                tried = f"{failure} ({attempt} attempts)"
                if not answered:
                    raise InputError(f"{where.shown}: {tried}. {failure.way_out}") from None
                return Outcome(None, error=tried), causes

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
            try:
                outcome = _decoded(where, post.line.wire, raw)
            except Again:
                self._stop_if_final(where, raw)
                raise
            self._answered.add(where.url)
            pace.went_well()
            return outcome
        if 300 <= status < 400:
            self._redirected(post, status, headers.get("Location", ""))
        message, wait = _message(raw), _seconds(headers.get("Retry-After"))
        self._stop_if_spent(where, status, raw, wait)
        found = verdict(where, status, _error_body(raw))
        if found.kind == "passing":
            if status in (429, 503, 529):
                pace.too_fast(wait)
            what = f"status {status}: {message}" if message else f"status {status}"
            raise Again(what, wait, cause=_cause(status))
        if found.kind == "policy":
            return _withheld(status, found.said)
        return self._refused(where, status, message, of_the_account=found.kind == "account")

    async def _send(self, post: Post) -> Response:
        line = post.line
        try:
            return await self._transport.post(line.url, post.payload, post.headers, line.proxy)
        except Untrusted as fault:
            raise Refused(f"{line.where.shown}: {fault}.") from None
        except Fault as fault:
            way_out = WRONG_ADDRESS if fault.address_in_doubt else "Try again later."
            raise Again(str(fault), way_out=way_out, cause=fault.cause) from None

    def _stop_if_spent(self, where: Endpoint, status: int, raw: bytes, wait: float | None = None) -> None:
        """Raise InputError where an error says that nothing more will come for money or for today; Refused where the
        status alone says so.
        """
        if why := spent(status, raw, wait):
            said = f" The server says: {message}" if (message := _message(raw)) else ""
            raise (Refused if status == 402 else InputError)(
                f"{where.shown}: status {status}: {why}. All replies so far are kept; fill the account up or wait, "
                f"then the same command goes on from here.{said}"
            )

    def _stop_if_final(self, where: Endpoint, raw: bytes) -> None:
        """Raise InputError or Refused where an error that came with status 200 is about money or the account."""
        body = _error_body(raw)
        if (error := error_in_reply(body)) is None:
            return
        status, raw = status_in_reply(body), msgspec.json.encode({"error": error})
        self._stop_if_spent(where, status, raw)
        if verdict(where, status, {"error": error}).kind == "account":
            self._refused(where, status, _message(raw), of_the_account=True)

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
            404: f"there is no model {where.name!r} here, or the address is wrong.{_better_address(where)}",
        }.get(status, "the account, its key or its region is in the way.")
        if of_the_account:
            raise Refused(f"{where.shown}: status {status}: {way_out}{said}")
        if where.url not in self._answered:
            raise InputError(f"{where.shown}: status {status}: the request is not accepted.{said}")
        return Outcome(None, error=f"status {status}: {message}")


def _better_address(where: Endpoint) -> str:
    """What is mostly meant where the address is only that of a server."""
    bare = where.wire == "openai" and URL(where.url).path == "/"
    return f" Most end in /v1: try {where.shown.rstrip('/')}/v1." if bare else ""


def _line(where: Endpoint, pace: RateLimit, options: EngineOptions) -> Line:
    wire, given = WIRES[where.wire], checked(options.headers, where)
    ours = {"Content-Type": "application/json", "User-Agent": "selfexec", **wire.headers(where)}
    replaced = {name.lower() for name in given}
    headers = {**{name: value for name, value in ours.items() if name.lower() not in replaced}, **given}
    try:
        url = URL(wire.url(where))
    except ValueError:
        raise _invalid(where) from None
    if not url.host:
        raise _invalid(where)
    proxy = proxy_for(url)
    sent = [*options.settings.items(), *options.extra_body.items()]
    secrets = [where.key, *passwords(url), *(passwords(proxy) if proxy else ()), *secrets_of(given), *secrets_in(sent)]
    return Line(where, wire, url, headers, proxy, pace, Scrubber(secret for secret in secrets if secret))


def _invalid(where: Endpoint) -> InputError:
    return InputError(f"{where.shown}: not a valid address. Fix --base-url.")


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


def _cause(status: int) -> str:
    """What kind of failure a status stands for that may pass."""
    return "rate limit" if status == 429 else "server error" if status >= 500 else f"status {status}"


def _pause(attempt: int) -> float:
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


def _bounded(outcome: Outcome) -> Outcome:
    """A reply that is longer than the journal takes is an error, and not cut: half of it would be another reply."""
    length = sum(len(text) for text in (outcome.text, outcome.reasoning, outcome.refusal) if text)
    if length <= LONGEST_TEXT:
        return outcome
    said = f"the reply is longer than {LONGEST_TEXT:,} characters"
    return msgspec.structs.replace(outcome, text=None, reasoning=None, refusal=None, stop_reason=None, error=said)


def _withheld(status: int, said: str) -> Outcome:
    """What an error counts as in which a content policy against this input is given as the reason."""
    return Outcome("", stop_reason="content_filter", policy=f"status {status}: {said}")


def _decoded(where: Endpoint, wire: Wire, raw: bytes) -> Outcome:
    try:
        body = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        body = _leniently(raw)
    except RecursionError:
        raise _garbage("the reply is nested too deeply") from None
    if not isinstance(body, dict):
        raise _garbage("the reply is no JSON object")
    try:
        return wire.outcome(body)
    except Unusable as fault:
        if (said := policy_in_reply(where, body)) is not None:
            return _withheld(200, said)
        raise _garbage(f"the reply is no completion ({fault})") from None
    except (AttributeError, TypeError, KeyError, IndexError):
        raise _garbage("the reply has an unknown shape") from None


def _garbage(what: str) -> Again:
    return Again(what, way_out=WRONG_ADDRESS)


def _leniently(raw: bytes) -> Any:
    """A body with half a surrogate pair or a stray byte in it, as models that write bytes make them: still a reply."""
    try:
        body = json.loads(raw.removeprefix(b"\xef\xbb\xbf").decode(errors="replace"))
        return json.loads(json.dumps(body, ensure_ascii=False).encode(errors="replace"))
    except (ValueError, RecursionError):
        if raw.lstrip().startswith(STREAMED):
            raise Again(
                "the server streams though it was not asked to", way_out="Switch streaming off at the server."
            ) from None
        raise _garbage("the reply is not JSON") from None


def _message(raw: bytes) -> str:
    """What a server says is wrong, in one short line."""
    body = _error_body(raw)
    error = body.get("error", body) if isinstance(body, dict) else None
    if isinstance(error, dict):
        error = error.get("message") or error.get("detail")
    return shortened(error if isinstance(error, str) else raw[:10_000].decode(errors="replace"))


def _error_body(raw: bytes) -> Any:
    """What a body with an error holds; None where it is no JSON."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


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
    return max(seconds, 0.0) or None if math.isfinite(seconds) else None
