"""Run experiments: open every session that is still wanted, and keep each reply as it comes."""

import asyncio
import math
import warnings
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache, partial

from selfexec.engines import (
    Call,
    Engine,
    Experienced,
    Outcome,
    Respondent,
    Waiting,
    finish,
    spared_from_sweeps,
    together,
)
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Key, Message, Prompt
from selfexec.facets import Condition, in_condition
from selfexec.files import jsonl
from selfexec.run_options import RunOptions
from selfexec.runs import invocations
from selfexec.runs.arguments import takes
from selfexec.runs.asking.caps import Caps, Spent
from selfexec.runs.asking.continuing import planned_or_continued
from selfexec.runs.asking.growing import begin, grow, invocation, refuse_misfit, undone_if_refused
from selfexec.runs.asking.one_session import reply_to
from selfexec.runs.asking.plan import Job, Plan
from selfexec.runs.asking.progress import Progress, Report, heartbeat, shown_progress
from selfexec.runs.asking.remaining import NOT_ASKED, Remaining, counted, kinds, not_asked_again, remaining
from selfexec.runs.asking.remarks import remarks
from selfexec.runs.asking.shared_memory import refuse_memory
from selfexec.runs.asking.suspected_filters import SuspectedFilters, filter_warnings
from selfexec.runs.asking.unknown_ends import UnknownEndStop
from selfexec.runs.asking.void_replies import void_dependents
from selfexec.runs.connections import ConnectionLedger, replaced_void
from selfexec.runs.ends import ends_named, stored_replies, way_to_texts
from selfexec.runs.folder import (
    MANIFEST,
    REPLIES,
    Manifest,
    load_manifest,
)
from selfexec.runs.records import Reply
from selfexec.runs.run import Run, opened
from selfexec.runs.shards import Owner, leave_mark, refuse_other_cut
from selfexec.runs.store import Journal

Jobs = Iterator[tuple[Job, Sequence[Key]]]


@takes(RunOptions, "a run", report="on_progress")
def run(options: RunOptions) -> Run:
    """Run experiments and keep what comes back.

    The same call continues a run that was cut short, and grows one by models, items, epochs or experiments. It works
    inside a running event loop, as in a notebook.

    Returns:
        The run, with everything that its folder holds. What else is to be known comes as a warning.

    Raises:
        InputError: Something that was given cannot be used, a key is not there, the folder holds another run, or the
            server refuses for good. What came back until then is kept.
    """
    plan = replace(planned_or_continued(options), command=invocations.call("sx.run", options.made), again=options.again)
    return shown(plan, options.on_progress, 5)  # the caller is beyond what slots names into options


def shown(plan: Plan, on_progress: Report | None, stacklevel: int = 3) -> Run:
    """Do what is planned, with progress on standard error where nobody else gets it, and warnings as Python has
    them. `stacklevel`: of the caller.
    """
    if on_progress is not None and not callable(on_progress):
        raise InputError(f"on_progress={on_progress!r}: give a function, which is called with the progress.")
    if on_progress or plan.all_simulated:
        return carry_out(plan, on_progress)
    progress = Progress()
    with shown_progress() as show:
        found = carry_out(plan, show, progress)
    for text in progress.warnings:
        warnings.warn(text, stacklevel=stacklevel)
    return found


def carry_out(
    plan: Plan,
    report: Report | None = None,
    progress: Progress | None = None,
    at_start: Callable[[Remaining], None] | None = None,
) -> Run:
    """Do what is planned. `progress` is kept up to date, and `report` called with it after each session. `at_start` is
    shown how the plan stands before anything is asked.
    """
    engine = plan.engine()
    refuse_memory(plan.respondents)
    refuse_other_cut(plan.run_folder, plan.shard)
    progress = progress or Progress()
    with ExitStack() as held:
        # of a shard, which other machines may reach too, its owner alone may change the folder
        owner = held.enter_context(Owner(plan.out)) if plan.shard else None
        if not (plan.out / MANIFEST).exists():
            begin(plan)
        _fill(plan, engine, report, progress, at_start, owner)
        if owner:
            owner.check()
            leave_mark(plan.out)
    found = opened(plan.out)
    progress.warnings.extend(filter_warnings(found.replies))
    progress.warnings.extend(ends_named(found.replies.values(), way_to_texts(plan.out)))
    if not plan.all_simulated:
        sampled = {one.name: one.sampling for one in plan.respondents}
        replies = (reply for reply in found.replies.values() if reply.model in sampled)
        progress.warnings.extend(remarks(replies, lambda key: sampled[key.model].of(key.experiment, key.kind)))
    return found


