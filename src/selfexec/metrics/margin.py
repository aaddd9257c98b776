"""Baseline margin: a model's skill less that of one baseline of fixed design, which never saw it, on the same claims.

The stacked baseline puts together what the questions tell, what other models do and what they predict
(`baselines.stacked`). Nothing of it is chosen by how well it does on this model, so that a margin of few items can be
compared with one of many.

It is doubtful for two reasons, and its interval has both: there are only so many items, and only so many reference
models (`reference_doubt`). See docs/decisions/0010 and 0029.

Of claims of yes and no the margin mixes how often with which ones; `own_rate` has the part that is about which ones.
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
    Panels,
    baseline_records,
    chance_record,
    stacked,
)
from selfexec.metrics.baselines.groups import APART
from selfexec.metrics.kinds import Counted, Kind, kind_of, scorable, value
from selfexec.metrics.own_rate import AtOwnRate, at_own_rate
from selfexec.metrics.reference_doubt import NO_DOUBT, ReferenceDoubt, doubted, reference_doubt
from selfexec.metrics.rows import LEAST_COVERAGE, Estimate
from selfexec.stats import Array
from selfexec.text.numbers import number_of

NO_OTHERS = "it takes three other models on the same items to tell what models in general do (score their runs with it)"

LEAST_READ = 0.5  # of a model's items: on so many another one has been read, or it says nothing of them
SPLIT = 1 / 3  # of the others' words at least are on either side where they are split
WHERE_SPLIT = ("skill_where_split", "margin_where_split")


@dataclass(frozen=True)
class Held:
    """A model held against the best baseline.

    Attributes:
        own: The model's record.
        baseline: The name of the baseline.
        best: The record of the baseline, on the same claims.
        margin: The skill of the one less that of the other.
        doubt: What the baseline's skill owes to which reference models there are; it is in the margin's interval.
        chance: What the stacked baseline says of each of the model's claims, nan where it says nothing.
        at_own_rate: The margin at the model's rate of yes, for claims of yes and no.
        alone: Why there is no stacked baseline, where nothing is known of others; then `best` says the same every time,
            and the margin is nan with that reason.
    """

    own: Counted
    baseline: str
    best: Counted
    margin: Estimate
    doubt: ReferenceDoubt = NO_DOUBT
    chance: Array | None = None
    at_own_rate: AtOwnRate | None = None
    alone: str | None = None


def peers(model: str, models: Iterable[str], *kinds: Container[str]) -> set[str]:
    """The models that may be a model's reference: what simulated ones do says nothing of language models, what people
    do nothing of either, nor the other way round. `kinds` has those of each.
    """
    return {other for other in models if other != model and all((other in kind) == (model in kind) for kind in kinds)}


def models_read(panels: Panels, model: str, others: Iterable[str]) -> int:
    """How many of these models, itself included, were read on the model's items: on at least half of them. One that was
    read on a few says nothing of what models do with the rest.
    """
    everyone = panels.everyone
    number = everyone.models.index(model) if model in everyone.models else -1
    asked = occurring(everyone.item[everyone.model == number])
    chosen = everyone.among([model, *others])
    return int((panels.read[chosen][:, asked].mean(1) >= LEAST_READ).sum()) if len(asked) else 0


def held_against(claims: Claims, others: Others, chances: Mapping[str, Array], strict: bool) -> Held:
    """A model's claims held against the stacked baseline. Claims that fewer than three others share are left out, so
    that both are judged on the same ones.

    Args:
        claims: The model's own.
        others: The reference models.
        chances: What single baselines say of each of the claims: `others_mode` says nothing (nan) just of those that
            fewer than three others share.
        strict: Whether what could not be read counts as wrong.
    """
    kind, scored = kind_of(claims), scorable(claims, strict)
    if reason := _too_few(claims, others, chances, scored):
        return held_alone(kind, kind.count(claims, strict), reason)
    known = ~np.isnan(chances["others_mode"])
    shared = scored & known
    own = kind.count(claims.where(known), strict)
    if not kind.CROSSED:
        baseline, best = best_of(kind, own, baseline_records(claims, chances, shared))
        return Held(own, baseline, best, kind.skill_difference(own, best))
    fitted = stacked(others)
    logits = fitted.logits(claims)
    chance = fitted.predictions(logits)
    best = chance_record(claims, chance, shared)
    if not value(kind.skill, best) > 0:  # the same answer every time does as well
        best = kind.constant(own)
        at_rate = at_own_rate(claims, shared, own, np.zeros(len(claims)), None) if kind.CUT else None
        return Held(own, CONSTANT, best, kind.skill_difference(own, best), chance=chance, at_own_rate=at_rate)
    doubt = reference_doubt(claims, shared, fitted.without_one(claims), value(kind.skill, best))
    at_rate = at_own_rate(claims, shared, own, logits, fitted) if kind.CUT else None
    margin = doubted(kind.skill_difference(own, best), doubt)
    return Held(own, STACKED, best, margin, doubt, chance, at_rate)


def _too_few(claims: Claims, others: Others, chances: Mapping[str, Array], which: Flags) -> str | None:
    """Why nothing is known of others, None where enough is."""
    if not others.enough:
        return NO_OTHERS
    shared = ~np.isnan(chances["others_mode"])
    asked, met = (len(occurring(claims.item[these])) for these in (which, which & shared))
    if met < LEAST_COVERAGE * asked:
        return f"only {met} of {number_of(asked, 'item was', 'items were')} asked of three other models"
    return None


def held_alone(kind: Kind, own: Counted, reason: str) -> Held:
    """A record held against nobody, for this reason."""
    return Held(own, CONSTANT, kind.constant(own), Estimate(math.nan, reason=reason), alone=reason)


def best_of(kind: Kind, model: Counted, records: Mapping[str, Counted]) -> tuple[str, Counted]:
    """Of what predicts each model's own (shares): the baseline with the greatest skill on the model's claims, of those
    that never saw it, nor what its family does, and its record. The same answer every time has skill 0, so that
    the best baseline's skill is never below it.
    """
    skills = {name: value(kind.skill, counted) for name, counted in records.items() if GROUPS.get(name) not in APART}
    known = {name: skill for name, skill in skills.items() if not math.isnan(skill)}
    best = max(known, key=lambda name: known[name], default=None)
    if best is None or known[best] <= 0:
        return CONSTANT, kind.constant(model)
    return best, records[best]


def where_words_split(claims: Claims, others: Others, held: Held, strict: bool) -> Mapping[str, Estimate]:
    """Skill, and margin over the stacked baseline, on the claims about which other models say different things."""
    if held.chance is None:
        return dict.fromkeys(WHERE_SPLIT, Estimate(math.nan, reason=held.margin.reason))
    kind, which = kind_of(claims), scorable(claims, strict)
    words = others.votes.share_said[others.panel.at(claims)]
    split = np.minimum(words, 1 - words) >= SPLIT
    own = kind.count(claims.where(split), strict)
    if len(own.items) < 2:
        alike = "other models say the same of all items but one, or of all"
        return dict.fromkeys(WHERE_SPLIT, Estimate(math.nan, reason=alike))
    shared = split & ~np.isnan(held.chance)
    best = chance_record(claims, held.chance, which & shared)
    margin = kind.skill_difference(kind.count(claims.where(shared), strict), best)
    return dict(zip(WHERE_SPLIT, (kind.skill_estimate(own), margin), strict=True))
