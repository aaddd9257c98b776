"""selfexec trend"""

from pathlib import Path

import click

from selfexec.cli.stored import (
    convention_option,
    experiments_option,
    folders_apart,
    metrics_option,
    readings_option,
    runs_argument,
)
from selfexec.cli.variadic import Variadic


@click.command("trend", cls=Variadic)
@runs_argument
@click.option("--model", "models", multiple=True, help="Only these checkpoints, in this order.")
@experiments_option
@metrics_option(
    "What to follow. If you do not say: skill, accuracy, and baseline_margin where other models are in the runs."
)
@convention_option
@readings_option
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
def command(
    runs: tuple[Path, ...],
    models: tuple[str, ...],
    experiments: tuple[str, ...],
    metrics: tuple[str, ...],
    convention: str,
    readings: tuple[Path, ...],
    form: str,
) -> None:
    """Follow checkpoints in the order in which their runs are given.

    Each stands with its paired difference from the first and from the one before, on common items; a slope says what
    changes per checkpoint.
    """
    from selfexec.scores.compare.trends import trend
    from selfexec.tables import terminal_width

    runs, readings = folders_apart("trend", runs, readings)
    found = trend(
        runs, models=models, experiments=experiments, convention=convention, readings=readings, metrics=metrics
    )
    for warning in found.warnings:
        click.echo(f"selfexec: warning: {warning}", err=True)
    click.echo(found.json() if form == "json" else found.table(terminal_width()))
