"""What the models of a run did and said, claim by claim, worked out once for all who were asked the same items."""

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


@dataclass(frozen=True)
class BaselinePanel:
    """Everybody's claims on some items of one experiment. Arrays have a column for each `place`, a claim of an item,
    no matter which model's; each model has one vote on it, however many epochs it was asked. (Own excess has a panel
    of its own make, of models that can all be held against each other.)
    """

    claims: Claims

    @cached_property
    def places(self) -> Numbers:
        return occurring(self.claims.place)

    @cached_property
    def facts(self) -> Claims:
        """A claim for each place, for what is known of its item."""
        return self.claims.at(np.unique(self.claims.place, return_index=True)[1])

    @cached_property
    def fold(self) -> Numbers:
        """The fold of each place's item."""
        items, item = np.unique(self.facts.item, return_inverse=True)
        return folds([self.claims.items[n] for n in items])[item]

    @property
    def folds(self) -> int:
        return int(self.fold.max(initial=-1)) + 1

    @cached_property
    def by_fold(self) -> list[tuple[Flags, Numbers, Claims]]:
        """Of each fold its places, those of the other folds, and what is known of the items of these."""
        parts = ((self.fold == fold, np.flatnonzero(self.fold != fold)) for fold in range(self.folds))
        return [(here, there, self.facts.at(there)) for here, there in parts]

    @cached_property
    def did(self) -> Array:
        """How often each model did what each claim says, shape (models, places); nan where nobody knows."""
        return self._shares(self.claims.observed)

    @cached_property
    def said(self) -> Array:
        """How often each model said that it would, shape (models, places); nan where that was not read."""
        return self._shares(self.claims.predicted)

    def _shares(self, signs: Signs) -> Array:
        known, models = signs != 0, len(self.claims.models)
        cell = (self.claims.model * len(self.places) + self.at(self.claims))[known]
        yes, asked = (np.bincount(cell, weights, models * len(self.places)) for weights in (signs[known] > 0, None))
        with np.errstate(invalid="ignore"):
            return (yes / asked).reshape(models, len(self.places))

    def at(self, claims: Claims) -> Numbers:
        """The columns of these claims."""
        return np.searchsorted(self.places, claims.place)

    @cached_property
    def by_text(self) -> Array:
        """What the words of each claim make one expect of each model, shape (models, places): logits around 0, by what
        the model did with other texts. nan where there are no words, or nothing to learn from.
        """
        found = np.full(self.did.shape, math.nan)
        if (texts := self.texts) is not None:
            for model, did in enumerate(self.did):
                if not np.isnan(did).all():
                    found[model] = predicted_by_text(texts, *self._wording, did)
        return found

    @cached_property
    def _wording(self) -> tuple[Numbers, Numbers]:
        """The numbers, among those that occur here, of the texts that each place is about."""
        both = np.stack([self.facts.wording, self.facts.other_wording])
        numbers = np.searchsorted(self._worded, both)
        return numbers[0], np.where(both[1] < 0, -1, numbers[1])

    @cached_property
    def _worded(self) -> Numbers:
        both = np.concatenate([self.facts.wording, self.facts.other_wording])
        return np.unique(both[both >= 0])

    @cached_property
    def texts(self) -> TextFeatures | None:
        """The words that claims are about; None where there are none to go by."""
        if not len(self.claims) or (self.facts.wording < 0).any():
            return None
        wordings = [self.claims.wordings[n] for n in self._worded]
        several = len({wording.family for wording in wordings}) > 1  # of one family nothing can be learnt
        return texts_of(wordings) if several else None

    @cached_property
    def telling(self) -> Flags:
        """Whether what each model did tells one item from another: both outcomes occur on so many items."""
        item = self.facts.item
        return np.array(
            [min(len(occurring(item[did > 0])), len(occurring(item[did < 1]))) >= LEAST_OF_EACH for did in self.did]
        )


@dataclass(frozen=True)
class Votes:
    """How many models did what each place's claim says, `of` how many of whom that is known; how many `said` that they
    would, of how many that `spoke`.
    """

    did: Array
    of: Array
    said: Array
    spoke: Array

    @property
    def share_did(self) -> Array:
        return _share(self.did, self.of)

    @property
    def share_said(self) -> Array:
        return _share(self.said, self.spoke)

    def without(self, did: Any, said: Any) -> "Votes":
        """Without one that did it so often, and said so; nan where that is not known."""
        known, spoke = ~np.isnan(did), ~np.isnan(said)
        return Votes(
            self.did - np.where(known, did, 0.0),
            self.of - known,
            self.said - np.where(spoke, said, 0.0),
            self.spoke - spoke,
        )

    def at(self, places: Numbers) -> "Votes":
        return Votes(self.did[places], self.of[places], self.said[places], self.spoke[places])


@dataclass(frozen=True)
class Others:
    """The reference models of one model: rows of a panel."""

    panel: BaselinePanel
    models: Numbers

    def __len__(self) -> int:
        return len(self.models)

    @property
    def enough(self) -> bool:
        return len(self) >= LEAST_OTHERS

    @cached_property
    def did(self) -> Array:
        return self.panel.did[self.models]

    @cached_property
    def said(self) -> Array:
        return self.panel.said[self.models]

    @cached_property
    def by_text(self) -> Array:
        return self.panel.by_text[self.models]

    @cached_property
    def mean_by_text(self) -> Array:
        return _share(_sum(self.by_text), _number(self.by_text))

    @cached_property
    def votes(self) -> Votes:
        did, of, said, spoke = (f(part) for part in (self.did, self.said) for f in (_sum, _number))
        return Votes(did, of, said, spoke)


def _sum(votes: Array) -> Array:
    found: Array = np.nansum(votes, axis=0)
    return found


def _number(votes: Array) -> Array:
    found: Array = (~np.isnan(votes)).sum(0).astype(np.float64)
    return found


def _share(yes: Array, of: Array) -> Array:
    """nan where there is none."""
    found: Array = np.divide(yes, of, out=np.full(len(of), math.nan), where=of > 0)
    return found


@dataclass
class Panels:
    """The panels of one experiment's models, each worked out when it is first wanted."""

    everyone: Claims
    _known: dict[bytes, BaselinePanel] = field(default_factory=dict)

    @cached_property
    def read(self) -> Flags:
        """Which models were read on which items, shape (models, items)."""
        found = np.zeros((len(self.everyone.models), len(self.everyone.items)), np.bool_)
        told = self.everyone.state == READ
        found[self.everyone.model[told], self.everyone.item[told]] = True
        return found

    def of(self, claims: Claims) -> BaselinePanel:
        """The panel on the items of these claims: what others do elsewhere says nothing of them."""
        items = occurring(claims.item)
        if (key := items.tobytes()) not in self._known:
            self._known[key] = BaselinePanel(self.everyone.where(np.isin(self.everyone.item, items)))
        return self._known[key]

    def family(self, claims: Claims, models: Iterable[str]) -> Others:
        """These models on the items of the claims of another, whatever they did there."""
        return Others(self.of(claims), np.flatnonzero(self.everyone.among(models)))

    def others(self, claims: Claims, references: Iterable[str]) -> Others:
        """Those of these models that tell something of the claims of another."""
        panel, chosen = self.of(claims), self.everyone.among(references)
        return Others(panel, np.flatnonzero(chosen & panel.telling if chosen.any() else chosen))
