"""The shards of a run as they lie there: which are whole, what is wrong with the others, and the commands that put it
right.
"""

import hashlib
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from selfexec.engines import kept_setting
from selfexec.errors import InputError, SeveralFaults
from selfexec.files import jsonl
from selfexec.prompts import kept_prompts
from selfexec.runs.folder import ITEMS, MANIFEST, PROMPTS, REPLIES, Manifest, load_manifest
from selfexec.runs.listing import listed
from selfexec.runs.records import OfSession
from selfexec.runs.shards.mark import ShardMark, fingerprint, measured, plan_of, read_mark
from selfexec.runs.shards.owner import owner_of
from selfexec.runs.share import Shard, shard_folders
from selfexec.text.numbers import number_of

SHOWN = 10  # faults that a message names


@dataclass(frozen=True)
class ShardFault:
    """What is wrong with a shard, or with what lies among them, and the commands that put it right."""

    what: str
    commands: Sequence[str]
    shard: Shard | None = None

    def __str__(self) -> str:
        return f"{self.what} {' && '.join(self.commands)}"


@dataclass(frozen=True)
class There:
    """A shard that is there."""

    folder: Path
    manifest: Manifest
    shard: Shard

    @cached_property
    def mark(self) -> ShardMark | None:
        return read_mark(self.folder)

    @cached_property
    def fingerprint(self) -> str:
        return fingerprint(self.manifest)

    @property
    def is_marked(self) -> bool:
        """Whether it is whole, as far as can be seen without reading its replies."""
        try:
            size = (self.folder / REPLIES).stat().st_size
        except OSError:
            return False
        return self.mark is not None and self.mark.plan == self.fingerprint and self.mark.bytes == size


@dataclass(frozen=True)
class GatheredShards:
    """The shards of a run by their number, and what is wrong with them: nothing where they can be joined."""

    run: Path
    shards: Sequence[There]
    faults: Sequence[ShardFault]

    @property
    def said(self) -> str:
        """What keeps them from being joined, in a line for each."""
        of = self.shards[0].shard.of if self.shards else 0
        wrong = {fault.shard.index for fault in self.faults if fault.shard}
        left = f" Left to do: {_ranges(sorted(wrong))}." if wrong else ""
        shown = [f"- {fault}" for fault in self.faults[:SHOWN]]
        more = [f"- and {len(self.faults) - SHOWN} more"] if len(self.faults) > SHOWN else []
        whole = f"{of - len(wrong)} of {of} shards are whole.{left}" if of else "there is no shard here."
        then = [f"Then join them: selfexec merge {shlex.quote(str(self.run))}"] if of and self.faults else []
        return "\n".join([f"{self.run}: {whole}", *shown, *more, *then])


class NotWhole(SeveralFaults):
    """Shards that cannot be joined as they are: `faults` says of each what is wrong."""

    def __init__(self, gathered: GatheredShards) -> None:
        super().__init__(gathered.said)
        self.faults = gathered.faults


def gathered(run: Path, *, thorough: bool = False) -> GatheredShards:
    """The shards in the folder of a run. `thorough`: every reply is held against the marks, too."""
    there, faults = _read(run)
    if not there:
        return GatheredShards(run, [], faults or [ShardFault(f"{run}: there are no shards here.", ["selfexec list"])])
    of = _most_frequent(one.shard.of for one in there)
    faults += [_of_another_cut(run, one, of) for one in there if one.shard.of != of]
    there, doubled = _singled(run, [one for one in there if one.shard.of == of])
    faults += doubled
    meant = _plan_meant(there)
    like = [one for one in there if one.fingerprint == meant]
    for shard in (Shard(index, of) for index in range(of)):
        found = next((one for one in there if one.shard == shard), None)
        damaged = any(fault.shard == shard for fault in faults)
        if found is None and not damaged:
            on = commands(like, shard, run)
            faults.append(ShardFault(f"{shard.name}: missing, nothing of it was asked.", on, shard))
        elif found is not None:
            faults += _faults_of(run, found, like, thorough)
    faults.sort(key=lambda fault: fault.shard.index if fault.shard else -1)
    return GatheredShards(run, sorted(there, key=lambda one: one.shard.index), faults)


def whole_shards(run: Path) -> list[str]:
    """The names of the shards of a run that are marked as whole."""
    there, _ = _read(run)
    return [one.folder.name for one in there if one.is_marked]


