"""A log as it was read: whose it is, its samples, and those that could not be used, by reason."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from selfexec.extensions.logs.samples import Logged

LONGEST = 100_000  # characters of what a model was shown: it is to be shown once more, four of them at once


@dataclass
class Log:
    """`file` is where it lies, `sha256` what it is; `model` is None where the log does not say. `left_out` counts the
    samples that nothing can be done with, by reason; `why_no_score` is what is amiss where no sample has one, and
    `unscored` says the same in the few words that samples are counted by. `notes` are what else is to be known of it.
    """

    file: Path
    sha256: str
    tool: str
    model: str | None
    samples: list[Logged] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    why_no_score: str = ""
    unscored: str = "without any score"
    notes: list[str] = field(default_factory=list)

    @property
    def scores(self) -> tuple[str, ...]:
        """The names of all scores that any sample has."""
        return tuple(sorted({name for one in self.samples for name in one.marks}))


class UnusableLog(Exception):
    """Why nothing can be done with a sample, in a few words that are counted."""


def sound(text: Any) -> str:
    """A text without halves of characters, which JSON can spell out and no file can hold."""
    return text.encode("utf-8", "replace").decode() if isinstance(text, str) else ""


def plain(value: Any) -> Any:
    """A score's value as it can be kept: numbers that are none are put in words, what is neither is left out."""
    if isinstance(value, bool | int) or value is None:
        return value
    if isinstance(value, float):
        return value if abs(value) < float("inf") else str(value)
    if isinstance(value, str):
        return sound(value)[:1000]
    return None


def nested(value: Any, *names: str) -> Any:
    """What stands below these names in objects within objects; None where there is no such thing."""
    for name in names:
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value
