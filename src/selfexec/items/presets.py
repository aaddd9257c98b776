"""Presets: quick, standard and full. Each holds the one before it. Which items they take is their order, by name:

stratified   prefixes of an order in which the strata are in the set's own proportions (decision 5)
balanced-1   of the paper's items: one draw, balanced on what recorded models predicted and did (decision 27)
balanced-2   of the paper's items: one draw, balanced on what is known of the items, and coarsely on how models did
             (decision 52)

A run keeps the order that it began with, so that an order which was ever shipped stays.
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
FULL: Preset = "full"  # which is no cut
PRESETS: tuple[str, ...] = get_args(Preset)
# enough for the overall score to lie within two points of the full run's (P >= .95, ten recorded models)
STANDARD_SHARE = 0.45
STRATIFIED = "stratified"


class Drawn(msgspec.Struct, frozen=True):
    """Presets of one experiment's items: positions in the fixed order of the whole, whose SHA-256 this is. `cuts` are
    the SHA-256 of each preset's items, by which a run's items are known to be just these.
    """

    sha256: str
    quick: list[int]
    standard: list[int]
    cuts: dict[str, str] = {}


class Draw(msgspec.Struct, frozen=True):
    """The presets of a set, drawn once; `seed` is that of the draw. `spread` is how far the level of a preset is off
    from draw to draw for models that no draw was balanced on: a standard deviation, by preset, experiment (or
    `overall`) and metric; empty where it was not measured (studies/presets).
    """

    name: str
    seed: int
    experiments: dict[str, Drawn]
    spread: dict[str, dict[str, dict[str, float]]] = {}


@cache
def draws() -> tuple[Draw, ...]:
    """The draws of the paper's items that were ever shipped, the newest last."""
    return msgspec.json.decode(Path(__file__).with_name("paper_presets.json").read_bytes(), type=tuple[Draw, ...])


def preset_orders(hashes: Mapping[str, str]) -> list[str]:
    """The orders that presets of items with these SHA-256, by experiment, may have, the newest first: draws in which
    any of them were drawn, and the stratified one.
    """
    drawn = [draw.name for draw in draws() if any(_drawn_of(draw, e, sha) for e, sha in hashes.items())]
    return [*reversed(drawn), STRATIFIED]


def newest_order(hashes: Mapping[str, str]) -> str:
    """The order of presets for items with these SHA-256, by experiment: the newest draw of any of them, if there is
    one.
    """
    return preset_orders(hashes)[0]


def level_spread(preset: str, order: str, hashes: Mapping[str, str]) -> Mapping[tuple[str, str], float]:
    """How far levels of a preset are off from draw to draw: a standard deviation by experiment and metric. `hashes` are
    the SHA-256 of a run's items. Empty where it is not known: then it is in no interval.
    """
    draw = _draw(order)
    if draw is None:
        return {}
    known = {e for e, sha in hashes.items() if e in draw.experiments and draw.experiments[e].cuts.get(preset) == sha}
    if known == {*draw.experiments}:
        known.add("overall")
    of_preset = draw.spread.get(preset, {})
    return {(e, metric): spread for e in known for metric, spread in of_preset.get(e, {}).items()}


def preset_ids(
    preset: str, experiment: str, items: Mapping[str, Item], order: str = STRATIFIED, sha256: str = ""
) -> list[str]:
    """The ids of one experiment's items that a preset takes; `items` are all of them, in their fixed order, with
    their SHA-256. Where an experiment's items were not drawn, its presets are stratified.
    """
    if preset not in PRESETS:
        raise InputError(f"preset {preset!r}: there are {', '.join(PRESETS)}.")
    if order != STRATIFIED and _draw(order) is None:
        raise InputError(f"presets in the order {order!r} are not known to this version of selfexec. Upgrade it.")
    if preset == FULL:
        return list(items)
    draw = _draw(order)
    if draw and (drawn := _drawn_of(draw, experiment, sha256)):
        ids = list(items)
        return [ids[n] for n in (drawn.quick if preset == "quick" else drawn.standard)]
    quick = EXPERIMENTS[experiment].quick
    standard = max(quick, math.ceil(round(STANDARD_SHARE * len(items), 9)))
    return stratified_order(experiment, items)[: quick if preset == "quick" else standard]


def _draw(order: str) -> Draw | None:
    return next((draw for draw in draws() if draw.name == order), None)


def _drawn_of(draw: Draw, experiment: str, sha256: str) -> Drawn | None:
    drawn = draw.experiments.get(experiment)
    return drawn if drawn and drawn.sha256 == sha256 else None


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
