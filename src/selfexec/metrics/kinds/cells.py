"""Claims of yes and no, counted by what was predicted and what happened."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from selfexec.claims import Claims, Flags
from selfexec.claims.arrays import READ

CELLS = ("tp", "fp", "fn", "tn", "unread_true", "unread_false", "unread_outcome")


class Cells(NamedTuple):
    """`unread_true`: predictions that could not be read of what did happen; `unread_false`: of what did not;
    `unread_outcome`: claims that nobody knows to have come true or not."""

    tp: Any
    fp: Any
    fn: Any
    tn: Any
    unread_true: Any
    unread_false: Any
    unread_outcome: Any

    @classmethod
    def of(cls, counts: NDArray[Any]) -> "Cells":
        """Of counts with cells on the last axis."""
        return cls(*(counts.T if counts.ndim < 3 else np.moveaxis(counts, -1, 0)))

    @property
    def claims(self) -> Any:
        return sum(self)

    @property
    def known(self) -> Any:
        """Claims whose outcome is known."""
        return self.claims - self.unread_outcome


def confusion(claims: Claims) -> dict[str, Flags]:
    """Which of the claims that were read are true positives, false positives, and so on."""
    read, said, did = claims.state == READ, claims.predicted, claims.observed
    return {
        "tp": read & (said > 0) & (did > 0),
        "fp": read & (said > 0) & (did < 0),
        "fn": read & (said < 0) & (did > 0),
        "tn": read & (said < 0) & (did < 0),
    }


def known_sides(claims: Claims) -> dict[str, int]:
    """How many claims were read, by cell, and how many were lost, by what is known of them: that they came `true` or
    `false`, that the model said `yes` or `no`, or nothing.
    """
    said, did, lost = claims.predicted, claims.observed, claims.lost
    ways = {
        **confusion(claims),
        "true": lost & (did > 0),
        "false": lost & (did < 0),
        "yes": lost & (did == 0) & (said > 0),
        "no": lost & (did == 0) & (said < 0),
        "unknown": lost & (did == 0) & (said == 0),
    }
    return {name: int(which.sum()) for name, which in ways.items()}
