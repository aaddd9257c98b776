"""Check a folder of items: errors where a file cannot be used, warnings where it is worth a look."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from selfexec.errors import InputError
from selfexec.files import jsonl
from selfexec.items.faults import faults
from selfexec.items.schema import KINDS, Group, Item, Request, Target
from selfexec.items.sets import SETS, set_folder
from selfexec.readers import fold
from selfexec.text.numbers import number_of

EXAMPLE = "example"  # the field that marks a line to be replaced


@dataclass(frozen=True)
class Finding:
    """One fault, named by file and line."""

    level: Literal["error", "warning"]
    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.level}: {self.message}"


def check(source: str | Path) -> list[Finding]:
    """Every fault of every item file in a folder, or of a set by its name."""
    folder = set_folder(source) if str(source) in SETS else Path(source)
    if folder.is_file():
        raise InputError(f"{folder}: this is a file. Give the folder that it is in.")
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder. Give a folder of item files, or a set: {', '.join(SETS)}.")
    paths = {e: folder / f"{e}.jsonl" for e in KINDS}
    present = {e: path for e, path in paths.items() if path.exists()}
    if not present:
        names = ", ".join(path.name for path in paths.values())
        raise InputError(
            f"{folder}: there are no item files, none of {names}. `selfexec items new DIR` writes some to fill in."
        )
    findings = [finding for experiment, path in present.items() for finding in check_file(path, KINDS[experiment])]
    known = {path.name for path in paths.values()}
    strange = (path for path in sorted(folder.glob("*.jsonl")) if path.name not in known)
    return findings + [Finding("warning", str(path), "no experiment reads this file") for path in strange]


def check_file(path: Path, kind: type[Item]) -> Iterator[Finding]:
    try:
        lines = list(jsonl.numbered_lines(path))
    except InputError as fault:
        place, _, message = str(fault).partition(": ")
        yield Finding("error", place, message)
        return
    if not lines:
        yield Finding("error", str(path), "it holds no items")
    decoder = msgspec.json.Decoder(kind)
    ids: dict[str, int] = {}
    contents: dict[str, int] = {}
    examples = 0
    for number, line in lines:
        place = f"{path}:{number}"
        if wrong := faults(line, kind):
            yield from (Finding("error", place, message) for message in wrong)
            continue
        item = decoder.decode(line)
        examples += is_example(line)
        if first := ids.get(item.id):
            yield Finding("error", place, f"id {item.id!r} was already used in line {first}")
        ids.setdefault(item.id, number)
        for message in oddities(item):
            yield Finding("warning", place, message)
        for content in _contents(item):
            if (first := contents.get(content)) and first != number:
                yield Finding("warning", place, f"the same text stands in line {first}: {content[:60]!r}")
            contents.setdefault(content, number)
    if examples:
        what = number_of(examples, "line is an example", "lines are examples")
        yield Finding("warning", str(path), f"{what}: put your own in the place of those with {EXAMPLE!r}: true")


def is_example(line: bytes) -> bool:
    """Whether this is a line to be replaced, as `selfexec items new` writes them."""
    return EXAMPLE.encode() in line and msgspec.json.decode(line).get(EXAMPLE) is True


def oddities(item: Item) -> Iterator[str]:
    """What is allowed but seldom meant."""
    if isinstance(item, Target):
        options = [fold(option) for option in item.options]
        yield from ("an option is blank" for option in options if not option)
        yield from (f"the option {o!r} occurs twice" for o in _repeated(options) if o)
        if fold(item.target) in options:
            yield f"the target {item.target!r} is among its options"
        if len(set(options) - {""}) < 2:
            yield "fewer than two different options"
    if isinstance(item, Request) and not item.type.strip():
        yield "the type is blank"
    if isinstance(item, Group):
        for n, question in enumerate(item.questions, 1):
            choices = [fold(choice) for choice in question.choices]
            yield from (f"Q{n}: a choice is blank" for choice in choices if not choice)
            yield from (f"Q{n}: the choice {choice!r} occurs twice" for choice in _repeated(choices) if choice)
        yield from (f"question id {id!r} occurs twice in the group" for id in _repeated([q.id for q in item.questions]))


def _repeated(values: list[str]) -> list[str]:
    return sorted({value for value in values if values.count(value) > 1})


def _contents(item: Item) -> list[str]:
    if isinstance(item, Target):
        return [fold(item.target)]
    if isinstance(item, Request):
        return [fold(item.request)]
    return [fold("\n".join([question.question, *question.choices])) for question in item.questions]
