"""What people pass to a function: one thing or several of them, a run or the folder that it lies in."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selfexec.runs import Run


Names = str | Iterable[str]
Files = str | Path | Iterable[str | Path]


def names(given: Names) -> list[str]:
    """One name, or several: text is one, not its letters."""
    return [given] if isinstance(given, str) else list(given)


def files(given: Files) -> list[Path]:
    return [Path(given)] if isinstance(given, str | Path) else [Path(file) for file in given]


def loaded(given: "Run | str | Path | Iterable[Run | str | Path]") -> list["Run"]:
    """The runs that are given, each as it is or by its folder."""
    from selfexec.runs import Run, load

    several = [given] if isinstance(given, Run | str | Path) else list(given)
    return [run if isinstance(run, Run) else load(run) for run in several]
