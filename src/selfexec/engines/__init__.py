"""Engines carry sessions out: one prompt in, what came back out."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, Protocol, Self

import msgspec

from selfexec.errors import InputError, NoKey
from selfexec.items import ItemSet

Wire = Literal["openai", "anthropic", "gemini"]  # wire formats


class Call(msgspec.Struct, frozen=True):
    """One session to open: a single user message. `epoch` counts repetitions of the same prompt from 1."""

    model: str
    experiment: str
    session: str
    prompt: str
    epoch: int

    @property
    def kind(self) -> str:
        """`predict`, `execute` or `judge`: what settings go by."""
        return self.session.split(".")[0]


class Outcome(msgspec.Struct, frozen=True):
    """What came back from one session. `text` None with an `error` means that nothing did.

    `cost_usd` is what the call cost, where the provider says it; `completion_id` what the server calls this completion;
    `upstream` who answered behind a gateway that says so. `policy` is what a server said that answered with an error
    instead of a reply, and gave a content policy against this input as the reason. `retry_causes` says of every attempt
    before the last why it was not taken: `rate limit`, `server error`, `timeout`, ...
    """

    text: str | None
    output_tokens: int | None = None
    stop_reason: str | None = None
    refusal: str | None = None
    error: str | None = None
    input_tokens: int | None = None
    reasoning_tokens: int | None = None
    reasoning: str | None = None
    served_model: str | None = None
    fingerprint: str | None = None
    attempt: int | None = None
    cost_usd: float | None = None
    completion_id: str | None = None
    upstream: str | None = None
    policy: str | None = None
    retry_causes: tuple[str, ...] = ()


class Engine(Protocol):
    """Opens fresh sessions, as many at once as it is asked to and can bear. `warnings` is what a user should know,
    `addresses` where each model is asked, without any key; none for models in this process.
    """

    warnings: list[str]
    addresses: Mapping[str, str]

    async def ask(self, call: Call) -> Outcome: ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


MOST_CONNECTIONS = 10_000


@dataclass(frozen=True)
class EngineOptions:
    """How to reach models, apart from what is asked of them.

    `api_key_env` names the variable that holds the key; `wire` is the wire format behind a base URL: openai, anthropic
    or gemini; `headers` are sent with every call, and may be secrets. With `accept_filters`, errors that look like a
    content filter are kept as replies before the model has said anything.
    """

    base_url: str | None = None
    api_key_env: str | None = None
    wire: Wire | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    max_connections: int = 50
    timeout: float = 600.0
    settings: Mapping[str, Any] = field(default_factory=dict)
    system: str | None = None
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    accept_filters: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.max_connections <= MOST_CONNECTIONS:
            raise InputError(f"--max-connections {self.max_connections}: give 1 to {MOST_CONNECTIONS:,}.")
        if not 0 < self.timeout < math.inf:
            raise InputError(f"--timeout {self.timeout:g}: give a finite number of seconds above 0.")


def in_process(models: Sequence[str], options: EngineOptions) -> bool:
    """Whether all these models are simulated in this process, so that nothing is sent anywhere."""
    return options.base_url is None and all(model.startswith("sim/") for model in models)


def engine_for(models: Sequence[str], item_set: ItemSet, options: EngineOptions) -> Engine:
    """The engine that serves these models: the simulated ones in this process, others over HTTP."""
    if in_process(models, options):
        from selfexec.engines.sim import SimEngine

        return SimEngine(models, item_set)
    simulated = [model for model in models if model.startswith("sim/")]
    if simulated and options.base_url is None:
        raise InputError(f"model {simulated[0]!r}: simulated and real models cannot be in one command. Give two.")
    from selfexec.engines.lean import LeanEngine

    return LeanEngine(models, options)


def keys_lacking(models: Sequence[str], item_set: ItemSet, options: EngineOptions) -> list[str]:
    """What of keys these models could not be asked without, in sentences. Whatever else is in the way is refused."""
    try:
        engine_for(models, item_set, options)
    except NoKey:
        return [said for model in models if (said := _key_lacking(model, item_set, options))]
    return []


def _key_lacking(model: str, item_set: ItemSet, options: EngineOptions) -> str | None:
    try:
        engine_for([model], item_set, options)
    except NoKey as fault:
        return str(fault)
    return None


def default_models() -> list[str]:
    """The simulated panel."""
    from selfexec.engines.sim import PROFILES

    return [f"sim/{name}" for name in PROFILES]
