"""Engines carry sessions out: one prompt in, what came back out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from selfexec.errors import InputError
from selfexec.items import ItemSet

PANEL = "the simulated panel"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came back from one session. `text` None with an `error` means that nothing did."""

    text: str | None
    output_tokens: int | None = None
    stop_reason: str | None = None
    refusal: str | None = None
    error: str | None = None


class Engine(Protocol):
    """Opens a fresh session with one user message; `epoch` counts repetitions of the same prompt from 1."""

    async def ask(self, model: str, prompt: str, epoch: int) -> Outcome: ...


def engine_for(models: Sequence[str], item_set: ItemSet) -> Engine:
    """The engine that serves these models."""
    from selfexec.engines.sim import SimEngine

    strange = [model for model in models if not model.startswith("sim/")]
    if strange:
        raise InputError(
            f"model {strange[0]!r}: only simulated models (sim/...) can be run so far. "
            "Bring replies of real models with: selfexec import"
        )
    return SimEngine(models, item_set)


def default_models() -> list[str]:
    """The simulated panel."""
    from selfexec.engines.sim import PROFILES

    return [f"sim/{name}" for name in PROFILES]
