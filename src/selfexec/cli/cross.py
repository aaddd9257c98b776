"""selfexec cross"""

from pathlib import Path

import click

from selfexec.cli.stored import experiments_option, folders_apart, readings_option, runs_argument
from selfexec.cli.variadic import Variadic


@click.command("cross", cls=Variadic)
@runs_argument
@readings_option
@experiments_option
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
def command(runs: tuple[Path, ...], readings: tuple[Path, ...], experiments: tuple[str, ...], form: str) -> None:
    """Hold every model's predictions against every model's behaviour.

    The matrix is taken apart into how well a model predicts anyone, how easily it is predicted by anyone, and a
    self-bonus, as others have reported it. The self-bonus is no test of self-knowledge: docs/metrics.md says why.
    """
    from selfexec.errors import InputError
    from selfexec.scores.cross_prediction import cross_prediction
    from selfexec.scores.together import load_together
    from selfexec.tables import terminal_width

    runs, readings = folders_apart("cross", runs, readings)
    found = cross_prediction(load_together(runs, readings), experiments)
    if found.nothing:
        raise InputError(found.nothing)
    click.echo(found.json() if form == "json" else found.table(terminal_width()))
