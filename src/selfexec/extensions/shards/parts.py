"""What is joined: the shards of a run and the run itself, each with its journal, and what is wrong with them."""

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

import msgspec

from selfexec.engines import kept_setting
from selfexec.errors import InputError, SeveralFaults
from selfexec.experiments import Key
from selfexec.files import jsonl
from selfexec.items import ItemSet
from selfexec.prompts import kept_prompts
from selfexec.runs.design import Block, Design, joined, unfolded
from selfexec.runs.folder import (
    ITEMS,
    LOST,
    MANIFEST,
    PROMPTS,
    REPLIES,
    Manifest,
    check_fit,
    items_of_run,
    load_manifest,
)
from selfexec.runs.journal import line_of
from selfexec.runs.reply import Reply
from selfexec.runs.share import Shard, shard_folders, shard_of, state_of
from selfexec.text.printable import command_line

SHOWN = 10  # faults that a message names
WHOLE = "run"  # how the run itself is called among its shards


@dataclass(frozen=True)
class ShardFault:
    """What is wrong with a shard, and the commands that put it right."""

    what: str
    commands: Sequence[str] = ()

    def __str__(self) -> str:
        return " ".join([self.what, *filter(None, [" && ".join(self.commands)])])


class Unjoinable(SeveralFaults):
    """Shards that cannot be joined as they are: `faults` says what is wrong with each."""

    def __init__(self, run: Path, faults: Sequence[ShardFault]) -> None:
        shown = [f"- {fault}" for fault in faults[:SHOWN]]
        more = [f"- and {len(faults) - SHOWN} more"] if len(faults) > SHOWN else []
        super().__init__("\n".join([f"{run}: its shards cannot be joined.", *shown, *more]))
        self.faults = faults


@dataclass(frozen=True)
class Part:
    """A shard, or the run itself, as it was read.

    Attributes:
        name: "3/8", or "run".
        shard: None of the run itself.
        state: What `state_of` said before anything was read.
        lines: The line that counts of each session.
        replaced: The lines before it in the journal, of sessions that have several.
        prompts: The templates that it was asked with; None: not kept.
    """

    name: str
    folder: Path
    shard: Shard | None
    state: str
    manifest: Manifest
    items: ItemSet
    lines: Mapping[Key, bytes]
    prompts: Mapping[str, str | None]
    replaced: Mapping[Key, Sequence[bytes]] = field(default_factory=dict)

    @property
    def whole(self) -> Manifest:
        """The manifest of the run that it is part of: with all that was to be asked, not its share alone."""
        of = self.manifest.shard
        if of is None:
            return self.manifest
        return msgspec.structs.replace(self.manifest, design=of.design, planned=of.planned, shard=None)


def parts_of(run: Path) -> Sequence[Part]:
    """The run itself, where it is there, and its shards, by name.

    Raises:
        Unjoinable: A shard is damaged or does not belong to the others.
    """
    found = [read_part(WHOLE, run, None)] if (run / MANIFEST).exists() else []
    faults: list[ShardFault] = []
    damaged: list[tuple[Path, Shard, str]] = []
    for folder in shard_folders(run):
        if not (folder / MANIFEST).exists() and not _has_replies(folder):
            continue  # it was killed while it began
        shard = shard_of(folder.name)
        if shard is None:
            faults.append(_misnamed(run, folder))
            continue
        try:
            found.append(read_part(str(shard), folder, shard))
        except InputError as fault:
            damaged.append((folder, shard, str(fault)))
    faults += [_of_another_cut(run, part) for part in found if part.shard and part.shard.of != _usual_cut(found)]
    faults += _foreign(run, found)
    faults += [_damage(run, folder, shard, what, found) for folder, shard, what in damaged]
    if faults:
        raise Unjoinable(run, faults)
    return found


