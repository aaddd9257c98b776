"""One POST and what came back, bounded in size and time. Redirects are not followed, cookies not kept.

What a server does on the wire ends here: above it there is a `Response`, a status with a whole body, or a Fault. Below
it `exchange` writes the request and reads the headers; `bodies.decoded` makes a result of the body.
"""

import asyncio
import errno
import ssl
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType, TracebackType
from typing import Any, NamedTuple, Protocol, Self

import aiohttp
from yarl import URL

from selfexec.engines.http.connections import CheckedConnection, CheckingConnector, SurplusWatch
from selfexec.engines.http.exchange import Exchange, Headers, Target

LONGEST_BODY = 32 * 2**20  # bytes, unpacked: longer than the longest reply that is kept, even with all of it escaped
LONGEST_STREAM = 4 * LONGEST_BODY  # a token of a stream comes with hundreds of bytes around it
LINGER = (
    0.5  # seconds for the end of a stream that has said that nothing follows: then the connection can be used again
)
# statuses that come with a whole reply: the one that every wire format's documents give, and Portkey's own for a reply
# that failed a check of its guardrails, where these do not deny it
WITH_REPLY = frozenset((200, 246))
CONNECT_TIMEOUT = 20.0  # seconds until a connection stands
TARGETS_KEPT = 128  # models and epochs take turns, and each has headers of its own


class Fault(Exception):
    """No whole response came. `address_in_doubt`: whether another address is the likely way out. `cause` is the kind of
    fault, for counts. `at_first` is what is said where the server has never answered, so that more may be guessed.
    """

    def __init__(
        self, what: str, *, address_in_doubt: bool = False, cause: str = "connection", at_first: str | None = None
    ) -> None:
        super().__init__(what)
        self.at_first = at_first or what
        self.address_in_doubt = address_in_doubt
        self.cause = cause


class TLSError(Fault):
    """The server shows a certificate that this machine does not trust: asking again is of no use."""


class Response(NamedTuple):
    status: int
    headers: Mapping[str, str]
    raw: bytes
    connection: str | None = None  # which brought it, as `CheckedConnection.label` says
    carrier: CheckedConnection | None = None
    unknown: Mapping[str, Any] = MappingProxyType({})  # the fields of pieces of a stream that are not known


class Intake(Protocol):
    """Takes a body in as it comes. `over`: nothing follows that matters."""

    @property
    def over(self) -> bool: ...

    def declare(self, content_type: str) -> None: ...

    def feed(self, part: bytes) -> None: ...


class Transport:
    """A pool of connections, which `watch` watches. With `one_at_a_time`, no more than one is used at once."""

    def __init__(self, timeout: float, watch: SurplusWatch, *, one_at_a_time: bool = False) -> None:
        self._timeout = timeout
        self._watch = watch
        self._one_at_a_time = one_at_a_time
        self._connecting = aiohttp.ClientTimeout(connect=min(CONNECT_TIMEOUT, timeout))
        self._connector: CheckingConnector
        self._targets: Callable[[str, URL, Headers, URL | None], Target]

    async def __aenter__(self) -> Self:
        self._connector = CheckingConnector(self._watch, one_at_a_time=self._one_at_a_time)
        self._targets = lru_cache(TARGETS_KEPT)(Target)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._connector.check_all()
        finally:
            await self._connector.close()
            self._connector.close_all()
            await asyncio.sleep(0)  # so that every connection has said what is known of its replies

    async def post(
        self, url: URL, payload: bytes, headers: Mapping[str, str], proxy: URL | None, stream: Intake | None = None
    ) -> Response:
        """What came back. The body of a success goes to `stream` where there is one, piece by piece."""
        try:
            async with asyncio.timeout(self._timeout), self._exchange("POST", url, headers, proxy, payload) as answer:
                if stream is None or answer.status not in WITH_REPLY:
                    raw = await _body(answer.content)
                else:
                    stream.declare(answer.headers.get("Content-Type", ""))
                    await _fed(stream, answer.content)
                    raw = b""
                return Response(answer.status, answer.headers, raw, answer.label, answer.carrier)
        except aiohttp.ConnectionTimeoutError:
            connecting = min(CONNECT_TIMEOUT, self._timeout)
            raise Fault(f"no connection within {connecting:g} s", address_in_doubt=True, cause="timeout") from None
        except TimeoutError:
            raise Fault(f"no reply within {self._timeout:g} s", cause="timeout") from None
        except (aiohttp.ClientConnectorCertificateError, ssl.SSLCertVerificationError):
            raise TLSError(
                f"the certificate of {url.host} is not trusted here. Where it is your organisation's own, set "
                "SSL_CERT_FILE to the file of certificates that vouches for it"
            ) from None
        except (aiohttp.ClientError, OSError, ValueError) as fault:
            in_doubt = isinstance(fault, aiohttp.ClientConnectorError | aiohttp.InvalidURL)
            words = _in_words(fault, url.scheme)
            raise Fault(
                f"the connection failed ({words})",
                address_in_doubt=in_doubt,
                at_first=f"the connection failed ({words}{_other_scheme(fault, url.scheme)})",
            ) from None

    async def get(self, url: URL, headers: Mapping[str, str], proxy: URL | None) -> Response:
        """What stands at an address: something that one can do without, so that nobody waits for it long."""
        try:
            async with (
                asyncio.timeout(min(CONNECT_TIMEOUT, self._timeout)),
                self._exchange("GET", url, headers, proxy) as answer,
            ):
                return Response(answer.status, answer.headers, await _body(answer.content))
        except (TimeoutError, aiohttp.ClientError, OSError, ValueError) as fault:
            raise Fault(type(fault).__name__) from None

    def _exchange(
        self, method: str, url: URL, headers: Mapping[str, str], proxy: URL | None, body: bytes | None = None
    ) -> Exchange:
        target = self._targets(method, url, tuple(headers.items()), proxy)
        return Exchange(self._connector, self._connecting, target, body)


