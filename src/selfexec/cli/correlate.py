"""selfexec correlate"""

from pathlib import Path

import click

from selfexec.cli.options import convention_option, printed, readings_option, show


@click.command("correlate")
@click.argument("sources", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--with",
    "tables",
    multiple=True,
    metavar="TABLE.csv",
    type=click.Path(path_type=Path),
    help="A table to hold scores against. Repeat.",
)
@readings_option
@convention_option("strict", "readable")
@printed("json")
def command(
    sources: tuple[Path, ...],
    tables: tuple[Path, ...],
    readings: tuple[Path, ...],
    convention: str,
    form: str,
    out: Path | None,
) -> None:
    """Correlate columns of numbers about models.

    SOURCES are tables (CSV: the first column names the model, the others hold numbers, an empty cell is a hole) or
    folders of runs. Of a table, all pairs of columns; of runs, their scores with each other, or with the columns of a
    table: among all models, and among those whose headline is not withheld.

    \b
    selfexec correlate benchmarks.csv
    selfexec correlate runs/mine --with benchmarks.csv
    """
    from selfexec.analysis.correlate import correlate_sources

    show(correlate_sources(sources, tables, readings=readings, convention=convention), form, out)
