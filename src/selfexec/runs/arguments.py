"""What people pass to a function: one thing or several of them, a run or the folder that it lies in; and what they call
it.
"""

import difflib
import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from selfexec.errors import WrongName

if TYPE_CHECKING:
    from selfexec.runs.run import Run

P = ParamSpec("P")
R = TypeVar("R")
Names = str | Iterable[str]
Files = str | Path | Iterable[str | Path]


def names(given: Names) -> list[str]:
    """One name, or several: text is one, not its letters."""
    return [given] if isinstance(given, str) else list(given)


def files(given: Files) -> list[Path]:
    return [Path(given)] if isinstance(given, str | Path) else [Path(file) for file in given]


def loaded(given: "Run | str | Path | Iterable[Run | str | Path]") -> list["Run"]:
    """The runs that are given, each as it is or by its folder."""
    from selfexec.runs.run import Run, load

    several = [given] if isinstance(given, Run | str | Path) else list(given)
    return [run if isinstance(run, Run) else load(run) for run in several]


def tells_wrong_names(what: str, **renamed: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function say which name is meant by a wrong one, which Python does not before 3.13. `what`: what the names
    are choices for; `renamed`: what names that it had are called now.
    """

    def told(function: Callable[P, R]) -> Callable[P, R]:
        known = list(inspect.signature(function).parameters)

        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            for name in kwargs.keys() - set(known):
                raise WrongName(f"unknown choice {name!r} for {what}. {_meant(name, known, renamed)}")
            return function(*args, **kwargs)

        return checked

    return told


def _meant(name: str, known: list[str], renamed: dict[str, str]) -> str:
    """The way out of a wrong name."""
    if name in renamed:
        return f"It is called {renamed[name]!r} now."
    if like := difflib.get_close_matches(name, known, n=1):
        return f"Is {like[0]!r} meant?"
    if "settings" in known:
        return "Sampling settings go into settings={...}."
    return f"There are {', '.join(known)}."
