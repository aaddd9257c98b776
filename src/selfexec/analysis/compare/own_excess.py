"""Own excess as something to compare models by: each model in the panel of its own reference models."""

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from selfexec.analysis.compare.candidates import Candidate, claims_together, reference_models
from selfexec.analysis.compare.measures import ComparedRecord, records_of
from selfexec.analysis.makers import families_elsewhere
from selfexec.analysis.own_excess import families_of
from selfexec.claims import Claims
from selfexec.experiments import SELF
from selfexec.metrics import OWN_JUDGE, Fit, OwnExcess, Record, claim_kind, compared_models, judge_own_excess

NOT_CROSSED = "what is predicted is each model's own, so that there is no own excess"


def own_records_of(
    experiment: str,
    chosen: Sequence[Candidate],
    everybody: Sequence[Candidate],
    convention: str,
    without: Collection[str] = (),
) -> list[ComparedRecord]:
    """The record of each chosen model. Models whose panel has the same members are judged in it together."""
    records = records_of("accuracy", experiment, chosen, everybody, convention, without)
    if not claim_kind(experiment).SHARED_CLAIMS:
        return [replace(r, reason=r.reason or f"{r.label}: {NOT_CROSSED}") for r in records]
    claims = claims_together(everybody, chosen, experiment)
    panels: dict[frozenset[str], OwnExcess] = {}
    found = []
    for candidate, record in zip(chosen, records, strict=True):
        members = [candidate, *reference_models(candidate, everybody, without)]
        key = frozenset(one.label for one in members)
        if key not in panels:
            panels[key] = _judged(claims, members)
        found.append(record if record.reason else _with_own_excess(record, panels[key], claims))
    return found


def _judged(claims: Claims, members: Sequence[Candidate]) -> OwnExcess:
    """A panel as `score` would judge it, if these were all the models that there are."""
    labels = [one.label for one in members]
    simulated = {one.name for one in members if one.name in one.run.simulated}
    known = families_of({one.name for one in members}, simulated, families_elsewhere(one.run for one in members))
    families = {one.label: known[one.name] for one in members}
    return judge_own_excess(compared_models(claims, labels, families))


def _with_own_excess(record: ComparedRecord, found: OwnExcess, claims: Claims) -> ComparedRecord:
    judged = found.for_model(record.label)
    if math.isnan(judged.estimate.value):
        return replace(record, reason=f"{record.label}: {judged.reason}")
    number = found.compared.models.index(record.label)
    return replace(
        record,
        counted=by_item(found.fits[0], number, claims),
        known=judged.estimate,
        compared_items=frozenset(found.compared.item.tolist()),
        caution=f"own excess: {OWN_JUDGE}" if claims.source == SELF else None,
    )


def by_item(fit: Fit, number: int, claims: Claims) -> Record:
    """A model's own excess as counts of items: the pseudo-value of each (Tukey 1958) over 1. The mean of these is the
    number, and its error as that of a ratio over items that of the verdict; that of the difference of two numbers of
    the same items is paired by item.
    """
    influence = fit.left.own_influence[:, number]
    pseudo = float(fit.each.value[number]) + len(influence) * influence
    items = tuple(claims.items[n] for n in np.unique(fit.evidence.compared.item))
    return Record(items, np.stack([pseudo, np.ones(len(pseudo))], axis=1))
