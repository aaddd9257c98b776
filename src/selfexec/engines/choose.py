"""Which engine serves which models."""

from collections.abc import Sequence

from selfexec.engines.base import SIMULATED, Engine, EngineOptions, is_simulated
from selfexec.errors import InputError, NoKey
from selfexec.items import ItemSet


def in_process(models: Sequence[str], options: EngineOptions) -> bool:
    """Whether all these models are simulated in this process, so that nothing is sent anywhere."""
    return options.base_url is None and all(map(is_simulated, models))


def engine_for(models: Sequence[str], item_set: ItemSet, options: EngineOptions) -> Engine:
    """The engine that serves these models: the simulated ones in this process, others over HTTP."""
    if in_process(models, options):
        from selfexec.engines.sim import SimEngine

        return SimEngine(models, item_set)
    simulated = [model for model in models if is_simulated(model)]
    if simulated and options.base_url is None:
        raise InputError(f"model {simulated[0]!r}: simulated and real models cannot be in one command. Give two.")
    from selfexec.engines.http.client import HttpEngine

    return HttpEngine(models, options)


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

    return [f"{SIMULATED}{name}" for name in PROFILES]
