"""selfexec analyze trend"""

from pathlib import Path
from typing import Any

import click

from selfexec.analysis.options import TrendOptions
from selfexec.cli.declared import collect, options_of, printed
from selfexec.cli.options import runs_argument, say, show


@click.command("trend")
@runs_argument
@options_of(TrendOptions)
@printed("json", "parquet")
def command(runs: tuple[Path, ...], form: str, out: Path | None, **given: Any) -> None:
    """Show how scores change over a series of checkpoints, in the order in which their runs are given.

    Each checkpoint is shown with its paired difference from the first and from the previous one, on the items that they
    share. A slope says how much the score changes per checkpoint.

    \b
    selfexec analyze trend checkpoint-1 checkpoint-2 checkpoint-3
    selfexec analyze trend runs/all --model step-1,step-2,step-3 --metric skill
    """
    from selfexec.analysis.compare import trend

    found = trend(**vars(collect(TrendOptions, given, runs=runs)))
    for warning in found.warnings:
        say(f"selfexec: warning: {warning}", err=True)
    show(found, form, out)
