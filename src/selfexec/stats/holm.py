"""Many comparisons at once: adjusted p values, and who cannot be told apart."""

from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from typing import TypeVar

import numpy as np

from selfexec.stats.intervals import Array

T = TypeVar("T", bound=Hashable)


def holm(p: Array) -> Array:
    """p values adjusted by Holm (1979): with m of them in ascending order, the k-th is max over j <= k of
    (m - j + 1) p_j, at most 1. One that is nan was not tested: it stays nan and does not count in m.
    """
    adjusted: Array = np.full(len(p), np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    steps = np.maximum.accumulate(p[order] * np.arange(len(order), 0, -1))
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


def holm_points(z: Array, level: float) -> Array:
    """The points of the standard normal distribution that one-sided z values are compared with in Holm's procedure.

    The k-th largest of m is compared with the upper level / (m - k + 1) point; once one does not exceed its point, the
    rest are compared with that same point. So z exceeds its point just where Holm's adjusted p is below the level, and
    value - point * SE is the end of the interval that was tested.

    Args:
        z: Values over their standard errors, in the direction that is tested.
        level: Of the test, one-sided.
    """
    from scipy.special import ndtri

    points: Array = np.empty(len(z))
    stopped: float | None = None
    for rank, place in enumerate(np.argsort(-z, kind="stable")):
        point = float(-ndtri(level / (len(z) - rank))) if stopped is None else stopped
        points[place] = point
        if stopped is None and not z[place] > point:
            stopped = point
    return points


def tied_groups(ranked: Sequence[T], different: Iterable[tuple[T, T]]) -> list[list[T]]:
    """The maximal sets in which no pair is different, each in ranking order, the set of the best ranked first.

    One may be in several: not to be told apart from either neighbour, although these can be told apart.
    """
    apart = {frozenset(pair) for pair in different}
    alike = {one: {two for two in ranked if two != one and frozenset((one, two)) not in apart} for one in ranked}
    place = {one: n for n, one in enumerate(ranked)}
    groups = [sorted(group, key=place.__getitem__) for group in _cliques(set(), set(ranked), set(), alike)]
    return sorted(groups, key=lambda group: [place[one] for one in group])


def _cliques(group: Set[T], left: Set[T], done: Set[T], alike: dict[T, set[T]]) -> Iterator[Set[T]]:
    """Bron and Kerbosch (1973), with a pivot."""
    if not left and not done:
        if group:
            yield group
        return
    pivot = max(left | done, key=lambda one: len(alike[one] & left))
    for one in sorted(left - alike[pivot], key=repr):
        yield from _cliques(group | {one}, left & alike[one], done & alike[one], alike)
        left, done = left - {one}, done | {one}
