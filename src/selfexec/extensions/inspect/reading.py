"""Logs of our tasks, read with suspicion: a log is somebody else's file. What is wrong with it is said by name."""

import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Experiment, Item, Key
from selfexec.extensions.inspect.engine import EXTRA
from selfexec.extensions.inspect.engine.results import settings_of
from selfexec.extensions.inspect.records import ITEM, JUDGEMENTS, LOG_OF, REPLIES, LogOf, our_name, subject
from selfexec.extensions.inspect.recovering import replies_in_events
from selfexec.facets import Condition, facets_of
from selfexec.renamed import with_new_names
from selfexec.runs import Reply
from selfexec.runs.invocations import Invocation
from selfexec.runs.judgements import Judgement
from selfexec.text.numbers import number_of

Line = TypeVar("Line", Reply, Judgement)

MOST_BYTES = 2_000_000_000  # of a log, packed or not
MOST_SAMPLES = 1_000_000
OURS_ONLY = "Only logs of the tasks of selfexec (`inspect eval selfexec/...`) hold the sessions that a run is made of."
UNUSED = {"events", "messages", "output", "attachments", "events_data", "timelines", "scores"}


@dataclass(frozen=True)
class TaskLog:
    """One log: what it is of, whose claims it holds, and what came of each item. `epochs` counts, by item, in how many
    epochs it was asked; `lines` are those of the item file.
    """

    path: Path
    of: LogOf
    model: str
    settings: Mapping[str, Any]
    invocation: Invocation
    replies: Mapping[Key, Reply]
    items: Mapping[str, Item]
    lines: Mapping[str, bytes]
    epochs: Mapping[str, int]
    judgements: Sequence[Judgement] = ()
    warnings: tuple[str, ...] = ()

    @property
    def experiment(self) -> Experiment:
        return EXPERIMENTS[self.of.experiment]

    @property
    def condition(self) -> Condition:
        return facets_of(self.of.condition)


def read_log(path: Path) -> TaskLog:
    """A log of one of our tasks. InputError: it is none, or it cannot be trusted."""
    _refuse_unreadable(path)
    log = _decoded(path)
    of = _log_of(path, log)
    roles = {role: our_name(_model(config)) for role, config in (log.eval.model_roles or {}).items()}
    model = of.model or subject(our_name(log.eval.model), roles)
    replies: dict[Key, Reply] = {}
    items: dict[str, Item] = {}
    lines: dict[str, bytes] = {}
    epochs: dict[str, int] = {}
    judgements: list[Judgement] = []
    failed: Counter[str] = Counter()
    for encoded in of.further_items:
        further = _item_in(path, of, encoded, "its header")
        items[further.id], lines[further.id] = further, encoded.encode()
    for sample in log.samples:
        id = str(sample.id)
        line, item = _item(path, of, sample)
        if lines.setdefault(id, line) != line:
            raise InputError(f"{path}: sample {id!r} has another item in epoch {sample.epoch}. Read a whole log.")
        items[id] = item
        epochs[id] = max(epochs.get(id, 0), sample.epoch)
        if REPLIES in sample.store or path.suffix != ".eval":
            found = _replies(path, of, model, sample)
        else:
            found = replies_in_events(path, model, of.experiment, facets_of(of.condition), sample)
        replies |= {reply.key: reply for reply in found}
        judgements += _kept(path, sample, JUDGEMENTS, Judgement)
        if sample.error is not None:
            failed[str(sample.error.message).split("\n")[0][:200]] += 1
    return TaskLog(
        path,
        of,
        model,
        {**_settings(log), **of.settings},
        _invocation(log, of, len(replies)),
        replies,
        items,
        lines,
        epochs,
        judgements,
        tuple(_oddities(path, log, failed)),
    )


def _refuse_unreadable(path: Path) -> None:
    """Raise InputError for what is no file, or would be more than a machine bears."""
    if not path.is_file():
        raise InputError(f"{path}: there is no such file. Give a log that `inspect eval` wrote, .eval or .json.")
    size = path.stat().st_size
    if path.suffix == ".eval":
        try:
            with zipfile.ZipFile(path) as packed:
                parts = packed.infolist()
        except (zipfile.BadZipFile, OSError, ValueError):
            raise InputError(
                f"{path}: the log is cut off, or none. If its evaluation was killed: inspect log recover {path}"
            ) from None
        size = max(size, sum(part.file_size for part in parts))
        if len(parts) > MOST_SAMPLES:
            raise InputError(f"{path}: it has {len(parts):,} parts. Is this a log?")
    if size > MOST_BYTES:
        raise InputError(f"{path}: unpacked it has more than {MOST_BYTES:,} bytes. Give it in parts.")


def _decoded(path: Path) -> Any:
    """The log, without what is of no use here. Whatever Inspect makes of a damaged one is said in a line."""
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        raise InputError(f"{path}: {EXTRA}") from None
    try:
        log = read_eval_log(str(path), exclude_fields=UNUSED)
    except MemoryError:
        raise
    except (Exception, RecursionError) as fault:
        said = " ".join(str(fault).split()).partition(" For further information")[0][:200]
        raise InputError(
            f"{path}: Inspect cannot read it ({type(fault).__name__}: {said}). Is the log whole? If its evaluation was "
            f"killed: inspect log recover {path}"
        ) from None
    if not log.samples:
        way_out = f"inspect log recover {path}" if log.status == "started" else "run it without --no-log-samples"
        raise InputError(f"{path}: the log has no samples. If its evaluation had any: {way_out}")
    return log