def _fill(
    plan: Plan,
    engine: Engine,
    report: Report | None,
    progress: Progress,
    at_start: Callable[[Remaining], None] | None,
    owner: Owner | None,
) -> None:
    """Ask what is missing in the folder of a plan."""
    with (
        Journal(plan.out / REPLIES, owner.check if owner else None) as journal,
        ConnectionLedger(journal) as ledger,
        spared_from_sweeps(),
    ):
        # the holder of the journal may change the folder
        refuse_misfit(plan)
        before = load_manifest(plan.out)
        manifest = grow(plan)
        ledger.watch(engine)
        now = _remaining_without_void(plan, journal)
        ledger.copies.remember(now.known.values())
        if isinstance(engine, Experienced):
            engine.note_answered(_addresses_that_answered(now.known.values(), manifest))
        store = _store(plan, manifest.accept_ends, engine, ledger, now, report or (lambda progress: None), progress)
        if plan.caps.of_spending:
            store.spent.count_all(replaced_void(jsonl.values(journal.path, Reply)))
        if at_start:
            at_start(now)
        store.report(store.progress)
        if now.remaining:
            with undone_if_refused(plan, before), invocation(plan, manifest, engine, store.progress):
                try:
                    finish(_ask_all(plan, store))
                    _ask_void_again(plan, store, manifest.accept_ends, ledger, journal)
                    ledger.raise_fault()
                finally:
                    progress.warnings.extend(ledger.warnings())


def _addresses_that_answered(replies: Iterable[Reply], manifest: Manifest) -> set[str]:
    """At which addresses the models were asked that have a reply in the journal."""
    models = {reply.model for reply in replies if not reply.failed}
    return {
        address
        for invocation in manifest.invocations
        for model, addresses in invocation.addresses.items()
        if model in models
        for address in addresses.split(", ")
    }


def _store(
    plan: Plan,
    accept_ends: Sequence[str],
    engine: Engine,
    ledger: ConnectionLedger,
    now: Remaining,
    report: Report,
    progress: Progress,
) -> "_SessionStore":
    """Where sessions are asked for, given how the plan stands."""
    accepted = {one.name for one in plan.respondents if one.connections[0].accept_filters}
    suspected_filters = SuspectedFilters(ledger.keep, now.known, accepted, accept_ends)
    before = () if plan.retry_ends else now.known.values()
    ends = UnknownEndStop(suspected_filters, accept_ends, before, way_to_texts(plan.out))
    return _SessionStore(engine, suspected_filters, ends, now, report, progress)


def _remaining_without_void(plan: Plan, journal: Journal) -> Remaining:
    """How a plan stands, once what was asked from void replies is void too."""
    known = stored_replies(plan.out)
    if any(reply.is_void for reply in known.values()) and void_dependents(plan, journal.path, journal.append):
        known = stored_replies(plan.out)
    return finish(remaining(plan, known))


def _ask_void_again(
    plan: Plan, store: "_SessionStore", accept_ends: Sequence[str], ledger: ConnectionLedger, journal: Journal
) -> None:
    """Ask again what turned out to be void, within the caps. A further round finds nothing void at an address that
    already has one connection for each call.
    """
    void = 0
    while ledger.void.total() > void:
        void = ledger.void.total()
        progress, spent = store.progress, store.spent
        progress.failures.clear()
        progress.unneeded.clear()
        now = _remaining_without_void(plan, journal)
        store = _store(plan, accept_ends, store.engine, ledger, now, store.report, progress)
        store.spent = spent  # which counts the replies that are void, too
        calls_left = None if plan.caps.calls is None else plan.caps.calls - progress.calls
        if calls_left is not None and calls_left < 1:
            progress.left = progress.total - progress.done - progress.waiting - progress.out - progress.ended
            return
        finish(_ask_all(replace(plan, caps=replace(plan.caps, calls=calls_left)), store))


