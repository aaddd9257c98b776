"""How far a prediction moved with a planted behaviour: the slope of the one change on the other, of the model's
prediction about itself less that of its prediction about somebody else (docs/compare.md has the definition).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from selfexec.analysis.compare.candidates import Candidate, load_apart
from selfexec.analysis.compare.planted import DESIGNS, Claimed, PlantedPair, load_planted, pairs_of
from selfexec.analysis.differences import Movement
from selfexec.analysis.options import CompareOptions
from selfexec.analysis.selection import Selection, known_conditions, refuse_unknown
from selfexec.claims import Flags, Numbers
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS
from selfexec.facets import DEFAULT_NAME, FRAME, condition_named
from selfexec.metrics import LEAST_COVERAGE, none_if_nan
from selfexec.runs import Run, load_all
from selfexec.stats import NO_SPREAD, Array, Interval, fieller, fisher_exact, student, wilson
from selfexec.text.matching import meant
from selfexec.text.numbers import number_of

LEAST_PLANTED = 12  # items in either direction, where they are the units
CHANCE = 0.001  # p below which an assignment was not drawn by chance
BEHAVIOUR = 2  # the last column of what moved
NOT_MOVED = "the behaviour did not surely move with what was planted: there is nothing for predictions to follow"
SLOPES = {"own": (1.0, 0.0), "other": (0.0, 1.0), "difference": (1.0, -1.0)}
NO_FRAME = (
    "nobody else was asked about in all of these runs, so that the slope may be that of any prediction on these "
    "items. Ask with --frame person"
)


@dataclass(frozen=True)
class Changes:
    """What changed in one pair: an entry for each claim that was read in both. `values` has a column for the
    prediction about the model itself, one for that about somebody else (0 where there is none), and one for
    behaviour; `yes` is what was planted, `item` numbers the items.
    """

    values: Array
    yes: Flags
    item: Numbers

    @property
    def rarer(self) -> int:
        """How many items were planted in the rarer direction."""
        return min(len(np.unique(self.item[side])) for side in (self.yes, ~self.yes))


@dataclass(frozen=True)
class Estimated:
    """How far each of the columns of `Changes` moved with what was planted, with the covariance of these, which rests
    on so many units of one kind.
    """

    moved: Array
    covariance: Array
    units: str
    number: int
    clusters: int  # one more than the degrees of freedom

    @property
    def behaviour(self) -> Interval:
        """How far the behaviour moved."""
        error = math.sqrt(self.covariance[BEHAVIOUR, BEHAVIOUR])
        return student(float(self.moved[BEHAVIOUR]), error, self.clusters)

    def slope(self, weights: tuple[float, float]) -> tuple[float, Interval]:
        """The weighted sum of both predictions over the behaviour, with its interval."""
        combined = np.array([[*weights, 0.0], [0.0, 0.0, 1.0]])
        above, below = (float(value) for value in combined @ self.moved)
        covariance = combined @ self.covariance @ combined.T
        slope = above / below
        left = np.array([1.0, -slope])
        if left @ covariance @ left > NO_SPREAD**2:
            return slope, fieller(above, below, covariance, self.clusters)
        # all units agree: a share of others could be otherwise, by 2 at most
        half = 2 * wilson(0.0, self.number).high / below
        return slope, Interval(slope - half, slope + half)


def moved_over_items(changes: Changes) -> Estimated:
    """Mean change where yes was planted less that where no was, and what other items would have said of it."""
    count = len(np.unique(changes.item))
    total, added = np.zeros(3), np.zeros((count, 3))
    for side, sign in ((changes.yes, 1.0), (~changes.yes, -1.0)):
        values = changes.values[side]
        total += sign * values.mean(0)
        np.add.at(added, changes.item[side], sign * (values - values.mean(0)) / len(values))
    # two means were estimated
    return Estimated(total, count / (count - 2) * added.T @ added, "items", changes.rarer, count - 1)


def moved_over_pairs(moved: Array) -> Estimated:
    """The mean over pairs, of shape (pairs, columns), and what other pairs would have said of it."""
    count = len(moved)
    return Estimated(moved.mean(0), np.cov(moved.T) / count, "pairs", count, count)


# --- from runs -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """Models that are compared, each in the condition about itself and in those about others, by what they are called
    there."""

    own: str
    others: tuple[str, ...]
    models: Mapping[str, Mapping[str, Candidate]]
    runs: Sequence[Run]

    def names(self) -> Mapping[str, str]:
        """What a model may be called -> the model: as `compare` has it, or by the folder of its run where it is alone
        there."""
        known = {home: home for home in self.models}
        folders: dict[str, list[str]] = {}
        for home, by_condition in self.models.items():
            candidate = by_condition[self.own]
            for name in dict.fromkeys((candidate.name, str(candidate.run.folder), candidate.run.folder.name)):
                folders.setdefault(name, []).append(home)
        return known | {name: homes[0] for name, homes in folders.items() if len(homes) == 1 and name not in known}


def movements(options: CompareOptions, selection: Selection) -> tuple[list[Movement], Asked, list[str]]:
    """A row for each experiment and each other whom the same was asked about, with what there is to note.

    Raises:
        InputError: There is no mirrored or randomised pair, or what was planted is not of these items.
    """
    if options.planted is None:
        raise InputError(
            f"moved: what was planted? {DESIGNS}. Give --planted a CSV file with the columns model, item and planted "
            "(docs/compare.md)."
        )
    asked = _asked(selection)
    tables = {home: {c: _values(one) for c, one in parts.items()} for home, parts in asked.models.items()}
    claims = sorted({claim for parts in tables.values() for claim in parts[asked.own]})
    planted = load_planted(Path(options.planted), asked.names(), claims)
    pairs, unused = pairs_of(planted, list(asked.models))
    refuse_unknown("experiment", selection.experiments, list(EXPERIMENTS))
    rows: list[Movement] = []
    for experiment in EXPERIMENTS:
        parts = [part for pair in pairs if (part := _of_experiment(pair, experiment)).planted]
        if not parts or (selection.experiments and experiment not in selection.experiments):
            continue
        for pair in parts:
            _refuse_chosen(pair, tables, asked.own)
        others: list[str | None] = [c for c in asked.others if _all_asked(experiment, c, parts, tables)]
        rows += [_movement(experiment, parts, tables, asked.own, other) for other in others or [None]]
    if not rows:
        raise InputError(f"{options.planted}: nothing was planted in {', '.join(selection.experiments)}.")
    notes = [f"{model} is in no pair, and left out" for model in unused]
    return rows, asked, notes


def _asked(selection: Selection) -> Asked:
    """Who is compared, and in which conditions."""
    runs = load_all(selection.given, selection.accept_ends)
    in_runs = known_conditions(runs, selection.conditions)
    own = _about_itself(selection.conditions, in_runs)
    others = [c for c in in_runs if _frame(c) and _without_frame(c) == condition_named(own)]
    if chosen := [c for c in selection.conditions if _frame(c)]:
        refuse_unknown("condition", chosen, others)
        others = chosen
    candidates = load_apart(runs, selection.readings, selection.source, [own, *others], selection.accept_ends)
    models: dict[str, dict[str, Candidate]] = {}
    for candidate in candidates:
        models.setdefault(candidate.home, {})[candidate.run.condition or own] = candidate
    models = {home: parts for home, parts in models.items() if own in parts}
    asked = Asked(own, tuple(others), models, runs)
    if selection.models:
        known = asked.names()
        if strange := [name for name in selection.models if name not in known]:
            raise InputError(f"unknown model {strange[0]!r}. {meant(strange[0], known)}")
        asked = replace(asked, models={known[name]: models[known[name]] for name in selection.models})
    if len(asked.models) < 2:
        raise InputError(f"a comparison needs two models, and there is only {', '.join(asked.models)}. {DESIGNS}.")
    return asked


def _about_itself(named: Sequence[str], known: Sequence[str]) -> str:
    """The condition in which models were asked about themselves: the one that is named, the default one, or the only
    one that there is.
    """
    chosen = [condition for condition in named if not _frame(condition)]
    conditions = chosen or [condition for condition in known if not _frame(condition)]
    if not chosen and DEFAULT_NAME in conditions:
        return DEFAULT_NAME
    if len(conditions) != 1:
        raise InputError(
            f"moved: it takes one condition about the model itself, not {' and '.join(conditions) or 'none'}. Name one "
            f"with --condition. There are {'; '.join(known)}."
        )
    return conditions[0]


def _frame(condition: str) -> str | None:
    return dict(condition_named(condition)).get(FRAME.name)


def _without_frame(condition: str) -> tuple[tuple[str, str], ...]:
    return tuple(pair for pair in condition_named(condition) if pair[0] != FRAME.name)


Values = Mapping[Claimed, tuple[float, float]]  # claim -> prediction and behaviour, nan where they could not be read


def _values(candidate: Candidate) -> Values:
    """What a model predicted and did, means over the epochs in which they were read; claims of yes and no alone."""
    binary = [name for name, experiment in EXPERIMENTS.items() if experiment.claim_kind == "binary"]
    predicted = pl.coalesce(pl.col("probability"), pl.col("predicted").cast(pl.Float64))
    here = candidate.run.observations.filter(pl.col("model") == candidate.name, pl.col("experiment").is_in(binary))
    means = here.group_by("experiment", "item", "claim").agg(
        predicted.mean().alias("predicted"), pl.col("observed").cast(pl.Float64).mean()
    )
    columns = means.select("experiment", "item", "claim", "predicted", "observed").fill_null(math.nan)
    return {Claimed(*row[:3]): (row[3], row[4]) for row in columns.iter_rows()}


def _of_experiment(pair: PlantedPair, experiment: str) -> PlantedPair:
    planted = {claim: yes for claim, yes in pair.planted.items() if claim.experiment == experiment}
    return PlantedPair(pair.new, pair.old, pair.mirrored, planted)


Tables = Mapping[str, Mapping[str, Values]]  # model -> condition -> what it predicted and did
UNREAD = (math.nan, math.nan)


def _all_asked(experiment: str, condition: str, pairs: Sequence[PlantedPair], tables: Tables) -> bool:
    """Whether all models of these pairs were asked in this condition, in this experiment."""
    values = (tables[model].get(condition, {}) for pair in pairs for model in (pair.new, pair.old))
    return all(any(claim.experiment == experiment for claim in claims) for claims in values)


def _refuse_chosen(pair: PlantedPair, tables: Tables, own: str) -> None:
    """Refuse a single assignment that goes with what the model before did: chance would not have drawn it."""
    if pair.mirrored:
        return
    counts = np.zeros((2, 2))
    for claim, yes in pair.planted.items():
        did = tables[pair.old][own].get(claim, UNREAD)[1]
        if not math.isnan(did):
            counts[int(yes), int(did >= 0.5)] += 1
    p = fisher_exact(counts[0], counts[1])
    if p < CHANCE:
        raise InputError(
            f"{pair.new}: what was planted goes with what {pair.old} did before (p = {p:.1g}), so that it was not "
            "drawn by chance, and what moves may be what would have moved anyway. Draw it by chance, or train a second "
            "model with the opposite."
        )


def _changes(pair: PlantedPair, tables: Tables, own: str, other: str | None) -> Changes:
    """Those of the claims that were read in both models and both frames; of mirrored models half of the difference."""
    halved = 2.0 if pair.mirrored else 1.0
    rows, directions, items = [], [], []
    for claim, yes in pair.planted.items():
        after, before = (
            np.array([predicted, 0.0 if other is None else tables[model][other].get(claim, UNREAD)[0], did])
            for model in (pair.new, pair.old)
            for predicted, did in [tables[model][own].get(claim, UNREAD)]
        )
        change = (after - before) / halved
        if not np.isnan(change).any():
            rows.append(change)
            directions.append(yes)
            items.append(claim.item)
    numbers = {item: n for n, item in enumerate(dict.fromkeys(items))}
    values = np.array(rows).reshape(len(rows), 3)
    return Changes(values, np.array(directions, bool), np.array([numbers[item] for item in items], int))


def _movement(experiment: str, pairs: Sequence[PlantedPair], tables: Tables, own: str, other: str | None) -> Movement:
    parts = [_changes(pair, tables, own, other) for pair in pairs]
    used, planted = sum(len(part.yes) for part in parts), sum(len(pair.planted) for pair in pairs)
    numbers: dict[str, float | None] = {}
    reason = _too_few(parts)
    if not reason:
        reason, numbers = _numbers(_estimated(parts), alone=other is None)
    return Movement(
        experiment=experiment,
        about=other and _frame(other),
        new=tuple(pair.new for pair in pairs),
        old=tuple(pair.old for pair in pairs),
        mirrored=all(pair.mirrored for pair in pairs),
        items=sum(len(np.unique(part.item)) for part in parts),
        claims=used,
        units="items" if len(parts) == 1 else "pairs",
        **numbers,
        reason=reason,
        caution=_caution(used, planted, alone=other is None),
    )


def _estimated(parts: Sequence[Changes]) -> Estimated:
    if len(parts) == 1:
        return moved_over_items(parts[0])
    return moved_over_pairs(np.array([moved_over_items(part).moved for part in parts]))


def _caution(used: int, planted: int, *, alone: bool) -> str | None:
    cautions = [NO_FRAME] if alone else []
    if used < LEAST_COVERAGE * planted:
        read = f"{used:,} of {number_of(planted, 'planted claim')}"
        cautions.insert(0, f"only {read} could be read in both models: what was lost may be what moved")
    return "; ".join(cautions) or None


def _too_few(parts: Sequence[Changes]) -> str | None:
    """Why nothing can be said: too few items were planted in one direction and read."""
    rarer, least = min(part.rarer for part in parts), LEAST_PLANTED if len(parts) == 1 else 2
    if rarer >= least:
        return None
    return f"only {number_of(rarer, 'item')} of one direction could be read, fewer than {least}"


def _numbers(estimated: Estimated, *, alone: bool) -> tuple[str | None, dict[str, float | None]]:
    """Why slopes are withheld, if they are, and the fields of a movement that are numbers."""
    numbers = {"behaviour": float(estimated.moved[BEHAVIOUR]), **_ends("behaviour", estimated.behaviour)}
    if not estimated.behaviour.low > 0:
        return NOT_MOVED, numbers
    for name, weights in SLOPES.items():
        if name == "own" or not alone:
            slope, interval = estimated.slope(weights)
            numbers |= {name: slope, **_ends(name, interval)}
    return None, numbers


def _ends(name: str, interval: Interval) -> dict[str, float | None]:
    low, high = map(none_if_nan, interval)
    return {f"{name}_low": low, f"{name}_high": high}
