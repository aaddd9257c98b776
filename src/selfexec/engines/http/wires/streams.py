"""A reply that comes in pieces (server-sent events), put together to what it would have been in one.

Streaming is for gateways that cut connections on which nothing moves. It changes how a reply comes and not what it is:
the pieces become the body that would have come at once, and whatever is wrong with that is found where it always is. A
stream that ends before its reply does is no reply, however much of it there is.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from selfexec.engines.http.caches import MAY_BE_A_CACHE, as_field, mark_of_a_cache
from selfexec.engines.http.charsets import Recoder, charset_of, is_utf8
from selfexec.engines.http.doubled_names import DoubledName, check_names, without_doubles
from selfexec.engines.http.ends import printable_end
from selfexec.engines.http.errors import error_beside, mapping_of, says_something
from selfexec.engines.http.name_words import name_words
from selfexec.engines.http.other_fields import MOST_NAMES, unknown_in_piece
from selfexec.engines.http.policy import error_in_reply
from selfexec.engines.http.raw_bodies import RawBody
from selfexec.engines.http.wires.base import Event, Gathering, Habit, UnreadableReply, UnusableReply
from selfexec.engines.http.wires.echoes import MAY_ECHO, echoes_in
from selfexec.engines.http.wires.not_as_sent import MAY_BE, marks_in
from selfexec.engines.http.wires.objections import (
    DEALING,
    ILL_STATES,
    POSSIBLE,
    SETTINGS,
    is_neutral,
    kind_of,
    objections,
    warns_of_half,
)
from selfexec.engines.http.wires.tool_traces import finds_in_piece
from selfexec.text.regex import regex

STREAMED = (b"data:", b"event:", b"id:", b"retry:", b":")  # how a line of text/event-stream begins, and no JSON
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
RUN_TOGETHER = "the stream leaves out the empty lines between its events"
CUT = "the stream broke off before the reply had come to its end"


def is_streamed(raw: bytes) -> bool:
    """Whether a body is a stream, by how it begins: its content type says it seldom enough."""
    return _begin(raw).startswith(STREAMED)


def _pieces_of_list(raw: bytes) -> list[bytes] | None:
    """The pieces of a reply that came as a list of them, as Gemini's format has it without server-sent events, and
    behind them the end of a stream; None where it is no list.
    """
    if not _begin(raw).startswith(b"["):
        return None
    try:
        return [*map(bytes, msgspec.json.decode(_begin(raw), type=list[msgspec.Raw])), b"[DONE]"]
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _begin(raw: bytes) -> bytes:
    return raw.removeprefix(BYTE_ORDER_MARK).lstrip()


class Stream:
    """Takes a body in as it comes: a stream, or a reply in one piece from a server that does not stream."""

    def __init__(self, gathering: Gathering) -> None:
        self._gathering = gathering
        self._lines = EventLines()
        self._begun = bytearray()  # until it is known which it is; then all of it, where it is no stream
        self._streams: bool | None = None
        self._recoder: Recoder | None = None  # from a charset other than UTF-8
        self._wrong: UnusableReply | None = None
        self._named_oddly: Any = None
        self._cached: tuple[str, Any] | None = None  # the field in which a piece says that a cache had it
        self._prompts: list[Any] = []  # which pieces repeat
        self._not_as_sent: dict[str, Any] = {}  # the fields in which pieces say so of the prompt or the model
        self.unknown: dict[str, Any] = {}  # the fields of pieces that are not known
        self._finds: dict[str, Any] = {}  # what tools found, by pieces
        self._error: Any = None  # what an event of the stream says is wrong
        self._told_in: Mapping[str, Any] = {}  # the event that says so, where there is more in it

    @property
    def whole(self) -> bool:
        return self._gathering.whole

    @property
    def over(self) -> bool:
        """Whether nothing follows that could change anything."""
        return self._gathering.over or self._wrong is not None or self._error is not None

    @property
    def habit(self) -> Habit | None:
        return self._gathering.habit

    @property
    def _odd(self) -> Any:
        """What else in the stream speaks against the reply, without ending it."""
        return self._named_oddly or self._lines.stray

    def declare(self, content_type: str) -> None:
        """Say what type the body has, before any of it is fed."""
        if charset := charset_of(content_type):
            self._recoder = Recoder(charset)

    def feed(self, part: bytes) -> None:
        if self._recoder:
            part = self._recoded(self._recoder, part)
        self._accept(part)

    def _accept(self, part: bytes) -> None:
        if self._streams:
            self._take(self._lines.feed(part))
            return
        self._begun += part
        if self._streams is None and len(_begin(bytes(self._begun))) >= len("event:"):
            self._streams = is_streamed(bytes(self._begun[:1000]))
            if self._streams:
                self._take(self._lines.feed(bytes(self._begun).removeprefix(BYTE_ORDER_MARK)))

    def _recoded(self, recoder: Recoder, part: bytes, final: bool = False) -> bytes:
        try:
            return recoder.feed(part, final)
        except UnicodeError:
            self._wrong = self._wrong or UnusableReply("its bytes are none of the charset that it declares")
            return b""

    def raw(self) -> bytes:
        """The body of the reply, as if it had come in one piece. UnusableReply: it has not come to its end."""
        if self._recoder and not self.over:
            self._accept(self._recoded(self._recoder, b"", final=True))
        if self._streams:
            self._take(self._lines.rest())
        if self._wrong:
            raise self._wrong
        if not self._streams:
            if not self._gathering.takes_lists or (pieces := _pieces_of_list(bytes(self._begun))) is None:
                return bytes(self._begun)
            self._take(Event("", data) for data in pieces)
            if self._wrong:
                raise self._wrong
        # half a character at the end of one piece and the other half in the next become a whole one
        body = self._body() if self._cached is None else {**self._body(), **as_field(self._cached)}
        whole = json.dumps(body)
        lost = {name: value for name, value in self._finds.items() if f'"{name}":' not in whole}
        return (json.dumps({**lost, **body}) if lost else whole).encode()

    def _body(self) -> Mapping[str, Any]:
        """An error is put beside what came before it: it depends on that what the whole is."""
        if self._error is None:
            prompts = {f"{n}_prompt": value for n, value in enumerate(self._prompts)}
            whole = {**prompts, **self._not_as_sent, **self._gathering.body()}
            return whole if self._odd is None or error_in_reply(whole) is not None else {**whole, "error": self._odd}
        came: Mapping[str, Any] = {}
        with suppress(UnusableReply):
            came = self._gathering.body()
        return {**came, "error": self._error, **self._told_in}

    def _take(self, events: Iterator[Event]) -> None:
        try:
            for event in events:
                if self.over:
                    return
                if (error := _error_in(event)) is not None:
                    self._error = error
                    self._told_in = _besides(event, error)
                    return
                if event.name and event.name not in NAMES and self._named_oddly is None:
                    self._named_oddly = _oddity_of(event)
                if self._cached is None and MAY_BE_A_CACHE.search(event.data):
                    self._cached = mark_of_a_cache(data_of(event))
                if MAY_ECHO.search(event.data):
                    self._prompts += [value for value in _echoes_of(event) if value not in self._prompts]
                if MAY_BE.search(event.data):
                    self._not_as_sent |= marks_in(data_of(event))
                piece = RawBody(event.data)
                if len(self.unknown) < MOST_NAMES:
                    self.unknown |= unknown_in_piece(piece)
                self._finds |= finds_in_piece(piece)
                if event.data.strip():
                    self._gathering.take(event)
                elif event.name and self._named_oddly is None and event.name.strip().casefold() not in WORDLESS:
                    self._named_oddly = {"message": f"an event named {printable_end(event.name)} without data"}
        except UnusableReply as fault:
            self._wrong = fault
        except (AttributeError, TypeError, KeyError, IndexError, ValueError):
            self._wrong = UnreadableReply("a piece of the stream has an unknown shape")


def _echoes_of(event: Event) -> list[Any]:
    """What an event repeats of the prompt, in its own fields and in those of the response or message that it holds."""
    piece = data_of(event)
    return [
        value
        for place in (piece, *map(piece.get, ("response", "message")))
        if isinstance(place, dict)
        for value in echoes_in(place)
    ]


LINE_ENDS = regex(rb"\r\n|\n|\r")
# what has to stand in an event for it to hold an error
SUSPECT = regex(rb'"(?:errors?|error_\w+|message|msg|detail|base_resp)"')


# the names of events that the formats list, or that say nothing; those of the Responses format begin alike
NAMES = frozenset(
    (
        *("message", "message_start", "message_delta", "message_stop", "ping", "vertex_event", "done", "completion"),
        *("content_block_start", "content_block_delta", "content_block_stop", "keepalive", "keep-alive", "heartbeat"),
    )
)


# those that hold nothing, so that nothing is lost where they come without data
WORDLESS = frozenset(
    ("message", "message_stop", "ping", "done", "completion", "vertex_event", "keepalive", "keep-alive", "heartbeat")
)


def _oddity_of(event: Event) -> Any:
    """What the name of an event says that no format lists, as an error: the name is harmless where the data is what
    the format sends without a name.
    """
    name = event.name.strip().casefold()
    if name in NAMES or name.startswith("response."):
        return None
    if is_neutral(name) and event.data:
        if event.data.strip() == b"[DONE]":
            return None
        if not {"choices", "candidates", "type"}.isdisjoint(data_of(event)):
            return None
    return {"message": f"an event named {printable_end(name)}"}


def _error_in(event: Event) -> Any:
    """The error that an event holds, by its own name or by what stands in it; None where it holds none."""
    if _is_error(event.name):
        try:
            piece = data_of(event)
        except UnusableReply:
            piece = {"message": event.data.decode(errors="replace")}
        return error_beside(piece) or (piece if says_something(piece) else {"message": "an event named error"})
    if not SUSPECT.search(event.data):
        return None
    piece = data_of(event)
    code = piece.get("code")
    if (error := error_in_reply(piece)) is None or mapping_of(piece.get("base_resp")).get("status_code"):
        return None  # MiniMax says it in the body of the whole
    is_sentence = not any(piece.get(name) for name in ("choices", "candidates")) and error_beside(piece) is None
    if is_sentence and not objections(piece):
        return None  # it says that all is well
    named = any(name in piece for name in ("error", "errors", "choices", "candidates", "error_code", "error_msg"))
    # a sentence alone ends no stream, though it speaks against the reply: see `objections`
    return error if named or "error" in (piece.get("type"), piece.get("object")) or says_something(code) else None


def _besides(event: Event, error: Any) -> Mapping[str, Any]:
    """The event that holds an error, where it says more than that: of what it is about, all of it tells."""
    with suppress(UnusableReply):
        piece = data_of(event)
        if error is not piece and any(value is not error and value != "error" for value in piece.values()):
            return {"event": piece} if piece != error else {}
    return {}


def _is_error(name: str) -> bool:
    return name.strip().casefold() == "error"


class EventLines:
    """Cuts bytes into events as they come: https://html.spec.whatwg.org/multipage/server-sent-events.html."""

    def __init__(self) -> None:
        self.stray: Any = None  # the first line that is none of a stream, as an error
        self._left = bytearray()
        self._name = self._id = ""
        self._data: list[bytes] = []

    def feed(self, part: bytes) -> Iterator[Event]:
        searched = max(len(self._left) - 1, 0)
        self._left += part
        end = max(self._left.rfind(b"\n", searched), self._left.rfind(b"\r", searched, len(self._left) - 1))
        if end < 0:
            return
        # a CR at the very end may be the first half of a line's end
        lines, self._left = bytes(self._left[: end + 1]), self._left[end + 1 :]
        for line in LINE_ENDS.split(lines)[:-1]:
            yield from self._line(line)

    def rest(self) -> Iterator[Event]:
        """What is left when nothing more comes: many servers leave out the last empty line. A name without it may have
        lost its data, so that only that of an error counts.
        """
        left, self._left = bytes(self._left), bytearray()
        *lines, last = LINE_ENDS.split(left)
        for line in lines:
            yield from self._line(line)
        if not any(field.startswith(last) for field in STREAMED):  # else it was cut in the middle of its name
            yield from self._line(last)
        if self._data or _is_error(self._name):
            yield from self._line(b"")

    def _line(self, line: bytes) -> Iterator[Event]:
        if not line:
            if self._data or self._name.strip():
                yield Event(self._name, b"\n".join(self._data), self._id)
            self._name, self._data, self._id = "", [], ""
            return
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._name = value.decode(errors="replace")
        elif name == b"id":
            self._id = value.decode(errors="replace")
        elif not name and self.stray is None and _is_bad_comment(value.decode(errors="replace")):
            self.stray = {"message": f"a comment in the stream: {printable_end(value.decode(errors='replace'))}"}
        elif name not in FIELDS and self.stray is None and name.strip():
            text = printable_end(line.decode(errors="replace"))
            self.stray = {"message": f"a line of the stream that belongs to no event: {text}"}


