"""What people pass to a function: one thing or several of them; and what they call it."""

import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import fields
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

from selfexec.errors import WrongName, in_python
from selfexec.facets import FACETS
from selfexec.options import alternatives, declared, default_of, note_given, refuse_another_kind
from selfexec.text.matching import nearest

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")


def takes(options: Callable[P, C], what: str, **renamed: str) -> Callable[[Callable[[C], R]], Callable[P, R]]:
    """Let a function of one value of options be called with the options themselves, each by its name.

    Its signature is that of the class, and its help says what the class says of each option. None stands for an option
    that is not given.

    Args:
        options: The class, a dataclass whose fields are made by `selfexec.options.option`.
        what: What the options are for, as a message names it.
        renamed: Earlier names of options, with the names that they have now.
    """
    kind: Any = options

    def decorate(function: Callable[[C], R]) -> Callable[P, R]:
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            given = {name: value for name, value in kwargs.items() if value is not None or name in required}
            return function(note_given(kind(*args, **given), given))

        signature = _signature(kind)
        required = {p.name for p in signature.parameters.values() if p.default is inspect.Parameter.empty}
        call.__signature__ = signature.replace(  # type: ignore[attr-defined]
            return_annotation=inspect.signature(function).return_annotation
        )
        named = _checked(what, renamed, call, kinds=False)  # those of its options the class refuses
        # neither its annotations nor what it wraps, which are those of one argument
        for name in ("__module__", "__name__", "__qualname__"):
            setattr(named, name, getattr(function, name))
        named.__doc__ = _with_options(inspect.cleandoc(function.__doc__ or ""), kind)
        return named

    return decorate


def _signature(kind: type[Any]) -> inspect.Signature:
    """The signature of a class of options, with an empty mapping where one is made anew for each call."""
    defaults = {each.name: default_of(each) for each in fields(kind)}
    whole = inspect.signature(kind)
    empty = inspect.Parameter.empty
    parameters = [p if p.default is empty else p.replace(default=defaults[p.name]) for p in whole.parameters.values()]
    return whole.replace(parameters=parameters)


def _with_options(doc: str, kind: type[Any]) -> str:
    """A docstring whose list of arguments ends with what each option means."""
    before, heading, after = re.split(r"(\n\n(?:Returns|Raises):\n|\Z)", doc, maxsplit=1)
    arguments = "" if "\nArgs:\n" in before else "\nArgs:"
    meanings = (f"{each.name}: {in_python(each.option.help)}" for each in declared(kind))
    told = [textwrap.fill(text, 116, initial_indent="    ", subsequent_indent="        ") for text in meanings]
    return "\n".join([before, *([arguments] if arguments else []), *told]) + heading + after


def tells_wrong_names(what: str, **renamed: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function say which name is meant by a wrong one, which Python does not before 3.13, and how several runs
    are given. `what`: what the names are choices for; `renamed`: what names that it had are called now.
    """

    return partial(_checked, what, renamed)


def _checked(what: str, renamed: dict[str, str], function: Callable[P, R], kinds: bool = True) -> Callable[P, R]:
    """The function, which refuses wrong names and, with `kinds`, values of another kind than it declares."""
    parameters = inspect.signature(function).parameters
    known = list(parameters)
    places = sum(parameter.kind is not parameter.KEYWORD_ONLY for parameter in parameters.values())

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        for name in kwargs.keys() - set(known):
            raise WrongName(f"unknown option {name!r} for {what}. {_meant(name, known, renamed)}")
        if len(args) > places:
            raise WrongName(
                f"{what} takes {' and '.join(known[:places])}, and all else by its name. "
                f"Give several {known[0]} as one list: [a, b]."
            )
        for name, value in (*zip(known, args, strict=False), *kwargs.items()) if kinds else ():
            _refuse_another_kind(name, parameters[name].annotation, value, function)
        return function(*args, **kwargs)

    return checked


def _refuse_another_kind(name: str, annotation: Any, value: object, function: Callable[..., Any]) -> None:
    """InputError where an argument is of no kind that the function declares."""
    if isinstance(annotation, str):
        try:
            annotation = eval(annotation, inspect.unwrap(function).__globals__)  # a quoted annotation of our own
        except NameError:  # of what is imported for types alone: a run, a selection
            return
    of_runs = any(getattr(part, "__name__", "") == "Run" for part in alternatives(annotation))
    if annotation is not inspect.Parameter.empty and not of_runs:  # `loaded` says how runs are given
        refuse_another_kind(name, annotation, value)


def _meant(name: str, known: list[str], renamed: dict[str, str]) -> str:
    """The way out of a wrong name."""
    if name in renamed:
        return f"It is called {renamed[name]!r} now."
    if near := nearest(name, known):
        return f"Did you mean {near!r}?"
    if "facets" in known and name.replace("_", "-") in FACETS:
        return f"It is a facet: facets={{{name.replace('_', '-')!r}: ...}}."
    if "settings" in known:
        return "Sampling settings go into settings={...}."
    return f"There are {', '.join(known)}."
