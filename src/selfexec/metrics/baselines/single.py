"""Single baselines: what each predicts about a model's claims, and its record on them.

A baseline gives each claim a probability of a yes, which for most is a plain yes (1) or no (0): 0.5 where it cannot
tell, nan where it makes no prediction.
Some go by the facts of the items, some by what other models did or predicted, some by the model's own behaviour with
other items, and some by what models of its family did or predicted on the same item.

The baselines by family learn nothing and choose nothing, and nothing that the model itself did or predicted is in them.
They are no part of the stacked baseline: otherwise a margin would depend on whether a model of the same family happens
to be in the run (docs/decisions/0030).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from selfexec.claims import Claims, Flags, occurring
from selfexec.experiments import EXPERIMENTS
from selfexec.experiments.base import ROUNDING, thresholded
from selfexec.metrics.baselines.votes import LEAST_OTHERS, Others, Votes, VoteTable
from selfexec.metrics.kinds import Record, claim_kind
from selfexec.metrics.rows import LEAST_COVERAGE
from selfexec.stats import Array
from selfexec.text.numbers import number_of


@dataclass(frozen=True)
class BaselineProbabilities:
    """What baselines predict about each of a model's claims, and what the reference models did.

    Attributes:
        probabilities: Baseline -> its probability of a yes to each claim.
        behaved: How many reference models did what the claim says. One that was asked several times counts by how often
            it did.
        behaviour_known: For how many of them that is known.
    """

    probabilities: Mapping[str, Array]
    behaved: Array
    behaviour_known: Array

    @classmethod
    def with_votes(cls, probabilities: Mapping[str, Array], claims: Claims, others: Others) -> "BaselineProbabilities":
        if not len(others):
            return cls(probabilities, np.zeros(len(claims)), np.zeros(len(claims), np.int64))
        columns = others.table.columns_of(claims)
        known = (~np.isnan(others.outcomes)).sum(0)
        return cls(probabilities, np.nansum(others.outcomes, axis=0)[columns], known[columns])


def baseline_probabilities(claims: Claims, others: Others, *, learnt: bool = True) -> dict[str, Array]:
    """Baseline -> its probability of a yes to each of a model's claims.

    Without enough other models there are only the baselines that need none. Without `learnt` there are only those that
    need no regression.
    """
    found = by_facts(claims)
    if others.enough:
        found = by_others(claims, others, learnt=learnt) | found
    return found | (by_history(claims, others.table) if learnt and claim_kind(claims).SHARED_CLAIMS else {})


def baseline_records(claims: Claims, probabilities: Mapping[str, Array], mask: Flags) -> dict[str, Record]:
    """The record of each baseline on these of the claims."""
    scored = claims.where(mask)
    return {
        baseline: claim_kind(claims).predictor_record(scored, probability[mask])
        for baseline, probability in probabilities.items()
    }


def predictor_record_on(claims: Claims, probability: Array, mask: Flags) -> Record:
    """The record, on these of the claims, of a predictor that says yes with these probabilities."""
    return claim_kind(claims).predictor_record(claims.where(mask), probability[mask])


@dataclass(frozen=True)
class Pairing:
    """A model's `own` record and that of a `baseline`, on the claims that the baseline predicts."""

    own: Record
    baseline: Record


def pairing(claims: Claims, probability: Array, mask: Flags, own: Record, baseline: Record, strict: bool) -> Pairing:
    """`own` is the model's record on all of its claims, `baseline` that of the predictor with these probabilities, on
    `mask` of them.
    """
    unpredicted = np.isnan(probability)
    if (unpredicted & mask).any():
        own = claim_kind(claims).count(claims.where(~unpredicted), strict)
    return Pairing(own, baseline)


# --- by facts, by others, by history ---------------------------------------------------------------------------------


def by_facts(claims: Claims) -> dict[str, Array]:
    """The experiment's own baselines, which go by the facts of its items alone."""
    return {name: baseline(claims) for name, baseline in EXPERIMENTS[claims.experiment].baselines.items()}


def by_others(claims: Claims, others: Others, *, learnt: bool = True) -> dict[str, Array]:
    """Baselines by the behaviour and the predictions of others; nan where these are known of too few.

    text                    what they did with other texts of similar words
    subject                 what they do on average with requests of this type, or with questions of these subjects
    others_mode             what most of them did in this claim
    others_share            yes where the share of them that behaved so reaches their base rate
    others_predictions      yes where the share of them that predicted it reaches their usual rate of predicting yes
    """
    table, columns = others.table, others.table.columns_of(claims)
    votes, free_threshold = others.votes, claim_kind(claims).FREE_THRESHOLD
    few = votes.behaviour_known < LEAST_OTHERS
    found = {"text": by_text(claims, others.mean_by_text)} if learnt and table.texts is not None else {}
    if claims.subjects:
        found["subject"] = by_subject(table, votes)
    found["others_mode"] = np.where(few, math.nan, thresholded(votes.share_behaved, 0.5))
    if free_threshold:
        found["others_share"] = np.where(few, math.nan, reaches(votes.share_behaved))
    if claim_kind(claims).SHARED_CLAIMS:
        share = votes.share_predicted
        predicted = reaches(share) if free_threshold else thresholded(share, 0.5)
        found["others_predictions"] = np.where(votes.predictions_known < LEAST_OTHERS, math.nan, predicted)
    return {name: probability[columns] for name, probability in found.items()}


