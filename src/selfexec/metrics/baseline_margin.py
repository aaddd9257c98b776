"""Baseline margin: a model's skill less that of one baseline of fixed design, which never saw it, on the same claims.

The stacked baseline combines what the questions say, what other models did and what they predicted
(`baselines.stacked`). It is fitted without this model's outcomes, so that margins on few items and on many are
comparable. These outcomes decide one thing: where its skill on this model is not above 0, the constant baseline stands
in its place, which gives the same answer every time and has skill 0; at the model's own rate as well.

A margin is uncertain for two reasons, and its interval includes both: items are a sample, and so are the reference
models (`reference_doubt`). See docs/decisions/0010 and 0029.

For yes-or-no claims this margin (`baseline_margin`) mixes two questions: how often the model behaves so, and when.
`margin_at_own_rate`, which the first screen shows, has the part that is about when.
"""

import math
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from selfexec.claims import Claims, Flags, occurring
from selfexec.metrics.baselines import (
    CONSTANT,
    GROUPS,
    STACKED,
    Others,
    VoteTables,
    baseline_probabilities,
    baseline_records,
    predictor_record_on,
    stacked,
)
from selfexec.metrics.baselines.groups import APART
from selfexec.metrics.kinds import Kind, Record, claim_kind, scorable, value
from selfexec.metrics.margin_at_own_rate import MarginAtOwnRate, margin_at_own_rate
from selfexec.metrics.reference_doubt import NO_DOUBT, ReferenceDoubt, doubted, reference_doubt
from selfexec.metrics.rows import LEAST_COVERAGE, ONE_ITEM, Estimate
from selfexec.stats import Array
from selfexec.text.numbers import number_of

LEAST_READ = 0.5  # share of a model's items: another model counts as read on them if it was read on so many
SPLIT = 1 / 3  # the predictions of others are split where at least this share is on either side
WHERE_SPLIT = ("skill_where_split", "margin_where_split")


@dataclass(frozen=True)
class BaselineComparison:
    """A model compared with the baseline that its margin is over.

    Attributes:
        own: The model's record.
        baseline: The name of the baseline.
        baseline_record: The record of the baseline, on the same claims.
        margin: The model's skill less that of the baseline.
        doubt: How the baseline's skill depends on the choice of reference models; the margin's interval includes it.
        stacked_predictions: What the stacked baseline predicts of each of the model's claims, nan where nothing; also
            where the constant baseline stands in its place.
        margin_at_own_rate: The comparison at the model's yes rate, for yes-or-no claims.
        why_no_baseline: Why there is no baseline to compare with, where too little is known of others. Then
            `baseline_record` is the record of always giving the same answer, and the margin is nan with that reason.
    """

    own: Record
    baseline: str
    baseline_record: Record
    margin: Estimate
    doubt: ReferenceDoubt = NO_DOUBT
    stacked_predictions: Array | None = None
    margin_at_own_rate: MarginAtOwnRate | None = None
    why_no_baseline: str | None = None


def peers(model: str, models: Iterable[str], *sorts: Container[str]) -> set[str]:
    """The models that may be a model's reference: what simulated ones do says nothing of language models, what people
    do nothing of either, nor the other way round. `sorts` has the models of each such sort.
    """
    return {other for other in models if other != model and all((other in sort) == (model in sort) for sort in sorts)}


def models_read(tables: VoteTables, model: str, others: Iterable[str]) -> int:
    """How many of these models, itself included, were read on at least half of the model's items."""
    everyone = tables.everyone
    number = everyone.models.index(model) if model in everyone.models else -1
    asked = occurring(everyone.item[everyone.model == number])
    chosen = everyone.among([model, *others])
    return int((tables.read[chosen][:, asked].mean(1) >= LEAST_READ).sum()) if len(asked) else 0


