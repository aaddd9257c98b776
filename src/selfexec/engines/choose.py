"""Which engine serves which models."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from selfexec.engines.base import Connection, Engine, EngineType
from selfexec.engines.http.providers import endpoint, wire_of
from selfexec.engines.registry import ENGINES, HTTP, SIM, likely_names
from selfexec.engines.settings import EFFORT, Sampling, given_fields, merged
from selfexec.errors import InputError, NoApiKey
from selfexec.experiments import EXPERIMENTS
from selfexec.facets import Condition, facet
from selfexec.items import ItemSet


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
