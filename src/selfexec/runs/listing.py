"""The runs in a folder: what each holds, how much of it is there and how much is not. No reply is read for it."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Injection, JobKey, Key, Token
from selfexec.facets import Condition, in_condition
from selfexec.files import jsonl
from selfexec.items import ItemSet
from selfexec.runs.design import Block, asked, unfolded
from selfexec.runs.ends import is_accepted
from selfexec.runs.folder import ITEMS, LOST, MANIFEST, REPLIES, Manifest, check_fit, items_of_run, load_manifest
from selfexec.runs.replay import FORCED, ReplayedItem, forcing, prompts_of
from selfexec.runs.reply import OfSession
from selfexec.runs.requests import out_with_batches
from selfexec.runs.share import has_shards, shard_folders
from selfexec.text.numbers import number_of, size_of
from selfexec.text.printable import command_line, harmless_line
from selfexec.text.tables import as_html, as_text, beginning

COLUMNS = ("run", "models", "items", "replies", "missing", "last reply", "size")
NAMES_SHOWN = 3


@dataclass(frozen=True)
class Listed:
    """A run as it stands in a list; of one that cannot be read, `fault` says why.

    `missing` counts the sessions from which nothing that counts has come, whether they were opened or not: of all that
    the manifest names, or, where the replies were imported, of all items of the experiments that a model has replies
    of. A session that the replies before it make needless is not missing. `out` are those of the missing that are
    out with a batch. `last` is when the last reply came. Of a run whose shards are not joined, `shards` says how many
    of them are there; of one that is a shard itself, which.
    """

    folder: Path
    origin: str = ""
    models: Sequence[str] = ()
    items: Mapping[str, int] = field(default_factory=dict)
    epochs: int = 0
    replies: int = 0
    missing: int = 0
    out: int = 0
    last: str | None = None
    size: int = 0
    fault: str | None = None
    shards: str | None = None


@dataclass(frozen=True)
class Listing:
    """The runs of a folder, the one with the latest reply first."""

    folder: Path
    runs: Sequence[Listed]

    def __iter__(self) -> Iterator[Listed]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    def table(self, width: int = 120, *, styled: bool = False) -> str:
        title = f"Runs in {harmless_line(str(self.folder))}"
        return as_text(title, COLUMNS, list(map(_row, self.runs)), width, styled=styled)

    def json(self) -> str:
        rows = [
            {
                "run": run.folder.name,
                "folder": str(run.folder),
                "origin": run.origin or None,
                "models": run.models,
                "items": run.items,
                "epochs": run.epochs,
                "replies": run.replies,
                "missing": run.missing,
                "out": run.out,
                "last_reply": run.last,
                "bytes": run.size,
                "fault": run.fault,
                "shards": run.shards,
            }
            for run in self.runs
        ]
        return msgspec.json.format(msgspec.json.encode({"folder": str(self.folder), "runs": rows}), indent=2).decode()

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return beginning(str(self))

    def _repr_html_(self) -> str:
        return as_html(f"Runs in {self.folder}", COLUMNS, list(map(_row, self.runs)))


def list_runs(folder: str | Path = "runs") -> Listing:
    """The runs that lie in a folder, or the one run that it is. Folders that are no run are passed over."""
    folder = Path(folder)
    found = [listed(place) for place in run_folders(folder)]
    return Listing(folder, sorted(found, key=lambda run: run.last or "", reverse=True))


def run_folders(folder: Path) -> list[Path]:
    """The folders of runs in a folder, by name; or the folder itself, where it is one; or its shards, where these are
    not joined yet.
    """
    if not folder.exists():
        raise InputError(f"{folder}: no such folder. Give `selfexec list` the folder that your runs are in")
    if not folder.is_dir():
        raise InputError(f"{folder}: this is a file. Give `selfexec list` the folder that your runs are in")
    if _is_run(folder):
        return [folder]
    if has_shards(folder):
        return [place for place in shard_folders(folder) if _is_run(place)]
    try:
        return sorted(place for place in folder.iterdir() if _is_run(place) or _runs_among_shards(place))
    except OSError as fault:
        raise InputError(f"{folder}: cannot be read ({fault.strerror}). Give another folder.") from None


def _is_run(place: Path) -> bool:
    """Whether a run is here, or what is left of one."""
    try:
        return (place / MANIFEST).is_file() or ((place / REPLIES).is_file() and (place / ITEMS).is_dir())
    except OSError:
        return False  # nobody may look into it


def _runs_among_shards(folder: Path) -> list[Path]:
    """The shards of a run, as far as they are there."""
    try:
        return [place for place in shard_folders(folder) if (place / MANIFEST).is_file()]
    except OSError:
        return []


def listed(folder: Path) -> Listed:
    try:
        manifest, parts, shards = _laid_out(folder)
        item_set = items_of_run(parts[0])
        there: dict[JobKey, dict[Key, _Line]] = {}
        for part in parts:
            there |= _there(part / REPLIES, manifest.accept_ends)
        sessions = {key._replace(model="", epoch=1) for lines in there.values() for key in lines}
        check_fit(sessions, item_set, lambda _: str(folder / REPLIES), LOST)
        wanted = _wanted(manifest, item_set, there)
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    except InputError as fault:
        return Listed(folder, fault=str(fault))
    except msgspec.MsgspecError as fault:
        return Listed(folder, fault=f"{folder / REPLIES}: a text is none ({fault}).")
    except OSError as fault:
        return Listed(folder, fault=f"{fault.filename or folder}: cannot be read ({fault.strerror}).")
    times = [line.time for by_session in there.values() for line in by_session.values() if line.time]
    done = sum(not line.failed for by_session in there.values() for line in by_session.values())
    return Listed(
        folder,
        manifest.origin,
        manifest.models,
        {experiment: len(by_id) for experiment, by_id in item_set.items.items()},
        manifest.epochs,
        done,
        wanted - sum(not line.failed for by_session in _asked_for(there).values() for line in by_session.values()),
        out_with_batches(folder, {key for lines in there.values() for key, line in lines.items() if not line.failed}),
        max(times, default=None) or _changed(parts[0] / REPLIES),
        size,
        shards=shards,
    )


def _laid_out(folder: Path) -> tuple[Manifest, Sequence[Path], str | None]:
    """The manifest of a run, the folders in which its replies lie, and what is to be said of shards: of one that is not
    joined yet, the manifest is what it will have then.
    """
    shards = [] if _is_run(folder) else _runs_among_shards(folder)
    if not shards:
        manifest = load_manifest(folder)
        part = manifest.shard
        return manifest, [folder], f"shard {part.index}/{part.of}" if part else None
    first, *others = map(load_manifest, shards)
    if first.shard is None:
        raise InputError(
            f"{shards[0]}: this run is no shard. Move it away: {command_line('merge {}', folder)} says where."
        )
    whole = msgspec.structs.replace(
        first,
        models=list(dict.fromkeys(model for one in (first, *others) for model in one.models)),
        design=first.shard.design,
        planned=first.shard.planned,
        accept_ends=list(dict.fromkeys(word for one in (first, *others) for word in one.accept_ends)),
        shard=None,
    )
    return whole, shards, f"{len(shards)} of {number_of(first.shard.of, 'shard')}, not joined"


def _asked_for(there: Mapping[JobKey, Mapping[Key, "_Line"]]) -> dict[JobKey, dict[Key, "_Line"]]:
    """Without what stands in a log, which nobody has to ask for."""
    recorded = {name: experiment.recorded for name, experiment in EXPERIMENTS.items()}
    return {
        place: {key: line for key, line in lines.items() if key.session_kind not in recorded.get(place[1], ())}
        for place, lines in there.items()
    }


def _changed(path: Path) -> str:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")


# --- what is there, and what should be -------------------------------------------------------------------------------


class _Line(OfSession, frozen=True, kw_only=True):
    """What counting needs of a reply. The text stays as it is written: most of them nobody looks at."""

    text: msgspec.Raw
    error: str | None = None
    stop_reason: str | None = None
    refusal: str | None = None
    time: str | None = None
    unknown_end: str | None = None
    unknown_end_text: str | None = None
    injection: Injection | None = None
    forced: tuple[Token, ...] | None = None
    logprobs: msgspec.Raw = msgspec.Raw(b"null")

    @property
    def tokens(self) -> tuple[Token, ...] | None:
        """The tokens with their log-probabilities, where there are any."""
        return msgspec.json.decode(self.logprobs, type=tuple[Token, ...] | None)

    @property
    def ended_unknown(self) -> bool:
        return self.unknown_end is not None and (self.error is not None or bytes(self.text) == b"null")

    @property
    def withheld(self) -> bool:
        if self.unknown_end is not None:
            return bool(self.refusal) and not self.ended_unknown
        return bool(self.refusal) or self.stop_reason in ("refusal", "content_filter")

    @property
    def failed(self) -> bool:
        return (self.error is not None or bytes(self.text) == b"null") and not self.withheld

    def as_it_counts(self, accepted: Collection[str]) -> Self:
        """The line where these unknown ends are accepted."""
        if not self.ended_unknown or not is_accepted(self.unknown_end, accepted):
            return self
        text = msgspec.Raw(msgspec.json.encode(self.unknown_end_text or ""))
        return msgspec.structs.replace(self, text=text, error=None, stop_reason=self.unknown_end)


def _there(path: Path, accepted: Collection[str]) -> dict[JobKey, dict[Key, _Line]]:
    """The last line of each session, by the item that it is of, as it counts where these unknown ends are accepted."""
    found: dict[JobKey, dict[Key, _Line]] = defaultdict(dict)
    for line in jsonl.values(path, _Line):
        key = line.key
        found[key[:4]][key] = line.as_it_counts(accepted)
    return found


def _wanted(manifest: Manifest, item_set: ItemSet, every: Mapping[JobKey, Mapping[Key, _Line]]) -> int:
    """How many sessions the run has when it is whole, as far as the replies so far tell."""
    whole = 0
    doubtful: list[tuple[JobKey, Condition]] = []
    jobs: list[ReplayedItem] = []
    there = _asked_for(every)
    forcing_models = forcing(line for lines in there.values() for line in lines.values())
    for place, conditions in _asked(manifest, item_set, every).items():
        experiment, id = place[1:3]
        item, lines = item_set.items[experiment][id], there.get(place, {})
        definition = EXPERIMENTS[experiment]
        names = [Key(*place, name) for name in definition.asked_names(item)]
        keys = {in_condition(key, condition) for condition in conditions for key in names}
        if not lines or (len(lines) == len(keys) and not definition.open_ended):
            whole += len(keys)
            continue
        for condition in conditions:
            found = {key.session: line for key, line in lines.items() if key == in_condition(key, condition)}
            texts = {name: None if line.withheld else _text(line) for name, line in found.items()}
            # whatever may yet come is taken to lead on; but nobody knows how long a conversation would go on so
            otherwise = None if definition.open_ended else "?"
            forced = {name: line.forced for name, line in found.items() if line.forced is not None}
            can = FORCED if place[0] in forcing_models else frozenset()
            logprobs = {name: tokens for name, line in found.items() if (tokens := line.tokens)}
            jobs.append(
                ReplayedItem(experiment, item, definition.prompts, texts, otherwise, forced, logprobs, can, condition)
            )
            doubtful.append((place, condition))
    opened = zip(doubtful, prompts_of(jobs), strict=True)
    return whole + len({in_condition(Key(*place, name), c) for (place, c), prompts in opened for name in prompts})


def _asked(
    manifest: Manifest, item_set: ItemSet, there: Mapping[JobKey, Iterable[Key]]
) -> Mapping[JobKey, Sequence[Condition]]:
    """What the run asks, item by item, in which conditions: also of models that no reply is there of yet."""
    places: dict[JobKey, dict[Condition, None]] = defaultdict(dict)
    seen = asked(manifest.design, item_set, (key for keys in there.values() for key in keys))
    for (model, experiment, condition), by_id in seen.items():
        for id, some in by_id.items():
            for epoch in some:
                places[model, experiment, id, epoch][condition] = None
    for (model, experiment, condition), epochs in unfolded(_design(manifest), item_set).items():
        for id, n in epochs.items():
            for epoch in range(1, n + 1):
                places[model, experiment, id, epoch][condition] = None
    return {place: list(conditions) for place, conditions in places.items()}


def _design(manifest: Manifest) -> Sequence[Block]:
    """What is kept of what was to be asked; of a run that kept none, every model with every item in every epoch."""
    if manifest.design is not None or manifest.origin != "run":
        return [*(manifest.design or ()), *manifest.planned]
    return [Block(manifest.models, experiment, manifest.epochs) for experiment in manifest.experiments]


def _text(line: _Line) -> str:
    return "?" if line.failed else msgspec.json.decode(line.text, type=str)


# --- as people read it -----------------------------------------------------------------------------------------------


def _row(run: Listed) -> list[str]:
    if run.fault:
        return [harmless_line(run.folder.name), f"damaged: {harmless_line(run.fault)}", "", "", "", "", ""]
    shown = run.models if len(run.models) <= NAMES_SHOWN else run.models[: NAMES_SHOWN - 1]
    more = [f"and {len(run.models) - len(shown)} more"] if len(shown) < len(run.models) else []
    sizes = [f"{experiment} {number:,}" for experiment, number in run.items.items()]
    epochs = [f"{run.epochs} epochs"] if run.epochs > 1 else []
    return [
        "\n".join([harmless_line(run.folder.name), *([f"({run.shards})"] if run.shards else [])]),
        "\n".join([*map(harmless_line, shown), *more]),
        "\n".join([*sizes, *epochs]),
        f"{run.replies:,}",
        f"{run.missing:,}" + (f"\n{run.out:,} out" if run.out else ""),
        (run.last or "")[:16].replace("T", " "),
        size_of(run.size),
    ]
