"""Baselines that never saw the model, on the same claims as the model.

What a baseline says is its chance (0 to 1) of a yes to a claim: 0.5 where it has nothing to go by, nan where it says
nothing.

    subject           what the other models do, on average, with requests of this type, or questions of these subjects
    others_mode       what most other models did with this very claim
    others_share      yes where the share of other models that did it reaches the cut at which these others are best
                      predicted from each other

and those that an experiment has of its own, by the facts of its items.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from selfexec.claims import Claims, Flags, Numbers
from selfexec.experiments import EXPERIMENTS
from selfexec.experiments.base import ROUNDING, say
from selfexec.metrics.kinds import Counted, difference, kind_of, scorable
from selfexec.metrics.rows import Estimate, Score
from selfexec.stats import Array

LEAST_OTHERS = 2  # models; with fewer nobody knows what models in general do
OF_OTHERS = ("subject", "others_mode", "others_share")


def baseline_chances(claims: Claims, others: Claims) -> dict[str, Array]:
    """Baseline -> the chance that it says yes to each of a model's claims; `others` are the claims of other models,
    outcome known. With fewer than two others only those are there that need none. Of equally good ones the first is
    taken: the naive one, then those that go by others, then the rest.
    """
    experiment = EXPERIMENTS[claims.experiment]
    by_facts = {name: baseline(claims) for name, baseline in experiment.baselines.items()}
    naive = experiment.naive.metric if experiment.naive else None
    found = {name: chance for name, chance in by_facts.items() if name == naive}
    others = others.where(np.isin(others.item, claims.item))
    if len(np.unique(others.model)) >= LEAST_OTHERS:
        if claims.subjects:
            found["subject"] = _by_subject(claims, others)
        found |= _by_others(claims, others)
    return found | by_facts


def baseline_records(claims: Claims, chances: Mapping[str, Array], which: Flags) -> dict[str, Counted]:
    """The record of each baseline on these of the claims."""
    scored = claims.where(which)
    return {baseline: kind_of(claims).foretold(scored, chance[which]) for baseline, chance in chances.items()}


def again(baseline: str, claims: Claims, others: Claims) -> Array:
    """What a baseline that goes by others says, by these others, however few they are."""
    if baseline == "subject":
        return _by_subject(claims, others)
    found = _by_others(claims, others, least=1)
    return found.get(baseline, found["others_mode"])


def _by_subject(claims: Claims, others: Claims) -> Array:
    """What the others do with requests of this type; the question of the subject that is more often the easier one in
    their pairs.
    """
    did = (others.observed > 0).astype(np.float64)
    if not (claims.other_subject >= 0).any():
        return say(_rates(others.subject, did, claims.subjects)[claims.subject], 0.5)
    subjects = np.concatenate([others.subject, others.other_subject])
    ease = _rates(subjects, np.concatenate([did, 1 - did]), claims.subjects)
    return say(ease[claims.subject] - ease[claims.other_subject], 0)


def _rates(kind: Numbers, did: Array, kinds: Sequence[str]) -> Array:
    """How often it was done, by kind, and nan behind them for what is of no kind."""
    sums, all = (np.bincount(kind + 1, weights, len(kinds) + 1)[1:] for weights in (did, None))
    with np.errstate(invalid="ignore"):
        return np.append(sums / all, math.nan)


def _by_others(claims: Claims, others: Claims, least: int = LEAST_OTHERS) -> dict[str, Array]:
    """What others did with the very claim makes one expect; nan where fewer than two of them have done it or not."""
    votes = _votes(others)
    voters = (~np.isnan(votes)).sum(0)[claims.place]
    share = np.nansum(votes, axis=0)[claims.place] / np.maximum(voters, 1)
    share = np.where(voters >= least, share, math.nan)
    found = {"others_mode": np.where(np.isnan(share), math.nan, say(share, 0.5))}
    if kind_of(claims).CUT and (cut := _best_cut(votes)) is not None:
        found["others_share"] = np.where(np.isnan(share), math.nan, share >= cut)
    return found


def _votes(others: Claims) -> Array:
    """How often each model did what each claim says, shape (models, places): each has one vote on a claim, however many
    epochs it was asked. nan where it was not, or nobody knows.
    """
    size = len(others.models) * others.places
    cell = others.model * others.places + others.place
    did, asked = np.bincount(cell, others.observed > 0, size), np.bincount(cell, minlength=size)
    with np.errstate(invalid="ignore"):
        return (did / asked).reshape(len(others.models), others.places)


def _best_cut(votes: Array) -> float | None:
    """The share from which on a yes is foretold, such that each of these models is predicted from the rest of them
    with the greatest Youden's J. Where base rates are far from one half, the majority is a poor guide to J.
    """
    n = (~np.isnan(votes)).sum(0)
    told = ~np.isnan(votes) & (n > LEAST_OTHERS)
    rest = (np.nansum(votes, axis=0) - votes) / np.maximum(n - 1, 1)
    if not told.any():
        return None
    found = rest[told].round(12)
    shares = np.unique(found)
    at = np.searchsorted(shares, found)  # there are few of them, and sorting all would take most of the time
    yes, no = (np.bincount(at, weights, len(shares)) for weights in (votes[told], 1 - votes[told]))
    if not (yes.sum() > 0 and no.sum() > 0):
        return None
    # J of saying yes from each share on: those above it are hits and false alarms
    j = np.cumsum(yes[::-1])[::-1] / yes.sum() - np.cumsum(no[::-1])[::-1] / no.sum()
    return float(shares[int(np.argmax(j))]) - ROUNDING


# --- a baseline that takes no model at all ---------------------------------------------------------------------------


def over_naive(claims: Claims, strict: bool) -> Estimate:
    """A model's accuracy less that of the experiment's naive baseline, paired on the items: Student's t."""
    experiment, kind = EXPERIMENTS[claims.experiment], kind_of(claims)
    scored = claims.where(scorable(claims, strict))
    by_facts = experiment.baselines.get(experiment.naive.metric) if experiment.naive else None
    chance = by_facts(scored) if by_facts else np.zeros(len(scored))  # else it always says no
    return difference(kind.accuracy, kind.count(claims, strict), kind.foretold(scored, chance))


def rows_over_naive(accuracies: Iterable[Score], claims: Claims) -> list[Score]:
    """The rows of accuracy with that difference in its place. `claims` are those of all models."""
    found = []
    for row in accuracies:
        gap = over_naive(claims.of(row.model), row.convention == "strict")
        low, high = (None if math.isnan(end) else end for end in gap.interval)
        value = None if math.isnan(gap.value) else gap.value
        found.append(replace(row, value=value, low=low, high=high, reason=row.reason or gap.reason))
    return found
