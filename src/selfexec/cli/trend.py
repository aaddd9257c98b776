"""selfexec trend"""

from pathlib import Path

import click

from selfexec.cli.variadic import Variadic


@click.command("trend", cls=Variadic)
@click.argument("runs", nargs=-1, type=click.Path(path_type=Path))
@click.option("--model", "models", multiple=True, help="Only these checkpoints, in this order.")
@click.option("--experiment", "experiments", multiple=True, help="Only these experiments.")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    type=click.Choice(["skill", "accuracy", "self_knowledge", "coverage"]),
    help="What to follow. If you do not say: skill, accuracy, and self-knowledge where other models are in the runs.",
)
@click.option(
    "--convention",
    type=click.Choice(["strict", "readable"]),
    default="strict",
    show_default=True,
    help="strict: an unreadable claim is a wrong prediction. readable: unreadable claims are left out.",
)
@click.option("--readings", multiple=True, type=click.Path(path_type=Path), help="Files of readings that replace ours.")
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
    from selfexec.scores.trends import trend
    from selfexec.tables import terminal_width

    runs, readings = (*runs, *(p for p in readings if p.is_dir())), tuple(p for p in readings if not p.is_dir())
    found = trend(
        runs, models=models, experiments=experiments, convention=convention, readings=readings, metrics=metrics
    )
    click.echo(found.json() if form == "json" else found.table(terminal_width()))