def by_history(claims: Claims, table: VoteTable) -> dict[str, Array]:
    """Baselines by what the model itself did with other items.

    history_majority    what it mostly did
    history_shuffled    what it did, in random order
    history_text        what it did with other texts of similar words
    """
    known = claims.observed != 0
    yes, all_ = (claims.by_item(part * 1.0) for part in (claims.observed > 0, known))
    elsewhere = (all_.sum() - all_)[claims.item]
    rate = np.divide((yes.sum() - yes)[claims.item], elsewhere, out=np.full(len(claims), 0.5), where=elsewhere > 0)
    found = {"history_majority": thresholded(rate, 0.5), "history_shuffled": rate}
    if table.texts is not None and len(own := np.unique(claims.model)) == 1:
        found["history_text"] = by_text(claims, table.by_text[own[0]])[table.columns_of(claims)]
    return found


def by_text(claims: Claims, logits: Array) -> Array:
    """Yes where that is likelier than the base rate; of two questions, that the likelier one is the easier one."""
    if claim_kind(claims).FREE_THRESHOLD:
        return np.where(np.isnan(logits), math.nan, logits >= -ROUNDING)
    return np.where(np.isnan(logits), math.nan, thresholded(logits, 0))


def by_subject(table: VoteTable, votes: Votes) -> Array:
    """What models mostly do with requests of this type; or that the easier question is that of the easier subject."""
    facts = table.column_claims
    with np.errstate(invalid="ignore"):
        rates = np.divide(*subject_votes(facts, votes.behaved, votes.behaviour_known))
    if not pairs(facts):
        return thresholded(rates[facts.subject], 0.5)
    return thresholded(rates[facts.subject] - rates[facts.other_subject], 0)


def subject_votes(facts: Claims, yes: Array, votes: Array) -> tuple[Array, Array]:
    """The number of yes and of all votes by subject, and 0 of 0 at the end for claims without a subject. In a pair of
    questions a yes to the first is a no to the second.
    """
    subjects = len(facts.subjects) + 1
    behaved, known = (np.bincount(facts.subject + 1, part, subjects) for part in (yes, votes))
    if pairs(facts):
        behaved += np.bincount(facts.other_subject + 1, votes - yes, subjects)
        known += np.bincount(facts.other_subject + 1, votes, subjects)
    return tuple(np.append(part[1:], 0.0) for part in (behaved, known))  # type: ignore[return-value]


def pairs(facts: Claims) -> bool:
    """Whether claims are about two questions."""
    return bool((facts.other_subject >= 0).any())


def reaches(shares: Array) -> Array:
    """Whether each share reaches their mean: the threshold with the greatest Youden's J that votes allow.

    If the probability of a yes varies from claim to claim by a beta distribution, then its expectation given some votes
    reaches the base rate exactly where the share of these votes does, however much it varies.
    """
    base = float(np.nanmean(shares)) if not np.isnan(shares).all() else math.nan
    found: Array = (shares >= base - ROUNDING).astype(np.float64)
    return found


# --- by the family ---------------------------------------------------------------------------------------------------


BY_FAMILY = ("family_predictions", "family_behaviour")
NO_FAMILY = "no other model of its family took part"


def by_family(claims: Claims, family: Others, mask: Flags) -> tuple[dict[str, Array], dict[str, str]]:
    """Baseline -> its probability of a yes to each of a model's claims, nan where no model of the family was read; and
    baseline -> why it is missing, where models of the family were read on fewer than nine tenths of the items of
    `mask` claims. Neither where models are not asked about the same claims.

    family_predictions    yes where the share of them that predicted it reaches their usual rate of predicting yes
    family_behaviour      yes where the share of them that behaved so reaches their base rate; of a pair of questions,
                          what most of them did
    """
    if not claim_kind(claims).SHARED_CLAIMS:
        return {}, {}
    if not len(family):
        return {}, dict.fromkeys(BY_FAMILY, NO_FAMILY)
    free_threshold, columns = claim_kind(claims).FREE_THRESHOLD, family.table.columns_of(claims)
    probabilities, lacking = {}, {}
    for name, share in zip(BY_FAMILY, (family.votes.share_predicted, family.votes.share_behaved), strict=True):
        predicted = reaches(share) if free_threshold else thresholded(share, 0.5)
        probability = np.where(np.isnan(share), math.nan, predicted)[columns]
        if too_few := _too_few_read(claims, mask, mask & ~np.isnan(probability)):
            lacking[name] = too_few
        else:
            probabilities[name] = probability
    return probabilities, lacking


def _too_few_read(claims: Claims, asked: Flags, read: Flags) -> str | None:
    """Why a family gives no baseline for these claims; None where its models were read on nine tenths of the items."""
    items, met = (len(occurring(claims.item[these])) for these in (asked, read))
    if met < LEAST_COVERAGE * items:
        return f"replies of its family could be read for only {met} of {number_of(items, 'item')}"
    return None
