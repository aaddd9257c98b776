"""A run stops where one model's replies end, ten in a row, with the same word that is not known to end a reply.

Either these are whole replies of a server that has a word of its own, or the server is broken. Only a person who looks
at them can tell. So that a whole run is not paid for twice, the rest is not asked before somebody has looked.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable
from functools import partial
from typing import TypeVar

from selfexec.errors import InputError
from selfexec.runs.asking.suspected_filters import SuspectedFilters
from selfexec.runs.ends import as_typed, why_unknown, with_accepted_end
from selfexec.runs.records import Reply, ended_with

IN_A_ROW = 10
R = TypeVar("R", bound=Reply)


class EndsInARow:
    """Counts, for each model, how many of its last replies ended with the same unknown word. A reply that is accepted,
    or that ended in a known way, ends the row. A session from which nothing came says nothing of how replies end, so
    that it neither counts nor ends the row.
    """

    def __init__(self, known: Iterable[Reply] = ()) -> None:
        self._rows: dict[str, tuple[str | None, int]] = {}
        for reply in known:
            self.count(reply)

    def count(self, reply: Reply) -> bool:
        """Count a reply as it counts, with accepted ends. Whether the row of its model is too long now."""
        if reply.ended_unknown:
            word, number = self._rows.get(reply.model, (None, 0))
            number = number + 1 if word == reply.unknown_end else 1
            self._rows[reply.model] = (reply.unknown_end, number)
            return number >= IN_A_ROW
        if not reply.failed:
            self._rows.pop(reply.model, None)
        return False


class UnknownEndStop:
    """Has replies written down, and stops the run where one model's replies end in a row with the same unknown word.

    `doubts` writes them down; `accepted` are the words that do not count as unknown; `known` are the replies that are
    there already, in the order in which they came; `way_to_look` says how the texts are looked at.
    """

    def __init__(
        self, suspected_filters: SuspectedFilters, accepted: Collection[str], known: Iterable[Reply], way_to_look: str
    ) -> None:
        self._suspected_filters = suspected_filters
        self._accepted = accepted
        self._rows = EndsInARow(known)
        self._way_to_look = way_to_look
        self._under_way = 0
        self._changed = asyncio.Event()
        self._stop: InputError | None = None

    async def take(self, model: str, ask: Callable[[], Awaitable[R]]) -> R:
        """The reply that `ask` brings, as it counts, written down as it came. Raises InputError where a row is too
        long, once all calls that were under way have ended: what they bring is kept as well.
        """
        kept = await self._suspected_filters.take(model, partial(self._asked, ask))
        reply = with_accepted_end(kept, self._accepted)
        if self._rows.count(reply) and self._stop is None:
            self._stop = InputError(row_message(reply, self._way_to_look))
        if self._stop is not None:
            await self._stopped(self._stop)
        return reply

    async def _asked(self, ask: Callable[[], Awaitable[R]]) -> R:
        if self._stop is not None:
            await self._stopped(self._stop)
        self._under_way += 1
        try:
            return await ask()
        finally:
            self._under_way -= 1
            if self._stop is not None:  # else nobody waits
                self._changed.set()

    async def _stopped(self, stop: InputError) -> None:
        while self._under_way:
            self._changed.clear()
            await self._changed.wait()
        raise stop


def row_message(reply: Reply, way_to_look: str) -> str:
    """Why the run stops, and the ways on."""
    word = reply.unknown_end
    return (
        f"{reply.model}: {IN_A_ROW} replies in a row {ended_with(word)}, {why_unknown(word)}. Nothing is lost: look at "
        f"the text ({way_to_look}). If these are whole replies, give the same command with --accept-ends "
        f"{as_typed(word)}; if they are not, mend the server and give the same command with --retry-ends."
    )
