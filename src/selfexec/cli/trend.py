"""selfexec trend"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from selfexec.cli.options import metrics_option, printed, say, show, source_option
from selfexec.cli.selection import selection_options

if TYPE_CHECKING:
    from selfexec.analysis.selection import Selection


@click.command("trend")
@selection_options("strict", "readable", models="Only these checkpoints, in this order.")
@source_option
@metrics_option(
    "What to follow. Without it: skill, accuracy, and baseline_margin where other models are in the runs. Repeat."
)
@printed("json")
def command(selection: "Selection", metrics: tuple[str, ...], form: str, out: Path | None) -> None:
    """Follow checkpoints in the order in which their runs are given.

    Each stands with its paired difference from the first and from the one before, on common items; a slope says what
    changes per checkpoint.

    \b
    selfexec trend checkpoint-1 checkpoint-2 checkpoint-3
    selfexec trend runs/all --model step-1,step-2,step-3 --metric skill
    """
    from selfexec.analysis.compare import trend

    found = trend(selection, metrics=metrics)
    for warning in found.warnings:
        say(f"selfexec: warning: {warning}", err=True)
    show(found, form, out)
