"""The baseline that margins are over: one of fixed design, which never saw the model.

It combines all that the first three groups of baselines know about a claim: the facts and the words of the item, what
other models do with requests of its type or questions of its subjects, how many of them behaved so, and how many
predicted that they would. A logistic regression weighs these parts. It is fitted by predicting each of the other models
from the votes of the rest of them, and then applied to the model. The parts that go by words and subjects are of all of
the others, that one included, on other items. Items are in five folds, and what it predicts about an item was learnt
from the items of the other folds.

So nothing is fitted to how well it predicts this model (docs/decisions/0029). The parts that go by words have five
folds of their own, by families of their texts.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from selfexec.claims import Claims
from selfexec.experiments.base import ROUNDING, thresholded
from selfexec.metrics.baselines.single import by_facts, pairs, subject_votes
from selfexec.metrics.baselines.text import logit
from selfexec.metrics.baselines.votes import LEAST_OTHERS, Others, Votes, VoteTable
from selfexec.metrics.kinds import claim_kind
from selfexec.stats import Array, ridge_logistic

TOLERANCE = 1e-4


@dataclass(frozen=True)
class Stacked:
    """A stacked baseline that was fitted on some models.

    Attributes:
        others: These models.
        background: The parts that do not count votes on the claim itself, shape (parts, columns of the table of votes).
        weights: The weight of each part in each fold of the items, shape (1 + parts, folds). The first row is the
            intercept, the last two are for the votes on the claim itself.
        threshold: For each fold the logit from which on it predicts a yes: that of the others' base rate in the other
            folds.
    """

    others: Others
    background: Array
    weights: Array
    threshold: Array

    def logits(self, claims: Claims) -> Array:
        """The logit of a yes to each of a model's claims, less the threshold; nan where it is known of too few others
        what they did.
        """
        return self._logits(self.others.votes, LEAST_OTHERS)[self.others.table.columns_of(claims)]

    def logits_without_one(self, claims: Claims) -> Array:
        """The same logits without the votes of one of the others, for each of them in turn: shape (others, claims). The
        weights stay, and so does what was learnt from other items.
        """
        without = self.others.votes.without(self.others.outcomes, self.others.predictions)
        return self._logits(without, 1)[:, self.others.table.columns_of(claims)]

    def without_one(self, claims: Claims) -> Array:
        """Its predictions without the votes of one of the others, for each in turn: shape (others, claims)."""
        return self.predictions(self.logits_without_one(claims))

    def predictions(self, logits: Array) -> Array:
        """What it predicts at these logits: yes (1) from 0 on, else no (0); about a pair of questions with a logit of
        0 it is undecided (0.5).
        """
        free = claim_kind(self.others.table.claims).FREE_THRESHOLD
        predicted = (logits >= -ROUNDING) * 1.0 if free else thresholded(logits, 0)
        return np.where(np.isnan(logits), math.nan, predicted)

    def _logits(self, votes: Votes, least: int) -> Array:
        table, weights = self.others.table, self._column_weights
        total = self._background_logits
        for part, weight in zip(
            _vote_logits(votes, self.others.votes), weights[1 + len(self.background) :], strict=True
        ):
            total = total + part * weight
        logits = weights[0] + total - self.threshold[table.fold]
        return np.where(votes.behaviour_known >= least, logits, math.nan)

    @cached_property
    def _column_weights(self) -> Array:
        """The weights that apply to each column: those of its item's fold."""
        found: Array = self.weights[:, self.others.table.fold]
        return found

    @cached_property
    def _background_logits(self) -> Array:
        """What the background parts contribute, which do not depend on who votes."""
        found: Array = (self.background * self._column_weights[1 : 1 + len(self.background)]).sum(0)
        return found


def stacked(others: Others) -> Stacked:
    """The baseline fitted by predicting each of these models from the votes of the rest of them."""
    table, votes = others.table, others.votes
    background = background_parts(others)
    parts, shares, times = [], [], []
    for outcome, prediction, models in _cases(others):
        here = np.flatnonzero((models > 0) & (votes.behaviour_known > 1))
        rest = _vote_logits(votes.in_columns(here).without(outcome, prediction), votes)
        parts.append(np.concatenate([background[:, here], rest]).T)
        shares.append(np.full(len(here), outcome))
        times.append(models[here, None] * (table.fold[here, None] != np.arange(table.folds)))
    weights = np.concatenate(times)
    share = np.broadcast_to(np.concatenate(shares)[:, None], weights.shape)
    found = ridge_logistic(np.concatenate(parts), share, weights, tolerance=TOLERANCE)
    base = logit((share * weights).sum(0), weights.sum(0))
    return Stacked(others, background, found, base if claim_kind(table.claims).FREE_THRESHOLD else np.zeros_like(base))


def _cases(others: Others) -> Iterator[tuple[float, float, Array]]:
    """Each combination of outcome and prediction that occurs, and how many models have it, by column. There are few
    combinations, and what the rest of the models did is the same for all models that share one.
    """
    predictions = np.unique(others.predictions[~np.isnan(others.predictions)])
    for outcome in np.unique(others.outcomes[~np.isnan(others.outcomes)]):
        for prediction in (*predictions, math.nan):
            same = np.isnan(others.predictions) if math.isnan(prediction) else others.predictions == prediction
            if (models := ((others.outcomes == outcome) & same).sum(0)).any():
                yield float(outcome), float(prediction), models.astype(np.float64)


# --- the parts: shape (parts, columns) -------------------------------------------------------------------------------


def background_parts(others: Others) -> Array:
    """All parts but what the others did and predicted about the claim itself."""
    return np.concatenate([_facts(others.table), _learnt(others)])


def _facts(table: VoteTable) -> Array:
    """What the baselines by facts alone predict: 1 for a yes, -1 for a no."""
    found = [2 * np.nan_to_num(probability, nan=0.5) - 1 for probability in by_facts(table.column_claims).values()]
    varied = [part for part in found if np.ptp(part) > 0]  # what is always the same is in the intercept
    return np.array(varied).reshape(len(varied), len(table.claim_ids))


def _learnt(others: Others) -> Array:
    """What the others did with other items of similar words, and of the same subjects."""
    table, found = others.table, []
    if table.texts is not None:
        found.append(np.nan_to_num(others.mean_by_text))
    if table.claims.subjects:
        found.append(_by_subject(table, others.votes))
    return np.array(found).reshape(len(found), len(table.claim_ids))


def _by_subject(table: VoteTable, votes: Votes) -> Array:
    """The logit of how often models behave so with a subject, by the items of the other folds."""
    facts, found = table.column_claims, np.zeros(len(table.claim_ids))
    for here, elsewhere, known in table.by_fold:
        rates = logit(*subject_votes(known, votes.behaved[elsewhere], votes.behaviour_known[elsewhere]))
        found[here] = rates[facts.subject[here]]
        if pairs(facts):
            found[here] -= rates[facts.other_subject[here]]
    return found


def _vote_logits(votes: Votes, every: Votes) -> Array:
    """The logits of how many behaved so, and of how many predicted it; few votes are drawn towards the rate among
    `every` vote.
    """
    behaved = logit(votes.behaved, votes.behaviour_known, _mean(every.behaved, every.behaviour_known))
    predicted = logit(votes.predicted, votes.predictions_known, _mean(every.predicted, every.predictions_known))
    return np.stack([behaved, predicted])


def _mean(yes: Array, known: Array) -> float:
    """The share of yes among all votes, kept away from 0 and 1."""
    return (float(yes.sum()) + 0.5) / (float(known.sum()) + 1)
