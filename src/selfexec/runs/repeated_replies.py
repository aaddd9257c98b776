"""Replies that are copies of one to another prompt, by the ids that servers give them.

A cache with a bad key, or a gateway that mixes calls up, sends again what it has sent for another prompt: the same id,
the same text, the same counts. An id says so only where it is one:

- A server that gives all replies one id says nothing by it: at least two ids must have come of a model.
- What has come to two prompts belongs to neither, also where one of them is asked again and gets it a second time.
- Of two replies with the same text and two ids nothing is known: models give the same answer to many prompts, above all
  short ones and refusals, and a hundred replies may be of the same second.
- One that draws ids from a few hundred numbers gives an id to different texts sooner or later. From then on its ids say
  nothing, and a short id with a short text says nothing at any time, since both may agree by chance.
"""

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from selfexec.runs.records import Reply

LONG_ID = 20  # characters of an id that nobody draws twice
LONG_TEXT = 48  # characters that hardly come twice under a short id
MOST_PENDING = 50  # copies under the only id so far


class Copy(NamedTuple):
    """Two replies with the same id and text to two prompts: which of them it belongs to nobody knows."""

    earlier: Reply
    later: Reply


class FirstPositions:
    """Where the line of the first reply with each id begins, by the hash of the id.

    A run of many calls holds one entry for each of them. A dictionary would take some 110 bytes for it, two integers
    included; this takes some 25: hashes and positions lie in arrays in the order in which they came, and `_places` is
    a hash table with open addressing, which holds the places of entries in these arrays.
    """

    def __init__(self) -> None:
        self._hashes = array("q")
        self._positions = array("q")
        self._places = _free_places(64)

    def __len__(self) -> int:
        return len(self._hashes)

    def setdefault(self, id_hash: int, position: int) -> int:
        """Return the position that an id came with first, which is this one where it has not come before."""
        slot = self._slot_of(id_hash)
        if (place := self._places[slot]) != FREE:
            return self._positions[place]
        self._places[slot] = len(self._hashes)
        self._hashes.append(id_hash)
        self._positions.append(position)
        if len(self._hashes) * 4 > len(self._places) * 3:
            self._double_table()
        return position

    def _slot_of(self, id_hash: int) -> int:
        """Return the slot that holds the place of an id, or the free one for it."""
        last = len(self._places) - 1
        slot = id_hash & last
        while (place := self._places[slot]) != FREE and self._hashes[place] != id_hash:
            slot = slot + 1 & last
        return slot

    def _double_table(self) -> None:
        self._places = _free_places(2 * len(self._places))
        for place, id_hash in enumerate(self._hashes):
            self._places[self._slot_of(id_hash)] = place


FREE = -1  # a slot of a hash table that holds no place


def _free_places(slots: int) -> "array[int]":
    return array("i", (FREE,)) * slots


@dataclass
class _Ids:
    """The ids of a model's replies. `known` has by the hash of an id the reply of an earlier command that bore it, and
    `first` where the first line of this command with it begins; `pending` are copies under the only id that has come so
    far, and `copied` the hashes of ids that came with one text to two prompts.
    """

    known: dict[int, Reply] = field(default_factory=dict)
    first: FirstPositions = field(default_factory=FirstPositions)
    pending: list[Copy] = field(default_factory=list)
    copied: set[int] = field(default_factory=set)
    say_nothing: bool = False


class RepeatedReplies:
    """Notices copies among the replies of a run as they come."""

    def __init__(self, reply_at: Callable[[int, type[Reply]], Reply]) -> None:
        """`reply_at` reads the reply whose line begins at a position back."""
        self._reply_at = reply_at
        self._of_models: dict[str, _Ids] = {}

    def remember(self, replies: Iterable[Reply]) -> None:
        """Take note of replies that earlier commands brought."""
        for reply in replies:
            if reply.completion_id and reply.text:
                self._of_models.setdefault(reply.model, _Ids()).known.setdefault(hash(reply.completion_id), reply)

    def note(self, reply: Reply, position: int) -> list[Copy]:
        """Take note of a reply whose line begins at a position, and return the copies that are known by it."""
        if not (reply.completion_id and reply.text):
            return []
        ids = self._of_models.setdefault(reply.model, _Ids())
        if ids.say_nothing:
            return []
        if earlier := self._first_with_id(ids, reply, position):
            _compare(ids, earlier, reply)
        if len(ids.known) + len(ids.first) < 2:
            return []
        copies, ids.pending = ids.pending, []
        return copies

    def _first_with_id(self, ids: _Ids, reply: Reply, position: int) -> Reply | None:
        """Return the reply that bore the id of this one first; None where this one does."""
        id_hash = hash(reply.completion_id)
        if earlier := ids.known.get(id_hash):
            return earlier
        first = ids.first.setdefault(id_hash, position)
        return None if first == position else self._reply_at(first, type(reply))


def _compare(ids: _Ids, earlier: Reply, reply: Reply) -> None:
    """Look whether a reply is a copy of the one that bore its id, or one with the same hash, first."""
    if earlier.completion_id != reply.completion_id:
        return
    if earlier.text != reply.text or len(ids.pending) == MOST_PENDING:
        ids.say_nothing = True
        ids.known.clear()
        ids.first = FirstPositions()
        ids.pending.clear()
    elif hash(reply.completion_id) in ids.copied or _is_copy(earlier, reply):
        ids.copied.add(hash(reply.completion_id))
        ids.pending.append(Copy(earlier, reply))


def _is_copy(earlier: Reply, reply: Reply) -> bool:
    """Whether two replies of the same id and text are one, to two prompts. Some gateways count the prompt anew, which
    says nothing where both the id and the text are long.
    """
    if earlier.prompt_sha256 == reply.prompt_sha256:
        return False
    has_long_id, has_long_text = len(reply.completion_id or "") >= LONG_ID, len(reply.text or "") >= LONG_TEXT
    if has_long_id and has_long_text:
        return True
    return (has_long_id or has_long_text) and _counts(earlier) == _counts(reply)


def _counts(reply: Reply) -> tuple[int | None, ...]:
    return reply.input_tokens, reply.output_tokens, reply.reasoning_tokens
