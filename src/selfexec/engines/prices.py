"""What calls cost: dollars for a million tokens, as they are given, as a price package knows them, or of our table.

Only list prices, and half of them in a batch file: no discount for what a cache holds, no tier for long prompts, which
none of ours is.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import metadata, resources
from pathlib import Path
from typing import Any

from selfexec.engines.base import Connection
from selfexec.engines.registry import engine_type
from selfexec.errors import InputError

MILLION = 1_000_000
GIVEN = "the price given"
# as the price package and LiteLLM call providers that have another name here
IN_PACKAGE = {"xai": "x-ai", "huggingface": "huggingface_together"}
IN_LITELLM = {"google": "gemini", "together": "together_ai", "fireworks": "fireworks_ai", "nvidia": "nvidia_nim"}
FORMS = "IN,OUT, dollars for a million tokens in and out, like 2,8; MODEL=IN,OUT; or a file in LiteLLM's format"


@dataclass(frozen=True)
class Price:
    """Dollars for a million tokens, in and out, and who says so."""

    input: float
    output: float
    source: str

    def of(self, input_tokens: float, output_tokens: float) -> float:
        """What so many tokens cost, in dollars."""
        return (input_tokens * self.input + output_tokens * self.output) / MILLION


def prices_of(models: Sequence[str], given: Sequence[str], known: Callable[[str], Price | None]) -> Mapping[str, Price]:
    """The price of each model that has a known one.

    given   as `--price` takes them: IN,OUT for every model, MODEL=IN,OUT for one, or a file of prices in LiteLLM's
            format (model -> input_cost_per_token, output_cost_per_token). What is more particular comes first.
    known   the price of a model for which none is given: its list price
    """
    ways = [*(_given(given, models) if given else ()), known]
    found = {model: next((price for way in ways if (price := way(model))), None) for model in models}
    return {model: price for model, price in found.items() if price}


def in_batch(price: Price) -> Price:
    """What the same tokens cost in a batch file: half, in and out, at the providers that take such files."""
    if price.source == "simulated":
        return price
    return Price(price.input / 2, price.output / 2, f"half of {price.source}, as batch files cost")


def list_price(model: str, connection: Connection) -> Price | None:
    """The price of a model at the provider that it is named after, if it is known.

    The price package counts where it is installed (genai-prices), else our own table; neither is asked about a server
    of one's own or a gateway, whose prices nobody knows. Simulated models cost nothing.
    """
    if engine_type(model, connection).simulated:
        return Price(0.0, 0.0, "simulated")
    name = model.removeprefix("inspect/")  # through Inspect it costs the same
    return None if connection.base_url else _of_package(name) or _of_table(name)


# --- what is given ---------------------------------------------------------------------------------------------------


def _given(given: Sequence[str], models: Sequence[str]) -> list[Callable[[str], Price | None]]:
    """How the price of a model is found among those that are given: first those of single models, then the one for all,
    then files of prices.
    """
    by_model: dict[str, Price] = {}
    for_all, files = None, []
    for text in given:
        name, named, numbers = text.rpartition("=")
        if price := _price(numbers):
            if named and name not in models:
                raise InputError(f"--price {text}: {name} is not asked. Asked are {', '.join(models)}.")
            if (name in by_model) if named else for_all:
                raise InputError(f"--price {text}: {f'{name} has' if named else 'there is'} a price already. Give one.")
            by_model |= {name: price} if named else {}
            for_all = for_all if named else price
        elif Path(text).suffix == ".json" or Path(text).is_file():
            files.append(_file(Path(text)))
        else:
            raise InputError(f"--price {text}: write it as {FORMS}.")
    of_files = [partial(_of_litellm, prices=prices) for prices in files]
    return [by_model.get, lambda model: for_all, *of_files]


def _price(text: str) -> Price | None:
    """IN,OUT; None where it is not that."""
    try:
        price_in, price_out = (float(part) for part in text.split(","))
    except ValueError:
        return None
    sound = 0 <= price_in < math.inf and 0 <= price_out < math.inf
    return Price(price_in, price_out, GIVEN) if sound else None


def _file(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except OSError as fault:
        raise InputError(f"--price {path}: cannot be read ({fault.strerror}).") from None
    except (ValueError, RecursionError):
        raise InputError(f"--price {path}: not JSON. It wants a file in LiteLLM's format.") from None
    if not isinstance(found, dict):
        raise InputError(f"--price {path}: no object of models. It wants a file in LiteLLM's format.")
    return {**found, "": str(path)}


def _of_litellm(model: str, prices: Mapping[str, Any]) -> Price | None:
    """The price of a model in a file of LiteLLM's format, where it stands with its provider or without."""
    provider, _, name = model.partition("/")
    theirs = IN_LITELLM.get(provider, provider)
    for place in (model, f"{theirs}/{name}", name):
        entry = prices.get(place)
        if isinstance(entry, dict) and (place != name or entry.get("litellm_provider", theirs) == theirs):
            costs: Any = (entry.get("input_cost_per_token"), entry.get("output_cost_per_token"))
            if all(isinstance(cost, int | float) and 0 <= cost < math.inf for cost in costs):
                return Price(costs[0] * MILLION, costs[1] * MILLION, prices[""])
    return None


# --- what is known ---------------------------------------------------------------------------------------------------


def _of_package(model: str) -> Price | None:
    """The price of today, as the package genai-prices knows it; None where it is not installed."""
    try:
        from genai_prices import Usage, calc_price
    except ImportError:
        return None
    provider, _, name = model.partition("/")
    few = 1_000  # tokens: the rates of short prompts
    try:
        found = calc_price(
            Usage(input_tokens=few, output_tokens=few), name, provider_id=IN_PACKAGE.get(provider, provider)
        )
    except LookupError:
        return None
    scale = MILLION // few
    source = f"genai-prices {metadata.version('genai-prices')}"
    return Price(float(found.input_price * scale), float(found.output_price * scale), source)


def _of_table(model: str) -> Price | None:
    table = _table()
    price_in, price_out = table["prices"].get(model, (None, None))
    return None if price_in is None else Price(price_in, price_out, f"our table of {table['of']}")


@cache
def _table() -> Any:
    return json.loads(resources.files("selfexec.engines").joinpath("prices.json").read_text("utf-8"))
