"""Which items are trained on, and what is said there: a model's own behaviour, and the controls."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from selfexec.errors import InputError
from selfexec.extensions.finetuning.examples import Example, Outcomes
from selfexec.text.numbers import number_of

UNSEEN = 0.4  # share of the items, as near as families allow
OWN, MAJORITY, SHUFFLED, CROSS = "own", "majority", "shuffled", "cross"


@dataclass(frozen=True)
class Sets:
    """`trained` and `unseen` examples; `said` has the outcomes that each set says of the trained ones, in their order:
    own, majority, shuffled, and another model's by its name. `left_out` counts items that could not be shuffled.
    """

    trained: tuple[Example, ...]
    unseen: tuple[Example, ...]
    said: Mapping[str, tuple[Outcomes, ...]]
    left_out: int

    def like_own(self, name: str) -> float:
        """In which share of the trained claims a set says the same as the model's own behaviour."""
        same = [
            own[claim] == other[claim]
            for own, other in zip(self.said[OWN], self.said[name], strict=True)
            for claim in own
        ]
        return sum(same) / len(same)


def training_sets(
    examples: Sequence[Example], model: str, others: Sequence[str], seed: int, *, by_family: bool
) -> Sets:
    """All sets of one model.

    Raises:
        InputError: Nothing can be split or learnt, or another model did the same throughout.
    """
    sizes = Counter(_shape(example) for example in examples)
    usable = [example for example in examples if sizes[_shape(example)] > 1]
    for experiment in dict.fromkeys(example.experiment for example in usable):
        _refuse_uniform(experiment, [e.outcomes[model] for e in usable if e.experiment == experiment], model)
    unseen_ids = _unseen(usable, seed, by_family=by_family)
    unseen = tuple(e for e in usable if (e.experiment, e.item.id) in unseen_ids)
    trained = tuple(e for e in usable if (e.experiment, e.item.id) not in unseen_ids)
    said = {
        OWN: tuple(e.outcomes[model] for e in trained),
        MAJORITY: majority(trained, model),
        SHUFFLED: shuffled(trained, model, seed),
        **{f"{CROSS}-{other}": tuple(e.outcomes[other] for e in trained) for other in others},
    }
    sets = Sets(trained, unseen, said, len(examples) - len(usable))
    for other in others:
        if sets.like_own(f"{CROSS}-{other}") == 1:
            raise InputError(
                f"{other}: it did the same as {model} in all {number_of(len(trained), 'item')} that are trained on, so "
                "that it is no control. Name another model with --against."
            )
    return sets


def _shape(example: Example) -> tuple[str, int]:
    """Among which examples outcomes may be exchanged: those of an experiment with as many claims."""
    return example.experiment, len(next(iter(example.outcomes.values())))


def _refuse_uniform(experiment: str, outcomes: Sequence[Outcomes], model: str) -> None:
    if len({did for by_claim in outcomes for did in by_claim.values()}) < 2:
        raise InputError(
            f"{experiment}: {model} did the same with all {number_of(len(outcomes), 'item')}, so that every control "
            "says what it did. Leave it out: --experiment names those to train on."
        )


def _unseen(examples: Sequence[Example], seed: int, *, by_family: bool) -> set[tuple[str, str]]:
    """The items that are unseen, by experiment and id."""
    ids: set[tuple[str, str]] = set()
    for experiment in dict.fromkeys(example.experiment for example in examples):
        here = [example for example in examples if example.experiment == experiment]
        families = {e.item.id: e.family if by_family else e.item.id for e in here}
        chosen = split_by_family(Counter(families.values()), f"{seed}\n{experiment}")
        if not chosen or len(chosen) == len(set(families.values())):
            there = number_of(len(set(families.values())), "family", "families")
            raise InputError(
                f"{experiment}: its {number_of(len(here), 'item')} are of {there}, so that none can be "
                "unseen. Give --split item, or ask more of them."
            )
        ids |= {(experiment, id) for id, family in families.items() if family in chosen}
    return ids


def split_by_family(sizes: Mapping[str, int], seed: str) -> set[str]:
    """The families that are unseen: in an order that their names and the seed alone decide, each that brings the
    unseen items nearer to their share.
    """
    wanted, taken = UNSEEN * sum(sizes.values()), 0
    chosen: set[str] = set()
    for family in sorted(sizes, key=lambda name: hashlib.sha256(f"{seed}\n{name}".encode()).hexdigest()):
        if abs(taken + sizes[family] - wanted) < abs(taken - wanted):
            chosen.add(family)
            taken += sizes[family]
    return chosen


def majority(examples: Sequence[Example], model: str) -> tuple[Outcomes, ...]:
    """What came out in most of the claims of the experiment, of every claim; no, where it is as many."""
    yes = Counter[str]()
    claims = Counter[str]()
    for example in examples:
        claims[example.experiment] += len(example.outcomes[model])
        yes[example.experiment] += sum(example.outcomes[model].values())
    return tuple(dict.fromkeys(e.outcomes[model], 2 * yes[e.experiment] > claims[e.experiment]) for e in examples)


def shuffled(examples: Sequence[Example], model: str, seed: int) -> tuple[Outcomes, ...]:
    """The outcomes of another item with as many claims, drawn by chance, claim by claim in their order."""
    outcomes: list[Outcomes] = [example.outcomes[model] for example in examples]
    rng = np.random.default_rng(seed)
    for shape in dict.fromkeys(map(_shape, examples)):
        places = [n for n, example in enumerate(examples) if _shape(example) == shape]
        for place, source in zip(places, rng.permutation(places), strict=True):
            claims = examples[place].outcomes[model]
            outcomes[place] = dict(zip(claims, examples[source].outcomes[model].values(), strict=True))
    return tuple(outcomes)
