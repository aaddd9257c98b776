"""What a shell may complete: names that are known without asking anybody."""

from collections.abc import Iterable
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from selfexec.errors import InputError


def complete_models(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The models of the runs that were typed; where none was, the simulated ones and the providers."""
    # an option that still waits for its value leaves what stands before it unparsed
    return _completed(models_of(map(Path, ctx.args)) or models_to_ask(), incomplete)


def complete_model_to_ask(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return _completed(models_to_ask(), incomplete)


def complete_experiments(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from selfexec.experiments import EXPERIMENTS

    return _completed([*EXPERIMENTS, "overall"], incomplete)


def complete_items(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The sets, and then whatever folders the shell finds."""
    sets = [CompletionItem(name) for name in ("starter", "paper") if name.startswith(incomplete)]
    return [*sets, CompletionItem(incomplete, type="dir")]


def models_to_ask() -> list[str]:
    from selfexec.engines import ENGINES

    return [model for engine in ENGINES.values() for model in engine.models()]


def models_of(runs: Iterable[Path]) -> list[str]:
    """The models of these runs, of those that can be read."""
    from selfexec.runs import load_manifest

    found: list[str] = []
    for run in runs:
        try:
            found += load_manifest(run).models
        except (InputError, OSError):
            continue
    return found


def _completed(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """Names that go on from what is typed, behind the last comma of a list."""
    before, comma, begun = incomplete.rpartition(",")
    return [CompletionItem(f"{before}{comma}{name}") for name in names if name.startswith(begun)]
