"""Presets: quick, standard and full. Each holds the one before it. Which items they take is their order, by name:

stratified   prefixes of an order in which the strata are in the set's own proportions (decision 5)
balanced-1   of the paper's items: one draw, balanced on what recorded models predicted and did (decision 27)
"""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal, get_args

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Item

Preset = Literal["quick", "standard", "full"]
PRESETS: tuple[str, ...] = get_args(Preset)
# enough for the overall score to lie within two points of the full run's (P >= .95, ten recorded models)
STANDARD_SHARE = 0.45
STRATIFIED = "stratified"


class Drawn(msgspec.Struct, frozen=True):
    """Presets of one experiment's items: positions in the fixed order of the whole, whose SHA-256 this is."""

    sha256: str
    quick: list[int]
    standard: list[int]


class Draw(msgspec.Struct, frozen=True):
    """The presets of a set, drawn once; `seed` is that of the draw (studies/presets)."""

    name: str
    seed: int
    experiments: dict[str, Drawn]


@cache
def drawn() -> Draw:
    """The draw that ships: of the paper's items."""
    return msgspec.json.decode(Path(__file__).with_name("paper_presets.json").read_bytes(), type=Draw)


def newest_order(hashes: Mapping[str, str]) -> str:
    """The order of presets for items with these SHA-256, by experiment: the draw where any of them were drawn."""
    return drawn().name if any(_drawn_of(experiment, sha) for experiment, sha in hashes.items()) else STRATIFIED


def preset_ids(
    preset: str, experiment: str, items: Mapping[str, Item], *, order: str = STRATIFIED, sha256: str = ""
) -> list[str]:
    """The ids of one experiment's items that a preset takes; `items` are all of them, in their fixed order, with
    their SHA-256. Where an experiment's items were not drawn, its presets are stratified.
    """
    if preset not in PRESETS:
        raise InputError(f"preset {preset!r}: there are {', '.join(PRESETS)}.")
    if order not in (STRATIFIED, drawn().name):
        raise InputError(f"presets in the order {order!r} are not known to this version of selfexec. Upgrade it.")
    if preset == "full":
        return list(items)
    if order != STRATIFIED and (found := _drawn_of(experiment, sha256)):
        ids = list(items)
        return [ids[n] for n in (found.quick if preset == "quick" else found.standard)]
    quick = EXPERIMENTS[experiment].quick
    standard = max(quick, math.ceil(round(STANDARD_SHARE * len(items), 9)))
    return stratified_order(experiment, items)[: quick if preset == "quick" else standard]


def _drawn_of(experiment: str, sha256: str) -> Drawn | None:
    found = drawn().experiments.get(experiment)
    return found if found and found.sha256 == sha256 else None


def stratified_order(experiment: str, items: Mapping[str, Item]) -> list[str]:
    """An order whose every prefix has the strata nearly in proportion."""
    strata: dict[str, dict[str, list[str]]] = {}
    for id, item in items.items():
        label, kind = EXPERIMENTS[experiment].strata(item)
        strata.setdefault(label, {}).setdefault(kind, []).append(id)
    return _interleaved([_interleaved(list(kinds.values())) for kinds in strata.values()])


def _interleaved(rows: Sequence[Sequence[str]]) -> list[str]:
    """Several rows as one, each spread evenly over it."""
    placed = [((n + 0.5) / len(row), row_number, id) for row_number, row in enumerate(rows) for n, id in enumerate(row)]
    return [id for _, _, id in sorted(placed)]
