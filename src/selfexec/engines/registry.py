"""The engines: ours, and those that other packages announce under the entry point `selfexec.engines`. What each is made
of is imported when it is opened."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from selfexec.engines.base import Connection, Engine, EngineType
from selfexec.engines.http.providers import PROVIDERS, UnknownProvider, prefill_of, wire_of
from selfexec.errors import InputError
from selfexec.experiments import Capability
from selfexec.extension import Registry
from selfexec.facets import THINKING
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
