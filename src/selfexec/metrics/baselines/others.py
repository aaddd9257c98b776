"""Baselines that go by what other models did, or said, and by the model's own history.

What a baseline says is its chance (0 to 1) of a yes to a claim: 0.5 where it has nothing to go by, nan where it says
nothing.
"""

import math

import numpy as np

from selfexec.claims import Claims
from selfexec.experiments import EXPERIMENTS
from selfexec.experiments.base import ROUNDING, say
from selfexec.metrics.baselines.panel import LEAST_OTHERS, BaselinePanel, Others, Votes
from selfexec.metrics.kinds import kind_of
from selfexec.stats import Array


def by_facts(claims: Claims) -> dict[str, Array]:
    """What an experiment has of its own: by the facts of its items alone."""
    return {name: baseline(claims) for name, baseline in EXPERIMENTS[claims.experiment].baselines.items()}


def by_others(claims: Claims, others: Others, *, learnt: bool = True) -> dict[str, Array]:
    """What enough others did and said makes one expect of a model's claims; nan where too few of them did it or not.

    text            what they did with other texts that are worded alike
    subject         what they do, on average, with requests of this type, or questions of these subjects
    others_mode     what most of them did with this very claim
    others_share    yes where the share of them that did it reaches their base rate
    others_predictions      yes where the share of them that said that they would reaches that with which they say so at
                            all
    """
    panel, at = others.panel, others.panel.at(claims)
    votes, cut = others.votes, kind_of(claims).CUT
    few = votes.of < LEAST_OTHERS
    found = {"text": by_text(claims, others.mean_by_text)} if learnt and panel.worded else {}
    if claims.subjects:
        found["subject"] = by_subject(panel, votes)
    found["others_mode"] = np.where(few, math.nan, say(votes.share_did, 0.5))
    if cut:
        found["others_share"] = np.where(few, math.nan, reaches(votes.share_did))
    if kind_of(claims).CROSSED:
        share = votes.share_said
        said = reaches(share) if cut else say(share, 0.5)
        found["others_predictions"] = np.where(votes.spoke < LEAST_OTHERS, math.nan, said)
    return {name: chance[at] for name, chance in found.items()}


def by_history(claims: Claims, panel: BaselinePanel) -> dict[str, Array]:
    """What the model itself did with other items makes one expect.

    history_majority    what it mostly did
    history_shuffled    what it did, dealt out at random
    history_text        what it did with other texts that are worded alike
    """
    known = claims.observed != 0
    yes, all_ = (claims.by_item(part * 1.0) for part in (claims.observed > 0, known))
    elsewhere = (all_.sum() - all_)[claims.item]
    rate = np.divide((yes.sum() - yes)[claims.item], elsewhere, out=np.full(len(claims), 0.5), where=elsewhere > 0)
    found = {"history_majority": say(rate, 0.5), "history_shuffled": rate}
    if panel.worded and len(own := np.unique(claims.model)) == 1:
        found["history_text"] = by_text(claims, panel.by_text[own[0]])[panel.at(claims)]
    return found


def by_text(claims: Claims, logits: Array) -> Array:
    """A yes where it is likelier than at all; of a pair, that the likelier one is the easier one."""
    if kind_of(claims).CUT:
        return np.where(np.isnan(logits), math.nan, logits >= -ROUNDING)
    return np.where(np.isnan(logits), math.nan, say(logits, 0))


def by_subject(panel: BaselinePanel, votes: Votes) -> Array:
    """What models do with requests of this type; the question of the subject that is more often the easier one."""
    facts = panel.facts
    with np.errstate(invalid="ignore"):
        rates = np.divide(*subject_votes(facts, votes.did, votes.of))
    if not pairs(facts):
        return say(rates[facts.subject], 0.5)
    return say(rates[facts.subject] - rates[facts.other_subject], 0)


def subject_votes(facts: Claims, yes: Array, votes: Array) -> tuple[Array, Array]:
    """How often it was done, and of how often, by subject, and 0 of 0 behind them for what is of none. A pair tells of
    its second subject what it does not tell of the first.
    """
    subjects = len(facts.subjects) + 1
    did, of = (np.bincount(facts.subject + 1, part, subjects) for part in (yes, votes))
    if pairs(facts):
        did += np.bincount(facts.other_subject + 1, votes - yes, subjects)
        of += np.bincount(facts.other_subject + 1, votes, subjects)
    return tuple(np.append(part[1:], 0.0) for part in (did, of))  # type: ignore[return-value]


def pairs(facts: Claims) -> bool:
    """Whether claims are about two questions."""
    return bool((facts.other_subject >= 0).any())


def reaches(shares: Array) -> Array:
    """Whether each share reaches their mean. If chances of a yes vary as beta distributions do around a base rate, the
    chance given some votes reaches that base rate just where the share of the votes does, however much they vary: to
    say yes from there on has the greatest Youden's J that votes allow.
    """
    base = float(np.nanmean(shares)) if not np.isnan(shares).all() else math.nan
    found: Array = (shares >= base - ROUNDING).astype(np.float64)
    return found
