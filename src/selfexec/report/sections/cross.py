"""Who predicts whom: predictions of each model held against the behaviour of each."""

from collections.abc import Sequence
from dataclasses import dataclass

from selfexec.analysis.cross import EACH_ITS_OWN, by_other, cross_prediction, self_bonus_line
from selfexec.metrics import WARNING, Crossed
from selfexec.report.data import Data


@dataclass(frozen=True)
class Crossing:
    """One matrix: whose outcomes it has, the models of its rows and columns, and what it comes to in a line."""

    experiment: str
    metric: str
    found: Crossed
    by: str
    models: Sequence[str]
    line: str


@dataclass(frozen=True)
class Cross:
    """`apart`: experiments in which each model foretells its own."""

    crossings: Sequence[Crossing]
    apart: Sequence[str]
    each_its_own: str = EACH_ITS_OWN
    warning: str = WARNING


def cross(data: Data) -> Cross | None:
    crossed = cross_prediction(data.runs)
    crossings = [
        Crossing(
            *key,
            found,
            by_other(key[1], found),
            [m for m in data.models if m in found.common.models],
            self_bonus_line(found),
        )
        for key, found in crossed.parts.items()
    ]
    return Cross(crossings, crossed.apart) if crossings or crossed.apart else None
