"""What a run can tell apart, before it is paid for.

The spreads are those of ten recorded models (the paper's items, authors' readings, convention readable): the median
over models of the standard error times the root of the number of items, and the same for paired differences of two
models.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

from selfexec import stats
from selfexec.stats.intervals import Z


class Spread(NamedTuple):
    """Standard deviations by item: of one model's skill, and of the difference of two models' skill."""

    alone: float
    paired: float


SKILL_SPREADS: Mapping[str, Spread] = {
    "association": Spread(0.29, 0.35),
    "restriction": Spread(0.66, 0.85),
    "difficulty": Spread(0.45, 0.62),
}


def half_width(experiment: str, items: int) -> float:
    """Half of the 95% interval to expect of the skill in one experiment."""
    return Z * SKILL_SPREADS[experiment].alone / math.sqrt(items)


def detectable(experiment: str, items: int) -> float:
    """The difference in skill of two models on the same items that is found in 80% of runs, at the 5% level."""
    return stats.detectable(SKILL_SPREADS[experiment].paired / math.sqrt(items), math.inf)


def outlook(items: Mapping[str, int]) -> str:
    """One sentence on what a run with so many items in each experiment can tell apart."""
    widths = ", ".join(f"{experiment} ±{half_width(experiment, n):.2f}" for experiment, n in items.items())
    found = {experiment: detectable(experiment, n) for experiment, n in items.items()}
    if set(items) != set(SKILL_SPREADS):
        apart = ", ".join(f"{experiment} {difference:.2f}" for experiment, difference in found.items())
        return f"To expect: skill within {widths}; two models told apart from a difference of {apart}."
    overall = math.hypot(*(half_width(experiment, n) for experiment, n in items.items())) / 3
    apart = f"{math.hypot(*found.values()) / 3:.2f}"
    return f"To expect: skill within {widths}, overall ±{overall:.2f}; two models told apart from {apart} overall."
