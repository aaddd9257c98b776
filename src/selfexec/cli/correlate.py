"""selfexec correlate"""

from pathlib import Path

import click

from selfexec.cli.stored import convention_option, readings_option
from selfexec.cli.variadic import Variadic


@click.command("correlate", cls=Variadic)
@click.argument("sources", nargs=-1, type=click.Path(path_type=Path))
@click.option("--with", "tables", multiple=True, type=click.Path(path_type=Path), help="Tables to hold scores against.")
@readings_option
@convention_option
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
def command(
    sources: tuple[Path, ...], tables: tuple[Path, ...], readings: tuple[Path, ...], convention: str, form: str
) -> None:
    """Correlate columns of numbers about models.

    SOURCES are tables (CSV: the first column names the model, the others hold numbers, an empty cell is a hole) or
    folders of runs. Of a table, all pairs of columns; of runs, their scores with each other, or with the columns of a
    table: among all models, and among those whose headline is not withheld.
    """
    from selfexec.scores.correlating import correlate_sources
    from selfexec.tables import terminal_width

    # "--with a.csv RUN", "--readings a.jsonl RUN": a folder is a run, wherever it stands
    folders = tuple(path for path in (*tables, *readings) if path.is_dir())
    tables, readings = (tuple(path for path in given if not path.is_dir()) for given in (tables, readings))
    found = correlate_sources((*sources, *folders), tables, readings=readings, convention=convention)
    click.echo(found.json() if form == "json" else found.table(terminal_width()))
