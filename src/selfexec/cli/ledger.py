"""selfexec ledger"""

from pathlib import Path

import click

from selfexec.cli.options import (
    experiments_option,
    models_option,
    printed,
    readings_option,
    runs_argument,
    show,
)


@click.command("ledger")
@runs_argument
@readings_option
@models_option()
@experiments_option()
@printed("json", "csv", "markdown")
def command(
    runs: tuple[Path, ...],
    readings: tuple[Path, ...],
    models: tuple[str, ...],
    experiments: tuple[str, ...],
    form: str,
    out: Path | None,
) -> None:
    """Hold each number against itself, counted in three ways.

    Under strict, readable and the authors' convention, with the reason wherever they are half a point apart; the
    baselines beside them; and what would change if words or tokens were counted otherwise.

    \b
    selfexec ledger runs/mine
    selfexec ledger runs/mine --readings theirs.jsonl --format csv
    """
    from selfexec.analysis.published import ledger_of_runs

    show(ledger_of_runs(runs, readings, models=models, experiments=experiments), form, out)
