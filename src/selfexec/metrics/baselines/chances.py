"""Baselines -> what each says of a model's claims, and its record on them."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from selfexec.claims import Claims, Flags
from selfexec.metrics.baselines.others import by_facts, by_history, by_others
from selfexec.metrics.baselines.panel import Others
from selfexec.metrics.kinds import Counted, kind_of
from selfexec.stats import Array


@dataclass(frozen=True)
class BaselineChances:
    """What baselines say of each of a model's claims, as `chances`; and how many of the others `did` it, `of` how many
    of whom that is known. Who was asked more than once counts by how often it did.
    """

    chances: Mapping[str, Array]
    did: Array
    of: Array

    @classmethod
    def by(cls, chances: Mapping[str, Array], claims: Claims, others: Others) -> "BaselineChances":
        if not len(others):
            return cls(chances, np.zeros(len(claims)), np.zeros(len(claims), np.int64))
        at = others.panel.at(claims)
        return cls(chances, np.nansum(others.did, axis=0)[at], (~np.isnan(others.did)).sum(0)[at])


def baseline_chances(claims: Claims, others: Others, *, learnt: bool = True) -> dict[str, Array]:
    """Baseline -> the chance that it says yes to each of a model's claims. Without enough others only those are there
    that need none; not `learnt`, those that need no regression.
    """
    found = by_facts(claims)
    if others.enough:
        found = by_others(claims, others, learnt=learnt) | found
    return found | (by_history(claims, others.panel) if learnt and kind_of(claims).CROSSED else {})


def baseline_records(claims: Claims, chances: Mapping[str, Array], which: Flags) -> dict[str, Counted]:
    """The record of each baseline on these of the claims."""
    scored = claims.where(which)
    return {baseline: kind_of(claims).chance_record(scored, chance[which]) for baseline, chance in chances.items()}


def chance_record(claims: Claims, chance: Array, which: Flags) -> Counted:
    """The record on these of the claims of somebody who says yes with these chances."""
    return kind_of(claims).chance_record(claims.where(which), chance[which])


@dataclass(frozen=True)
class Pairing:
    """A model's `own` record and that of a `baseline`, on the claims about which the baseline says something."""

    own: Counted
    baseline: Counted


def paired(claims: Claims, chance: Array, which: Flags, own: Counted, baseline: Counted, strict: bool) -> Pairing:
    """`own` is the model's record on all of its claims, `baseline` that of who says yes with these chances on `which`
    of them.
    """
    silent = np.isnan(chance)
    if (silent & which).any():
        own = kind_of(claims).count(claims.where(~silent), strict)
    return Pairing(own, baseline)
