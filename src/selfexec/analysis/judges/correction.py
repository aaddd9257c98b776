"""Judges held against labels, and what they said put right for how often they err."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from selfexec.analysis.judges.agreement import Said
from selfexec.claims import Claims, Flags, Floats
from selfexec.claims.arrays import READ, UNREADABLE, Signs
from selfexec.experiments import SELF
from selfexec.metrics import METRICS, Cells, Estimate, kind_of
from selfexec.stats import NONE, Array, Interval, Labelled, corrected, normal, share_interval
from selfexec.stats.misclassification import FALSE_YES, HIT, MISS, RIGHT_NO
from selfexec.text.numbers import decimal

LEAST_LABELS = 20  # of each outcome
LEAST_INFORMEDNESS = 0.3
LEAST_SURE = 4  # standard errors of it: a quotient by what may as well be 0 has no interval
PREDICTED = 3  # ways: yes, no, and not to be read


@dataclass(frozen=True)
class AgainstLabels:
    """A source held against labels: `true` and `false` say how many labels of each outcome it judged; sensitivity is
    its share of yes among the first, specificity of no among the others.
    """

    experiment: str
    source: str
    true: int
    false: int
    sensitivity: float
    sensitivity_interval: Interval
    specificity: float
    specificity_interval: Interval


@dataclass(frozen=True)
class Correction:
    """What a source says of one model, and the same put right for how often that source errs: the share of claims that
    came true, and skill. `reason` says why the second is withheld.
    """

    experiment: str
    model: str
    source: str
    claims: int
    share: float
    share_corrected: Estimate
    skill: Estimate
    skill_corrected: Estimate
    reason: str | None


def against_labels(said: Said, source: str) -> AgainstLabels:
    labelled = _labelled(said, source)
    return AgainstLabels(
        said.claims.experiment,
        source,
        int(labelled.true),
        int(labelled.false),
        labelled.sensitivity,
        share_interval(labelled, HIT, MISS),
        labelled.specificity,
        share_interval(labelled, RIGHT_NO, FALSE_YES),
    )


def _labelled(said: Said, source: str) -> Labelled:
    """By item, over all models."""
    judged, label = said.column(source) * ~said.idle, said.label
    cells = [
        (label > 0) & (judged > 0),
        (label > 0) & (judged < 0),
        (label < 0) & (judged < 0),
        (label < 0) & (judged > 0),
    ]
    return Labelled(np.stack([said.claims.by_item(cell) for cell in cells], axis=1))


def corrections(said: Said, source: str, by_source: Claims, strict: bool = True) -> Iterator[Correction]:
    """Of each model. `by_source` are the claims as this source has their outcomes, in the rows of `said`."""
    labelled = _labelled(said, source)
    for number in range(len(by_source.models)):
        rows = by_source.model == number
        if rows.any():
            yield correction(by_source.where(rows), said.idle[rows], labelled, strict)


def correction(claims: Claims, idle: Flags, labelled: Labelled, strict: bool = True) -> Correction:
    """Of one model, from claims whose outcomes are by one source. `idle`: those of which nobody can be wrong."""
    kind, observed = kind_of(claims), claims.observed
    record = kind.count(claims, strict)
    counts = _by_prediction(claims, strict)
    judged, certain = counts * ~idle[:, None, None], counts * idle[:, None, None]
    raw = float(counts[..., 0].sum() / counts.sum()) if counts.any() else math.nan
    skill = kind.skill_estimate(record)
    reason = _why_not(claims.source, labelled) or skill.reason
    share_right = skill_right = Estimate(math.nan)
    if reason is None:
        by_item = _by_item(claims, judged), _by_item(claims, certain)
        found = corrected(_skill, *by_item, labelled)
        share = corrected(_share, *by_item, labelled)
        if found.true.min() < 0:
            reason = "of some prediction and outcome fewer than none would be left: the labels do not fit this model"
        else:
            skill_right = Estimate(found.value, _interval(found.value, found.error, -1, 1), found.error)
            share_right = Estimate(share.value, _interval(share.value, share.error, 0, 1), share.error)
    model = claims.models[claims.model[0]]
    known = int((observed != 0).sum())
    return Correction(claims.experiment, model, claims.source, known, raw, share_right, skill, skill_right, reason)


def _interval(value: float, error: float, least: float, most: float) -> Interval:
    return NONE if math.isnan(error) else normal(value, error).within(least, most)


def _by_prediction(claims: Claims, strict: bool) -> Floats:
    """Which claims were predicted how (yes, no, not to be read) and came out how (yes, no), shape (claims, 3, 2)."""
    unread = (claims.state == UNREADABLE) & strict
    read = claims.state == READ
    predicted = np.stack([read & (claims.predicted > 0), read & (claims.predicted < 0), unread], axis=1)
    outcome: Signs = claims.observed
    came = np.stack([outcome > 0, outcome < 0], axis=1)
    found: Floats = (predicted[:, :, None] & came[:, None, :]).astype(np.float64)
    return found


def _by_item(claims: Claims, cells: Floats) -> Array:
    flat = cells.reshape(len(cells), -1)
    return np.stack([claims.by_item(column) for column in flat.T], axis=1).reshape(-1, PREDICTED, 2)


def _skill(true: Any) -> Any:
    """Youden's J of true counts, as scores have it: an unread prediction is wrong on its side."""
    (tp, fp), (fn, tn), (unread_true, unread_false) = ((true[..., n, 0], true[..., n, 1]) for n in range(PREDICTED))
    return METRICS["youden_j"].formula(Cells(tp, fp, fn, tn, unread_true, unread_false, 0.0))


def _share(true: Any) -> Any:
    """Of all claims whose outcome is known, the share that came true."""
    return true[..., 0].sum(-1) / true.sum((-2, -1))


def _why_not(source: str, labelled: Labelled) -> str | None:
    """Why nothing is put right by this source; None where it is."""
    if source == SELF:
        return "each model judges itself: whether its errors go with its predictions nobody can tell"
    if min(labelled.true, labelled.false) < LEAST_LABELS:
        fewer = f"{int(labelled.true)} of what came true and {int(labelled.false)} of what did not"
        return f"it takes {LEAST_LABELS} labels of each outcome, and there are {fewer}"
    told = labelled.informedness
    error = math.sqrt(sum(labelled.variances))
    if told < max(LEAST_INFORMEDNESS, LEAST_SURE * error):
        return (
            f"sensitivity + specificity - 1 is {decimal(told, 2)}, with a standard error of {decimal(error, 2)}, and "
            f"must be {decimal(LEAST_INFORMEDNESS, 1)} at least, and {LEAST_SURE} standard errors"
        )
    return None
