"""What could not be read, was withheld, or is missing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from selfexec.analysis.notes import noise_and_loss
from selfexec.report.data import Data
from selfexec.report.sessions import STATE_NAMES, StateLine, state_lines


@dataclass(frozen=True)
class Lost:
    """Of so many `kinds` of sessions the lines of those that were not read whole, the states that occur in them, and
    what the scores rest on.
    """

    kinds: int
    lines: Sequence[StateLine]
    states: Mapping[str, str]
    notes: Sequence[str]


def lost(data: Data) -> Lost:
    every = sorted(state_lines(data.sessions), key=lambda line: data.places[line.model])
    lines = [line for line in every if line.lossy]
    used = {code for line in lines for code in line.counts} - {"r"}
    states = {code: name for code, name in STATE_NAMES.items() if code in used}
    scores = sorted(data.scores, key=lambda row: data.places[row.model])
    warnings = sorted(data.scores.warnings, key=lambda warned: data.places.get(getattr(warned, "model", ""), 0))
    return Lost(len(every), lines, states, noise_and_loss(scores, warnings, data.scores.runs, name_only=True))
