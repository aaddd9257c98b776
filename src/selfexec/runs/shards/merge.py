"""Shards joined into the run that they are shares of. The run is made of them alone: all who join the same shards get
the same files, in whatever order they came, and however often it is begun anew.
"""

import hashlib
import shlex
import warnings
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path

import msgspec

from selfexec.errors import InputError
from selfexec.files.replacing import put, settle
from selfexec.prompts import kept_prompts, prompts_file
from selfexec.runs.folder import (
    CONNECTIONS,
    ITEMS,
    MANIFEST,
    PROMPTS,
    REPLIES,
    STUDY,
    Manifest,
    load_manifest,
    write_manifest,
)
from selfexec.runs.invocations import kept
from selfexec.runs.records import OfSession
from selfexec.runs.shards.gather import GatheredShards, NotWhole, There, gathered
from selfexec.runs.shards.mark import measured
from selfexec.runs.shards.owner import Owner
from selfexec.runs.share import SHARDS, Shard, is_cut, shard_folders
from selfexec.runs.store import locked
from selfexec.text.numbers import number_of

JOINED = "joined.json"  # among the shards: which of them the run is made of


class Joined(msgspec.Struct, frozen=True, kw_only=True):
    """What a run was made of: the checks of the marks by shard, and the SHA-256 of the replies and the manifest that
    came of it. Empty while it is being made.
    """

    marks: list[str] = []
    replies: str = ""
    manifest: str = ""

    @property
    def whole(self) -> bool:
        return bool(self.marks)


def join(run: Path) -> int:
    """Join the shards in the folder of a run, and return how many replies it has of them now; 0 where it was joined
    already. InputError where that cannot be: it names each shard that is wrong, and the command that puts it right.
    """
    if not is_cut(run):
        if (run / MANIFEST).exists():
            raise InputError(
                f"{run}: this is a whole run, and no shards lie in it (there is no {SHARDS}/) to be joined."
            )
        raise InputError(
            f"{run}: there are no shards here (there is no {SHARDS}/). Give the folder that --out named to "
            "`selfexec run --shard`."
        )
    with Owner(run / SHARDS / "joining") as owner:
        found = gathered(run, thorough=True)
        if _is_up_to_date(found):
            return 0
        if found.faults:
            raise NotWhole(found)
        refuse_continued(run)
        with locked(run / REPLIES) if (run / REPLIES).exists() else nullcontext():
            owner.check()
            return _written(found)


def refuse_unjoined(run: Path) -> None:
    """InputError where the shards of a run have what the run has not: it names the command that joins them.

    Where they cannot be joined, as some have grown and others not, or the run has, it is what it was when they were:
    that takes a warning.
    """
    found = gathered(run)
    if _is_up_to_date(found):
        return
    before = was_joined(run)
    if found.faults and not before:
        raise NotWhole(found)
    merge = f"selfexec merge {shlex.quote(str(run))}"
    if not found.faults and not before:
        refuse_continued(run)
        raise InputError(f"{run}: {number_of(len(found.shards), 'shard')}, not joined. Join them: {merge}")
    if not found.faults and not is_continued(run):
        raise InputError(f"{run}: its shards have grown since they were joined. Join them again: {merge}")
    what = "its shards are not as they were joined, and it is left as it was then"
    warnings.warn(f"{run}: {what}. See: {merge}", stacklevel=3)


def is_joined(run: Path) -> bool:
    """Whether a run holds all that its shards have, as far as can be seen without reading their replies."""
    return _is_up_to_date(gathered(run))


def is_of_shards(run: Path) -> bool:
    """Whether a run was made of shards, wholly or in part."""
    return _record(run) is not None


def was_joined(run: Path) -> bool:
    """Whether a run was made of shards, whatever they have now."""
    record = _record(run)
    return record is not None and record.whole and (run / MANIFEST).exists()


def is_continued(run: Path) -> bool:
    """Whether a run was asked more, as a whole, since its shards were joined."""
    record = _record(run)
    return record is not None and record.whole and (record.replies, record.manifest) != _state(run)


def refuse_continued(run: Path) -> None:
    """InputError where what a run holds is not of its shards alone, and would be lost."""
    if not (run / MANIFEST).exists():
        return
    aside = shlex.join(["mv", str(run / SHARDS), f"{run}-{SHARDS}"])
    if not is_of_shards(run):
        raise InputError(f"{run}: it holds a run that was not made of its shards. Move them away, or the run: {aside}")
    if is_continued(run):
        raise InputError(
            f"{run}: it was asked more as a whole since its shards were joined, and joining them again would lose "
            f"that. Go on without --shard, and move the shards away: {aside}"
        )


