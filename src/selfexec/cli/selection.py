"""The options of all commands about runs: which runs, read and counted how, and what of them."""

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any

from selfexec.cli.declared import options_of
from selfexec.cli.options import (
    condition_option,
    convention_option,
    experiments_option,
    models_option,
    readings_option,
    runs_argument,
)
from selfexec.reading_options import AcceptedEnds


def selection_options(
    *conventions: str,
    models: str | None = "Only these models.",
    experiments: str | None = "Only these experiments, or overall, where there is one.",
    argument: Callable[[Any], Any] = runs_argument,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """What the commands about runs have in common: RUNS (or another `argument`), --readings, --convention where there
    is a choice of `conventions`, --model and --experiment where there is help for them. The command is handed it all
    as one `selection`, and so it is whatever else of that stands among its options.
    """
    options: list[Callable[[Any], Any]] = [argument]
    options += [models_option(models)] if models else []
    options += [experiments_option(experiments)] if experiments else []
    options += [convention_option(*conventions)] if conventions else []

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def with_selection(**given: Any) -> None:
            from selfexec.analysis.selection import Selection

            chosen = {field.name: given.pop(field.name) for field in fields(Selection) if field.name in given}
            command(selection=Selection.of(given.pop("runs"), **chosen), **given)

        decorated = condition_option(readings_option(options_of(AcceptedEnds)(with_selection)))
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate
