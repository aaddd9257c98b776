"""selfexec analyze ladder"""

from pathlib import Path
from typing import Any

import click

from selfexec.analysis.options import LadderOptions
from selfexec.cli.declared import collect, options_of, printed
from selfexec.cli.options import runs_argument, said_if_slow, show


@click.command("ladder")
@runs_argument
@options_of(LadderOptions)
@printed("json", "csv", "markdown", "parquet")
def command(runs: tuple[Path, ...], form: str, out: Path | None, **given: Any) -> None:
    """Set a model's own prediction beside all else that predicts it.

    From below: always the same answer, a plain fact of the item, its text, what other models say of themselves and
    what they do, all of these stacked, what models of its family say and do, its own history, and its own prediction.
    Each level has its skill, and how the model's own prediction compares with it on the same claims. It is no test of
    self-knowledge.

    For a single model the table has intervals and differences; json and csv have them for all.

    \b
    selfexec analyze ladder runs/mine
    selfexec analyze ladder runs/mine --model a --experiment restriction
    selfexec analyze ladder runs/mine --groups families.csv -o ladder.csv
    """
    from selfexec.analysis.ladder import ladder

    with said_if_slow("Reading and scoring ..."):
        found = ladder(**vars(collect(LadderOptions, given, runs=runs)))
    show(found, form, out)
