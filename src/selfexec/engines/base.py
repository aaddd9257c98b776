"""Engines carry sessions out: one prompt in, what came back out."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, Protocol, Self

import msgspec

from selfexec.errors import InputError

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
SIMULATED = "sim/"


def is_simulated(model: str) -> bool:
    """Whether a model is one of ours with known truth, in this process or behind `selfexec serve`. What it does says
    nothing of language models.
    """
    return model.startswith(SIMULATED)


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
