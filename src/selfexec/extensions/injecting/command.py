"""selfexec analyze injection"""

from pathlib import Path
from typing import Any

import click

from selfexec.cli.declared import collect, options_of, printed
from selfexec.cli.options import runs_argument, show
from selfexec.extensions.injecting.options import InjectionOptions


@click.command("injection")
@runs_argument
@options_of(InjectionOptions)
@printed("json", "csv", "markdown", "parquet")
def command(runs: tuple[Path, ...], form: str, out: Path | None, **given: Any) -> None:
    """Show how models recover from words put into their replies.

    For the experiment token_injection, by kind of insertion, dose and task: how often replies recover, how often this
    was predicted, and how often the foreign words are named; how many more tokens a reply needs, and how surprising the
    inserted tokens were. Also, how often a reply that was only restarted equals the undisturbed one.

    \b
    selfexec analyze injection runs/mine
    selfexec analyze injection runs/mine --model vllm/my-model --format csv
    """
    from selfexec.extensions.injecting.scores import injection_scores

    show(injection_scores(**vars(collect(InjectionOptions, given, runs=runs))), form, out)
