"""In which charset replies come, on real sockets: bytes of another one are no reply, and no sign is made up."""

import json
from typing import Any

import pytest
from aiohttp import web
from test_streams import DONE, STREAMS, Handler, asked, short_pauses

from selfexec.engines.http.charsets import charset_of
from selfexec.errors import InputError
from sockets import completion

__all__ = ["short_pauses"]
STREAM = pytest.mark.parametrize("stream", [False, True])
BODIES: dict[str, Any] = {
    "openai": completion("Hi"),
    "responses": {
        "status": "completed",
        "output": [{"type": "message", "content": [{"type": "output_text", "text": "Hi"}]}],
    },
    "anthropic": {"content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn"},
    "gemini": {"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]},
}


def sending(body: bytes, kind: str = "application/json") -> Handler:
    async def handler(request: web.Request) -> web.Response:
        return web.Response(body=body, headers={"Content-Type": kind})

    return handler


def written(wire: str, text: str, stream: bool) -> str:
    if stream:
        return STREAMS[wire].replace('"Hi"', f'"{text}"').replace('"H"', f'"{text}"').replace('"i"', '""')
    return json.dumps(BODIES[wire]).replace('"Hi"', f'"{text}"')


@pytest.mark.parametrize("wire", BODIES)
@STREAM
def test_bytes_that_are_no_utf_8_are_no_reply_in_any_format(wire: str, stream: bool) -> None:
    raw = written(wire, "café", stream).encode("latin-1")
    for kind in ("application/json", "text/event-stream; charset=utf-8", "text/plain; charset=of-nobody"):
        with pytest.raises(InputError, match="UTF-8"):
            asked(sending(raw, kind), wire, stream=stream)


@pytest.mark.parametrize("wire", BODIES)
@STREAM
@pytest.mark.parametrize("charset", ["latin-1", '"ISO-8859-1"', "utf-16", "UTF8"])
def test_a_declared_charset_is_read(wire: str, stream: bool, charset: str) -> None:
    raw = written(wire, "café", stream).encode(charset.strip('"'))
    assert asked(sending(raw, f"text/plain; Charset={charset}"), wire, stream=stream)[0].text == "café"


@STREAM
def test_bytes_that_are_none_of_the_declared_charset_are_no_reply(stream: bool) -> None:
    raw = written("openai", "café", stream).encode("latin-1")
    with pytest.raises(InputError, match="none of the charset that it declares"):
        asked(sending(raw, "application/json; charset=ascii"), stream=stream)
    if stream:
        with pytest.raises(InputError, match="none of the charset"):
            asked(sending(STREAMS["openai"].removesuffix(DONE).encode("utf-16")[:-1], "text/plain; charset=utf-16"))


def test_half_a_character_in_each_of_two_pieces_is_no_reply() -> None:
    first, second = "é".encode()[:1], "é".encode()[1:]
    raw = STREAMS["openai"].encode().replace(b'"H"', b'"%s"' % first).replace(b'"i"', b'"%s"' % second)
    with pytest.raises(InputError, match="UTF-8"):
        asked(sending(raw))


def test_an_error_in_another_charset_is_still_told() -> None:
    async def handler(request: web.Request) -> web.Response:
        return web.Response(body='{"error": {"message": "café closed"}}'.encode("latin-1"), status=400)

    with pytest.raises(InputError, match="closed"):
        asked(handler)


def test_a_charset_that_is_none_of_text_is_not_taken() -> None:
    for kind in ("", "application/json", "a/b; charset=base64", "a/b;charset=", "a/b; charset=\0", "a/b; charset=utf8"):
        assert charset_of(kind) is None
    assert charset_of("a/b; charset='latin1'") == "iso8859-1"
