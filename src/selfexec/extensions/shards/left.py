"""What shards of a run lack, and the commands that ask for it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from selfexec.extensions.shards.parts import commands, joined_design
from selfexec.runs.design import Design, joined, unfolded
from selfexec.runs.folder import MANIFEST, items_of_run, load_manifest
from selfexec.runs.listing import listed
from selfexec.runs.share import JoinedShards, Shard, shard_folders, shard_of
from selfexec.text.numbers import number_of


@dataclass(frozen=True)
class ShardLeft:
    """A shard that is not whole, what it lacks, and the commands that ask for it."""

    shard: Shard
    what: str
    commands: Sequence[str]

    def __str__(self) -> str:
        return f"shard {self.shard}: {self.what} Go on: {' && '.join(self.commands)}"


def shards_left(run: Path, record: JoinedShards) -> list[ShardLeft]:
    """What is left to ask of the shards of a run that is joined: nothing where the run is whole."""
    if not listed(run).missing:
        return []
    there = {shard: folder for folder in shard_folders(run) if (shard := shard_of(folder.name)) and _is_run(folder)}
    return list(_left(run, there, record)) if there else []


def _left(run: Path, there: dict[Shard, Path], record: JoinedShards) -> Iterator[ShardLeft]:
    manifests = {shard: load_manifest(folder) for shard, folder in there.items()}
    items = {shard: items_of_run(folder) for shard, folder in there.items()}
    whole = joined_design((of.design, items[shard]) for shard, one in manifests.items() if (of := one.shard))
    for index in range(next(iter(there)).of):
        shard = Shard(index, next(iter(there)).of)
        again = commands(manifests.values(), shard, run)
        if shard not in there:
            if shard.name not in record.shards:  # else the run has its replies
                yield ShardLeft(shard, "nothing of it was asked.", again)
            continue
        manifest = manifests[shard]
        own = joined(*(unfolded(blocks, items[shard]) for blocks in (manifest.design or (), manifest.planned)))
        if missing := listed(there[shard]).missing:
            yield ShardLeft(shard, f"{number_of(missing, 'reply is', 'replies are')} missing.", again)
        elif _asks_more(shard.part(whole), own):
            yield ShardLeft(shard, "it was asked less than the others.", again)


def _is_run(folder: Path) -> bool:
    return (folder / MANIFEST).exists()


def _asks_more(design: Design, than: Design) -> bool:
    return any(n > than.get(place, {}).get(id, 0) for place, epochs in design.items() for id, n in epochs.items())


def ranges(numbers: Sequence[int]) -> str:
    """0,3-5,7, as job arrays have it."""
    found: list[list[int]] = []
    for n in numbers:
        if found and n == found[-1][-1] + 1:
            found[-1] = [found[-1][0], n]
        else:
            found.append([n])
    return ",".join("-".join(map(str, ends)) for ends in found)
