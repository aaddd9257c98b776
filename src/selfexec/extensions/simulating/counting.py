"""What was predicted and what happened, property by property: counts by item, and what follows from them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from selfexec.claims import Claims
from selfexec.experiments import MISSING_READING, Readings
from selfexec.extensions.simulating.experiment import FIRST, SECOND, SimulatedPrompt, true_of
from selfexec.extensions.simulating.properties import PROPERTIES
from selfexec.metrics import Cells, Estimate, claim_kind, none_if_nan
from selfexec.metrics.kinds.formulas import CELLS, youden_j
from selfexec.readers import Reading
from selfexec.stats import NO_SPREAD, Array, student

Counts = Mapping[str, Array]  # property -> its counts, shape (items, cells)


def counts_by_property(claims: Claims, strict: bool) -> dict[str, Array]:
    """One model's counts, of each property that it was asked for; a row for each item, zeros where it has not the
    property.
    """
    found = {}
    for number, name in enumerate(claims.claim_names):
        record = claim_kind(claims).count(claims.where(claims.claim_name == number), strict)
        if len(record.items):
            found[name] = record.on(claims.items)
    return in_order(found)


def in_order(found: Mapping[str, Any]) -> dict[str, Any]:
    """What there is by property, in the order in which prompts show properties."""
    return {name: found[name] for name in PROPERTIES if name in found}


def repeats_by_property(items: Sequence[SimulatedPrompt], readings: Sequence[Sequence[Readings]]) -> dict[str, Array]:
    """Each execution as a prediction of the other, of these items, with the readings of each in its epochs: where both
    had it or both had it not, two predictions that came true; else one yes and one no that did not.
    """
    counts = {name: np.zeros((len(items), len(CELLS))) for name in PROPERTIES}
    for row, (item, epochs) in enumerate(zip(items, readings, strict=True)):
        for one in epochs:
            first, second = (true_of(item, one.get(session, MISSING_READING)) for session in (FIRST, SECOND))
            for name in first:
                counts[name][row] += _repeated(first[name], second[name])
    return {name: found for name, found in counts.items() if found.any()}


def _repeated(first: bool | None, second: bool | None) -> Sequence[float]:
    if first is None or second is None:
        return (0,) * len(CELLS)
    both = (2, 0, 0, 0) if first and second else (0, 1, 1, 0) if first or second else (0, 0, 0, 2)
    return (*both, *(0,) * (len(CELLS) - len(both)))


# --- skill -----------------------------------------------------------------------------------------------------------


def skill_of(counts: Array) -> Estimate:
    """Youden's J of one property, with the interval that `selfexec score` gives."""
    from selfexec.metrics.kinds import binary

    return binary.estimates_of(counts[counts.sum(1) > 0])["youden_j"]


def mean_skill(by_property: Counts) -> tuple[Estimate, tuple[str, ...]]:
    """Youden's J, averaged over the properties that held for two items or more and did not hold for two or more, and
    the names of the others. Items are the clusters, whichever of the properties they have: the jackknife, with
    Student's t. Some properties have a dozen items, for which the delta method makes too short an interval.
    """
    defined = {name: counts for name, counts in by_property.items() if _is_defined(counts)}
    left_out = tuple(name for name in by_property if name not in defined)
    if not defined:
        return Estimate(math.nan, reason="no property held for two replies and did not hold for two others"), left_out
    side_by_side = np.concatenate([*defined.values()], axis=1)
    asked = side_by_side[side_by_side.sum(1) > 0]
    value, error = float(_mean_j(asked.sum(0))), _jackknifed(asked)
    if not error > NO_SPREAD:
        return Estimate(value), left_out
    return Estimate(value, student(value, error, len(asked)).within(-1, 1), error), left_out


def _is_defined(counts: Array) -> bool:
    """Whether J is defined, also where any item is left out."""
    cells = Cells.of(counts)
    sides = (cells.tp + cells.fn + cells.unread_true, cells.tn + cells.fp + cells.unread_false)
    return all(int((side > 0).sum()) > 1 for side in sides)


def _jackknifed(counts: Array) -> float:
    """The standard error by what the mean is without each item in turn (Tukey 1958)."""
    without = _mean_j(counts.sum(0) - counts)
    items = len(counts)
    return math.sqrt((items - 1) / items * float(((without - without.mean()) ** 2).sum()))


def _mean_j(totals: Any) -> Any:
    """Of totals with the cells of all properties one behind the other."""
    parts = [totals[..., n : n + len(CELLS)] for n in range(0, totals.shape[-1], len(CELLS))]
    return sum(youden_j(Cells(*np.moveaxis(part, -1, 0))) for part in parts) / len(parts)


# --- shares ----------------------------------------------------------------------------------------------------------


def accuracy_of(counts: Array) -> float:
    """The share of claims predicted rightly."""
    cells = Cells.of(counts.sum(0))
    return _share(float(cells.tp + cells.tn), float(cells.claims))


