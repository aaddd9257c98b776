"""selfexec ledger"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from selfexec.cli.options import printed, show
from selfexec.cli.selection import selection_options

if TYPE_CHECKING:
    from selfexec.analysis.selection import Selection


@click.command("ledger")
@selection_options()
@printed("json", "csv", "markdown")
def command(selection: "Selection", form: str, out: Path | None) -> None:
    """Hold each number against itself, counted in three ways.

    Under strict, readable and the authors' convention, with the reason wherever they are half a point apart; the
    baselines beside them; and what would change if words or tokens were counted otherwise.

    \b
    selfexec ledger runs/mine
    selfexec ledger runs/mine --readings theirs.jsonl --format csv
    """
    from selfexec.analysis.published import ledger

    show(ledger(selection), form, out)
