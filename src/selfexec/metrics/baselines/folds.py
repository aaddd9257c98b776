"""Folds: who speaks of an item has learnt nothing from it, nor from its like."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from selfexec.claims import Numbers

FOLDS = 5


def folds(families: Sequence[str], most: int = FOLDS) -> Numbers:
    """The fold of each, such that a family is in one of them and they are about equally large."""
    sizes = Counter(families)
    held = [0] * min(most, len(sizes))
    found: dict[str, int] = {}
    for family, size in sorted(sizes.items(), key=lambda pair: (-pair[1], pair[0])):
        found[family] = held.index(min(held))
        held[found[family]] += size
    return np.array([found[family] for family in families], np.int64)