def majority_of(counts: Array) -> float:
    """The accuracy of always saying what is more often so."""
    cells = Cells.of(counts.sum(0))
    true = float(cells.tp + cells.fn + cells.unread_true)
    return _share(max(true, float(cells.with_outcome) - true), float(cells.claims))


def others_by_property(claims: Claims, model: str) -> dict[str, float]:
    """The accuracy of predicting what most other models do with the same claim, half right where they are divided; nan
    where nobody else did anything.
    """
    mine = claims.of(model)
    rest = claims.where(claims.model != claims.models.index(model)) if model in claims.models else claims
    balance = np.bincount(rest.claim_id, rest.observed, claims.claim_ids)
    known = np.bincount(rest.claim_id, rest.observed != 0, claims.claim_ids) > 0
    right = (np.sign(balance[mine.claim_id]) * mine.observed + 1) / 2
    counts = known[mine.claim_id] & (mine.observed != 0)
    return {
        name: _share(float(right[here].sum()), int(here.sum()))
        for number, name in enumerate(claims.claim_names)
        for here in [counts & (mine.claim_name == number)]
    }


def exact_shares(
    items: Sequence[SimulatedPrompt], readings: Sequence[Sequence[Readings]], session: str
) -> dict[str, float]:
    """How often a session gives the very value that the first execution has, of properties with more values than yes
    and no: `predict`, or the second execution.
    """
    pairs: dict[str, list[bool]] = {}
    for item, epochs in zip(items, readings, strict=True):
        for epoch in epochs:
            for name, given, had in _values(
                item, epoch.get(session, MISSING_READING), epoch.get(FIRST, MISSING_READING)
            ):
                pairs.setdefault(name, []).append(given == had)
    return {name: _share(sum(equal), len(equal)) for name, equal in pairs.items()}


def _values(item: SimulatedPrompt, left: Reading, right: Reading) -> Iterator[tuple[str, Any, Any]]:
    """Properties that have a value in both readings."""
    given, had = left.value or {}, right.value or {}
    for name in item.properties.by_name():
        if PROPERTIES[name].is_open and given.get(name) is not None and had.get(name) is not None:
            yield name, given[name], had[name]


def _share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


# --- names -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NamePairs:
    """What a name changes, in prompts that differ in a name alone.

    `claims` counts the properties of pairs of prompts for which both replies are known. Shares of these: `behaviour` of
    those that differ between the two replies; `chance` of those that differ between two replies to one and the same
    prompt; `predictions` of those that differ between the two predictions. `foreseen` is the share of the differences
    in behaviour that the predictions have too.
    """

    model: str
    condition: str
    claims: int
    behaviour: float | None
    chance: float | None
    predictions: float | None
    foreseen: float | None


def name_pairs(
    model: str, condition: str, items: Sequence[SimulatedPrompt], readings: Sequence[Sequence[Readings]]
) -> NamePairs | None:
    """What names change for one model; None where no two prompts of a family were asked."""
    families: dict[str, list[int]] = {}
    for place, item in enumerate(items):
        if item.family:
            families.setdefault(item.family, []).append(place)
    differences = [
        difference
        for places in families.values()
        for n, one in enumerate(places)
        for two in places[n + 1 :]
        for difference in _differences((items[one], items[two]), (readings[one], readings[two]))
    ]
    if not differences:
        return None
    behaviour, by_chance, predictions = (
        [difference[n] for difference in differences if difference[n] is not None] for n in range(3)
    )
    foreseen = [predicted for happened, _, predicted in differences if happened and predicted is not None]
    shares = (_share(sum(map(bool, part)), len(part)) for part in (behaviour, by_chance, predictions, foreseen))
    return NamePairs(model, condition, len(differences), *map(none_if_nan, shares))


def _differences(
    pair: tuple[SimulatedPrompt, SimulatedPrompt], readings: tuple[Sequence[Readings], Sequence[Readings]]
) -> Iterator[tuple[bool, bool | None, bool | None]]:
    """Of each claim of two prompts in each epoch: whether it came true of one reply alone, whether it did so in the two
    replies to the first prompt, and whether it was predicted of one alone.
    """
    for epochs in zip(*readings, strict=False):
        one, two = (
            {session: true_of(item, read.get(session, MISSING_READING)) for session in ("predict", FIRST, SECOND)}
            for item, read in zip(pair, epochs, strict=True)
        )
        for name in one[FIRST].keys() & two[FIRST].keys():
            happened = _differ(one[FIRST][name], two[FIRST][name])
            if happened is not None:
                by_chance = _differ(one[FIRST][name], one[SECOND][name])
                yield happened, by_chance, _differ(one["predict"][name], two["predict"][name])


def _differ(one: bool | None, two: bool | None) -> bool | None:
    return None if one is None or two is None else one != two
