"""Replies with an id that others have, where most have one of their own: what gave it gives one answer for many."""

from collections import Counter
from collections.abc import Iterable

from selfexec.runs.reply import Reply

LEAST_REPLIES, LEAST_OWN = 3, 8


def with_one_id(replies: Iterable[Reply]) -> list[Reply]:
    """The replies of a model that share their ids, three at least, where more have an id of their own. A server that
    numbers nothing gives one id to all.
    """
    came = [reply for reply in replies if reply.completion_id]
    times = Counter(reply.completion_id for reply in came)
    shared = [reply for reply in came if times[reply.completion_id] >= LEAST_REPLIES]
    own = list(times.values()).count(1)
    return shared if len(shared) < own and own >= LEAST_OWN else []
