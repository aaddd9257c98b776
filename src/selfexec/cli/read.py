"""selfexec read"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from selfexec.nouns import number_of

if TYPE_CHECKING:
    from selfexec.formats import Key
    from selfexec.reading import Reading
    from selfexec.runs import Run

A_FEW = 10


@click.command("read")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--items", "item_source", help="For a file of replies: the items that were asked.")
@click.option("--model", "models", multiple=True, help="Only these models.")
@click.option("--experiment", "experiments", multiple=True, help="Only these experiments.")
@click.option("--session", "sessions", multiple=True, help="Only these: predict, execute, judge, execute.Q1, ...")
@click.option("--item", "ids", multiple=True, help="Only these items, by their ids.")
@click.option("--state", "states", multiple=True, help="Only these: read, unreadable, withheld, missing.")
@click.option("--show", is_flag=True, help="Show the sessions: prompt, reply with the words read marked, reading.")
@click.option("--limit", type=click.IntRange(1), help=f"At most so many sessions. With --show {A_FEW}, unless given.")
@click.option(
    "--readings", multiple=True, type=click.Path(path_type=Path), help="A file of readings that replace ours. Repeat."
)
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
def command(
    source: Path,
    item_source: str | None,
    models: tuple[str, ...],
    experiments: tuple[str, ...],
    sessions: tuple[str, ...],
    ids: tuple[str, ...],
    states: tuple[str, ...],
    show: bool,
    limit: int | None,
    readings: tuple[Path, ...],
    form: str,
) -> None:
    """Show what each reply commits to, and the replies themselves.

    SOURCE is a run's folder or a file of replies. Names may be given again, or with commas between them.

    \b
    selfexec read RUN                              how much could be read
    selfexec read RUN --state unreadable --show    what could not, and why
    selfexec read RUN --format json                a line per session, with its text

    Correct the values of such lines by hand and give the file back with `selfexec score --readings`.
    """
    from selfexec.formats import load_readings
    from selfexec.readings import choose, reading_summary, without_kept
    from selfexec.runs import run_of

    run = run_of(source, item_source)
    if readings:
        run = run.with_readings(load_readings(readings))
    chosen = choose(run.readings, models=models, experiments=experiments, sessions=sessions, items=ids, states=states)
    if form == "json":
        # a response is kept, not read: it is there where somebody asks for it
        _json(run, chosen if sessions else without_kept(chosen), limit, show)
    elif show or limit:
        _show(run, chosen, limit or A_FEW, source)
    else:
        from selfexec.tables import as_text, terminal_width

        click.echo(as_text(*reading_summary(chosen), terminal_width()))
        if any(reading.state == "unreadable" for reading in chosen.values()):
            click.echo(f"\nWhat could not be read: selfexec read {source} --state unreadable --show")


def _json(run: "Run", chosen: Mapping["Key", "Reading"], limit: int | None, with_prompts: bool) -> None:
    from selfexec.readings import reading_lines
    from selfexec.transcripts import prompts_sent

    found = dict(list(chosen.items())[:limit])
    sys.stdout.flush()
    for line in reading_lines(found, run.replies, prompts_sent(run, found) if with_prompts else None):
        sys.stdout.buffer.write(line + b"\n")


def _show(run: "Run", chosen: Mapping["Key", "Reading"], limit: int, source: Path) -> None:
    from selfexec.tables import terminal_width
    from selfexec.transcripts import BOLD, Marks, transcripts

    keys = list(chosen)
    if not keys:
        click.echo(f"No session is so. What there is: selfexec read {source}")
        return
    on_screen = sys.stdout.isatty()
    marks = BOLD if on_screen and os.environ.get("TERM") != "dumb" and "NO_COLOR" not in os.environ else Marks()
    for text in transcripts(run, keys[:limit], marks, terminal_width() if on_screen else None):
        click.echo(text + "\n")
    if len(keys) > limit:
        click.echo(f"Shown: {limit} of {number_of(len(keys), 'session')}. All of them: --limit {len(keys)}")
