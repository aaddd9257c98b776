"""Whose marks a drawing has: in which order they stand, what they are called, and which belong together."""

from collections.abc import Mapping
from dataclasses import dataclass

from selfexec.report.svg.canvas import Whose


@dataclass(frozen=True)
class Lineup:
    """Keys in their order, those of a group together. `headed` where the labels do not tell the group, so that a
    heading must.
    """

    keys: tuple[str, ...]
    groups: Mapping[str, str]
    labels: Mapping[str, str]
    headed: bool = False

    def whose(self, key: str, series: str = "") -> Whose:
        return Whose(key, self.groups[key], series)

    def apart(self, one: str, two: str) -> bool:
        """Whether a gap belongs between two keys: no gaps where all are of one group, or each of its own."""
        count = len(set(self.groups.values()))
        return 1 < count < len(self.keys) and self.groups[one] != self.groups[two]
