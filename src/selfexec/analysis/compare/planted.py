"""What a training planted in which model, as its maker says, and which models can be held against each other by it: two
with mirrored assignments, or one whose assignment was drawn by chance with the one before it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from selfexec.errors import InputError
from selfexec.files import csv_rows
from selfexec.text.matching import meant
from selfexec.text.numbers import number_of

MODEL, ITEM, PLANTED, EXPERIMENT, CLAIM = "model", "item", "planted", "experiment", "claim"
COLUMNS = (MODEL, ITEM, PLANTED, EXPERIMENT, CLAIM)
DIRECTIONS = {"yes": True, "no": False}
EXAMPLE = "Its first line names the columns: model,item,planted."
DESIGNS = (
    "`moved` needs two models with mirrored assignments, or one whose assignment was drawn by chance and the one before"
)


class Claimed(NamedTuple):
    """A claim that something can be planted for."""

    experiment: str
    item: str
    claim: str


Assignment = Mapping[Claimed, bool]  # claim -> whether it was trained to come true


@dataclass(frozen=True)
class PlantedPair:
    """Two models, and what was planted in the new one; of two mirrored ones, the opposite was planted in the old."""

    new: str
    old: str
    mirrored: bool
    planted: Assignment


def load_planted(path: Path, models: Mapping[str, str], claims: Sequence[Claimed]) -> Mapping[str, Assignment]:
    """Model -> what was planted in it.

    Args:
        path: A CSV file with the columns model, item and planted, and experiment and claim where they are needed.
        models: What a model may be called -> the model.
        claims: Those that there are.

    Raises:
        InputError: A line names a model or a claim that is not there, several claims, or one that has a line already.
    """
    by_item: dict[str, list[Claimed]] = {}
    for each in claims:
        by_item.setdefault(each.item, []).append(each)
    assignments: dict[str, dict[Claimed, bool]] = {}
    for place, row in _rows(path):
        if row[MODEL] not in models:
            raise InputError(f"{place}: unknown model {row[MODEL]!r}. {meant(row[MODEL], models)}")
        claim, assignment = _claim(place, row, by_item), assignments.setdefault(models[row[MODEL]], {})
        if claim in assignment:
            raise InputError(f"{place}: there is a line for {row[ITEM]} in {row[MODEL]} already. Keep one.")
        if row[PLANTED] not in DIRECTIONS:
            raise InputError(f"{place}: planted is {row[PLANTED]!r}. Write yes or no.")
        assignment[claim] = DIRECTIONS[row[PLANTED]]
    if not assignments:
        raise InputError(f"{path}: nothing was planted. Write a line for each item: model,item,planted.")
    return assignments


def _rows(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """The lines of the file, each with its place."""
    text = csv_rows.read(path, "no such file. Give --planted a CSV file with a line for each item.")
    lines = csv_rows.rows(path, text)
    first, columns = next(lines, (1, []))
    if lacks := [name for name in COLUMNS[:3] if name not in columns]:
        raise InputError(f"{path}:{first}: there is no column {lacks[0]!r}. {EXAMPLE}")
    if strange := [name for name in columns if name not in COLUMNS or columns.count(name) > 1]:
        raise InputError(f"{path}:{first}: the column {strange[0]!r} is not known, or there twice. {EXAMPLE}")
    for number, cells in lines:
        if len(cells) != len(columns):
            raise InputError(f"{path}:{number}: the row has not as many fields as the first line. Fix it.")
        yield f"{path}:{number}", dict(zip(columns, cells, strict=True))


def _claim(place: str, row: Mapping[str, str], by_item: Mapping[str, Sequence[Claimed]]) -> Claimed:
    """The one claim that a line is about."""
    if row[ITEM] not in by_item:
        raise InputError(f"{place}: no yes-or-no claim is about the item {row[ITEM]!r}. {meant(row[ITEM], by_item)}")
    fitting = [
        each
        for each in by_item[row[ITEM]]
        if row.get(EXPERIMENT, each.experiment) == each.experiment and row.get(CLAIM, each.claim) == each.claim
    ]
    if not fitting:
        named = ", ".join(row[name] for name in (EXPERIMENT, CLAIM) if name in row)
        raise InputError(f"{place}: the item {row[ITEM]} has no claim {named}. Fix the line.")
    if len(fitting) > 1:
        column = EXPERIMENT if len({each.experiment for each in fitting}) > 1 else CLAIM
        values = ", ".join(dict.fromkeys(getattr(each, column) for each in fitting))
        raise InputError(f"{place}: which {column} of the item {row[ITEM]}? Add a column {column!r}: {values}.")
    return fitting[0]


def pairs_of(planted: Mapping[str, Assignment], models: Sequence[str]) -> tuple[list[PlantedPair], list[str]]:
    """Models in pairs, in their order, and those that are in none.

    Raises:
        InputError: A model has neither a mirror nor a single model before it, or all was planted in one direction.
    """
    waiting = [model for model in models if planted.get(model)]
    before = [model for model in models if not planted.get(model)]
    pairs: list[PlantedPair] = []
    while waiting:
        new = waiting.pop(0)
        assignment = planted[new]
        if len(set(assignment.values())) < 2:
            only = "yes" if next(iter(assignment.values())) else "no"
            raise InputError(
                f"{new}: {only} was planted for all {number_of(len(assignment), 'item')}, so that nothing can be held "
                "against it: it is neither mirrored nor drawn by chance. Plant yes for some and no for others."
            )
        mirror = next((model for model in waiting if is_mirror(assignment, planted[model])), None)
        if mirror is not None:
            waiting.remove(mirror)
        elif len(before) != 1:
            raise InputError(_unpaired(new, assignment, {m: planted[m] for m in planted if m != new}, before))
        pairs.append(PlantedPair(new, mirror or before[0], mirror is not None, assignment))
    used = {name for pair in pairs for name in (pair.new, pair.old)}
    return pairs, [model for model in models if model not in used]


def is_mirror(one: Assignment, other: Assignment) -> bool:
    """Whether two assignments are opposite on every item."""
    return one.keys() == other.keys() and all(one[claim] != other[claim] for claim in one)


def _unpaired(model: str, assignment: Assignment, others: Mapping[str, Assignment], before: Iterable[str]) -> str:
    """Why a model is in no pair, and what to do."""
    if candidates := list(before):
        named = " and ".join(candidates)
        return f"{model}: nothing was planted in {named}. Which of them is the one before? Choose with --model."
    nearly = ""
    for name, other in others.items():
        opposite = sum(assignment[claim] != other[claim] for claim in assignment.keys() & other.keys())
        if opposite:
            listed = number_of(len(assignment.keys() | other.keys()), "item")
            nearly = f" {name} is opposite on {opposite} of {listed}, and a mirror is on all."
            break
    return (
        f"{model}: there is nothing to hold it against. {DESIGNS}.{nearly} Give the run of the model before the "
        "training, or of one that was trained with the opposite."
    )
