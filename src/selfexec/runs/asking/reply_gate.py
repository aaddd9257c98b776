"""Replies are written down as they come, and the run stops where paying for the rest would be pointless: in two cases.

**A filter that answers everything.** An error in which a server names a content policy may mean that the model's
provider withheld this one reply, which is behaviour. It may also come from a firewall, an account or a gateway that
answers every request with it. The two can be told apart once the model itself has replied, in this command or an
earlier one. Until then such errors are held back; from then on they are written down as withheld.

**Replies that end in an unknown way**, ten of one model in a row with the same word. Either the replies are whole and
the server has a word of its own for that, or the server is broken. Only a person who looks at them can tell, so that
the rest is not asked, and perhaps paid for twice, before somebody has looked.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from selfexec.errors import InputError
from selfexec.experiments import Key
from selfexec.runs.ends import as_typed, why_unknown, with_accepted_end
from selfexec.runs.reply import Reply, ended_with
from selfexec.text.numbers import number_of

R = TypeVar("R", bound=Reply)
HELD_AT_MOST = 20
IN_A_ROW = 10
MANY = 0.2  # of a model's sessions: more than that withheld by the provider is worth a line


@dataclass
class _Silent:
    """A model that has said nothing yet: what is held back of it, and how many calls to it are under way."""

    held: list[Reply] = field(default_factory=list)
    under_way: int = 0


class ReplyGate:
    """Writes replies down, holds back what looks like a filter as long as its model has said nothing, and stops the run
    where one model's replies end in a row with the same unknown word.
    """

    def __init__(
        self,
        keep: Callable[[Reply], None],
        before: Iterable[Reply] = (),
        *,
        accept_filters: Collection[str] = (),
        accept_ends: Collection[str] = (),
        retry_ends: bool = False,
        way_to_texts: Callable[[], str] = str,
    ) -> None:
        """Begin with the replies that came `before`, in the order in which they came.

        Args:
            keep: Writes a reply down.
            before: The replies that earlier commands brought, as they count.
            accept_filters: Models whose replies are never held back.
            accept_ends: The words for unknown ends with which replies count.
            retry_ends: Whether the unknown ends that are there already are asked again, and so make no row.
            way_to_texts: Says how the texts of replies are looked at, in a message.
        """
        before = list(before)
        self._keep = keep
        self._trusted = {*accept_filters, *(reply.model for reply in before if reply.spoken)}
        self._accept_ends = accept_ends
        self._way_to_texts = way_to_texts
        self._rows = EndsInARow(() if retry_ends else before)
        self._silent: defaultdict[str, _Silent] = defaultdict(_Silent)
        self._under_way = 0
        self._changed = asyncio.Event()
        self._stop: InputError | None = None

    @asynccontextmanager
    async def admission(self, model: str) -> AsyncIterator[None]:
        """Wait until a call to a model may be made; within it the call is under way.

        Before a model has said anything no more calls to it are under way than may be held back. So all of them are
        awaited before the run stops: a filter answers sooner than a model does.

        Raises:
            InputError: A row of unknown ends is too long, and all calls that were under way have ended.
        """
        silent = self._silent[model]
        while model not in self._trusted and len(silent.held) + silent.under_way >= HELD_AT_MOST:
            await self._next_change()
        if self._stop is not None:
            await self._refuse(self._stop)
        silent.under_way += 1
        self._under_way += 1
        try:
            yield
        finally:
            silent.under_way -= 1
            self._under_way -= 1
            self._changed.set()

    async def keep(self, reply: R) -> R:
        """Write the reply to a call down, or hold it back, and return it as it counts.

        Raises:
            InputError: Too many are held back of a model; or a row of unknown ends is too long, once all calls that
                were under way have ended: what they bring is kept as well.
        """
        counted = with_accepted_end(reply, self._accept_ends) if self._accept_ends else reply
        self._keep_or_hold(reply, counted)
        if self._rows.count(counted) and self._stop is None:
            self._stop = InputError(row_message(counted, self._way_to_texts()))
        if self._stop is not None:
            await self._refuse(self._stop)
        return counted

    def settle(self) -> None:
        """Raise InputError if a model with something held back has said nothing to the end."""
        for model, silent in self._silent.items():
            if silent.held:
                raise InputError(_message(model, silent.held))

    def _keep_or_hold(self, reply: Reply, counted: Reply) -> None:
        silent = self._silent[reply.model]
        if reply.model not in self._trusted and counted.spoken:
            self._trusted.add(reply.model)
            for held in silent.held:
                self._keep(held)
            silent.held.clear()
        if reply.model in self._trusted or not reply.policy:
            self._keep(reply)
            return
        silent.held.append(reply)
        if len(silent.held) >= HELD_AT_MOST:
            raise InputError(_message(reply.model, silent.held))

    async def _refuse(self, stop: InputError) -> None:
        """Raise why the run stops, once all calls that are under way have ended."""
        while self._under_way:
            await self._next_change()
        raise stop

    async def _next_change(self) -> None:
        self._changed.clear()
        await self._changed.wait()


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


def row_message(reply: Reply, way_to_look: str) -> str:
    """Why the run stops, and the ways on."""
    word = reply.unknown_end
    return (
        f"{reply.model}: {IN_A_ROW} replies in a row {ended_with(word)}, {why_unknown(word)}. Nothing is lost: look at "
        f"the text ({way_to_look}). If these are whole replies, give the same command with --accept-ends "
        f"{as_typed(word)}; if they are not, mend the server and give the same command with --retry-ends."
    )


def held_back(known: Iterable[Reply], came: Sequence[Reply], accepted: bool) -> dict[str, list[Reply]]:
    """Those of the replies that came, by model, that look like a filter of a model which has said nothing yet."""
    heard = {reply.model for reply in (*known, *came) if reply.spoken}
    found: dict[str, list[Reply]] = defaultdict(list)
    for reply in came:
        if reply.policy and not accepted and reply.model not in heard:
            found[reply.model].append(reply)
    return found


def _message(model: str, held: list[Reply]) -> str:
    said = Counter(reply.policy for reply in held).most_common(1)[0][0]
    return (
        f"{model}: {number_of(len(held), 'session')} ended in an error that looks like a content filter, and the model "
        f"itself has said nothing yet. The server says ({said}). None of them is kept, since the key, the account, the "
        "region or a firewall may be behind it. If this model's provider does filter all of this, add "
        "--accept-filters; the same command goes on from here."
    )


def filter_warnings(replies: Mapping[Key, Reply]) -> Iterator[str]:
    """One line for each model whose provider withheld much, with what the server said."""
    asked = Counter(reply.model for reply in replies.values())
    withheld: dict[str, list[Reply]] = {}
    for reply in replies.values():
        if reply.withheld_by == "provider":
            withheld.setdefault(reply.model, []).append(reply)
    for model, found in withheld.items():
        if len(found) > MANY * asked[model]:
            said = Counter(reply.policy or "no error, finish reason content_filter" for reply in found)
            yield (
                f"{model}: the provider withheld {len(found):,} of {number_of(asked[model], 'reply', 'replies')} "
                f"({len(found) / asked[model]:.0%}). The server says ({said.most_common(1)[0][0]})"
            )
