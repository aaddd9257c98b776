"""A folder of items to fill in."""

from pathlib import Path
from string import Template

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Experiment
from selfexec.files import jsonl
from selfexec.items.check import EXAMPLE

README = Path(__file__).parent / "blank_readme.md"


def write_template(folder: Path) -> None:
    """Write example lines of each experiment, and what good items are, into a new folder."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: this is a file. Give `selfexec items new` a new folder")
    try:
        if folder.is_dir() and any(folder.iterdir()):
            raise InputError(f"{folder}: the folder holds something already; nothing was changed. Give a new one.")
        folder.mkdir(parents=True, exist_ok=True)
        for experiment in EXPERIMENTS.values():
            if experiment.examples:
                jsonl.write(folder / f"{experiment.name}.jsonl", map(_line, experiment.examples))
        rows = "\n".join(map(_row, (one for one in EXPERIMENTS.values() if not one.recorded)))
        page = Template(README.read_text("utf-8")).substitute(rows=rows)
        (folder / "README.md").write_text(page, "utf-8")
    except OSError as fault:
        raise InputError(f"{folder}: cannot be written ({fault.strerror}). Give another folder.") from None


def _line(item: msgspec.Struct) -> bytes:
    """An item as it stands in a file, marked as one to be replaced."""
    return msgspec.json.encode(msgspec.to_builtins(item) | {EXAMPLE: True})


def _row(experiment: Experiment) -> str:
    words = experiment.words
    return f"| `{experiment.name}.jsonl` | {words.item or experiment.item_name} | {words.wants} |"
