"""selfexec analyze cross"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from selfexec.analysis.options import CrossOptions, SubjectOptions
from selfexec.cli.declared import collect, options_of, printed
from selfexec.cli.options import runs_argument, show
from selfexec.options import option


@dataclass(frozen=True, kw_only=True)
class AboutOneModel:
    """Whose behaviour is predicted."""

    subject: str | None = option(
        None,
        "Show only how well the other models predict this model's behaviour, in each condition in which they were "
        "asked.",
        metavar="MODEL",
    )


@dataclass(frozen=True, kw_only=True)
class DetailOptions:
    """How much is shown; JSON has every number."""

    every: bool = option(
        False,
        "Also show what no verdict rests on: partial and unique correlations, swap shares, and the effect that could "
        "be detected for each model.",
        flag="--all",
    )


@click.command("cross")
@runs_argument
@options_of(CrossOptions)
@options_of(AboutOneModel)
@options_of(DetailOptions)
@printed("json", "csv", "parquet")
def command(
    runs: tuple[Path, ...], subject: str | None, every: bool, form: str, out: Path | None, **given: Any
) -> None:
    """Compare every model's predictions with every model's behaviour.

    For each experiment, this shows the verdict on own excess with its evidence, for all models together and for each
    model: do a model's predictions contain anything about its own behaviour that no other model's predictions or
    behaviour contain? The matrix of accuracies and its additive self-bonus follow, for comparison with the literature.
    They do not test self-knowledge; docs/metrics.md explains why.

    \b
    selfexec analyze cross runs/mine
    selfexec analyze cross runs/mine runs/theirs --experiment restriction
    selfexec analyze cross runs/both --subject openai/b
    """
    from selfexec.analysis.cross import cross_prediction, predictions_about
    from selfexec.errors import InputError

    if subject is not None:
        if every:
            raise InputError("--all: there is nothing more to show of a --subject. Leave one of them out.")
        if (groups := given.pop("groups")) is not None:
            raise InputError(f"--groups {groups}: there is no choice of groups with --subject. Leave one of them out.")
        options = collect(SubjectOptions, given, runs=runs, subject=subject)
        show(predictions_about(**vars(options)), form, out)
        return
    if form in ("csv", "parquet"):
        raise InputError(f"{form}: matrices have no rows to write. Take --format json (.json), or name a --subject.")
    found = cross_prediction(**vars(collect(CrossOptions, given, runs=runs)))
    if found.nothing:
        raise InputError(found.nothing)
    show(replace(found, every=every), form, out)