def _read(run: Path) -> tuple[list[There], list[ShardFault]]:
    there: list[There] = []
    unread: list[tuple[Path, str]] = []
    faults: list[ShardFault] = []
    for folder in shard_folders(run):
        if not (folder / MANIFEST).exists():
            if (folder / REPLIES).exists() and (folder / REPLIES).stat().st_size:
                unread.append((folder, f"damaged, it has replies and no {MANIFEST}."))
            continue  # else it was killed while it began
        try:
            manifest = load_manifest(folder)
        except InputError:
            unread.append((folder, f"damaged, its {MANIFEST} cannot be read."))
            continue
        if manifest.shard is None:
            way_out = [_moved(run, folder)]
            faults.append(ShardFault(f"{folder.name}: foreign, this run is no shard. Move it away:", way_out))
        else:
            there.append(There(folder, manifest, Shard(manifest.shard.index, manifest.shard.of)))
    for folder, what in unread:
        shard = _named(folder.name)
        again = commands(there, shard, run) if shard else []
        faults.append(
            ShardFault(f"{folder.name}: {what} Move it away, and ask it anew:", [_moved(run, folder), *again], shard)
        )
    return there, faults


def _named(name: str) -> Shard | None:
    """The shard that a folder of this name holds."""
    found = re.fullmatch(r"(\d{1,5})-of-(\d{1,5})", name)
    shard = Shard(int(found[1]), int(found[2])) if found else None
    return shard if shard and shard.name == name else None


def _of_another_cut(run: Path, one: There, of: int) -> ShardFault:
    what = f"{one.folder.name}: foreign, a share of {one.shard.of}, and the others are shares of {of}. Move it away:"
    return ShardFault(what, [_moved(run, one.folder)])


def _singled(run: Path, there: Sequence[There]) -> tuple[list[There], list[ShardFault]]:
    """One folder for each shard, and what is wrong with further ones."""
    kept: dict[Shard, There] = {}
    faults: list[ShardFault] = []
    for one in sorted(there, key=lambda one: one.folder.name != one.shard.name):  # first those of the right name
        if one.shard in kept:
            other = kept[one.shard].folder.name
            what = f"{one.folder.name}: doubled, {other} is shard {one.shard}, too. Move one of them away:"
            faults.append(ShardFault(what, [_moved(run, one.folder)], one.shard))
            continue
        kept[one.shard] = one
        if one.folder.name != one.shard.name:
            what = f"{one.folder.name}: this is shard {one.shard}. Give it its name:"
            renamed = shlex.join(["mv", str(one.folder), str(one.shard.folder(run))])
            faults.append(ShardFault(what, [renamed], one.shard))
    return list(kept.values()), faults


def _plan_meant(there: Sequence[There]) -> str:
    """The fingerprint of the plan that the run has: the one that most of what was asked is part of."""
    plans = {one.fingerprint: plan_of(one.manifest) for one in {one.fingerprint: one for one in there}.values()}
    number = Counter(one.fingerprint for one in there)
    reach = {
        name: sum(number[other] for other in plans if _extends(plan, plans[other])) for name, plan in plans.items()
    }
    return max(plans, key=lambda name: (reach[name], number[name]))


