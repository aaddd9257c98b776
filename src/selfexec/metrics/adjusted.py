"""Skill on a cut of the items, adjusted to all of them by other models that were asked all of them.

The regression estimator of survey sampling (Cochran 1977, chapter 7), with linearised skills.
"""

import math
from collections.abc import Sequence

import numpy as np

from selfexec.metrics.baseline_margin import LEAST_READ
from selfexec.metrics.baselines import LEAST_OTHERS
from selfexec.metrics.kinds import Kind, Record
from selfexec.metrics.rows import Estimate
from selfexec.stats import Array, Interval, influence, influence_error

ADJUSTED = "adjusted_skill"
TOO_FEW_IN_PANEL = f"fewer than {LEAST_OTHERS} models of the panel were read on these items"


def adjusted_skill(kind: Kind, record: Record, panel: Sequence[tuple[Record, float]]) -> Estimate:
    """Skill, plus a slope times how much more skill the panel has on all items than on those of the record.

    The slope is by least squares over items: what each adds to the model's skill, on what it adds to the panel's mean
    skill. What the panel explains is no doubt any more: the arms of the plain interval shrink as the standard error
    does, so that its rules near the ends hold. That the panel's skills on all items are estimates themselves is left
    out: they are of these very items.

    Args:
        kind: The kind of the claims.
        record: The model's own.
        panel: Of each model of the panel its record on the cut, and its skill on all items. One that was read on fewer
            than half of the record's items does not count.
    """
    skill = kind.skill_estimate(record)
    if math.isnan(skill.value):
        return skill
    covering = [
        (_skill_and_added(kind, other.on(record.items)), on_all)
        for other, on_all in panel
        if len({*other.items} & {*record.items}) >= LEAST_READ * len(record.items)
    ]
    known = [(on_cut, added, on_all) for (on_cut, added), on_all in covering if math.isfinite(on_cut)]
    if len(known) < LEAST_OTHERS:
        return Estimate(math.nan, reason=TOO_FEW_IN_PANEL)
    lead = float(np.mean([on_all - on_cut for on_cut, _, on_all in known]))
    of_panel = np.mean([added for _, added, _ in known], axis=0)
    _, of_model = _skill_and_added(kind, record.counts)
    squares = float(of_panel @ of_panel)
    slope = float(of_model @ of_panel) / squares if squares else 0.0
    plain, left = influence_error(of_model), influence_error(of_model - slope * of_panel)
    shrunk = left / plain if plain else 1.0
    value = min(max(skill.value + slope * lead, -1.0), 1.0)
    ends = Interval(*(value + shrunk * (end - skill.value) for end in skill.interval)).within(-1, 1)
    return Estimate(value, ends, left, interval_only=skill.interval_only)


def _skill_and_added(kind: Kind, counts: Array) -> tuple[float, Array]:
    """Skill, and what each item adds to it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(kind.skill(counts.sum(0))), influence(kind.skill, counts)
