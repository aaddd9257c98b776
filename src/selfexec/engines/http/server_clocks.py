"""When a server says that it made a reply, beside when the call was sent: what is hours older came from a cache.

Clocks differ by minutes, some by the hours of a time zone, and some servers give the same time with each reply. So an
early time is known to be that of an old reply only where this server has shown, with another reply of the model, that
its clock is right. Where it has not, the reply is kept with its age, which is reported.
"""

import time

from msgspec.structs import replace

from selfexec.engines.base import Outcome
from selfexec.engines.http.ends import BESIDE, MISSING
from selfexec.engines.http.wires.base import doubtful

SKEW = 600.0  # seconds by which a clock may be off
OLD = 3_600.0  # seconds before its call at which no reply of its own was made
OLDEST = 366 * 86_400.0  # seconds: an earlier time is none that a clock ever showed, where nothing else is known


class ServerClocks:
    """For which models a server has given a right time of a reply."""

    def __init__(self) -> None:
        self._right: set[tuple[str, str]] = set()

    def judged(self, url: str, model: str, outcome: Outcome, sent: float) -> Outcome:
        """A reply to a call that was sent at this time, as it counts by the time at which it was made."""
        if outcome.created is None or outcome.error is not None:
            return outcome
        age, whose = sent - outcome.created, (url, model)
        if age < OLD:
            if age <= SKEW and outcome.created <= time.time() + SKEW:
                self._right.add(whose)
            return outcome
        if whose in self._right:
            word = f"{outcome.stop_reason or MISSING}{BESIDE}"
            why = f"the reply is older than its call, by {in_hours(age)}: something on the way had kept it"
            return doubtful(outcome, word, why)
        return replace(outcome, age=int(age)) if age < OLDEST else outcome


def in_hours(seconds: float) -> str:
    """A long time in words."""
    hours = round(seconds / 3600)
    return f"{hours:,} h" if hours < 48 else f"{round(hours / 24):,} days"
