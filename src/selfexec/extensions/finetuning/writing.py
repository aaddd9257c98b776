"""The files: a chat a line, as trainers take it, what is unseen as items that can be asked, and a manifest."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS
from selfexec.extensions.finetuning.examples import Example, Messages, Outcomes, behaviour_of, examples_of
from selfexec.extensions.finetuning.options import SftOptions
from selfexec.extensions.finetuning.sets import CROSS, OWN, Sets, training_sets
from selfexec.files.outputs import tried_folder, write_bytes
from selfexec.items import ItemSet
from selfexec.runs import Run, names, takes, with_source
from selfexec.runs.run import load_all
from selfexec.text.matching import meant
from selfexec.text.numbers import number_of
from selfexec.text.printable import command_line
from selfexec.version import __version__

MANIFEST, ITEMS, TRAIN, UNSEEN, REPLAY = "manifest.json", "items", "train", "unseen", "replay"


@dataclass(frozen=True)
class TrainingFiles:
    """What was written: the folder, what its manifest says, and by set the file of lines to train on."""

    folder: Path
    manifest: dict[str, Any]
    train: dict[str, Path]

    @property
    def unseen(self) -> Path:
        """The lines of the unseen items, with the model's own behaviour."""
        return self.folder / UNSEEN / f"{OWN}.jsonl"

    @property
    def summary(self) -> str:
        """What was written, in a sentence, and what comes next."""
        files = self.manifest["files"]
        lines = [files[f"{part}/{OWN}.jsonl"]["lines"] for part in (TRAIN, UNSEEN)]
        sets = ", ".join(path.stem for path in self.train.values())
        next_step = f"train on each, then {command_line('run --items {}', self.items)}"
        left_out = self.manifest["left_out"]
        lost = f" {number_of(left_out, 'item')} left out: no other has as many claims." if left_out else ""
        if idle := self.manifest["not_trainable"]:
            lost += f" Nothing of {', '.join(idle)}, which cannot be trained on."
        counts = f"{number_of(lines[0], 'chat')} to train on ({sets}), {number_of(lines[1], 'item')} unseen"
        return f"{self.folder}: {counts}.{lost} Next: {next_step}"

    @property
    def items(self) -> Path:
        """The unseen items, to ask trained models about."""
        return self.folder / ITEMS


@takes(SftOptions, "an export")
def export_sft(options: SftOptions) -> TrainingFiles:
    """Write chats to train a model on predictions of its own behaviour: the prompt of each prediction, and what the
    model did as the reply. Controls are written with it: the majority, shuffled outcomes, other models' behaviour.

    Args:
        run: A run of the model and of one other at least, or its folder.
        out: The folder to write, which must not be there yet, or be empty.

    Raises:
        InputError: A name is not there, there is no other model, nothing can be learnt, or the folder is taken.
    """
    [run] = load_all(options.run)
    run = with_source([run], options.source)[0] if options.source else run
    model = _model(run, options.model)
    others = _others(run, model, names(options.against))
    folder = tried_folder(Path(options.out))
    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(f"{folder}: there is something in it already. Name another folder.")
    examples = examples_of(run, model, others, names(options.experiments))
    sets = training_sets(examples, model, others, options.seed, by_family=options.split == "family")
    return _write(folder, run, model, sets, options)


def _model(run: Run, named: str | None) -> str:
    if named is None:
        if len(run.models) == 1:
            return run.models[0]
        raise InputError(f"{run.folder}: whose behaviour is to be learnt? Name a model: {', '.join(run.models)}.")
    if named not in run.models:
        raise InputError(f"{run.folder}: unknown model {named!r}. {meant(named, run.models)}")
    return named


def _others(run: Run, model: str, named: Sequence[str]) -> list[str]:
    if strange := [name for name in named if name not in run.models]:
        raise InputError(f"{run.folder}: unknown model {strange[0]!r}. {meant(strange[0], run.models)}")
    others = [name for name in named or run.models if name != model]
    if not others:
        raise InputError(
            f"{run.folder}: there is no other model than {model}, whose behaviour a control could learn. Ask one more "
            f"in this run: name it by --model to {command_line('run --out {}', run.folder)}"
        )
    return others


