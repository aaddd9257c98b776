"""Baselines -> what each says of a model's claims, and its record on them.

What a baseline says is its chance (0 to 1) of a yes to a claim: 0.5 where it has nothing to go by, nan where it says
nothing. They go by the facts of items, by what other models did or said, by the model's own history, and by what models
of its family did with the very item, and said that they would.

Of a family nothing is chosen or learnt, and nothing that the model itself said or did is in it. It is no part of the
stacked baseline: a margin would then hang on whether a model of its family happens to be in the run
(docs/decisions/0030).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from selfexec.claims import Claims, Flags, occurring
from selfexec.experiments import EXPERIMENTS
from selfexec.experiments.base import ROUNDING, say
from selfexec.metrics.baselines.panel import LEAST_OTHERS, BaselinePanel, Others, Votes
from selfexec.metrics.kinds import Counted, kind_of
from selfexec.metrics.rows import LEAST_COVERAGE
from selfexec.stats import Array
from selfexec.text.numbers import number_of


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


# --- by facts, by others, by history ---------------------------------------------------------------------------------


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
    found = {"text": by_text(claims, others.mean_by_text)} if learnt and panel.texts is not None else {}
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
    if panel.texts is not None and len(own := np.unique(claims.model)) == 1:
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


# --- by the family ---------------------------------------------------------------------------------------------------


BY_FAMILY = ("family_predictions", "family_behaviour")
NO_FAMILY = "no other model of its family is here"


def by_family(claims: Claims, family: Others, which: Flags) -> tuple[dict[str, Array], dict[str, str]]:
    """Baseline -> the chance that it says yes to each of a model's claims, nan where no model of its family was read;
    and why there is none, where fewer than nine tenths of the items of `which` claims were read. Nothing where what is
    predicted is each model's own.

    family_predictions    yes where the share of them that said that they would reaches that with which they say so at
                          all
    family_behaviour      yes where the share of them that did it reaches their base rate; of a pair, what most of them
                        did
    """
    if not kind_of(claims).CROSSED:
        return {}, {}
    if not len(family):
        return {}, dict.fromkeys(BY_FAMILY, NO_FAMILY)
    cut, at = kind_of(claims).CUT, family.panel.at(claims)
    chances, lacking = {}, {}
    for name, share in zip(BY_FAMILY, (family.votes.share_said, family.votes.share_did), strict=True):
        said = reaches(share) if cut else say(share, 0.5)
        chance = np.where(np.isnan(share), math.nan, said)[at]
        if too_few := _too_few_read(claims, which, which & ~np.isnan(chance)):
            lacking[name] = too_few
        else:
            chances[name] = chance
    return chances, lacking


def _too_few_read(claims: Claims, asked: Flags, read: Flags) -> str | None:
    """Why a family tells nothing of the claims that were asked, None where one was read on nine tenths of the items."""
    items, met = (len(occurring(claims.item[these])) for these in (asked, read))
    if met < LEAST_COVERAGE * items:
        return f"models of its family were read on {met} of {number_of(items, 'item')}"
    return None
