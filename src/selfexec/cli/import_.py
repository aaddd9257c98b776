"""selfexec import"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from selfexec.cli.declared import options_of, quietly
from selfexec.cli.options import STDOUT, PathArgument, Sections, say
from selfexec.errors import InputError
from selfexec.extension import Import, explained, registered, resolve
from selfexec.options import Names, option
from selfexec.reading_options import AcceptedEnds
from selfexec.run_options import UnknownEnds, Wanted
from selfexec.runs.folder import MANIFEST
from selfexec.text.matching import apart
from selfexec.text.numbers import number_of
from selfexec.text.printable import command_line

if TYPE_CHECKING:
    from selfexec.runs import Run
    from selfexec.runs.reply import Cut


WROTE = "The tool that wrote the files."


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """Whose replies, and where the run is."""

    item_source: str | None = option(
        None,
        "The items that were asked: a folder or the name of a set. Required for a new run. If only a subset "
        "was asked, also give one of the following options, as for `run`:",
        flag="--items",
        metavar="SET|FOLDER",
    )
    tool: str | None = option(
        None,
        WROTE,
        flag="--from",
        metavar="TOOL",
    )
    experiment: str | None = option(
        None,
        "What models are asked to predict: correctness, refusal, choice or length.",
        flag="--as",
        metavar="EXPERIMENT",
    )
    score: Names | None = option(
        None,
        "If a log has several scores: the one that marks answers as correct. With several names, the first one found "
        "in "
        "a log is used.",
        metavar="NAME",
        form="repeated",
    )
    model: str | None = option(None, "The name by which `selfexec run` calls the model.", metavar="PROVIDER/MODEL")
    accept_filters: bool = option(
        False,
        "For batches: count errors that look like content-filter blocks as refusals, even before any reply has come "
        "from the model.",
    )
    out: Path = option(
        MISSING,
        "The run's folder: a new one, or one that an earlier import made; for a batch, the run that exported it.",
        short="-o",
        metavar="PATH",
        form="file",
    )


@dataclass(frozen=True)
class ImportRequest:
    """What was typed, by the names that the options of `import` have."""

    files: tuple[Path, ...]
    item_source: str | None
    cut: "Cut"
    experiment: str | None
    score: tuple[str, ...]
    model: str | None
    accept_filters: bool
    accept_ends: tuple[str, ...]
    out: Path
    tool: str | None = None


class ImportCommand(Sections):
    """The command. What its help says of tools is looked up when it is shown: extensions that bring them import from
    this module.
    """

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        tools = {**registered("finished_logs"), **registered("imports")}
        option = next(one for one in self.params if isinstance(one, click.Option) and one.name == "tool")
        option.help = f"{WROTE} {explained(tools)}"
        super().format_options(ctx, formatter)


@click.command(
    "import",
    cls=ImportCommand,
    sections={
        "Replies as JSON Lines": ("item_source", "preset", "limit", "fraction"),
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
    """Create a run from replies collected elsewhere: by another harness, by a batch API, or on forms.

    REPLIES are JSON Lines files, which may be gzipped, with one reply per line. For standard input, use -

    \b
    {"model": "...", "experiment": "...", "item": "17", "epoch": 1,
     "session": "predict", "text": "...", "output_tokens": 57, "error": null}

    \b
    selfexec import replies.jsonl --items starter --out runs/mine

    Inspect AI logs of the selfexec/... tasks already contain the items, prompts and settings:

    \b
    selfexec import logs/*.eval --out runs/mine

    Files from a batch API, both results and errors, in any order, are added to the run that exported the requests
    (docs/batch.md):

    \b
    selfexec import --from batch output.jsonl errors.jsonl --out runs/mine

    Finished logs of any other task, with --as, already contain what the models did. `selfexec run --out` then asks each
    model to predict it, once for each sample (docs/logs.md):

    \b
    selfexec import --from lm-eval results --as correctness --out runs/known
    selfexec run --out runs/known
    """
    from selfexec.runs.reply import Cut

    cut = Cut(preset=preset, limit=limit, fraction=fraction)
    request = ImportRequest(replies, item_source, cut, experiment, score, model, accept_filters, accept_ends, out, tool)
    if tool is None and experiment is None:
        suffixes = {path.suffix for path in replies}
        tool = next((name for name, one in registered("imports").items() if suffixes == {one.suffix}), None)
    if tool is not None or experiment is not None:
        meant = _tool_meant(tool, experiment)
        _refuse_options_of_others(request, meant.takes)
        resolve(meant.place)(replace(request, tool=tool))
        return
    _refuse_options_of_others(request)
    if item_source is None and not (out / MANIFEST).is_file():
        refuse_absent(replies)
        raise click.UsageError("Missing option '--items', which names the items that were asked.")
    _import_replies(request)


def _tool_meant(tool: str | None, experiment: str | None) -> Import:
    """The tool whose files are to be imported."""
    tools, finished_logs = registered("imports"), registered("finished_logs")
    if tool is None:
        raise InputError(f"--as {experiment}: this option is for logs. Name the tool that wrote them: --from TOOL")
    if tool not in {*tools, *finished_logs}:
        known = sorted({*tools, *finished_logs})
        raise InputError(f"--from {tool}: no files of this tool can be read. Give one of {apart(known)}.")
    if experiment is None and tool not in tools:
        raise InputError(f"--from {tool}: what are models to predict? Add --as, for example --as correctness")
    if experiment is not None and tool not in finished_logs:
        raise InputError(f"--as {experiment}: this option is for logs of {apart(sorted(finished_logs))}. Leave it out.")
    meant: Import = (tools if experiment is None else finished_logs)[tool]
    return meant


def _refuse_options_of_others(request: ImportRequest, taken: Sequence[str] = ()) -> None:
    """Raise InputError where an option was typed that goes with some tools, and is not among those that are taken."""
    if request.accept_filters and "--accept-filters" not in taken:
        raise InputError("--accept-filters: this option is for the results of a batch. Add --from batch.")
    for flag, given in (("--score", ", ".join(request.score) or None), ("--model", request.model)):
        if given is not None and flag not in taken:
            raise InputError(
                f"{flag} {given}: this option is for logs of other tasks. Add --as, with what models are to predict."
            )


def refuse_absent(files: Sequence[Path]) -> None:
    """Raise InputError for the first file that is not there: that comes before what else its replies need."""
    if absent := [path for path in files if str(path) != STDOUT and not path.exists()]:
        raise InputError(f"{absent[0]}: no such file. Check the path.")


def refuse_cut(request: ImportRequest, why: str) -> None:
    """Raise InputError where items or a part of them were named and the files say that themselves."""
    cut = request.cut
    parts = (("--preset", cut.preset), ("--limit", cut.limit), ("--fraction", cut.fraction))
    for flag, value in (("--items", request.item_source), *parts):
        if value is not None:
            raise InputError(f"{flag} {value}: {why}. Leave it out.")


def _import_replies(request: ImportRequest) -> None:
    from selfexec.runs.importing import items_without_a_line, replies_as_run

    run, warnings = replies_as_run(request.files, request.item_source, request.out, request.cut, request.accept_ends)
    for warning in warnings:
        say(f"selfexec: warning: {warning}", err=True)
    for text in items_without_a_line(run):
        say(f"selfexec: warning: {text}", err=True)
    say_imported(run, request.out, request.files)


def say_imported(run: "Run", out: Path, replies: tuple[Path, ...] = ()) -> None:
    from selfexec.runs.listing import listed

    there = listed(out)  # so that it counts as `list` does
    missing = number_of(there.missing, "session")
    counts = f"{number_of(there.replies, 'reply', 'replies')}, {missing} missing, {number_of(len(run.models), 'model')}"
    score = command_line("score {}", out)
    then = f"Next: {score}"
    for line in _people_with_one_form(run):
        say(line)
    if there.missing and run.people:
        other = command_line("import THE-OTHER-FORM.jsonl --out {}", out)
        then = f"Next: {other}; to score what is there: {score}"
    elif there.missing and replies:
        then = _next_round(run, out, replies) or then
    say(f"{out}: imported ({counts}). {then}")


def _people_with_one_form(run: "Run") -> Iterator[str]:
    """Whose other form is missing, where others have one that they lack: one person may have given two names."""
    from selfexec.experiments import EXPERIMENTS

    by_form: dict[bool, set[str]] = {True: set(), False: set()}  # those with predictions, and those with behaviour
    for key in run.replies:
        if key.model in run.people:
            by_form[key.session_kind in EXPERIMENTS[key.experiment].predictions].add(key.model)
    predicted, did = by_form[True] - by_form[False], by_form[False] - by_form[True]
    if predicted and did:
        yield (
            f"{', '.join(sorted(predicted))}: only predictions. {', '.join(sorted(did))}: only behaviour. If two of "
            "these names are one person's, give both the same name in the files, and import them into a new run."
        )


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
    named = command_line("export {} --prompts {}", out, prompts) if prompts else command_line("export {}", out)
    back, score = command_line("import ANSWERS --out {}", out), command_line("score {}", out)
    then = f"then {back}; to score what is there: {score}"
    return f"Next: {named} > round-{number}.jsonl ({number_of(len(sessions), 'session')}), {then}"
