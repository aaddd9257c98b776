"""The calls of a plan that are due, asked over an engine in rounds. `carrying_out` has what a command does around that.

A plan asks locally, in a shard or of a judge in the same way: each job is played through, each session that comes up
and has no reply yet is asked, and its reply is written down as it comes. What differs is the plan (`CallPlan`), and how
its replies are written down.
"""

import asyncio
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from selfexec.engines import Call, CallResult, Engine, Respondent, Waiting, run_coroutine
from selfexec.errors import InputError
from selfexec.experiments import Injection, Key, Message
from selfexec.facets import is_call
from selfexec.prompts import digest
from selfexec.runs.asking.progress import Caps, Progress, Report, Spent, heartbeat
from selfexec.runs.asking.remaining import NOT_ASKED, CallPlan, DueCall, Remaining, experiments_and_kinds, stored_reply
from selfexec.runs.asking.reply_gate import ReplyGate
from selfexec.runs.journal_writer import JournalWriter, replaced_void
from selfexec.runs.reply import Reply

Jobs = Iterator[tuple[Any, Sequence[Key]]]
_INJECTION_NOT_CONFIRMED = CallResult(None, error="the engine did not say what it forced into the reply")
_DECODE = msgspec.json.Decoder(Reply).decode


@dataclass(frozen=True)
class BackEnd:
    """What calls are asked over, and where their replies go.

    Attributes:
        engine: Asks them.
        writer: Writes replies down.
        accept_ends: The words for unknown ends with which replies count.
        way_to_texts: Says how the texts of replies are looked at, in a message.
        line: Makes the reply of a session what is written down, where that is not the reply itself.
    """

    engine: Engine
    writer: JournalWriter
    accept_ends: Sequence[str]
    way_to_texts: Callable[[], str]
    line: Callable[[Key, Reply], Reply] | None = None


def ask_due(
    back_end: BackEnd,
    remaining: Remaining[Any],
    look_again: Callable[[], Remaining[Any]],
    report: Report,
    progress: Progress,
) -> None:
    """Ask what is due of a plan, and once more what turned out to be void meanwhile, all within the caps.

    Args:
        back_end: What it is asked over, and where replies go.
        remaining: What remains of the plan, and the replies that are stored.
        look_again: Finds what remains later.
        report: Called with the progress after each session.
        progress: Kept up to date.
    """
    writer, void, caps = back_end.writer, 0, remaining.plan.caps
    spent = Spent(remaining.plan.prices)
    if caps.limits_spending:
        spent.count_all(
            [*remaining.stored.values(), *replaced_void(remaining.plan.lines())]
        )  # void ones were paid for as well
    run_coroutine(Executor(back_end, remaining, caps, spent, report, progress).ask_all())
    # a further round finds nothing void at an address that already has one connection for each call
    while writer.void.total() > void:
        void = writer.void.total()
        progress.failures.clear()
        progress.unneeded.clear()
        remaining = look_again()
        note_remaining(progress, remaining, back_end.engine)
        calls_left = None if caps.calls is None else caps.calls - progress.calls
        if calls_left is not None and calls_left < 1:
            progress.left = progress.total - progress.done - progress.waiting - progress.out - progress.not_asked_again
            break
        run_coroutine(Executor(back_end, remaining, replace(caps, calls=calls_left), spent, report, progress).ask_all())
    writer.raise_fault()


def note_remaining(progress: Progress, remaining: Remaining[Any], engine: Engine) -> None:
    """Have the progress of a command begin with how its plan stands, and show what its engine tells."""
    progress.total = remaining.plan.sessions
    progress.done = remaining.here + remaining.unneeded.total()
    progress.out, progress.waiting, progress.not_asked_again = (
        remaining.out,
        remaining.behind,
        remaining.not_asked_again,
    )
    progress.unneeded += remaining.unneeded
    progress.warnings, progress.prices = engine.warnings, remaining.plan.prices
    progress.servers_away = engine.waiting if isinstance(engine, Waiting) else {}


