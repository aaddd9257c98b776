"""What a run can tell apart, before it is paid for.

The spreads are those of ten recorded models (the paper's items, authors' readings, convention readable): the median
over models of the standard error times the root of the number of items, and the same for paired differences of two
models. Of the share of items that have the rarer outcome it is the least of these models'. How much wider intervals of
one model are where items are few was seen in the quick presets of these models, by the median half-widths of .104
(association), .140 (restriction) and .119 (difficulty), and in all items (.026, .062, .058).
"""

import math
from collections.abc import Mapping

from selfexec.experiments import EXPERIMENTS, PAPER
from selfexec.experiments.base import Spread
from selfexec.metrics import LEAST_PANEL, LEAST_RARER_ITEMS
from selfexec.stats import POWER_80, Z
from selfexec.text.numbers import number_of

WIDEST = 2.0  # skill lies between -1 and 1
LEAST_MODELS = 4  # a model and three others, to tell what models in general do


def spread_of(experiment: str) -> Spread:
    """What recorded models were like. KeyError: none were recorded."""
    found = EXPERIMENTS[experiment].spread
    if found is None:
        raise KeyError(f"no model was recorded in {experiment!r}, so that nobody knows what to expect")
    return found


def half_width(experiment: str, items: int, cut: float = 0.0) -> float:
    """Half of the 95% interval to expect of the skill in one experiment. `cut`: how far the level of a preset is off
    from draw to draw, a standard deviation, which is in that interval as well (`level_spread`).
    """
    spread = spread_of(experiment)
    return Z * math.hypot(spread.alone / math.sqrt(items) * (1 + spread.few / items), cut)


def detectable(experiment: str, items: int) -> float:
    """The difference in skill of two models on the same items that is found in 80% of runs, at the 5% level."""
    return (Z + POWER_80) * spread_of(experiment).paired / math.sqrt(items)


# a model that lists hardly any option, or answers every request, has next to none of the rarer outcome
DIFFERING = "two models that differ by"
ARE_TOLD = "are told apart in 4 of 5 runs"
EXPECT = "95% intervals of skill to expect, if behaviour varies as it did in ten recorded models:"


def outlook(items: Mapping[str, int], models: int, cuts: Mapping[tuple[str, str], float] | None = None) -> str:
    """What a run with so many items in each experiment can tell apart, and what it cannot tell with so many models.
    `cuts`: how far levels of its preset are off, by experiment (or overall) and metric; without it nothing.
    """
    known = {experiment: n for experiment, n in items.items() if EXPERIMENTS[experiment].spread}
    headline = {experiment: n for experiment, n in known.items() if experiment in PAPER.experiments}
    complete = len(headline) == len(PAPER.experiments)
    said = [
        _resolution(known, complete, cuts or {}) if known else None,
        _withheld(headline if complete else known, complete),
        _too_few_models(models),
    ]
    return "\n".join(line for line in said if line)


def _resolution(items: Mapping[str, int], complete: bool, cuts: Mapping[tuple[str, str], float]) -> str:
    width = {
        experiment: half_width(experiment, n, cuts.get((experiment, "skill"), 0.0)) for experiment, n in items.items()
    }
    widths = ", ".join(f"{experiment} {_either_side(half)}" for experiment, half in width.items())
    found = {experiment: detectable(experiment, n) for experiment, n in items.items()}
    headline = {experiment: items[experiment] for experiment in PAPER.experiments if complete}
    if not complete or _short(headline):
        return f"{EXPECT} {widths}; {_apart(found)}."
    sampled = math.hypot(*(half_width(experiment, n) for experiment, n in headline.items())) / len(PAPER.experiments)
    overall = math.hypot(sampled, Z * cuts.get(("overall", "skill"), 0.0))
    apart = f"{math.hypot(*(found[experiment] for experiment in headline)) / len(PAPER.experiments):.2f}"
    return f"{EXPECT} {widths}, overall {_either_side(overall)}; {DIFFERING} {apart} overall {ARE_TOLD}."


def _either_side(half: float) -> str:
    """Half the width of an interval of skill, which goes from -1 to 1."""
    return f"±{half:.2f}" if half < 1 else "the whole scale"


def _apart(found: Mapping[str, float]) -> str:
    """By how much two models must differ in each experiment to be told apart, where any difference is large enough."""
    told = [f"{difference:.2f} in {experiment}" for experiment, difference in found.items() if difference <= WIDEST]
    blind = [experiment for experiment, difference in found.items() if difference > WIDEST]
    by = " or ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)
    parts = [f"{DIFFERING} {by} {ARE_TOLD}"] if told else []
    if blind:
        parts.append(f"in {' and '.join(blind)} it cannot tell two models apart")
    return "; ".join(parts)


def _short(items: Mapping[str, int]) -> list[str]:
    """The experiments with so few items that nothing will be said of them, whatever the replies."""
    return [experiment for experiment, n in items.items() if n < LEAST_RARER_ITEMS]


def _withheld(items: Mapping[str, int], complete: bool) -> str | None:
    """Whether the overall scores will or may be withheld because there are too few items; where none are to come, in
    which experiments nothing can be said.
    """
    if short := _short(items):
        have = ", ".join(number_of(items[experiment], EXPERIMENTS[experiment].item_name) for experiment in short)
        of_each = " of each" if len(short) > 1 else ""
        what = "Overall scores will be withheld" if complete else f"Nothing will be said of {' and '.join(short)}"
        return f"{what}: {have}, and at least {LEAST_RARER_ITEMS}{of_each} are needed."
    rarer = {experiment: math.floor(spread_of(experiment).rarer_share * n) for experiment, n in items.items()}
    if few := [experiment for experiment, n in rarer.items() if n < LEAST_RARER_ITEMS]:
        have = ", ".join(f"of {number_of(items[e], EXPERIMENTS[e].item_name)} only {rarer[e]}" for e in few)
        takes = f"it takes {LEAST_RARER_ITEMS} items of the rarer outcome"
        what = "Overall scores may be withheld" if complete else f"Perhaps nothing can be said of {' and '.join(few)}"
        return f"{what}: {takes}, and {have} may have it."
    return None


def _too_few_models(models: int) -> str | None:
    if models >= LEAST_PANEL:
        return None
    takes = f"Showing that a model beats the baseline takes {LEAST_PANEL} models on the same items"
    at_all = f" ({LEAST_MODELS} for any margin at all)" if models < LEAST_MODELS else ""
    have = f"this run has {number_of(models, 'model')}: add some, or score it together with other models' runs"
    return f"{takes}{at_all}; {have}."
