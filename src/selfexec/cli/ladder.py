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
    """Compare a model's own predictions with all other predictors of its behaviour.

    The levels, from the simplest: always the same answer; a plain fact of the item; its text; what other models predict
    of themselves, and what they do; all of these stacked; what models of its family predict and do; its own history;
    and its own predictions. Each level has its skill, and how the model's own predictions compare with it on the same
    claims. This does not test self-knowledge.

    For a single model, the table has intervals and differences; JSON and CSV have them for all models.

    \b
    selfexec analyze ladder runs/mine
    selfexec analyze ladder runs/mine --model a --experiment restriction
    selfexec analyze ladder runs/mine --groups families.csv -o ladder.csv
    """
    from selfexec.analysis.ladder import ladder

    with said_if_slow("Reading and scoring ..."):
        found = ladder(**vars(collect(LadderOptions, given, runs=runs)))
    show(found, form, out)
