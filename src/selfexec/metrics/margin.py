"""Baseline margin: a model's skill less that of the best baseline, which never saw it, on the same claims.

It is doubtful for two reasons, and its interval has both. There are only so many items. And there are only so many
reference models to tell what models in general do: with others the baseline would have said otherwise (its standard
error is that of the jackknife over them), and with more of them it would have done better: what the last of them added
is taken off the lower end. See docs/decisions/0010.
"""

import math
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from selfexec.claims import Claims, Flags
from selfexec.claims.arrays import READ
from selfexec.metrics.baselines import OF_OTHERS, again, baseline_records
from selfexec.metrics.kinds import Counted, Kind, kind_of, scorable, value
from selfexec.metrics.rows import LEAST_COVERAGE, Estimate
from selfexec.stats import Array, Interval, Z
from selfexec.text.numbers import number_of

NO_OTHERS = "it takes two other models on the same items to tell what models in general do (score their runs with it)"

MOST = 0.5  # of a model's items: on so many another one has been read on them


class ReferenceDoubt(NamedTuple):
    """What a baseline's skill owes to which reference models there are: its standard error, and what the last of them
    added.
    """

    error: float = 0.0
    shortfall: float = 0.0


NO_DOUBT = ReferenceDoubt()


@dataclass(frozen=True)
class Held:
    """A model's `own` record, beside it that of the `best` baseline, by name, and the margin between them: nan with a
    reason where nothing is known of others.
    """

    own: Counted
    baseline: str
    best: Counted
    margin: Estimate
    doubt: ReferenceDoubt = NO_DOUBT


def held_against(
    claims: Claims, others: Claims, chances: Mapping[str, Array], strict: bool, *, whole: bool = True
) -> Held:
    """A model's claims held against the best baseline; `others` are the claims of other models, outcome known, and
    `chances` what baselines say. Claims that fewer than two others share are left out, so that both are judged on the
    same ones. Not `whole`, the interval is that of the items alone, which takes a tenth of the time.
    """
    kind, which = kind_of(claims), scorable(claims, strict)
    reason, shared = _shared(claims, chances, which)
    kept = claims.where(shared)
    own = kind.count(kept, strict)
    baseline, best = best_of(kind, own, baseline_records(claims, chances, which & shared))
    if reason:
        return Held(own, baseline, best, Estimate(math.nan, reason=reason))
    found = kind.skill_difference(own, best)
    if not whole:
        return Held(own, baseline, best, found)
    doubt = _reference_doubt(kept, others, baseline, which[shared], value(kind.skill, best))
    return Held(own, baseline, best, doubted(found, doubt), doubt)


def peers(model: str, models: Iterable[str], simulated: Container[str]) -> set[str]:
    """The models that may be a model's reference: what simulated ones do says nothing of language models, nor the other
    way round.
    """
    return {other for other in models if other != model and (other in simulated) == (model in simulated)}


def panel_of(everyone: Claims, model: str, others: Iterable[str]) -> int:
    """How many of these models, itself included, were read on the model's items: on at least half of them. One that was
    read on a few says nothing of what models do with the rest.
    """
    read = np.zeros((len(everyone.models), len(everyone.items)), np.bool_)
    told = everyone.where(everyone.state == READ)
    read[told.model, told.item] = True
    asked = np.unique(everyone.of(model).item)
    chosen = np.isin(everyone.models, [model, *others])
    return int((read[chosen][:, asked].mean(1) >= MOST).sum()) if len(asked) else 0


def best_of(kind: Kind, model: Counted, records: Mapping[str, Counted]) -> tuple[str, Counted]:
    """The baseline with the greatest skill on the model's claims, and its record, of those that are there.

    Whoever says the same every time has skill 0, so that the best baseline's skill is never below it.
    """
    skills = {name: value(kind.skill, counted) for name, counted in records.items()}
    known = {name: skill for name, skill in skills.items() if not math.isnan(skill)}
    best = max(known, key=lambda name: known[name], default=None)
    if best is None or known[best] <= 0:
        return "always the same", kind.constant(model)
    return best, records[best]


def doubted(found: Estimate, doubt: ReferenceDoubt) -> Estimate:
    """A margin with the doubts that come from the reference models added to those that come from the items."""
    if math.isnan(found.value) or doubt == NO_DOUBT:
        return found
    spread = Z * doubt.error
    low = found.value - doubt.shortfall - math.hypot(found.value - found.interval.low, spread)
    high = found.value + math.hypot(found.interval.high - found.value, spread)
    error = math.hypot(found.error, doubt.error)
    return Estimate(found.value, Interval(low, high).within(-2, 2), error, found.reason, near_end=True)


def _shared(claims: Claims, chances: Mapping[str, Array], which: Flags) -> tuple[str | None, Flags]:
    """Why nothing is known of others, if so, and which claims at least two of them share."""
    everything = np.ones(len(claims), np.bool_)
    if "others_mode" not in chances:
        return NO_OTHERS, everything
    shared = ~np.isnan(chances["others_mode"])
    asked, met = (len(np.unique(claims.item[these])) for these in (which, which & shared))
    if met < LEAST_COVERAGE * asked:
        return f"only {met} of {number_of(asked, 'item was', 'items were')} asked of two other models", everything
    return None, shared


def _reference_doubt(claims: Claims, others: Claims, baseline: str, which: Flags, skill: float) -> ReferenceDoubt:
    """By leaving out one of the others at a time."""
    if baseline not in OF_OTHERS:
        return NO_DOUBT
    others = others.where(np.isin(others.item, claims.item))
    kind, scored, fewer = kind_of(claims), claims.where(which), []
    for left_out in np.unique(others.model):
        chance = again(baseline, claims, others.where(others.model != left_out))
        fewer.append(value(kind.skill, kind.foretold(scored, np.nan_to_num(chance[which], nan=0.5))))
    skills = np.array(fewer)
    k = len(skills)
    error = math.sqrt((k - 1) / k * float(((skills - skills.mean()) ** 2).sum()))
    return ReferenceDoubt(error, max(skill - float(skills.mean()), 0.0))
