"""selfexec compare"""

from pathlib import Path

import click

from selfexec.cli.variadic import Variadic


@click.command("compare", cls=Variadic)
@click.argument("runs", nargs=-1, type=click.Path(path_type=Path))
@click.option("--model", "models", multiple=True, help="Only these models. Of two, the second is new, the first old.")
@click.option("--experiment", "experiments", multiple=True, help="Only these experiments.")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    type=click.Choice(["skill", "accuracy", "self_knowledge", "coverage"]),
    help="What to compare by; skill, if you do not say.",
)
@click.option(
    "--convention",
    type=click.Choice(["strict", "readable"]),
    default="strict",
    show_default=True,
    help="strict: an unreadable claim is a wrong prediction. readable: unreadable claims are left out.",
)
@click.option("--readings", multiple=True, type=click.Path(path_type=Path), help="Files of readings that replace ours.")
@click.option("--tags", type=click.Path(path_type=Path), help="A CSV or JSON file of groups: model,reasoning,family.")
@click.option(
    "--fail-if",
    "fail_if",
    multiple=True,
    metavar="'EXPERIMENT.METRIC drops|rises X'",
    help="A release gate. 'restriction.skill drops 0.05' holds (exit 0) where the whole 95% interval of new - old lies "
    "above -0.05, fails (exit 3) where the whole interval lies below it, and cannot be told (exit 4) where -0.05 is "
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
    from selfexec.scores.comparisons import compare
    from selfexec.tables import terminal_width

    # "--model a b RUN": a folder is a run, wherever it stands
    runs, readings = (*runs, *(p for p in readings if p.is_dir())), tuple(p for p in readings if not p.is_dir())
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
