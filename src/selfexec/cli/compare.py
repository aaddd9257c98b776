"""selfexec compare"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from selfexec.cli.options import PathArgument, metrics_option, printed, show, source_option
from selfexec.cli.selection import selection_options

if TYPE_CHECKING:
    from selfexec.analysis.selection import Selection


@click.command("compare")
@selection_options("strict", "readable", models="Only these models. Of two, the second is new, the first old.")
@source_option
@metrics_option("What to compare by; skill, if you do not say. Repeat.")
@click.option(
    "--tags",
    metavar="FILE",
    type=PathArgument(),
    help="A CSV or JSON file of groups: model,reasoning,family.",
)
@click.option(
    "--fail-if",
    "fail_if",
    multiple=True,
    metavar="'EXPERIMENT.METRIC drops|rises X'",
    help="A release gate. 'overall.skill drops 0.1' holds (exit 0) where the whole 95% interval of new - old lies "
    "above -0.1, fails (exit 3) where the whole interval lies below it, and cannot be told (exit 4) where -0.1 is "
    "inside it, or the run is too small. Repeat.",
)
@click.option(
    "--precision",
    type=float,
    metavar="X",
    help="Also say how many items it takes for intervals that reach this far to either side.",
)
@printed("json", "markdown")
def command(
    selection: "Selection",
    metrics: tuple[str, ...],
    tags: Path | None,
    fail_if: tuple[str, ...],
    precision: float | None,
    form: str,
    out: Path | None,
) -> None:
    """Compare models on the items that they share: two of them, or all pairs.

    The same model in two runs is compared with itself. With --fail-if the exit status is 3 if a gate fails, else 4 if
    one cannot be told, else 0; 2 is bad input.

    \b
    selfexec compare runs/mine                    all pairs
    selfexec compare runs/mine --model old,new    two models
    selfexec compare before after                 one model, earlier and later
    selfexec compare before after --fail-if 'overall.skill drops 0.1'
    """
    from selfexec.analysis.compare import compare

    found = compare(selection, metrics=metrics or ("skill",), tags=tags, fail_if=fail_if, precision=precision)
    show(found, form, out)
    raise click.exceptions.Exit(found.status)
