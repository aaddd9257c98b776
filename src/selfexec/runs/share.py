"""A share of a run: which jobs (a model with an item) fall to it, whatever else is asked, and where it lies."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from selfexec.errors import InputError
from selfexec.runs.design import Design

SHARDS = "shards"  # the folder in that of the whole run
MOST = 10_000
_WRITTEN = re.compile(r"(\d{1,9})/(\d{1,9})")


@dataclass(frozen=True)
class Shard:
    """The share `index` of `of`, from 0 to `of` - 1."""

    index: int
    of: int

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """What --shard says: '3/8'."""
        found = _WRITTEN.fullmatch(text.strip())
        if found is None:
            raise InputError(f"--shard {text}: write it as I/N, like 3/8: share 3 of 8, counted from 0.")
        index, of = map(int, found.groups())
        if not 1 <= of <= MOST:
            raise InputError(f"--shard {text}: a run is cut into 1 to {MOST:,} shards.")
        if index >= of:
            raise InputError(f"--shard {text}: shards of {of} are counted from 0 to {of - 1}.")
        return cls(index, of)

    def __str__(self) -> str:
        return f"{self.index}/{self.of}"

    @property
    def name(self) -> str:
        """Of its folder, so that names sort as shards do."""
        return f"{self.index:0{len(str(self.of - 1))}}-of-{self.of}"

    def folder(self, run: Path) -> Path:
        return run / SHARDS / self.name

    def has(self, model: str, experiment: str, item: str) -> bool:
        """Whether a job falls to it: all epochs and conditions of a job to one shard, since sessions are shared
        among conditions.
        """
        return index_of(model, experiment, item, self.of) == self.index

    def part(self, design: Design) -> Design:
        """What of a design falls to it."""
        return {
            (model, experiment, condition): {id: n for id, n in by_id.items() if self.has(model, experiment, id)}
            for (model, experiment, condition), by_id in design.items()
        }


def shard_of(name: str) -> Shard | None:
    """The shard whose folder has this name; None where it is none."""
    found = re.fullmatch(r"(\d{1,9})-of-(\d{1,9})", name)
    shard = Shard(int(found[1]), int(found[2])) if found else None
    return shard if shard and shard.name == name else None


def index_of(model: str, experiment: str, item: str, of: int) -> int:
    """The shard that a job falls to: the first 64 bits of the SHA-256 of its three names, which depend on nothing
    else that is asked, modulo the number of shards.
    """
    sha256 = hashlib.sha256("\n".join((model, experiment, item)).encode("utf-8", "surrogatepass"))
    return int.from_bytes(sha256.digest()[:8], "big") % of


def is_cut(run: Path) -> bool:
    """Whether a folder holds shards of a run."""
    return (run / SHARDS).is_dir()


def shard_folders(run: Path) -> list[Path]:
    """What lies among the shards of a run, by name. What is being made there, and begins with a dot, is none yet."""
    if not is_cut(run):
        return []
    return sorted(place for place in (run / SHARDS).iterdir() if place.is_dir() and not place.name.startswith("."))
