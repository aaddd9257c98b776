"""Shards joined into the run that they are shares of: the union of their journals by session.

The run itself is one of the journals. So what was asked of it as a whole stays, shards that have grown are joined once
more, and a joining that was killed is begun anew.
"""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from selfexec import items
from selfexec.errors import InputError
from selfexec.experiments import Key
from selfexec.extensions.shards.left import ShardLeft, shards_left
from selfexec.extensions.shards.parts import WHOLE, Part, ShardFault, Unjoinable, joined_design, parts_of
from selfexec.files.replacing import put, settle
from selfexec.items import ItemSet
from selfexec.options import Names, names
from selfexec.prompts import prompts_file
from selfexec.runs.arguments import tells_wrong_names
from selfexec.runs.design import folded, joined
from selfexec.runs.folder import (
    CONNECTIONS,
    FORMAT,
    ITEMS,
    MANIFEST,
    PROMPTS,
    REPLIES,
    SHARDS,
    STUDY,
    Manifest,
    keep_old_manifest,
    load_manifest,
    simulated_of,
    write_manifest,
)
from selfexec.runs.invocations import Invocation, kept
from selfexec.runs.journal import locked
from selfexec.runs.journal_writer import SAID
from selfexec.runs.reply import Reply
from selfexec.runs.run import Run, load
from selfexec.runs.share import (
    JOINED,
    JoinedShards,
    Shard,
    command_to_join,
    has_shards,
    joined_shards,
    state_of,
    unjoined_shards,
)
from selfexec.text.matching import apart


@dataclass(frozen=True)
class Joining:
    """What a run has once its shards are joined: how many shards, sessions with a line, and what is left to ask."""

    shards: int
    replies: int
    left: Sequence[ShardLeft]


@tells_wrong_names("joining")
def merge(folder: str | Path, *, prefer: Names = ()) -> Run:
    """Join the shards of a run (`run(..., shard="3/8")`) and return it.

    The run then has all sessions that any shard has, as if one machine had asked them. Shards that are missing, or lack
    replies, are named in a warning with the commands that ask the rest; join again afterwards. Joining again is free.

    Args:
        folder: The folder that `out` named.
        prefer: Shards such as "3/8", or "run": whose replies are taken where others have different ones of the same
            sessions.

    Raises:
        InputError: A shard is damaged or was asked otherwise than the others, or shards have different replies of the
            same session and none was chosen. All faults are named, with file and line and the command that puts it
            right.
    """
    for text in (str(one) for one in join(Path(folder), prefer).left):
        warnings.warn(f"{folder}: {text}", stacklevel=3)
    return load(folder)


def join(run: Path, prefer: Names = ()) -> Joining:
    """Join the shards in the folder of a run, as `merge` does."""
    _refuse_uncut(run)
    preferred = [_shard_name(text) for text in names(prefer)]
    with locked(run / REPLIES):
        record = joined_shards(run)
        if record and (run / MANIFEST).exists() and not preferred and not unjoined_shards(run):
            return _joining(run, record)
        parts = parts_of(run)
        _refuse_strange(preferred, parts)
        preferred = preferred or list(record.preferred if record else ())
        lines = union(run, parts, preferred)
        _write(run, parts, lines)
        record = JoinedShards(
            run=state_of(run),
            shards={part.folder.name: part.state for part in parts if part.shard},
            preferred=preferred,
        )
        put(run / SHARDS / JOINED, [msgspec.json.encode(record)], synced=True)
        return _joining(run, record)


def _refuse_uncut(run: Path) -> None:
    if not has_shards(run) and (run / MANIFEST).exists():
        raise InputError(f"{run}: this run was asked whole; it has no {SHARDS}/ to merge.")
    if not (run / MANIFEST).exists() and not unjoined_shards(run):
        raise InputError(
            f"{run}: this folder has no shards. Give the folder that was given as --out to `selfexec run --shard`."
        )


def _refuse_strange(preferred: Sequence[str], parts: Sequence[Part]) -> None:
    there = [part.name for part in parts]
    if strange := [name for name in preferred if name not in there]:
        raise InputError(f"--prefer {strange[0]}: nothing of that name is joined here. There is {apart(there)}.")


def _shard_name(text: str) -> str:
    return WHOLE if text == WHOLE else str(Shard.parse(text))


def _joining(run: Path, record: JoinedShards) -> Joining:
    with (run / REPLIES).open("rb") as file:
        replies = sum(1 for _ in file)
    return Joining(len(record.shards), replies, shards_left(run, record))


# --- the union of the journals ---------------------------------------------------------------------------------------


