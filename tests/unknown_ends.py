"""An engine whose replies end as a test says, for runs in which some ends are not known."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest

from selfexec.engines import ENGINES, Call, CallResult, Engine, EngineType

WORD = "wrapped_up"
JUDGED = "did the response"  # in prompts to judge
How = Callable[[Call, int], CallResult]  # the outcome of a call, and which call of all it is, from 1


def ended(text: str | None = "B", word: str = WORD, **more: Any) -> CallResult:
    """What an engine makes of a reply with an unknown end."""
    error = f"the reply ended with {word!r}, which is not in the table of known ends"
    return CallResult(None, error=error, unknown_end=word, unknown_end_text=text, **{"output_tokens": 5, **more})


def said(text: str = "A", stop: str = "stop") -> CallResult:
    return CallResult(text, output_tokens=5, stop_reason=stop)


class Scripted:
    """It answers as it is told, and keeps the calls that it was asked."""

    def __init__(self, how: How) -> None:
        self.how = how
        self.calls: list[Call] = []
        self.warnings: list[str] = []
        self.addresses: dict[str, str] = {}

    async def __aenter__(self) -> Engine:
        return self

    async def __aexit__(self, *failure: object) -> None:
        return None

    async def ask(self, call: Call) -> CallResult:
        self.calls.append(call)
        return self.how(call, len(self.calls))


@contextmanager
def scripted(how: How) -> Iterator[Scripted]:
    """Within, models called odd/... answer as `how` says."""
    engine = Scripted(how)
    kind = EngineType(
        name="odd", open=lambda models, items, connection: engine, capabilities=lambda model, connection: frozenset()
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(vars(ENGINES), "_found", {**ENGINES, "odd": kind})
        yield engine


def with_stop(outcome: CallResult) -> CallResult:
    """The outcome as it would be if its end were known."""
    if outcome.unknown_end is None:
        return outcome
    return msgspec.structs.replace(
        outcome, text=outcome.unknown_end_text or "", error=None, stop_reason="stop", unknown_end=None
    )
