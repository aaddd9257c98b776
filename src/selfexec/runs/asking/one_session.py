"""One session that an engine is asked to open: whatever comes of it is a reply."""

import time
from collections.abc import Callable

import msgspec

from selfexec.engines import Call, Engine, Outcome
from selfexec.errors import InputError
from selfexec.prompts import digest
from selfexec.runs.asking.progress import Progress
from selfexec.runs.records import Reply

_DECODE = msgspec.json.Decoder(Reply).decode


async def reply_to(
    engine: Engine, call: Call, progress: Progress, is_over: Callable[[], bool], parent: str | None = None
) -> Reply:
    """The reply of a session. What an engine is at fault for costs the session, not all the others; `is_over` tells
    whether these were given up. InputError: no further call can succeed either.
    """
    started = time.perf_counter()
    progress.under_way += 1
    try:
        outcome = await engine.ask(call)
    except InputError:
        raise
    except Exception as fault:
        if is_over():
            raise  # what was still under way when the run was given up: nothing came of it, and nobody is at fault
        outcome = _failed(fault)
    finally:
        progress.under_way -= 1
    asked = digest(call.messages)
    try:
        return _sound(Reply.of(call.key, outcome, time.perf_counter() - started, asked, parent))
    except (AttributeError, TypeError, ValueError) as fault:  # of what is no Outcome, or none that can be kept
        return Reply.of(call.key, _failed(fault), time.perf_counter() - started, asked, parent)


def _failed(fault: Exception) -> Outcome:
    said = "".join(str(fault).splitlines()[:1]).encode("utf-8", "replace").decode()
    return Outcome(None, error=f"the engine failed ({type(fault).__name__}: {said})")


def _sound(reply: Reply) -> Reply:
    """The reply as a journal gives it back. ValueError: it would not."""
    kept: Reply = _DECODE(reply.line)
    kept.__dict__["line"] = reply.line
    return kept
