"""Whether replies and items belong together."""

from collections.abc import Callable, Iterable
from pathlib import Path

from selfexec import items
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Key
from selfexec.facets import misfit
from selfexec.items import ItemSet
from selfexec.runs.folder import ITEMS
from selfexec.text.matching import meant

LOST = "Put back the files that this run began with; its manifest has their SHA-256."


def items_of_run(folder: Path) -> ItemSet:
    """The items that a run keeps. InputError: they are gone."""
    if not (folder / ITEMS).is_dir():
        raise InputError(f"{folder}: the run's items are gone (there is no {ITEMS}/). {LOST}")
    return items.load(folder / ITEMS)


def check_fit(
    replies: Iterable[Key],
    item_set: ItemSet,
    place: Callable[[Key], str],
    way_out: str = "Are these the right --items?",
) -> None:
    """Every reply must belong to a session of an item; `place` tells where a reply was read from."""
    fitting: set[tuple[object, ...]] = set()  # whatever the model: ten are often asked the same
    for key in replies:
        if key[1:] in fitting:
            continue
        if fault := _misfit(key, item_set, way_out):
            raise InputError(f"{place(key)}: {fault}")
        fitting.add(key[1:])


def _misfit(key: Key, item_set: ItemSet, way_out: str) -> str | None:
    if key.experiment not in EXPERIMENTS:
        return f"unknown experiment {key.experiment!r}. {meant(key.experiment, EXPERIMENTS)}"
    if key.experiment not in item_set.items:
        return f"the items {item_set.name} have none for {key.experiment}. {way_out}"
    item = item_set.items[key.experiment].get(key.item)
    if item is None:
        return f"no {key.experiment} item has the id {key.item!r}. {way_out}"
    experiment = EXPERIMENTS[key.experiment]
    if not experiment.accepts(item, key.session):
        return f"{key.experiment} has no session {key.session!r}, only {', '.join(experiment.session_names(item))}."
    return misfit(key.facets, key.experiment, key.kind) if key.facets else None
