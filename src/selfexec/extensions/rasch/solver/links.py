"""Whether a finite and unique estimate exists, and who stands in its way.

A joint maximum-likelihood estimate exists if and only if the directed graph of who scored against whom (from a model
to an item where the rate is above 0, from an item to a model where it is below 1) is strongly connected: from each to
each there is a way (Fischer 1981; Haberman 1977).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from selfexec.errors import InputError
from selfexec.extensions.rasch.solver.cells import Names, RateBlocks

SWEEPS = 30  # further than this lies only who is in a long chain
SHOWN = 5
GLANCE = 8  # items


def check_estimable(table: RateBlocks, names: Names) -> None:
    """Refuse a table without a finite and unique estimate, by the names of those who break it."""
    if table.complete and (table.open or _tied(table)):
        return
    for what, counts in zip((names.model, names.item), table.counts, strict=True):
        if len(empty := np.flatnonzero(counts == 0)):
            raise InputError(f"{what(empty[0])}: there is no rate at all. Leave it out.")
    if _all_in_reach(table, forward=True) and (table.open or _all_in_reach(table, forward=False)):
        return
    _name_who_breaks(table, names)


def _tied(table: RateBlocks) -> bool:
    """Whether one sees at a glance that all are tied: by an item of middling difficulty on which every model's rate is
    above 0 and below 1, while no item has only rates of 0 or only of 1.
    """
    models, won = table.shape[0], table.success_totals[1]
    if not (table.plain and ((won > 0) & (won < models)).all()):
        return False
    middling = np.argpartition(np.abs(won - models / 2), min(GLANCE, len(won)) - 1)[:GLANCE]
    rates = np.concatenate([block.rates[:, middling] for block in table.blocks])
    return bool(((rates > 0) & (rates < 1)).all(0).any())


def _all_in_reach(table: RateBlocks, *, forward: bool) -> bool:
    """Whether a few steps lead from the first model to everybody (or from everybody to it); False where unsure."""
    models, items = np.zeros(table.shape[0]), np.zeros(table.shape[1])
    models[0] = 1
    out, home = (table.successes, table.failures) if forward else (table.failures, table.successes)
    seen = 0.0
    for _ in range(SWEEPS):
        items = np.maximum(items, table.back(out(), models) > 0)
        if not models.all():
            models = np.maximum(models, table.times(home(), items) > 0)
        if models.all() and items.all():
            return True
        if models.sum() + items.sum() == seen:
            return False
        seen = models.sum() + items.sum()
    return False


def _name_who_breaks(table: RateBlocks, names: Names) -> None:
    graph = _graph(table)
    _refuse_perfect(table, names)
    parts, part = connected_components(graph, directed=True, connection="weak")
    if parts > 1:
        few = np.flatnonzero(part == np.argmin(np.bincount(part)))
        raise InputError(
            f"{_listed(few, table, names)} shares no rate with the others: the table falls into {parts} parts that "
            "cannot be put on one scale. Fit them apart, or add rates that link them."
        )
    parts, part = connected_components(graph, directed=True, connection="strong")
    if parts == 1:
        return
    sizes = np.bincount(part)
    edges = graph.tocoo()
    crossing = part[edges.row] != part[edges.col]
    wins, loses = np.zeros(parts, bool), np.zeros(parts, bool)
    wins[part[edges.row[crossing]]] = True
    loses[part[edges.col[crossing]]] = True
    # every order of parts has a first and a last; the smaller of such parts is the one to name
    apart = min(np.flatnonzero(wins != loses), key=lambda k: sizes[k])
    never, limit = ("win", "minus infinite") if loses[apart] else ("lose", "infinite")
    raise InputError(
        f"{_listed(np.flatnonzero(part == apart), table, names)} never {never} against the others (a model wins above "
        f"rate 0, an item below rate 1): estimates are {limit}. Leave these out, or add rates that link them."
    )


def _graph(table: RateBlocks) -> Any:
    """Who scored against whom: models first, then items."""
    sources, targets = [], []
    for block, won, lost in zip(table.blocks, table.successes(), table.failures(), strict=True):
        rows, columns = block.places()
        columns += table.shape[0]
        for values, start, end in ((won, rows, columns), (lost, columns, rows)):
            there = values.ravel() > 0
            sources.append(start[there])
            targets.append(end[there])
    start, end = np.concatenate(sources), np.concatenate(targets)
    size = sum(table.shape)
    return sparse.coo_array((np.ones(len(start), np.int8), (start, end)), shape=(size, size)).tocsr()


def _refuse_perfect(table: RateBlocks, names: Names) -> None:
    won, lost = table.success_totals, table.totals(table.failures())
    for what, who, value, limit in (
        (won[0], names.model, "0 on every item", "its ability is minus infinite"),
        (lost[0], names.model, "1 on every item", "its ability is infinite"),
        (won[1], names.item, "0 for every model", "its difficulty is infinite"),
        (lost[1], names.item, "1 for every model", "its difficulty is minus infinite"),
    ):
        if len(found := np.flatnonzero(what == 0)):
            more = f" (so it is with {len(found) - 1} more)" if len(found) > 1 else ""
            raise InputError(f"{who(int(found[0]))} has the rate {value}{more}: {limit}. Leave it out.")


def _listed(nodes: NDArray[np.int64], table: RateBlocks, names: Names) -> str:
    """A few of these models and items by name."""
    models = table.shape[0]
    shown = [names.model(int(k)) if k < models else names.item(int(k) - models) for k in nodes[:SHOWN]]
    more = f" and {len(nodes) - SHOWN} more" if len(nodes) > SHOWN else ""
    return f"{', '.join(shown)}{more}"
