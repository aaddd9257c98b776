"""selfexec cross"""

from pathlib import Path

import click

from selfexec.cli.options import experiments_option, printed, readings_option, runs_argument, show


@click.command("cross")
@runs_argument
@readings_option
@experiments_option("Only these experiments.")
@printed("json")
def command(
    runs: tuple[Path, ...], readings: tuple[Path, ...], experiments: tuple[str, ...], form: str, out: Path | None
) -> None:
    """Hold every model's predictions against every model's behaviour.

    The matrix is taken apart into how well a model predicts anyone, how easily it is predicted by anyone, and a
    self-bonus, as others have reported it. The self-bonus is no test of self-knowledge: docs/metrics.md says why.

    \b
    selfexec cross runs/mine
    selfexec cross runs/mine runs/theirs --experiment restriction
    """
    from selfexec.analysis.cross import cross_prediction
    from selfexec.analysis.selection import load_together
    from selfexec.errors import InputError

    found = cross_prediction(load_together(runs, readings), experiments)
    if found.nothing:
        raise InputError(found.nothing)
    show(found, form, out)
