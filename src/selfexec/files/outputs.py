"""Pages written where somebody asked for them: in which form, and whether they can be."""

import os
from collections.abc import Mapping
from pathlib import Path

from selfexec.errors import InputError

# ending of a file -> the form that is written to it
RESULTS: Mapping[str, str] = {
    ".txt": "table",
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".parquet": "parquet",
}
REPORTS: Mapping[str, str] = {".html": "html", ".htm": "html"}
CARDS: Mapping[str, str] = {".md": "markdown", ".markdown": "markdown"}
# files of a run, which no page takes the place of
OF_A_RUN = ("manifest.json", "prompts.json", "replies.jsonl", "judgements.jsonl", "study.toml")


def form_by_ending(path: Path, endings: Mapping[str, str], option: str = "--out ") -> str:
    """The form that the name of a file asks for; that of the first ending, where the name has none.

    Args:
        path: The file.
        endings: Ending -> form: what there is.
        option: What the file was given as, as messages name it.

    Raises:
        InputError: The name ends in something else.
    """
    ending = path.suffix.casefold()
    if not ending:
        return next(iter(endings.values()))
    if ending not in endings:
        there = list(dict.fromkeys(endings))
        listed = there[0] if len(there) == 1 else f"{', '.join(there[:-1])} or {there[-1]}"
        raise InputError(f"{option}{path}: nothing is written as {path.suffix} here. End the name in {listed}.")
    return endings[ending]


def tried(path: Path) -> Path:
    """A file that can be written to, as far as can be seen without writing: nothing is made or changed.

    Raises:
        InputError: It is a folder, its folder is not there, either must not be written, or it is a file of a run.
    """
    try:
        if path.is_dir():
            raise InputError(f"{path}: cannot be written (it is a folder). Give another file.")
        if not path.parent.is_dir():
            what = "is no folder" if path.parent.exists() else "is not there"
            raise InputError(f"{path}: cannot be written ({path.parent} {what}). Give another file.")
        if path.name in OF_A_RUN and (path.parent / OF_A_RUN[0]).is_file():
            raise InputError(f"{path}: cannot be written (it is a file of a run). Give another file.")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise InputError(f"{path}: cannot be written (Permission denied). Give another file.")
    except OSError as fault:  # a name that is too long
        raise InputError(f"{path}: cannot be written ({fault.strerror}). Give another file.") from None
    return path


def tried_folder(path: Path) -> Path:
    """A folder that is there or can be made, and written into. InputError where it cannot; nothing is made here."""
    try:
        nearest = next(place for place in (path, *path.absolute().parents) if place.exists())
        if not nearest.is_dir():
            raise InputError(f"{path}: no folder can be here ({nearest} is a file). Name another.")
        if not os.access(nearest, os.W_OK):
            raise InputError(f"{path}: cannot be written (Permission denied). Name another.")
    except OSError as fault:
        raise InputError(f"{path}: no folder can be here ({fault.strerror}). Name another.") from None
    return path


def write_page(path: Path, text: str) -> None:
    """Write a page, the same bytes on every system."""
    write_bytes(path, text.encode(errors="backslashreplace"))


def write_bytes(path: Path, content: bytes) -> None:
    """A place that cannot be written to is refused by name."""
    try:
        path.write_bytes(content)
    except OSError as fault:
        raise InputError(f"{path}: cannot be written ({fault.strerror}). Give another file.") from None
