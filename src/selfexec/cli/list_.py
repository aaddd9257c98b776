"""selfexec list"""

from pathlib import Path

import click

DEFAULT = Path("runs")


@click.command("list")
@click.argument("folder", metavar="[DIR]", default=DEFAULT, type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
def command(folder: Path, form: str) -> None:
    """Show the runs in a folder: models, items, replies, what is missing, when the last reply came.

    DIR is the folder that they lie in, `runs` unless another is given. A run that is not whole goes on with the command
    that began it.
    """
    from selfexec.listing import Listing, list_runs
    from selfexec.tables import terminal_width

    nothing_yet = folder == DEFAULT and not folder.exists()
    found = Listing(folder, ()) if nothing_yet else list_runs(folder)
    if form == "json":
        click.echo(found.json())
    elif found.runs:
        click.echo(found.table(terminal_width()))
    else:
        click.echo(f"{folder}: no runs here. `selfexec run` and `selfexec import` make them; --out says where.")
