"""One request over a connection of a pool, and the response to it as far as its headers: `transport` reads the body.

Calls to a model differ only in their bodies. So what is the same in all of them is made once, a request is written as a
whole, and its response is what aiohttp's connection has read. aiohttp's own client makes the headers, a deadline and
several objects anew at each call, and writes the body in a task of its own: all of that takes more time than what is
left here. It also follows redirects, keeps cookies and repeats requests, none of which a session may.

Of aiohttp this uses `connect` of the connector, `read` of the protocol, and `on_eof` of a body, as its client does.
"""

import asyncio
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

import aiohttp
from aiohttp.http import HttpProcessingError, RawResponseMessage
from aiohttp.streams import StreamReader
from multidict import CIMultiDict
from yarl import URL

from selfexec.engines.http.connections import CheckedConnection, CheckingConnector

PRELIMINARY = range(100, 200)  # statuses of messages that another one follows, which is the response
SWITCHING = 101  # is the last one in HTTP
Headers = tuple[tuple[str, str], ...]
# of the first line of a response, of one header, and headers: gateways hand on those of all servers behind them. What
# is longer is no response
LONGEST_LINE, LONGEST_HEADER, MOST_HEADERS = 2**16, 2**18, 2_000
REASON, USUAL_REASONS = "reason-phrase", ("", "OK", "200")  # of a 200
LINE_ENDS = "\r\n\0"  # with one of these a header could pass for several


class Target:
    """Requests of one method to one URL, which differ only in their bodies. ValueError: no request can be made so.

    Attributes:
        request: What the pool is asked for a connection for.
    """

    def __init__(self, method: str, url: URL, headers: Headers, proxy: URL | None) -> None:
        loop = asyncio.get_running_loop()
        self.request = aiohttp.ClientRequest(method, url, headers=headers, proxy=proxy, loop=loop)

    @cached_property
    def _head(self) -> str:
        """The first line and all headers but the length. The pool adds one for a proxy, so it has to be asked first."""
        request = self.request
        is_whole_url_sent = request.proxy is not None and not request.is_ssl()
        place = str(request.url.with_user(None)) if is_whole_url_sent else request.url.raw_path_qs
        headers = [f"{name}: {value}" for name, value in request.headers.items() if name.lower() != "content-length"]
        lines = [f"{request.method} {place} HTTP/1.1", *headers]
        if any(sign in line for line in lines for sign in LINE_ENDS):
            raise ValueError("a header holds the end of a line")
        return "".join(f"{line}\r\n" for line in lines)

    @cached_property
    def _head_before_length(self) -> bytes:
        return f"{self._head}Content-Length: ".encode()

    def bytes_with(self, body: bytes | None) -> bytes:
        """A request as it goes over the wire."""
        if body is None:
            return f"{self._head}\r\n".encode()
        return b"%b%d\r\n\r\n%b" % (self._head_before_length, len(body), body)


def _headers_of(message: RawResponseMessage) -> Mapping[str, str]:
    """The headers of a response, and its reason phrase as one more where that of a 200 is not the usual one: stubs and
    servers with too much to do have one of their own.
    """
    if message.code != 200 or message.reason.upper() in USUAL_REASONS:
        return message.headers
    return CIMultiDict([*message.headers.items(), (REASON, message.reason)])


class OpenResponse(NamedTuple):
    """A response whose body may still be on its way. `label` and `carrier` are as in `Response`."""

    status: int
    headers: Mapping[str, str]
    content: StreamReader
    label: str | None
    carrier: CheckedConnection | None


class Exchange:
    """A request on its way and the response to it: `async with` gives the response as soon as its headers are there.

    The connection goes back to the pool at the moment when the body is complete: what comes on it afterwards belongs to
    no call. Where it is not complete in the end, the connection is closed.
    """

    def __init__(
        self, connector: CheckingConnector, timeout: aiohttp.ClientTimeout, target: Target, body: bytes | None
    ) -> None:
        self._connector = connector
        self._timeout = timeout
        self._target = target
        self._body = body
        self._connection: aiohttp.connector.Connection

    async def __aenter__(self) -> OpenResponse:
        try:
            self._connection = await self._connector.connect(self._target.request, [], self._timeout)
        except TimeoutError as fault:
            raise aiohttp.ConnectionTimeoutError from fault
        try:
            return await self._response()
        except BaseException:
            self._connection.close()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._connection.close()  # which does nothing to one that went back to the pool

    async def _response(self) -> OpenResponse:
        protocol = self._connection.protocol
        assert protocol is not None  # it has been got from the pool just now
        protocol.set_response_params(
            read_until_eof=True,
            max_line_size=LONGEST_LINE,
            max_field_size=LONGEST_HEADER,
            max_headers=MOST_HEADERS,
        )
        carrier, label = (protocol, protocol.label) if isinstance(protocol, CheckedConnection) else (None, None)
        self._write()
        try:
            message, content = await protocol.read()
            while message.code in PRELIMINARY and message.code != SWITCHING:
                message, content = await protocol.read()
        except HttpProcessingError as fault:
            request_info = self._target.request.request_info
            raise aiohttp.ClientResponseError(request_info, (), status=fault.code, message=fault.message) from fault
        content.on_eof(self._give_back)
        return OpenResponse(message.code, _headers_of(message), content, label, carrier)

    def _write(self) -> None:
        """Write the whole request. What the system does not take at once is written during the wait."""
        transport = self._connection.transport
        if transport is None or transport.is_closing():
            raise aiohttp.ClientConnectionResetError("the connection was closed before the request was written")
        transport.write(self._target.bytes_with(self._body))

    def _give_back(self) -> None:
        transport = self._connection.transport
        if transport is not None and transport.get_write_buffer_size():
            self._connection.close()  # the response came before the request was written: the rest of it is for nobody
        else:
            self._connection.release()