def read_part(name: str, folder: Path, shard: Shard | None) -> Part:
    """A shard or a run as it is now. InputError: something of it is damaged; it names the file, and the line."""
    if not (folder / MANIFEST).exists():
        raise InputError(f"{folder}: there are replies and no {MANIFEST}.")
    state = state_of(folder)
    # before items and manifest, which grow before any reply comes that needs it
    replies = jsonl.values(folder / REPLIES, Reply)
    lines: dict[Key, bytes] = {}
    replaced: dict[Key, list[bytes]] = {}
    for reply, (_, line) in zip(replies, jsonl.numbered_lines(folder / REPLIES, torn_tail=True), strict=False):
        if reply.key in lines:
            replaced.setdefault(reply.key, []).append(lines[reply.key])
        lines[reply.key] = line
    manifest, items = load_manifest(folder), items_of_run(folder)
    check_fit(lines, items, lambda key: f"{folder / REPLIES}:{line_of(folder / REPLIES, key)}", LOST)
    prompts = kept_prompts(folder / PROMPTS, manifest.prompts)
    return Part(name, folder, shard, state, manifest, items, lines, prompts, replaced)


def _has_replies(folder: Path) -> bool:
    return (folder / REPLIES).exists() and (folder / REPLIES).stat().st_size > 0


def joined_design(parts: Iterable[tuple[Sequence[Block], ItemSet]]) -> Design:
    """All that these blocks stand for, each with the items that they are of. Shards mostly have the same."""
    known: dict[bytes, Design] = {}
    for blocks, item_set in parts:
        name = msgspec.json.encode([blocks, item_set.hashes])
        if name not in known:
            known[name] = unfolded(blocks, item_set)
    return reduce(joined, known.values(), {})


# --- what is wrong ---------------------------------------------------------------------------------------------------


def _misnamed(run: Path, folder: Path) -> ShardFault:
    """A folder that no shard has by its name. Where its manifest says which shard it is, and none has that place, the
    way out is to give it its name.
    """
    try:
        of = load_manifest(folder).shard
    except InputError:
        of = None
    if of and not (place := Shard(of.index, of.of).folder(run)).exists():
        named = shlex.join(["mv", str(folder), str(place)])
        return ShardFault(f"{folder.name}: this is shard {of.index}/{of.of}. Give it its name:", [named])
    return ShardFault(f"{folder.name}: no shard has this name. Move it away:", [moved(run, folder)])


def _usual_cut(parts: Sequence[Part]) -> int:
    """Into how many shards most of them say that the run is cut."""
    [(of, _)] = Counter(part.shard.of for part in parts if part.shard).most_common(1)
    return of


def _of_another_cut(run: Path, part: Part) -> ShardFault:
    what = f"{part.folder.name}: the other folders are shards of another number. Move it away:"
    return ShardFault(what, [moved(run, part.folder)])


def _damage(run: Path, folder: Path, shard: Shard, what: str, others: Sequence[Part]) -> ShardFault:
    again = [moved(run, folder), *commands([part.manifest for part in others], shard, run)]
    return ShardFault(f"{folder.name}: damaged. {what} Put it right, or move it away and ask it anew:", again)


def _foreign(run: Path, parts: Sequence[Part]) -> Iterator[ShardFault]:
    """What is wrong with parts that were asked otherwise than the run, or, where that is not there yet, than most."""
    if not parts:
        return
    alike: dict[bytes, list[Part]] = {}
    for part in parts:
        alike.setdefault(_sent_key(part.manifest), []).append(part)
    meant = parts[0] if parts[0].shard is None else max(alike.values(), key=len)[0]
    for part in parts:
        way_out = [moved(run, part.folder), *(commands([meant.manifest], part.shard, run) if part.shard else [])]
        if changed := differing(meant.manifest, part.manifest):
            what = f"{part.folder.name}: it was asked otherwise than the others ({changed}). Ask it anew:"
            yield ShardFault(what, way_out)
        elif item := _other_item(meant.items, part.items):
            other = part if _is_altered(part) or not _is_altered(meant) else meant
            what = f"{other.folder.name}: damaged. {ITEMS}/{item[0]}.jsonl: {item[1]!r} is another item in the others."
            yield ShardFault(f"{what} Put it right, or move it away and ask it anew:", way_out)
        elif lost := [name for name, text in part.prompts.items() if text is None and not _is_kept(name, parts)]:
            what = f"{part.folder.name}: damaged. {PROMPTS} no longer has {lost[0]} as it was asked."
            yield ShardFault(f"{what} Put it right, or move it away and ask it anew:", way_out)


