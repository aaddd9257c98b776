"""selfexec card"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from selfexec.cli.options import out_option, page_place, panel_option, put_data, write
from selfexec.cli.selection import selection_options
from selfexec.files.outputs import CARDS

if TYPE_CHECKING:
    from selfexec.analysis.selection import Selection


@click.command("card")
@selection_options("strict", "readable", models=None, experiments=None)
@panel_option
@out_option()
def command(selection: "Selection", out: Path | None) -> None:
    """Write the card of a run in Markdown, to publish beside its scores.

    It says what was measured, of which models and when, with which items, prompts and settings, what was lost, what
    came out, what that does not show, and how to do it again: all from the run's own folder. What the folder does not
    tell is unknown.

    \b
    selfexec card runs/mine
    selfexec card runs/mine -o CARD.md
    """
    from selfexec.analysis.card import card

    out = None if out is None else page_place(out, CARDS)
    page = card(selection).markdown()
    if out is None:
        put_data(page.encode(), for_people=True)
    else:
        write(out, page)
