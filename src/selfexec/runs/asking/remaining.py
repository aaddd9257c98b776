"""What of a plan is here already, and what remains of it."""

import glob
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from selfexec.engines import Outcome
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Key, Prompt
from selfexec.facets import Condition, in_condition
from selfexec.prompts import digest
from selfexec.runs.asking.plan import Job, Plan
from selfexec.runs.folder import MANIFEST, load_manifest
from selfexec.runs.records import Reply
from selfexec.runs.requests import Requests, requests_of

R = TypeVar("R", bound=Reply)
NOT_ASKED = Outcome(None, error="not asked")


@dataclass(frozen=True)
class Remaining:
    """What of a plan is here: how many of its sessions, and which of its jobs are whole, or begun.

    All is counted of the sessions that are known beforehand. `begun` tells of each job that has some of its sessions
    which they are. `unneeded` counts sessions of whole jobs that need not be asked, by experiment and kind. `further`
    counts the sessions that are wanted and were not known of: each is the next turn of a conversation, say.

    `out` counts the sessions that are out in a batch, which are not asked here: of jobs that are begun they stand
    there with those that are here. Of the jobs in `waiting` nothing can be asked before these are back; `behind`
    counts the sessions that wait so. `ended` counts the sessions whose reply has an unknown end that nobody has
    accepted: unless the plan says so they are not asked again, and what needs their replies waits in the same way.
    """

    plan: Plan
    known: Mapping[Key, Reply]
    here: int
    whole: frozenset[Job]
    begun: Mapping[Job, Sequence[Key]]
    unneeded: Counter[tuple[str, str]]
    further: int = 0
    requests: Requests = field(default_factory=Requests)
    out: int = 0
    waiting: frozenset[Job] = frozenset()
    behind: int = 0
    ended: int = 0

    @property
    def remaining(self) -> int:
        """How many sessions are still to be asked, at most, and can be asked now."""
        return (
            self.plan.sessions - self.here - self.unneeded.total() + self.further - self.out - self.behind - self.ended
        )

    def jobs(self) -> Iterator[tuple[Job, Sequence[Key]]]:
        """What is still to be asked, and the sessions of it that are here: first what was begun, since a prediction
        without its behaviour is worth nothing.
        """
        yield from self.begun.items()
        of_begun = sum(len(self.plan.keys(job)) - len(here) for job, here in self.begun.items())
        if self.remaining - self.further > of_begun:
            done = self.whole | self.waiting | self.begun.keys()
            yield from ((job, ()) for job in self.plan.jobs() if job not in done)


async def remaining(plan: Plan, known: Mapping[Key, Reply]) -> Remaining:
    """How a plan stands that has these replies already."""
    models, experiments = set(plan.models), plan.item_set.items
    requests = Requests() if plan.again else requests_of(plan.out)
    touched: dict[Job, None] = {}
    for key in (*known, *requests.out):
        planned = key.model in models and key.item in experiments.get(key.experiment, ()) and key.epoch <= plan.epochs
        if planned and (plan.shard is None or plan.shard.has(*key[:3])):
            touched[Job(*key[:4])] = None
    here, further, whole, unneeded = 0, 0, set(), Counter[tuple[str, str]]()
    out, waiting, behind, ended = 0, set(), 0, 0
    begun: dict[int, dict[Job, Sequence[Key]]] = defaultdict(dict)
    for job in touched:
        opened, wanted, away, not_again = await _found(plan, job, known, requests)
        held = away | not_again
        keys = dict.fromkeys(plan.keys(job))
        found = [key for key in opened if key in keys]
        here += len(found)
        further += len((wanted | held) - keys.keys())
        out += len(away)
        ended += len(not_again)
        if held and not wanted:
            waiting.add(job)
            behind += len(keys.keys() - found - held)
        elif held:
            begun[job.epoch][job] = [*found, *(key for key in keys if key in held)]
        elif not wanted:
            whole.add(job)
            unneeded.update(kinds(keys.keys() - found))
        elif opened:
            begun[job.epoch][job] = found
    return Remaining(
        *(plan, known, here, frozenset(whole), _in_order(plan, begun), unneeded, further),
        *(requests, out, frozenset(waiting), behind, ended),
    )