def _sent_key(manifest: Manifest) -> bytes:
    sent = [manifest.prompts, manifest.settings, manifest.own_settings, manifest.items]
    return msgspec.json.encode(sent, order="deterministic")


def differing(one: Manifest, other: Manifest) -> str | None:
    """What runs cannot have been asked differently and still be one: a prompt, or a setting of a model in both."""
    for name in sorted(one.prompts.keys() & other.prompts.keys()):
        if one.prompts[name] != other.prompts[name]:
            return f"the prompt {name}"
    for model in sorted({*one.models} & {*other.models}):
        now, then = _settings_of(one, model), _settings_of(other, model)
        for name in sorted(now.keys() | then.keys()):
            # a condition that is new is no other setting than before
            if now.get(name) != then.get(name) and ("@" not in name or (name in now and name in then)):
                return f"the setting {name} of {model}"
    return None


def _settings_of(manifest: Manifest, model: str) -> dict[str, Any]:
    """What is sent to a model, and what its conditions send. Older versions kept in clear what is a digest now."""
    of_conditions = {name: value for name, value in manifest.settings.items() if "@" in name}
    return {name: kept_setting(name, value) for name, value in {**of_conditions, **manifest.settings_of(model)}.items()}


def _other_item(one: ItemSet, other: ItemSet) -> tuple[str, str] | None:
    """Experiment and id of an item that both have and that is not the same in both."""
    for experiment in one.lines.keys() & other.lines.keys():
        lines = other.lines[experiment]
        for id, line in one.lines[experiment].items():
            if lines.get(id, line) != line:
                return experiment, id
    return None


def _is_altered(part: Part) -> bool:
    """Whether items are not those that the manifest speaks of."""
    return part.items.hashes != part.manifest.items


def _is_kept(name: str, parts: Iterable[Part]) -> bool:
    return any(part.prompts.get(name) is not None for part in parts)


# --- commands --------------------------------------------------------------------------------------------------------


def commands(like: Iterable[Manifest], shard: Shard, run: Path) -> list[str]:
    """The commands by which a shard is asked all that these others were, in their order. What must not be written down
    is not in them, and they say so.
    """
    invocations = sorted(
        (invocation for manifest in like for invocation in manifest.invocations), key=lambda one: one.begin
    )
    found = dict.fromkeys(for_shard(invocation.command, shard, run) for invocation in invocations if invocation.command)
    return list(found) or [
        f"{command_line('run --shard {} --out {}', shard, run)}  # and what the others were asked with"
    ]


def for_shard(command: str, shard: Shard, run: Path) -> str:
    """A command, or a call in Python, as it is for one shard of this run."""
    if not command.startswith("selfexec "):
        call = re.sub(r"\bshard='[^']*'", f"shard='{shard}'", command)
        return re.sub(r"\bout=('[^']*'|\"[^\"]*\")", f"out={str(run)!r}", call)
    words = iter(shlex.split(command))
    kept: list[str] = []
    for word in words:
        if word in ("--shard", "--out"):
            next(words, None)
        else:
            kept.append(str(Path(word).expanduser()) if word.startswith("~/") else word)
    return shlex.join([*kept, "--shard", str(shard), "--out", str(run)])


def moved(run: Path, folder: Path) -> str:
    """The command that moves a folder out of the shards, next to the run."""
    return shlex.join(["mv", str(folder), str(run.parent / f"{run.name}-{folder.name}")])