def _in_words(fault: Exception, scheme: str) -> str:
    """Why there is no connection. Without the whole address, which some faults show, with a password or query in it,
    and whole: secrets are taken out before anything is cut.
    """
    if isinstance(fault, aiohttp.ClientConnectorDNSError):
        return f"no host is known as {fault.host}"
    if isinstance(fault, aiohttp.ClientConnectorError):
        said = str(fault.os_error)  # of several addresses of one name, what went wrong with each
        if f"Errno {errno.ECONNREFUSED}]" in said:
            return f"nothing listens at port {fault.port} of {fault.host}"
        if _speaks_no_https(fault):
            return f"port {fault.port} of {fault.host} does not speak https"
        if _hangs_up_on_https(fault, scheme):
            return f"port {fault.port} of {fault.host} hangs up when https is spoken to it"
    if scheme == "http" and isinstance(fault, aiohttp.ServerDisconnectedError):
        return "the server hung up without an answer"
    if isinstance(fault, ValueError):
        return type(fault).__name__
    said = fault.message if isinstance(fault, aiohttp.ClientResponseError) else str(fault)
    return f"{type(fault).__name__}: {said}"


def _other_scheme(fault: Exception, scheme: str) -> str:
    """The question whether the other scheme is meant, where the fault looks like it."""
    if isinstance(fault, aiohttp.ClientConnectorDNSError):
        return ""
    if isinstance(fault, aiohttp.ClientConnectorError):
        return "; did you mean http?" if _speaks_no_https(fault) or _hangs_up_on_https(fault, scheme) else ""
    hung_up = scheme == "http" and isinstance(fault, aiohttp.ServerDisconnectedError)
    return "; does this port speak https?" if hung_up else ""


def _speaks_no_https(fault: aiohttp.ClientConnectorError) -> bool:
    said = str(fault.os_error)
    return "WRONG_VERSION_NUMBER" in said or "RECORD_LAYER_FAILURE" in said


def _hangs_up_on_https(fault: aiohttp.ClientConnectorError, scheme: str) -> bool:
    """Whether a connection was made and then dropped, instead of being agreed upon."""
    if scheme != "https" or isinstance(fault, aiohttp.ClientConnectorCertificateError):
        return False
    return isinstance(fault, aiohttp.ClientConnectorSSLError) or fault.os_error.errno in (None, errno.ECONNRESET)


async def _fed(stream: Intake, content: aiohttp.StreamReader) -> None:
    """A body handed on as it comes, to its end: a connection that is cut is a fault, however much has come."""
    left = LONGEST_STREAM
    try:
        while True:
            async with asyncio.timeout(LINGER if stream.over else None):
                part = await content.readany()
            if not part:
                return
            left -= len(part)
            if left < 0:
                raise Fault(f"the stream is longer than {LONGEST_STREAM // 2**20} MB")
            stream.feed(part)
    except (TimeoutError, aiohttp.ClientError, OSError):
        if not stream.over:
            raise


async def _body(content: aiohttp.StreamReader) -> bytes:
    """The body of a response, as long as it is not too long: nobody knows beforehand where it ends."""
    parts: list[bytes] = []
    left = LONGEST_BODY
    while not (content.at_eof() and content.exception() is None) and (part := await content.readany()):
        left -= len(part)
        if left < 0:
            raise Fault(f"the body is longer than {LONGEST_BODY // 2**20} MB")
        parts.append(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
