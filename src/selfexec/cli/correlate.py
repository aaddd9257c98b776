"""selfexec analyze correlate"""

from pathlib import Path
from typing import Any

import click

from selfexec.analysis.options import CorrelateOptions
from selfexec.cli.declared import collect, options_of, printed
from selfexec.cli.options import PathArgument, show


@click.command("correlate")
@click.argument("runs", metavar="[SOURCES]...", nargs=-1, type=PathArgument())
@options_of(CorrelateOptions)
@printed("json", "csv", "parquet")
def command(runs: tuple[Path, ...], form: str, out: Path | None, **given: Any) -> None:
    """Correlate columns of numbers about models.

    SOURCES are tables (CSV files whose first column names the model and whose other columns hold numbers; cells may be
    empty) or folders of runs. For a table, all pairs of its columns are correlated. For runs, their scores are
    correlated with each other, or with the columns of a table: over all models, and over those whose overall score is
    not withheld.

    \b
    selfexec analyze correlate benchmarks.csv
    selfexec analyze correlate runs/mine --with benchmarks.csv
    """
    from selfexec.analysis.correlate import correlations

    show(correlations(**vars(collect(CorrelateOptions, given, of=runs))), form, out)
