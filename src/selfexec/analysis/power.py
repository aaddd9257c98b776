"""What a run can tell apart, before it is paid for.

The spreads are those of ten recorded models (the paper's items, authors' readings, convention readable): the median
over models of the standard error times the root of the number of items, and the same for paired differences of two
models. Of the share of items that have the rarer outcome it is the least of these models'. How much wider intervals of
one model are where items are few was seen in the quick presets of these models, by the median half-widths of .104
(association), .140 (restriction) and .119 (difficulty), and in all items (.026, .062, .058).
"""

import math
from collections.abc import Mapping

from selfexec.experiments import EXPERIMENTS, PAPER_HEADLINE
from selfexec.experiments.base import Spread
from selfexec.metrics import LEAST_FOR_VERDICT, LEAST_RARER_ITEMS
from selfexec.stats import POWER_80, Z
from selfexec.text.numbers import decimal, joined, number_of

WIDEST = 1.0  # of differences between two models that a reader thinks in: from chance to perfect
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
DIFFERENCE = "a true difference between two models of"
FOUND = "would be found in 4 of 5 runs"
EXPECT = "Expected 95% intervals of skill, if behaviour varies as in ten recorded models:"


def outlook(items: Mapping[str, int], models: int, cuts: Mapping[tuple[str, str], float] | None = None) -> str:
    """What a run with so many items in each experiment can tell apart, and what it cannot tell with so many models.
    `cuts`: how far levels of its preset are off, by experiment (or overall) and metric; without it nothing.
    """
    known = {experiment: n for experiment, n in items.items() if EXPERIMENTS[experiment].spread}
    headline = {experiment: n for experiment, n in known.items() if experiment in PAPER_HEADLINE.experiments}
    complete = len(headline) == len(PAPER_HEADLINE.experiments)
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
    widths = _widths(width)
    found = {experiment: detectable(experiment, n) for experiment, n in items.items()}
    headline = {experiment: items[experiment] for experiment in PAPER_HEADLINE.experiments if complete}
    if not complete or _short(headline):
        return f"{EXPECT} {widths}; {_apart(found)}."
    sampled = math.hypot(*(half_width(experiment, n) for experiment, n in headline.items())) / len(headline)
    overall = math.hypot(sampled, Z * cuts.get(("overall", "skill"), 0.0))
    apart = decimal(math.hypot(*(found[experiment] for experiment in headline)) / len(headline), 2)
    return f"{EXPECT} {_widths({**width, 'overall': overall})}; {DIFFERENCE} {apart} overall {FOUND}."


def _widths(halves: Mapping[str, float]) -> str:
    """association ±.11, restriction ±.15; the whole scale in difficulty. Half the width of an interval of skill, which
    goes from -1 to 1.
    """
    wide = [experiment for experiment, half in halves.items() if half >= 1]
    parts = [", ".join(f"{experiment} ±{decimal(half, 2)}" for experiment, half in halves.items() if half < 1)]
    parts += [f"the whole scale from -1 to 1 in {joined(wide)}"] if wide else []
    return "; ".join(filter(None, parts))


def _apart(found: Mapping[str, float]) -> str:
    """By how much two models must differ in each experiment to be told apart, where any difference is large enough."""
    told = [
        f"{decimal(difference, 2)} in {experiment}" for experiment, difference in found.items() if difference <= WIDEST
    ]
    blind = [experiment for experiment, difference in found.items() if difference > WIDEST]
    by = " or ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)
    parts = [f"{DIFFERENCE} {by} {FOUND}"] if told else []
    if blind:
        parts.append(f"in {joined(blind)} no difference up to {WIDEST:g} would be found as often")
    return "; ".join(parts)


def _short(items: Mapping[str, int]) -> list[str]:
    """The experiments with so few items that nothing will be said of them, whatever the replies."""
    return [experiment for experiment, n in items.items() if n < LEAST_RARER_ITEMS]


def _withheld(items: Mapping[str, int], complete: bool) -> str | None:
    """Whether the overall scores will or may be withheld because there are too few items; where none are to come, in
    which experiments nothing can be said.
    """
    if short := _short(items):
        have = joined([number_of(items[experiment], EXPERIMENTS[experiment].item_name) for experiment in short])
        of_each = " of each" if len(short) > 1 else ""
        what = "Overall scores will be withheld" if complete else f"No verdict will be given for {joined(short)}"
        return f"{what}: the run has only {have}, and at least {LEAST_RARER_ITEMS}{of_each} are needed."
    rarer = {experiment: math.floor(spread_of(experiment).rarer_share * n) for experiment, n in items.items()}
    if few := [experiment for experiment, n in rarer.items() if n < LEAST_RARER_ITEMS]:
        have = joined([f"{rarer[e]} of {number_of(items[e], EXPERIMENTS[e].item_name)}" for e in few])
        needed = f"{LEAST_RARER_ITEMS} items with the rarer outcome are needed"
        what = "Overall scores may be withheld" if complete else f"There may be no verdict for {joined(few)}"
        return f"{what}: {needed}, and perhaps only {have} have it."
    return None


def _too_few_models(models: int) -> str | None:
    if models >= LEAST_FOR_VERDICT:
        return None
    needed = f"To show that a model beats the baseline, {LEAST_FOR_VERDICT} models on the same items are needed"
    at_all = f" ({LEAST_MODELS} to compute a margin)" if models < LEAST_MODELS else ""
    have = f"this run has {models}. Add models, or score it together with other models' runs"
    return f"{needed}{at_all}; {have}."
