"""What looks like a content filter is held back until the model has said something.

An error in which a server names a content policy may be the model's provider withholding this one reply: behaviour.
It may as well be a firewall, an account or a gateway that answers everything so. What tells the two apart is a reply
of the model's own, in this run or in an earlier command's: only then are such errors written down as withheld.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from selfexec.errors import InputError
from selfexec.experiments import Key
from selfexec.runs.ends import with_accepted_end
from selfexec.runs.records import Reply
from selfexec.text.numbers import number_of

R = TypeVar("R", bound=Reply)
HELD_AT_MOST = 20
MANY = 0.2  # of a model's sessions: more than that withheld by the provider is worth a line


class _Doubt:
    """What is held back of one model, and how many calls to it are under way."""

    def __init__(self) -> None:
        self.held: list[Reply] = []
        self.under_way = 0
        self.changed = asyncio.Event()

    @property
    def full(self) -> bool:
        return len(self.held) + self.under_way >= HELD_AT_MOST


class SuspectedFilters:
    """Writes replies down, but holds back what looks like a filter as long as its model has said nothing.

    `keep` writes a reply down. `known` are the replies that are there already. Of models in `accepted`
    nothing is held back. Replies that ended with a word in `accept_ends` count as what the model said.
    """

    def __init__(
        self,
        keep: Callable[[Reply], None],
        known: Mapping[Key, Reply],
        accepted: Collection[str] = (),
        accept_ends: Collection[str] = (),
    ) -> None:
        self._keep = keep
        self._heard = {reply.model for reply in known.values() if reply.spoken}
        self._accepted = accepted
        self._accept_ends = accept_ends
        self._suspected_filters: defaultdict[str, _Doubt] = defaultdict(_Doubt)

    async def take(self, model: str, ask: Callable[[], Awaitable[R]]) -> R:
        """The reply that `ask` brings, written down or held back. Raises InputError where too many are held back.

        Before a model has said anything no more calls to it are under way than may be held back. So all of them are
        awaited before the run stops: a filter answers sooner than a model does.
        """
        if self._trusts(model):
            reply = await ask()
            self._keep(reply)
            return reply
        doubt = self._suspected_filters[model]
        while doubt.full and not self._trusts(model):
            doubt.changed.clear()
            await doubt.changed.wait()
        doubt.under_way += 1
        try:
            reply = await ask()
        finally:
            doubt.under_way -= 1
            doubt.changed.set()
        self._weigh(doubt, reply)
        if len(doubt.held) >= HELD_AT_MOST:
            raise InputError(_message(model, doubt.held))
        return reply

    def settle(self) -> None:
        """Raise InputError if a model with something held back has said nothing to the end."""
        for model, doubt in self._suspected_filters.items():
            if doubt.held:
                raise InputError(_message(model, doubt.held))

    def _trusts(self, model: str) -> bool:
        return model in self._heard or model in self._accepted

    def _weigh(self, doubt: _Doubt, reply: Reply) -> None:
        if with_accepted_end(reply, self._accept_ends).spoken:
            self._heard.add(reply.model)
            for held in doubt.held:
                self._keep(held)
            doubt.held.clear()
        if reply.policy and not self._trusts(reply.model):
            doubt.held.append(reply)
        else:
            self._keep(reply)


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
