"""A request goes out as aiohttp's own client would send it, and its response belongs to it alone."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from yarl import URL

from selfexec.engines.http.connections import CheckingConnector, SurplusWatch
from selfexec.engines.http.exchange import Exchange, Target
from sockets import server

TIMEOUT = aiohttp.ClientTimeout(connect=5)
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK"
Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def answers(handler: Handler, bodies: list[bytes]) -> list[tuple[int, bytes]]:
    """The status and body that come back for each of some requests, sent one after the other over one pool."""

    async def main() -> list[tuple[int, bytes]]:
        came = []
        async with (
            await asyncio.start_server(handler, "127.0.0.1", 0) as listening,
            CheckingConnector(SurplusWatch(lambda check: None), one_at_a_time=False) as connector,
        ):
            port = listening.sockets[0].getsockname()[1]
            target = Target("POST", URL(f"http://127.0.0.1:{port}/"), (), None)
            for body in bodies:
                async with Exchange(connector, TIMEOUT, target, body) as answer:
                    came.append((answer.status, await answer.content.read()))
            connector.close_all()
        await asyncio.sleep(0.1)  # until the server has seen that nobody is connected
        return came

    return asyncio.run(main())


def test_a_request_has_the_headers_and_the_body_that_aiohttps_own_client_sends() -> None:
    seen: list[tuple[str, dict[str, str], bytes]] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append((str(request.rel_url), dict(request.headers), await request.read()))
        return web.Response()

    async def main() -> None:
        app = web.Application()
        app.router.add_route("*", "/{rest:.*}", handler)
        headers = {"Content-Type": "application/json", "X-Team": "research"}
        async with server(app) as url:
            place = URL(f"{url.replace('://', '://me:p%40w@')}/chat?version=1%2F2")
            async with CheckingConnector(SurplusWatch(lambda check: None), one_at_a_time=False) as connector:
                target = Target("POST", place, tuple(headers.items()), None)
                async with Exchange(connector, TIMEOUT, target, b"Hello"):
                    pass
            async with aiohttp.ClientSession(headers=headers) as http, http.post(place, data=b"Hello"):
                pass

    asyncio.run(main())
    ours, theirs = seen
    assert ours == theirs
    assert ours[1]["Authorization"] and ours[1]["Content-Length"] == "5"


def test_a_preliminary_response_is_not_taken_for_the_response() -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"Hello")
        writer.write(b"HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n" + OK)
        await reader.read()
        writer.close()

    assert answers(handler, [b"Hello"]) == [(200, b"OK")]


@pytest.mark.parametrize(
    ("headers", "comes"),
    [
        (b"X-Policy: " + b"a" * 8_000 + b"\r\n", True),
        (b"X-Policy: " + b"a" * 100_000 + b"\r\n", True),
        (b"".join(b"X-%d: a\r\n" % n for n in range(500)), True),
        (b"X-Policy: " + b"a" * 10_000_000 + b"\r\n", False),  # of which nobody knows whether it ever ends
    ],
    ids=["short", "long", "many", "endless"],
)
def test_long_headers_and_many_of_them_are_read(headers: bytes, comes: bool) -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"Hello")
        writer.write(b"HTTP/1.1 200 OK\r\n" + headers + b"Content-Length: 2\r\n\r\nOK")
        await reader.read()
        writer.close()

    if comes:
        assert answers(handler, [b"Hello"]) == [(200, b"OK")]
    else:
        with pytest.raises(aiohttp.ClientError):
            answers(handler, [b"Hello"])


def test_a_connection_answered_before_the_whole_request_was_written_carries_no_other_request() -> None:
    """What is left of the first request would be read as the beginning of the second one."""
    connections: list[int] = []

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(0)
        while await reader.read(10):
            connections[-1] += 1
            writer.write(OK)
            await asyncio.sleep(0.05)
            if connections[-1] == 1:
                break
        writer.close()

    long = 50_000_000 * b"x"  # more than the buffers of two sockets hold
    assert answers(handler, [long, b"Hello"]) == [(200, b"OK"), (200, b"OK")]
    assert len(connections) == 2


def test_a_response_whose_body_nobody_reads_to_its_end_costs_the_connection() -> None:
    connections: list[Any] = []

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(None)
        await reader.readuntil(b"Hello")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nOK")
        await reader.read()
        writer.close()

    async def main() -> None:
        async with (
            await asyncio.start_server(handler, "127.0.0.1", 0) as listening,
            CheckingConnector(SurplusWatch(lambda check: None), one_at_a_time=False) as connector,
        ):
            port = listening.sockets[0].getsockname()[1]
            target = Target("POST", URL(f"http://127.0.0.1:{port}/"), (), None)
            for _ in range(2):
                async with Exchange(connector, TIMEOUT, target, b"Hello") as answer:
                    assert answer.status == 200
            connector.close_all()
        await asyncio.sleep(0.1)

    asyncio.run(main())
    assert len(connections) == 2


@pytest.mark.parametrize("sign", ["\r", "\n", "\0"])
def test_a_header_that_would_pass_for_several_is_not_sent(sign: str) -> None:
    async def main() -> None:
        target = Target("POST", URL("http://127.0.0.1/"), (("X-Team", f"a{sign}b"),), None)
        with pytest.raises(ValueError, match="end of a line"):
            target.bytes_with(b"Hello")

    asyncio.run(main())
