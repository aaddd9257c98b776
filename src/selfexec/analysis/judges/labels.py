"""Labels: what somebody who is taken to be right says of stored replies. Judges are measured against them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Judging, Key
from selfexec.facets import facets_of
from selfexec.files import jsonl
from selfexec.prompts import digest
from selfexec.runs.reply import Epoch, Name
from selfexec.runs.run import Run


class Label(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a file of labels. `value` (or `class`) is one of the experiment's classes, or true, false or null
    for what it makes of the claim. `text`, or `reply_sha256`, says which text was labelled, where that is known.
    """

    model: Name
    item: Name
    value: str | bool | None = None
    class_: str | bool | None = msgspec.field(default=None, name="class")
    experiment: Name | None = None
    epoch: Epoch = 1
    session: Name | None = None
    facets: dict[str, str] = {}
    text: str | None = None
    reply_sha256: str | None = None

    @property
    def said(self) -> str | bool | None:
        return self.class_ if self.value is None else self.value


def load_labels(path: Path, run: Run) -> tuple[dict[Key, bool | None], list[str]]:
    """What was done, by session, as the labels of a file have it (None where they leave it open), and which labels are
    of replies that are not here or have changed, by line, model and item. The last line for a session counts.

    InputError: a line is no label of any experiment that is judged, or none is of a reply that is here.
    """
    judged: Mapping[str, Judging] = {e: j for e in run.items.experiments if (j := EXPERIMENTS[e].judging)}
    found: dict[Key, bool | None] = {}
    elsewhere: list[str] = []
    for number, label in jsonl.decode(path, Label):
        place = f"{path}:{number}"
        experiment = label.experiment or (next(iter(judged)) if len(judged) == 1 else "")
        if experiment not in judged:
            there = ", ".join(judged) or "none"
            raise InputError(
                f"{place}: no replies of the experiment {experiment!r} are judged here. There are {there}."
            )
        judging = judged[experiment]
        facets: Any = facets_of(label.facets) if label.facets else ()
        key = Key(label.model, experiment, label.item, label.epoch, label.session or judging.session, facets)
        outcome = _outcome(place, label.said, judging)
        reply = run.replies.get(key)
        if reply is None or reply.text is None or not is_label_of(label, reply.text):
            elsewhere.append(f"line {number} ({label.model}, {label.item})")
            continue
        found[key] = outcome
    if not found:
        if not elsewhere:
            raise InputError(f"{path}: there are no labels. Each line is one: model, item and class.")
        raise InputError(
            f"{path}: none of its labels is of a reply that is here, as {elsewhere[0]} is not. A label has the model, "
            "the item and, where it says the text, the very text of a reply of this run."
        )
    return found, elsewhere


def is_label_of(label: Label, text: str) -> bool:
    return label.text in (None, text) and label.reply_sha256 in (None, digest(text))


def _outcome(place: str, said: str | bool | None, judging: Judging) -> bool | None:
    if said is None or isinstance(said, bool):
        return said
    if said not in judging.outcomes:
        raise InputError(
            f"{place}: unknown class {said!r}. There are {', '.join(judging.outcomes)}, true, false, null."
        )
    return judging.outcomes[said]
