"""Own excess as something to compare models by: each model in the panel of its own reference models."""

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from selfexec.analysis.compare.candidates import Candidate, claims_together, reference_models
from selfexec.analysis.compare.measures import Record, records_of
from selfexec.analysis.makers import families_elsewhere
from selfexec.analysis.own import families_of
from selfexec.claims import Claims
from selfexec.experiments import SELF
from selfexec.metrics import BLOCKS, OWN_JUDGE, Counted, OwnExcess, kind_of, own_excess, panel_of_claims
from selfexec.stats import Array

NOT_CROSSED = "what is predicted is each model's own, so that there is no own excess"


def own_records_of(
    experiment: str,
    chosen: Sequence[Candidate],
    everybody: Sequence[Candidate],
    convention: str,
    without: Collection[str] = (),
) -> list[Record]:
    """The record of each chosen model. Models whose panel has the same members are judged in it together."""
    records = records_of("accuracy", experiment, chosen, everybody, convention, without)
    if not kind_of(experiment).CROSSED:
        return [replace(r, reason=r.reason or f"{r.label}: {NOT_CROSSED}") for r in records]
    claims = claims_together(everybody, chosen, experiment)
    panels: dict[frozenset[str], OwnExcess] = {}
    found = []
    for candidate, record in zip(chosen, records, strict=True):
        members = [candidate, *reference_models(candidate, everybody, without)]
        key = frozenset(one.label for one in members)
        if key not in panels:
            panels[key] = _judged(claims, members)
        found.append(record if record.reason else _with_own_excess(record, panels[key], claims.source == SELF))
    return found


def _judged(claims: Claims, members: Sequence[Candidate]) -> OwnExcess:
    """A panel as `score` would judge it, if these were all the models that there are."""
    labels = [one.label for one in members]
    simulated = {one.name for one in members if one.name in one.run.simulated}
    known = families_of({one.name for one in members}, simulated, families_elsewhere(one.run for one in members))
    families = {one.label: known[one.name] for one in members}
    return own_excess(panel_of_claims(claims, labels, families))


def _with_own_excess(record: Record, found: OwnExcess, by_itself: bool) -> Record:
    judged = found.for_model(record.label)
    if math.isnan(judged.estimate.value):
        return replace(record, reason=f"{record.label}: {judged.reason}")
    number = found.of.models.index(record.label)
    return replace(
        record,
        counted=by_block(found.fits[0].replicates[:, number]),
        known=judged.estimate,
        blocked=frozenset(found.of.item.tolist()),
        caution=f"own excess: {OWN_JUDGE}" if by_itself else None,
    )


def by_block(replicates: Array) -> Counted:
    """A number and its jackknife as counts of blocks: the pseudo-value of each (Tukey 1958), shifted so that their mean
    is the number, over 1. The error of that mean, as that of a ratio over blocks, is the jackknife's; that of the
    difference of two numbers of the same items is paired by block.
    """
    value, without = replicates[0], replicates[1:]
    pseudo = BLOCKS * value - (BLOCKS - 1) * without
    pseudo += value - pseudo.mean()
    return Counted(tuple(f"block {n:02}" for n in range(BLOCKS)), np.stack([pseudo, np.ones(BLOCKS)], axis=1))
