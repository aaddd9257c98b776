"""What the commands that read stored runs have in common."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from selfexec.errors import InputError

Command = TypeVar("Command", bound=Callable[..., Any])

runs_argument = click.argument("runs", nargs=-1, type=click.Path(path_type=Path))
experiments_option = click.option(
    "--experiment", "experiments", multiple=True, help="Only these experiments, or overall, where there is one."
)
models_option = click.option("--model", "models", multiple=True, help="Only these models.")
readings_option = click.option(
    "--readings", multiple=True, type=click.Path(path_type=Path), help="Files of readings that replace ours."
)
convention_option = click.option(
    "--convention",
    type=click.Choice(["strict", "readable"]),
    default="strict",
    show_default=True,
    help="strict: an unreadable claim is a wrong prediction. readable: unreadable claims are left out.",
)


def metrics_option(help: str) -> Callable[[Command], Command]:
    return click.option(
        "--metric",
        "metrics",
        multiple=True,
        metavar="[skill|accuracy|baseline_margin|coverage]",
        help=help,
    )


def folders_apart(
    command: str, runs: tuple[Path, ...], *files: tuple[Path, ...]
) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Runs, and files. Of "--readings a.jsonl b.jsonl RUN" the last is a run: a folder is, wherever it stands."""
    given = tuple(path for group in files for path in group)
    runs = (*runs, *(path for path in given if path.is_dir()))
    if not runs:
        raise InputError(f"which run? Give its folder: selfexec {command} RUN")
    return runs, tuple(path for path in given if not path.is_dir())
