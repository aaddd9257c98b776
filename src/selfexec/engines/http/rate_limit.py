"""How many calls may be under way at once: many at first, fewer when the server asks for it, more as it recovers."""

import asyncio
import time
from collections import deque

SLOWER = 0.7  # of the connections, when the server says that they are too many
CALM = 1.0  # seconds in which further complaints are about the same burst


class RateLimit:
    """Additive increase, multiplicative decrease (Chiu and Jain 1989), between 1 and `most` connections."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = float(most)
        self.busy = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._slowed = -CALM
        self._closed_until = 0.0

    async def __aenter__(self) -> None:
        if self.busy < int(self.limit):
            self.busy += 1
        else:
            await self._place()
        try:
            while self._closed_until and (wait := self._closed_until - time.monotonic()) > 0:
                await asyncio.sleep(wait)
        except asyncio.CancelledError:
            self._leave()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._leave()

    async def _place(self) -> None:
        """Wait for a place, which is held from the moment when it is given: nobody who comes later takes it."""
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._leave()
            raise

    def _leave(self) -> None:
        self.busy -= 1
        self._let_in()

    def went_well(self) -> None:
        if self.limit < self.most:
            # one more connection for as many successes as there are connections
            self.limit = min(self.limit + 1 / self.limit, self.most)
            self._let_in()

    def too_fast(self, retry_after: float | None = None) -> None:
        """The server complained. Nobody calls before it wants to be called again."""
        now = time.monotonic()
        if retry_after:
            self._closed_until = max(self._closed_until, now + retry_after)
        if now - self._slowed > CALM:
            self._slowed = now
            self.limit = max(self.limit * SLOWER, 1.0)

    def _let_in(self) -> None:
        while self._waiting and self.busy < int(self.limit):
            place = self._waiting.popleft()
            if not place.done():
                self.busy += 1
                place.set_result(None)
