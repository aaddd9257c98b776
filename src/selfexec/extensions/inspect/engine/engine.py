"""Carry sessions out through Inspect's model layer: `inspect/PROVIDER/MODEL` is what Inspect calls PROVIDER/MODEL."""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from selfexec.engines.base import Call, CallResult, Connection
from selfexec.errors import InputError, NoApiKey
from selfexec.extensions.inspect.engine.asking import asked, extra_lacking
from selfexec.extensions.inspect.engine.opened import OPENED, Opened
from selfexec.items import ItemSet
from selfexec.options import changed, declared

USED = ("max_connections", "timeout", "patience", "accept_filters")  # options of a connection that hold here, too
# what Inspect calls settings that are called otherwise here
RENAMED = {"stop": "stop_seqs", "stop_sequences": "stop_seqs", "max_completion_tokens": "max_tokens"}
# of GenerateConfig, what may be set: the rest is ours (one reply, nothing kept), or changes no reply
SETTINGS = (
    *("temperature", "top_p", "top_k", "max_tokens", "seed", "stop_seqs", "frequency_penalty", "presence_penalty"),
    *("effort", "reasoning_effort", "reasoning_tokens", "reasoning_mode", "reasoning_summary", "verbosity"),
    *("logit_bias", "logprobs", "top_logprobs", "extra_body"),
)


class InspectEngine:
    """Models by Inspect's names. Keys are those that Inspect looks for, in the environment or in .env."""

    def __init__(self, models: Sequence[str], item_set: ItemSet, connection: Connection) -> None:
        if lacking := extra_lacking():
            raise lacking
        given = changed(connection)
        if strange := [each.flag for each in declared(Connection) if each.name in given and each.name not in USED]:
            raise InputError(f"{strange[0]}: Inspect finds keys, headers and formats by itself. Leave it out.")
        self.warnings: list[str] = []
        self._item_set = item_set
        self._models = {model: _model(model, connection) for model in models}
        self._answered: set[str] = set()
        self.addresses: Mapping[str, str] = {
            name: where for name, model in self._models.items() if (where := _address(model))
        }

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for model in self._models.values():
            with suppress(Exception):  # all replies are there by now
                await model.api.aclose()

    async def ask(self, call: Call) -> CallResult:
        """What came back. Raises InputError where no further call can succeed either."""
        _forget_events()
        token = OPENED.set(Opened(call, self._item_set))
        try:
            return await asked(self._models[call.model], call, inspect_config(call.sampling), self._answered)
        finally:
            OPENED.reset(token)


def _model(name: str, connection: Connection) -> Any:
    from inspect_ai.model import GenerateConfig, get_model

    there = name.partition("/")[2]
    if "/" not in there:
        raise InputError(f"model {name!r}: write it as inspect/PROVIDER/MODEL, like inspect/openai/gpt-6-luna.")
    if Path(".env").is_file():
        from dotenv import load_dotenv

        load_dotenv(".env", encoding="utf-8-sig")
    config = GenerateConfig(
        max_connections=connection.max_connections, attempt_timeout=math.ceil(connection.timeout), max_retries=0
    )
    try:
        return get_model(there, config=config, memoize=False)
    except Exception as fault:  # whatever a provider does not find in its place: a key, a package, the model's name
        said = " ".join(_without_marks(str(fault)).split())
        lacks_key = "environment variable" in said or "API_KEY" in said
        kind = NoApiKey if lacks_key else InputError
        raise kind(f"model {name!r}: Inspect cannot open it. It says: {said}") from None


def _without_marks(text: str) -> str:
    """Messages of Inspect have marks for the terminal in them."""
    return text.replace("[bold]", "").replace("[/bold]", "").replace("[blue]", "").replace("[/blue]", "")


def _address(model: Any) -> str | None:
    """Where a model is asked, as far as its provider says, without a name and password that stand in it."""
    base_url = getattr(model.api, "base_url", None)
    if not isinstance(base_url, str) or "://" not in base_url:
        return None
    scheme, _, rest = base_url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}"


def inspect_config(sampling: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as fields of GenerateConfig. InputError for what Inspect does not know: it would be lost without a
    word.
    """
    config: dict[str, Any] = {}
    for name, value in sampling.items():
        field = RENAMED.get(name, "system_message" if name == "system" else name)
        if field not in (*SETTINGS, "system_message"):
            raise InputError(f"setting {name}: Inspect knows {', '.join(SETTINGS)}.")
        config[field] = [value] if field == "stop_seqs" and isinstance(value, str) else value
    return config


def _forget_events() -> None:
    """Outside of an evaluation Inspect keeps what happens in one endless transcript: each session gets its own."""
    with suppress(ImportError, AttributeError, TypeError):
        from inspect_ai.log._transcript import Transcript, init_transcript

        init_transcript(Transcript())
