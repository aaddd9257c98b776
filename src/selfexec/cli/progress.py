"""How far a run is: a live line on a terminal, a plain line now and then elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from selfexec.runner import Progress, Report

LIVE_EVERY = 0.2  # seconds between updates on a terminal
PLAIN_EVERY = 30.0  # elsewhere


@contextmanager
def shown_progress() -> Iterator[Report]:
    """A function to report progress to, which shows it on standard error as long as the context lasts."""
    if not sys.stderr.isatty():
        yield _now_and_then(PLAIN_EVERY, lambda progress, rate: click.echo(as_line(progress, rate), err=True))
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(bar_width=24), TextColumn("{task.description}"))
    with Bar(*columns, console=Console(stderr=True), auto_refresh=False, transient=True) as bar:
        task = bar.add_task("starting", total=None)

        def show(progress: Progress, rate: float) -> None:
            bar.update(task, completed=progress.done, total=progress.total, description=as_line(progress, rate))
            bar.refresh()

        yield _now_and_then(LIVE_EVERY, show)


def as_line(progress: Progress, rate: float) -> str:
    """`rate` is in calls a second."""
    parts = [f"{progress.done:,} of {progress.total:,} sessions", f"{rate:.0f}/s" if rate >= 10 else f"{rate:.1f}/s"]
    if progress.retries:
        parts.append(f"{progress.retries:,} retries")
    parts += [f"{n:,} x {error[:30]}" for error, n in progress.failures.most_common(3)]
    if progress.cost:
        parts.append(f"${progress.cost:.2f}")
    if rate:
        parts.append(f"{_duration((progress.total - progress.done) / rate)} left")
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def _now_and_then(every: float, show: Callable[[Progress, float], None]) -> Report:
    started = last = time.perf_counter()

    def report(progress: Progress) -> None:
        nonlocal last
        now = time.perf_counter()
        if now - last >= every:
            last = now
            show(progress, progress.calls / (now - started))

    return report
