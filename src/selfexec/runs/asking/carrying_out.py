"""What a command does to carry out a plan: journal, manifest, and what is still due, which `executor` asks."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from selfexec.engines import Engine, Experienced, run_coroutine, without_garbage_sweeps
from selfexec.errors import InputError
from selfexec.run_options import RunOptions
from selfexec.runs import invocations
from selfexec.runs.arguments import takes
from selfexec.runs.asking.executor import BackEnd, ask_due, note_remaining
from selfexec.runs.asking.growing import begin, grow, invocation, refuse_misfit, undone_if_refused
from selfexec.runs.asking.plan import Plan
from selfexec.runs.asking.planning import plan_run
from selfexec.runs.asking.progress import Progress, Report, shown_progress
from selfexec.runs.asking.remaining import Remaining, remaining_of
from selfexec.runs.asking.remarks import remarks
from selfexec.runs.asking.reply_gate import filter_warnings
from selfexec.runs.asking.shared_memory import refuse_memory
from selfexec.runs.asking.void_replies import void_dependents
from selfexec.runs.ends import ends_named, way_to_texts, with_accepted_ends
from selfexec.runs.folder import MANIFEST, REPLIES, Manifest, grow_prompts, load_manifest
from selfexec.runs.journal import Journal, read_journal
from selfexec.runs.journal_writer import JournalWriter
from selfexec.runs.reply import Reply
from selfexec.runs.run import Run, read_run
from selfexec.runs.share import refuse_other_cut


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
    plan = replace(plan_run(options), command=invocations.call("sx.run", options.made), again=options.again)
    return carry_out_showing(plan, options.on_progress, 5)  # the caller is beyond what slots names into options


def carry_out_showing(plan: Plan, on_progress: Report | None, stacklevel: int = 3) -> Run:
    """Carry out a plan with its progress on standard error, where nobody else gets it, and with warnings as Python has
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
    at_start: Callable[[Remaining[Plan]], None] | None = None,
) -> Run:
    """Do what is planned, and return the run as it was read back from its folder: no reply gets from the engine to the
    scores but through the journal.

    Args:
        plan: What is asked, and where it goes.
        report: Called with the progress after each session.
        progress: Kept up to date.
        at_start: Shown how the plan stands before anything is asked.
    """
    engine = plan.engine()
    if not plan.all_simulated:
        refuse_memory(plan.respondents)
    if plan.has_shards:
        refuse_other_cut(plan.run_folder, plan.shard)
    progress = progress or Progress()
    manifest = None if (plan.out / MANIFEST).exists() else begin(plan, plan.design)
    _fill(plan, engine, manifest, report, progress, at_start)
    found = read_run(plan.out)
    if not plan.all_simulated:
        progress.warnings.extend(filter_warnings(found.replies))
        progress.warnings.extend(ends_named(found.replies.values(), way_to_texts(plan.out)))
        sampled = {one.name: one.sampling for one in plan.respondents if not one.simulated}
        replies = (reply for reply in found.replies.values() if reply.model in sampled)
        sent = lambda key: sampled[key.model].of(key.experiment, key.session_kind)  # noqa: E731
        progress.warnings.extend(remarks(replies, sent, found.server_notices))
    return found


def _fill(
    plan: Plan,
    engine: Engine,
    manifest: Manifest | None,
    report: Report | None,
    progress: Progress,
    at_start: Callable[[Remaining[Plan]], None] | None,
) -> None:
    """Ask what is missing in the folder of a plan. `manifest` is that of a run which this command has begun."""
    with (
        Journal(plan.out / REPLIES) as journal,
        without_garbage_sweeps(),
    ):
        before = None
        if manifest is None or load_manifest(plan.out) != manifest:  # the holder of the journal may change the folder
            refuse_misfit(plan)
            before = load_manifest(plan.out)
            manifest = grow(plan)
        writer = JournalWriter(journal, engine)
        look_again = partial(_remaining_without_void, plan, journal, manifest.accept_ends)
        remaining = look_again()
        writer.copies.remember(remaining.stored.values())
        if isinstance(engine, Experienced):
            engine.note_answered(_addresses_that_answered(remaining.stored.values(), manifest))
        back_end = BackEnd(engine, writer, manifest.accept_ends, partial(way_to_texts, plan.out))
        report = report or (lambda progress: None)
        note_remaining(progress, remaining, engine)
        if at_start:
            at_start(remaining)
        report(progress)
        if remaining.sessions_left:
            if before:  # with those of what is new, and of a run that kept only hashes all that are known
                grow_prompts(plan.out, manifest.prompts, plan.asked_prompts)
            with undone_if_refused(plan, before), invocation(plan, manifest, engine, progress):
                try:
                    ask_due(back_end, remaining, look_again, report, progress)
                finally:
                    progress.warnings.extend(writer.warnings())


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


def _remaining_without_void(plan: Plan, journal: Journal, accept_ends: Sequence[str]) -> Remaining[Plan]:
    """How a plan stands, once what was asked from void replies is void too."""
    lines = read_journal(journal.path)
    if any(reply.takes_back for reply in lines.values()) and void_dependents(plan, journal.path, journal.append):
        lines = read_journal(journal.path)
    return run_coroutine(remaining_of(plan, with_accepted_ends(lines, accept_ends) if accept_ends else lines))
