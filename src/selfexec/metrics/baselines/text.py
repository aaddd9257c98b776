"""A baseline that knows the words of an item alone: what models did with others that are worded like it.

It goes by words, weighed by how few texts have them, with each text scaled to length one (tf-idf); by pieces of three
letters besides, where a text is a single word. A logistic regression with a ridge is fitted for each model, of what it
did on these. The baseline by other models is the mean of their regressions, on the logit scale, and that by a model's
own history is its own regression. Folds are by the families of texts (`Wording`): nothing of the same one is in what a
regression learns from.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from selfexec.claims import Floats, Numbers
from selfexec.experiments import Wording
from selfexec.metrics.baselines.folds import folds
from selfexec.stats import Array, Features, ridge_logistic
from selfexec.text.regex import regex

MOST_PIECES = 200  # the commonest: with more it takes longer, and predicts hardly more
TOLERANCE = 1e-3
WORD = regex(r"[^\W_]+")


@dataclass(frozen=True)
class TextFeatures:
    """Texts as rows of numbers, shape (texts, pieces), sparse, and the fold of each."""

    rows: Any
    fold: Numbers

    @cached_property
    def features(self) -> Features:
        """The same, to learn from."""
        return Features.of(self.rows)

    @property
    def folds(self) -> int:
        return int(self.fold.max(initial=-1)) + 1


def texts_of(wordings: Sequence[Wording]) -> TextFeatures | None:
    """None where there is nothing to learn from: all are of one family, or have no piece in common."""
    families = merged([wording.family for wording in wordings])
    found = [pieces(wording.text) for wording in wordings]
    by_family: dict[str, set[str]] = {}
    for family, some in zip(families, found, strict=True):
        by_family.setdefault(family, set()).update(some)
    homes, counts = (Counter(chain.from_iterable(sets)) for sets in (by_family.values(), found))
    shared = [piece for piece, families_of_it in homes.items() if families_of_it > 1]
    kept = sorted(shared, key=lambda piece: (-counts[piece], piece))[:MOST_PIECES]
    if not kept:
        return None
    from scipy import sparse

    column = {piece: n for n, piece in enumerate(kept)}
    columns = [sorted(column[piece] for piece in some & column.keys()) for some in found]
    row, at = np.repeat(np.arange(len(found)), list(map(len, columns))), np.array([*chain.from_iterable(columns)])
    rare = np.array([1 + math.log((1 + len(found)) / (1 + counts[piece])) for piece in kept])
    length = np.sqrt(np.bincount(row, rare[at] ** 2, len(found)))
    rows = sparse.csr_array((rare[at] / length[row], (row, at)), shape=(len(found), len(kept)))
    return TextFeatures(rows, folds(families))


def pieces(text: str) -> set[str]:
    """What texts may have in common."""
    words = WORD.findall(text.casefold())
    if len(words) != 1:
        return set(words)
    whole = f"^{words[0]}$"  # so that a beginning and an end are distinguished from a middle
    return {words[0], *(whole[n : n + 3] for n in range(len(whole) - 2))}


def merged(families: Sequence[str]) -> list[str]:
    """Families where one's name is a part of the other's, word for word, are one: privacy and privacy_public."""
    names = set(families)
    within = {name: next(part for part in _parts(name) if part in names) for name in names}
    return [within[family] for family in families]


def _parts(name: str) -> list[str]:
    """The parts of a name, the shortest first and the name itself last."""
    words = name.split("_")
    spans = (words[n:m] for n in range(len(words)) for m in range(n + 1, len(words) + 1))
    return ["_".join(span) for span in sorted(spans, key=lambda span: (len(span), span))]


def predicted_by_text(texts: TextFeatures, first: Numbers, second: Numbers, did: Array) -> Array:
    """The logit of a yes to each claim, less that of the base rate where it is about one text (`second` is -1), by what
    one model did; nan where that was nowhere known.

    `first` and `second` number the texts of each claim, and `did` is how often it came true, nan where nobody knows. A
    pair tells of its second text what it does not tell of the first. Of a pair the two texts are in two folds, and
    each is spoken of by who has learnt from no pair with its own.
    """
    pair, n = second >= 0, texts.rows.shape[0]
    yes, all_ = np.zeros((n, texts.folds)), np.zeros((n, texts.folds))
    for fold in range(texts.folds):
        learnt = (texts.fold[first] != fold) & (~pair | (texts.fold[second] != fold)) & ~np.isnan(did)
        for mask, text, how_often in ((learnt, first, did), (learnt & pair, second, 1 - did)):
            yes[:, fold] += np.bincount(text[mask], how_often[mask], n)
            all_[:, fold] += np.bincount(text[mask], minlength=n)
    if not all_.sum(0).all():
        return np.full(len(first), math.nan)
    share = np.divide(yes, all_, out=np.zeros_like(yes), where=all_ > 0)
    learnt = ridge_logistic(texts.features, share, all_, tolerance=TOLERANCE)
    said = (texts.rows @ learnt[1:] + learnt[0] - logit(yes.sum(0), all_.sum(0)))[np.arange(n), texts.fold]
    found: Array = said[first] - np.where(pair, said[second], 0.0)
    return found


def logit(yes: Any, of: Any, base: Any = 0.5) -> Floats:
    """The logit of the share `yes` of `of`, with one case more, of which the part `base` is a yes: never infinite."""
    share = (yes + base) / (of + 1)
    found: Floats = np.log(share / (1 - share))
    return found
