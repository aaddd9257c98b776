"""The engines: ours, and those that other packages announce under the entry point `selfexec.engines`; which of them
serves which model; and one engine for all models of a run, whatever serves each. What an engine is made of is imported
when it is opened.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from types import TracebackType
from typing import Any, Self

import msgspec

from selfexec.engines.base import (
    Call,
    CallResult,
    Checking,
    Connection,
    ConnectionCheck,
    Engine,
    EngineType,
    Experienced,
    Waiting,
)
from selfexec.engines.http.providers import PROVIDERS, UnknownProvider, endpoint, prefill_of, wire_of
from selfexec.engines.settings import EFFORT, Sampling, given_fields, merged
from selfexec.errors import InputError, Interrupted, NoApiKey
from selfexec.experiments import EXPERIMENTS, Capability
from selfexec.extension import Registry
from selfexec.facets import THINKING, Condition, facet
from selfexec.items import ItemSet
from selfexec.text.matching import meant, nearest

TURNS: frozenset[Capability] = frozenset({"turns"})


def _open_sim(models: Sequence[str], item_set: ItemSet, connection: Connection) -> Engine:
    from selfexec.engines.sim import SimEngine

    return SimEngine(models, item_set)


def _sim_models() -> Sequence[str]:
    from selfexec.engines.sim import PROFILES

    return [f"sim/{name}" for name in PROFILES]


def _open_http(models: Sequence[str], item_set: ItemSet, connection: Connection) -> Engine:
    from selfexec.engines.http.client import HttpEngine

    with likely_names():
        return HttpEngine(models, connection)


def _http_capabilities(model: str, connection: Connection) -> frozenset[Capability]:
    from selfexec.engines.http.wires import WIRES

    prefill: frozenset[Capability] = frozenset({"prefill"} if prefill_of(model, connection) else ())
    return WIRES[wire_of(model, connection)].capabilities | prefill


def _http_sends(model: str, connection: Connection) -> frozenset[str]:
    from selfexec.engines.http.wires import WIRES

    return WIRES[wire_of(model, connection)].sends


def _http_thinking(
    model: str, connection: Connection, level: str, sampling: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    from selfexec.engines.http.thinking import thinking_fields

    return thinking_fields(model, wire_of(model, connection), level, sampling)


def _http_effort(
    model: str, connection: Connection, level: str, sampling: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    from selfexec.engines.http.effort import effort_fields

    return effort_fields(model, wire_of(model, connection), level, sampling)


def _http_models() -> Sequence[str]:
    return [f"{name}/" for name in PROVIDERS]


SIM = EngineType(
    name="sim",
    open=_open_sim,
    capabilities=lambda model, connection: TURNS | {"prefill", "forced_tokens"},
    simulated=True,
    models=_sim_models,
    thinking=lambda model, connection, level, sampling: {THINKING: level},
)
HTTP = EngineType(
    name="http",
    open=_open_http,
    capabilities=_http_capabilities,
    sends=_http_sends,
    models=_http_models,
    effort=_http_effort,
    thinking=_http_thinking,
)
ENGINES = Registry(EngineType, "engines", (SIM, HTTP), lambda engine: engine.name, PROVIDERS)


# --- names of models -------------------------------------------------------------------------------------------------


@contextmanager
def likely_names() -> Iterator[None]:
    """Refuse a model whose provider is unknown with the names that may be meant, among those of all engines."""
    try:
        yield
    except UnknownProvider as fault:
        raise InputError(f"model {fault.model!r}: {_likely_name(fault.model)}") from None


def _likely_name(model: str) -> str:
    """What is wrong with the name of a model that no engine knows, and how it is likely to be written."""
    known = [name for engine in ENGINES.values() for name in engine.models()]  # `provider/` where any model will do
    provider, _, name = model.partition("/")
    if name:
        providers = dict.fromkeys(each.partition("/")[0] for each in known)
        return (
            f"unknown provider {provider!r}. {meant(provider, providers)} "
            "For any other server that speaks the OpenAI format add --base-url URL."
        )
    full_names = {each.partition("/")[2]: each for each in known}
    if near := nearest(model, full_names):
        return f"it is written as provider/model. Did you mean {full_names[near]!r}?"
    return "write it as provider/model, like openai/gpt-6-luna or vllm/my-model."


# --- which engine serves which models --------------------------------------------------------------------------------


def engine_type(model: str, connection: Connection) -> EngineType:
    """The engine that serves a model: what lies behind a base URL is asked over HTTP; else it is the engine after which
    the model is called, and HTTP where that is none.
    """
    return HTTP if connection.base_url else ENGINES.get(model.partition("/")[0], HTTP)


def why_unaskable(model: str) -> str | None:
    """Why a model cannot be asked by its name alone, as the command line says it; None where it can, given a key."""
    if engine_type(model, Connection()).name != HTTP.name:
        return None
    try:
        with likely_names():
            endpoint(model)
    except NoApiKey:
        return None
    except InputError as fault:
        return fault.typed
    return None


def engine_for(models: Sequence[str], item_set: ItemSet, connection: Connection) -> Engine:
    """The engine that serves these models, which are of one: that of the first."""
    return engine_type(models[0], connection).open(models, item_set, connection)


def refuse_unable(models: Iterable[str], experiments: Iterable[str], connection: Connection) -> None:
    """Raise InputError where an experiment needs what the engine of a model cannot do."""
    needs = {experiment: EXPERIMENTS[experiment].needs for experiment in experiments}
    for model in models:
        engine = engine_type(model, connection)
        for experiment, needed in needs.items():
            if lacking := needed and sorted(needed - engine.capabilities(model, connection)):
                raise InputError(
                    f"{experiment} needs {', '.join(lacking)} of the engine, and {engine.name} cannot do that for the "
                    f"model {model!r}. Leave the experiment out: --experiment names those to ask."
                )


def refuse_unable_in(model: str, condition: Condition, connection: Connection) -> None:
    """Raise InputError where a condition takes what the engine of a model cannot do."""
    for name, level in condition:
        needed = facet(name).needed(level)
        if needed and (lacking := sorted(needed - engine_type(model, connection).capabilities(model, connection))):
            raise InputError(
                f"--{name} {level} takes {', '.join(lacking)} of the engine, and {engine_in_words(model, connection)} "
                f"has none for the model {model!r}. Leave the level out, or the model."
            )


def engine_in_words(model: str, connection: Connection) -> str:
    """Over what a model is asked: the wire format 'openai', or the engine's name."""
    engine = engine_type(model, connection)
    return f"the wire format {wire_of(model, connection)!r}" if engine is HTTP else engine.name


