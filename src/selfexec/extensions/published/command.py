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
    """Compare each number under three counting rules.

    Under strict, readable and the authors' convention, with the reason wherever they are half a point apart; the
    baselines beside them; and what would change if words or tokens were counted otherwise.

    \b
    selfexec analyze ledger runs/mine
    selfexec analyze ledger runs/mine --readings theirs.jsonl --format csv
    """
    from selfexec.extensions.published.conventions import ledger

    show(ledger(**vars(collect(LedgerOptions, given, runs=runs))), form, out)
