"""Predictions and outcomes of the models that can be compared with each other, as arrays."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from selfexec.claims import Claims, Flags, Numbers, Signs, occurring
from selfexec.claims.arrays import TIE
from selfexec.metrics.kinds import claim_kind
from selfexec.metrics.rows import LEAST_COVERAGE, LEAST_FOR_VERDICT, LEAST_RARER_ITEMS
from selfexec.stats import Array
from selfexec.stats.tetrachoric import least_expected
from selfexec.text.numbers import number_of, too_few

LEAST_ITEMS = 60  # that the models were asked
# of a model, on which both its prediction and its behaviour are known: so many of 60 as a coverage of .9 has
LEAST_KNOWN = math.ceil(LEAST_COVERAGE * LEAST_ITEMS)
LEAST_COMMON = 2 * LEAST_KNOWN - LEAST_ITEMS  # of two models: so many of 60 are left where each lacks others
LEAST_IN_CELL = 1.5  # claims that are expected in each cell of a table of two by two,
USUAL = 0.5  # were this the correlation
MOST = 0.5  # of the models that one is compared with, itself included
CORNER = (
    "its predictions and its behaviour are so lopsided that one of their four combinations is nearly empty, and their "
    "correlation means little"
)


@dataclass(frozen=True)
class ComparedModels:
    """What models predicted that they would do, and what they did, claim by claim.

    Attributes:
        models: Their names.
        predictions: Shape (models, claims): +1 yes, -1 no, 0 not known.
        outcomes: The same of what they did.
        item: The number of each claim's item.
        families: Each model's family, None where none is known.
        asked: Which claims each model was asked about, shape (models, claims); None for all of them.
        position: For claims about two questions, which two of the positions in the prompt they stood in, numbered from
            0; None for claims that have no position.
        left_out: Model -> why it takes no part.
    """

    models: tuple[str, ...]
    predictions: Signs
    outcomes: Signs
    item: Numbers
    families: tuple[str | None, ...] = ()
    asked: Flags | None = None
    position: Numbers | None = None
    left_out: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def coverage(self) -> Array:
        """The share of each model's claims whose prediction and outcome are known; ties are no loss."""
        asked = np.ones_like(self.known) if self.asked is None else self.asked
        share: Array = (self.known & asked).sum(1) / np.maximum(asked.sum(1), 1)
        return share

    @property
    def known(self) -> Flags:
        """The claims of each model for which both prediction and outcome are known."""
        both: Flags = (self.predictions != 0) & (self.outcomes != 0)
        return both

    @property
    def lost(self) -> Flags:
        """The claims of each model that were asked, and for which prediction or outcome is not known."""
        return ~self.known if self.asked is None else self.asked & ~self.known

    @property
    def stratum(self) -> Numbers:
        """Claims of one stratum share a threshold: how readily a model says yes depends on the places compared."""
        return np.zeros(len(self.item), np.int64) if self.position is None else self.position

    @property
    def strata(self) -> int:
        return int(self.stratum.max(initial=0)) + 1

    @property
    def well_read(self) -> Flags:
        """Which models lost little."""
        found: Flags = self.coverage >= LEAST_COVERAGE
        return found

    @property
    def counts(self) -> Array:
        """Tables of two by two of every prediction with every outcome, shape (4, strata, models, models): both yes, the
        prediction alone, the outcome alone, neither.
        """
        strata = [self.stratum == n for n in range(self.strata)]
        tables = [cells(self.predictions[:, these], self.outcomes[:, these]) for these in strata]
        return np.stack([np.stack(table) for table in tables], axis=1)

    @property
    def items(self) -> int:
        return len(occurring(self.item))

    def only(self, mask: Flags) -> "ComparedModels":
        """These of the models, and the claims about which they know something: so the items of others change nothing
        in it.
        """
        chosen = np.flatnonzero(mask)
        predictions, outcomes = self.predictions[chosen], self.outcomes[chosen]
        asked = None if self.asked is None else self.asked[chosen]
        known = ((predictions != 0) | (outcomes != 0)).any(0)
        if asked is not None:
            known |= asked.any(0)
        return replace(
            self,
            models=tuple(self.models[n] for n in chosen),
            predictions=predictions[:, known],
            outcomes=outcomes[:, known],
            item=self.item[known],
            families=tuple(self.families[n] for n in chosen) if self.families else (),
            asked=None if asked is None else asked[:, known],
            position=None if self.position is None else self.position[known],
        )


def cells(predictions: Signs, outcomes: Signs) -> list[Array]:
    """How often each prediction and each outcome are both yes, the one alone, the other alone, neither."""
    yes, no, did, did_not = (
        np.asarray(part == sign, np.float32) for part in (predictions, outcomes) for sign in (1, -1)
    )
    return [(one @ two.T).astype(np.float64) for one, two in ((yes, did), (yes, did_not), (no, did), (no, did_not))]