def compare_with_baseline(claims: Claims, others: Others, strict: bool) -> BaselineComparison:
    """A model's claims compared with the stacked baseline, or with the constant one where that does as well, on the
    claims that at least three others share (`Others.enough_for`).

    Args:
        claims: The model's own.
        others: The reference models.
        strict: Whether what could not be read counts as wrong.
    """
    kind, scored = claim_kind(claims), scorable(claims, strict)
    if reason := _too_few(claims, others, scored):
        return without_baseline(kind, kind.count(claims, strict), reason)
    shared = others.enough_for(claims)
    own, compared = kind.count(claims.where(shared), strict), shared & scored
    if not kind.SHARED_CLAIMS:
        records = baseline_records(claims, baseline_probabilities(claims, others), compared)
        baseline, record = best_of(kind, own, records)
        return BaselineComparison(own, baseline, record, kind.skill_difference(own, record))
    fitted = stacked(others)
    logits = fitted.logits(claims)
    predictions = fitted.predictions(logits)
    record = predictor_record_on(claims, predictions, compared)
    if not value(kind.skill, record) > 0:  # the constant baseline does as well
        record = kind.constant(own)
        at_own_rate = (
            margin_at_own_rate(claims, compared, own, np.zeros(len(claims)), None) if kind.FREE_THRESHOLD else None
        )
        return BaselineComparison(
            own,
            CONSTANT,
            record,
            kind.skill_difference(own, record),
            stacked_predictions=predictions,
            margin_at_own_rate=at_own_rate,
        )
    doubt = reference_doubt(claims, compared, fitted.without_one(claims), value(kind.skill, record))
    at_own_rate = margin_at_own_rate(claims, compared, own, logits, fitted) if kind.FREE_THRESHOLD else None
    margin = doubted(kind.skill_difference(own, record), doubt)
    return BaselineComparison(own, STACKED, record, margin, doubt, predictions, at_own_rate)


def _too_few(claims: Claims, others: Others, mask: Flags) -> str | None:
    """Why too little is known of others, None where enough is: where the behaviour of at least three of them is known
    on nine tenths of the items of the `mask` claims, and on more than one.
    """
    if lacking := others.lacking:
        return lacking
    asked, met = (len(occurring(claims.item[these])) for these in (mask, mask & others.enough_for(claims)))
    if met < LEAST_COVERAGE * asked:
        return f"only {met} of {number_of(asked, 'item was', 'items were')} asked of three other models"
    return ONE_ITEM if met == 1 else None


def without_baseline(kind: Kind, own: Record, reason: str) -> BaselineComparison:
    """A record that is compared with no other model, for this reason."""
    return BaselineComparison(
        own, CONSTANT, kind.constant(own), Estimate(math.nan, reason=reason), why_no_baseline=reason
    )


def best_of(kind: Kind, model: Record, records: Mapping[str, Record]) -> tuple[str, Record]:
    """The name and the record of the best single baseline, for kinds without a stacked one: the baseline with the
    greatest skill on the model's claims, among those that know neither the model nor its family. Always giving the same
    answer has skill 0, so that the best skill is never below 0.
    """
    skills = {name: value(kind.skill, counted) for name, counted in records.items() if GROUPS.get(name) not in APART}
    known = {name: skill for name, skill in skills.items() if not math.isnan(skill)}
    best = max(known, key=lambda name: known[name], default=None)
    if best is None or known[best] <= 0:
        return CONSTANT, kind.constant(model)
    return best, records[best]


def where_predictions_split(
    claims: Claims, others: Others, comparison: BaselineComparison, strict: bool
) -> Mapping[str, Estimate]:
    """Skill, and margin over the stacked baseline, on the claims about which the predictions of others are split."""
    if comparison.stacked_predictions is None:
        return dict.fromkeys(WHERE_SPLIT, Estimate(math.nan, reason=comparison.margin.reason))
    kind, mask = claim_kind(claims), scorable(claims, strict)
    words = others.votes.share_predicted[others.table.columns_of(claims)]
    split = np.minimum(words, 1 - words) >= SPLIT
    own = kind.count(claims.where(split), strict)
    if len(own.items) < 2:
        alike = "other models say the same of all items but one, or of all"
        return dict.fromkeys(WHERE_SPLIT, Estimate(math.nan, reason=alike))
    shared = split & ~np.isnan(comparison.stacked_predictions)
    record = predictor_record_on(claims, comparison.stacked_predictions, mask & shared)
    margin = kind.skill_difference(kind.count(claims.where(shared), strict), record)
    return dict(zip(WHERE_SPLIT, (kind.skill_estimate(own), margin), strict=True))
