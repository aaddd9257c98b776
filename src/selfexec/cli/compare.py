"""selfexec compare"""

from pathlib import Path
from typing import Any

import click

from selfexec.analysis.options import CompareOptions
from selfexec.cli.declared import collect, options_of, printed, quietly
from selfexec.cli.options import runs_argument, show


@click.command("compare")
@runs_argument
@options_of(CompareOptions)
@printed("json", "markdown", "parquet")
@quietly
def command(runs: tuple[Path, ...], form: str, out: Path | None, **given: Any) -> None:
    """Compare two models, or all pairs of models, on the items that they share.

    The same model in two runs is compared with itself. With --fail-if, the exit status is 3 if a gate fails, 4 if none
    fails but one cannot tell, and 0 if all pass; 2 means bad input.

    \b
    selfexec compare runs/mine                    all pairs
    selfexec compare runs/mine --model old,new    two models
    selfexec compare before after                 one model, earlier and later
    selfexec compare before after --fail-if 'overall.skill drops 0.1'
    selfexec compare before after --metric moved --planted planted.csv
    """
    from selfexec.analysis.compare import compare

    found = compare(**vars(collect(CompareOptions, given, runs=runs)))
    show(found, form, out)
    raise click.exceptions.Exit(found.status)
