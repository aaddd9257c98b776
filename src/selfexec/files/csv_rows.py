"""CSV files: those that people write are read with suspicion, every fault named by file and line; those that we write
are harmless to who opens them in a spreadsheet.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from selfexec.errors import InputError
from selfexec.text.printable import harmless

FORMULA = tuple("=+-@\t＝＋－＠")  # what a cell begins with that spreadsheets carry out, quoted or not


def read(path: str | Path, absent: str = "no such file. Check the path.") -> str:
    """The text of a file. `absent` is what is said where there is none."""
    try:
        return Path(path).read_text("utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"{path}: {absent}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8. Save the file as UTF-8.") from None
    except OSError as fault:
        raise InputError(f"{path}: cannot be read ({fault.strerror}). Give a file.") from None


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
                f"{source}:{number}: not CSV ({fault}). Fix the line; a quoted cell has to end on it."
            ) from None
        if any(cells):
            yield number, cells


def written(rows: Iterable[Iterable[Any]]) -> str:
    """The rows as CSV. Names and reasons are somebody else's text: an apostrophe stands before what a spreadsheet would
    carry out as a formula, and characters that a screen would obey are shown by their numbers.
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([_harmless(cell) for cell in row] for row in rows)
    return text.getvalue()


def _harmless(cell: Any) -> Any:
    """Numbers, negative ones too, and None are as they were."""
    if not isinstance(cell, str):
        return cell
    shown = harmless(cell)
    return f"'{shown}" if shown.startswith(FORMULA) and not _is_number(shown) else shown


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
