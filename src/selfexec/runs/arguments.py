"""What people pass to a function: one thing or several of them, a run or the folder that it lies in; and what they call
it.
"""

import difflib
import inspect
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import fields
from functools import wraps
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from selfexec.errors import InputError, WrongName

if TYPE_CHECKING:
    from selfexec.runs.run import Run

P = ParamSpec("P")
R = TypeVar("R")
Names = str | Iterable[str]
Files = str | Path | Iterable[str | Path]


def names(given: Names) -> list[str]:
    """One name, or several: text is one, not its letters."""
    if not isinstance(given, Iterable):
        raise InputError(f"{given!r} is no name. Give one as text, or several.")
    return [given] if isinstance(given, str) else list(given)


def files(given: Files) -> list[Path]:
    return [Path(given)] if isinstance(given, str | Path) else [Path(file) for file in given]


def loaded(given: "Run | str | Path | Iterable[Run | str | Path]") -> list["Run"]:
    """The runs that are given, each as it is or by its folder."""
    from selfexec.runs.run import Run, load

    several = [given] if isinstance(given, Run | str | Path) else list(given)
    return [run if isinstance(run, Run) else load(run) for run in several]


# what a choice may be, by its annotation: what a value of it is an instance of, and how that is called
KINDS: Mapping[Any, tuple[Any, str]] = {
    bool: (bool, "True or False"),
    int: (int, "a whole number"),
    float: ((int, float), "a number"),
    str: (str, "text"),
    Path: (Path, "a path"),
    Mapping: (Mapping, "a mapping"),
    Iterable: (Iterable, "several texts"),
    NoneType: (NoneType, "None"),
}


def refuse_other_kinds(choices: Any, but: Container[str] = ()) -> None:
    """InputError where a choice is nothing of the kind that it takes. `choices`: a dataclass whose fields say so."""
    hints = get_type_hints(type(choices))
    for choice in fields(choices):
        if choice.name in but:
            continue
        value, hint = getattr(choices, choice.name), hints[choice.name]
        options = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        kinds = [str if get_origin(option) is Literal else get_origin(option) or option for option in options]
        # Python counts True among the numbers
        fits = any(kind is bool if isinstance(value, bool) else isinstance(value, KINDS[kind][0]) for kind in kinds)
        if not fits:  # the value itself stays unsaid: it may hold a key
            wanted = " or ".join(KINDS[kind][1] for kind in kinds)
            raise InputError(f"{choice.name}: give {wanted}, and no {type(value).__name__}.")


def tells_wrong_names(what: str, **renamed: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function say which name is meant by a wrong one, which Python does not before 3.13, and how several runs
    are given. `what`: what the names are choices for; `renamed`: what names that it had are called now.
    """

    def told(function: Callable[P, R]) -> Callable[P, R]:
        parameters = inspect.signature(function).parameters
        known = list(parameters)
        places = sum(parameter.kind is not parameter.KEYWORD_ONLY for parameter in parameters.values())

        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            for name in kwargs.keys() - set(known):
                raise WrongName(f"unknown choice {name!r} for {what}. {_meant(name, known, renamed)}")
            if len(args) > places:
                raise WrongName(
                    f"{what} takes {' and '.join(known[:places])}, and all else by its name. "
                    f"Give several {known[0]} as one list: [a, b]."
                )
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
