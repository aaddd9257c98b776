"""Whether a finite and unique Rasch estimate exists, and which models or items stand in its way.

A joint maximum-likelihood estimate exists if and only if the directed graph of who scored against whom (from a model
to an item where the rate is above 0, from an item to a model where it is below 1) is strongly connected: from each to
each there is a path (Fischer 1981; Haberman 1977).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from selfexec.errors import InputError
from selfexec.stats.intervals import Array

SHOWN = 5
Booleans = NDArray[np.bool_]
Nodes = NDArray[np.int64]  # models, then items


def check_estimable(rates: Array, names: Sequence[str]) -> None:
    """Refuse a table without a finite and unique estimate, naming those that cannot be placed.

    Args:
        rates: Shares by model and item, nan in holes.
        names: What messages call the models, then the items.
    """
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    won, lost = rates > 0, rates < 1  # a hole is neither
    _refuse_empty_and_perfect(won, lost, names)
    graph = sparse.block_array([[None, won], [lost.T, None]], format="csr")
    parts, part = connected_components(graph, directed=True, connection="weak")
    if parts > 1:
        smallest = np.flatnonzero(part == np.argmin(np.bincount(part)))
        raise InputError(
            f"{_listed(smallest, names)} shares no rate with the others: the table falls into {parts} parts that "
            "cannot be put on one scale. Fit them apart, or add rates that link them."
        )
    parts, part = connected_components(graph, directed=True, connection="strong")
    if parts > 1:
        _refuse_one_sided(graph.tocoo().coords, part, names)


def _refuse_empty_and_perfect(won: Booleans, lost: Booleans, names: Sequence[str]) -> None:
    """Refuse rows and columns without a rate, or with only rates of 0 or only of 1."""
    models = len(won)
    scored, missed = (np.concatenate([table.any(1), table.any(0)]) for table in (won, lost))
    if len(empty := np.flatnonzero(~scored & ~missed)):
        raise InputError(f"{names[empty[0]]}: there is no rate at all. Leave it out.")
    for wrong, first, value, limit in (
        (~scored[:models], 0, "0 on every item", "its ability is minus infinite"),
        (~missed[:models], 0, "1 on every item", "its ability is infinite"),
        (~scored[models:], models, "0 for every model", "its difficulty is infinite"),
        (~missed[models:], models, "1 for every model", "its difficulty is minus infinite"),
    ):
        if wrong.any():
            more = f" (so it is with {wrong.sum() - 1} more)" if wrong.sum() > 1 else ""
            name = names[first + int(np.argmax(wrong))]
            raise InputError(f"{name} has the rate {value}{more}: {limit}. Leave it out.")


def _refuse_one_sided(edges: Sequence[Nodes], part: Nodes, names: Sequence[str]) -> None:
    """Name the smallest part that only wins, or only loses, against the others: in every order of parts there is one
    that is first and one that is last.
    """
    sizes = np.bincount(part)
    winners, losers = (part[ends] for ends in edges)
    crossing = winners != losers
    wins, loses = (np.isin(np.arange(len(sizes)), ends[crossing]) for ends in (winners, losers))
    apart = min(np.flatnonzero(wins != loses), key=lambda k: sizes[k])
    never, limit = ("win", "minus infinite") if loses[apart] else ("lose", "infinite")
    raise InputError(
        f"{_listed(np.flatnonzero(part == apart), names)} never {never} against the others (a model wins above rate 0, "
        f"an item below rate 1): estimates are {limit}. Leave these out, or add rates that link them."
    )


def _listed(nodes: Nodes, names: Sequence[str]) -> str:
    """A few of these models and items by name."""
    more = f" and {len(nodes) - SHOWN} more" if len(nodes) > SHOWN else ""
    return f"{', '.join(names[k] for k in nodes[:SHOWN])}{more}"
