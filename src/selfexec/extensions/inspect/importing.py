"""Logs of our tasks as a run: every reply with what is known of it, the items, the prompts and the settings."""

import hashlib
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from selfexec.engines import kept_setting
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Key
from selfexec.extensions.inspect.carried import made_again, narrowed
from selfexec.extensions.inspect.reading import TaskLog, logs_in, read_log
from selfexec.files import jsonl
from selfexec.items import ItemSet, fixed_order
from selfexec.prompts import prompt_hashes
from selfexec.runs import Files, Reply, Run, files, invocations, load
from selfexec.runs.arguments import tells_wrong_names
from selfexec.runs.design import Design, folded, joined
from selfexec.runs.folder import SIMULATED, Manifest, check_fit, create, refuse_taken
from selfexec.runs.invocations import Invocation
from selfexec.runs.judgements import JUDGEMENTS
from selfexec.version import __version__


@tells_wrong_names("an import", paths="logs")
def import_task_logs(logs: Files, *, out: str | Path) -> Run:
    """A run made of logs of Inspect AI, of the tasks `selfexec/...`: every reply with what is known of it, items,
    prompts and settings. Several models and experiments come together in one run.

      logs  .eval or .json files, or folders of them
      out   the run's folder; it must be new, and appears whole or not at all

    InputError: a log is none of these tasks', is damaged or cut off, or contradicts another. What is odd and can be
    used all the same, as an evaluation that was cancelled, comes as a warning.
    """
    found, odd = run_of_logs(files(logs), Path(out))
    for text in odd:
        warnings.warn(text, stacklevel=3)  # of the caller, beyond what refuses wrong names
    return found


def run_of_logs(paths: Sequence[Path], out: Path) -> tuple[Run, list[str]]:
    """A run made of logs, and warnings. The folder appears whole or not at all.

    InputError: a log is none of our tasks', is damaged, or contradicts another.
    """
    refuse_taken(out)
    logs = [read_log(path) for path in dict.fromkeys(logs_in(paths))]
    item_set = _items(logs)
    replies = _replies(logs)
    places = {key: f"{log.path}" for log in logs for key in log.replies}
    check_fit(replies, item_set, places.__getitem__)
    prompts = _agreed("the prompt", [(log, log.of.prompts) for log in logs])
    exported = made_again([log.of.run for log in logs], logs[0].of.logs, item_set)
    sources = {log.path.name: hashlib.sha256(jsonl.file_bytes(log.path)).hexdigest() for log in logs}
    manifest = msgspec.structs.replace(exported or _manifest(logs, item_set, prompts), sources=sources)
    create(out, manifest, item_set, replies.values(), prompts or None)
    if judged := dict.fromkeys(msgspec.json.encode(one) for log in logs for one in log.judgements):
        jsonl.write(out / JUDGEMENTS, judged)
    return load(out), [said for log in logs for said in log.warnings]


def _manifest(logs: Sequence[TaskLog], item_set: ItemSet, prompts: Mapping[str, str]) -> Manifest:
    """What logs tell of the run that they make together, `sources` left out."""
    carried = [narrowed(log.of.run, [log.model], [log.of.experiment]) for log in logs if log.of.run]
    own_settings = [(log, log.of.run.own_settings) for log in logs if log.of.run]
    return Manifest(
        selfexec=__version__,
        origin="import",
        models=list(dict.fromkeys(log.model for log in logs)),
        simulated=_simulated(logs),
        experiments=list(item_set.experiments),
        epochs=max(max(log.epochs.values()) for log in logs),
        items=item_set.hashes,
        design=folded(_design(logs), item_set),
        prompts={**{name: sha256 for one in carried for name, sha256 in one.prompts.items()}, **prompt_hashes(prompts)},
        settings={name: kept_setting(name, value) for name, value in _settings(logs).items()},
        own_settings={
            model: own
            for model, own in _agreed("what is sent to", own_settings).items()
            if any(log.model == model for log in logs)
        },
        preset=_preset(logs, item_set),
        preset_order=next((log.of.preset_order for log in logs), None),
        invocations=invocations.kept(_invocations(logs)),
        # what one log accepts is not accepted of another's replies
        accept_ends=[word for word in logs[0].of.accept_ends if all(word in log.of.accept_ends for log in logs)],
        logs=[*dict.fromkeys(log for one in carried for log in one.logs)],
    )


def _simulated(logs: Sequence[TaskLog]) -> list[str] | None:
    """The models that are simulated, as the exported run or their replies say; None where nothing tells of any of them,
    so that their names do.
    """
    told = {log.model: simulated for log in logs if (simulated := _is_simulated(log)) is not None}
    if not told:
        return None
    return [m for m in dict.fromkeys(log.model for log in logs) if told.get(m, m.startswith(SIMULATED))]