FIELDS = (b"", b"retry")  # of the standard; a line that begins with a colon is a comment


def _is_bad_comment(text: str) -> bool:
    """Whether a comment tells of an error by its first word, says that the reply is not whole, or tells in a few words
    of a state of failure. One that names a setting (`timeout=60`, `retry in 3 s`), or a comment that keeps the
    connection open, tells of none.
    """
    return _is_error(text.partition(":")[0]) or warns_of_half(text) or _tells_of_failure(text)


def _tells_of_failure(text: str) -> bool:
    """Whether words tell of a state of failure, and none of them of what is set, may be, or keeps a connection open."""
    words = name_words(text)
    if not OF_NO_FAILURE.isdisjoint(words) or "=" in text or TIME.search(text):
        return False
    return len(words) <= LONGEST_NEWS and any(word in ILL_STATES or kind_of(word) == "failure" for word in words)


LONGEST_NEWS = 8  # words of a comment that tells of a failure; longer ones explain something
# in a comment: what keeps a connection open, and what is not so, or only may be
KEEPING = frozenset(("keep", "keepalive", "alive", "ping", "heartbeat", "hb", "padding", "processing", "comment"))
OF_NO_FAILURE = KEEPING | SETTINGS | POSSIBLE | DEALING | {"without", "after", "prevent", "prevents", "avoid", "avoids"}
TIME = regex(r"\d\s*(?:m?s|sec|seconds|min|minutes)\b", re.IGNORECASE)


