"""The mark of a shard that is whole: whose plan, with how many replies, and the SHA-256 of its journal."""

import hashlib
from pathlib import Path
from typing import Any, Self

import msgspec

from selfexec.errors import InputError
from selfexec.files.replacing import put
from selfexec.runs.design import Block
from selfexec.runs.folder import REPLIES, Manifest, load_manifest
from selfexec.runs.listing import listed

MARK = "done.json"


class ShardMark(msgspec.Struct, frozen=True, kw_only=True):
    """`plan` is the fingerprint of what was asked of the whole run, `replies` how many sessions have one, `bytes` and
    `journal` are length and SHA-256 of the file of replies. `check` is the SHA-256 of all else here.
    """

    shard: int
    of: int
    plan: str
    replies: int
    bytes: int
    journal: str
    check: str = ""

    def checked(self) -> Self:
        content = msgspec.json.encode(msgspec.structs.replace(self, check=""))
        return msgspec.structs.replace(self, check=hashlib.sha256(content).hexdigest())


def read_mark(folder: Path) -> ShardMark | None:
    """The mark of a shard; None where there is none, or half of one."""
    try:
        mark = msgspec.json.decode((folder / MARK).read_bytes(), type=ShardMark)
    except (FileNotFoundError, msgspec.MsgspecError):
        return None
    return mark if mark == mark.checked() else None


def leave_mark(folder: Path) -> bool:
    """Mark a shard whose owner we are as whole, and return whether it is: nothing of what it was ever to ask is
    missing.
    """
    found, manifest = listed(folder), load_manifest(folder)
    if found.fault or found.missing or manifest.shard is None:
        return False
    size, sha256 = measured(folder / REPLIES)
    mark = ShardMark(
        shard=manifest.shard.index,
        of=manifest.shard.of,
        plan=fingerprint(manifest),
        replies=found.replies,
        bytes=size,
        journal=sha256,
    ).checked()
    if mark != read_mark(folder):
        put(folder / MARK, [msgspec.json.format(msgspec.json.encode(mark), indent=2), b"\n"], synced=True)
    return True


def measured(path: Path, most: int | None = None) -> tuple[int, str]:
    """Length and SHA-256 of a file, or of its first bytes."""
    sha256, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while block := file.read(1 << 20 if most is None else min(1 << 20, most - size)):
            sha256.update(block)
            size += len(block)
    return size, sha256.hexdigest()


def refuse_damaged(folder: Path, way_out: str) -> None:
    """InputError where the replies that a mark speaks of are not those that are there: others may follow on them."""
    mark = read_mark(folder)
    if mark is not None and measured(folder / REPLIES, mark.bytes) != (mark.bytes, mark.journal):
        raise InputError(
            f"{folder / REPLIES}: these are not the {mark.replies:,} replies that were marked as whole. {way_out}"
        )


# --- the plan of a whole run ------------------------------------------------------------------------------------------


def fingerprint(manifest: Manifest) -> str:
    """The same for shards of one plan, whatever the order in which models and commands came."""
    return hashlib.sha256(msgspec.json.encode(plan_of(manifest), order="deterministic")).hexdigest()


def plan_of(manifest: Manifest) -> dict[str, Any]:
    """What was asked of the whole run, part by part, by what people call it."""
    part = manifest.shard
    return {
        "models": sorted(manifest.models),
        "experiments": sorted(manifest.experiments),
        "items": manifest.items,
        "epochs": manifest.epochs,
        "prompts": manifest.prompts,
        "settings": _plain(manifest.settings),
        "settings by model": _plain(manifest.own_settings),
        "items by model, epoch and condition": _blocks(part.design if part else manifest.design or []),
        "items under caps": _blocks(part.planned if part else manifest.planned),
    }


def _blocks(blocks: list[Block]) -> list[str]:
    sorted_models = (msgspec.structs.replace(block, models=sorted(block.models)) for block in blocks)
    return sorted(msgspec.json.encode(block, order="deterministic").decode() for block in sorted_models)


def _plain(value: Any) -> Any:
    """1.0 is the same setting as 1."""
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
