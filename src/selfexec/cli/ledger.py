"""selfexec ledger"""

from pathlib import Path

import click

from selfexec.cli.stored import experiments_option, folders_apart, models_option, readings_option, runs_argument
from selfexec.cli.variadic import Variadic


@click.command("ledger", cls=Variadic)
@runs_argument
@readings_option
@models_option
@experiments_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv", "markdown"]),
    default="table",
    show_default=True,
)
def command(
    runs: tuple[Path, ...],
    readings: tuple[Path, ...],
    models: tuple[str, ...],
    experiments: tuple[str, ...],
    form: str,
) -> None:
    """Hold each number against itself, counted in three ways.

    Under strict, readable and the authors' convention, with the reason wherever they are half a point apart; the
    baselines beside them; and what would change if words or tokens were counted otherwise.
    """
    from selfexec.scores.ledger.ledger import ledger_of_runs
    from selfexec.tables import terminal_width

    runs, readings = folders_apart("ledger", runs, readings)
    found = ledger_of_runs(runs, readings, models=models, experiments=experiments)
    forms = {"json": found.json, "csv": found.csv, "markdown": found.markdown}
    click.echo(forms[form]() if form in forms else found.table(terminal_width()))
