"""selfexec analyze rasch"""

from pathlib import Path
from typing import Any

import click

from selfexec.cli.declared import collect, options_of, printed
from selfexec.cli.options import show
from selfexec.extensions.rasch.options import RaschOptions


@click.command("rasch")
@click.argument("table", metavar="TABLE.csv")
@options_of(RaschOptions)
@printed("json")
def command(table: str, form: str, out: Path | None, **given: Any) -> None:
    """Place models and benchmarks on one scale (Rasch), from success rates, some of which may be missing.

    TABLE.csv has a column of models and one column for each benchmark, with rates from 0 to 1 or empty cells. The name
    `paper` stands for Table 1 of the paper: 15 models, 9 benchmarks.

    \b
    selfexec analyze rasch benchmarks.csv
    selfexec analyze rasch paper --add mine.csv   yours with the paper's 15
    """
    from selfexec.extensions.rasch.abilities import rasch

    show(rasch(**vars(collect(RaschOptions, given, table=table))), form, out)
