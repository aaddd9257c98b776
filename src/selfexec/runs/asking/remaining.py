"""What of a plan is here already, and what remains of it."""

import glob
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from selfexec.engines import Call, CallResult, Price, Respondent
from selfexec.errors import InputError
from selfexec.experiments import Injection, Key, Message, Prompt
from selfexec.prompts import digest
from selfexec.runs.asking.plan import AskSession, Job, Plan
from selfexec.runs.asking.progress import Caps
from selfexec.runs.folder import BATCHES, MANIFEST, load_manifest
from selfexec.runs.reply import Reply
from selfexec.runs.requests import Requests, requests_of

R = TypeVar("R", bound=Reply)
NOT_ASKED = CallResult(None, error="not asked")


class CallPlan(Protocol):
    """A plan of calls, whatever asks them: jobs that do not depend on each other, each of one session or several."""

    @property
    def respondents(self) -> Sequence[Respondent]:
        """The models that are asked, and how each is reached."""

    @property
    def caps(self) -> Caps: ...

    @property
    def prices(self) -> Mapping[str, Price]: ...

    @property
    def retry_ends(self) -> bool: ...

    @property
    def sessions(self) -> int:
        """How many sessions the plan has at most, as far as that is known beforehand."""

    def lines(self) -> Sequence[Reply]:
        """All lines of its replies so far, also those that later ones replaced."""

    def jobs(self) -> Iterator[Any]:
        """The jobs in the order in which they are asked; each has the `model` that it asks."""

    def keys(self, job: Any) -> Sequence[Key]:
        """The sessions of a job, as far as they are known beforehand."""

    async def play(self, job: Any, ask: AskSession) -> None:
        """Play a job through: `ask` is asked for the reply of each session that comes up."""

    def call(self, key: Key, messages: tuple[Message, ...], injection: Injection | None = None) -> Call:
        """What a session is asked, with all that is sent with it."""


P = TypeVar("P", bound=CallPlan)


@dataclass(frozen=True)
class Remaining(Generic[P]):
    """What of a plan is here: how many of its sessions, and which of its jobs are whole, or begun.

    All is counted of the sessions that are known beforehand. `begun` tells of each job that has some of its sessions
    which they are. `unneeded` counts sessions of whole jobs that need not be asked, by experiment and kind. `further`
    counts the sessions that are wanted and were not known of: each is the next turn of a conversation, say.

    `out` counts the sessions that are out in a batch, which are not asked here: of jobs that are begun they stand
    there with those that are here. Of the jobs in `waiting` nothing can be asked before these are back; `behind`
    counts the sessions that wait so. `not_asked_again` counts the sessions whose reply has an unknown end that nobody
    has accepted: unless the plan says so they are not asked again, and what needs their replies waits in the same way.
    """

    plan: P
    stored: Mapping[Key, Reply]
    here: int
    whole: frozenset[Any]
    begun: Mapping[Any, Sequence[Key]] = field(default_factory=dict)
    unneeded: Counter[tuple[str, str]] = field(default_factory=Counter)
    further: int = 0
    requests: Requests | None = None
    out: int = 0
    waiting: frozenset[Any] = frozenset()
    behind: int = 0
    not_asked_again: int = 0

    @property
    def sessions_left(self) -> int:
        """How many sessions are still to be asked, at most, and can be asked now."""
        return (
            self.plan.sessions
            - self.here
            - self.unneeded.total()
            + self.further
            - self.out
            - self.behind
            - self.not_asked_again
        )

    def jobs(self) -> Iterator[tuple[Any, Sequence[Key]]]:
        """What is still to be asked, and the sessions of it that are here: first what was begun, since a prediction
        without its behaviour is worth nothing.
        """
        yield from self.begun.items()
        of_begun = sum(len(self.plan.keys(job)) - len(here) for job, here in self.begun.items())
        if self.sessions_left - self.further > of_begun:
            done = self.whole | self.waiting | self.begun.keys()
            yield from ((job, ()) for job in self.plan.jobs() if job not in done)