def data_of(event: Event) -> dict[str, Any]:
    """What an event holds. UnusableReply: it is no JSON object, as where the connection was cut in the middle of it."""
    try:
        data = msgspec.json.decode(event.data)
        check_names(event.data, data)
    except DoubledName as fault:
        raise UnreadableReply(f"a piece of the stream is malformed: {fault}") from None
    except RecursionError:
        raise UnusableReply("a piece of the stream is nested too deeply") from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        try:
            # with half of a surrogate pair
            data = json.loads(event.data.decode(errors="replace"), object_pairs_hook=without_doubles)
        except DoubledName as fault:
            raise UnreadableReply(f"a piece of the stream is malformed: {fault}") from None
        except (ValueError, RecursionError):
            raise UnusableReply(RUN_TOGETHER if _is_several(event.data) else CUT) from None
        if not is_utf8(event.data):
            raise UnusableReply("a piece of the stream is not valid UTF-8") from None
    if not isinstance(data, dict):
        raise UnusableReply("a piece of the stream is no JSON object")
    return data


def _is_several(data: bytes) -> bool:
    """Whether each line of an event is JSON by itself: then they were to be several events."""
    lines = data.split(b"\n")
    try:
        return len(lines) > 1 and all(isinstance(msgspec.json.decode(line), dict) for line in lines[:-1])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
