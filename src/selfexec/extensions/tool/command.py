"""selfexec analyze tool"""

from pathlib import Path
from typing import Any

import click

from selfexec.cli.declared import collect, options_of, printed
from selfexec.cli.options import runs_argument, show
from selfexec.extensions.tool.options import ToolOptions


@click.command("tool")
@runs_argument
@options_of(ToolOptions)
@printed("json", "csv", "markdown", "parquet")
def command(runs: tuple[Path, ...], form: str, out: Path | None, **given: Any) -> None:
    """Show what a tool for self-execution adds to predictions.

    The table has the skill with the tool minus the skill without it, on the same items, for each call and for each
    1,000 tokens; how often the tool is used; whether models ask it for the behaviour that they predict; whether
    predictions follow what it returned; and what was refused. A gain shows use of a tool, and not self-knowledge.

    \b
    selfexec analyze tool runs/mine
    selfexec analyze tool runs/mine --experiment restriction --format json
    """
    from selfexec.extensions.tool.scores import tool_scores

    show(tool_scores(**vars(collect(ToolOptions, given, runs=runs))), form, out)
