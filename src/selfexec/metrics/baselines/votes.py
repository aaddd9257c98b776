"""What all models did and predicted, claim by claim: counted once for the models that were asked the same items."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from selfexec.claims import Claims, Flags, Numbers, Signs, occurring
from selfexec.claims.arrays import READ
from selfexec.metrics.baselines.folds import folds
from selfexec.metrics.baselines.text import TextFeatures, predicted_by_text, texts_of
from selfexec.stats import Array

LEAST_OTHERS = 3  # models: with fewer each is predicted by one other alone, and nobody knows what models in general do
LEAST_OF_EACH = 5  # items: who hardly ever does it, or hardly ever does not, does not tell one item from another
NO_OTHERS = (
    "three other models on the same items are needed to show what models in general do (score their runs with this one)"
)


@dataclass(frozen=True)
class VoteTable:
    """Everybody's claims on some items of one experiment.

    Arrays have a row for each model and a column for each claim of an item. A model has one vote on a claim, however
    many epochs it was asked in. (Own excess has a table of its own, `ComparedModels`.)
    """

    claims: Claims

    @cached_property
    def claim_ids(self) -> Numbers:
        return occurring(self.claims.claim_id)

    @cached_property
    def column_claims(self) -> Claims:
        """A claim for each column, of any of the models: for what is known of the claim's item."""
        return self.claims.at(np.unique(self.claims.claim_id, return_index=True)[1])

    @cached_property
    def fold(self) -> Numbers:
        """The fold of each column's item."""
        items, item = np.unique(self.column_claims.item, return_inverse=True)
        return folds([self.claims.items[n] for n in items])[item]

    @property
    def folds(self) -> int:
        return int(self.fold.max(initial=-1)) + 1

    @cached_property
    def by_fold(self) -> list[tuple[Flags, Numbers, Claims]]:
        """For each fold: its columns, those of the other folds, and what is known of the items of the latter."""
        parts = ((self.fold == fold, np.flatnonzero(self.fold != fold)) for fold in range(self.folds))
        return [(here, there, self.column_claims.at(there)) for here, there in parts]

    @cached_property
    def outcomes(self) -> Array:
        """How often each model did what each claim says, shape (models, columns); nan where that is not known."""
        return self._shares(self.claims.observed)

    @cached_property
    def predictions(self) -> Array:
        """How often each model predicted that it would, shape (models, columns); nan where that was not read."""
        return self._shares(self.claims.predicted)

    def _shares(self, signs: Signs) -> Array:
        known, models = signs != 0, len(self.claims.models)
        cell = (self.claims.model * len(self.claim_ids) + self.columns_of(self.claims))[known]
        yes, asked = (np.bincount(cell, weights, models * len(self.claim_ids)) for weights in (signs[known] > 0, None))
        with np.errstate(invalid="ignore"):
            return (yes / asked).reshape(models, len(self.claim_ids))

    def columns_of(self, claims: Claims) -> Numbers:
        """The column of each of these claims."""
        return np.searchsorted(self.claim_ids, claims.claim_id)

    @cached_property
    def by_text(self) -> Array:
        """What each model is expected to do by the words of each claim, shape (models, columns).

        Logits around 0, learnt from what the model did with other texts; nan where there are no words, or nothing to
        learn from.
        """
        found = np.full(self.outcomes.shape, math.nan)
        if (texts := self.texts) is not None:
            for model, outcomes in enumerate(self.outcomes):
                if not np.isnan(outcomes).all():
                    found[model] = predicted_by_text(texts, *self._wording, outcomes)
        return found

    @cached_property
    def _wording(self) -> tuple[Numbers, Numbers]:
        """The numbers, among the texts that occur here, of the texts that each column is about."""
        both = np.stack([self.column_claims.wording, self.column_claims.other_wording])
        numbers = np.searchsorted(self._worded, both)
        return numbers[0], np.where(both[1] < 0, -1, numbers[1])

    @cached_property
    def _worded(self) -> Numbers:
        both = np.concatenate([self.column_claims.wording, self.column_claims.other_wording])
        return np.unique(both[both >= 0])

    @cached_property
    def texts(self) -> TextFeatures | None:
        """The words that claims are about; None where there are none to go by."""
        if not len(self.claims) or (self.column_claims.wording < 0).any():
            return None
        wordings = [self.claims.wordings[n] for n in self._worded]
        several = len({wording.family for wording in wordings}) > 1  # of one family nothing can be learnt
        return texts_of(wordings) if several else None

    @cached_property
    def varies(self) -> Flags:
        """Whether what each model did tells one item from another: both outcomes occur on so many items."""
        item = self.column_claims.item
        rarer = (min(len(occurring(item[row > 0])), len(occurring(item[row < 1]))) for row in self.outcomes)
        return np.array([items >= LEAST_OF_EACH for items in rarer])


