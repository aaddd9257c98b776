"""What every engine speaks of: calls, what comes back, how to reach models, and what an engine says about itself."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, Protocol, Self, runtime_checkable

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import Capability, Key, Message, Token
from selfexec.items import ItemSet

Wire = Literal["openai", "responses", "anthropic", "gemini"]  # wire formats


class Call(msgspec.Struct, frozen=True):
    """One session to open: its name in full, and the messages that it begins with, mostly one of the user's.

    `sampling` is what is sent beside them and changes the reply, by the field's name: temperature, top_p, max_tokens,
    whatever a body has; `system` is the system prompt. It is empty where nothing is sent. `needs` is what of the
    engine's capabilities the experiment counts on.
    """

    key: Key
    messages: tuple[Message, ...]
    sampling: Mapping[str, Any] = {}
    needs: frozenset[Capability] = frozenset()

    @property
    def model(self) -> str:
        return self.key.model

    @property
    def kind(self) -> str:
        """`predict`, `execute` or `judge`: what prompts and settings go by."""
        return self.key.kind

    @property
    def prompt(self) -> str:
        """What is asked: the last message, mostly the only one."""
        return self.messages[-1].content


class Outcome(msgspec.Struct, frozen=True):
    """What came back from one session. `text` None with an `error` means that nothing did.

    `cost_usd` is what the call cost, where the provider says it; `completion_id` what the server calls this completion;
    `upstream` who answered behind a gateway that says so. `policy` is what a server said that answered with an error
    instead of a reply, and gave a content policy against this input as the reason. `retry_causes` says of every attempt
    before the last why it was not taken: `rate limit`, `server error`, `timeout`, ... `effort` is how hard the server
    says that the model was to think. `prompt_cut`: it counted fewer tokens of the prompt than that must take.
    `simulated`: whether the server says that no language model is behind the reply. `logprobs` has the tokens of the
    reply with their log-probabilities, where these were asked for and came.
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
    effort: str | None = None
    prompt_cut: bool = False
    simulated: bool = False
    logprobs: tuple[Token, ...] | None = None


class Engine(Protocol):
    """Opens fresh sessions, as many at once as it is asked to and can bear. `warnings` is what a user should know,
    `addresses` where each model is asked, without any key; none for models in this process.

    `ask` brings what came back. A session from which nothing came is an Outcome with an error, not an exception;
    InputError says that no further call can succeed either.
    """

    warnings: list[str]
    addresses: Mapping[str, str]

    async def ask(self, call: Call) -> Outcome: ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@runtime_checkable
class Telling(Protocol):
    """An engine that knows more of a model than what comes of asking it, as that it is about to be shut down."""

    async def notices(self, model: str) -> Sequence[str]: ...


MOST_CONNECTIONS = 10_000


@dataclass(frozen=True)
class Connection:
    """How to reach models, apart from what is asked of them.

    `base_url` may have a query, whose values may be secrets; `api_key_env` names the variable that holds the key;
    `wire` is the wire format: openai (chat completions), responses, anthropic or gemini; `headers` are sent with every
    call, and may be secrets. With `stream`, replies come in pieces. With `accept_filters`, errors that look like a
    content filter are kept as replies before the model has said anything.
    """

    base_url: str | None = field(default=None, repr=False)
    api_key_env: str | None = None
    wire: Wire | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    max_connections: int = 50
    timeout: float = 600.0
    stream: bool = False
    accept_filters: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.max_connections <= MOST_CONNECTIONS:
            raise InputError(f"--max-connections {self.max_connections}: give 1 to {MOST_CONNECTIONS:,}.")
        if not 0 < self.timeout < math.inf:
            raise InputError(f"--timeout {self.timeout:g}: give a finite number of seconds above 0.")


@dataclass(frozen=True, kw_only=True)
class EngineType:
    """What is known of an engine before it is opened.

    name          its models are called NAME/...
    open          the engine for some models, which may be asked about these items; InputError for a model that it does
                  not have, NoKey where the key is not there
    capabilities  what it can carry beside one user message and its reply, of a model at an address
    simulated     whether its replies are made by rule, so that they say nothing of language models
    models        names to offer: whole, or up to the slash
    effort        what is sent to a model at an address so that it thinks as hard as a level says (`low`, `max`), given
                  what is sent anyway; None and InputError as with `thinking`
    load          what a model at an address needs loaded in this process before it can be asked: as long as somebody
                  holds what it gives, no other engine loads it again; None where nothing is to be loaded
    thinking      what is sent to a model at an address so that it thinks as a level says (`on`, `off`, `budget:1024`),
                  given what is sent anyway; None where it cannot be told, InputError where these do not go together
    """

    name: str
    open: Callable[[Sequence[str], ItemSet, Connection], Engine]
    capabilities: Callable[[str, Connection], frozenset[Capability]]
    simulated: bool = False
    models: Callable[[], Sequence[str]] = lambda: ()
    load: Callable[[str], Any] | None = None
    effort: Callable[[str, Connection, str, Mapping[str, Any]], Mapping[str, Any] | None] = lambda *asked: None
    thinking: Callable[[str, Connection, str, Mapping[str, Any]], Mapping[str, Any] | None] = lambda *asked: None
