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


@dataclass
class _Ids:
    """The ids of a model's replies. `first` has by the hash of an id the reply that first bore it, or where its line
    begins; `pending` are copies under the only id that has come so far, and `copied` the hashes of ids that came with
    one text to two prompts.
    """

    first: dict[int, int | Reply] = field(default_factory=dict)
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
                self._of_models.setdefault(reply.model, _Ids()).first.setdefault(hash(reply.completion_id), reply)

    def note(self, reply: Reply, position: int) -> list[Copy]:
        """Take note of a reply whose line begins at a position, and return the copies that are known by it."""
        if not (reply.completion_id and reply.text):
            return []
        ids = self._of_models.setdefault(reply.model, _Ids())
        if ids.say_nothing:
            return []
        before = ids.first.setdefault(hash(reply.completion_id), position)
        if before is not position:
            self._compare(ids, before, reply)
        if len(ids.first) < 2:
            return []
        copies, ids.pending = ids.pending, []
        return copies

    def _compare(self, ids: _Ids, before: int | Reply, reply: Reply) -> None:
        """Look whether a reply is a copy of the one that first bore its id."""
        earlier = self._reply_at(before, type(reply)) if isinstance(before, int) else before
        if earlier.completion_id != reply.completion_id:
            return
        if earlier.text != reply.text or len(ids.pending) == MOST_PENDING:
            ids.say_nothing = True
            ids.first.clear()
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
