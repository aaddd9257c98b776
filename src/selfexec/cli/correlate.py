"""selfexec correlate"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from selfexec.cli.options import PathArgument, printed, show
from selfexec.cli.selection import selection_options

if TYPE_CHECKING:
    from selfexec.analysis.selection import Selection

SOURCES = click.argument("runs", metavar="[SOURCES]...", nargs=-1, type=PathArgument())


@click.command("correlate")
@selection_options("strict", "readable", models=None, experiments=None, argument=SOURCES)
@click.option(
    "--with",
    "tables",
    multiple=True,
    metavar="TABLE.csv",
    type=PathArgument(),
    help="A table to hold scores against. Repeat.",
)
@printed("json")
def command(selection: "Selection", tables: tuple[Path, ...], form: str, out: Path | None) -> None:
    """Correlate columns of numbers about models.

    SOURCES are tables (CSV: the first column names the model, the others hold numbers, an empty cell is a hole) or
    folders of runs. Of a table, all pairs of columns; of runs, their scores with each other, or with the columns of a
    table: among all models, and among those whose headline is not withheld.

    \b
    selfexec correlate benchmarks.csv
    selfexec correlate runs/mine --with benchmarks.csv
    """
    from selfexec.analysis.correlate import correlations

    show(correlations(selection, tables), form, out)
