"""selfexec list"""

from pathlib import Path

import click

from selfexec.cli.declared import printed
from selfexec.cli.options import PathArgument, say, show

DEFAULT = Path("runs")


@click.command("list")
@click.argument("folder", metavar="[DIR]", default=DEFAULT, type=PathArgument())
@printed("json")
def command(folder: Path, form: str, out: Path | None) -> None:
    """Show the runs in a folder: models, items, replies, missing replies (and those still out in a batch), and the time
    of the last reply.

    DIR is the folder that holds the runs (default: runs). To continue an unfinished run, repeat the command that began
    it.

    \b
    selfexec list
    selfexec list elsewhere --format json
    """
    from selfexec.runs import Listing, list_runs

    nothing_yet = folder == DEFAULT and not folder.exists()
    found = Listing(folder, ()) if nothing_yet else list_runs(folder)
    if found.runs or form != "table":
        show(found, form, out)
    else:
        say(f"{folder}: no runs here. `selfexec run` and `selfexec import` make them; --out says where.")
