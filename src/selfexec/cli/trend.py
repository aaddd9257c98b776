"""selfexec trend"""

from pathlib import Path

import click

from selfexec.cli.options import (
    convention_option,
    experiments_option,
    metrics_option,
    models_option,
    printed,
    readings_option,
    runs_argument,
    say,
    show,
)


@click.command("trend")
@runs_argument
@models_option("Only these checkpoints, in this order.")
@experiments_option()
@metrics_option(
    "What to follow. Without it: skill, accuracy, and baseline_margin where other models are in the runs. Repeat."
)
@convention_option("strict", "readable")
@readings_option
@printed("json")
def command(
    runs: tuple[Path, ...],
    models: tuple[str, ...],
    experiments: tuple[str, ...],
    metrics: tuple[str, ...],
    convention: str,
    readings: tuple[Path, ...],
    form: str,
    out: Path | None,
) -> None:
    """Follow checkpoints in the order in which their runs are given.

    Each stands with its paired difference from the first and from the one before, on common items; a slope says what
    changes per checkpoint.

    \b
    selfexec trend checkpoint-1 checkpoint-2 checkpoint-3
    selfexec trend runs/all --model step-1,step-2,step-3 --metric skill
    """
    from selfexec.analysis.compare import trend

    found = trend(
        runs, models=models, experiments=experiments, convention=convention, readings=readings, metrics=metrics
    )
    for warning in found.warnings:
        say(f"selfexec: warning: {warning}", err=True)
    show(found, form, out)
