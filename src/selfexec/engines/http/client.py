"""Models over HTTP, in the wire format of their server (`wires`: chat completions and others), as fast as the wire
allows. What failed says so: a CallResult has an error, or the call is made again, or the run stops.

429, 5xx, resets, timeouts, bodies that are none    asked again, with growing pauses, a bounded number of times
a server that is away                               calls to it wait until it is back, and the run stops after a while:
                                                    see `patience`
other statuses of success                           asked again: "accepted" and "partial content" are no replies
streams that break off                              asked again: half of a reply is no reply
whole replies in a shape that cannot be read        asked again, until the same shape has come twice
what a cache has sent                               the run stops, and says how to do without: no session was opened
replies whose upstream died                         asked again: a finish reason "error" is no reply, nor is half of
                                                    one with an error beside it
refusals, content filters, policy errors            kept: they are behaviour (`policy` says which errors are one)
empty text                                          asked once more, then kept as empty
a reply whose end is not known to be one            asked once more, then no reply: its text is kept apart (see `ends`)
401, 402, 403, 404, redirects, and certificates     the run stops, and says what to do; once something has come back,
that nobody vouches for                             only when it comes three times, since one replica may be wrong
other requests that are not accepted                the run stops where nothing has come back yet, else the session has
                                                    failed

Nothing leaves `ask`, be it a reply or an error, that holds a key: see `scrubbing`.
"""

import asyncio
import random
import re
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from types import TracebackType
from typing import Any, NamedTuple, NoReturn, Self

import msgspec
from yarl import URL

from selfexec.engines.base import Call, CallResult, Connection, ConnectionCheck
from selfexec.engines.http.bodies import (
    NOT_UTF8,
    OTHER_PROMPT,
    WRONG_ADDRESS,
    CachedReply,
    RetryableError,
    bounded,
    decoded,
    message_in,
    seconds_of,
    withheld,
)
from selfexec.engines.http.charsets import in_utf8, is_utf8
from selfexec.engines.http.connections import SurplusWatch
from selfexec.engines.http.contradictions import Contradictions
from selfexec.engines.http.errors import error_body
from selfexec.engines.http.flagged import quotes_another_prompt
from selfexec.engines.http.forms import Forms
from selfexec.engines.http.gateways import bytes_of_prompt, cached_by, is_cut, is_extended, with_headers
from selfexec.engines.http.patience import Admission, Reach, presence
from selfexec.engines.http.policy import BUSY, error_in_reply, is_rate_limit, shortened, status_in_reply, verdict
from selfexec.engines.http.prefill import Prefills, goes_on, without_beginning
from selfexec.engines.http.providers import Endpoint, endpoint
from selfexec.engines.http.quota import spent
from selfexec.engines.http.rate_limit import RateLimit
from selfexec.engines.http.raw_bodies import RawBody
from selfexec.engines.http.response_headers import (
    failure_header,
    failure_next_to_a_policy,
    foreign_type,
    say_nothing,
    wrong_digest,
)
from selfexec.engines.http.routes import Route
from selfexec.engines.http.server_clocks import ServerClocks
from selfexec.engines.http.server_counts import ServerCounts
from selfexec.engines.http.shutdown import shutdown_said
from selfexec.engines.http.transport import WITH_REPLY, Fault, Response, TLSError, Transport
from selfexec.engines.http.wires import WIRES, Stream, UnreadableReply, UnusableReply
from selfexec.errors import InputError, Interrupted
from selfexec.experiments import Message, messages_of
from selfexec.text.numbers import number_of

ATTEMPTS = 8
FIRST_ATTEMPTS = 3  # until anything has come back: a wrong address should not take minutes to say so
LONGEST_PAUSE = 60.0
NOT_DECODABLE = "the reply's bytes are none of the charset that it declares"
NO_REPLY = "Does this address answer later, or in parts? Then it cannot be asked."
LOADING = 503  # a server that answers so is there, though it has not answered anything else yet
CONTROL = "Reply with the word OK. ({})"  # tells prompts that fail from a server that does
REFUSALS = 3  # how often a call is refused for good before the run stops, once this address has answered
REFUSAL_PAUSES = (2.0, 6.0)
SIMULATED = "sim/"  # how models behind `selfexec serve` are called
GIVEN = ("length", "content_filter", "refusal")  # finish reasons that say why there is no text


class RefusedUnlessRepeated(RetryableError):
    """A call was refused by the server, not by the model: this ends the run with `error`, unless the next attempt goes
    better.
    """

    def __init__(self, error: InputError | str) -> None:
        super().__init__(error.typed if isinstance(error, InputError) else error, cause="refused")
        self.error = error if isinstance(error, InputError) else InputError(error)