def corners(counts: Array) -> Flags:
    """Which of these tables have a cell that is nearly empty by their margins alone: a correlation of them is biased
    towards none, and its error means little.
    """
    empty: Flags = (least_expected(counts, USUAL) < LEAST_IN_CELL) & (counts.sum((0, 1)) > 0)
    return empty


def compared_models(claims: Claims, models: Iterable[str], families: Mapping[str, str | None]) -> ComparedModels:
    """The claims of those of these models that can be compared with the others (see `enough`)."""
    names = [model for model in claims.models if model in set(models)]
    epochs = int(claims.epoch.max(initial=0)) + 1
    cells, column = np.unique(claims.claim_id * epochs + claims.epoch, return_inverse=True)
    predictions, outcomes = np.zeros((2, len(names), len(cells)), dtype=np.int8)
    asked = np.zeros((len(names), len(cells)), np.bool_)
    item, position = np.zeros((2, len(cells)), np.int64)
    item[column], position[column] = claims.item, claims.claim_name
    for row, name in enumerate(names):
        mine = claims.model == claims.models.index(name)
        predictions[row, column[mine]], outcomes[row, column[mine]] = claims.predicted[mine], claims.observed[mine]
        asked[row, column[mine]] = claims.state[mine] != TIE
    return enough(
        ComparedModels(
            tuple(names),
            predictions,
            outcomes,
            item,
            tuple(families.get(name) for name in names),
            asked,
            position if claim_kind(claims).NAME == "order" else None,
        )
    )


def enough(compared: ComparedModels) -> ComparedModels:
    """The models without those that cannot be compared. A model is left out

    - if prediction and outcome are both known for fewer than 54 of its items;
    - if fewer than 20 of these have its rarer outcome, or its rarer prediction;
    - if its predictions and its behaviour are so lopsided that one of their four combinations is nearly empty, or is so
      with half of the other models;
    - if fewer than five others were read on 48 of its items.
    """
    little = {model: reason for n, model in enumerate(compared.models) if (reason := _too_little(compared, n))}
    by_itself = len(compared.models) == 1 and little
    why = little if by_itself else {**dict.fromkeys(_lopsided(compared), CORNER), **little}
    kept = compared.only(np.array([model not in why for model in compared.models], np.bool_))
    while len(kept.models) and (partners := _partners(kept)).min() < LEAST_FOR_VERDICT - 1:
        alone = partners == partners.min()
        others = number_of(int(partners.min()), "other was", "others were")
        reason = f"only {others} read on {LEAST_COMMON} of its items, and {LEAST_FOR_VERDICT - 1} are needed"
        why |= {model: reason for model, is_one in zip(kept.models, alone, strict=True) if is_one}
        if alone.all():
            break  # too few models, and not too few items: that is a reason for all of them
        kept = kept.only(~alone)
    left_out = {model: reason for model, reason in why.items() if model not in kept.models}
    return replace(kept, left_out={**compared.left_out, **left_out})


def _lopsided(compared: ComparedModels) -> list[str]:
    """The models that seldom predict what they mostly do, or the other way round, with themselves or with half of the
    others.
    """
    filled = ~corners(compared.counts)
    comparable = np.diagonal(filled) & (filled.mean(0) > MOST) & (filled.mean(1) > MOST)
    return [model for model, is_so in zip(compared.models, comparable, strict=True) if not is_so]


def _partners(compared: ComparedModels) -> Numbers:
    """With how many others each model has 48 items in common, of which its prediction and their behaviour are known,
    and the other way round.
    """
    items, item = np.unique(compared.item, return_inverse=True)
    known = np.zeros((2, len(compared.models), len(items)), np.float32)
    for table, signs in zip(known, (compared.predictions, compared.outcomes), strict=True):
        for row, sign in zip(table, signs, strict=True):
            row[item[sign != 0]] = 1
    common = known[0] @ known[1].T
    found: Numbers = ((np.minimum(common, common.T) >= LEAST_COMMON).sum(1) - 1).astype(np.int64)
    return found


def _too_little(compared: ComparedModels, n: int) -> str | None:
    prediction, outcome = compared.predictions[n], compared.outcomes[n]
    known = (prediction != 0) & (outcome != 0)
    if (items := _items(compared, known)) < LEAST_KNOWN:
        return too_few(items, LEAST_KNOWN, "item", rest=" of it could be read")
    for what, signs in (("outcome", outcome), ("prediction", prediction)):
        rarer = min(_items(compared, known & (signs == sign)) for sign in (1, -1))
        if rarer < LEAST_RARER_ITEMS:
            return too_few(rarer, LEAST_RARER_ITEMS, "item has", "items have", f" its rarer {what}")
    return None


def _items(compared: ComparedModels, mask: Flags) -> int:
    return len(occurring(compared.item[mask]))


def same_family(families: Sequence[str | None]) -> Flags:
    """Which pairs are of one family, shape (models, models); no model is paired with itself."""
    names = np.array([name if name is not None else f"\0{n}" for n, name in enumerate(families)])
    alike: Flags = (names[:, None] == names[None]) & ~np.eye(len(names), dtype=bool)
    return alike
