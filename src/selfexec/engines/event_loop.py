"""Asynchronous work from ordinary code, also in a notebook, where an event loop is running already."""

import asyncio
import gc
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")
# Some interpreters (3.12) have set some hundred objects apart themselves when they start; programs set thousands apart.
FROM_THE_START = 1_000
SELDOM = 10_000  # objects after which what calls leave behind is swept: nearly all of it needs no sweep


@contextmanager
def spared_from_sweeps() -> Iterator[None]:
    """The garbage collector leaves alone what is there already: sweeping it again and again would cost a tenth of the
    time of many small calls. What they leave behind is swept. Where somebody has set objects apart already, these stay
    apart, and no others are.
    """
    was_enabled, ours = gc.isenabled(), gc.get_freeze_count() <= FROM_THE_START
    thresholds = gc.get_threshold()
    gc.enable()
    gc.set_threshold(max(SELDOM, thresholds[0]), *thresholds[1:])
    if ours:
        gc.freeze()
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        if ours:
            gc.unfreeze()
        if not was_enabled:
            gc.disable()


def finish(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end. A fault of one task is raised as itself, not as a group of faults."""
    result: list[T] = []
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(_noted(work, result))
        return result[0]
    failure: list[BaseException] = []

    def in_thread() -> None:
        try:
            asyncio.run(_noted(work, result))
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return result[0]


async def _noted(work: Coroutine[Any, Any, T], result: list[T]) -> None:
    """Do the work and put what comes of it into `result`: what a task returns is shown by its repr in asyncio's own
    messages, which it makes whether or not anybody sees them.
    """
    try:
        result.append(await work)
    except BaseExceptionGroup as group:
        first: BaseException = group
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        raise first from None
