"""The engines: ours, and those that other packages announce under the entry point `selfexec.engines`. What each is made
of is imported when it is opened; and which engine serves which models."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from selfexec.engines.base import Connection, Engine, EngineType
from selfexec.engines.http.providers import PROVIDERS, UnknownProvider, endpoint, prefill_of, wire_of
from selfexec.engines.settings import EFFORT, Sampling, given_fields, merged
from selfexec.errors import InputError, NoApiKey
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
                f"--{name} {level} takes {', '.join(lacking)} of the engine, and {_engine_in_words(model, connection)} "
                f"has none for the model {model!r}. Leave the level out, or the model."
            )


def _engine_in_words(model: str, connection: Connection) -> str:
    engine = engine_type(model, connection)
    return f"the wire format {wire_of(model, connection)!r}" if engine is HTTP else engine.name


def refuse_unsent(model: str, connection: Connection, sampling: Sampling) -> None:
    """Raise InputError where an option that is given is a field which the engine of a model does not send."""
    given = given_fields(sampling)
    if not given:
        return
    engine = engine_type(model, connection)
    sent = engine.sends(model, connection)
    where = _engine_in_words(model, connection)
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
