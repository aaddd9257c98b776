"""What models are able to do, which figures set beside how well they predict themselves."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from selfexec.analysis.correlate import read_tables
from selfexec.errors import InputError
from selfexec.extension import registered, resolve


@cache
def published_abilities() -> Mapping[str, float]:
    """What extensions know of models: by the Rasch model, of those in the paper's Table 1. A dozen figures ask."""
    known: dict[str, float] = {}
    for place in registered("abilities").values():
        known |= resolve(place)()
    return known


def read_abilities(path: Path) -> dict[str, float]:
    """Abilities from a file: what `selfexec analyze rasch --format json` prints, or a CSV file whose first column names
    the model and which has a column `ability`, or one column of numbers only.
    """
    columns = read_tables([path])
    if "ability" not in columns and len(columns) != 1:
        raise InputError(f"{path}: there is no column 'ability', but {', '.join(columns)}. Rename the one that is.")
    return columns.get("ability") or next(iter(columns.values()))


def known_ability(model: str, abilities: Mapping[str, float]) -> float | None:
    """The ability of a model, under its own name or without its provider's."""
    return abilities.get(model, abilities.get(model.split("/")[-1]))
