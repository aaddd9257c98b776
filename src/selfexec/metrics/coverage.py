"""How much of what was asked is known, and shares of parts and wholes by item."""

import math

import numpy as np

from selfexec.claims import Claims
from selfexec.claims.arrays import MISSING, READ, TIE, UNREADABLE
from selfexec.metrics.rows import Estimate
from selfexec.stats import NONE, Array, Interval, effective_n, ratio_error, wilson

NOTHING_READ = "no claim could be scored"


def nothing_read(claims: Claims) -> str | None:
    """Why nothing can be said of these claims, None where one of them was read. Strictly each unreadable prediction is
    wrong; a model with no other claims has predicted nothing, and is not the worst of those that predicted something.
    """
    if (claims.state == READ).any():
        return None
    states = {"unreadable": UNREADABLE, "missing": MISSING, "tied": TIE}
    lost = [f"{n:,} {name}" for name, state in states.items() if (n := int((claims.state == state).sum()))]
    return f"no claim was read ({', '.join(lost)})" if lost else NOTHING_READ


def nothing_readable(claims: Claims) -> str | None:
    """That replies came, and not one prediction could be read from them; None where one could, or where none came."""
    unreadable, missing = (int((claims.state == state).sum()) for state in (UNREADABLE, MISSING))
    if not unreadable or (claims.predicted != 0).any():
        return None
    return f"not one of its predictions could be read ({unreadable:,} claims unreadable, {missing:,} missing)"


def coverage(claims: Claims) -> Estimate:
    return share_of_pairs(known_and_asked(claims))


def known_and_asked(claims: Claims) -> Array:
    """How many claims of each item were read or tied, and how many there are, shape (items, 2)."""
    return np.stack([claims.by_item(claims.known), claims.by_item()], axis=1)


def share_of_pairs(pairs: Array) -> Estimate:
    """A share from parts and wholes by item, shape (items, 2)."""
    pairs = pairs[pairs[:, 1] > 0]
    if not len(pairs):
        return Estimate(math.nan, reason=NOTHING_READ)
    share = float(pairs[:, 0].sum() / pairs[:, 1].sum())
    error = ratio_error(lambda totals: totals[..., 0] / totals[..., 1], pairs)
    return Estimate(share, share_interval(share, error, pairs), error)


def share_interval(share: float, error: float, counts: Array) -> Interval:
    clusters = len(counts)
    if clusters < 2:
        return NONE
    return wilson(share, effective_n(share, error, clusters))