def refuse_unsent(model: str, connection: Connection, sampling: Sampling) -> None:
    """Raise InputError where an option that is given is a field which the engine of a model does not send."""
    given = given_fields(sampling)
    if not given:
        return
    engine = engine_type(model, connection)
    sent = engine.sends(model, connection)
    where = engine_in_words(model, connection)
    for each, _ in given:
        if each.body_field not in sent:
            raise InputError(f"{each.flag}: {where}, in which {model} is asked, has no such field. Leave it out.")


def thinking_in(model: str, connection: Connection, level: str, sampling: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is sent to a model so that it thinks as a level says. InputError where that cannot be."""
    engine = engine_type(model, connection)
    found = engine.thinking(model, connection, level, sampling)
    if found is None:
        raise InputError(
            f"model {model!r}: {engine.name} cannot switch thinking on or off. Leave --thinking and "
            "--behaviour-thinking out."
        )
    return found


def effort_in(model: str, connection: Connection, level: str, sampling: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is sent to a model so that it thinks as hard as a level says. InputError where that cannot be."""
    engine = engine_type(model, connection)
    found = engine.effort(model, connection, level, sampling)
    if found is None:
        raise InputError(f"model {model!r}: {engine.name} cannot set how hard a model thinks. Leave --set effort out.")
    return found


def sent_to(model: str, connection: Connection, sampling: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is sent to a model beside its prompt, each field as the model's server calls it."""
    if EFFORT not in sampling:
        return sampling
    others = {name: value for name, value in sampling.items() if name != EFFORT}
    return merged(others, effort_in(model, connection, sampling[EFFORT], others))


def default_models() -> list[str]:
    """The simulated panel."""
    return list(SIM.models())


# --- who is asked, and by which engine -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Respondent:
    """A model as a run asks it.

    `name` is what the run calls it, `asked` what its engine does. `connections` says how it is reached: one, or one for
    each of its addresses, among which its calls are shared out.
    """

    name: str
    asked: str
    connections: tuple[Connection, ...]
    sampling: Sampling

    @property
    def simulated(self) -> bool:
        """Whether it is simulated in this process, so that nothing is sent anywhere."""
        return all(engine_type(self.asked, connection).simulated for connection in self.connections)

    @cached_property
    def can(self) -> frozenset[Capability]:
        """What can be carried to it beside one user message and its reply, at each of its addresses."""
        engines = (engine_type(self.asked, one).capabilities(self.asked, one) for one in self.connections)
        return frozenset.intersection(*engines)

    @property
    def efforts(self) -> dict[str, Any]:
        """How it is told how hard to think, as a run keeps it, by setting and name: `predict.effort@openai/m`."""
        levels = {name: level for name, level in self.sampling.settings.items() if name.split(".")[-1] == EFFORT}
        where = self.connections[0]  # the same wherever it runs
        return {f"{n}@{self.name}": effort_in(self.asked, where, level, {}) for n, level in levels.items()}

    @property
    def loads(self) -> bool:
        """Whether something of it is loaded in this process."""
        return any(engine_type(self.asked, connection).load for connection in self.connections)


def loaded(respondents: Iterable[Respondent], held: Mapping[str, Any]) -> dict[str, Any]:
    """What these need loaded in this process and is not `held`, by model."""
    found: dict[str, Any] = {}
    for one in respondents:
        for connection in one.connections:
            load = engine_type(one.asked, connection).load
            if load and one.asked not in {**held, **found}:
                found[one.asked] = load(one.asked)
    return found


def engine_of(respondents: Sequence[Respondent], item_set: ItemSet) -> Engine:
    """The engine that asks all of these. InputError where one of them cannot be asked, NoApiKey without a key."""
    served: list[tuple[Connection, list[str]]] = []
    place: dict[str, list[int]] = {}
    for one in respondents:
        place[one.name] = [_place(served, connection, one.asked) for connection in one.connections]
    engines = [engine_for(models, item_set, connection) for connection, models in served]
    if len(engines) == 1 and all(one.name == one.asked for one in respondents):
        return engines[0]
    asked = {one.name: one.asked for one in respondents}
    return _Several(asked, {name: [engines[n] for n in places] for name, places in place.items()})


def _place(served: list[tuple[Connection, list[str]]], connection: Connection, model: str) -> int:
    """Which engine asks a model at an address, which is noted: one for what is reached alike by engines of one type."""
    kind = engine_type(model, connection)
    for n, (known, models) in enumerate(served):
        if known == connection and engine_type(models[0], known) is kind:
            if model not in models:
                models.append(model)
            return n
    served.append((connection, [model]))
    return len(served) - 1


def keys_lacking(respondents: Sequence[Respondent], item_set: ItemSet) -> list[str]:
    """What of keys these could not be asked without, in sentences. Whatever else is in the way is refused."""
    found: dict[str, None] = {}
    for one in respondents:
        try:
            engine_of([one], item_set)
        except NoApiKey as fault:
            found[fault.typed] = None
    if not found:
        engine_of(respondents, item_set)  # what they are refused for together
    return list(found)


class _Several:
    """Hands each call to the engine of its model; of a model at several addresses to the one with the fewest calls
    under way. Where one of these addresses can be asked no more for now, its calls go to the others.
    """

    def __init__(self, asked: Mapping[str, str], engines: Mapping[str, Sequence[Engine]]) -> None:
        self._asked = asked
        self._engines = engines
        self._all = list({id(engine): engine for some in engines.values() for engine in some}.values())
        self._under_way = Counter[int]()
        self._lost: set[tuple[str, int]] = set()  # models, with an engine that can ask them no more for now
        self._opened = AsyncExitStack()
        self.warnings: list[str] = []
        self.waiting: dict[str, str] = {}
        for engine in self._all:
            self.warnings += engine.warnings
            engine.warnings = self.warnings  # where they say what comes later, too
            if isinstance(engine, Waiting):
                engine.waiting = self.waiting
        self.addresses: Mapping[str, str] = {
            name: ", ".join(dict.fromkeys(engine.addresses[asked[name]] for engine in some))
            for name, some in engines.items()
            if all(asked[name] in engine.addresses for engine in some)
        }

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as opened:
            for engine in self._all:
                await opened.enter_async_context(engine)
            self._opened = opened.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._opened.__aexit__(kind, error, trace)

    def report_checks(self, report: Callable[[ConnectionCheck], None]) -> None:
        for engine in self._all:
            if isinstance(engine, Checking):
                engine.report_checks(report)

    def note_answered(self, addresses: Collection[str]) -> None:
        for engine in self._all:
            if isinstance(engine, Experienced):
                engine.note_answered(addresses)

    async def ask(self, call: Call) -> CallResult:
        model, asked = call.model, self._asked[call.model]
        if asked != model:
            call = msgspec.structs.replace(call, key=call.key._replace(model=asked))
        while True:
            able = [one for one in self._engines[model] if (model, id(one)) not in self._lost] or self._engines[model]
            engine = min(able, key=lambda one: self._under_way[id(one)])
            self._under_way[id(engine)] += 1
            try:
                return await engine.ask(call)
            except Interrupted as fault:
                self._lost.add((model, id(engine)))
                if all((model, id(one)) in self._lost for one in self._engines[model]):
                    raise
                if (said := f"{fault.obstacle} Its calls went to the other addresses of {model}") not in self.warnings:
                    self.warnings.append(said)
            finally:
                self._under_way[id(engine)] -= 1
