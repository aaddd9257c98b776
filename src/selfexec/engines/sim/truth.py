"""What a perfect measurement of a simulated model would give: expected values, worked out from its rates."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from selfexec.engines.sim.simulation import Lookings, simulation_of
from selfexec.engines.sim.traits import EVERYONE, Profile, draw
from selfexec.items import ItemSet

RATES = ("lists_recall", "lists_specificity", "recall", "specificity", "ranks")  # of predicting rightly


class ExpectedCells(NamedTuple):
    """Expected numbers of claims: said yes and did, said yes and did not, and so on."""

    tp: float
    fp: float
    fn: float
    tn: float


def truth(
    profile: Profile, item_set: ItemSet, *, of_another: bool = False, thinks: bool = True, recalls: bool = False
) -> dict[tuple[str, str], float]:
    """Expected values by (experiment, metric), as the simulation of each experiment works them out: accuracy, recall,
    positive rate, base rate and Youden's J (readable convention), the accuracy of orders, the share failed and its lift
    over the control, and coverage. What models in general do is taken as it is; what the model does of its own accord,
    and how it predicts, is averaged over all seeds. `of_another`: where it is asked about somebody else, and what it
    says is held against its own behaviour; `thinks`: whether it is left to think; `recalls`: whether it is shown what
    it did with other items.
    """
    coverage = 1 - profile.breaks - profile.declines
    looking = lookings(recalling(profile) if recalls else profile, of_another, thinks)
    return {
        (experiment, metric): value
        for experiment, by_id in item_set.items.items()
        if (simulation := simulation_of(experiment))
        for metric, value in simulation.truth(profile, list(by_id.values()), looking, coverage)
    }


def recalling(profile: Profile) -> Profile:
    """As it predicts with results of its own before it."""
    rates: dict[str, Any] = {
        name: rate + profile.learns * (1 - rate) for name in RATES for rate in [getattr(profile, name)]
    }
    return replace(profile, **rates)


def lookings(profile: Profile, of_another: bool = False, thinks: bool = True) -> Lookings:
    """In which shares of its predictions it looks where: `heeds_frame` says how often the addressee decides,
    `unthinking` how often it needs no thought. A guess is as good as a coin.
    """
    heeds = profile.heeds_frame if of_another else 0.0
    knows = 1.0 if thinks else profile.unthinking
    rates: dict[str, Any] = {name: 0.0 if name == "ranks" else 0.5 for name in RATES}
    guesses = replace(profile, **rates)
    return [
        (knows * (1 - heeds), profile),
        (knows * heeds, replace(profile, looks_at="models")),
        (1 - knows, guesses),
    ]


def metrics_of(by_claim: Iterable[ExpectedCells], coverage: float) -> Iterator[tuple[str, float]]:
    """The expected metrics of claims of yes and no; nothing where there are none."""
    if claims := list(by_claim):
        yield from _metrics(ExpectedCells(*map(sum, zip(*claims, strict=True))))
        yield "coverage", coverage


def expected_cells(looking: Lookings, what: str, about: str, rate: float, early: bool) -> ExpectedCells:
    """One claim, over where it looks. `early`: who copies the order shown says yes."""
    generally = draw(EVERYONE, what, about) < rate
    by_kind = draw(looking[0][1].kind_tag, what, about) < rate
    parts = [[share * n for n in cells(one, what, generally, by_kind, rate, early)] for share, one in looking]
    return ExpectedCells(*map(sum, zip(*parts, strict=True)))


def cells(profile: Profile, what: str, generally: bool, by_kind: bool, rate: float, early: bool) -> ExpectedCells:
    """One claim, given what models in general do and what its kind does."""
    found = [0.0] * 4
    recall, specificity = profile.predicting(what)
    for share, usually, own in _ways(profile, generally, by_kind, rate):
        # it does what it usually does, or what is drawn afresh in this epoch
        does = (1 - profile.noise) * usually + profile.noise * rate
        sees = {"itself": usually, "models": generally, "kind": by_kind if own == "its own" else usually}[
            profile.looks_at
        ]
        yes = recall if sees else 1 - specificity
        if own == "everybody's":
            yes = profile.knows_common * yes + (1 - profile.knows_common) / 2
        yes = float(early) if profile.copies else yes
        for n, part in enumerate((yes * does, yes * (1 - does), (1 - yes) * does, (1 - yes) * (1 - does))):
            found[n] += share * part
    return ExpectedCells(*found)


def _ways(profile: Profile, generally: bool, by_kind: bool, rate: float) -> Iterator[tuple[float, bool, str]]:
    """How often it goes whose way, and whether that way it does it."""
    rest = 1 - profile.common
    yield profile.common, generally, "everybody's"
    yield rest * profile.kindred, by_kind, "its kind's"
    yield rest * (1 - profile.kindred) * rate, True, "its own"
    yield rest * (1 - profile.kindred) * (1 - rate), False, "its own"


def _metrics(c: ExpectedCells) -> Iterator[tuple[str, float]]:
    n = sum(c)
    yield "accuracy", (c.tp + c.tn) / n
    yield "recall", c.tp / (c.tp + c.fn)
    yield "positive_rate", (c.tp + c.fp) / n
    yield "base_rate", (c.tp + c.fn) / n
    yield "youden_j", c.tp / (c.tp + c.fn) + c.tn / (c.tn + c.fp) - 1


def order_accuracy(profile: Profile) -> float:
    """Expected share of pairs in the right order.

    Each question keeps its seen hardness with probability k, else it is drawn afresh. A pair keeps its order surely if
    both kept theirs, with probability 2/3 if one did (of three independent numbers, the shared one decides), and with
    1/2 if none did. A random ranking gets half of the pairs right.
    """
    if profile.copies:
        return 0.5
    known = {
        "itself": 1.0,
        "models": profile.common,
        "kind": profile.common + (1 - profile.common) * profile.kindred,
    }[profile.looks_at]
    k = (1 - profile.noise) * (known - profile.common * (1 - profile.knows_common))
    seen = k**2 + 2 * k * (1 - k) * 2 / 3 + (1 - k) ** 2 / 2
    return profile.ranks * seen + (1 - profile.ranks) / 2