class Blamed(Exception):
    """A failure that was put down to the server, and has turned out to be due to the call."""

    def __init__(self, failure: RetryableError) -> None:
        super().__init__(str(failure))
        self.failure = failure


class Request(NamedTuple):
    """One call as it goes over the wire, the same at every attempt."""

    route: Route
    payload: bytes
    headers: Mapping[str, str]
    prompt_bytes: int = 0


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
        self._routes = {model: Route(where, paces[where.url], given, streams) for model, where in endpoints.items()}
        whole = (connection.base_url or "").partition("?")[0].rstrip("/")
        if whole and any(where.url != whole for where in endpoints.values()):
            self.warnings.append("--base-url: its end is left out, since it is added to every base URL by itself")
        self._answered: set[str] = set()
        self._keeping: set[str] = set()
        self._controls = Counter[str]()
        self._said_of_controls: dict[str, str] = {}
        self.waiting: dict[str, str] = {}
        self._reaches = {where.url: Reach(where.shown, connection.patience, self) for where in endpoints.values()}
        self._prefills = Prefills()
        self._watch = SurplusWatch(self._warn_of_surplus)
        self._clocks = ServerClocks()
        self._counts = ServerCounts()
        self._forms = Forms()
        self._contradictions = Contradictions()
        one_at_a_time = connection.max_connections == 1
        self._transport = Transport(connection.timeout, self._watch, one_at_a_time=one_at_a_time)

    async def __aenter__(self) -> Self:
        await self._transport.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._transport.__aexit__(kind, error, trace)

    def report_checks(self, report: Callable[[ConnectionCheck], None]) -> None:
        """Have it reported which replies turn out to belong to their calls, and which may not."""
        self._watch.report = report

    def note_answered(self, addresses: Collection[str]) -> None:
        """Note which addresses, as `addresses` shows them, have answered before this engine was there."""
        self._answered.update(route.where.url for route in self._routes.values() if route.where.shown in addresses)

    async def ask(self, call: Call) -> CallResult:
        """What came back. Raises InputError where no further call can succeed either."""
        route = self._routes[call.model]
        if call.sampling:
            route.keep_back(call.sampling)
        try:
            if "prefill" not in call.needs:
                return route.scrubber.result(bounded(await self._asked(route, call)))
            echoes = await self._prefills.echoes(route.where, partial(self._probed, route, call))
            result = route.scrubber.result(bounded(await self._asked(route, call)))
            return without_beginning(result, call.messages) if echoes and goes_on(call.messages) else result
        except Interrupted as fault:
            raise Interrupted(route.scrubber.text(fault.obstacle), fault.way_on) from None
        except InputError as fault:
            raise InputError(route.scrubber.text(fault.typed)) from None

    async def _probed(self, route: Route, call: Call, messages: Sequence[Message]) -> CallResult:
        """What comes back with the settings of a call, to other messages. It is no reply of any session."""
        return await self._asked(route, msgspec.structs.replace(call, messages=tuple(messages)))

    async def notices(self, model: str) -> Sequence[str]:
        """What the server says of a model in its list: that it is about to be shut down. Nothing where it says nothing,
        or has no such list.
        """
        route = self._routes[model]
        try:
            response = await self._transport.get(route.listed, route.headers, route.proxy)
        except Fault:
            return []
        said = shutdown_said(route.where.name, error_body(response.raw), datetime.now(UTC).date())
        return [route.scrubber.text(f"{model}: {text}") for text in said if response.status in WITH_REPLY]

    async def _asked(self, route: Route, call: Call) -> CallResult:
        streaming = route.wire.streaming if route.streams else {}
        sampling = {"logprobs": True, **call.sampling} if "logprobs" in call.needs else call.sampling
        body = {**streaming, **route.wire.body(route.where, call.messages, sampling)}
        # the server of simulated models tells repetitions apart by it; nobody else gets it
        repeated = call.key.epoch > 1 and call.model.startswith(SIMULATED)
        headers = {**route.headers, "X-Selfexec-Epoch": str(call.key.epoch)} if repeated else route.headers
        prompt_bytes = bytes_of_prompt(call.messages, sampling)
        request = Request(route, msgspec.json.encode(body), headers, prompt_bytes)
        result, causes = await self._persistently(request, self._control(route, sampling))
        doubts: list[str] = []
        while (doubt := doubt_about(result)) and doubt not in doubts:
            doubts.append(doubt)
            result = await self._quietly(request) or result
        causes += doubts
        if is_cut(call.messages, call.sampling, result):
            result = msgspec.structs.replace(result, prompt_cut=True)
        if is_extended(request.payload, result):
            result = msgspec.structs.replace(result, prompt_extended=True)
        if not causes:
            return result
        return msgspec.structs.replace(result, attempt=len(causes) + 1, retry_causes=tuple(causes))

    async def _persistently(
        self, request: Request, is_control_answered: Callable[[], Awaitable[bool]]
    ) -> tuple[CallResult, list[str]]:
        """What came back in the end, and why it was asked for again, once for each time. As long as the server is away
        the call waits, which is no attempt.
        """
        route, where = request.route, request.route.where
        reach = self._reaches[where.url]
        admission = Admission(reach, partial(self._is_listed, route), is_control_answered)
        causes: list[str] = []
        refusals = 0
        unreadable: set[str] = set()
        excused: RetryableError | None = None
        while True:
            attempt = len(causes) + 1
            try:
                async with admission:
                    if admission.is_to_blame() and excused:
                        raise Blamed(excused)
                    result = await self._once(request)
                reach.responded()
                return admission.noted_in(result), causes
            except RefusedUnlessRepeated as refusal:
                reach.responded()
                refusals += 1
                if refusals == REFUSALS or where.url not in self._answered:
                    raise refusal.error from None
                await asyncio.sleep(REFUSAL_PAUSES[refusals - 1])
                causes.append(refusal.cause)
            except (RetryableError, Blamed) as raised:
                failure = raised.failure if isinstance(raised, Blamed) else raised
                answered = where.url in self._answered
                if failure is raised and (answered or reach.is_away or failure.status == LOADING):
                    reason = route.scrubber.text(str(failure))
                    if await admission.failed(failure.presence, reason, failure.cut):
                        excused = failure
                        continue
                is_habit = failure.unreadable and str(failure) in unreadable  # what came twice will come again
                if failure.unreadable:
                    unreadable.add(str(failure))
                if not is_habit and attempt < (ATTEMPTS if answered else FIRST_ATTEMPTS):
                    if not reach.is_away:
                        await asyncio.sleep(failure.pause or pause(attempt))
                    causes.append(failure.cause)
                    continue
                tried = f"{failure} ({number_of(attempt, 'attempt')})"
                if not answered:
                    raise InputError(f"{where.shown}: {tried}. {failure.way_out}") from None
                return admission.noted_in(CallResult(None, error=tried)), causes

    async def _is_listed(self, route: Route) -> bool:
        """Whether anybody answers who is asked for the list of models, whatever the answer is."""
        try:
            response = await self._transport.get(route.listed, route.headers, route.proxy)
        except Fault:
            return False
        return response.status == 500 or presence(response.status) == "there"

    def _control(self, route: Route, sampling: Mapping[str, Any]) -> Callable[[], Awaitable[bool]]:
        """What asks the same model, with the same settings, something that it can hardly fail to answer. Each prompt is
        a new one, so that no cache answers in its place. What comes back is no reply of any session.
        """

        async def is_answered() -> bool:
            prompt = CONTROL.format(secrets.token_hex(4))
            streaming = route.wire.streaming if route.streams else {}
            body = {**streaming, **route.wire.body(route.where, messages_of(prompt), sampling)}
            try:
                await self._once(Request(route, msgspec.json.encode(body), route.headers))
            except (RetryableError, InputError):
                return False
            self._note_control(route.where)
            return True

        return is_answered

    def _note_control(self, where: Endpoint) -> None:
        """Have one warning for an address that says how many controls it has answered: they are paid for, too."""
        self._controls[where.url] += 1
        answered = number_of(self._controls[where.url], "short control prompt")
        said = f"{where.shown}: it answered {answered} while calls to it failed"
        warning = f"{said}, so these failures count as the prompts' own; controls are in no journal and no sum of costs"
        self.warnings[:] = [text for text in self.warnings if text != self._said_of_controls.get(where.url)]
        self._said_of_controls[where.url] = warning
        self.warnings.append(warning)

    async def _quietly(self, request: Request) -> CallResult | None:
        try:
            return await self._once(request)
        except RetryableError:
            return None

    async def _once(self, request: Request) -> CallResult:
        where, pace = request.route.where, request.route.pace
        async with pace:
            sent = time.time()
            status, headers, raw, connection, carrier, unknown = await self._send(request)
        if status in WITH_REPLY:
            foreign = foreign_type(headers.get("Content-Type", ""))
            if not (is_plain := say_nothing(headers)) or foreign:
                self._check_headers(request, headers, foreign or failure_header(headers, request.route.where.name))
            result = self._decoded(request, raw)
            self._answered.add(where.url)
            self._note_kept(where, raw)
            pace.went_well()
            if carrier is not None:
                self._watch.note_answer(carrier, result.completion_id, request.payload, raw)
            result = result if is_plain else with_headers(result, headers, request.payload)
            result = self._clocks.judged(where.url, where.name, result, sent, headers.get("Date"))
            result = self._counts.judged(where.url, where.name, result)
            body = RawBody(raw)
            served, asked = result.served_model, request.payload
            form = self._forms.form_of(where.url, where.name, served, body, headers, unknown, asked)
            whose = where.url, where.name
            return msgspec.structs.replace(
                result,
                contradictions=self._contradictions.of(whose, asked, body, headers, result, sent),
                connection=connection,
                form=form.number,
                form_parts=form.parts,
                other_model=form.other_model,
                other_fields=form.other_fields,
                prompt_bytes=request.prompt_bytes,
            )
        if 300 <= status < 400:
            self._redirected(request, status, headers.get("Location", ""))
        raw = request.route.scrubber.raw(raw)
        message, wait = message_in(raw), seconds_of(headers.get("Retry-After"))
        self._stop_if_spent(where, status, raw, wait)
        found = verdict(where, status, error_body(raw))
        if found.kind == "passing":
            if status in BUSY or found.cause == "rate limit":
                pace.too_fast(wait)
            what = f"status {status}: {message}" if message else f"status {status}"
            raise RetryableError(what, wait, cause=found.cause, presence=presence(status), status=status)
        if found.kind == "policy":
            if quotes_another_prompt(request.payload, error_body(raw)):
                raise RetryableError(OTHER_PROMPT, status=status, unreadable=True)
            self._check_headers(request, headers, failure_next_to_a_policy(headers, status, raw))
            return msgspec.structs.replace(withheld(status, found.said), connection=connection)
        if status < 300 and found.kind == "request":
            what = f"status {status}: only with status 200 it is a whole reply"
            raise RetryableError(what, wait, NO_REPLY, f"status {status}", status=status)
        message = "; ".join(filter(None, (found.said, message)))
        return self._refused(where, status, message, of_the_account=found.kind == "account")

    def _check_headers(self, request: Request, headers: Mapping[str, str], failure: str | None) -> None:
        """Raise InputError where a header says that a cache had the response, and RetryableError for a `failure` that
        one tells of.
        """
        if why := cached_by(headers):
            raise InputError(f"{request.route.where.shown}: {why}.")
        if failure is not None:
            said = shortened(request.route.scrubber.text(failure))
            raise RetryableError(f"a header says that it failed ({said})", unreadable=True)

    def _decoded(self, request: Request, raw: bytes) -> CallResult:
        """The reply in a body with status 200. Where it is none, what the body says is wrong is looked at without any
        secret in it, since it is quoted, and cut.
        """
        route = request.route
        try:
            result = decoded(route.where, route.wire, raw, request.payload)
            if result.unknown_end is None and result.policy is None:
                return result
        except CachedReply as cached:
            raise InputError(f"{route.where.shown}: {cached}.") from None
        except RetryableError:
            pass  # raised again below, by what is left without secrets
        came, raw = raw, route.scrubber.raw(raw)
        self._stop_if_final(route.where, raw)
        too_fast = is_rate_limit(route.where, error_body(raw))
        if too_fast:
            route.pace.too_fast(None)
        try:
            result = decoded(route.where, route.wire, raw, request.payload)
            if not is_utf8(came):
                raise RetryableError(NOT_UTF8, way_out=WRONG_ADDRESS)
            return result
        except RetryableError as failure:
            if too_fast:
                raise RetryableError(str(failure), way_out="Try again later.", cause="rate limit") from None
            raise

    async def _send(self, request: Request) -> Response:
        route = request.route
        stream = Stream(route.wire.gathering()) if route.streams else None
        try:
            response = await self._transport.post(route.url, request.payload, request.headers, route.proxy, stream)
            if response.status not in WITH_REPLY:
                return response
            if stream is None:
                if name := wrong_digest(response.headers, response.raw):
                    raise UnreadableReply(f"its body is not the one whose digest the header {name} holds")
                return response._replace(raw=in_utf8(response.raw, response.headers.get("Content-Type", "")))
            raw = stream.raw()
            if lost := route.lost_in(stream.habit):
                raise UnusableReply(lost)
            return response._replace(raw=raw, unknown=stream.unknown)
        except UnicodeError:
            raise RetryableError(NOT_DECODABLE, way_out=WRONG_ADDRESS) from None
        except UnusableReply as fault:
            what, unreadable = f"no whole reply came ({fault})", isinstance(fault, UnreadableReply)
            raise RetryableError(what, cause="broken stream", unreadable=unreadable) from None
        except TLSError as fault:
            raise RefusedUnlessRepeated(f"{route.where.shown}: {fault}.") from None
        except Fault as fault:
            words = str(fault) if route.where.url in self._answered else fault.at_first
            said = shortened(route.scrubber.text(words))
            if fault.address_in_doubt:
                raise RetryableError(said, way_out=WRONG_ADDRESS, cause=fault.cause, presence="unseen") from None
            if fault.cause == "timeout":
                raise RetryableError(said, cause=fault.cause, presence="silent") from None
            raise RetryableError(said, cause=fault.cause, presence="failed", cut=True) from None

    def _stop_if_spent(self, where: Endpoint, status: int, raw: bytes, wait: float | None = None) -> None:
        """Raise InputError where an error says that nothing more will come for money or for today;
        RefusedUnlessRepeated where the status alone says so.
        """
        if why := spent(status, raw, wait):
            said = f' The server says: "{message}".' if (message := message_in(raw)) else ""
            error = Interrupted(
                f"{where.shown}: status {status}: {why}.{said}",
                "All replies so far are kept; fill the account up or wait, then the same command goes on from here.",
            )
            raise RefusedUnlessRepeated(error) if status in (402, 412) else error

    def _stop_if_final(self, where: Endpoint, raw: bytes) -> None:
        """Raise InputError or RefusedUnlessRepeated where an error that came with status 200 is about money or the
        account.
        """
        body = error_body(raw)
        if (error := error_in_reply(body)) is None:
            return
        status, raw = status_in_reply(body), msgspec.json.encode({"error": error})
        self._stop_if_spent(where, status, raw)
        if verdict(where, status, {"error": error}).kind == "account":
            self._refused(where, status, message_in(raw), of_the_account=True)

    def _warn_of_surplus(self, check: ConnectionCheck) -> None:
        """What is said where nobody is waiting to hear which replies may be swapped."""
        said = f"{check.address}: it sent an answer that no call was waiting for. Replies to other calls may be swapped"
        if check.result == "swapped" and said not in self.warnings:
            self.warnings.append(said)

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

    def _redirected(self, request: Request, status: int, location: str) -> NoReturn:
        """It is not followed: it would carry the key elsewhere, or turn the question into none."""
        if not location:
            raise RefusedUnlessRepeated(
                f"{request.route.where.shown}: status {status}: it redirects the call without saying where (it gives "
                "no Location). Check the address."
            )
        target = _place(request.route.url, location)
        raise RefusedUnlessRepeated(
            f"{request.route.where.shown}: status {status}: it points to {target}, which is not followed. If that is "
            "right, give that address."
        )

    def _refused(self, where: Endpoint, status: int, message: str, of_the_account: bool) -> CallResult:
        """A status that asking again will not change."""
        said = f" The server says: {message}" if message else ""
        way_out = {
            401: f"the key is not accepted. {where.way_to_key}",
            403: "the key may not use this model.",
            404: f"there is no model {where.name!r} here, or the address is wrong, or it does not speak the format of "
            f"{WIRES[where.wire].title} (--wire).{_better_address(where)}",
        }.get(status, "the account, its key or its region is in the way.")
        if where.wire == "responses" and status in (400, 422) and re.search(r"\bstore\b", message):
            raise RefusedUnlessRepeated(
                f"{where.shown}: status {status}: it refuses `store: false`, so that it would keep what is asked and "
                f"said. Nothing is asked without it: ask elsewhere, or in another format (--wire openai).{said}"
            )
        if of_the_account:
            raise RefusedUnlessRepeated(f"{where.shown}: status {status}: {way_out}{said}")
        if where.url not in self._answered:
            maybe = f" Another --wire may be right: it was asked in {WIRES[where.wire].title}." if status == 405 else ""
            raise InputError(f"{where.shown}: status {status}: the request is not accepted.{maybe}{said}")
        return CallResult(None, error=f"status {status}: {message}")


def doubt_about(result: CallResult) -> str | None:
    """Why a reply is asked for once more: nobody knows yet whether it is what the model says, or its silence."""
    if result.unknown_end is not None:
        return "unknown end"
    said = result.text or result.refusal or result.error is not None or result.stop_reason in GIVEN
    return None if said else "empty reply"


def _better_address(where: Endpoint) -> str:
    """What is mostly meant where the address is only that of a server."""
    end = "v1beta" if where.wire == "gemini" else "v1"
    return f" Most end in /{end}: try {where.shown.rstrip('/')}/{end}." if URL(where.url).path == "/" else ""


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
