"""The baseline that margins are over: one of fixed design, which never saw the model.

It puts together all that the first three groups know of a claim: facts and words of the item, what other models do with
requests of its type or questions of its subjects, how many of them did it, and how many said that they would. A
logistic regression says how much each of these tells: it is learnt from predicting each of the other models from the
rest of them, and applied to the model. What it says of an item it has learnt from others: five folds of the items.

So nothing is chosen by how well it predicts this model (docs/decisions/0029).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from selfexec.claims import Claims
from selfexec.experiments.base import ROUNDING, say
from selfexec.metrics.baselines.chances import by_facts, pairs, subject_votes
from selfexec.metrics.baselines.panel import LEAST_OTHERS, BaselinePanel, Others, Votes
from selfexec.metrics.baselines.text import logit
from selfexec.metrics.kinds import kind_of
from selfexec.stats import Array, ridge_logistic

TOLERANCE = 1e-4


@dataclass(frozen=True)
class Stacked:
    """What was learnt on some models: by fold of the items the weight of each part, the first that of none (shape
    (1 + parts, folds)), and the logit from which on a yes is said. `known`: the parts that votes on the very claim are
    none of, shape (parts, places).
    """

    others: Others
    known: Array
    weights: Array
    threshold: Array

    def logits(self, claims: Claims) -> Array:
        """The logit of a yes to each of a model's claims, less that from which on a yes is said; nan where too few
        others did it or not.
        """
        return self._logits(self.others.votes, LEAST_OTHERS)[self.others.panel.at(claims)]

    def chances(self, claims: Claims) -> Array:
        """Its prediction of a model's claims: 1, 0, or 0.5 where it cannot tell; nan where too few others did it or
        not.
        """
        return self.predictions(self.logits(claims))

    def logits_without_one(self, claims: Claims) -> Array:
        """The same logits without the votes of each of the others in turn, shape (others, claims); weights are what
        they are, and so is what was learnt from other items.
        """
        without = self.others.votes.without(self.others.did, self.others.said)
        return self._logits(without, 1)[:, self.others.panel.at(claims)]

    def without_one(self, claims: Claims) -> Array:
        """Its predictions without each of the others in turn, shape (others, claims)."""
        return self.predictions(self.logits_without_one(claims))

    def predictions(self, logits: Array) -> Array:
        """What is predicted at these logits: yes (1) from 0 on, else no (0); of a pair 0.5 where they do not tell."""
        cut = kind_of(self.others.panel.claims).CUT
        predicted = (logits >= -ROUNDING) * 1.0 if cut else say(logits, 0)
        return np.where(np.isnan(logits), math.nan, predicted)

    def _logits(self, votes: Votes, least: int) -> Array:
        panel, by_place = self.others.panel, self._by_place
        total = self._told
        for heard, weight in zip(_heard(votes, self.others.votes), by_place[1 + len(self.known) :], strict=True):
            total = total + heard * weight
        logits = by_place[0] + total - self.threshold[panel.fold]
        return np.where(votes.of >= least, logits, math.nan)

    @cached_property
    def _by_place(self) -> Array:
        """The weights of each place's fold."""
        found: Array = self.weights[:, self.others.panel.fold]
        return found

    @cached_property
    def _told(self) -> Array:
        """What all but the votes on the very claim say, no matter who votes."""
        found: Array = (self.known * self._by_place[1 : 1 + len(self.known)]).sum(0)
        return found


def stacked(others: Others) -> Stacked:
    """Learnt from predicting each of these models from the rest of them."""
    panel, votes = others.panel, others.votes
    known = known_of(others)
    parts, shares, times = [], [], []
    for did, said, models in _cases(others):
        here = np.flatnonzero((models > 0) & (votes.of > 1))
        heard = _heard(votes.at(here).without(did, said), votes)
        parts.append(np.concatenate([known[:, here], heard]).T)
        shares.append(np.full(len(here), did))
        times.append(models[here, None] * (panel.fold[here, None] != np.arange(panel.folds)))
    weights = np.concatenate(times)
    share = np.broadcast_to(np.concatenate(shares)[:, None], weights.shape)
    found = ridge_logistic(np.concatenate(parts), share, weights, tolerance=TOLERANCE)
    base = logit((share * weights).sum(0), weights.sum(0))
    return Stacked(others, known, found, base if kind_of(panel.claims).CUT else np.zeros_like(base))


def _cases(others: Others) -> Iterator[tuple[float, float, Array]]:
    """What a model may have done and said, and how many of them did and said just that, for each place. There are few
    such cases, and the rest of the models is the same for all of a case.
    """
    spoken = np.unique(others.said[~np.isnan(others.said)])
    for did in np.unique(others.did[~np.isnan(others.did)]):
        for said in (*spoken, math.nan):
            same = np.isnan(others.said) if math.isnan(said) else others.said == said
            if (models := ((others.did == did) & same).sum(0)).any():
                yield float(did), float(said), models.astype(np.float64)


# --- what there is to go by: shape (parts, places) -------------------------------------------------------------------


def known_of(others: Others) -> Array:
    """All but what the others did and said of the very claim."""
    return np.concatenate([_facts(others.panel), _learnt(others)])


def _facts(panel: BaselinePanel) -> Array:
    """What baselines by facts alone say: 1 for a yes, -1 for a no."""
    found = [2 * np.nan_to_num(chance, nan=0.5) - 1 for chance in by_facts(panel.facts).values()]
    varied = [part for part in found if np.ptp(part) > 0]  # what is always the same is in the first weight
    return np.array(varied).reshape(len(varied), len(panel.places))


def _learnt(others: Others) -> Array:
    """What these models did with other items: by their words, and by their subjects."""
    panel, found = others.panel, []
    if panel.texts is not None:
        found.append(np.nan_to_num(others.mean_by_text))
    if panel.claims.subjects:
        found.append(_by_subject(panel, others.votes))
    return np.array(found).reshape(len(found), len(panel.places))


def _by_subject(panel: BaselinePanel, votes: Votes) -> Array:
    """The logit of how often it is done, by subject, on the items of the other folds."""
    facts, found = panel.facts, np.zeros(len(panel.places))
    for here, there, known in panel.by_fold:
        rates = logit(*subject_votes(known, votes.did[there], votes.of[there]))
        found[here] = rates[facts.subject[here]]
        if pairs(facts):
            found[here] -= rates[facts.other_subject[here]]
    return found


def _heard(votes: Votes, every: Votes) -> Array:
    """How many did this very thing, and how many said that they would, as logits; where there are few, as they all do
    at all.
    """
    did = logit(votes.did, votes.of, _mean(every.did, every.of))
    return np.stack([did, logit(votes.said, votes.spoke, _mean(every.said, every.spoke))])


def _mean(yes: Array, of: Array) -> float:
    """Of all votes, away from the ends."""
    return (float(yes.sum()) + 0.5) / (float(of.sum()) + 1)
