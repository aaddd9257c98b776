"""The engine of models in this process, as it is known before it is opened."""

from collections.abc import Mapping, Sequence
from typing import Any

from selfexec.engines import Connection, Engine, EngineType
from selfexec.engines.registry import TURNS
from selfexec.items import ItemSet


def _open_local(models: Sequence[str], item_set: ItemSet, connection: Connection) -> Engine:
    from selfexec.extensions.local.engine import LocalEngine

    return LocalEngine(models, connection)


def _local_sends(model: str, connection: Connection) -> frozenset[str]:
    from selfexec.extensions.local.engine import FIELDS

    return frozenset(FIELDS)


def _load_local(model: str) -> Any:
    from selfexec.extensions.local.weights import load

    return load(model)


def local_thinking(
    model: str, connection: Connection, level: str, sampling: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """As templates of models that can think or not have it; a number of tokens to think is in none."""
    return {"chat_template_kwargs": {"enable_thinking": level == "on"}} if level in ("on", "off") else None


LOCAL = EngineType(
    name="local",
    open=_open_local,
    capabilities=lambda model, connection: TURNS | {"prefill", "logprobs", "forced_tokens"},
    models=lambda: ["local/"],
    load=_load_local,
    sends=_local_sends,
    thinking=local_thinking,
)
