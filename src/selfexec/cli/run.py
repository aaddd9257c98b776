"""selfexec run"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import click


@click.command("run")
@click.option("--model", "models", multiple=True, help="provider/model, or sim/NAME. Repeat for more.")
@click.option("--experiment", "experiments", multiple=True, help="Only this experiment. Repeat for more.")
@click.option("--items", default="starter", show_default=True, help="A set of items (starter, paper) or a folder.")
@click.option("--limit", type=int, help="At most so many items per experiment.")
@click.option("--fraction", type=float, help="This share of the items.")
@click.option("--epochs", type=int, default=1, show_default=True, help="How often everything is asked.")
@click.option(
    "--prompts", type=click.Path(path_type=Path), help='Other prompts: JSON like {"restriction.predict": ...}.'
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
    out: Path | None,
    dry_run: bool,
) -> None:
    """Ask models what they will do, let them do it in fresh sessions, and keep every reply.

    Without --model it runs a panel of simulated models, offline and free: they stand for nobody, and show how the
    scores read for a model that knows itself, one that tosses a coin, one that says yes to everything.
    """
    from selfexec.runner import carry_out, plan
    from selfexec.scores import score
    from selfexec.tables import terminal_width

    planned = plan(
        models or None,
        experiments=experiments or None,
        items=items,
        limit=limit,
        fraction=fraction,
        epochs=epochs,
        prompts=_prompts(prompts) if prompts else None,
        out=out,
    )
    counts = ", ".join(f"{len(found)} {name}" for name, found in planned.item_set.items.items())
    click.echo(f"{len(planned.models)} models, items {planned.item_set.name} ({counts}), {planned.sessions:,} sessions")
    if not models:
        click.echo("Simulated models: no language model is asked, and no score here is of a real one.")
    if dry_run:
        return
    started = time.perf_counter()
    run = carry_out(planned, _progress())
    missing = sum(reply.failed for reply in run.replies.values())
    click.echo(
        f"{planned.out}: {len(run.replies):,} replies kept, {missing} missing ({time.perf_counter() - started:.1f} s)\n"
    )
    click.echo(score(run).table(terminal_width()))
    if missing:
        click.echo(f"\nselfexec: {missing} replies are missing. The same command asks for them again.", err=True)
        raise click.exceptions.Exit(3)


def _prompts(path: Path) -> dict[str, str]:
    from selfexec.errors import InputError

    try:
        prompts = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file. Check the path.") from None
    except ValueError as fault:
        raise InputError(f"{path}: not valid JSON ({fault}).") from None
    if not isinstance(prompts, dict) or not all(isinstance(text, str) for text in prompts.values()):
        raise InputError(f'{path}: it must be one object of texts, like {{"restriction.predict": "..."}}.')
    return prompts


def _progress() -> Callable[[int, int], None] | None:
    """A line that counts, on a terminal; nothing elsewhere."""
    if not sys.stderr.isatty():
        return None
    last = 0.0

    def report(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last > 0.1 or done == total:
            last = now
            click.echo(f"\r{done:,} of {total:,} sessions", nl=False, err=True)
        if done == total:
            click.echo("\r" + " " * 40 + "\r", nl=False, err=True)

    return report
