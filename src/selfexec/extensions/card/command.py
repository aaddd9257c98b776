"""selfexec card"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from selfexec.analysis.options import CardOptions
from selfexec.cli.declared import collect, options_of
from selfexec.cli.options import page_place, put_data, runs_argument, write
from selfexec.files.outputs import CARDS
from selfexec.options import option


@dataclass(frozen=True, kw_only=True)
class PageOptions:
    """Where the card is written."""

    out: Path | None = option(
        None, "The file to write to, instead of the terminal.", short="-o", metavar="PATH", form="file"
    )


@click.command("card")
@runs_argument
@options_of(CardOptions)
@options_of(PageOptions)
def command(runs: tuple[Path, ...], out: Path | None, **given: Any) -> None:
    """Write a run card in Markdown, to publish with the run's scores.

    The card states what was measured, for which models and when, with which items, prompts and settings; what is
    missing; what the results are and what they do not show; and how to repeat the run. All of this comes from the run's
    folder. What the folder does not record is given as unknown.

    \b
    selfexec card runs/mine
    selfexec card runs/mine -o CARD.md
    """
    from selfexec.extensions.card.document import card

    out = None if out is None else page_place(out, CARDS)
    page = card(**vars(collect(CardOptions, given, run=runs))).markdown()
    if out is None:
        put_data(page.encode(), for_people=True)
    else:
        write(out, page)
