"""selfexec card"""

from pathlib import Path

import click

from selfexec.cli.options import convention_option, out_option, readings_option, runs_argument, write


@click.command("card")
@runs_argument
@convention_option("strict", "readable")
@readings_option
@out_option()
def command(runs: tuple[Path, ...], convention: str, readings: tuple[Path, ...], out: Path | None) -> None:
    """Write the card of a run in Markdown, to publish beside its scores.

    It says what was measured, of which models and when, with which items, prompts and settings, what was lost, what
    came out, what that does not show, and how to do it again: all from the run's own folder. What the folder does not
    tell is unknown.

    \b
    selfexec card runs/mine
    selfexec card runs/mine -o CARD.md
    """
    from selfexec.analysis.card import card

    page = card(runs, readings=readings, convention=convention).markdown()
    if out is None:
        click.echo(page, nl=False)
    else:
        write(out, page)
