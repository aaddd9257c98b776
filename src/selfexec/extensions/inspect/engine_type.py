"""The engine of Inspect's models, as it is known before it is opened."""

from collections.abc import Mapping, Sequence
from typing import Any

from selfexec.engines import Connection, Engine, EngineType
from selfexec.engines.registry import TURNS
from selfexec.errors import InputError
from selfexec.items import ItemSet


def _open_inspect(models: Sequence[str], item_set: ItemSet, connection: Connection) -> Engine:
    from selfexec.extensions.inspect.engine import InspectEngine

    return InspectEngine(models, item_set, connection)


def _inspect_effort(
    model: str, connection: Connection, level: str, sampling: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """As Inspect's configuration has it, for the providers to which it is known to hand it on."""
    field = INSPECT_EFFORT.get(model.split("/")[1])
    if field in sampling:
        raise InputError(f"model {model!r}: {field} is set, and so does --set effort={level} set it. Give one of them.")
    return {field: level} if field else None


INSPECT_EFFORT = {
    "anthropic": "effort",
    **dict.fromkeys(("openai", "azureai", "google", "grok", "groq", "openrouter"), "reasoning_effort"),
}


def _inspect_sends(model: str, connection: Connection) -> frozenset[str]:
    from selfexec.extensions.inspect.engine.engine import RENAMED, SETTINGS

    return frozenset({"system", *RENAMED, *SETTINGS})


INSPECT = EngineType(
    name="inspect",
    open=_open_inspect,
    capabilities=lambda model, connection: TURNS,
    models=lambda: ["inspect/"],
    sends=_inspect_sends,
    effort=_inspect_effort,
)
