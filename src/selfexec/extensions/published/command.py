"""selfexec analyze ledger"""

from pathlib import Path
from typing import Any

import click

from selfexec.cli.declared import collect, options_of, printed
from selfexec.cli.options import runs_argument, show
from selfexec.extensions.published.options import LedgerOptions


@click.command("ledger")
@runs_argument
@options_of(LedgerOptions)
@printed("json", "csv", "markdown", "parquet")
def command(runs: tuple[Path, ...], form: str, out: Path | None, **given: Any) -> None:
    """Show each score under the conventions strict, readable and authors.

    Where two conventions are half a point apart or more, the reason is given. The table also has the baselines, and
    what would change if words or tokens were counted differently.

    \b
    selfexec analyze ledger runs/mine
    selfexec analyze ledger runs/mine --readings theirs.jsonl --format csv
    """
    from selfexec.extensions.published.conventions import ledger

    show(ledger(**vars(collect(LedgerOptions, given, runs=runs))), form, out)
