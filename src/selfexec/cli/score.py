"""selfexec score"""

from pathlib import Path

import click

from selfexec.cli.variadic import Variadic


@click.command("score", cls=Variadic)
@click.argument("runs", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--convention",
    type=click.Choice(["strict", "readable", "authors"]),
    default="strict",
    show_default=True,
    help="strict: an unreadable claim is a wrong prediction. readable: unreadable claims are left out. "
    "authors: as the paper's published numbers were counted.",
)
@click.option("--readings", multiple=True, type=click.Path(path_type=Path), help="Files of readings that replace ours.")
@click.option("--model", "models", multiple=True, help="Only these models.")
@click.option("--experiment", "experiments", multiple=True, help="Only these experiments.")
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
    """Score runs: did the models know what they would do?

    Each score stands beside the best guesser that knows nothing of the model. A headline that the data do not support
    is withheld, with the reason.
    """
    from selfexec.errors import InputError
    from selfexec.scores import score_runs
    from selfexec.tables import terminal_width

    # "--readings a.jsonl b.jsonl RUN": a folder is a run, wherever it stands
    runs, readings = (*runs, *(p for p in readings if p.is_dir())), tuple(p for p in readings if not p.is_dir())
    if not runs:
        raise InputError("which run? Give its folder: selfexec score RUN")
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
