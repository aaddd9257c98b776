"""What a run can tell apart, before it is paid for.

The spreads are those of ten recorded models (the paper's items, authors' readings, convention readable): the median
over models of the standard error times the root of the number of items, and the same for paired differences of two
models. Of the share of items that have the rarer outcome it is the least of these models'.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

from selfexec import stats
from selfexec.experiments import ITEM_NAMES
from selfexec.metrics import LEAST_PANEL, LEAST_RARER_ITEMS
from selfexec.stats import Z
from selfexec.text.numbers import number_of


class Spread(NamedTuple):
    """Standard deviations by item: of one model's skill, and of the difference of two models' skill."""

    alone: float
    paired: float


SKILL_SPREADS: Mapping[str, Spread] = {
    "association": Spread(0.29, 0.35),
    "restriction": Spread(0.66, 0.85),
    "difficulty": Spread(0.45, 0.62),
}
# of difficulty it is groups that count, whatever came of them
LEAST_RARER_SHARE: Mapping[str, float] = {"association": 0.45, "restriction": 0.31, "difficulty": 1.0}
WIDEST = 2.0  # skill lies between -1 and 1
LEAST_MODELS = 3  # a model and two others, to tell what models in general do


def half_width(experiment: str, items: int) -> float:
    """Half of the 95% interval to expect of the skill in one experiment."""
    return Z * SKILL_SPREADS[experiment].alone / math.sqrt(items)


def detectable(experiment: str, items: int) -> float:
    """The difference in skill of two models on the same items that is found in 80% of runs, at the 5% level."""
    return stats.detectable(SKILL_SPREADS[experiment].paired / math.sqrt(items), math.inf)


# a model that lists hardly any option, or answers every request, has next to none of the rarer outcome
ARE_TOLD = "are told apart in 4 of 5 runs"
EXPECT = "To expect of models whose behaviour varies as that of ten recorded ones:"


def outlook(items: Mapping[str, int], models: int) -> str:
    """What a run with so many items in each experiment can tell apart, and what it cannot tell with so many models."""
    said = [_resolution(items), _withheld(items) if set(items) == set(SKILL_SPREADS) else None, _too_few_models(models)]
    return "\n".join(line for line in said if line)


def _resolution(items: Mapping[str, int]) -> str:
    widths = ", ".join(f"{experiment} ±{half_width(experiment, n):.2f}" for experiment, n in items.items())
    found = {experiment: detectable(experiment, n) for experiment, n in items.items()}
    if set(items) != set(SKILL_SPREADS) or _short(items):
        return f"{EXPECT} skill within {widths}; {_apart(found)}."
    overall = math.hypot(*(half_width(experiment, n) for experiment, n in items.items())) / 3
    apart = f"{math.hypot(*found.values()) / 3:.2f}"
    return f"{EXPECT} skill within {widths}, overall ±{overall:.2f}; {_differing(apart)} overall {ARE_TOLD}."


def _apart(found: Mapping[str, float]) -> str:
    """By how much two models must differ in each experiment to be told apart, where any difference is large enough."""
    told = [f"{difference:.2f} in {experiment}" for experiment, difference in found.items() if difference <= WIDEST]
    blind = [experiment for experiment, difference in found.items() if difference > WIDEST]
    by = " or ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)
    parts = [f"{_differing(by)} {ARE_TOLD}"] if told else []
    if blind:
        parts.append(f"in {' and '.join(blind)} it cannot tell two models apart")
    return "; ".join(parts)


def _differing(by: str) -> str:
    return f"two models that differ by {by}"


def _short(items: Mapping[str, int]) -> list[str]:
    """The experiments with so few items that the overall scores will be withheld, whatever the replies."""
    return [experiment for experiment, n in items.items() if n < LEAST_RARER_ITEMS]


def _withheld(items: Mapping[str, int]) -> str | None:
    """Whether the overall scores will be withheld, or may be, for want of items."""
    if short := _short(items):
        have = ", ".join(number_of(items[experiment], ITEM_NAMES[experiment]) for experiment in short)
        of_each = " of each" if len(short) > 1 else ""
        return f"Overall scores will be withheld: {have}, and it takes {LEAST_RARER_ITEMS}{of_each}."
    rarer = {experiment: math.floor(LEAST_RARER_SHARE[experiment] * n) for experiment, n in items.items()}
    if few := [experiment for experiment, n in rarer.items() if n < LEAST_RARER_ITEMS]:
        have = ", ".join(f"of {number_of(items[e], ITEM_NAMES[e])} only {rarer[e]}" for e in few)
        takes = f"it takes {LEAST_RARER_ITEMS} items of the rarer outcome"
        return f"Overall scores may be withheld: {takes}, and {have} may have it."
    return None


def _too_few_models(models: int) -> str | None:
    if models >= LEAST_PANEL:
        return None
    takes = f"To show a model ahead of the best baseline takes {LEAST_PANEL} models on the same items"
    at_all = f" (a margin at all, {LEAST_MODELS})" if models < LEAST_MODELS else ""
    have = f"this run has {number_of(models, 'model')}: add some, or score the runs of others with it"
    return f"{takes}{at_all}; {have}."
