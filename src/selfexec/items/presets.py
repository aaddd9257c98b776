"""Presets: quick, standard and full. Each holds the one before it, and has its strata in the set's own proportions."""

import math
from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Item

Preset = Literal["quick", "standard", "full"]
PRESETS: tuple[str, ...] = get_args(Preset)
# enough for the overall score to lie within two points of the full run's (P >= .95, ten recorded models)
STANDARD_SHARE = 0.45


def preset_ids(preset: str, experiment: str, items: Mapping[str, Item]) -> list[str]:
    """The ids of one experiment's items that a preset takes; `items` come in their fixed order."""
    if preset not in PRESETS:
        raise InputError(f"preset {preset!r}: there are {', '.join(PRESETS)}.")
    quick = EXPERIMENTS[experiment].quick
    sizes = {
        "quick": quick,
        "standard": max(quick, math.ceil(round(STANDARD_SHARE * len(items), 9))),
        "full": len(items),
    }
    return stratified_order(experiment, items)[: sizes[preset]]


def stratified_order(experiment: str, items: Mapping[str, Item]) -> list[str]:
    """An order of which every prefix has the strata nearly in proportion."""
    strata: dict[str, dict[str, list[str]]] = {}
    for id, item in items.items():
        label, kind = EXPERIMENTS[experiment].strata(item)
        strata.setdefault(label, {}).setdefault(kind, []).append(id)
    return _interleaved([_interleaved(list(kinds.values())) for kinds in strata.values()])


def _interleaved(rows: Sequence[Sequence[str]]) -> list[str]:
    """Several rows as one, each spread evenly over it."""
    placed = [((n + 0.5) / len(row), row_number, id) for row_number, row in enumerate(rows) for n, id in enumerate(row)]
    return [id for _, _, id in sorted(placed)]
