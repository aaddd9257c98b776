"""Whose marks a drawing has: in which order they stand, what they are called, and which belong together."""

from collections.abc import Mapping
from dataclasses import dataclass

from selfexec.report.svg.canvas import Whose


@dataclass(frozen=True)
class ModelOrder:
    """Keys in their order. `headed` where those of a group stand together, and a heading tells which it is."""

    keys: tuple[str, ...]
    groups: Mapping[str, str]
    labels: Mapping[str, str]
    headed: bool = False

    def whose(self, key: str, series: str = "") -> Whose:
        return Whose(key, self.groups[key], series)
