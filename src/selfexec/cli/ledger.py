"""selfexec ledger"""

from pathlib import Path

import click

from selfexec.cli.variadic import Variadic


@click.command("ledger", cls=Variadic)
@click.argument("runs", nargs=-1, type=click.Path(path_type=Path))
@click.option("--readings", multiple=True, type=click.Path(path_type=Path), help="Files of readings that replace ours.")
@click.option("--model", "models", multiple=True, help="Only these models.")
@click.option("--experiment", "experiments", multiple=True, help="Only these experiments.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv", "markdown"]),
    default="table",
    show_default=True,
)
def command(
    runs: tuple[Path, ...],
    readings: tuple[Path, ...],
    models: tuple[str, ...],
    experiments: tuple[str, ...],
    form: str,
) -> None:
    """Hold each number against itself, counted in three ways.

    Under strict, readable and the authors' convention, with the reason wherever they are more than a point apart; the
    guessers beside them; and what would change if words or tokens were counted otherwise.
    """
    from selfexec.errors import InputError
    from selfexec.scores.ledger import ledger_of_runs
    from selfexec.tables import terminal_width

    # "--readings a.jsonl b.jsonl RUN": a folder is a run, wherever it stands
    runs, readings = (*runs, *(p for p in readings if p.is_dir())), tuple(p for p in readings if not p.is_dir())
    if not runs:
        raise InputError("which run? Give its folder: selfexec ledger RUN")
    found = ledger_of_runs(runs, readings, models=models, experiments=experiments)
    forms = {"json": found.json, "csv": found.csv, "markdown": found.markdown}
    click.echo(forms[form]() if form in forms else found.table(terminal_width()))
