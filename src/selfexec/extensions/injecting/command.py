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

    Of the experiment token_injection, by kind of what is put in, dose and task: how often replies recover, how often
    that was predicted, and how often the foreign words are named; how many more tokens a reply takes, and how
    surprising the forced tokens were. And how often a reply that was only begun anew is the undisturbed one.

    \b
    selfexec analyze injection runs/mine
    selfexec analyze injection runs/mine --model vllm/my-model --format csv
    """
    from selfexec.extensions.injecting.scores import injection_scores

    show(injection_scores(**vars(collect(InjectionOptions, given, runs=runs))), form, out)