@dataclass(frozen=True)
class Votes:
    """How models voted on claims, each array with an entry per claim.

    Attributes:
        behaved: How many models did what the claim says. One that was asked several times counts by how often it did.
        behaviour_known: For how many models it is known whether they did.
        predicted: How many predicted that they would.
        predictions_known: For how many the prediction is known.
    """

    behaved: Array
    behaviour_known: Array
    predicted: Array
    predictions_known: Array

    @property
    def share_behaved(self) -> Array:
        return _share(self.behaved, self.behaviour_known)

    @property
    def share_predicted(self) -> Array:
        return _share(self.predicted, self.predictions_known)

    def without(self, outcomes: Any, predictions: Any) -> "Votes":
        """Without one model that behaved and predicted like this; nan where that is not known."""
        with_outcome, with_prediction = ~np.isnan(outcomes), ~np.isnan(predictions)
        return Votes(
            self.behaved - np.where(with_outcome, outcomes, 0.0),
            self.behaviour_known - with_outcome,
            self.predicted - np.where(with_prediction, predictions, 0.0),
            self.predictions_known - with_prediction,
        )

    def in_columns(self, columns: Numbers) -> "Votes":
        """Those on some of the claims."""
        return Votes(
            self.behaved[columns],
            self.behaviour_known[columns],
            self.predicted[columns],
            self.predictions_known[columns],
        )


@dataclass(frozen=True)
class Others:
    """The reference models of one model, whose votes its baselines are made of: some rows of a table of votes. Not all
    models on the same items are among them (`VoteTables.others`): `left_out` counts those whose behaviour differs too
    little from item to item.
    """

    table: VoteTable
    models: Numbers
    left_out: int = 0

    def __len__(self) -> int:
        return len(self.models)

    @property
    def enough(self) -> bool:
        return len(self) >= LEAST_OTHERS

    def enough_for(self, claims: Claims) -> Flags:
        """Which of a model's claims have a known outcome of at least three of these: on those alone it is compared
        with a baseline by others.
        """
        return (self.votes.behaviour_known >= LEAST_OTHERS)[self.table.columns_of(claims)]

    @property
    def lacking(self) -> str | None:
        """Why these are too few for a baseline; None where they are enough."""
        if self.enough:
            return None
        known = len(self) + self.left_out
        if known < LEAST_OTHERS:
            return NO_OTHERS
        return (
            f"what {self.left_out} of {known} other models did varies too little on these items (fewer than "
            f"{LEAST_OF_EACH} of each outcome) to tell what models in general do"
        )

    @cached_property
    def outcomes(self) -> Array:
        return self.table.outcomes[self.models]

    @cached_property
    def predictions(self) -> Array:
        return self.table.predictions[self.models]

    @cached_property
    def by_text(self) -> Array:
        return self.table.by_text[self.models]

    @cached_property
    def mean_by_text(self) -> Array:
        return _share(_sum(self.by_text), _number(self.by_text))

    @cached_property
    def votes(self) -> Votes:
        return Votes(*(f(part) for part in (self.outcomes, self.predictions) for f in (_sum, _number)))


def _sum(votes: Array) -> Array:
    found: Array = np.nansum(votes, axis=0)
    return found


def _number(votes: Array) -> Array:
    found: Array = (~np.isnan(votes)).sum(0).astype(np.float64)
    return found


def _share(yes: Array, known: Array) -> Array:
    """nan where none is known."""
    found: Array = np.divide(yes, known, out=np.full(len(known), math.nan), where=known > 0)
    return found


@dataclass
class VoteTables:
    """The votes on one experiment's claims: a table for each set of items, made when it is first wanted."""

    everyone: Claims
    _known: dict[bytes, VoteTable] = field(default_factory=dict)

    @cached_property
    def read(self) -> Flags:
        """Which models were read on which items, shape (models, items)."""
        found = np.zeros((len(self.everyone.models), len(self.everyone.items)), np.bool_)
        read = self.everyone.state == READ
        found[self.everyone.model[read], self.everyone.item[read]] = True
        return found

    def on_items_of(self, claims: Claims) -> VoteTable:
        """The votes on the items of these claims alone."""
        items = occurring(claims.item)
        if (key := items.tobytes()) not in self._known:
            self._known[key] = VoteTable(self.everyone.where(np.isin(self.everyone.item, items)))
        return self._known[key]

    def others(self, claims: Claims, references: Iterable[str], *, varying: bool = True) -> Others:
        """These models, as reference models on the items of another model's claims: only those whose behaviour differs
        enough from item to item to predict anything by it (`VoteTable.varies`); with `varying` false all of them.
        """
        table, chosen = self.on_items_of(claims), self.everyone.among(references)
        kept = chosen & table.varies if varying and chosen.any() else chosen
        return Others(table, np.flatnonzero(kept), int(chosen.sum() - kept.sum()))