class Executor:
    """Asks what is due of a plan, one round."""

    def __init__(
        self,
        back_end: BackEnd,
        remaining: Remaining[Any],
        caps: Caps,
        spent: Spent,
        report: Report,
        progress: Progress,
    ) -> None:
        self._back_end = back_end
        self._engine = back_end.engine
        self._remaining = remaining
        self._plan: CallPlan = remaining.plan
        self._spent = spent
        self._report = report
        self._progress = progress
        self._is_spending_capped = caps.limits_spending
        self._within_caps = JobsWithinCaps(remaining, caps, spent) if caps.any else None
        self._over = False
        self._gate = ReplyGate(
            back_end.writer.keep,
            remaining.stored.values(),
            accept_filters={one.name for one in self._plan.respondents if one.connections[0].accept_filters},
            accept_ends=back_end.accept_ends,
            retry_ends=self._plan.retry_ends,
            way_to_texts=back_end.way_to_texts,
        )

    async def ask_all(self) -> None:
        """Ask until nothing is due any more, or the caps are reached."""
        # a server that is slow or away keeps no calls waiting that go to another one
        queues = queues_of(self._plan.respondents, self._engine.addresses)
        progress = self._progress
        async with self._engine, heartbeat(self._report, progress):
            try:
                async with asyncio.TaskGroup() as group:
                    for queue in queues:
                        jobs = _of_queue(self._remaining, queue) if len(queues) > 1 else self._remaining.jobs()
                        for _ in range(sum(connection.max_connections for connection in queue[0].connections)):
                            group.create_task(self._work(jobs))
            finally:
                self._over = True
        self._gate.settle()
        progress.left = progress.total - progress.done - progress.waiting - progress.out - progress.not_asked_again
        progress.capped = self._within_caps.capped if self._within_caps and progress.left else None

    async def _work(self, jobs: Jobs) -> None:
        if self._within_caps is None:
            for job, _ in jobs:
                await self._ask_job(JobUnderWay(job, self._plan.keys(job)))
            return
        while begun := await self._within_caps.next(jobs):
            await self._ask_job(begun)
            self._within_caps.done(begun)

    async def _ask_job(self, begun: "JobUnderWay") -> None:
        """Ask what is still to be asked of a job.

        `Plan.play` has the experiment open its sessions by calling `ask`, which brings the stored reply of a session or
        asks for one: `_asked` -> `_reply` -> `reply_to` -> `Engine.ask`, and back to `ReplyGate.keep`, which has the
        reply written down.
        """
        stored, progress, keys = self._remaining.stored, self._progress, set(begun.keys)
        replies: dict[Key, Reply] = {}  # a session that several conditions share is asked for once
        away: set[Key] = set()  # out in a batch, or not asked again since the reply's end is not known
        capped = failed = False

        async def ask(
            key: Key, messages: tuple[Message, ...], parent: str | None, injection: Injection | None = None
        ) -> Reply | CallResult:
            nonlocal capped, failed
            if key in replies:
                return replies[key]
            reply = stored_reply(stored, key, messages, injection)
            if reply and not reply.failed:
                replies[key] = reply
                return reply
            ended = reply is not None and reply.ended_unknown and not self._plan.retry_ends
            requests = self._remaining.requests
            if ended or (requests and requests.is_out(key, messages)):
                away.add(key)
                return NOT_ASKED
            if key not in keys:  # nobody knew of it beforehand
                keys.add(key)
                progress.total += 1
            if self._within_caps and not self._within_caps.take(begun):
                capped = True
                return NOT_ASKED
            reply = replies[key] = await self._asked(begun, DueCall(key, messages, parent, injection))
            failed |= reply.failed
            return reply

        await self._plan.play(begun.job, ask)
        rest = keys - replies.keys() - away
        if failed or away:
            progress.waiting += len(rest)
        elif not capped:
            progress.unneeded.update(experiments_and_kinds(rest))
            progress.done += len(rest)
            if rest:
                self._report(progress)

    async def _asked(self, begun: "JobUnderWay", due: DueCall) -> Reply:
        """The reply of a session as it counts, asked now and written down."""
        begun.open += 1
        async with self._gate.admission(begun.job.model):
            came = await self._reply(due)
        reply = await self._gate.keep(came)
        begun.open -= 1
        if self._is_spending_capped:
            self._spent.count(reply, due.messages)
        self._progress.count(reply)
        self._progress.done += 1
        self._report(self._progress)
        return reply

    async def _reply(self, due: DueCall) -> Reply:
        """The reply of a session, asked now, in the form in which it is written down."""
        call = self._plan.call(due.key, due.messages, due.injection)
        is_within_another = due.key.facets and is_call(due.key.session)
        answered_for = due.key if is_within_another else call.key  # a judge is asked under a key of its own
        self._progress.under_way += 1
        try:
            reply = await reply_to(self._engine, call, due.parent, is_over=lambda: self._over, key=answered_for)
        finally:
            self._progress.under_way -= 1
        return reply if self._back_end.line is None else self._back_end.line(due.key, reply)


async def reply_to(
    engine: Engine, call: Call, parent: str | None, *, is_over: Callable[[], bool], key: Key | None = None
) -> Reply:
    """The reply of a session: whatever comes of it is one. What an engine is at fault for costs the session, not all
    the others; `is_over` tells whether these were given up. `key` names the session where the call names another
    model, which stands in. InputError: no further call can succeed either.
    """
    started = time.perf_counter()
    try:
        result = await engine.ask(call)
    except InputError:
        raise
    except Exception as fault:
        if is_over():
            raise  # what was still under way when the run was given up: nothing came of it, and nobody is at fault
        result = _failed(fault)

    def reply_with(result: CallResult) -> Reply:
        asked, latency = digest(call.messages), time.perf_counter() - started
        return Reply.of(key or call.key, result, latency, asked, parent, call.injection)

    try:
        as_wanted = call.injection is None or _is_carried_out(result)
        return _as_read_back(reply_with(result if as_wanted else _INJECTION_NOT_CONFIRMED))
    except (AttributeError, TypeError, ValueError) as fault:  # of what is no CallResult, or none that can be kept
        return reply_with(_failed(fault))


