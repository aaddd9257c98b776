"""A reply that comes in pieces (server-sent events), put together to what it would have been in one.

Streaming is for gateways that cut connections on which nothing moves. It changes how a reply comes and not what it is:
the pieces become the body that would have come at once, and whatever is wrong with that is found where it always is. A
stream that ends before its reply does is no reply, however much of it there is.
"""

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from selfexec.engines.http.wires.base import Event, Gathering, Unusable

STREAMED = (b"data:", b"event:", b"id:", b"retry:", b":")  # how a line of text/event-stream begins, and no JSON
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
CUT = "the stream broke off before the reply had come to its end"


def is_streamed(raw: bytes) -> bool:
    """Whether a body is a stream, by how it begins: its content type says it seldom enough."""
    return _begin(raw).startswith(STREAMED)


def _begin(raw: bytes) -> bytes:
    return raw.removeprefix(BYTE_ORDER_MARK).lstrip()


class Stream:
    """Takes a body in as it comes: a stream, or a reply in one piece from a server that does not stream."""

    def __init__(self, gathering: Gathering) -> None:
        self._gathering = gathering
        self._lines = _Lines()
        self._begun = bytearray()  # until it is known which it is; then all of it, where it is no stream
        self._streams: bool | None = None
        self._wrong: Unusable | None = None

    @property
    def whole(self) -> bool:
        return self._gathering.whole

    @property
    def over(self) -> bool:
        """Whether nothing follows that could change anything."""
        return self._gathering.over or self._wrong is not None

    def feed(self, part: bytes) -> None:
        if self._streams:
            self._take(self._lines.feed(part))
            return
        self._begun += part
        if self._streams is None and len(_begin(bytes(self._begun))) >= len("event:"):
            self._streams = is_streamed(bytes(self._begun[:1000]))
            if self._streams:
                self._take(self._lines.feed(bytes(self._begun).removeprefix(BYTE_ORDER_MARK)))

    def raw(self) -> bytes:
        """The body of the reply, as if it had come in one piece. Unusable: it has not come to its end."""
        if not self._streams:
            return bytes(self._begun)
        self._take(self._lines.rest())
        if self._wrong:
            raise self._wrong
        # half a character at the end of one piece and the other half in the next become a whole one
        return json.dumps(self._gathering.body()).encode()

    def _take(self, events: Iterator[Event]) -> None:
        if self.over:
            return
        try:
            for event in events:
                self._gathering.take(event)
        except Unusable as fault:
            self._wrong = fault
        except (AttributeError, TypeError, KeyError, IndexError, ValueError):
            self._wrong = Unusable("a piece of the stream has an unknown shape")


class _Lines:
    """Cuts bytes into events as they come: https://html.spec.whatwg.org/multipage/server-sent-events.html."""

    def __init__(self) -> None:
        self._left = bytearray()
        self._name = ""
        self._data: list[bytes] = []

    def feed(self, part: bytes) -> Iterator[Event]:
        searched = len(self._left)
        self._left += part
        if b"\n" not in part:
            return
        end = self._left.rfind(b"\n", searched)
        lines, self._left = bytes(self._left[:end]), self._left[end + 1 :]
        for line in lines.split(b"\n"):
            yield from self._line(line.removesuffix(b"\r"))

    def rest(self) -> Iterator[Event]:
        """What is left when nothing more comes: many servers leave out the last empty line."""
        line, self._left = bytes(self._left), bytearray()
        yield from self._line(line.removesuffix(b"\r"))
        yield from self._line(b"")

    def _line(self, line: bytes) -> Iterator[Event]:
        if not line:
            if self._data:
                yield Event(self._name, b"\n".join(self._data))
            self._name, self._data = "", []
            return
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._name = value.decode(errors="replace")


def data_of(event: Event) -> dict[str, Any]:
    """What an event holds. Unusable: it is no JSON object, as where the connection was cut in the middle of it."""
    try:
        data = msgspec.json.decode(event.data)
    except RecursionError:
        raise Unusable("a piece of the stream is nested too deeply") from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        try:
            data = json.loads(event.data.decode(errors="replace"))  # with half of a surrogate pair
        except (ValueError, RecursionError):
            raise Unusable(CUT) from None
    if not isinstance(data, dict):
        raise Unusable("a piece of the stream is no JSON object")
    return data
