"""The options of `export` that only batch files have."""

from collections.abc import Callable
from typing import Any

from selfexec.cli.declared import options_of
from selfexec.extension import registered
from selfexec.options import declared
from selfexec.run_options import BatchOptions, DryRun, Spending, Wanted

ONLY = registered("exports")["batch-openai"].heading


def batch_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that only batch files have."""
    every_export = [each.name for each in declared(Wanted) if each.name != "protocol"]
    of_batches = options_of(BatchOptions, without=("models", "accept_ends", "retry_ends", *every_export), section=ONLY)
    with_prices = options_of(Spending, only=("price",), section=ONLY)
    return of_batches(with_prices(options_of(DryRun, section=ONLY)(command)))
