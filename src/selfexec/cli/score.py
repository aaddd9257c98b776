"""selfexec score"""

from pathlib import Path

import click

from selfexec.cli.stored import experiments_option, folders_apart, models_option, readings_option, runs_argument
from selfexec.cli.variadic import Variadic


@click.command("score", cls=Variadic)
@runs_argument
@click.option(
    "--convention",
    type=click.Choice(["strict", "readable", "authors"]),
    default="strict",
    show_default=True,
    help="strict: an unreadable claim is a wrong prediction. readable: unreadable claims are left out. "
    "authors: as the paper's published numbers were counted.",
)
@readings_option
@models_option
@experiments_option
@click.option(
    "--bootstrap", type=int, metavar="N", help="Intervals from N draws of items (10000 is plenty) in place of formulas."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Where the draws start.")
@click.option("--format", "form", type=click.Choice(["table", "json", "csv"]), default="table", show_default=True)
def command(
    runs: tuple[Path, ...],
    convention: str,
    readings: tuple[Path, ...],
    models: tuple[str, ...],
    experiments: tuple[str, ...],
    bootstrap: int | None,
    seed: int,
    form: str,
) -> None:
    """Score runs: did the models predict what they would do?

    Each score stands beside the best baseline, which knows nothing of the model. A headline that the data do not
    support is withheld, with the reason.
    """
    from selfexec.scores import score_runs
    from selfexec.tables import terminal_width

    runs, readings = folders_apart("score", runs, readings)
    scores = score_runs(
        runs,
        convention,
        readings=readings,
        models=models,
        experiments=experiments,
        bootstrap=bootstrap,
        seed=seed,
    )
    click.echo({"json": scores.json, "csv": scores.csv}[form]() if form != "table" else scores.table(terminal_width()))
