"""Items: what the experiments ask about. A set of items is a folder with one file per experiment.

`load` takes the name of a set (`starter`, `paper`) or a folder. Every cut by a limit or a
fraction is a prefix of one fixed order, so that smaller runs nest in larger ones and models share their items; a preset
has items of its own.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, PAPER_HEADLINE, Item
from selfexec.files import jsonl
from selfexec.items.faults import first_fault
from selfexec.items.presets import newest_order, preset_ids
from selfexec.text.matching import NEAR, listed, nearest

STARTER = Path(__file__).parent / "starter"
SETS = ("starter", "paper")
NOT_READ = "no experiment reads this file"
T = TypeVar("T")
Kinds = tuple[tuple[str, type[Item]], ...]  # of items: each experiment with its type


class Edition(msgspec.Struct, frozen=True):
    """With which edition of its set an item came: what is added later comes last in the order, so that cuts of what
    was there before stay what they were.
    """

    edition: int = 1


@dataclass(frozen=True)
class ItemSet:
    """Items by experiment and id, in the fixed order, with the exact line that each stands in."""

    name: str
    items: Mapping[str, Mapping[str, Item]]
    lines: Mapping[str, Mapping[str, bytes]]

    @property
    def experiments(self) -> tuple[str, ...]:
        return tuple(self.items)

    @property
    def usual(self) -> tuple[str, ...]:
        """What is asked where no experiment is named: of a set by its name what the headline is made of, so that what
        else comes with it costs nobody a call unasked; of a folder all that lies in it.
        """
        return tuple(e for e in self.items if self.name not in SETS or e in PAPER_HEADLINE.experiments)

    @property
    def sizes(self) -> str:
        """How many there are of each kind, in words."""
        return ", ".join(f"{len(by_id)} {experiment}" for experiment, by_id in self.items.items())

    def __getitem__(self, experiment: str) -> Mapping[str, Item]:
        if experiment not in self.items:
            raise KeyError(f"there are no items of {experiment!r} ({listed('experiments', self.items)})")
        return self.items[experiment]

    def __repr__(self) -> str:
        return f"ItemSet({self.name!r}: {self.sizes})"

    def with_field(self, field: str, value: Any) -> "ItemSet":
        """The same items with this value in a field, of the experiments whose items have such a field.

        Raises:
            InputError: No experiment here has it, or it cannot have this value.
        """
        having = [name for name in self.items if field in EXPERIMENTS[name].item_type.__struct_fields__]
        if not having:
            raise InputError(f"--{field}: no items of {', '.join(self.items)} have {field}. Leave it out.")
        items, lines = dict(self.items), dict(self.lines)
        for name in having:
            changed = {id: {**msgspec.json.decode(line), field: value} for id, line in self.lines[name].items()}
            try:
                kind = EXPERIMENTS[name].item_type
                items[name] = {id: msgspec.convert(line, kind) for id, line in changed.items()}
            except msgspec.ValidationError as fault:
                raise InputError(f"--{field}: {str(fault).partition(' - at')[0]}, in items of {name}.") from None
            lines[name] = {id: msgspec.json.encode(line) for id, line in changed.items()}
        return replace(self, items=items, lines=lines)

    def cut(
        self,
        experiments: Sequence[str] | None = None,
        *,
        limit: int | None = None,
        fraction: float | None = None,
        preset: str | None = None,
        order: str | None = None,
    ) -> "ItemSet":
        """The first items of each experiment: at most `limit`, or the share `fraction` of them, rounded up; or those
        of a preset, in the `order` of this name (without one, the newest).
        """
        if limit is not None and limit < 1:
            raise InputError(f"--limit {limit}: a run needs at least one item. Give 1 or more.")
        if fraction is not None and not 0 < fraction <= 1:
            raise InputError(f"--fraction {fraction}: it must be above 0 and at most 1.")
        if limit is not None and fraction is not None:
            raise InputError("--limit and --fraction both select a subset. Give one of them.")
        if preset is not None and (limit, fraction) != (None, None):
            more = "--limit" if fraction is None else "--fraction"
            raise InputError(f"--preset {preset} selects a subset already. Leave out {more}.")
        kept: dict[str, Mapping[str, Item]] = {}
        hashes = self.hashes if preset else {}
        for experiment in experiments or self.experiments:
            if experiment not in self.items:
                have = ", ".join(self.experiments)
                raise InputError(f"experiment {experiment!r}: the items {self.name} have none for it, only {have}.")
            items = self.items[experiment]
            # rounded first: 0.07 x 100 is a little more than 7
            size = len(items) if fraction is None else math.ceil(round(len(items) * fraction, 9))
            if preset:
                found = preset_ids(preset, experiment, items, order or newest_order(hashes), hashes[experiment])
                ids = {*found}
            else:
                ids = {*list(items)[: min(size, limit or size)]}
            kept[experiment] = {id: item for id, item in items.items() if id in ids}
        lines = {e: {id: self.lines[e][id] for id in items} for e, items in kept.items()}
        return ItemSet(self.name, kept, lines)

    @property
    def hashes(self) -> dict[str, str]:
        """SHA-256 of each experiment's item file as it is written."""
        return {
            experiment: hashlib.sha256(b"".join(line + b"\n" for line in lines.values())).hexdigest()
            for experiment, lines in self.lines.items()
        }

    def write(self, folder: Path) -> None:
        folder.mkdir()
        for experiment, lines in self.lines.items():
            jsonl.write(folder / f"{experiment}.jsonl", lines.values())