# --- the sessions ----------------------------------------------------------------------------------------------------


async def _ask_all(plan: Plan, store: "_SessionStore") -> None:
    slots = _Slots(store.remaining, plan.caps, store.spent)
    # a server that is slow or away keeps no calls waiting that go to another one
    queues = [queue for alike in together(plan.respondents) for queue in _by_address(alike, store.engine.addresses)]

    async def work(jobs: Jobs) -> None:
        while slot := await slots.next(jobs):
            await store.carry_out(slot, slots)
            slots.done(slot)

    async with store.engine, heartbeat(store.report, store.progress):
        try:
            async with asyncio.TaskGroup() as group:
                for queue in queues:
                    jobs = _of_queue(store.remaining, queue) if len(queues) > 1 else store.remaining.jobs()
                    for _ in range(sum(connection.max_connections for connection in queue[0].connections)):
                        group.create_task(work(jobs))
        finally:
            store.over = True
    store.suspected_filters.settle()
    asked = store.progress.done + store.progress.waiting + store.progress.out + store.progress.ended
    store.progress.left = store.progress.total - asked
    store.progress.capped = slots.capped if store.progress.left else None


def _by_address(respondents: Sequence[Respondent], addresses: Mapping[str, str]) -> Sequence[Sequence[Respondent]]:
    """Respondents that are reached alike, those at each address apart."""
    queues: dict[str | None, list[Respondent]] = {}
    for respondent in respondents:
        queues.setdefault(addresses.get(respondent.name), []).append(respondent)
    return list(queues.values())


def _of_queue(remaining: Remaining, queue: Sequence[Respondent]) -> Jobs:
    """What is still to be asked of some of the models."""
    models = {one.name for one in queue}
    return (job for job in remaining.jobs() if job[0].model in models)


@dataclass(eq=False)
class _Slot:
    """A job under way, with the sessions that it has at most. `allowed`: how many calls it may still make;
    `open`: how many are being made.
    """

    job: Job
    keys: Sequence[Key]
    allowed: float
    open: int = 0


class _Slots:
    """Gives out what is to be asked, in order, and no more than the calls suffice for.

    A job is begun only where all of its sessions can be asked: a prediction without its behaviour is worth nothing.
    Where not even the first one fits into the calls, part of it is asked, so that the same command gets on.
    """

    def __init__(self, remaining: Remaining, caps: Caps, spent: Spent) -> None:
        self._keys = remaining.plan.keys
        self._caps = caps
        self._is_capped = caps.any
        self._is_spending_capped = caps.of_spending
        self._spent = spent
        self._calls_left = math.inf if caps.calls is None else caps.calls
        self._under_way: list[_Slot] = []
        self._began = False
        self._short_of_calls = False
        self._over = False
        self._one_at_a_time = asyncio.Lock()
        self._changed = asyncio.Event()

    async def next(self, jobs: Jobs) -> _Slot | None:
        """The next slot, of what is still to be asked; None where there is none, or where the calls do not suffice."""
        if not self._is_capped:  # nothing to wait for
            job, here = next(jobs, (None, ()))
            keys = self._keys(job) if job else ()
            return _Slot(job, keys, max(1, len(keys) - len(here))) if job else None
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
            slot = _Slot(job, keys, min(needed, self._calls_left))
            self._calls_left -= slot.allowed
            self._under_way.append(slot)
            self._began = True
            return slot

    def _suffice(self, job: Job, needed: int) -> bool:
        """Whether the caps suffice for so many calls more, with those that are set aside for what is under way."""
        if not self._is_spending_capped:
            return needed <= self._calls_left
        calls = Counter({job.model: needed})
        for slot in self._under_way:
            calls[slot.job.model] += int(slot.allowed) + slot.open
        return needed <= self._calls_left and not self.stopped and self._spent.suffices(self._caps, calls)

    @property
    def stopped(self) -> bool:
        """Whether a cap on tokens or dollars is reached: then no other call is begun."""
        return self._is_spending_capped and self._spent.reached(self._caps)

    @property
    def capped(self) -> str | None:
        """The cap on tokens or dollars that ended it, as it is said; None where it was the one on calls."""
        return None if self._short_of_calls else self._spent.said(self._caps)

    def one_more(self, slot: _Slot) -> bool:
        """Whether a slot may make one more call than was known that it needs, and that it may."""
        if self._calls_left < 1:
            return False
        self._calls_left -= 1
        slot.allowed += 1
        return True

    def done(self, slot: _Slot) -> None:
        if not self._is_capped:
            return
        self._calls_left += slot.allowed
        self._under_way.remove(slot)
        self._changed.set()


