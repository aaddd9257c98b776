"""Show stored replies to a judge, each in a fresh session, and keep what it says."""

import asyncio
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import msgspec

from selfexec.engines import Call, Engine, Waiting, all_simulated, engine_for, finish, sent_to, spared_from_sweeps
from selfexec.experiments import Key
from selfexec.extensions.judging.plan import Case, JudgingPlan, plan
from selfexec.extensions.judging.records import (
    Judge,
    JudgeReply,
    judgements_of,
    keep_judgements,
    load_judges,
    read_judge_replies,
    write_judges,
)
from selfexec.files import jsonl
from selfexec.options import changed
from selfexec.run_options import JudgeOptions
from selfexec.runs import invocations
from selfexec.runs.arguments import takes
from selfexec.runs.asking.caps import Spent
from selfexec.runs.asking.one_session import reply_to
from selfexec.runs.asking.progress import Progress, Report, heartbeat, shown_progress
from selfexec.runs.asking.shared_memory import refuse_memory
from selfexec.runs.asking.suspected_filters import SuspectedFilters
from selfexec.runs.asking.unknown_ends import UnknownEndStop
from selfexec.runs.connections import ConnectionLedger, replaced_void, unchecked_warning
from selfexec.runs.ends import JUDGE_REPLIES, ends_named, way_to_texts_of_judges
from selfexec.runs.run import Run, loaded, opened
from selfexec.runs.store import Journal


@takes(JudgeOptions, "judging", report="on_progress")
def judge(options: JudgeOptions) -> Run:
    """Have another model judge the stored replies of a run, each in a fresh session.

    The run then has what the judge said as the source `judge:NAME`, which scores by `source="judge:NAME"` count.
    Replies that are judged already are not judged again, so that the same call goes on where one ended; a reply that
    has changed since is. Only experiments whose replies are judged have any: restriction. Where failing_question is
    named, its questions are answered for their keys, by models that did not write them: the source `majority`.

    Args:
        run: A run or its folder; replies in it stay as they are.
        judge: `provider/model` or `sim/NAME`.

    Returns:
        The run with what the judge said.

    Raises:
        InputError: Something that was given cannot be used, a key is not there, a judge of this name has judged with
            other settings, or the server refuses for good. What came back until then is kept.
    """
    [run] = loaded(options.run, options.accept_ends or ())
    made = {"judge": options.judge, **changed(options)}
    planned = replace(plan(run, options), command=invocations.call("sx.judge", made))
    on_progress = options.on_progress
    if on_progress or all_simulated([options.judge], planned.connection):
        return carry_out(planned, on_progress)
    progress = Progress()
    with shown_progress() as show:
        found = carry_out(planned, show, progress)
    for text in progress.warnings:
        warnings.warn(text, stacklevel=4)  # of the caller, beyond what turns names into options
    return found


def carry_out(plan: JudgingPlan, report: Report | None = None, progress: Progress | None = None) -> Run:
    """Do what is planned, and bring the run with its judgements. `progress` is kept up to date, and `report` called
    with it after each session.
    """
    engine = engine_for([plan.model], plan.run.items, plan.connection)
    refuse_memory([plan.respondent])
    progress = progress or Progress()
    with (
        Journal(plan.folder / JUDGE_REPLIES) as journal,
        ConnectionLedger(journal) as ledger,
        spared_from_sweeps(),
    ):
        # the holder of the journal knows what is there
        journal_lines = jsonl.values(plan.folder / JUDGE_REPLIES, JudgeReply)
        plan = replace(plan, known=_known(plan))
        progress.total, progress.done, progress.ended = len(plan.cases), len(plan.here), len(plan.ended)
        progress.warnings, progress.prices = engine.warnings, plan.prices
        spent = Spent(plan.prices)
        ledger.watch(engine)
        spent.count_all(plan.known.values())
        spent.count_all(replaced_void([line for line in journal_lines if line.name == plan.name]))
        progress.servers_away = engine.waiting if isinstance(engine, Waiting) else {}
        try:
            if plan.open:
                with _invocation(plan, engine, progress):
                    show = report or (lambda progress: None)
                    finish(_ask_all(plan, engine, ledger, spent, show, progress))
                    _ask_void_again(plan, engine, ledger, spent, show, progress)
                    ledger.raise_fault()
        finally:
            progress.warnings.extend(ledger.warnings())
            known = _known(plan)
            progress.warnings.extend(ends_named(known.values(), way_to_texts_of_judges(plan.folder)))
            judged = replace(plan, known=known).here
            keep_judgements(plan.folder, judgements_of(plan.run, judged))
            if text := unchecked_warning(plan.folder / JUDGE_REPLIES, known.values(), plan.folder):
                progress.warnings.append(text)
    found = opened(plan.folder, plan.run.accept_ends)
    return replace(found, given=plan.run.given, told_by=plan.run.told_by)


