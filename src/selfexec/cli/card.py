"""selfexec card"""

from pathlib import Path

import click

from selfexec.cli.stored import convention_option, folders_apart, readings_option, runs_argument
from selfexec.cli.variadic import Variadic


@click.command("card", cls=Variadic)
@runs_argument
@convention_option
@readings_option
@click.option("-o", "--out", type=click.Path(path_type=Path), help="A file to write to, instead of the terminal.")
def command(runs: tuple[Path, ...], convention: str, readings: tuple[Path, ...], out: Path | None) -> None:
    """Write the card of a run in Markdown, to publish beside its scores.

    It says what was measured, of which models and when, with which items, prompts and settings, what was lost, what
    came out, what that does not show, and how to do it again: all from the run's own folder. What the folder does not
    tell is unknown.
    """
    from selfexec.cards import card
    from selfexec.outputs import write_page

    runs, readings = folders_apart("card", runs, readings)
    found = card(runs, readings=readings, convention=convention)
    if out is None:
        click.echo(found.markdown(), nl=False)
        return
    write_page(out, found.markdown())
    click.echo(f"{out}: written.")
