"""selfexec card"""

from pathlib import Path

import click


@click.command("card")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--convention",
    type=click.Choice(["strict", "readable"]),
    default="strict",
    show_default=True,
    help="strict: an unreadable claim is a wrong prediction. readable: unreadable claims are left out.",
)
@click.option("--readings", multiple=True, type=click.Path(path_type=Path), help="A file of readings. Repeat.")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="A file to write to, instead of the terminal.")
def command(run: Path, convention: str, readings: tuple[Path, ...], out: Path | None) -> None:
    """Write the card of a run in Markdown, as one needs it beside a published score.

    It says what was measured, of which models and when, with which items, prompts and settings, what was lost, what
    came out, what that does not show, and how to do it again: all from the run's own folder. What the folder does not
    tell is unknown.
    """
    from selfexec.cards import card
    from selfexec.errors import InputError
    from selfexec.scores.together import load_together

    found = card(load_together([run], readings)[0], convention="readable" if convention == "readable" else "strict")
    if out is None:
        click.echo(found.markdown(), nl=False)
        return
    if out.is_dir():
        raise InputError(f"{out}: this is a folder. Give the name of a file to -o.")
    out.write_text(found.markdown(), encoding="utf-8")
    click.echo(f"{out}: written.")