def _known(plan: JudgingPlan) -> dict[Key, JudgeReply]:
    """What the judge has replied so far, with the ends that are accepted."""
    return read_judge_replies(plan.folder / JUDGE_REPLIES, plan.name, plan.run.accept_ends)


def foreseen(plan: JudgingPlan) -> int:
    """How many sessions remain to be asked. Asks and writes nothing, and refuses what judging would."""
    refuse_memory([plan.respondent])
    return len(plan.open)


def _ask_void_again(
    plan: JudgingPlan, engine: Engine, ledger: ConnectionLedger, spent: Spent, report: Report, progress: Progress
) -> None:
    """Ask the judge again what turned out to be void, within the caps."""
    void, most = 0, plan.caps.calls
    while ledger.void.total() > void:
        void = ledger.void.total()
        plan = replace(plan, known=_known(plan))
        progress.done, progress.ended = len(plan.here), len(plan.ended)
        progress.failures.clear()
        if most is not None and most <= progress.calls:
            progress.left = progress.total - progress.done
            return
        plan = replace(plan, caps=replace(plan.caps, calls=None if most is None else most - progress.calls))
        finish(_ask_all(plan, engine, ledger, spent, report, progress))


async def _ask_all(
    plan: JudgingPlan, engine: Engine, ledger: ConnectionLedger, spent: Spent, report: Report, progress: Progress
) -> None:
    cases, over = iter(plan.open), False
    under_way, changed = 0, asyncio.Event()
    accepted, accept_ends = {plan.model} if plan.connection.accept_filters else (), plan.run.accept_ends
    suspected_filters = SuspectedFilters(ledger.keep, plan.known, accepted, accept_ends)
    before = () if plan.retry_ends else plan.known.values()
    ends = UnknownEndStop(suspected_filters, accept_ends, before, way_to_texts_of_judges(plan.folder))
    calls_left = len(plan.open) if plan.caps.calls is None else plan.caps.calls

    async def following() -> Case | None:
        """The next case; None where there is none, or where the caps do not suffice for it."""
        nonlocal under_way, calls_left
        while calls_left and not spent.reached(plan.caps):
            if spent.suffices(plan.caps, Counter({plan.model: under_way + 1})):
                case = next(cases, None)
                under_way, calls_left = under_way + (case is not None), calls_left - (case is not None)
                return case
            if not under_way:
                return None
            changed.clear()  # what is under way may take less than was set aside for it
            await changed.wait()
        return None

    async def work() -> None:
        nonlocal under_way
        while (case := await following()) is not None:
            sampling = sent_to(plan.model, plan.connection, plan.sampling.of(case.asked.experiment, case.asked.kind))
            call = Call(case.asked, case.messages, sampling)

            async def ask(call: Call = call, case: Case = case) -> JudgeReply:
                reply = await reply_to(engine, call, progress, lambda: over)
                fields = msgspec.structs.asdict(reply)
                return JudgeReply(**fields, name=plan.name, subject=case.judged.model, judged=case.judged.session)

            reply = await ends.take(plan.model, ask)
            under_way -= 1
            spent.count(reply, case.messages)
            progress.count(reply)
            progress.done += 1
            changed.set()
            report(progress)

    async with engine, heartbeat(report, progress):
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(plan.connection.max_connections, len(plan.open))):
                    group.create_task(work())
        finally:
            over = True
    suspected_filters.settle()
    progress.left = progress.total - progress.done - progress.ended
    if progress.left and calls_left:
        progress.capped = spent.said(plan.caps)


@contextmanager
def _invocation(plan: JudgingPlan, engine: Engine, progress: Progress) -> Iterator[None]:
    """Write down when this judge judges, how it was called, and when it is done. Where no call came of it, nothing."""
    judges = load_judges(plan.folder)
    before = judges.get(plan.name)
    judge = plan.judge
    if before:
        judge = msgspec.structs.replace(
            judge, prompts={**before.prompts, **judge.prompts}, invocations=before.invocations
        )
    begun = invocations.begun(plan.command, engine.addresses)

    def write(*more: invocations.Invocation) -> None:
        kept: Judge = msgspec.structs.replace(judge, invocations=invocations.kept([*judge.invocations, *more]))
        write_judges(plan.folder, {**judges, plan.name: kept} if more or before else judges)

    with invocations.noted(begun, write, progress):
        yield
