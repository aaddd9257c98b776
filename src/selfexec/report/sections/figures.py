"""Figures that answer the questions of the front, each with the table behind it: a gallery of two columns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from selfexec.report.data import Data
from selfexec.report.figures import Figure

LETTERS = 68  # in a line of a caption


@dataclass(frozen=True)
class Figures:
    """`columns` have them one after the other."""

    columns: Sequence[Sequence[Figure]]


def figures(data: Data) -> Figures | None:
    if not data.figures:
        return None
    return Figures(halves(data.figures))


def halves(figures: Sequence[Figure]) -> Sequence[Sequence[Figure]]:
    """In two columns of like height, about."""
    heights = [_height(figure) for figure in figures]
    split = min(range(len(figures) + 1), key=lambda n: abs(sum(heights[:n]) - sum(heights[n:])))
    return [column for column in (figures[:split], figures[split:]) if column]


def _height(figure: Figure) -> float:
    """In pixels of a column as wide as a drawing: this, its caption, and what stands above and below."""
    drawn = re.search(r'viewBox="0 0 [\d.]+ ([\d.]+)"', figure.svg)
    return (float(drawn[1]) if drawn else 0.0) + 22 * len(figure.caption) / LETTERS + 230