class _SessionStore:
    """Where the sessions of a run are asked for: it brings the reply that is already there, or asks the engine and
    writes the reply down.
    """

    def __init__(
        self,
        engine: Engine,
        suspected_filters: SuspectedFilters,
        ends: UnknownEndStop,
        remaining: Remaining,
        report: Report,
        progress: Progress,
    ) -> None:
        self.engine = engine
        self.suspected_filters = suspected_filters
        self.ends = ends
        self.remaining = remaining
        self.report = report
        self.progress = progress
        self.over = False
        self._sampling = cache(remaining.plan.sampling_of)  # by model, experiment, kind of session and facets
        progress.total = remaining.plan.sessions
        progress.done = remaining.here + remaining.unneeded.total()
        progress.out, progress.waiting, progress.ended = remaining.out, remaining.behind, remaining.ended
        progress.unneeded += remaining.unneeded
        progress.warnings = engine.warnings
        progress.servers_away = engine.waiting if isinstance(engine, Waiting) else {}
        progress.prices = remaining.plan.prices
        self.spent = Spent(remaining.plan.prices)
        if remaining.plan.caps.of_spending:
            self.spent.count_all(remaining.known.values())

    async def carry_out(self, slot: _Slot, slots: _Slots) -> None:
        """Ask what is still to be asked of a job."""
        plan, job = self.remaining.plan, slot.job
        experiment, keys = EXPERIMENTS[job.experiment], set(slot.keys)
        opened: dict[Key, Reply] = {}  # a session that several conditions share is asked for once
        away: set[Key] = set()  # out in a batch, or not asked again since the reply's end is not known
        capped = failed = False

        async def ask(
            condition: Condition, session: str, prompt: Prompt, *, parent: str | None = None
        ) -> Reply | Outcome:
            nonlocal capped, failed
            key, messages = in_condition(Key(*job, session), condition), experiment.messages(prompt)
            reply = opened.get(key) or counted(self.remaining.known, key, messages)
            if reply is not None:
                opened[key] = reply
                return reply
            not_again = not_asked_again(self.remaining.known, key, messages, plan.retry_ends)
            if not_again or self.remaining.requests.is_out(key, messages):
                away.add(key)
                return NOT_ASKED
            if key not in keys:  # nobody knew of it beforehand
                keys.add(key)
                self.progress.total += 1
            if slots.stopped or (slot.allowed < 1 and not slots.one_more(slot)):
                capped = True
                return NOT_ASKED
            slot.allowed -= 1
            slot.open += 1
            reply = opened[key] = await self.ends.take(key.model, partial(self._asked, key, messages, parent))
            slot.open -= 1
            failed |= reply.failed
            if plan.caps.of_spending:
                self.spent.count(reply, messages)
            self.progress.count(reply)
            self.progress.done += 1
            self.report(self.progress)
            return reply

        item = plan.item_set[job.experiment][job.item]
        for condition, prompts in plan.asked(job).items():
            await experiment.sessions(item, partial(ask, condition), prompts)
        rest = keys - opened.keys() - away
        if failed or away:
            self.progress.waiting += len(rest)
        elif not capped:
            self.progress.unneeded.update(kinds(rest))
            self.progress.done += len(rest)
            if rest:
                self.report(self.progress)

    def _asked(self, key: Key, messages: tuple[Message, ...], parent: str | None) -> Awaitable[Reply]:
        sampling = self._sampling(key.model, key.experiment, key.kind, key.facets)
        call = Call(key, messages, sampling, EXPERIMENTS[key.experiment].needs)
        return reply_to(self.engine, call, self.progress, lambda: self.over, parent)