def union(run: Path, parts: Sequence[Part], preferred: Sequence[str] = ()) -> dict[Key, bytes]:
    """The line that counts of each session that any part has.

    Of two different lines, one that the other's journal has replaced gives way, and so does a failed call. Where both
    are replies, they must say the same.

    Raises:
        Unjoinable: Parts have different replies of a session, and neither is preferred.
    """
    chosen: dict[Key, tuple[bytes, Part]] = {}
    conflicts: list[ShardFault] = []
    # the run itself comes last: what it holds of others was chosen before
    for part in sorted(parts, key=lambda part: (part.name not in preferred, part.shard is None)):
        for key, line in part.lines.items():
            line_before, before = chosen.setdefault(key, (line, part))
            if line_before == line or line in before.replaced.get(key, ()):
                continue
            if line_before in part.replaced.get(key, ()):
                chosen[key] = (line, part)
                continue
            taken = _better(before.name, line_before, part.name, line, preferred)
            if taken is None:
                conflicts.append(_conflict(run, key, before, part))
            elif taken == part.name:
                chosen[key] = (line, part)
    if conflicts:
        raise Unjoinable(run, conflicts)
    return {key: line for key, (line, _) in chosen.items()}


def _better(name: str, line: bytes, other_name: str, other_line: bytes, preferred: Sequence[str]) -> str | None:
    """The part whose line of a session is taken; None where nothing says which."""
    one, other = (msgspec.json.decode(text, type=Reply) for text in (line, other_line))
    if other.failed or all(getattr(one, field) == getattr(other, field) for field in SAID):
        return name
    if one.failed:
        return other_name
    return next((choice for choice in preferred if choice in (name, other_name)), None)


def _conflict(run: Path, key: Key, one: Part, other: Part) -> ShardFault:
    ways = [f"{command_to_join(run)} --prefer {part.name}" for part in (one, other)]
    what = f"{key}: {one.folder / REPLIES} and {other.folder / REPLIES} have different replies. Choose:"
    return ShardFault(what, [" or ".join(ways)])


# --- what is written -------------------------------------------------------------------------------------------------


def _write(run: Path, parts: Sequence[Part], lines: Mapping[Key, bytes]) -> None:
    """Write the run down, each file in one step; the manifest comes last, as it speaks of the others."""
    settle(run)
    item_lines = _item_lines(parts)
    if (run / MANIFEST).exists():
        keep_old_manifest(run, load_manifest(run))
        # until the new items are there, "all that the run has" must not come to mean these too
        write_manifest(run, _manifest(parts, load_manifest(run).items, None))
    (run / ITEMS).mkdir(exist_ok=True)
    for experiment, by_id in item_lines.items():
        content = [by_id[id] + b"\n" for id in items.fixed_order(experiment, by_id)]
        put(run / ITEMS / f"{experiment}.jsonl", content, synced=True)
    prompts = {name: text for part in parts for name, text in part.prompts.items() if text is not None}
    put(run / PROMPTS, [prompts_file(prompts)])
    if study := next((path for part in parts if (path := part.folder / STUDY).is_file()), None):
        put(run / STUDY, [study.read_bytes()])
    if marks := [path.read_bytes() for part in parts if (path := part.folder / CONNECTIONS).is_file()]:
        put(run / CONNECTIONS, [line + b"\n" for line in dict.fromkeys(b"\n".join(marks).split(b"\n")) if line])
    put(run / REPLIES, (line + b"\n" for line in lines.values()), synced=True)
    item_set = items.load(run / ITEMS)
    write_manifest(run, _manifest(parts, item_set.hashes, item_set))


def _item_lines(parts: Iterable[Part]) -> dict[str, dict[str, bytes]]:
    found: dict[str, dict[str, bytes]] = {}
    for part in parts:
        for experiment, by_id in part.items.lines.items():
            found.setdefault(experiment, {}).update(by_id)
    return found


def _manifest(parts: Sequence[Part], hashes: Mapping[str, str], item_set: ItemSet | None) -> Manifest:
    """The manifest of a run that has been asked all that its parts were, by the commands of all of them. Without the
    items of the run, its design names each.
    """
    first, every = parts[0].whole, [part.whole for part in parts]
    design = joined_design((part.whole.design or (), part.items) for part in parts)
    planned = joined_design((part.whole.planned, part.items) for part in parts)
    return msgspec.structs.replace(
        first,
        format=FORMAT,
        models=_once(model for one in every for model in one.models),
        simulated=_once(model for one in every for model in simulated_of(one)),
        experiments=_once(name for one in every for name in one.experiments),
        epochs=max(one.epochs for one in every),
        items=dict(hashes),
        design=folded(design, item_set),
        planned=folded({} if joined(design, planned) == design else planned, item_set),
        prompts={name: sha256 for one in reversed(every) for name, sha256 in one.prompts.items()},
        settings={name: value for one in reversed(every) for name, value in one.settings.items()},
        own_settings={model: sent for one in reversed(every) for model, sent in one.own_settings.items()},
        preset_order=next((one.preset_order for one in every if one.preset_order), None),
        preset=first.preset if all(one.preset == first.preset for one in every) else None,
        invocations=kept(_invocations(every)),
        accept_ends=_once(word for one in every for word in one.accept_ends),
        reached={model: way for one in reversed(every) for model, way in one.reached.items()},
    )


def _invocations(manifests: Iterable[Manifest]) -> list[Invocation]:
    """The commands of all, in the order in which they began. One that was at work when it was joined before has an end
    by now.
    """
    found: dict[tuple[str, str | None], Invocation] = {}
    for one in (invocation for manifest in manifests for invocation in manifest.invocations):
        found[one.begin, one.command] = one
    return sorted(found.values(), key=lambda one: one.begin)


def _once(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
