"""Which items people are asked: few, and nothing that is unsafe on purpose unless it is wanted."""

from collections.abc import Sequence

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS
from selfexec.items import ItemSet
from selfexec.run_options import Wanted
from selfexec.text.matching import apart

USUAL = 10  # items in all, where no cut is named: what a person does at one time


def items_for_people(whole: ItemSet, experiments: Sequence[str], wanted: Wanted, *, unsafe: bool) -> ItemSet:
    """The items of a form.

    Args:
        whole: The set that they are taken from.
        experiments: Those that were named, if any were.
        wanted: The cut. Of `limit` and `fraction`, unsafe items are left out first, of a preset afterwards.
        unsafe: Whether unsafe items are asked too.

    Raises:
        InputError: An experiment has no form for people, or nothing is left to ask.
    """
    chosen = whole.cut(_with_forms(whole, experiments))
    kept = chosen if unsafe or wanted.preset else without_unsafe(chosen)
    if wanted.preset or wanted.limit or wanted.fraction:
        cut = kept.cut(limit=wanted.limit, fraction=wanted.fraction, preset=wanted.preset)
        asked = cut if unsafe else without_unsafe(cut)
    else:
        asked = _shared_out(kept, USUAL)
    if not any(asked.items.values()):
        raise InputError(f"{whole.name}: every item here is unsafe on purpose. To ask people these: --unsafe")
    return asked.cut([experiment for experiment, items in asked.items.items() if items])


def _with_forms(whole: ItemSet, experiments: Sequence[str]) -> list[str]:
    """The experiments that are named; else, of those that are usually asked, all that have a form."""
    there = [name for name in whole.experiments if EXPERIMENTS[name].people]
    for name in experiments:
        if name in whole.items and name not in there:
            raise InputError(f"--experiment {name}: it has no form for people. {_those(there)}")
    chosen = list(experiments) or [name for name in whole.usual if name in there]
    if not chosen:
        raise InputError(f"{whole.name}: no experiment here has a form for people. {_those(there)}")
    return chosen


def _those(names: Sequence[str]) -> str:
    return f"These have one: {apart(names)}." if names else "Give other --items."


def without_unsafe(item_set: ItemSet) -> ItemSet:
    """The items that are not unsafe on purpose, as the experiment says."""
    kept = {
        name: {id: item for id, item in items.items() if not EXPERIMENTS[name].unsafe(item)}
        for name, items in item_set.items.items()
    }
    lines = {name: {id: item_set.lines[name][id] for id in items} for name, items in kept.items()}
    return ItemSet(item_set.name, kept, lines)


def _shared_out(item_set: ItemSet, number: int) -> ItemSet:
    """The first items of each experiment, so many in all."""
    names = [name for name, items in item_set.items.items() if items]
    sizes = {name: number // len(names) + (n < number % len(names)) for n, name in enumerate(names)}
    kept = {name: dict(list(item_set.items[name].items())[: sizes[name]]) for name in names}
    lines = {name: {id: item_set.lines[name][id] for id in items} for name, items in kept.items()}
    return ItemSet(item_set.name, kept, lines)
