"""selfexec ladder"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from selfexec.cli.options import (
    groups_option,
    panel_option,
    printed,
    said_if_slow,
    show,
    source_option,
)
from selfexec.cli.selection import selection_options

if TYPE_CHECKING:
    from selfexec.analysis.selection import Selection


@click.command("ladder")
@selection_options("strict", "readable", experiments="Only these experiments.")
@source_option
@panel_option
@groups_option
@printed("json", "csv", "markdown")
def command(selection: "Selection", form: str, out: Path | None) -> None:
    """Set a model's own prediction beside all else that predicts it.

    From below: always the same answer, a plain fact of the item, its text, what other models say of themselves and
    what they do, all of these stacked, what models of its family say and do, its own history, and its own prediction.
    Each level has its skill, and how the own prediction stands to it on the same claims. It is no test of
    self-knowledge.

    Of a model alone the table has intervals and differences; json and csv have them for all.

    \b
    selfexec ladder runs/mine
    selfexec ladder runs/mine runs/theirs --model a --experiment restriction
    selfexec ladder runs/mine --groups families.csv --format csv -o ladder.csv
    """
    from selfexec.analysis.ladder import ladder

    with said_if_slow("Reading and scoring ..."):
        found = ladder(selection)
    show(found, form, out)