def _is_up_to_date(found: GatheredShards) -> bool:
    """Whether a run has all that its shards have: those too that were removed since they were joined."""
    record = _record(found.run)
    if record is None or not record.whole or not (found.run / MANIFEST).exists():
        return False
    if not shard_folders(found.run):
        return True
    joined = dict(enumerate(record.marks))
    present = {one.shard.index: one.mark.check if one.mark else None for one in found.shards}
    if any(one.shard.of != len(joined) for one in found.shards) or not present.items() <= joined.items():
        return False
    return all(fault.shard and fault.shard.index not in present for fault in found.faults)


def _marks(shards: Sequence[There]) -> list[str]:
    return [mark.check for one in shards if (mark := one.mark)]


def _record(run: Path) -> Joined | None:
    """What is written down of the last joining; None where there was none."""
    path = run / SHARDS / JOINED
    try:
        return msgspec.json.decode(path.read_bytes(), type=Joined)
    except FileNotFoundError:
        return None
    except msgspec.MsgspecError:
        return Joined()  # cut short by a kill


def _state(run: Path) -> tuple[str, str]:
    """SHA-256 of the replies and of the manifest of a run."""
    with suppress(FileNotFoundError):
        return measured(run / REPLIES)[1], measured(run / MANIFEST)[1]
    return "", ""


# --- what is written --------------------------------------------------------------------------------------------------


def _written(found: GatheredShards) -> int:
    run, shards = found.run, found.shards
    record = run / SHARDS / JOINED
    put(record, [msgspec.json.encode(Joined())])
    settle(run)
    (run / ITEMS).mkdir(exist_ok=True)
    for experiment, sha256 in shards[0].manifest.items.items():
        content = (shards[0].folder / ITEMS / f"{experiment}.jsonl").read_bytes()
        if hashlib.sha256(content).hexdigest() != sha256:
            raise InputError(f"{shards[0].folder}: it is asked more just now. Join the shards when that is done.")
        put(run / ITEMS / f"{experiment}.jsonl", [content])
    put(run / PROMPTS, [prompts_file(kept_prompts(shards[0].folder / PROMPTS, shards[0].manifest.prompts))])
    if told := next((one for one in shards if (one.folder / STUDY).is_file()), None):
        put(run / STUDY, [(told.folder / STUDY).read_bytes()])
    if marks := [path.read_bytes() for one in shards if (path := one.folder / CONNECTIONS).is_file()]:
        put(run / CONNECTIONS, [b"\n".join(marks)])
    number = 0

    def lines() -> Iterator[bytes]:
        nonlocal number
        for one in shards:
            for line in _lines(one):
                number += 1
                yield line

    put(run / REPLIES, lines(), synced=True)
    write_manifest(run, _manifest(shards))
    replies, manifest = _state(run)
    put(record, [msgspec.json.encode(Joined(marks=_marks(shards), replies=replies, manifest=manifest))], synced=True)
    return number


def _lines(one: There) -> Iterator[bytes]:
    """The line that counts of each session of a shard, as it stands there. What came after its mark is left to the next
    joining.
    """
    assert one.mark
    decode = msgspec.json.Decoder(OfSession).decode
    with (one.folder / REPLIES).open("rb") as file:
        marked = file.read(one.mark.bytes).split(b"\n")
    last = {decode(line).key: line for line in marked if line and not line.isspace()}
    return (line + b"\n" for line in last.values())


def _manifest(shards: Sequence[There]) -> Manifest:
    """The manifest that the whole run would have, and the commands that asked its shards."""
    first, others = shards[0].manifest, [one.manifest for one in shards]
    assert first.shard is not None
    invocations = sorted(
        (invocation for one in others for invocation in one.invocations), key=lambda invocation: invocation.begin
    )
    same_preset = all(one.preset == first.preset for one in others)
    return msgspec.structs.replace(
        first,
        simulated=list(dict.fromkeys(model for one in others for model in one.simulated or ())),
        design=first.shard.design,
        planned=first.shard.planned,
        preset=first.preset if same_preset else None,
        invocations=kept(invocations),
        accept_ends=list(dict.fromkeys(word for one in others for word in one.accept_ends)),
        reached={model: way for one in reversed(others) for model, way in one.reached.items()},
        shard=None,
    )


def shard_of(run: Path) -> Shard | None:
    """Which shard a run is; None where it is none."""
    part = load_manifest(run).shard if (run / MANIFEST).exists() else None
    return Shard(part.index, part.of) if part else None
