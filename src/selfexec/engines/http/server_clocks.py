"""When a server says that it made a reply, beside when the call was sent: what is hours older came from a cache.

Clocks differ by minutes, some by the hours of a time zone, and some servers give the same time with each reply. So an
early time is known to be that of an old reply only where this server has shown, with another reply of the model, that
its clock is right. Where it has not, the reply is kept with its age, which is reported. A server whose clock was exact
for another reply is believed as soon as a reply is older than a clock may be off.

The header `Date` has the time of the response, which caches keep (RFC 9111). It is judged in the same way by those of
other replies from the address, and says nothing where none of them was right: that clock is of whatever sent it.
"""

import time

from msgspec.structs import replace

from selfexec.engines.base import CallResult
from selfexec.engines.http.ends import BESIDE, MISSING
from selfexec.engines.http.server_times import seconds_of_date
from selfexec.engines.http.wires.base import doubtful

SKEW = 600.0  # seconds by which a clock may be off
EXACT = 60.0  # seconds by which it is off where clocks are set by the network
OLD = 3_600.0  # seconds before its call at which no reply of its own was made
OLDEST = 366 * 86_400.0  # seconds: an earlier time is none that a clock ever showed, unless it is another each time


class ServerClocks:
    """For which models a server has given a right time of a reply, and which addresses a right date of a response; and
    which of these were exact.
    """

    def __init__(self) -> None:
        self._oldest: dict[tuple[str, str | None], float] = {}  # the first time that no clock showed
        self._right: set[tuple[str, str | None]] = set()  # None: the dates in the headers of all models
        self._exact: set[tuple[str, str | None]] = set()

    def judged(self, url: str, model: str, result: CallResult, sent: float, date: str | None = None) -> CallResult:
        """A reply to a call that was sent at this time, as it counts by the time at which it was made, as its body and
        the `Date` of its response say.
        """
        for whose, made in (((url, model), result.created), ((url, None), seconds_of_date(date or ""))):
            if made is None or result.error is not None:
                continue
            age = sent - made
            if age <= SKEW:
                if made <= (now := time.time()) + SKEW:
                    self._right.add(whose)
                if age <= EXACT and made <= now + EXACT:
                    self._exact.add(whose)
            elif whose in (self._right if age >= OLD else self._exact):
                word = f"{result.stop_reason or MISSING}{BESIDE}"
                why = f"the reply is older than its call, by {in_words(age)}: something on the way had kept it"
                result = doubtful(result, word, why)
            elif whose == (url, model) and (age < OLDEST or self._oldest.setdefault(whose, made) != made):
                result = replace(result, age=int(age))
        return result


def in_words(seconds: float) -> str:
    """A long time in words."""
    if seconds < OLD:
        return f"{seconds / 60:.0f} min"
    hours = round(seconds / 3600)
    return f"{hours:,} h" if hours < 48 else f"{round(hours / 24):,} days"
