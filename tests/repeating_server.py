"""A server that sends some of its answers twice, on a raw socket: what a proxy or gateway does that repeats an answer,
or answers a call that it had given up.
"""

import asyncio
import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Repeating:
    """The habits of a server, and what it saw.

    Attributes:
        delay: Seconds before an answer.
        repeat: Seconds after every fifth answer (`every`) at which it is sent once more; None: never. With `on_next`,
            it is sent once more as soon as the next call comes on the connection: so the two are surely swapped.
        close_after: Calls on a connection after which the server closes it; None: it never does.
        announces: Whether it says so in the last answer.
        streams: Whether an answer comes as a stream of events.
        lags: Whether each call on a connection, from the third on, gets the answer to the call before it.
        numbered: Whether each answer has an id of its own.
        calls: How many calls came on each connection.
    """

    delay: float = 0.0
    repeat: float | None = None
    close_after: int | None = None
    announces: bool = True
    streams: bool = False
    lags: bool = False
    numbered: bool = False
    every: int = 5
    on_next: bool = False
    calls: list[int] = field(default_factory=list)
    answers: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = len(self.calls)
        self.calls.append(0)
        loop = asyncio.get_running_loop()
        held = late = b""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                fields = dict(line.lower().split(": ", 1) for line in head.decode().split("\r\n")[1:] if ": " in line)
                body = await reader.readexactly(int(fields.get("content-length", 0)))
                path = head.split()[1].decode()
                self.calls[connection] += 1
                writer.write(held)
                held = b""
                await asyncio.sleep(self.delay)
                last = self.close_after == self.calls[connection]
                answer = self.answer(path, body, last=last and self.announces)
                if self.lags and self.calls[connection] > 2:
                    answer, late = late, answer
                else:
                    late = answer
                self.answers += 1
                if self.on_next and self.answers % self.every == 0:
                    held = answer
                again = self.repeat is not None and self.answers % self.every == 0
                writer.write(answer * 2 if again and not self.repeat else answer)
                if again and self.repeat:
                    loop.call_later(self.repeat, _write, writer, answer)
                await writer.drain()
                if last:
                    break
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    def answer(self, path: str, body: bytes, *, last: bool = False) -> bytes:
        """The response to a call: the SHA-256 of its prompt, in the wire format that its path belongs to."""
        request = json.loads(body or b"{}")
        wire = next((wire for mark, wire in WIRES.items() if mark in path), None)
        if wire is None:
            return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
        text = hashlib.sha256(wire.prompt(request).encode()).hexdigest()
        number = {wire.number: f"answer-{len(self.calls)}-{self.answers}"} if self.numbered else {}
        content = wire.stream(text, number) if self.streams else json.dumps({**number, **wire.answer(text)}).encode()
        kind = b"text/event-stream" if self.streams else b"application/json"
        close = b"Connection: close\r\n" if last else b""
        head = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\n%sContent-Length: %d\r\n\r\n" % (kind, close, len(content))
        return head + content


@dataclass(frozen=True)
class _Wire:
    prompt: Callable[[Any], str]
    answer: Callable[[str], Mapping[str, Any]]
    number: str = "id"

    def stream(self, text: str, number: Mapping[str, str]) -> bytes:
        """A chat completion in two pieces."""
        pieces: list[dict[str, Any]] = [{"choices": [{"delta": {"content": part}}]} for part in (text[:20], text[20:])]
        pieces.append({"choices": [{"delta": {}, "finish_reason": "stop"}]})
        lines = (b"data: %s\n\n" % json.dumps({**number, **piece}).encode() for piece in pieces)
        return b"".join(lines) + b"data: [DONE]\n\n"


WIRES = {
    "/chat/completions": _Wire(
        lambda asked: asked["messages"][-1]["content"],
        lambda text: {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]},
    ),
    "/responses": _Wire(
        lambda asked: asked["input"][-1]["content"] if isinstance(asked["input"], list) else asked["input"],
        lambda text: {
            "status": "completed",
            "output": [
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]},
            ],
        },
    ),
    "/messages": _Wire(
        lambda asked: asked["messages"][-1]["content"],
        lambda text: {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"},
    ),
    ":generateContent": _Wire(
        lambda asked: asked["contents"][-1]["parts"][0]["text"],
        lambda text: {"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}]},
        number="responseId",
    ),
}


def _write(writer: asyncio.StreamWriter, answer: bytes) -> None:
    if not writer.is_closing():
        writer.write(answer)


@contextmanager
def repeating(habits: Repeating) -> Iterator[str]:
    """Serve in a thread, at an address of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    listening = asyncio.run_coroutine_threadsafe(asyncio.start_server(habits.serve, "127.0.0.1", 0), loop).result()
    try:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
    finally:

        async def stop() -> None:
            listening.close()
            tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
