"""selfexec merge, and what `run --shard` says in the end"""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from selfexec.cli.options import PathArgument, say
from selfexec.text.numbers import is_or_are, number_of

if TYPE_CHECKING:
    from selfexec.runs.asking import Plan, Progress


@click.command("merge")
@click.argument("folder", metavar="RUN", type=PathArgument())
def command(folder: Path) -> None:
    """Join the shards of a run, which `run --shard I/N --out RUN` asked on as many machines as there were.

    The run is then what it were if one machine had asked it, reply for reply. What is missing, half-done, damaged,
    foreign or doubled is named, with the command that puts it right. `score`, `report` and whatever else reads a run
    refuse shards that are not joined. After shards have grown, the same command joins them anew.

    \b
    selfexec merge runs/shared
    """
    from selfexec.runs import merge
    from selfexec.runs.shards import gathered

    run = merge(folder)
    found, replies = gathered(folder), number_of(len(run.replies), "reply", "replies")
    gone = [fault.shard.name for fault in found.faults if fault.shard]
    removed = f" (of {', '.join(gone)} the replies are here, the folder is not)" if gone else ""
    shards = number_of(len(found.shards) + len(gone), "shard")
    say(f"{folder}: {shards} joined{removed}, {replies}. Next: selfexec score {shlex.quote(str(folder))}")


def shards_stand(planned: "Plan", progress: "Progress") -> Iterator[str]:
    """How the shard that was asked stands, and the others."""
    from selfexec.runs.shards import whole_shards

    shard, run = planned.shard, planned.run_folder
    assert shard
    whole = whole_shards(run)
    if planned.caps.any:
        yield "Caps hold for this shard alone."
    if shard.name in whole:
        yield f"Shard {shard} is whole{'' if progress.calls else '; nothing was asked'}."
    else:
        yield f"Shard {shard} is not whole yet."
    if len(whole) == shard.of:
        every = "It is the only shard" if shard.of == 1 else f"All {shard.of:,} shards are"
        yield f"{every}. Next: selfexec merge {shlex.quote(str(run))}"
    else:
        yield f"{len(whole)} of {number_of(shard.of, 'shard')} {is_or_are(len(whole))}."
