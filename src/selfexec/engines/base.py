"""What every engine speaks of: calls, what comes back, how to reach models, and what an engine says about itself; and
how its work is done from ordinary code, also in a notebook, where an event loop is running already.
"""

import asyncio
import gc
import math
import threading
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self, TypeVar, runtime_checkable

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import Capability, Injection, Key, Message, Token
from selfexec.items import ItemSet
from selfexec.options import HOW_MUCH, WHERE_IT_GOES, WHICH_MODELS, option
from selfexec.renamed import module_getattr

Wire = Literal["openai", "responses", "anthropic", "gemini"]  # wire formats


class Call(msgspec.Struct, frozen=True):
    """One session to open: its name in full, and the messages that it begins with, mostly one of the user's.

    `sampling` is what is sent beside them and changes the reply, by the field's name: temperature, top_p, max_tokens,
    whatever a body has; `system` is the system prompt. Where nothing is sent beside the messages, it is empty. `needs`
    is what of the engine's capabilities the experiment counts on. `injection` is what is forced into the reply, where
    anything is.
    """

    key: Key
    messages: tuple[Message, ...]
    sampling: Mapping[str, Any] = {}
    needs: frozenset[Capability] = frozenset()
    injection: Injection | None = None

    @property
    def model(self) -> str:
        return self.key.model

    @property
    def session_kind(self) -> str:
        """What prompts and settings go by: `predict`, `execute` or another kind of its experiment."""
        return self.key.session_kind

    @property
    def prompt(self) -> str:
        """What is asked: the last message, mostly the only one."""
        return self.messages[-1].content


BETWEEN_PARTS = "; "  # in `form_parts`