def _is_carried_out(result: CallResult) -> bool:
    """Whether an injection that was asked for was carried out, for all that the engine says of it."""
    return result.text is None or result.forced is not None


def _failed(fault: Exception) -> CallResult:
    said = "".join(str(fault).splitlines()[:1]).encode("utf-8", "replace").decode()
    return CallResult(None, error=f"the engine failed ({type(fault).__name__}: {said})")


def _as_read_back(reply: Reply) -> Reply:
    """The reply as it will be read from its line in the journal. ValueError: the line could not be read."""
    kept: Reply = _DECODE(reply.line)
    kept.__dict__["line"] = reply.line
    return kept


def queues_of(respondents: Sequence[Respondent], addresses: Mapping[str, str]) -> Sequence[Sequence[Respondent]]:
    """Respondents that share their connections: those that are reached alike, at one address."""
    queues: list[list[Respondent]] = []
    for one in respondents:
        place = one.connections, addresses.get(one.name)
        alike = (queue for queue in queues if (queue[0].connections, addresses.get(queue[0].name)) == place)
        if queue := next(alike, None):
            queue.append(one)
        else:
            queues.append([one])
    return queues


def _of_queue(remaining: Remaining[Any], queue: Sequence[Respondent]) -> Jobs:
    """What is still to be asked of some of the models."""
    models = {one.name for one in queue}
    return (job for job in remaining.jobs() if job[0].model in models)


# --- which calls the caps suffice for --------------------------------------------------------------------------------


@dataclass(eq=False)
class JobUnderWay:
    """A job under way, with the sessions that it has at most. `allowed`: how many calls it may still make, where that
    is capped; `open`: how many are being made.
    """

    job: Any
    keys: Sequence[Key]
    allowed: float = math.inf
    open: int = 0


class JobsWithinCaps:
    """Gives out what is to be asked within caps, in order, and no more than the calls suffice for.

    A job is begun only where all of its sessions can be asked: a prediction without its behaviour is worth nothing.
    Where not even the first one fits into the calls, part of it is asked, so that the same command gets on.
    """

    def __init__(self, remaining: Remaining[CallPlan], caps: Caps, spent: Spent) -> None:
        self._keys = remaining.plan.keys
        self._caps = caps
        self._is_spending_capped = caps.limits_spending
        self._spent = spent
        self._calls_left = math.inf if caps.calls is None else caps.calls
        self._under_way: list[JobUnderWay] = []
        self._began = False
        self._short_of_calls = False
        self._over = False
        self._one_at_a_time = asyncio.Lock()
        self._changed = asyncio.Event()

    async def next(self, jobs: Jobs) -> JobUnderWay | None:
        """The next job, of what is still to be asked; None where there is none, or where the calls do not suffice."""
        async with self._one_at_a_time:
            job, here = (None, ()) if self._over else next(jobs, (None, ()))
            if job is None:
                return None
            keys = self._keys(job)
            needed = max(1, len(keys) - len(here))
            # what is under way may need fewer calls than were set aside for it
            while not self._suffice(job, needed) and self._under_way:
                self._changed.clear()
                await self._changed.wait()
            self._over = not self._suffice(job, needed)
            self._short_of_calls = needed > self._calls_left
            if self._over and (self._began or not self._short_of_calls):
                return None
            begun = JobUnderWay(job, keys, min(needed, self._calls_left))
            self._calls_left -= begun.allowed
            self._under_way.append(begun)
            self._began = True
            return begun

    def _suffice(self, job: Any, needed: int) -> bool:
        """Whether the caps suffice for so many calls more, with those that are set aside for what is under way."""
        if not self._is_spending_capped:
            return needed <= self._calls_left
        calls = Counter({job.model: needed})
        for begun in self._under_way:
            calls[begun.job.model] += int(begun.allowed) + begun.open
        return needed <= self._calls_left and not self.stopped and self._spent.suffices(self._caps, calls)

    @property
    def stopped(self) -> bool:
        """Whether a cap on tokens or dollars is reached: then no other call is begun."""
        return self._is_spending_capped and self._spent.reached(self._caps)

    @property
    def capped(self) -> str | None:
        """The cap on tokens or dollars that ended it, as it is said; None where it was the one on calls."""
        return None if self._short_of_calls else self._spent.said(self._caps)

    def take(self, begun: JobUnderWay) -> bool:
        """Whether a job may make a call now, also one more than was known that it needs; it is then counted."""
        if self.stopped or (begun.allowed < 1 and self._calls_left < 1):
            return False
        if begun.allowed < 1:
            self._calls_left -= 1
        else:
            begun.allowed -= 1
        return True

    def done(self, begun: JobUnderWay) -> None:
        self._calls_left += begun.allowed
        self._under_way.remove(begun)
        self._changed.set()
