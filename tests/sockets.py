"""Servers on real sockets, for the tests."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from aiohttp import web

from selfexec.engines import Call
from selfexec.experiments import Key, Message


@asynccontextmanager
async def server(app: web.Application) -> Any:
    """An application at an address of its own, in this process."""
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        await runner.cleanup()


@contextmanager
def served(app: web.Application) -> Iterator[str]:
    """The same, beside the test: in a thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    context = server(app)
    try:
        yield asyncio.run_coroutine_threadsafe(context.__aenter__(), loop).result()
    finally:
        asyncio.run_coroutine_threadsafe(context.__aexit__(None, None, None), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@contextmanager
def sim_server(*options: str) -> Iterator[str]:
    """`selfexec serve` in another process."""
    command = [sys.executable, "-m", "selfexec", "serve", "--port", "0", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    address = process.stdout.readline().split(": ")[0]
    try:
        yield address
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def completion(text: str | None = "Hi", finish: str = "stop", **message: Any) -> dict[str, Any]:
    """The body of a chat completion."""
    usage = {"prompt_tokens": 3, "completion_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 2}}
    choice = {"message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
    return {"model": "m-2026-01-01", "system_fingerprint": "fp", "choices": [choice], "usage": usage}


def call(model: str, prompt: str = "Hello?", epoch: int = 1, *before: Message, session: str = "predict") -> Call:
    """A session of one message, or of what was said `before` and another."""
    return Call(Key(model, "restriction", "eggs", epoch, session), (*before, Message("user", prompt)))
