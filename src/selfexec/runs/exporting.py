"""Sessions for somebody else to ask: keys and prompts in rounds, for a batch API or another harness.

A round is every session that can be asked now: the first those whose prompts are known from the items alone, the next
those whose prompts hold replies (a judge's), once these are given. Nothing is left when a round is empty.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Item, Key
from selfexec.items import ItemSet
from selfexec.runs.prompts import AllPrompts, digest
from selfexec.runs.records import Reply
from selfexec.runs.replay import Visit, prompts_of

AT_ONCE = 1_000  # visits played through together: what there is at a time, however much is asked


class Asked(msgspec.Struct, frozen=True):
    """One session to ask. `custom_id` names it within 64 characters of A-Z, a-z, 0-9, _ and -, as batch APIs want it:
    the same for the same session for ever.
    """

    model: str
    experiment: str
    item: str
    epoch: int
    session: str
    custom_id: str
    prompt: str


@dataclass
class Round:
    """A round as it is made: `asked` counts its sessions, `waiting` those that may follow once they are answered."""

    models: Sequence[str]
    item_set: ItemSet
    prompts: AllPrompts
    epochs: int = 1
    replies: Mapping[Key, Reply] = field(default_factory=dict)
    asked: int = 0
    waiting: int = 0

    def __post_init__(self) -> None:
        if self.replies and not any(map(self._belongs, self.replies)):
            raise InputError(
                "none of these replies is of a session that is asked here. Are the models, items, cut and epochs those "
                "of the round before?"
            )

    def _belongs(self, key: Key) -> bool:
        known = key.item in self.item_set.items.get(key.experiment, ())
        return known and key.model in self.models and key.epoch <= self.epochs

    def sessions(self) -> Iterator[Asked]:
        """The sessions that can be asked now and have no reply that counts."""
        places = self._places()
        while some := list(islice(places, AT_ONCE)):
            visits = [self._visit(*place) for place in some]
            for place, visit, prompts in zip(some, visits, prompts_of(visits), strict=True):
                yield from self._left(place, visit, prompts)

    def _places(self) -> Iterator[tuple[str, str, Item, int]]:
        for epoch in range(1, self.epochs + 1):
            for experiment, by_id in self.item_set.items.items():
                for item in by_id.values():
                    for model in self.models:
                        yield model, experiment, item, epoch

    def _visit(self, model: str, experiment: str, item: Item, epoch: int) -> Visit:
        names = EXPERIMENTS[experiment].session_names(item)
        found = {name: self.replies.get(Key(model, experiment, item.id, epoch, name)) for name in names}
        texts = {name: reply.text for name, reply in found.items() if reply is not None and not reply.failed}
        return Visit(experiment, item, self.prompts[experiment], texts)

    def _left(self, place: tuple[str, str, Item, int], visit: Visit, prompts: Mapping[str, str]) -> Iterator[Asked]:
        model, experiment, item, epoch = place
        asked = 0
        for session, prompt in prompts.items():
            key = Key(model, experiment, item.id, epoch, session)
            if session not in visit.texts or self._stale(key, prompt):
                asked += 1
                yield Asked(*key, custom_id(key), prompt)
        self.asked += asked
        if asked:
            self.waiting += len(EXPERIMENTS[experiment].session_names(item)) - len(prompts)

    def _stale(self, key: Key, prompt: str) -> bool:
        """Whether a reply is to another prompt: a judge's, where the response was asked for anew."""
        sent = self.replies[key].prompt_sha256
        return sent is not None and sent != digest(prompt)


def custom_id(key: Key) -> str:
    return f"sx-{hashlib.sha256(msgspec.json.encode(key)).hexdigest()[:40]}"


def lines(sessions: Iterable[Asked]) -> Iterator[bytes]:
    """One JSON object a line."""
    return (line + b"\n" for line in map(msgspec.json.Encoder().encode, sessions))
