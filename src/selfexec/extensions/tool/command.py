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

    Skill with the tool less skill without it, on the same items, for each call and for each 1,000 tokens; how often the
    tool is used, whether it is asked for the behaviour that is predicted, whether predictions follow what they saw, and
    what was refused. It is use of a tool, and not self-knowledge.

    \b
    selfexec analyze tool runs/mine
    selfexec analyze tool runs/mine --experiment restriction --format json
    """
    from selfexec.extensions.tool.scores import tool_scores

    show(tool_scores(**vars(collect(ToolOptions, given, runs=runs))), form, out)
