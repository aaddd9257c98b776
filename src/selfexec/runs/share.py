"""A share of a run: which jobs (a model with an item) fall to it, whatever else is asked, and where it lies.

A shard is a run of its own in the folder of the whole one. A run knows what it has of its shards; what joins them is
the extension `shards`.
"""

import hashlib
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import msgspec

from selfexec.errors import InputError
from selfexec.runs.design import Design
from selfexec.runs.folder import MANIFEST, REPLIES, SHARDS
from selfexec.text.numbers import number_of
from selfexec.text.printable import command_line
from selfexec.text.regex import regex

JOINED = "joined.json"  # among the shards
MOST = 10_000
_WRITTEN = regex(r"(\d{1,9})/(\d{1,9})")


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


def has_shards(run: Path) -> bool:
    """Whether a folder holds shards of a run."""
    return (run / SHARDS).is_dir()


def shard_folders(run: Path) -> list[Path]:
    """What lies among the shards of a run, by name. What is being made there, and begins with a dot, is none yet."""
    if not has_shards(run):
        return []
    return sorted(place for place in (run / SHARDS).iterdir() if place.is_dir() and not place.name.startswith("."))


# --- what of them is joined ------------------------------------------------------------------------------------------


class JoinedShards(msgspec.Struct, frozen=True, kw_only=True):
    """What a run has of its shards.

    Attributes:
        run: The state of the run when they were joined.
        shards: Their states then, by the names of their folders.
        preferred: The shards whose replies were chosen where others had different ones of the same sessions.
    """

    run: str
    shards: dict[str, str]
    preferred: list[str] = []


def state_of(folder: Path) -> str:
    """A text that changes whenever a run gets replies, or its manifest changes."""
    manifest, replies = folder / MANIFEST, folder / REPLIES
    sha256 = hashlib.sha256(manifest.read_bytes()).hexdigest() if manifest.is_file() else "no manifest"
    return f"{replies.stat().st_size if replies.is_file() else 0} {sha256}"


def joined_shards(run: Path) -> JoinedShards | None:
    """What a run has of its shards; None where they were never joined, or by a former version."""
    try:
        return msgspec.json.decode((run / SHARDS / JOINED).read_bytes(), type=JoinedShards)
    except (FileNotFoundError, msgspec.MsgspecError):
        return None


def unjoined_shards(run: Path) -> list[Path]:
    """The folders of shards that have something which the run does not have."""
    record = joined_shards(run)
    known = record.shards if record else {}
    begun = [folder for folder in shard_folders(run) if (folder / MANIFEST).exists() or (folder / REPLIES).exists()]
    return [folder for folder in begun if state_of(folder) != known.get(folder.name)]


def refuse_unjoined(run: Path) -> None:
    """InputError where shards have something that the run does not have: it names the command that joins them."""
    if not has_shards(run) or not (new := unjoined_shards(run)):
        return
    known = joined_shards(run)
    grown = known is not None and all(folder.name in known.shards for folder in new)
    what = "grown since they were joined" if grown else "not joined"
    raise InputError(f"{run}: {number_of(len(new), 'shard')}, {what}. Join them: {command_to_join(run)}")


def command_to_join(run: Path) -> str:
    return command_line("merge {}", run)


def refuse_other_cut(run: Path, shard: Shard | None) -> None:
    """InputError where a run cannot be asked so: in this shard, or (None) as a whole."""
    own = shard_of(run.name) if run.parent.name == SHARDS else None
    if own is not None:
        whole = shlex.quote(str(run.parent.parent))
        raise InputError(f"{run}: this is shard {own} of another run. Give --shard {own} --out {whole}")
    if shard is None:
        refuse_unjoined(run)
        return
    cuts = {there.of for folder in shard_folders(run) if (there := shard_of(folder.name))}
    if cuts - {shard.of}:
        of = min(cuts - {shard.of})
        raise InputError(
            f"{run}: it was cut into {of} shards, and --shard {shard} would cut it otherwise. "
            f"Give --shard I/{of}, or choose another folder with --out."
        )
    if (run / MANIFEST).exists():
        _refuse_whole(run, shard)


def _refuse_whole(run: Path, shard: Shard) -> None:
    """InputError where a run holds replies that a shard does not have, and would ask for once more."""
    record = joined_shards(run)
    if record is None:
        refuse_unjoined(run)
        raise InputError(f"{run}: it was begun as a whole. Go on without --shard, or choose another folder with --out.")
    if record.run != state_of(run):
        raise InputError(
            f"{run}: it was asked more as a whole since its shards were joined. Go on without --shard, or choose "
            "another --out."
        )
    if shard.name in record.shards and not (shard.folder(run) / MANIFEST).exists():
        raise InputError(
            f"{run}: it has the replies of shard {shard}, whose folder is not there any more. Go on without --shard."
        )