async def reached_sessions(plan: Plan, job: Job, known: Mapping[Key, Reply]) -> list[Key]:
    """Return the sessions of a job that would be opened with these replies, and whose replies are there."""
    here, *_ = await _found(plan, job, known, Requests())
    return here


def asked_elsewhere(plan: Plan) -> Mapping[Path, Sequence[str]]:
    """The runs beside this one, named after the same items, that were asked of models which this one has not: their
    folders, and these models.
    """
    here = load_manifest(plan.out).models if (plan.out / MANIFEST).exists() else []
    found: dict[Path, Sequence[str]] = {}
    for path in sorted(plan.run_folder.parent.glob(f"*-{glob.escape(Path(plan.item_set.name).name)}/{MANIFEST}")):
        if path.parent == plan.run_folder:
            continue
        with suppress(InputError):  # a damaged run is of no use
            manifest = load_manifest(path.parent)
            both = [model for model in plan.models if model in manifest.models and model not in here]
            if both and manifest.origin == "run":
                found[path.parent] = both
    return found


def counted(known: Mapping[Key, R], key: Key, prompt: Prompt) -> R | None:
    """The reply of a session that need not be asked again."""
    reply = known.get(key)
    # a judge's prompt holds the response: where that was asked again, so is the judge
    return reply if reply and not reply.failed and reply.prompt_sha256 == digest(prompt) else None


def not_asked_again(known: Mapping[Key, R], key: Key, prompt: Prompt, retry_ends: bool = False) -> bool:
    """Whether a session has a reply to this prompt whose end is not known, so that it is missing and is not asked again
    unless `retry_ends` says so.
    """
    reply = known.get(key)
    return bool(reply and reply.ended_unknown and not retry_ends and reply.prompt_sha256 == digest(prompt))


def kinds(sessions: Iterable[Key]) -> Iterator[tuple[str, str]]:
    """The experiment and kind of each session."""
    return ((key.experiment, key.kind) for key in sessions)


async def _found(
    plan: Plan, job: Job, known: Mapping[Key, Reply], requests: Requests
) -> tuple[list[Key], set[Key], set[Key], set[Key]]:
    """The sessions of a job that are here, those that it wants next, those that are out in a batch, and those that
    are not asked again since their reply has an unknown end.
    """
    found: dict[Key, None] = {}
    wanted: set[Key] = set()
    away: set[Key] = set()
    not_again: set[Key] = set()

    async def ask(condition: Condition, session: str, prompt: Prompt, *, parent: str | None = None) -> Reply | Outcome:
        key = in_condition(Key(*job, session), condition)
        reply = counted(known, key, prompt)
        if reply is None:
            if requests.is_out(key, prompt):
                away.add(key)
            elif not_asked_again(known, key, prompt, plan.retry_ends):
                not_again.add(key)
            else:
                wanted.add(key)
            return NOT_ASKED
        found[key] = None
        return reply

    item = plan.item_set[job.experiment][job.item]
    for condition, prompts in plan.asked(job).items():
        await EXPERIMENTS[job.experiment].sessions(item, partial(ask, condition), prompts)
    return list(found), wanted, away, not_again


def _in_order(plan: Plan, begun: Mapping[int, Mapping[Job, Sequence[Key]]]) -> dict[Job, Sequence[Key]]:
    """Jobs in the order of the plan."""
    if not begun:
        return {}
    place = {job[:3]: n for n, job in enumerate(plan.epoch_jobs)}
    in_order = (job for epoch in sorted(begun) for job in sorted(begun[epoch], key=lambda v: place[v[:3]]))
    return {job: begun[job.epoch][job] for job in in_order}
