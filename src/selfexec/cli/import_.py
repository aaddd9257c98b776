"""selfexec import"""

import shlex
from collections import Counter
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from selfexec.cli.declared import options_of, quietly
from selfexec.cli.options import PathArgument, Sections, say
from selfexec.errors import InputError
from selfexec.extensions.batch.command import import_files
from selfexec.options import Names, option
from selfexec.reading_options import AcceptedEnds
from selfexec.run_options import UnknownEnds, Wanted
from selfexec.runs.folder import MANIFEST
from selfexec.text.numbers import number_of

if TYPE_CHECKING:
    from selfexec.runs import Run
    from selfexec.runs.folder import ImportedLog

INSPECT = "inspect"
BATCH = "batch"


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """Whose replies, and where the run is."""

    item_source: str | None = option(
        None,
        "The items that were asked: a folder, or a set's name. Of a cut say which, as `run` has it:",
        flag="--items",
        metavar="SET|FOLDER",
    )
    tool: str | None = option(
        None,
        "inspect, lm-eval: logs; a folder: those in it. batch: results of a provider's batch API.",
        flag="--from",
        metavar="TOOL",
    )
    experiment: str | None = option(
        None, "To predict: correctness, refusal, choice or length.", flag="--as", metavar="EXPERIMENT"
    )
    score: Names | None = option(
        None,
        "The score that says what is right, where a log has several: the first that a log has counts.",
        metavar="NAME",
        form="repeated",
    )
    model: str | None = option(None, "The model, by the name that it is asked by.", metavar="PROVIDER/MODEL")
    accept_filters: bool = option(
        False, "Of a batch: keep errors that look like a content filter even where the model itself has said nothing."
    )
    out: Path = option(
        MISSING,
        "The run's folder: new, or one that was imported; of a batch the one that exported it.",
        short="-o",
        metavar="PATH",
        form="file",
    )


@click.command(
    "import",
    cls=Sections,
    sections={
        "Replies to our items": ("item_source", "preset", "limit", "fraction"),
        "Finished logs of other tools": ("tool", "experiment", "score", "model"),
        "Where it goes": ("accept_filters", "accept_ends", "out"),
    },
)
@click.argument("replies", nargs=-1, required=True, type=PathArgument())
@options_of(ImportOptions, only=("item_source",))
@options_of(Wanted, only=("preset", "limit", "fraction"))
@options_of(ImportOptions, without=("item_source", "out"))
@options_of(AcceptedEnds)
@options_of(ImportOptions, only=("out",))
@quietly
def command(
    replies: tuple[Path, ...],
    item_source: str | None,
    preset: str | None,
    limit: int | None,
    fraction: float | None,
    tool: str | None,
    experiment: str | None,
    score: tuple[str, ...],
    model: str | None,
    accept_filters: bool,
    accept_ends: tuple[str, ...],
    out: Path,
) -> None:
    """Make a run of replies from elsewhere: another harness, a batch API, a form that people filled in.

    REPLIES are JSON Lines, also gzipped, or - for standard input; one reply a line:

    \b
    {"model": "...", "experiment": "...", "item": "17", "epoch": 1,
     "session": "predict", "text": "...", "output_tokens": 57, "error": null}

    \b
    selfexec import replies.jsonl --items starter --out runs/mine

    Logs of Inspect AI, of the tasks selfexec/..., bring items, prompts and settings with them:

    \b
    selfexec import logs/*.eval --out runs/mine

    What a batch API gave back, results and errors alike, in any order, goes into the run that exported the requests
    (docs/batch.md):

    \b
    selfexec import --from batch output.jsonl errors.jsonl --out runs/mine

    Finished logs of any other task, with --as: what models did stands there, and `selfexec run --out` then asks whether
    they know it, one prediction for each sample (docs/logs.md):

    \b
    selfexec import --from lm-eval results --as correctness --out runs/known
    selfexec run --out runs/known
    """
    if tool != BATCH and accept_filters:
        raise InputError(f"--accept-filters: that is for results of a batch. Add --from {BATCH}.")
    if experiment is not None:
        if tool is None:
            raise InputError(f"--as {experiment}: that is for logs. Say whose they are: --from TOOL")
        _refuse_cut("logs bring their own items, all of them", item_source, preset, limit, fraction)
        _import_logs(replies, tool, experiment, score, model, out)
        return
    for flag, given in (("--score", ", ".join(score) or None), ("--model", model)):
        if given is not None:
            raise InputError(f"{flag} {given}: that is for logs of other tasks. Add what is to be predicted: --as")
    if tool not in (None, INSPECT, BATCH):
        from selfexec.extensions.logs.tools import TOOLS

        if tool in TOOLS:
            raise InputError(f"--from {tool}: say what of these logs is to be predicted. Add --as correctness")
        raise InputError(f"--from {tool}: there are {', '.join(TOOLS)} and {BATCH}. Give one of them.")
    if tool == BATCH:
        _refuse_cut(f"the run {out} knows what was asked", item_source, preset, limit, fraction)
        import_files(replies, out, accept_filters, accept_ends)
    elif tool == INSPECT or (item_source is None and all(path.suffix == ".eval" for path in replies)):
        _refuse_cut("logs bring their own items, all of them", item_source, preset, limit, fraction)
        _import_task_logs(replies, out)
    elif item_source is None and not (out / MANIFEST).is_file():
        raise click.UsageError("Missing option '--items'.")
    else:
        _import_replies(replies, item_source, preset, limit, fraction, out, accept_ends)