def _is_simulated(log: TaskLog) -> bool | None:
    """Whether the model of a log is simulated; None: nobody says."""
    if any(reply.simulated for reply in log.replies.values()):
        return True
    if log.of.run is None or log.of.run.simulated is None:
        return None
    return log.model in log.of.run.simulated


def _items(logs: Sequence[TaskLog]) -> ItemSet:
    """All items, in their fixed order. InputError: two logs have different ones of the same id."""
    items: dict[str, dict[str, Any]] = {}
    lines: dict[str, dict[str, bytes]] = {}
    for log in logs:
        there = lines.setdefault(log.of.experiment, {})
        for id, line in log.lines.items():
            if there.setdefault(id, line) != line:
                raise InputError(
                    f"{log.path}: the {log.of.experiment} item {id!r} is another one than in the logs before it. "
                    "Import them into two runs."
                )
            items.setdefault(log.of.experiment, {})[id] = log.items[id]
    lines = {experiment: lines[experiment] for experiment in EXPERIMENTS if experiment in lines}
    orders = {experiment: fixed_order(experiment, by_id) for experiment, by_id in lines.items()}
    names = {log.of.items for log in logs}
    return ItemSet(
        names.pop() if len(names) == 1 else "logs",
        {experiment: {id: items[experiment][id] for id in order} for experiment, order in orders.items()},
        {experiment: {id: lines[experiment][id] for id in order} for experiment, order in orders.items()},
    )


def _replies(logs: Iterable[TaskLog]) -> dict[Key, Reply]:
    """All replies. A session that two logs have differently is refused; one that failed gives way."""
    found: dict[Key, Reply] = {}
    places: dict[Key, Path] = {}
    for log in logs:
        for key, reply in log.replies.items():
            known = found.get(key)
            if known is None or known.failed:
                found[key], places[key] = reply, log.path
            elif not reply.failed and reply != known:
                raise InputError(
                    f"{log.path}: {key} was already given, with another reply, in {places[key]}. Import one of the two."
                )
    return found


def _agreed(what: str, given: Iterable[tuple[TaskLog, Mapping[str, Any]]]) -> dict[str, Any]:
    """What several logs say, name by name. InputError where they contradict each other."""
    found: dict[str, Any] = {}
    for log, values in given:
        for name, value in values.items():
            if found.setdefault(name, value) != value:
                raise InputError(f"{log.path}: {what} {name} is another one than in the logs before. Make two runs.")
    return found


def _settings(logs: Sequence[TaskLog]) -> dict[str, Any]:
    """Those that all logs have are the run's; others are an experiment's. InputError where not even that is so."""
    first = logs[0].settings
    common = [name for name in first if all(log.settings.get(name) == first[name] for log in logs)]
    scoped = []
    for log in logs:
        others = {name: value for name, value in log.settings.items() if name not in common}
        own = {(name if "." in name else f"{log.of.experiment}.{name}"): value for name, value in others.items()}
        scoped.append((log, own))
    for one, settings in scoped:
        for other, others in scoped:
            if one.of.experiment == other.of.experiment and settings != others:
                differ = sorted(n for n in {**settings, **others} if settings.get(n) != others.get(n))
                raise InputError(
                    f"{other.path}: {other.of.experiment} was asked with other settings than in {one.path} "
                    f"({', '.join(differ)}). Make two runs."
                )
    return {**{name: first[name] for name in common}, **_agreed("the setting", scoped)}


def _design(logs: Iterable[TaskLog]) -> Design:
    """What was asked: every item of a log, in as many epochs as it is there."""
    found: Design = {}
    for log in logs:
        found = joined(found, {(log.model, log.of.experiment, log.condition): log.epochs})
    return found


def _invocations(logs: Iterable[TaskLog]) -> list[Invocation]:
    """The commands that asked, each once: of a run that was exported its own."""
    found: list[Invocation] = []
    for log in logs:
        found += [one for one in log.of.invocations or [log.invocation] if one not in found]
    return sorted(found, key=lambda invocation: invocation.begin)


def _preset(logs: Sequence[TaskLog], item_set: ItemSet) -> str | None:
    """The name of the cut, where all logs are of it and all of its items are here."""
    presets = {log.of.preset for log in logs}
    whole = all(item_set.hashes[log.of.experiment] == log.of.items_sha256 for log in logs)
    return presets.pop() if len(presets) == 1 and whole else None
