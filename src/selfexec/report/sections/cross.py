"""Who predicts whom: predictions of each model held against the behaviour of each."""

from collections.abc import Sequence
from dataclasses import dataclass

from selfexec.analysis.cross import cross_prediction, self_bonus_line
from selfexec.metrics import WARNING, Crossed
from selfexec.report.data import Data


@dataclass(frozen=True)
class Crossing:
    """One matrix: the models of its rows and columns, and what it comes to in a line."""

    experiment: str
    metric: str
    found: Crossed
    models: Sequence[str]
    line: str


@dataclass(frozen=True)
class Cross:
    crossings: Sequence[Crossing]
    warning: str = WARNING


def cross(data: Data) -> Cross | None:
    crossings = [
        Crossing(*key, found, [m for m in data.models if m in found.common.models], self_bonus_line(found))
        for key, found in cross_prediction(data.runs).parts.items()
    ]
    return Cross(crossings) if crossings else None