def _extends(plan: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether a plan can have grown out of another one."""
    wider = all(set(plan[what]) >= set(other[what]) for what in ("models", "experiments"))
    return wider and plan["epochs"] >= other["epochs"] and not _changed(plan, other)


def _changed(plan: Mapping[str, Any], other: Mapping[str, Any]) -> str | None:
    """What no plan can have grown out of another one with: a prompt or a setting that is not the same."""
    for name in sorted(plan["prompts"].keys() & other["prompts"].keys()):
        if plan["prompts"][name] != other["prompts"][name]:
            return f"the prompt {name}"
    for model in sorted({*plan["models"]} & {*other["models"]}):
        now, then = _settings_of(plan, model), _settings_of(other, model)
        for name in sorted(now.keys() | then.keys()):
            # a condition that is new is no other setting than before
            if now.get(name) != then.get(name) and ("@" not in name or (name in now and name in then)):
                return f"the setting {name} of {model}"
    return None


def _settings_of(plan: Mapping[str, Any], model: str) -> dict[str, Any]:
    """What is sent to a model, and what its conditions send."""
    of_conditions = {name: value for name, value in plan["settings"].items() if "@" in name}
    common = {name: value for name, value in plan["settings"].items() if "@" not in name}
    sent = {**of_conditions, **plan["settings by model"].get(model, common)}
    # a shard of an older version keeps in clear what is kept as a digest now
    return {name: kept_setting(name, value) for name, value in sent.items()}


def _faults_of(run: Path, one: There, like: Sequence[There], thorough: bool) -> Iterator[ShardFault]:
    name, shard = one.folder.name, one.shard
    if one.fingerprint != like[0].fingerprint:
        meant, own = plan_of(like[0].manifest), plan_of(one.manifest)
        if changed := _changed(meant, own):
            what = f"{name}: foreign, it was asked with another plan than the others ({changed}). Ask it anew:"
            yield ShardFault(what, [_moved(run, one.folder), *commands(like, shard, run)], shard)
        else:
            differing = next(part for part, value in own.items() if value != meant[part])
            what = f"{name}: half-done, it was asked less than the others, or otherwise ({differing}). Go on:"
            yield ShardFault(what, commands(like, shard, run), shard)
    elif wrong := _damage(one, thorough):
        what = f"{name}: damaged, {wrong}. Move it away, and ask it anew:"
        yield ShardFault(what, [_moved(run, one.folder), *commands(like, shard, run)], shard)
    elif not one.is_marked:
        yield ShardFault(f"{name}: half-done, {_left(one)}. Go on:", commands(like, shard, run), shard)


def _left(one: There) -> str:
    """What a shard without a mark, or with an old one, still lacks, and who is at work on it."""
    found, owner = listed(one.folder), owner_of(one.folder)
    at_work = f" (process {owner.pid} on {owner.host} is at work on it)" if owner and owner.is_gone is False else ""
    if not found.missing:
        return f"all replies are there, and it is not marked yet{at_work}"
    return f"{number_of(found.missing, 'reply is', 'replies are')} missing{at_work}"


def _damage(one: There, thorough: bool) -> str | None:
    """What a shard has that is not as it was asked or marked; where it is marked as whole, and that is not to be
    `thorough`, as far as can be seen without reading all of it.
    """
    mark, journal = one.mark, one.folder / REPLIES
    if not journal.is_file() or (mark and journal.stat().st_size < mark.bytes):
        return f"{REPLIES} has less than was marked"
    if not thorough and one.is_marked:
        return None
    try:
        for reply in jsonl.values(journal, OfSession):
            if not one.shard.has(reply.model, reply.experiment, reply.item):
                return f"it has replies of {reply.model} to {reply.experiment} {reply.item!r}, which are no part of it"
        lost = [name for name, text in kept_prompts(one.folder / PROMPTS, one.manifest.prompts).items() if text is None]
    except InputError as fault:
        return str(fault).removeprefix(f"{one.folder}/").partition(". ")[0].rstrip(".")
    if mark and measured(journal, mark.bytes) != (mark.bytes, mark.journal):
        return f"{REPLIES} is not what was marked"
    for experiment, sha256 in one.manifest.items.items():
        path = one.folder / ITEMS / f"{experiment}.jsonl"
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
            return f"{ITEMS}/{path.name} is not what was asked"
    return f"{PROMPTS} no longer has {lost[0]} as it was asked" if lost else None


# --- commands ---------------------------------------------------------------------------------------------------------


def commands(like: Iterable[There], shard: Shard, run: Path) -> list[str]:
    """What a shard takes to be asked all that these others were, by the commands that asked them, in their order. What
    must not be written down is not in them: it says so where it was.
    """
    invocations = sorted(
        (invocation for one in like for invocation in one.manifest.invocations), key=lambda one: one.begin
    )
    found = dict.fromkeys(_for(invocation.command, shard, run) for invocation in invocations if invocation.command)
    return list(found) or [f"selfexec run [as the others] --shard {shard} --out {shlex.quote(str(run))}"]


def _for(command: str, shard: Shard, run: Path) -> str:
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


def _moved(run: Path, folder: Path) -> str:
    """The command that moves a folder out of the shards, beside the run."""
    return shlex.join(["mv", str(folder), str(run.parent / f"{run.name}-{folder.name}")])


def _most_frequent(numbers: Iterable[int]) -> int:
    [(number, _)] = Counter(numbers).most_common(1)
    return number


def _ranges(numbers: Sequence[int]) -> str:
    """0,3-5,7, as job arrays have it."""
    found: list[list[int]] = []
    for n in numbers:
        if found and n == found[-1][-1] + 1:
            found[-1] = [found[-1][0], n]
        else:
            found.append([n])
    return ",".join("-".join(map(str, ends)) for ends in found)
