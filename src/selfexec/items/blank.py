"""A folder of items to fill in."""

import shutil
from pathlib import Path

from selfexec.errors import InputError

BLANK_SET = Path(__file__).parent / "blank_set"


def write_template(folder: Path) -> None:
    """Write example lines of each experiment, and what good items are, into a new folder."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: this is a file. Give a new folder: selfexec items new DIR")
    try:
        if folder.is_dir() and any(folder.iterdir()):
            raise InputError(f"{folder}: the folder holds something already; nothing was changed. Give a new one.")
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(BLANK_SET.iterdir()):
            shutil.copyfile(path, folder / path.name)
    except OSError as fault:
        raise InputError(f"{folder}: cannot be written ({fault.strerror}). Give another folder.") from None
