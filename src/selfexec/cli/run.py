"""selfexec run"""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from selfexec.cli.variadic import Variadic
from selfexec.engines import in_process

if TYPE_CHECKING:
    from selfexec.runner import Progress


@click.command("run", cls=Variadic)
@click.option("--model", "models", multiple=True, help="provider/model, or sim/NAME; several if you like.")
@click.option("--experiment", "experiments", multiple=True, help="Only these experiments.")
@click.option("--items", default="starter", show_default=True, help="A set of items (starter, paper) or a folder.")
@click.option("--limit", type=int, help="At most so many items per experiment.")
@click.option("--fraction", type=float, help="This share of the items.")
@click.option("--epochs", type=int, default=1, show_default=True, help="How often everything is asked.")
@click.option(
    "--prompts", type=click.Path(path_type=Path), help='Other prompts: JSON like {"restriction.predict": ...}.'
)
@click.option("--base-url", help="Any server that speaks the OpenAI chat-completions format.")
@click.option(
    "--max-connections", type=click.IntRange(1), default=50, show_default=True, help="Calls at once, at most."
)
@click.option("--timeout", type=float, default=600.0, show_default=True, help="Seconds for one attempt.")
@click.option(
    "--set", "settings", multiple=True, help="A setting, like temperature=0 or execute.temperature=1. Repeat."
)
@click.option("--system", help="A system prompt for every session.")
@click.option("--extra-body", help="More fields of the request body, as a JSON object.")
@click.option(
    "--protocol",
    type=click.Choice(["default", "paper"]),
    default="default",
    show_default=True,
    help="paper: the sampling settings of the paper's authors.",
)
@click.option("--out", type=click.Path(path_type=Path), help="The run's folder. An unfinished one is continued.")
@click.option("--dry-run", is_flag=True, help="Say what would be asked, and ask nothing.")
def command(
    models: tuple[str, ...],
    experiments: tuple[str, ...],
    items: str,
    limit: int | None,
    fraction: float | None,
    epochs: int,
    prompts: Path | None,
    base_url: str | None,
    max_connections: int,
    timeout: float,
    settings: tuple[str, ...],
    system: str | None,
    extra_body: str | None,
    protocol: str,
    out: Path | None,
    dry_run: bool,
) -> None:
    """Ask models what they will do, let them do it in fresh sessions, and keep every reply.

    Without --model it runs a panel of simulated models, offline and free: they stand for nobody, and show how the
    scores read for a model that knows itself, one that tosses a coin, one that says yes to everything.
    """
    from selfexec.plans import plan
    from selfexec.runner import Progress, carry_out

    planned = plan(
        models or None,
        experiments=experiments or None,
        items=items,
        limit=limit,
        fraction=fraction,
        epochs=epochs,
        prompts=_prompts(prompts) if prompts else None,
        base_url=base_url,
        max_connections=max_connections,
        timeout=timeout,
        settings=dict(_setting(text) for text in settings),
        system=system,
        extra_body=_object("--extra-body", extra_body) if extra_body else {},
        protocol=protocol,
        out=out,
    )
    counts = ", ".join(f"{len(found)} {name}" for name, found in planned.item_set.items.items())
    click.echo(f"{len(planned.models)} models, items {planned.item_set.name} ({counts}), {planned.sessions:,} sessions")
    if not models:
        click.echo("Simulated models: no language model is asked, and no score here is of a real one.")
    if dry_run:
        return
    started = time.perf_counter()
    seen = Progress(planned.sessions)

    def report(progress: Progress) -> None:
        nonlocal seen
        seen = progress
        line.show(progress)

    line = ProgressLine(started)
    run = carry_out(planned, report)
    line.clear()
    missing = sum(reply.failed for reply in run.replies.values())
    click.echo(
        f"{planned.out}: {len(run.replies):,} replies kept, {missing} missing ({time.perf_counter() - started:.1f} s)"
    )
    if not in_process(planned.models, planned.options):
        click.echo("\n".join(summary(seen)))
    from selfexec.scores import score
    from selfexec.tables import terminal_width

    click.echo()
    click.echo(score(run).table(terminal_width()))
    if missing:
        click.echo(f"\nselfexec: {missing} replies are missing. The same command asks for them again.", err=True)
        raise click.exceptions.Exit(3)


def summary(progress: "Progress") -> Iterator[str]:
    """Calls, retries, states by reason, tokens by session kind."""
    yield f"calls {progress.calls:,}, retries {progress.retries:,}, withheld {progress.withheld:,}"
    if progress.output_tokens:
        yield "output tokens: " + ", ".join(f"{kind} {n:,}" for kind, n in progress.output_tokens.items())
    yield from (f"failed: {n:,} x {error}" for error, n in progress.failures.most_common())
    yield from (f"warning: {warning}" for warning in progress.warnings)


class ProgressLine:
    """One line that counts, on a terminal; a plain line now and then elsewhere."""

    EVERY = 0.2, 30.0  # seconds between updates, on a terminal and elsewhere

    def __init__(self, started: float) -> None:
        self.started = self.last = started
        self.terminal = sys.stderr.isatty()

    def show(self, progress: "Progress") -> None:
        now = time.perf_counter()
        if now - self.last < self.EVERY[not self.terminal]:
            return
        self.last = now
        rate = progress.calls / (now - self.started)
        left = (progress.total - progress.done) / rate if rate else 0.0
        failed = sum(progress.failures.values())
        text = (
            f"{progress.done:,} of {progress.total:,} sessions, {rate:.0f}/s, {failed} failed, {left / 60:.0f} min left"
        )
        click.echo(f"\r{text:79}" if self.terminal else text, nl=not self.terminal, err=True)

    def clear(self) -> None:
        if self.terminal:
            click.echo("\r" + " " * 79 + "\r", nl=False, err=True)


def _setting(text: str) -> tuple[str, object]:
    """'execute.temperature=1' as a name and a JSON value; what is no JSON is text."""
    from selfexec.errors import InputError

    name, equals, value = text.partition("=")
    if not equals or not name:
        raise InputError(f"--set {text}: write it as NAME=VALUE, like temperature=0 or execute.temperature=1.")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _object(option: str, text: str) -> dict[str, object]:
    from selfexec.errors import InputError

    try:
        value = json.loads(text)
    except ValueError as fault:
        raise InputError(f"{option}: not valid JSON ({fault}).") from None
    if not isinstance(value, dict):
        raise InputError(f"{option}: it must be a JSON object.")
    return value


def _prompts(path: Path) -> dict[str, str]:
    from selfexec.errors import InputError

    try:
        prompts = _object(str(path), path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file. Check the path.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8. Save the file as UTF-8.") from None
    if strange := [name for name, text in prompts.items() if not isinstance(text, str)]:
        raise InputError(f'{path}: the prompt {strange[0]!r} must be text, like {{"restriction.predict": "..."}}.')
    return {name: str(text) for name, text in prompts.items()}
