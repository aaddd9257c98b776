"""selfexec read"""

import sys
from pathlib import Path

import click


@click.command("read")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--items", "item_source", help="For a file of replies: the items that were asked.")
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
def command(source: Path, item_source: str | None, form: str) -> None:
    """Show what each reply commits to.

    SOURCE is a run's folder or a file of replies. With --format json, one line per session: correct the values by hand
    and give the file back with `selfexec score --readings`.
    """
    from selfexec.readings import reading_lines, reading_summary
    from selfexec.runs import readings_of

    readings = readings_of(source, item_source)
    if form == "json":
        sys.stdout.flush()
        for line in reading_lines(readings):
            sys.stdout.buffer.write(line + b"\n")
    else:
        from selfexec.tables import as_text, terminal_width

        click.echo(as_text(*reading_summary(readings), terminal_width()))
