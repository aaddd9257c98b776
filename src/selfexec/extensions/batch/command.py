"""Batch files on the command line: what `export --to batch-...` and `import --from batch` do."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from selfexec.cli.declared import collect
from selfexec.cli.export import ExportRequest
from selfexec.cli.import_ import ImportRequest, refuse_cut
from selfexec.cli.options import say, typed
from selfexec.cli.spending import costs, say_took, tokens_about
from selfexec.errors import InputError
from selfexec.options import changed, declared
from selfexec.run_options import BatchOptions
from selfexec.text.numbers import dollars, number_of, size_of
from selfexec.text.printable import command_line

if TYPE_CHECKING:
    from selfexec.extensions.batch.exporting import Exported, NextRound
    from selfexec.extensions.batch.importing import ImportedBatch
    from selfexec.runs.asking import Plan
    from selfexec.runs.design import Design

TO = "batch-"


# --- there -----------------------------------------------------------------------------------------------------------


def export_files(request: ExportRequest) -> None:
    """Write the sessions that can be asked now as a provider's batch files, or say what that would be."""
    from selfexec.extensions.batch.exporting import NARROWING, export, planned_for

    run, out, form = request.run, request.out, request.form
    if request.replies:
        raise InputError("--replies: batch files are of a run, which has its replies. Leave it out.")
    if run is not None and out is not None and run != out:
        raise InputError(
            f"--out {out}: the files go into {run / 'batches'}, so that the run can record what was exported."
        )
    folder = run or out
    if folder is None:
        raise InputError(f"--to {form}: give the run's folder, which records what was exported: --out runs/NAME")
    given = {"models": request.models, **request.given}
    price, dry_run = given.pop("price"), given.pop("dry_run")
    options = collect(BatchOptions, given, to=form.removeprefix(TO), out=folder)
    flags = {each.name: each.flag for each in declared(BatchOptions)}
    if run is not None and (typed_names := sorted(changed(options).keys() - NARROWING)):
        raise InputError(
            f"{flags[typed_names[0]]}: this is already set by {run}. Leave it out, or give a new run with --out."
        )
    plan, design = planned_for(options, price)
    plan = replace(plan, command=typed("export"), again=options.again)
    to = form.removeprefix(TO)
    if dry_run:
        say("\n".join(_foreseen(plan, design, to)))
        return
    found = export(plan, to, options.per_file, design)
    for file in found.files:
        say(f"{file.path}: {number_of(file.requests, 'request')} of {file.model}, {size_of(file.bytes)}")
    say("\n".join(_next(found, form)))


def _foreseen(plan: "Plan", design: "Design | None", to: str) -> Iterator[str]:
    from selfexec.extensions.batch.exporting import batch_prices, foreseen_round
    from selfexec.runs.asking.estimate import foreseen

    found = foreseen_round(plan, to)
    yield f"To be exported now: {number_of(len(found.wanted), 'session')}{_more(found)}."
    if not found.wanted:
        return
    _, rest = foreseen(plan)
    about = f"about {tokens_about(rest.input_tokens)} tokens in, {tokens_about(rest.output_tokens)} out"
    yield f"All that remains, with the rounds that follow: {about}."
    yield from costs(plan.models, batch_prices(plan.prices), rest)


def _more(found: "NextRound | Exported") -> str:
    """What is out, and what follows."""
    out = f"; {number_of(found.out, 'is', 'are')} out already" if found.out else ""
    return out + (f"; at most {found.behind:,} follow when these are answered" if found.behind else "")


def _next(found: "Exported", form: str) -> Iterator[str]:
    back = command_line("import --from batch RESULTS -o {}", found.folder)
    if found.finished:
        ended = (
            f"; {number_of(found.ended, 'reply has', 'replies have')} an unknown end (--accept-ends, --retry-ends)"
            if found.ended
            else ""
        )
        yield f"{found.folder}: nothing is left to ask{ended}. Next: {command_line('score {}', found.folder)}"
        return
    if not found.sessions:
        yield f"{found.folder}: nothing new can be asked{_more(found)}. Next: {back}"
        yield "What will never come back is exported once more by --again."
        return
    yield f"{found.folder}: {number_of(found.sessions, 'session')} exported{_more(found)}."
    if found.capped:
        yield "--max-calls left some: the same command writes the rest."
    yield f"Next: hand the files in (docs/batch.md), then {back}"
    if found.behind:
        yield f"and then the next round: {command_line('export {} --to {}', found.folder, form)}"


# --- and back --------------------------------------------------------------------------------------------------------


def import_files(request: ImportRequest) -> None:
    """Put the results of batches into the run that exported them, and say what came of it."""
    from selfexec.extensions.batch.importing import imported

    out = request.out
    refuse_cut(request, f"the run {out} knows what was asked")
    found = imported(request.files, out, accept_filters=request.accept_filters, accept_ends=request.accept_ends)
    for warning in found.warnings:
        say(f"selfexec: warning: {warning}", err=True)
    failed = sum(found.failures.values()) - found.ended
    there = f", {found.again:,} were there already" if found.again else ""
    late = f", {found.late:,} of sessions that had a reply, which stays" if found.late else ""
    say(f"{out}: {number_of(len(found.replies), 'result')} ({failed:,} to be asked again){there}{late}.")
    for reason, n in found.failures.most_common():
        say(f"failed: {n:,} x {reason}")
    _say_took(found)
    if found.out:
        say(f"{number_of(found.out, 'session is', 'sessions are')} still out.")
    [form] = found.forms[-1:] or ["openai"]
    again = command_line("export {} --to {}", out, f"{TO}{form}")
    say(f"Next: {again}, which says whether anything is left; {command_line('score {}', out)}")


def _say_took(found: "ImportedBatch") -> None:
    """What the results took, by experiment and kind of session, at what a batch costs."""
    from selfexec.extensions.batch.exporting import batch_prices
    from selfexec.runs.asking import Progress

    progress = Progress(prices=batch_prices(_prices(found)))
    for reply in found.replies:
        progress.count(reply)
    say_took(progress)
    if progress.priced:
        say(f"cost at half the list price, as batch files have it: {dollars(progress.priced)}")


def _prices(found: "ImportedBatch") -> Mapping[str, Any]:
    from selfexec.engines import Connection, list_price

    models = dict.fromkeys(reply.model for reply in found.replies if not reply.simulated)
    known = {model: list_price(model, Connection()) for model in models if model in found.at_home}
    return {model: price for model, price in known.items() if price}
