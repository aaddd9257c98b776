"""CSV files that people write, read with suspicion: every fault is named by file and line."""

import csv
from collections.abc import Iterator
from pathlib import Path

from selfexec.errors import InputError


def read(path: str | Path, absent: str = "no such file. Check the path.") -> str:
    """The text of a file. `absent` is what is said where there is none."""
    try:
        return Path(path).read_text("utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"{path}: {absent}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8. Save the file as UTF-8.") from None
    except OSError as fault:
        raise InputError(f"{path}: cannot be read ({fault.strerror}).") from None


def rows(source: str | Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """The lines that hold anything, with their numbers, as cells without space around them. `source` is the name to
    blame.

    A cell ends on its line: with an open quote the rows below would be swallowed into it.
    """
    for number, line in enumerate(text.split("\n"), 1):
        try:
            cells = [cell.strip() for cell in next(csv.reader([line], strict=True, skipinitialspace=True), [])]
        except csv.Error as fault:
            raise InputError(
                f"{source}:{number}: not CSV ({fault}). Mend the line; a quoted cell has to end on it."
            ) from None
        if any(cells):
            yield number, cells