async def remaining_of(plan: Plan, stored: Mapping[Key, Reply]) -> Remaining[Plan]:
    """How a plan stands that has these replies already."""
    models, experiments = set(plan.models), plan.item_set.items
    has_batches = (plan.out / BATCHES).is_dir() and not plan.again
    requests = requests_of(plan.out) if has_batches else None
    touched: dict[Job, None] = {}
    for key in (*stored, *(requests.out if requests else ())):
        planned = key.model in models and key.item in experiments.get(key.experiment, ()) and key.epoch <= plan.epochs
        if planned and (plan.shard is None or plan.shard.has(*key[:3])):
            touched[Job(*key[:4])] = None
    here, further, whole, unneeded = 0, 0, set(), Counter[tuple[str, str]]()
    out, waiting, behind, not_asked_again = 0, set(), 0, 0
    begun: dict[int, dict[Job, Sequence[Key]]] = defaultdict(dict)
    for job in touched:
        state = await job_state(plan, job, stored, requests)
        wanted, held = state.due.keys(), state.out | state.not_asked_again
        keys = dict.fromkeys(plan.keys(job))
        found = [key for key in state.here if key in keys]
        here += len(found)
        further += len((wanted | held) - keys.keys())
        out += len(state.out)
        not_asked_again += len(state.not_asked_again)
        if held and not wanted:
            waiting.add(job)
            behind += len(keys.keys() - found - held)
        elif held:
            begun[job.epoch][job] = [*found, *(key for key in keys if key in held)]
        elif not wanted:
            whole.add(job)
            unneeded.update(experiments_and_kinds(keys.keys() - found))
        elif state.here:
            begun[job.epoch][job] = found
    return Remaining(
        *(plan, stored, here, frozenset(whole), _in_order(plan, begun) if begun else {}, unneeded, further),
        *(requests, out, frozenset(waiting), behind, not_asked_again),
    )


async def reached_sessions(plan: Plan, job: Job, stored: Mapping[Key, Reply]) -> list[Key]:
    """Return the sessions of a job that would be opened with these replies, and whose replies are there."""
    return list((await job_state(plan, job, stored, None)).here)


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


def stored_reply(stored: Mapping[Key, R], key: Key, prompt: Prompt, injection: Injection | None = None) -> R | None:
    """The reply of a session to this very prompt, with this injection, where it has one. A session whose
    reply did not fail is not asked again; nor, unless the plan says so, is one whose reply has an unknown end and is
    therefore missing.
    """
    reply = stored.get(key)
    # a judge's prompt holds the response: where that was asked again, so is the judge
    return reply if reply and reply.injection == injection and reply.prompt_sha256 == digest(prompt) else None


def experiments_and_kinds(sessions: Iterable[Key]) -> Iterator[tuple[str, str]]:
    """The experiment and kind of each session."""
    return ((key.experiment, key.session_kind) for key in sessions)


class DueCall(NamedTuple):
    """A session that can be asked now. `parent` is the session within which it comes up, `injection` what is forced
    into its reply.
    """

    key: Key
    messages: tuple[Message, ...]
    parent: str | None
    injection: Injection | None = None


@dataclass
class JobState:
    """How a job stands: its sessions that are here, that can be asked now, that are out in a batch, and that are not
    asked again since the end of their reply is not known.
    """

    here: dict[Key, None] = field(default_factory=dict)
    due: dict[Key, DueCall] = field(default_factory=dict)
    out: set[Key] = field(default_factory=set)
    not_asked_again: set[Key] = field(default_factory=set)

    @property
    def seen(self) -> set[Key]:
        """All sessions that came up."""
        return {*self.here, *self.due, *self.out, *self.not_asked_again}


async def job_state(plan: CallPlan, job: Any, stored: Mapping[Key, Reply], requests: Requests | None) -> JobState:
    """How a job stands with these replies and these requests of batches, where there are any."""
    state = JobState()

    async def ask(
        key: Key, messages: tuple[Message, ...], parent: str | None, injection: Injection | None = None
    ) -> Reply | CallResult:
        reply = stored_reply(stored, key, messages, injection)
        if reply and not reply.failed:
            state.here[key] = None
            return reply
        if requests and requests.is_out(key, messages):
            state.out.add(key)
        elif reply and reply.ended_unknown and not plan.retry_ends:
            state.not_asked_again.add(key)
        else:
            state.due.setdefault(key, DueCall(key, messages, parent, injection))
        return NOT_ASKED

    await plan.play(job, ask)
    return state


def _in_order(plan: Plan, begun: Mapping[int, Mapping[Job, Sequence[Key]]]) -> dict[Job, Sequence[Key]]:
    """Jobs in the order of the plan."""
    place = {job[:3]: n for n, job in enumerate(plan.epoch_jobs)}
    in_order = (job for epoch in sorted(begun) for job in sorted(begun[epoch], key=lambda v: place[v[:3]]))
    return {job: begun[job.epoch][job] for job in in_order}
