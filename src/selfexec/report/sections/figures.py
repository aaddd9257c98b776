"""Figures, each with the table behind it."""

from collections.abc import Sequence
from dataclasses import dataclass

from selfexec.report.data import Data
from selfexec.report.export import as_csv
from selfexec.report.figures import Figure
from selfexec.report.packing import packed


@dataclass(frozen=True)
class Figures:
    figures: Sequence[Figure]

    @staticmethod
    def packed(figure: Figure) -> str:
        """The table behind it, as its file has it."""
        return packed(as_csv(figure))


def figures(data: Data) -> Figures | None:
    return Figures(data.figures) if data.figures else None