def _log_of(path: Path, log: Any) -> LogOf:
    if LOG_OF not in (log.eval.metadata or {}):
        raise InputError(f"{path}: this is a log of the task {log.eval.task!r}. {OURS_ONLY}")
    try:
        of = msgspec.convert(with_new_names(log.eval.metadata[LOG_OF]), LogOf)
    except msgspec.ValidationError as fault:
        raise InputError(f"{path}: what it says of itself is damaged ({fault}). Read a whole log.") from None
    if of.experiment not in EXPERIMENTS:
        known = ", ".join(EXPERIMENTS)
        raise InputError(
            f"{path}: it is of the experiment {of.experiment!r}, and there are {known}. Is the package installed that "
            "it comes from?"
        )
    return of


def _model(config: Any) -> str:
    """Of a role that several models have, the first, which is the one that is asked."""
    return str((config[0] if isinstance(config, list) else config).model)


def _item(path: Path, of: LogOf, sample: Any) -> tuple[bytes, Item]:
    line = sample.metadata.get(ITEM)
    item = _item_in(path, of, line, f"sample {sample.id!r}")
    if item.id != str(sample.id):
        raise InputError(f"{path}: sample {sample.id!r} holds the item {item.id!r}. Read a whole log.")
    return line.encode(), item


def _item_in(path: Path, of: LogOf, line: Any, place: str) -> Item:
    """The item of a line of the item file, which stands in this place of a log."""
    try:
        item: Item = msgspec.json.decode(line.encode(), type=EXPERIMENTS[of.experiment].item_type)
    except (AttributeError, UnicodeEncodeError, msgspec.DecodeError) as fault:
        raise InputError(f"{path}: {place} has no item of {of.experiment} ({fault}). {OURS_ONLY}") from None
    if "\n" in line:
        raise InputError(f"{path}: {place} holds the item {item.id!r} on several lines. Read a whole log.")
    return item


def _replies(path: Path, of: LogOf, model: str, sample: Any) -> Iterator[Reply]:
    """The replies of a sample, which must be its own."""
    for reply in _kept(path, sample, REPLIES, Reply):
        place = (reply.model, reply.experiment, reply.item, reply.epoch)
        if place != (model, of.experiment, str(sample.id), sample.epoch):
            raise InputError(
                f"{path}: sample {sample.id!r}, epoch {sample.epoch}, of {model} holds a reply of {reply.key}. Was the "
                "log put together by hand?"
            )
        yield reply


def _kept(path: Path, sample: Any, name: str, kind: type[Line]) -> list[Line]:
    """Lines of ours in the store of a sample."""
    try:
        return msgspec.convert(sample.store.get(name, []), list[kind])  # type: ignore[valid-type]
    except msgspec.ValidationError as fault:
        raise InputError(f"{path}: sample {sample.id!r}: its {name} are damaged ({fault}). Read a whole log.") from None


def _settings(log: Any) -> dict[str, Any]:
    """What Inspect was told to send with every session, by the names that a run has for it."""
    config = {**log.eval.model_generate_config.model_dump(), **_known(log.plan.config.model_dump())}
    found = settings_of(config)
    if "system_message" in found:
        found["system"] = found.pop("system_message")
    if args := log.eval.model_args:
        found |= {f"model_args.{name}": value for name, value in args.items()}
    return found


def _known(config: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in config.items() if value is not None}


def _invocation(log: Any, of: LogOf, calls: int) -> Invocation:
    versions = {"selfexec": of.version, **{name: str(v) for name, v in log.eval.packages.items() if name != "selfexec"}}
    begin, end = log.stats.started_at or log.eval.created, log.stats.completed_at
    return Invocation(
        begin=str(begin),
        end=str(end) if end else None,
        calls=calls,
        command=f"inspect eval {log.eval.task} --model {log.eval.model}",
        versions=versions,
    )


def _oddities(path: Path, log: Any, failed: Counter[str]) -> Iterator[str]:
    planned = len(log.eval.dataset.sample_ids or ()) * (log.eval.config.epochs or 1)
    if log.status != "success" or planned > len(log.samples):
        what = {"started": "was cut off, or still runs", "cancelled": "was cancelled", "error": "ended in an error"}
        ended = what.get(log.status, "has samples missing")
        recover = f"; inspect log recover {path} may bring more" if log.status == "started" else ""
        yield f"{path}: the evaluation {ended}: {len(log.samples):,} of {planned:,} samples are in it{recover}"
    if failed:
        [(said, _)] = failed.most_common(1)
        number = number_of(failed.total(), "sample")
        yield f"{path}: {number} ended in an error ({said}); of their sessions those are here that came before"
    if any(sample.invalidation is not None for sample in log.samples):
        yield f"{path}: some of its samples were marked as invalid, and are here all the same"


def logs_in(paths: Iterable[Path]) -> Iterator[Path]:
    """The logs that are given, and those in folders."""
    for path in paths:
        if path.is_dir():
            found = sorted(path.rglob("*.eval"))
            if not found:
                raise InputError(f"{path}: no .eval file is in this folder. Give the log, or its folder.")
            yield from found
        else:
            yield path