def _refuse_cut(
    why: str, item_source: str | None, preset: str | None, limit: int | None, fraction: float | None
) -> None:
    cut = (("--items", item_source), ("--preset", preset), ("--limit", limit), ("--fraction", fraction))
    for flag, value in cut:
        if value is not None:
            raise InputError(f"{flag} {value}: {why}. Leave it out.")


def _import_task_logs(logs: tuple[Path, ...], out: Path) -> None:
    from selfexec.extensions.inspect.importing import run_of_logs

    run, warnings = run_of_logs(logs, out)
    for warning in warnings:
        say(f"selfexec: warning: {warning}", err=True)
    _say_imported(run, out)


def _import_logs(
    logs: tuple[Path, ...], tool: str, experiment: str, score: tuple[str, ...], model: str | None, out: Path
) -> None:
    from selfexec.engines import why_unaskable
    from selfexec.extensions.logs.importing import import_logs

    found = import_logs(logs, tool=tool, experiment=experiment, out=out, score=score, model=model)
    for warning in found.warnings:
        say(f"selfexec: warning: {warning}", err=True)
    for log in found.logs:
        say(_used(log))
    items = len(found.run.items[experiment])
    models = number_of(len(found.run.models), "model")
    used = dict.fromkeys(log.model for log in found.logs if log.used)
    unaskable = {name: why for name in used if (why := why_unaskable(name))}
    for name, why in unaskable.items():
        say(
            f"selfexec: warning: {name} cannot be asked by the name that its log has for it ({why}) To call it as "
            "it is asked, import its logs into a new folder, with --model PROVIDER/MODEL.",
            err=True,
        )
    folder = shlex.quote(str(out))
    to_ask = "" if unaskable else f" Next: selfexec run --out {folder} --dry-run"
    say(f"{out}: {number_of(items, 'item')} of {experiment}, {models}.{to_ask}")


def _used(log: "ImportedLog") -> str:
    """What became of the samples of a log."""
    by = f", by the score {log.score}" if log.score else ""
    left = "".join(f"\n  left out: {number_of(n, 'sample')}: {reason}" for reason, n in log.left_out.items())
    return f"{log.file}: {number_of(log.used, 'sample')} of {log.model}{by}{left}"


def _import_replies(
    replies: tuple[Path, ...],
    item_source: str | None,
    preset: str | None,
    limit: int | None,
    fraction: float | None,
    out: Path,
    accept_ends: tuple[str, ...],
) -> None:
    from selfexec.runs.importing import items_without_a_line, replies_as_run
    from selfexec.runs.records import Cut

    cut = Cut(preset=preset, limit=limit, fraction=fraction)
    run, warnings = replies_as_run(replies, item_source, out, cut, accept_ends)
    for warning in warnings:
        say(f"selfexec: warning: {warning}", err=True)
    for text in items_without_a_line(run):
        say(f"selfexec: warning: {text}", err=True)
    _say_imported(run, out, replies)


def _say_imported(run: "Run", out: Path, replies: tuple[Path, ...] = ()) -> None:
    from selfexec.runs.listing import listed

    there = listed(out)  # so that it counts as `list` does
    missing = number_of(there.missing, "session")
    counts = f"{number_of(there.replies, 'reply', 'replies')}, {missing} missing, {number_of(len(run.models), 'model')}"
    then = f"Next: selfexec score {shlex.quote(str(out))}"
    if there.missing and replies:
        then = _next_round(run, out, replies) or then
    say(f"{out}: imported ({counts}). {then}")


def _next_round(run: "Run", out: Path, replies: tuple[Path, ...]) -> str | None:
    """Which sessions of an imported run can be asked now, why they are missing, and the command that writes them."""
    from selfexec.cli.export import round_of_run
    from selfexec.runs import load_replies

    prompts = load_replies(replies).cut.prompts
    try:
        sessions = list(round_of_run(out, [], [], prompts, (), UnknownEnds()).sessions())
    except InputError:  # prompts that are not here, or a history that only a run knows
        return None
    if not sessions:
        return None
    failed = {key[:5] for key, reply in run.replies.items() if reply.failed}
    said = {(key.model, key.experiment, key.item, key.epoch) for key in run.replies}
    why: Counter[str] = Counter()
    for one in sessions:
        place = (one.model, one.experiment, one.item, one.epoch)
        key = (*place, one.session)
        reason = "failed" if key in failed else "not asked yet" if place in said else "no line of their item"
        why[f"{one.experiment} {one.session.partition('.')[0]}: {reason}"] += 1
    for reason, n in sorted(why.items()):
        say(f"missing: {number_of(n, 'session')}, {reason}")
    number = len(run.manifest.sources) + 1
    named = f" --prompts {shlex.quote(prompts)}" if prompts else ""
    command = f"selfexec export {shlex.quote(str(out))}{named} > round-{number}.jsonl"
    folder = shlex.quote(str(out))
    then = f"then selfexec import ANSWERS --out {folder}; or of what is there selfexec score {folder}"
    return f"Next: {command} ({number_of(len(sessions), 'session')}), {then}"
