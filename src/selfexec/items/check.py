"""Check a folder of items: errors where a file cannot be used, warnings where it is worth a look."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Experiment
from selfexec.files import jsonl
from selfexec.items.faults import faults
from selfexec.items.sets import NOT_READ, SETS, Edition, item_file, no_item_files, set_folder, unread_files
from selfexec.text.numbers import number_of

EXAMPLE = "example"  # the field that marks a line to be replaced


@dataclass(frozen=True)
class ItemFault:
    """One fault, named by file and line."""

    level: Literal["error", "warning"]
    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.level}: {self.message}"


def check(source: str | Path) -> list[ItemFault]:
    """Every fault of every item file in a folder, or of a set by its name."""
    folder = set_folder(source) if str(source) in SETS else Path(source)
    if folder.is_file():
        raise InputError(f"{folder}: this is a file. Give the folder that it is in.")
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder. Give a folder of item files, or a set: {', '.join(SETS)}.")
    paths = {experiment: item_file(folder, experiment) for experiment in EXPERIMENTS}
    present = {e: path for e, path in paths.items() if path.exists()}
    if not present:
        raise InputError(f"{no_item_files(folder)} `selfexec items new` writes some to fill in.")
    findings = [
        finding for experiment, path in present.items() for finding in check_file(path, EXPERIMENTS[experiment])
    ]
    for path, meant in unread_files(folder):
        findings.append(ItemFault("warning", str(path), f"{NOT_READ}. Did you mean {meant}?" if meant else NOT_READ))
    return findings


def check_file(path: Path, experiment: Experiment) -> Iterator[ItemFault]:
    try:
        lines = list(jsonl.numbered_lines(path))
    except InputError as fault:
        place, _, message = str(fault).partition(": ")
        yield ItemFault("error", place, message)
        return
    if not lines:
        yield ItemFault("error", str(path), "it holds no items")
    elif faults(lines[0][1], experiment.item_type) and (form := jsonl.another_format(path)):
        yield ItemFault("error", str(path), form)
        return
    decoder = msgspec.json.Decoder(experiment.item_type)
    ids: dict[str, int] = {}
    contents: dict[str, int] = {}
    examples = 0
    for number, line in lines:
        place = f"{path}:{number}"
        if wrong := faults(line, experiment.item_type) or faults(line, Edition):
            yield from (ItemFault("error", place, message) for message in wrong)
            continue
        item = decoder.decode(line)
        examples += is_example(line)
        if not item.id.isprintable() or item.id != item.id.strip():
            yield ItemFault("warning", place, f"id {item.id!r} has blanks around it, or characters that are not seen")
        if first := ids.get(item.id):
            yield ItemFault("error", place, f"id {item.id!r} was already used in line {first}")
        ids.setdefault(item.id, number)
        for message in experiment.oddities(item):
            yield ItemFault("warning", place, message)
        for content in experiment.contents(item):
            if not content:
                yield ItemFault("warning", place, "what is asked is blank")
            if (first := contents.get(content)) and first != number:
                yield ItemFault("warning", place, f"the same text stands in line {first}: {content[:60]!r}")
            contents.setdefault(content, number)
    if examples:
        what = number_of(examples, "line is an example", "lines are examples")
        yield ItemFault("warning", str(path), f"{what}: put your own in the place of those with {EXAMPLE!r}: true")


def is_example(line: bytes) -> bool:
    """Whether this is a line to be replaced, as `selfexec items new` writes them."""
    return EXAMPLE.encode() in line and msgspec.json.decode(line).get(EXAMPLE) is True
