"""Show stored replies to a judge, each in a fresh session, and keep what it says."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import msgspec

from selfexec.engines import Engine, engine_for, without_garbage_sweeps
from selfexec.experiments import Key
from selfexec.extensions.judging.plan import JudgingPlan, plan
from selfexec.extensions.judging.records import (
    Judge,
    JudgeReply,
    judgements_of,
    keep_judgements,
    load_judges,
    read_judge_replies,
    write_judges,
)
from selfexec.options import changed
from selfexec.run_options import JudgeOptions
from selfexec.runs import invocations
from selfexec.runs.arguments import takes
from selfexec.runs.asking.executor import BackEnd, ask_due, note_remaining
from selfexec.runs.asking.progress import Progress, Report, shown_progress
from selfexec.runs.asking.remaining import Remaining
from selfexec.runs.asking.shared_memory import refuse_memory
from selfexec.runs.ends import JUDGE_REPLIES, ends_named, way_to_texts_of_judges
from selfexec.runs.journal import Journal
from selfexec.runs.journal_writer import JournalWriter, unchecked_warning
from selfexec.runs.run import Run, load_all, read_run


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
    [run] = load_all(options.run, options.accept_ends or ())
    made = {"judge": options.judge, **changed(options)}
    planned = replace(plan(run, options), command=invocations.call("sx.judge", made))
    on_progress = options.on_progress
    if on_progress or planned.respondent.simulated:
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
        without_garbage_sweeps(),
    ):
        # the holder of the journal knows what is there
        now = _remaining(plan)
        note_remaining(progress, now, engine)
        writer = JournalWriter(journal, engine)
        way_to_texts = partial(way_to_texts_of_judges, plan.folder)
        back_end = BackEnd(engine, writer, plan.run.accept_ends, way_to_texts, plan.line)
        try:
            if now.sessions_left:
                with _invocation(plan, engine, progress):
                    show = report or (lambda progress: None)
                    ask_due(back_end, now, partial(_remaining, plan), show, progress)
        finally:
            progress.warnings.extend(writer.warnings())
            known = _known(plan)
            progress.warnings.extend(ends_named(known.values(), way_to_texts()))
            judged = replace(plan, known=known).here
            keep_judgements(plan.folder, judgements_of(plan.run, judged))
            if text := unchecked_warning(plan.folder / JUDGE_REPLIES, known.values(), plan.folder):
                progress.warnings.append(text)
    found = read_run(plan.folder, plan.run.accept_ends)
    return replace(found, given=plan.run.given, chosen_sources=plan.run.chosen_sources)


def _known(plan: JudgingPlan) -> dict[Key, JudgeReply]:
    """What the judge has replied so far, with the ends that are accepted."""
    return read_judge_replies(plan.folder / JUDGE_REPLIES, plan.name, plan.run.accept_ends)


def _remaining(plan: JudgingPlan) -> Remaining[JudgingPlan]:
    """How a plan stands by what the judge has replied until now."""
    return replace(plan, known=_known(plan)).remaining


def foreseen(plan: JudgingPlan) -> int:
    """How many sessions remain to be asked. Asks and writes nothing, and refuses what judging would."""
    refuse_memory([plan.respondent])
    return len(plan.open)


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
