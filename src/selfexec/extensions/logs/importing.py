"""From logs to a run in which all has been done, and only predictions are to be asked."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Key
from selfexec.extensions.logs.experiments.base import OnLog
from selfexec.extensions.logs.log import Log
from selfexec.extensions.logs.samples import Logged, Sample, Unfit
from selfexec.extensions.logs.tools import TOOLS
from selfexec.items import ItemSet, fixed_order
from selfexec.items import load as load_items
from selfexec.runs import Files, Journal, Names, Reply, Run, files, load, names, stored_replies
from selfexec.runs.arguments import tells_wrong_names
from selfexec.runs.design import folded, unfolded
from selfexec.runs.folder import (
    ITEMS,
    LOGS,
    REPLIES,
    Manifest,
    create,
    grow_items,
    load_manifest,
    of_logs,
    refuse_harmful_names,
    refuse_taken,
    write_manifest,
)
from selfexec.runs.folder import ImportedLog as Kept
from selfexec.text.numbers import number_of
from selfexec.version import __version__

ALREADY = "here already"
LEFT_OVER = "left over from groups of {}"


@dataclass(frozen=True)
class ImportedLogs:
    """The run, what was used of each log, and what is to be known of the logs besides."""

    run: Run
    logs: Sequence[Kept]
    warnings: Sequence[str] = ()


@dataclass(frozen=True)
class _Usable:
    """The samples of a log that an experiment can use: what of an item each makes, and the attempts at it in their
    order, by its id.
    """

    log: Log
    model: str
    score: str | None
    parts: Mapping[str, Sample]
    attempts: Mapping[str, Sequence[Logged]]


@tells_wrong_names("an import")
def import_logs(
    logs: Files, *, tool: str, experiment: str, out: str | Path, score: Names | None = (), model: str | None = None
) -> ImportedLogs:
    """Finished logs as a run: what models did is there, `sx.run(out=...)` asks for their predictions alone.

      logs         a log, a folder of logs, or several
      tool         whose logs they are: `lm-eval`, `inspect`
      experiment   what is to be predicted: `correctness`, `refusal`, `choice` or `length`
      out          the run's folder: a new one, or one that holds logs already and takes these in, too
      score        which of a log's scores says what is right, where it has several: the first of these names that it
                   has. A log that has none of them is left out, and its samples are counted by that reason
      model        what the model is to be called, as it can be asked: `provider/model`; else as the log calls it

    InputError: a file is no log, a log has several scores and none was chosen, or nothing in the logs can be used.
    """
    out = Path(out)
    asked = _experiment(experiment)
    if tool not in TOOLS:
        raise InputError(f"--from {tool}: logs of {', '.join(TOOLS)} can be read. Give one of these.")
    wanted = names(score or ())
    if wanted and not asked.scored:
        raise InputError(f"--score {wanted[0]}: {experiment} goes by no score of the log. Leave it out.")
    before = of_logs(out)
    if before is None:
        refuse_taken(out)
    with ExitStack() as opened:
        journal = opened.enter_context(Journal(out / REPLIES)) if before else None
        known = stored_replies(out) if before else {}
        there = load_items(out / ITEMS).items.get(experiment, {}) if before else {}
        found = [TOOLS[tool].read(path) for path in _files(logs, tool)]
        whose = sorted({log.model for log in found if log.model})
        if model and len(whose) > 1:
            raise InputError(
                f"--model {model}: these logs are of several models ({', '.join(whose)}). Import those of each apart."
            )
        if before:
            _refuse_renamed(found, before, model, out)
        new = _New(asked, there, known)
        usable = [new.usable(log, model, wanted) for log in found]
        replies = new.replies(usable)
        if not replies:
            raise new.unscored[0] if len(new.unscored) == len(found) else InputError(_nothing(found, out))
        kept = [_kept(one, asked) for one in usable]
        refuse_harmful_names({reply.model for reply in replies}, way_out="Give another one: --model PROVIDER/MODEL.")
        item_set = _as_set(experiment, new.items)
        if before and journal:
            _grow(out, item_set, replies, kept, journal)
        else:
            create(out, _with(_blank(), item_set, kept), item_set, replies)
    return ImportedLogs(load(out), kept, [f"{log.file}: {note}." for log in found for note in log.notes])


def _refuse_renamed(logs: Sequence[Log], manifest: Manifest, model: str | None, out: Path) -> None:
    """Raise InputError where a log is in the run already, under another name of its model: it would be two models."""
    models = {log.sha256: log.model for log in manifest.logs}
    for log in logs:
        before, now = models.get(log.sha256), model or log.model
        if before is not None and now is not None and before != now:
            raise InputError(
                f"{log.file}: {out} has this log already, as one of {before}, and a model keeps its name. To call it "
                f"{now}, import all of its logs into a new folder: --model {now} --out NEW"
            )


def _experiment(name: str) -> OnLog:
    takers = {name: experiment for name, experiment in EXPERIMENTS.items() if isinstance(experiment, OnLog)}
    if name not in takers:
        raise InputError(f"--as {name}: a log can become {', '.join(takers)}. Give one of these.")
    return takers[name]


def _files(logs: Files, tool: str) -> list[Path]:
    """Each log that is meant; a folder stands for those in it."""
    found: list[Path] = []
    for path in files(logs):
        inside = TOOLS[tool].files_in(path) if path.is_dir() else [path]
        if not inside:
            raise InputError(f"{path}: no log of {tool} is in this folder. Give the files, or the folder they are in.")
        found += inside
    if not found:
        raise InputError("which log? Give a file, or a folder of logs.")
    return list(dict.fromkeys(found))


class _New:
    """What logs bring to a run: items that it does not have yet, and replies."""

    def __init__(
        self,
        experiment: OnLog,
        there: Mapping[str, Any],
        known: Mapping[Key, Reply],
    ) -> None:
        self.experiment = experiment
        self.items: dict[str, Any] = dict(there)
        # which item a sample is part of
        self._item_of = {part.id: id for id, item in there.items() for part in experiment.parts(item)}
        mine = [key for key in known if key.experiment == experiment.name and key.session_kind in experiment.recorded]
        self._epochs = Counter[tuple[str, str]]()
        for key in mine:
            place = key.model, key.item
            self._epochs[place] = max(self._epochs[place], key.epoch)
        self._places = {(key.model, known[key].completion_id) for key in mine}
        self.unscored: list[_Unscored] = []

    def usable(self, log: Log, model: str | None, wanted: Sequence[str]) -> _Usable:
        name = model or log.model
        if name is None:
            raise InputError(
                f"{log.file}: it does not name its model (and there is no results file next to it). Name it: --model "
                "provider/model, as it can be asked."
            )
        chosen = None
        if self.experiment.scored and log.samples:
            try:
                chosen = _score(log, wanted)
            except _Unscored as fault:
                log.left_out[fault.reason] += len(log.samples)
                self.unscored.append(fault)
                return _Usable(log, name, None, {}, {})
        parts: dict[str, Sample] = {}
        attempts: dict[str, list[Logged]] = defaultdict(list)
        for sample in sorted(log.samples, key=lambda one: one.epoch):
            part = self._part(sample, chosen)
            if isinstance(part, Unfit):
                log.left_out[part.reason] += 1
            elif (name, sample.place) in self._places:
                log.left_out[ALREADY] += 1
            else:
                parts.setdefault(part.id, part)
                attempts[part.id].append(sample)
        return _Usable(log, name, chosen, parts, attempts)

    def _part(self, sample: Logged, score: str | None) -> Sample | Unfit:
        if sample.turns is not None and not self.experiment.turns:
            return Unfit(sample.turns)
        return self.experiment.sample(sample, score)

    def replies(self, logs: Sequence[_Usable]) -> list[Reply]:
        """What the logs tell of each session; items that are new are made on the way."""
        self._make_items(logs)
        return [reply for one in logs for reply in self._of_log(one)]

    def _make_items(self, logs: Sequence[_Usable]) -> None:
        """Samples that are in no item yet become some, by tasks, those first that most of the logs have; what fills
        none is left.
        """
        new = {id: part for one in logs for id, part in one.parts.items() if id not in self._item_of}
        had = Counter(id for one in logs for id in one.parts)
        by_task: dict[str, list[Sample]] = defaultdict(list)
        for part in sorted(new.values(), key=lambda part: (part.task, -had[part.id], part.id)):
            by_task[part.task].append(part)
        for parts in by_task.values():
            for at in range(0, len(parts) - self.experiment.many + 1, self.experiment.many):
                item = self.experiment.item_of(parts[at : at + self.experiment.many])
                self.items[item.id] = item
                self._item_of |= {part.id: item.id for part in self.experiment.parts(item)}

    def _of_log(self, one: _Usable) -> Iterable[Reply]:
        """An attempt at an item takes one at each of its samples."""
        used: Counter[str] = Counter()
        for id in dict.fromkeys(self._item_of[part] for part in one.parts if part in self._item_of):
            attempts = [one.attempts.get(part.id, ()) for part in self.experiment.parts(self.items[id])]
            for together in zip(*attempts, strict=False):
                used.update(part.id for part in self.experiment.parts(self.items[id]))
                self._epochs[one.model, id] += 1
                epoch = self._epochs[one.model, id]
                for session, told in self.experiment.replies(together, one.score).items():
                    key = Key(one.model, self.experiment.name, id, epoch, session)
                    yield Reply(**key.fields(), **msgspec.structs.asdict(told), completion_id=_place(session, together))
        if left := sum(map(len, one.attempts.values())) - used.total():
            one.log.left_out[LEFT_OVER.format(self.experiment.many)] += left


def _place(session: str, samples: Sequence[Logged]) -> str:
    """Where a reply stands: `execute.Q2` is of the second sample."""
    number = session.partition(".")[2].lstrip("Q")
    return samples[int(number) - 1 if number else 0].place


class _Unscored(InputError):
    """A log that has no score that is meant; `reason` says so in the few words that its samples are counted by."""

    def __init__(self, log: Log, message: str, reason: str) -> None:
        super().__init__(f"{log.file}: {message}")
        self.reason = reason


def _score(log: Log, wanted: Sequence[str]) -> str:
    """The first of the names that the log has as a score, whole or as what is unique before a comma; without names its
    only score.

    Raises:
        _Unscored: It has none of them.
        InputError: It has several scores, and no name is given.
    """
    available = log.scores
    listed = ", ".join(available)
    if not available:
        why = log.why_no_score or f"none of its {number_of(len(log.samples), 'sample')} has a score. Score it first."
        raise _Unscored(log, why, log.unscored)
    if not wanted:
        if len(available) == 1:
            return available[0]
        raise InputError(f"{log.file}: it has several scores. Choose one of them with --score: {listed}")
    ambiguous = []
    for name in wanted:
        matching = [one for one in available if one == name] or [
            one for one in available if one.partition(",")[0] == name
        ]
        if len(matching) == 1:
            return matching[0]
        if matching:
            ambiguous.append(name)
    what = "several scores of this name" if ambiguous else "no such score"
    name = ambiguous[0] if ambiguous else ", ".join(wanted)
    reason = f"with several scores that are called {name}" if ambiguous else "without a score that --score names"
    raise _Unscored(log, f"--score {name}: it has {what}. There are {listed}", f"{reason} (there are {listed})")


def _kept(one: _Usable, experiment: OnLog) -> Kept:
    left_out = dict(sorted(one.log.left_out.items()))
    all_ = sum(map(len, one.attempts.values()))
    left = one.log.left_out.get(LEFT_OVER.format(experiment.many), 0)
    return Kept(
        file=one.log.file.name,
        sha256=one.log.sha256,
        tool=one.log.tool,
        model=one.model,
        tasks=sorted({sample.task for sample in one.log.samples}),
        experiment=experiment.name,
        score=one.score,
        used=all_ - left,
        left_out=left_out,
    )


def _nothing(logs: Sequence[Log], out: Path) -> str:
    """Why no reply came of any log."""
    reasons = sum((log.left_out for log in logs), Counter[str]())
    which = str(logs[0].file) if len(logs) == 1 else f"{logs[0].file} and {len(logs) - 1} more"
    if set(reasons) == {ALREADY}:
        return f"{which}: {out} has all of it already. Nothing was changed."
    said = "; ".join(f"{n:,} {reason}" for reason, n in reasons.most_common()) or "it is empty"
    return f"{which}: none of its samples can be used here ({said}). Nothing was changed. Try another log, or --as."


def _as_set(experiment: str, items: Mapping[str, Any]) -> ItemSet:
    lines = {id: msgspec.json.encode(item) for id, item in items.items()}
    order = fixed_order(experiment, lines)
    return ItemSet("logs", {experiment: {id: items[id] for id in order}}, {experiment: {id: lines[id] for id in order}})


def _blank() -> Manifest:
    return Manifest(selfexec=__version__, origin=LOGS, models=[], experiments=[], epochs=1, items={}, design=[])


def _grow(out: Path, items: ItemSet, replies: Sequence[Reply], logs: Sequence[Kept], journal: Journal) -> None:
    """Take more into a run. What was asked is named first, so that "all that the run has" comes to mean no more."""
    manifest, before = load_manifest(out), load_items(out / ITEMS)
    design, planned = (unfolded(blocks or (), before) for blocks in (manifest.design, manifest.planned))
    named = {"design": folded(design, None), "planned": folded(planned, None)}
    manifest = msgspec.structs.replace(manifest, **named)
    write_manifest(out, manifest)
    grown = grow_items(out / ITEMS, items)
    for reply in replies:
        journal.append(reply)
    write_manifest(out, _with(manifest, grown, logs))


def _with(manifest: Manifest, items: ItemSet, logs: Sequence[Kept]) -> Manifest:
    used = [log for log in logs if log.used]
    return msgspec.structs.replace(
        manifest,
        models=list(dict.fromkeys([*manifest.models, *(log.model for log in used)])),
        experiments=list(items.experiments),
        items=items.hashes,
        logs=[*manifest.logs, *used],
    )
