"""Judges held against labels, and what they said put right for how often they err."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from selfexec.analysis.judges.agreement import JudgedClaims
from selfexec.claims import Claims, Flags, Floats
from selfexec.claims.arrays import READ, UNREADABLE, Signs
from selfexec.experiments import SELF
from selfexec.metrics import METRICS, Cells, Estimate, claim_kind
from selfexec.stats import Array, Interval, Labelled, corrected, share_interval
from selfexec.stats.equal_rates import equal_rates_p
from selfexec.stats.intervals import Z
from selfexec.stats.misclassification import FALSE_YES, HIT, MISS, RIGHT_NO
from selfexec.stats.misclassification_likelihood import (
    LEVEL,
    JudgedTable,
    NotConverged,
    fit,
    misfit,
    profile_intervals,
)
from selfexec.text.numbers import decimal, p_value

LEAST_LABELS = 20  # of each outcome
LEAST_INFORMEDNESS = 0.3
LEAST_SURE = 4  # standard errors of it: a quotient by what may as well be 0 has no interval
PERMUTATIONS = 2000  # of models among labels
PREDICTED = 3  # ways: yes, no, and not to be read


@dataclass(frozen=True)
class AgainstLabels:
    """A source held against labels: `true` and `false` say how many labels of each outcome it judged; sensitivity is
    its share of yes among the first, specificity of no among the others. `equal_models_p` is the p-value of the
    hypothesis that both are the same with each model's replies; nan where the labels are of one model.
    """

    experiment: str
    source: str
    true: int
    false: int
    sensitivity: float
    sensitivity_interval: Interval
    specificity: float
    specificity_interval: Interval
    equal_models_p: float = math.nan


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


def against_labels(said: JudgedClaims, source: str) -> AgainstLabels:
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
        _equal_models_p(said, source),
    )


def _equal_models_p(said: JudgedClaims, source: str) -> float:
    cells = _label_cells(said, source)
    rows = cells.sum(1) > 0
    if not rows.any():
        return math.nan
    cells = cells[rows]
    return equal_rates_p(
        said.claims.model[rows].astype(np.int64),
        (cells[:, HIT] + cells[:, MISS]).astype(np.int64),
        cells[:, HIT] + cells[:, RIGHT_NO],
        draws=PERMUTATIONS,
        rng=np.random.default_rng(0),
    )


def _labelled(said: JudgedClaims, source: str) -> Labelled:
    """By item, over all models."""
    cells = _label_cells(said, source)
    return Labelled(np.stack([said.claims.by_item(cell) for cell in cells.T], axis=1))


def _label_cells(said: JudgedClaims, source: str) -> Floats:
    """Whether each claim is a hit, a miss, a right no or a false yes of a source: shape (claims, 4)."""
    judged, label = said.column(source) * ~said.idle, said.label
    cells = [
        (label > 0) & (judged > 0),
        (label > 0) & (judged < 0),
        (label < 0) & (judged < 0),
        (label < 0) & (judged > 0),
    ]
    return np.stack(cells, axis=1).astype(np.float64)


def corrections(said: JudgedClaims, source: str, by_source: Claims, strict: bool = True) -> Iterator[Correction]:
    """Of each model. `by_source` are the claims as this source has their outcomes, in the rows of `said`."""
    by_item, by_claim = _labelled(said, source), _label_cells(said, source)
    judged = said.column(source) * ~said.idle
    for number in range(len(by_source.models)):
        rows = by_source.model == number
        if rows.any():
            in_order = np.concatenate([by_claim[rows], by_claim[~rows]])
            own = np.where(judged[rows] != 0, said.label[rows], 0)
            labels = _Labels(own, by_item, Labelled(in_order))
            yield correction(by_source.where(rows), said.idle[rows], labels, strict)


@dataclass(frozen=True)
class _Labels:
    """What labels say of the claims of one model, and of the source.

    Attributes:
        own: +1, -1 or 0 for each claim of the model.
        by_item: All labels of the source, for whichever model, by item.
        by_claim: The same by claim, those of the model first, in the order of its claims.
    """

    own: Signs
    by_item: Labelled
    by_claim: Labelled


def correction(claims: Claims, idle: Flags, labels: _Labels, strict: bool = True) -> Correction:
    """Of one model, from claims whose outcomes are by one source. `idle`: those that nobody had to judge."""
    kind, observed = claim_kind(claims), claims.observed
    record = kind.count(claims, strict)
    counts = _by_prediction(claims, strict)
    raw = float(counts[..., 0].sum() / counts.sum()) if counts.any() else math.nan
    skill = kind.skill_estimate(record)
    reason = _why_not(claims.source, labels.by_item) or skill.reason
    share_right = skill_right = Estimate(math.nan)
    if reason is None:
        judged, certain = counts * ~idle[:, None, None], counts * idle[:, None, None]
        table = _table(judged, certain, labels)
        design_effect = _design_effect(claims, judged, certain, labels)
        try:
            reason = _misfit(table, design_effect)
            if reason is None:
                share_right, skill_right = _estimates(table, design_effect)
        except NotConverged as fault:
            reason = str(fault)
    model = claims.models[claims.model[0]]
    known = int((observed != 0).sum())
    return Correction(claims.experiment, model, claims.source, known, raw, share_right, skill, skill_right, reason)


def _misfit(table: JudgedTable, design_effect: float) -> str | None:
    p = misfit(table, design_effect)
    if p >= LEVEL:
        return None
    return (
        "the labels do not fit this model: with the sensitivity and specificity that they give, of some prediction and "
        f"outcome fewer than none would be left (likelihood-ratio test, level {decimal(LEVEL, 2)}: p {p_value(p)})"
    )


def _table(judged: Floats, certain: Floats, labels: _Labels) -> JudgedTable:
    """The claims of a model by prediction, label and verdict, and the labels of all others."""
    by_label = np.stack([labels.own > 0, labels.own < 0], axis=1)
    labelled = np.einsum("cpv,ct->ptv", judged, by_label)
    hit, miss, right_no, false_yes = labels.by_item.counts.sum(0)
    every = np.array([[hit, miss], [false_yes, right_no]])
    unlabelled = (judged * (labels.own == 0)[:, None, None]).sum(0)
    return JudgedTable(unlabelled, labelled, certain.sum(0), every - labelled.sum(0))


def _design_effect(claims: Claims, judged: Floats, certain: Floats, labels: _Labels) -> float:
    """How many times larger the variance of the corrected skill is for claims and labels that go together by item than
    for independent ones, by the delta method, and 1 at least.
    """
    clustered = corrected(_skill, _by_item(claims, judged), _by_item(claims, certain), labels.by_item).error
    further = ((0, len(labels.by_claim.counts) - len(judged)), (0, 0), (0, 0))
    apart = corrected(_skill, np.pad(judged, further), np.pad(certain, further), labels.by_claim).error
    ratio = (clustered / apart) ** 2 if apart > 0 else math.nan
    return max(1.0, ratio) if math.isfinite(ratio) else 1.0


def _estimates(table: JudgedTable, design_effect: float) -> tuple[Estimate, Estimate]:
    """Share and skill with their profile-likelihood intervals; the error is that of a normal interval as wide."""
    best = fit(table)
    intervals = profile_intervals(table, best, design_effect)
    share, skill = (
        Estimate(float(value), interval, (interval.high - interval.low) / (2 * Z))
        for value, interval in zip(best.statistics[0], intervals, strict=True)
    )
    return share, skill


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
