"""What was asked from a reply that turned out to be void is void too."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from selfexec.engines import run_coroutine
from selfexec.experiments import Key
from selfexec.files import jsonl
from selfexec.runs.asking.plan import Job, Plan
from selfexec.runs.asking.remaining import reached_sessions
from selfexec.runs.ends import accepted_in, with_accepted_end
from selfexec.runs.journal_writer import DEPENDENT, as_void
from selfexec.runs.reply import Reply


def void_dependents(plan: Plan, journal: Path, append: Callable[[Reply], object]) -> int:
    """Make every reply void that was asked from a void one, and return how many these are.

    A session depends on another one of its item if it came later and would not have been opened, or not with this
    prompt, without the reply of that one. It is not enough that a session is asked again when its prompt has changed:
    until that is done, an old reply would be read together with a new one.

    Args:
        plan: What is being asked.
        journal: The file of replies.
        append: Writes a line to it.
    """
    words = accepted_in(journal.parent)
    lines = [with_accepted_end(reply, words) for reply in jsonl.values(journal, Reply)]
    known = {reply.key: reply for reply in lines}
    void = [key for key, reply in known.items() if reply.takes_back and _is_planned(plan, key)]
    dependents = [
        reply for job in dict.fromkeys(Job(*key[:4]) for key in void) for reply in _dependents(plan, job, known, lines)
    ]
    for reply in dependents:
        append(as_void(reply, DEPENDENT))
    return len(dependents)


def _dependents(plan: Plan, job: Job, known: Mapping[Key, Reply], lines: Sequence[Reply]) -> Iterator[Reply]:
    """Yield the replies to one item that a void reply led to."""
    here = [reply for reply in lines if Job(*reply.key[:4]) == job]
    first_void = min(n for n, reply in enumerate(here) if known[reply.key].takes_back)
    reached = set(run_coroutine(reached_sessions(plan, job, known)))
    for reply in here[first_void:]:
        came = not reply.failed or reply.ended_unknown
        if reply is known[reply.key] and came and reply.key not in reached:
            yield reply


def _is_planned(plan: Plan, key: Key) -> bool:
    is_asked = key.model in plan.models and key.item in plan.item_set.items.get(key.experiment, ())
    return is_asked and key.epoch <= plan.epochs and (plan.shard is None or plan.shard.has(*key[:3]))