def load(source: str | Path) -> ItemSet:
    """A set by its name, or from a folder of item files."""
    kinds = tuple((experiment.name, experiment.item_type) for experiment in EXPERIMENTS.values())
    if str(source) == "starter":  # it comes with this package, and is asked for at every turn
        return _starter(kinds)
    return _read(str(source), set_folder(source), kinds)


@cache
def _starter(kinds: Kinds) -> ItemSet:
    """The starter set. Each file is read when its items are asked for: who asks one experiment needs no others."""
    kept = {experiment: kind for experiment, kind in kinds if item_file(STARTER, experiment).exists()}

    @cache
    def of(experiment: str) -> OfExperiment:
        return _of_experiment(STARTER, experiment, kept[experiment])

    return ItemSet("starter", OnDemand(kept, lambda e: of(e).items), OnDemand(kept, lambda e: of(e).lines))


class OnDemand(Mapping[str, T]):
    """A mapping whose values are made when they are asked for, each time anew."""

    def __init__(self, names: Iterable[str], make: Callable[[str], T]) -> None:
        self._names = dict.fromkeys(names)
        self._make = make

    def __getitem__(self, name: str) -> T:
        if name not in self._names:
            raise KeyError(name)
        return self._make(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __reduce__(self) -> tuple[type[dict[str, T]], tuple[dict[str, T]]]:
        """To another process, as with Ray, go the values and not what makes them."""
        return dict, (dict(self),)


class OfExperiment(NamedTuple):
    """The items of one experiment by id, in the fixed order, and the line of each."""

    items: Mapping[str, Item]
    lines: Mapping[str, bytes]


def _read(name: str, folder: Path, kinds: Kinds) -> ItemSet:
    kept = [(experiment, kind) for experiment, kind in kinds if item_file(folder, experiment).exists()]
    parts = {experiment: _of_experiment(folder, experiment, kind) for experiment, kind in kept}
    for path, meant in unread_files(folder):
        if meant:
            raise InputError(f"{path}: {NOT_READ}. Did you mean {meant}? Rename it, or move it away.")
    if not parts:
        raise InputError(no_item_files(folder))
    return ItemSet(name, {e: part.items for e, part in parts.items()}, {e: part.lines for e, part in parts.items()})


def _of_experiment(folder: Path, experiment: str, kind: type[Item]) -> OfExperiment:
    path = item_file(folder, experiment)
    found: dict[str, Item] = {}
    for number, item in jsonl.decode(path, kind, explain=partial(first_fault, kind)):
        if item.id in found:
            raise InputError(f"{path}:{number}: id {item.id!r} occurs twice. Every item needs its own id.")
        found[item.id] = item
    if not found:
        raise InputError(f"{path}: it holds no items. Fill it, or remove it to leave the experiment out.")
    for _ in jsonl.decode(path, Edition, explain=partial(first_fault, Edition)):
        pass  # a fault is reported with its line
    written = dict(zip(found, (line for _, line in jsonl.numbered_lines(path)), strict=True))
    order = fixed_order(experiment, written)
    return OfExperiment({id: found[id] for id in order}, {id: written[id].strip() for id in order})


def unread_files(folder: Path) -> Iterator[tuple[Path, str | None]]:
    """JSON Lines in a folder of items that no experiment reads, each with the name that is likely meant: one that is
    near it and not there.
    """
    names = [f"{experiment}.jsonl" for experiment in EXPERIMENTS]
    lacking = [name for name in names if not (folder / name).exists()]
    for path in sorted(folder.glob("*.jsonl")):
        if path.name not in names:
            yield path, nearest(path.name.lower(), lacking, NEAR)


def item_file(folder: Path, experiment: str) -> Path:
    """Where a folder has the items of an experiment: those of the starter set lie with the experiment, where it brings
    them itself.
    """
    return (folder == STARTER and EXPERIMENTS[experiment].starter) or folder / f"{experiment}.jsonl"


def no_item_files(folder: Path) -> str:
    """That a folder has none, what their names would be, and what it has."""
    names = ", ".join(f"{e}.jsonl" for e in EXPERIMENTS)
    there = sorted(path.name for path in folder.iterdir() if path.is_file())
    has = f" {listed('Files there', there)}." if there else ""
    return f"{folder}: there are no item files.{has} A folder of items has one or more of {names}."


def fixed_order(experiment: str, lines: Mapping[str, bytes]) -> list[str]:
    """The ids of items, given with their lines, edition by edition, sorted by the SHA-256 of experiment and id: an
    order that depends on nothing else.
    """
    decoder = msgspec.json.Decoder(Edition)
    places = {
        id: (decoder.decode(line).edition, hashlib.sha256(f"{experiment}\n{id}".encode()).hexdigest())
        for id, line in lines.items()
    }
    return sorted(lines, key=places.__getitem__)


def set_folder(source: str | Path) -> Path:
    """The folder that a set's name, or a path, stands for."""
    if str(source) == "starter":
        return STARTER
    if str(source) == "paper":
        from selfexec.items.paper import cache_folder

        folder = cache_folder()
        if not folder.exists():
            raise InputError("items 'paper': not fetched yet. Run: selfexec items fetch paper")
        return folder
    folder = Path(source)
    if not folder.is_dir():
        raise InputError(f"items {str(source)!r}: neither a set (starter, paper) nor a folder. Give one of them.")
    return folder
