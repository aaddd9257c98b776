"""selfexec analyze properties"""

from pathlib import Path
from typing import Any

import click

from selfexec.cli.declared import collect, options_of, printed
from selfexec.cli.options import runs_argument, show
from selfexec.extensions.simulating.options import PropertyOptions


@click.command("properties")
@runs_argument
@options_of(PropertyOptions)
@printed("json", "csv", "markdown", "parquet")
def command(runs: tuple[Path, ...], form: str, out: Path | None, **given: Any) -> None:
    """Show how well models predict each property of their replies.

    For the experiment self_simulation: the skill for each property and the mean over properties, with thinking off
    first; the skill of the majority and of other models; how well one reply predicts the other; and what a name in a
    prompt changes.

    \b
    selfexec analyze properties runs/mine
    selfexec analyze properties runs/mine --model openai/gpt-6-luna --format csv
    """
    from selfexec.extensions.simulating.scores import property_scores

    show(property_scores(**vars(collect(PropertyOptions, given, runs=runs))), form, out)
