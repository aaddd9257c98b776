"""selfexec merge"""

from dataclasses import dataclass
from pathlib import Path

import click

from selfexec.cli.declared import options_of
from selfexec.cli.options import PathArgument, say
from selfexec.options import Names, option
from selfexec.text.numbers import number_of
from selfexec.text.printable import command_line

SHOWN = 10  # shards that are named with their commands


@dataclass(frozen=True, kw_only=True)
class MergeOptions:
    """What the command takes."""

    prefer: Names = option(
        (),
        "Where shards have different replies, use those of this shard, or of the `run` itself.",
        metavar="I/N",
        form="names",
    )


@click.command("merge")
@click.argument("folder", metavar="RUN", type=PathArgument())
@options_of(MergeOptions)
def command(folder: Path, prefer: tuple[str, ...]) -> None:
    """Join the shards of a run, which `run --shard I/N --out RUN` asked on several machines.

    The run then has every session that any shard has, as if one machine had asked them all. A shard that is damaged or
    was asked differently from the others is named, with the command that repairs it, and so are sessions with different
    replies. Other commands refuse a run whose shards are not joined. When shards have grown, join them again.

    Exit status 3: replies are missing; the shards that lack them are named.

    \b
    selfexec merge runs/shared
    """
    from selfexec.extensions.shards.joining import join
    from selfexec.extensions.shards.left import ranges

    found = join(folder, prefer)
    joined = f"{folder}: {number_of(found.shards, 'shard')} joined, {number_of(found.replies, 'session')}."
    if not found.left:
        say(f"{joined} Next: {command_line('score {}', folder)}")
        return
    say(joined)
    shown = [f"- {one}" for one in found.left[:SHOWN]]
    more = [f"- and {len(found.left) - SHOWN} more"] if len(found.left) > SHOWN else []
    numbers = ranges([one.shard.index for one in found.left])
    say("\n".join([f"selfexec: replies are missing. Shards left to do: {numbers}.", *shown, *more]), err=True)
    raise click.exceptions.Exit(3)
