"""Sessions for somebody else to ask: keys and prompts in rounds, for a batch API or another harness.

A round is every session that can be asked now: the first those whose prompts are known from the items alone, the next
those whose prompts hold replies (a judge's), once these are given. Nothing is left when a round is empty.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Item, JobKey, Key, Prompt, Prompts
from selfexec.facets import DEFAULT, Condition, condition_name, history_in, in_condition, opens_sessions
from selfexec.items import ItemSet
from selfexec.prompts import AllPrompts, by_condition, digest
from selfexec.runs.design import Design
from selfexec.runs.replay import FORCED, ReplayedItem, forcing, prompts_of
from selfexec.runs.reply import Cut, Reply

AT_ONCE = 1_000  # jobs played through together: what there is at a time, however much is asked


class ExportedSession(msgspec.Struct, frozen=True, omit_defaults=True):
    """One session to ask. `custom_id` names it within 64 characters of A-Z, a-z, 0-9, _ and -, as batch APIs want it:
    the same for the same session for ever. `cut` says which items it is one of: an import then knows what is missing.
    """

    model: str
    experiment: str
    item: str
    epoch: int
    session: str
    custom_id: str
    prompt: Prompt
    facets: dict[str, str] = {}
    cut: Cut = Cut()


@dataclass
class Round:
    """A round as it is made: `asked` counts its sessions, `waiting` those that may follow once they are answered, and
    `not_asked_again` those that are missing, since the end of their reply is not known; with `retry_ends` these are
    asked, too. Where there is a `design`, nothing else is asked; of experiments about logs, only what logs
    have (`recorded`).
    """

    models: Sequence[str]
    item_set: ItemSet
    prompts: AllPrompts
    epochs: int = 1
    replies: Mapping[Key, Reply] = field(default_factory=dict)
    conditions: Sequence[Condition] = (DEFAULT,)
    retry_ends: bool = False
    cut: Cut = Cut()
    design: Design | None = None
    recorded: frozenset[JobKey] = frozenset()
    asked: int = 0
    waiting: int = 0
    not_asked_again: int = 0
    _there: dict[JobKey, list[Key]] = field(default_factory=dict, init=False, repr=False)
    _asking: Mapping[str, Mapping[Condition, Prompts]] = field(default_factory=dict, init=False, repr=False)
    _forcing: frozenset[str] = field(default=frozenset(), init=False, repr=False)

    def __post_init__(self) -> None:
        self._forcing = forcing(self.replies.values())
        self._asking = by_condition(self.prompts, self.item_set.experiments, self.conditions)
        if shown := [condition_name(c) for c in self.conditions if history_in(c)]:
            raise InputError(
                f"{shown[0]}: what is shown there are results of each model, which are not known here. Only "
                "`selfexec run` asks that."
            )
        if on := [condition_name(c) for c in self.conditions if opens_sessions(c)]:
            raise InputError(
                f"{on[0]}: models have prompts executed there, one after the other. Only `selfexec run` asks that."
            )
        if self.replies and not any(map(self._belongs, self.replies)):
            raise InputError(
                "none of these replies is of a session that is asked here. Are the models, items, cut and epochs those "
                "of the round before?"
            )
        for key, reply in self.replies.items():
            if not reply.failed or self._is_held(reply):
                self._there.setdefault(key[:4], []).append(key)

    def _is_held(self, reply: Reply) -> bool:
        """Whether a session is missing and not asked again: its reply, which has no text, leads to no other session."""
        return reply.ended_unknown and not self.retry_ends

    def _belongs(self, key: Key) -> bool:
        known = key.item in self.item_set.items.get(key.experiment, ())
        return known and key.model in self.models and key.epoch <= self.epochs

    def sessions(self) -> Iterator[ExportedSession]:
        """The sessions that can be asked now and have no reply that counts."""
        places = self._places()
        while some := list(islice(places, AT_ONCE)):
            jobs = [self._job(place) for place in some]
            for place, job, prompts in zip(some, jobs, prompts_of(jobs), strict=True):
                yield from self._left(place, job, prompts)

    def _places(self) -> Iterator["_Place"]:
        conditions = {e: list(asked) for e, asked in self._asking.items()}
        for epoch in range(1, self.epochs + 1):
            for experiment, by_id in self.item_set.items.items():
                for item in by_id.values():
                    for model in self.models:
                        wanted = [
                            c for c in conditions[experiment] if self._is_wanted(model, experiment, item, epoch, c)
                        ]
                        for n, condition in enumerate(wanted):
                            yield _Place(model, experiment, item, epoch, condition, wanted[:n])

    def _is_wanted(self, model: str, experiment: str, item: Item, epoch: int, condition: Condition) -> bool:
        """Whether an item is asked of a model in an epoch and a condition."""
        if EXPERIMENTS[experiment].recorded and (model, experiment, item.id, epoch) not in self.recorded:
            return False
        return self.design is None or epoch <= self.design.get((model, experiment, condition), {}).get(item.id, 0)

    def _job(self, place: "_Place") -> ReplayedItem:
        there = self._there.get((place.model, place.experiment, place.item.id, place.epoch), ())
        replies = [self.replies[key] for key in there if key == place.key(key.session)]
        return ReplayedItem(
            place.experiment,
            place.item,
            self._asking[place.experiment][place.condition],
            {reply.session: reply.text for reply in replies},
            forced={reply.session: reply.forced for reply in replies if reply.forced is not None},
            logprobs={reply.session: reply.logprobs for reply in replies if reply.logprobs},
            can=FORCED if place.model in self._forcing else frozenset(),
        )

    def _left(self, place: "_Place", job: ReplayedItem, prompts: Mapping[str, Prompt]) -> Iterator[ExportedSession]:
        asked = 0
        for session in place.own(prompts):
            key, prompt = place.key(session), prompts[session]
            if session not in job.texts or self._stale(key, prompt):
                asked += 1
                yield ExportedSession(*key[:5], custom_id(key), prompt, dict(key.facets), self.cut)
            elif self._is_held(self.replies[key]):
                self.not_asked_again += 1
        self.asked += asked
        if asked:
            self.waiting += sum(name not in prompts for name in place.own(place.names))

    def _stale(self, key: Key, prompt: Prompt) -> bool:
        """Whether a reply is to another prompt: a judge's, where the response was asked for anew."""
        sent = self.replies[key].prompt_sha256
        return sent is not None and sent != digest(prompt)


class _Place(NamedTuple):
    """One model with one item in one epoch and condition; `before` are those that had their turn."""

    model: str
    experiment: str
    item: Item
    epoch: int
    condition: Condition
    before: Sequence[Condition]

    @property
    def names(self) -> Sequence[str]:
        return EXPERIMENTS[self.experiment].asked_names(self.item)

    def own(self, names: Iterable[str]) -> Sequence[str]:
        """Those of the sessions that no condition before it has."""
        if not self.before:
            return list(names)
        keys = {name: self.key(name) for name in names}
        return [name for name, key in keys.items() if key not in (in_condition(key, c) for c in self.before)]

    def key(self, session: str) -> Key:
        return in_condition(Key(self.model, self.experiment, self.item.id, self.epoch, session), self.condition)


def custom_id(key: Key) -> str:
    named = key if key.facets else key[:5]
    return f"sx-{hashlib.sha256(msgspec.json.encode(named)).hexdigest()[:40]}"


def lines(sessions: Iterable[ExportedSession]) -> Iterator[bytes]:
    """One JSON object a line."""
    return (line + b"\n" for line in map(msgspec.json.Encoder().encode, sessions))
