"""selfexec compare"""

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


@click.command("compare", cls=Variadic)
@runs_argument
@click.option("--model", "models", multiple=True, help="Only these models. Of two, the second is new, the first old.")
@experiments_option
@metrics_option("What to compare by; skill, if you do not say.")
@convention_option
@readings_option
@click.option("--tags", type=click.Path(path_type=Path), help="A CSV or JSON file of groups: model,reasoning,family.")
@click.option(
    "--fail-if",
    "fail_if",
    multiple=True,
    metavar="'EXPERIMENT.METRIC drops|rises X'",
    help="A release gate. 'overall.skill drops 0.1' holds (exit 0) where the whole 95% interval of new - old lies "
    "above -0.1, fails (exit 3) where the whole interval lies below it, and cannot be told (exit 4) where -0.1 is "
    "inside it, or the run is too small.",
)
@click.option("--precision", type=float, help="Also say how many items it takes for an interval of ± this.")
@click.option("--format", "form", type=click.Choice(["table", "json", "markdown"]), default="table", show_default=True)
def command(
    runs: tuple[Path, ...],
    models: tuple[str, ...],
    experiments: tuple[str, ...],
    metrics: tuple[str, ...],
    convention: str,
    readings: tuple[Path, ...],
    tags: Path | None,
    fail_if: tuple[str, ...],
    precision: float | None,
    form: str,
) -> None:
    """Compare models on the items that they share: two of them, or all pairs.

    The same model in two runs is compared with itself: selfexec compare BEFORE AFTER. With --fail-if the exit status
    is 3 if a gate fails, else 4 if one cannot be told, else 0; 2 is bad input.
    """
    from selfexec.scores.compare.compare import compare
    from selfexec.tables import terminal_width

    runs, readings = folders_apart("compare", runs, readings)
    found = compare(
        runs,
        models=models,
        experiments=experiments,
        convention=convention,
        readings=readings,
        metrics=metrics or ("skill",),
        tags=tags,
        fail_if=fail_if,
        precision=precision,
    )
    shown = {"json": found.json, "markdown": found.markdown}
    click.echo(shown[form]() if form in shown else found.table(terminal_width()))
    raise click.exceptions.Exit(found.status)
