"""What a run asked, by rule: which models, which items, in how many epochs, in which conditions. Only what it lists,
or what has a reply of another session, can be missing.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from selfexec.experiments import EXPERIMENTS, JobKey, Key, session_kind
from selfexec.facets import DEFAULT, Condition, conditions_of, facets_of, touching
from selfexec.items import ItemSet

Place = tuple[str, str, Condition]  # model, experiment, and the condition as far as the experiment knows it
Epochs = Mapping[str, int]  # item -> in how many epochs it is asked, from the first on
Design = Mapping[Place, Epochs]


class Block(msgspec.Struct, frozen=True, omit_defaults=True):
    """Models that are asked the same items of an experiment, in as many epochs and in one condition; all that the run
    has, where no items are named.
    """

    models: list[str]
    experiment: str
    epochs: int = 1
    items: list[str] | None = None
    condition: dict[str, str] = {}


def crossed(
    models: Iterable[str], item_set: ItemSet, epochs: int, conditions: Sequence[Condition] = (DEFAULT,)
) -> Design:
    """Every model with every item in every epoch and condition."""
    return {
        (model, e, condition): dict.fromkeys(by_id, epochs)
        for model in models
        for e, by_id in item_set.items.items()
        for condition in (conditions_of(conditions, e) if any(conditions) else conditions)
    }


def unfolded(blocks: Iterable[Block], item_set: ItemSet) -> Design:
    """What blocks stand for."""
    found: Design = {}
    for block in blocks:
        named = block.items or list(item_set.items.get(block.experiment, {}))
        items = dict.fromkeys(named, block.epochs)
        condition = facets_of(block.condition) if block.condition else DEFAULT
        found = joined(found, {(model, block.experiment, condition): items for model in block.models})
    return found


def recorded(item_set: ItemSet, replies: Iterable[Key]) -> frozenset[JobKey]:
    """The items, each as one model did it in one epoch, for which a log has all that was done."""
    there: dict[JobKey, set[str]] = defaultdict(set)
    for key in replies:
        if key.session_kind in EXPERIMENTS[key.experiment].recorded:
            there[key[:4]].add(key.session)
    return frozenset(
        job
        for job, found in there.items()
        if (item := item_set.items.get(job[1], {}).get(job[2])) is not None
        and found >= {*EXPERIMENTS[job[1]].session_names(item)}.difference(EXPERIMENTS[job[1]].asked_names(item))
    )


def joined(one: Design, two: Design) -> Design:
    """All that either asks, in the greater number of epochs."""
    both: dict[Place, Epochs] = {}
    for place in dict.fromkeys([*one, *two]):
        a, b = one.get(place, {}), two.get(place, {})
        both[place] = {id: max(a.get(id, 0), b.get(id, 0)) for id in {**a, **b}}
    return both


def folded(asked: Design, item_set: ItemSet | None) -> list[Block]:
    """The same as blocks: few where models are asked alike. Without the items of the run, each is named."""
    alike: dict[tuple[str, Condition, int, tuple[str, ...] | None], list[str]] = defaultdict(list)
    for (model, experiment, condition), epochs in asked.items():
        by_epochs: dict[int, list[str]] = defaultdict(list)
        for id, n in sorted(epochs.items()):
            by_epochs[n].append(id)
        every = len(item_set[experiment]) if item_set else None
        for n, ids in sorted(by_epochs.items()):
            alike[experiment, condition, n, None if len(ids) == every else tuple(ids)].append(model)
    return [
        Block(models, e, n, None if ids is None else list(ids), dict(condition))
        for (e, condition, n, ids), models in alike.items()
    ]


def asked(
    blocks: Sequence[Block] | None, item_set: ItemSet, replies: Iterable[Key]
) -> dict[Place, Mapping[str, Sequence[int]]]:
    """(Model, experiment, condition) -> item -> the epochs in which it was asked, for those that have any reply.

    What has a reply was asked, listed or not. Where nothing is kept of what was asked (`blocks` None: imported replies,
    runs of older versions), it is every item in each epoch for which the model has a reply in the condition; where an
    experiment is about logs, as far as these go. What stands in a log was not asked by the run: it is asked about once
    there is a prediction to be had.
    """
    seen: dict[tuple[str, str], Seen] = defaultdict(lambda: defaultdict(lambda: defaultdict(set)))
    in_logs = {name: experiment.recorded for name, experiment in EXPERIMENTS.items() if experiment.recorded}
    logged: list[Key] = []
    for key in replies:
        if key.experiment in in_logs and key.session_kind in in_logs[key.experiment]:
            logged.append(key)
            continue
        seen[key.model, key.experiment][key.facets, key.session][key.item].add(key.epoch)
    listed = None if blocks is None else unfolded(blocks, item_set)
    there_in_logs = recorded(item_set, logged) if logged else frozenset()
    found: dict[Place, Mapping[str, Sequence[int]]] = {}
    for (model, experiment), replied in seen.items():
        wanted = {c: epochs for (m, e, c), epochs in (listed or {}).items() if (m, e) == (model, experiment)}
        for condition, there in _by_condition(replied, experiment, wanted).items():
            epochs = None if listed is None else wanted.get(condition, {})
            by_item = _epochs(item_set.items[experiment], epochs, there)
            if experiment in in_logs and listed is None:
                by_item = _as_recorded(by_item, model, experiment, there_in_logs)
            found[model, experiment, condition] = by_item
    return found


def _as_recorded(
    by_item: Mapping[str, Sequence[int]], model: str, experiment: str, there: Collection[JobKey]
) -> Mapping[str, Sequence[int]]:
    """The epochs of each item for which a log has what was done: nothing else could be asked about."""
    found = {id: [n for n in epochs if (model, experiment, id, n) in there] for id, epochs in by_item.items()}
    return {id: epochs for id, epochs in found.items() if epochs}


# facets and session -> item -> the epochs in which there is a reply
Seen = dict[tuple[Condition, str], dict[str, set[int]]]


def _by_condition(
    seen: Seen, experiment: str, listed: Mapping[Condition, Epochs]
) -> Mapping[Condition, Mapping[str, Collection[int]]]:
    """Condition -> item -> the epochs that replies tell of, beside those that are listed. A reply that several
    conditions share tells of none where it is listed in one of them; else of the condition that its facets are, where
    that was asked, or of all that share it.
    """
    conditions = dict.fromkeys([*listed, *_own(seen, experiment, listed)])
    found: dict[Condition, dict[str, set[int]]] = {condition: defaultdict(set) for condition in conditions}
    for (facets, session), by_item in seen.items():
        kind = session_kind(session)
        sharing = [c for c in found if (touching(c, experiment, kind) if c else c) == facets]
        told = [facets] if facets in found else sharing
        lists = [listed[condition] for condition in sharing if condition in listed]
        for id, epochs in by_item.items():
            known = max(epochs_of.get(id, 0) for epochs_of in lists) if lists else 0
            unlisted = {epoch for epoch in epochs if epoch > known} if known else epochs
            for condition in told:
                found[condition][id] |= unlisted
    return found


def _own(seen: Seen, experiment: str, listed: Iterable[Condition]) -> list[Condition]:
    """The facets of replies that are a condition of their own. Those of an execution are not where every prediction
    beside it was made in another condition, which shares it.
    """
    kinds: dict[Condition, set[str]] = defaultdict(set)
    for facets, session in seen:
        kinds[facets].add(session_kind(session))
    if len({*kinds, *listed}) == 1:
        return list(kinds)

    def shared_by(other: Condition, facets: Condition) -> bool:
        return other != facets and all(touching(other, experiment, kind) == facets for kind in kinds[facets])

    return [facets for facets in sorted(kinds) if not any(shared_by(other, facets) for other in (*kinds, *listed))]


def _epochs(
    items: Iterable[str], listed: Epochs | None, seen: Mapping[str, Collection[int]]
) -> Mapping[str, Sequence[int]]:
    """The epochs in which each item was asked."""
    if listed is None:
        return dict.fromkeys(items, sorted(set().union(*seen.values())))
    both = {id: {*range(1, listed.get(id, 0) + 1), *seen.get(id, ())} for id in items}
    return {id: sorted(numbers) for id, numbers in both.items() if numbers}
