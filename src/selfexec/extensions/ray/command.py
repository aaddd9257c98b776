"""What `run --ray` does: the run over a cluster, and what it says of it in the end."""

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from selfexec.cli.options import Stopped, say
from selfexec.cli.spending import calls_made, say_took, went_wrong
from selfexec.errors import InputError
from selfexec.text.numbers import number_of

if TYPE_CHECKING:
    from selfexec.extensions.shards.joining import Joining
    from selfexec.runs import Run
    from selfexec.runs.asking import Plan, Progress


def over_cluster(given: Mapping[str, Any]) -> Callable[["Plan"], "Run"]:
    """What asks a plan over the cluster that `--ray` names."""
    address, shards = given["ray"], given["shards"]
    if address and given["shard"]:
        raise InputError(f"--ray {address}: it asks all shards. Leave --shard {given['shard']} out.")
    if not address:
        raise InputError(f"--shards {shards}: it is for --ray. One shard alone is asked by --shard I/N.")
    return partial(asked_over, address, shards)


def asked_over(address: str, shards: int | None, planned: "Plan") -> "Run":
    """Ask what is missing of a run over a Ray cluster, and join its shards. Exit status 3: replies are missing."""
    from selfexec.extensions.ray.ray import carry_out_over
    from selfexec.runs import load
    from selfexec.runs.asking import Progress, shown_progress

    started, progress = time.perf_counter(), Progress()
    try:
        with shown_progress() as show:
            joined = carry_out_over(address, planned, shards, show, progress)
    except KeyboardInterrupt:
        raise Stopped("stopped. What was done is kept; the same command continues.") from None
    said = [*calls_made(progress), *went_wrong(progress)] if progress.failures or not planned.all_simulated else []
    took = f"{time.perf_counter() - started:.1f} s"
    say("\n".join([f"{planned.out}: {number_of(progress.calls, 'session')} asked over the cluster ({took})", *said]))
    if said:
        say_took(progress)
    if joined.left:
        say("\n".join(_left(joined, progress)), err=True)
        raise click.exceptions.Exit(3)
    return load(planned.out)


def _left(joined: "Joining", progress: "Progress") -> Iterator[str]:
    missing = progress.failures.total() + progress.waiting + progress.left + progress.not_asked_again
    why = f" ({progress.capped}, which is shared out among the shards)" if progress.capped else ""
    ended = progress.not_asked_again + progress.unknown_ends
    way_on = f"The same command{' with more' if progress.capped else ''} asks for the rest."
    rest = f" {way_on}" if progress.failures.total() - progress.unknown_ends + progress.left else ""
    ends = (
        f" {number_of(ended, 'reply has', 'replies have')} an end that is not known: --accept-ends WORD counts what "
        "ended so, --retry-ends asks for it again."
        if ended
        else ""
    )
    shards = number_of(len(joined.left), "shard")
    yield f"\nselfexec: {number_of(missing, 'reply is', 'replies are')} missing in {shards}{why}.{rest}{ends}"
