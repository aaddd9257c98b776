"""What a run asked, by rule: which models, which items, in how many epochs. Only what it lists can be missing."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from selfexec.experiments import Key
from selfexec.items import ItemSet

Place = tuple[str, str]  # model and experiment
Epochs = Mapping[str, int]  # item -> in how many epochs it is asked, from the first on
Design = Mapping[Place, Epochs]


class Block(msgspec.Struct, frozen=True, omit_defaults=True):
    """Models that are asked the same items of an experiment, in as many epochs; all that the run has, where none are
    named.
    """

    models: list[str]
    experiment: str
    epochs: int = 1
    items: list[str] | None = None


def crossed(models: Iterable[str], item_set: ItemSet, epochs: int) -> Design:
    """Every model with every item in every epoch."""
    return {(model, e): dict.fromkeys(by_id, epochs) for model in models for e, by_id in item_set.items.items()}


def unfolded(blocks: Iterable[Block], item_set: ItemSet) -> Design:
    """What blocks stand for."""
    found: Design = {}
    for block in blocks:
        named = block.items or list(item_set.items.get(block.experiment, {}))
        items = dict.fromkeys(named, block.epochs)
        found = joined(found, {(model, block.experiment): items for model in block.models})
    return found


def joined(one: Design, two: Design) -> Design:
    """All that either asks, in the greater number of epochs."""
    both: dict[Place, Epochs] = {}
    for place in dict.fromkeys([*one, *two]):
        a, b = one.get(place, {}), two.get(place, {})
        both[place] = {id: max(a.get(id, 0), b.get(id, 0)) for id in {**a, **b}}
    return both


def folded(asked: Design, item_set: ItemSet | None) -> list[Block]:
    """The same as blocks: few where models are asked alike. Without the items of the run, each is named."""
    alike: dict[tuple[str, int, tuple[str, ...] | None], list[str]] = defaultdict(list)
    for (model, experiment), epochs in asked.items():
        by_epochs: dict[int, list[str]] = defaultdict(list)
        for id, n in sorted(epochs.items()):
            by_epochs[n].append(id)
        every = len(item_set[experiment]) if item_set else None
        for n, ids in sorted(by_epochs.items()):
            alike[experiment, n, None if len(ids) == every else tuple(ids)].append(model)
    return [Block(models, e, n, None if ids is None else list(ids)) for (e, n, ids), models in alike.items()]


def asked(
    blocks: Sequence[Block] | None, item_set: ItemSet, replies: Iterable[Key]
) -> dict[Place, Mapping[str, Sequence[int]]]:
    """(Model, experiment) -> item -> the epochs in which it was asked, for those of which there is any reply.

    What has a reply was asked, listed or not. Where
    nothing is kept of what was asked (`blocks` None: imported replies, runs of older versions), it is every item
    in each epoch of which the model has a reply.
    """
    seen: dict[Place, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for key in replies:
        seen[key.model, key.experiment][key.item].add(key.epoch)
    if blocks is None:
        return {place: _rectangle(item_set, place[1], by_item.values()) for place, by_item in seen.items()}
    listed = unfolded(blocks, item_set)
    found: dict[Place, Mapping[str, Sequence[int]]] = {}
    for place, by_item in seen.items():
        epochs = listed.get(place, {})
        both = {id: {*range(1, epochs.get(id, 0) + 1), *by_item.get(id, ())} for id in item_set.items[place[1]]}
        found[place] = {id: sorted(numbers) for id, numbers in both.items() if numbers}
    return found


def _rectangle(item_set: ItemSet, experiment: str, seen: Iterable[Collection[int]]) -> Mapping[str, Sequence[int]]:
    return dict.fromkeys(item_set.items[experiment], sorted(set().union(*seen)))
