"""Figures, each with the table behind it."""

from collections.abc import Sequence
from dataclasses import dataclass

from selfexec.report.data import Data
from selfexec.report.figures import Figure


@dataclass(frozen=True)
class Figures:
    figures: Sequence[Figure]


def figures(data: Data) -> Figures | None:
    return Figures(data.figures) if data.figures else None