class CallResult(msgspec.Struct, frozen=True):
    """What came back from one session. `text` None with an `error` means that nothing did.

    `cost_usd` is what the call cost, where the provider says it; `completion_id` what the server calls this completion;
    `upstream` who answered behind a gateway that says so. `policy` is what a server said that answered with an error
    instead of a reply, and gave a content policy against this input as the reason. `retry_causes` says of every attempt
    before the last why it was not taken: `rate limit`, `server error`, `timeout`, ... `effort` is how hard the server
    says that the model was to think. `prompt_cut`: it counted fewer tokens of the prompt than that must take, and
    `prompt_extended`: far more than the request can have. `simulated`: whether the server says that no language model
    is behind the reply. `logprobs` has the tokens of the reply with their log-probabilities, where these were asked for
    and came. `connection` is the network connection that brought the reply and the number of the call on it
    ("5f0c2a91.3:17"); None where the reply is certain to answer this call.

    `created` is when the server says that it made the reply, in seconds since 1970; `age` for how many seconds it had
    been there when its call was sent, where that is ten minutes or more and nobody knows whether the server's clock
    is right.

    `form` is the number of what the reply was made up of, its fields and headers, and `form_parts` has these for the
    first replies of a form. `other_model` is the name of another model than was asked, and than `served_model`, that a
    field or a header has, with its place. `other_fields` has the fields and headers that are not known, with short
    values, and `contradictions` what it says that does not fit the request, other replies, or itself. `prompt_bytes` is
    the length of the text of the prompt, its system prompt included.

    `forced` has the tokens that an injection forced into the reply, each with the log-probability that the model gave
    it there, and `forced_end` is the number of characters of `text` before what the model wrote behind them; of a sham
    there are no tokens, and `forced_end` says where they would have been. Both are None where the call has no
    injection: an engine that knows of none is not taken to have carried one out.

    `waited` is for how many seconds the call was held since its server was away, which is no latency.

    `unexplained_tokens` are those by which the total that the server gives is above the sum of its other counts, or
    below it.

    `unknown_end` is the server's word for how the reply ended, where that word is not in the table of known ends; it is
    `none` where the server gave no word, and has `+error` behind a known word where something speaks against the reply.
    Such a CallResult has an `error` and no `text`, so that it counts as missing; `unknown_end_text` is the text that
    came with it, which may be half of a reply.
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
    prompt_extended: bool = False
    simulated: bool = False
    logprobs: tuple[Token, ...] | None = None
    unknown_end: str | None = None
    unknown_end_text: str | None = None
    connection: str | None = None
    forced: tuple[Token, ...] | None = None
    forced_end: int | None = None
    waited: float = 0.0
    created: float | None = None
    age: int | None = None
    form: int | None = None
    form_parts: str | None = None
    other_model: str | None = None
    other_fields: str | None = None
    contradictions: str | None = None
    prompt_bytes: int | None = None
    unexplained_tokens: int = 0


class Engine(Protocol):
    """Opens fresh sessions, as many at once as it is asked to and can bear. `warnings` is what a user should know,
    `addresses` where each model is asked, without any key; none for models in this process.

    `ask` brings what came back. A session from which nothing came is a CallResult with an error, not an exception;
    InputError says that no further call can succeed either.
    """

    warnings: list[str]
    addresses: Mapping[str, str]

    async def ask(self, call: Call) -> CallResult: ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@runtime_checkable
class Notices(Protocol):
    """An engine that knows more of a model than what comes of asking it, as that it is about to be shut down."""

    async def notices(self, model: str) -> Sequence[str]: ...


class ConnectionCheck(NamedTuple):
    """What became known about the replies to calls `first` to `last` of a network connection to an address.

    `clean`: each answers its own call. `swapped`: an answer arrived that no call was waiting for, so that each of them
    may answer another call. `unknown`: the connection ended before this could be checked; if the same address sends
    such an answer later, the same replies are reported again as `swapped`.
    """

    connection: str
    first: int
    last: int
    result: Literal["clean", "swapped", "unknown"]
    address: str


@runtime_checkable
class Checking(Protocol):
    """An engine that learns only after a reply whether it belongs to its call. `report_checks` says whom to tell; all
    is reported before the engine is closed.
    """

    def report_checks(self, report: Callable[[ConnectionCheck], None]) -> None: ...


@runtime_checkable
class Waiting(Protocol):
    """An engine whose calls may wait for a server. `waiting` says of each address that is away, by address, since when
    it is, and how long calls wait for it.
    """

    waiting: dict[str, str]


@runtime_checkable
class Experienced(Protocol):
    """An engine that waits only for servers that are known to have answered. `note_answered` says at which
    addresses replies came before this engine was there, as `addresses` shows them.
    """

    def note_answered(self, addresses: Collection[str]) -> None: ...


MOST_CONNECTIONS = 10_000
SENT_BY_ALL = frozenset({"system"})  # fields of `Sampling` that every engine and every wire format sends
PATIENCE = 1800.0  # seconds for which calls wait for a server that is away


@dataclass(frozen=True, kw_only=True)
class Address:
    """Where models are asked. The address may have a query, whose values may be secrets."""

    base_url: str | None = option(
        None,
        "The base URL of a server with an OpenAI, Anthropic or Gemini API (`--wire` says which), such as "
        "http://localhost:8000/v1. It may include a query string, which is sent with every call.",
        metavar="URL",
        section=WHICH_MODELS,
        secret=True,
    )
    wire: Wire | None = option(
        None, "The wire format of that server. Default: openai (chat completions).", section=WHICH_MODELS
    )


@dataclass(frozen=True, kw_only=True)
class Connection(Address):
    """How to reach models, apart from what is asked of them. Headers may be secrets."""

    api_key_env: str | None = option(
        None,
        "The name of the variable that holds the API key, in the environment or in .env; never the key itself.",
        metavar="NAME",
        section=WHICH_MODELS,
        stored=True,
    )
    headers: Mapping[str, str] = option(
        {},
        "A header to send with every call, for gateways. It may be a secret: its value is never saved.",
        flag="--header",
        metavar="NAME=VALUE",
        form="pairs",
        section=WHICH_MODELS,
        secret=True,
    )
    max_connections: int = option(50, "The maximum number of calls at the same time.", metavar="N", section=HOW_MUCH)
    timeout: float = option(600.0, "Seconds after which one attempt times out.", metavar="S", section=HOW_MUCH)
    patience: float = option(
        PATIENCE,
        "Seconds to wait for an unreachable server before the run stops; 0: do not wait.",
        metavar="S",
        section=HOW_MUCH,
    )
    stream: bool = option(False, "Stream replies, for gateways that cut idle connections.", section=HOW_MUCH)
    accept_filters: bool = option(
        False,
        "Count errors that look like content-filter blocks as refusals, even before any reply has come from the model.",
        section=WHERE_IT_GOES,
    )

    def __post_init__(self) -> None:
        if not 1 <= self.max_connections <= MOST_CONNECTIONS:
            raise InputError(f"--max-connections {self.max_connections}: give 1 to {MOST_CONNECTIONS:,}.")
        if not 0 < self.timeout < math.inf:
            raise InputError(f"--timeout {self.timeout:g}: give a finite number of seconds above 0.")
        if not 0 <= self.patience < math.inf:
            raise InputError(f"--patience {self.patience:g}: give a finite number of seconds, 0 or more.")


@dataclass(frozen=True, kw_only=True)
class EngineType:
    """What is known of an engine before it is opened.

    name          its models are called NAME/...
    open          the engine for some models, which may be asked about these items; InputError for a model that it does
                  not have, NoApiKey where the key is not there
    capabilities  what it can carry beside one user message and its reply, of a model at an address
    simulated     whether its replies are made by rule, so that they say nothing of language models
    models        names to offer: whole, or up to the slash
    sends         which fields of the request body that are options of `Sampling` it sends to a model at an address; all
                  others are refused by name. What is given by `--set` and `--extra-body` is its own affair
    effort        what is sent to a model at an address so that it thinks as hard as a level says (`low`, `max`), given
                  what is sent anyway; None and InputError as with `thinking`
    load          what a model at an address needs loaded in this process before it can be asked: as long as somebody
                  holds what it gives, no other engine loads it again; None where nothing is to be loaded
    thinking      what is sent to a model at an address so that it thinks as a level says (`on`, `off`, `budget:1024`),
                  given what is sent anyway; None where it is unknown, InputError where these do not go together
    """

    name: str
    open: Callable[[Sequence[str], ItemSet, Connection], Engine]
    capabilities: Callable[[str, Connection], frozenset[Capability]]
    simulated: bool = False
    models: Callable[[], Sequence[str]] = lambda: ()
    load: Callable[[str], Any] | None = None
    sends: Callable[[str, Connection], frozenset[str]] = lambda model, connection: SENT_BY_ALL
    effort: Callable[[str, Connection, str, Mapping[str, Any]], Mapping[str, Any] | None] = lambda *asked: None
    thinking: Callable[[str, Connection, str, Mapping[str, Any]], Mapping[str, Any] | None] = lambda *asked: None


# --- asynchronous work from ordinary code ----------------------------------------------------------------------------


T = TypeVar("T")
# Some interpreters (3.12) have set some hundred objects apart themselves when they start; programs set thousands apart.
FROM_THE_START = 1_000
SELDOM = 10_000  # objects after which what calls leave behind is swept: nearly all of it needs no sweep


@contextmanager
def without_garbage_sweeps() -> Iterator[None]:
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


def run_coroutine(work: Coroutine[Any, Any, T]) -> T:
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


if not TYPE_CHECKING:  # names that are nowhere are errors to a type checker
    __getattr__ = module_getattr(__name__)
