"""What goes with shards and what does not: a run is asked in shards of one number, or as a whole."""

import shlex
from contextlib import suppress
from pathlib import Path
from shutil import rmtree

from selfexec.errors import InputError
from selfexec.runs.folder import ITEMS, MANIFEST, PROMPTS, REPLIES
from selfexec.runs.shards.mark import refuse_damaged
from selfexec.runs.shards.merge import is_continued, is_joined, is_of_shards, shard_of, was_joined
from selfexec.runs.share import Shard, shard_folders


def refuse_other_cut(run: Path, shard: Shard | None) -> None:
    """InputError where a run cannot be asked so: in this shard, or (None) as a whole."""
    own = shard_of(run)
    if own is not None:
        whole = shlex.quote(str(run.parent.parent))
        raise InputError(f"{run}: this is shard {own} of another run. Give --shard {own} --out {whole}")
    if shard is not None:
        _refuse_shard(run, shard)
    elif shard_folders(run) and not is_continued(run) and not (was_joined(run) and is_joined(run)):
        raise InputError(
            f"{run}: it holds shards that are not joined yet. First: selfexec merge {shlex.quote(str(run))}"
        )


def _refuse_shard(run: Path, shard: Shard) -> None:
    if (run / MANIFEST).exists() and not is_of_shards(run):
        raise InputError(f"{run}: it was begun as a whole. Go on without --shard, or choose another folder with --out.")
    if is_continued(run):
        raise InputError(
            f"{run}: it was asked more as a whole since its shards were joined. Go on without --shard, or choose "
            "another --out."
        )
    for folder in shard_folders(run):
        index, _, of = folder.name.partition("-of-")
        if index.isdigit() and of.isdigit() and int(of) != shard.of:
            raise InputError(
                f"{run}: it was cut into {int(of)} shards, and --shard {shard} would cut it otherwise. "
                f"Give --shard I/{int(of)}, or choose another folder with --out."
            )
    own = shard.folder(run)
    if not (own / MANIFEST).exists():
        return
    if shard_of(own) != shard:
        raise InputError(f"{own}: this is shard {shard_of(own) or 'none'}, not {shard}. See: selfexec merge {run}")
    aside = shlex.join(["mv", str(own), str(run.parent / f"{run.name}-{own.name}")])
    refuse_damaged(own, f"Move the shard away, and give the command again: {aside}")


def is_half_made(folder: Path) -> bool:
    """Whether a folder holds no more than what a process that was killed left of a shard that it began, where a file
    system moves no folder to its place whole.
    """
    names = {path.name.removesuffix(".new").removesuffix(".whole") for path in folder.iterdir()}
    empty = not (folder / REPLIES).exists() or (folder / REPLIES).stat().st_size == 0
    return empty and names <= {ITEMS, PROMPTS, REPLIES}


def clear_half_made(folder: Path) -> None:
    """Take away what is left of a shard that was begun. Only its owner calls it."""
    for building in folder.parent.glob(f".{folder.name}-*"):
        rmtree(building, ignore_errors=True)
    with suppress(FileNotFoundError):
        if not (folder / MANIFEST).exists() and is_half_made(folder):
            rmtree(folder)
