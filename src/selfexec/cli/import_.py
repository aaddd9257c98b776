"""selfexec import"""

import shlex
from pathlib import Path

import click

from selfexec.cli.completion import complete_items
from selfexec.cli.options import cut_options, out_option, say
from selfexec.text.numbers import number_of


@click.command("import")
@click.argument("replies", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--items",
    "item_source",
    required=True,
    metavar="SET|FOLDER",
    shell_complete=complete_items,
    help="The items that were asked: a folder, or a set's name. Of a cut say which, as `run` has it:",
)
@cut_options
@out_option("The run's folder; it must be new.", required=True)
def command(
    replies: tuple[Path, ...],
    item_source: str,
    preset: str | None,
    limit: int | None,
    fraction: float | None,
    out: Path,
) -> None:
    """Make a run of replies from elsewhere: another harness, a batch API, a form that people filled in.

    REPLIES are JSON Lines, also gzipped, or - for standard input; one reply a line:

    \b
    {"model": "...", "experiment": "...", "item": "17", "epoch": 1,
     "session": "predict", "text": "...", "output_tokens": 57, "error": null}

    \b
    selfexec import replies.jsonl --items starter --out runs/mine
    """
    from selfexec.runs.run import import_replies

    run, warnings = import_replies(
        replies, item_source=item_source, out=out, limit=limit, fraction=fraction, preset=preset
    )
    for warning in warnings:
        click.echo(f"selfexec: warning: {warning}", err=True)
    for model, number in run.unasked.items():
        click.echo(
            f"selfexec: warning: {model} has no line for {number:,} of the items, which count as missing. If it was "
            "not asked them, give --items with those that it was.",
            err=True,
        )
    missing = sum(reply.failed for reply in run.replies.values())
    kept = number_of(len(run.replies) - missing, "reply", "replies")
    counts = f"{kept}, {missing:,} missing, {number_of(len(run.models), 'model')}"
    say(f"{out}: imported ({counts}). Next: selfexec score {shlex.quote(str(out))}")