def _write(folder: Path, run: Run, model: str, sets: Sets, options: SftOptions) -> TrainingFiles:
    for part in (folder, folder / TRAIN, folder / UNSEEN):
        part.mkdir(parents=True, exist_ok=True)
    train: dict[str, Path] = {}
    written: dict[str, dict[str, Any]] = {}
    for name, outcomes in sets.said.items():
        train[name] = folder / TRAIN / f"{_file_name(name, train)}.jsonl"
        taught = name.removeprefix(f"{CROSS}-") if name.startswith(f"{CROSS}-") else model
        facts = {"behaviour_of": taught, "claims_like_own": round(sets.like_own(name), 4)}
        written[f"{TRAIN}/{train[name].name}"] = _lines(train[name], sets.trained, outcomes) | facts
    if replayed := behaviour_of(run, model, sets.trained):
        train[REPLAY] = folder / TRAIN / f"{REPLAY}.jsonl"
        chats = [_chat(one.example, one.prompt, one.text) for one in replayed]
        written[f"{TRAIN}/{REPLAY}.jsonl"] = _content(train[REPLAY], chats) | {"behaviour_of": model}
    unseen = folder / UNSEEN / f"{OWN}.jsonl"
    own = _lines(unseen, sets.unseen, [example.outcomes[model] for example in sets.unseen])
    written[f"{UNSEEN}/{unseen.name}"] = own | {"behaviour_of": model}
    item_set = _unseen_items(run, sets.unseen)
    item_set.write(folder / ITEMS)
    for experiment, sha256 in item_set.hashes.items():
        written[f"{ITEMS}/{experiment}.jsonl"] = {"lines": len(item_set[experiment]), "sha256": sha256}
    manifest = {
        "format": 1,
        "version": __version__,
        "run": {"folder": run.folder.resolve().name, "replies_sha256": run.replies_sha256},
        "model": model,
        "source": options.source,
        "split": options.split,
        "seed": options.seed,
        "left_out": sets.left_out,
        "not_trainable": [e for e in run.items.items if not EXPERIMENTS[e].trainable and not options.experiments],
        "families": {TRAIN: _families(sets.trained), UNSEEN: _families(sets.unseen)},
        "files": written,
    }
    write_bytes(folder / MANIFEST, (json.dumps(manifest, ensure_ascii=False, indent=1) + "\n").encode())
    return TrainingFiles(folder, manifest, train)


def _lines(path: Path, examples: Sequence[Example], outcomes: Sequence[Outcomes]) -> dict[str, Any]:
    """Write a chat for each example; how many there are, and their SHA-256."""
    return _content(path, [_chat(e, e.prompt, e.reply(said)) for e, said in zip(examples, outcomes, strict=True)])


def _content(path: Path, chats: Sequence[str]) -> dict[str, Any]:
    content = "".join(f"{chat}\n" for chat in chats).encode()
    write_bytes(path, content)
    return {"lines": len(chats), "sha256": hashlib.sha256(content).hexdigest()}


def _chat(example: Example, prompt: Messages, reply: str) -> str:
    messages = [*prompt, ("assistant", reply)]
    chat = {
        "messages": [{"role": role, "content": content} for role, content in messages],
        "experiment": example.experiment,
        "item": example.item.id,
        "family": example.family,
    }
    return json.dumps(chat, ensure_ascii=False)


def _file_name(name: str, others: dict[str, Path]) -> str:
    """A name that any system takes, and that no other file has."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:80]
    taken = {path.stem for path in others.values()}
    return next(each for n in range(len(taken) + 1) if (each := f"{plain}-{n + 1}" if n else plain) not in taken)


def _unseen_items(run: Run, unseen: Sequence[Example]) -> ItemSet:
    kept: dict[str, dict[str, Any]] = {}
    for example in unseen:
        kept.setdefault(example.experiment, {})[example.item.id] = example.item
    lines = {e: {id: run.items.lines[e][id] for id in by_id} for e, by_id in kept.items()}
    return ItemSet(run.items.name, kept, lines)


def _families(examples: Sequence[Example]) -> dict[str, list[str]]:
    by_experiment: dict[str, list[str]] = {}
    for example in examples:
        by_experiment.setdefault(example.experiment, []).append(example.family)
    return {experiment: sorted(set(families)) for experiment, families in by_experiment.items()}
