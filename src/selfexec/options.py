"""Options, each declared once: as a field of a frozen dataclass, with its default and what it means.

From such a class come the signature and the help of a function (`runs.arguments.takes`), the options of a command
(`cli.declared`), the keys of a study file, what a run writes down, and by what it goes on. A new option is one field,
and the code that uses it.
"""

import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from functools import cache
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar, Union, cast, get_args, get_origin

from selfexec.errors import InputError

Form = Literal["value", "file", "files", "names", "repeated", "pairs", "settings", "levels", "object"]
Names = str | Iterable[str]
Files = str | Path | Iterable[str | Path]
METADATA = "option"
# headings under which the help of a command has its options
WHICH_MODELS, HOW_MUCH, WHAT_IS_SENT, WHERE_IT_GOES = "Which models", "How much", "What is sent", "Where it goes"
T = TypeVar("T")


@dataclass(frozen=True)
class Option:
    """What is known of an option beside its name, type and default.

    Attributes:
        help: What it does, in whole sentences that hold on the command line and in Python alike.
        flag: Its name on the command line, where that is not the field's.
        short: Another name there, of one letter.
        metavar: What stands for its value in the help of a command.
        form: How its value is written on the command line: one `value`; one `file`; `files`, once for each; `names`,
            several of which may stand in one with commas between them; `repeated`, once for each; `pairs`
            (NAME=VALUE), `settings` (NAME=JSON) and `levels` (NAME=LEVEL,...), once for each; or a JSON `object`.
        least: The least that a number may be, on the command line and in Python alike.
        most: The most.
        section: The heading under which a command's help has it.
        typed: Whether the command line has it; a function is given in Python alone.
        hidden: Whether the help of a command leaves it out.
        stored: Whether its value may be written down as it is. Without it only numbers, switches and choices are.
        recorded: Whether it belongs to the command that a run writes down.
        study: Whether a study file may hold it.
        sent_as: The field of request bodies that an option of `Sampling` is, where that is not called as the option is.
    """

    help: str
    flag: str | None = None
    short: str | None = None
    metavar: str | None = None
    form: Form = "value"
    least: int | None = None
    most: int | None = None
    section: str = "Other"
    typed: bool = True
    hidden: bool = False
    stored: bool = False
    recorded: bool = True
    study: bool = True
    sent_as: str | None = None


def option(default: Any, help: str, *, secret: bool = False, **more: Any) -> Any:
    """A field of a dataclass that is an option. `more` are the other attributes of `Option`.

    Args:
        default: What holds where nothing is given; an empty mapping is made anew for each value of the class. It is
            MISSING (of `dataclasses`) where something has to be given.
        help: What the option does.
        secret: Keep its value out of the class's repr.
    """
    known = Option(help, **more)
    if isinstance(default, dict):
        return field(default_factory=dict, repr=not secret, metadata={METADATA: known})
    return field(default=default, repr=not secret, metadata={METADATA: known})


class Declared(NamedTuple):
    """An option as a class declares it.

    Attributes:
        name: What it is called.
        kind: Its type without None.
        default: What holds where it is not given.
        option: What else is known of it.
        choices: The words that it takes, where these are all.
        classes: Those that a value may be of; none where that cannot be looked at, as of a function.
    """

    name: str
    kind: Any
    default: Any
    option: Option
    choices: tuple[str, ...]
    classes: tuple[Any, ...]

    @property
    def flag(self) -> str:
        return self.option.flag or f"--{self.name.replace('_', '-')}"

    @property
    def is_switch(self) -> bool:
        return self.kind is bool

    def unknown_choice(self, value: object) -> str:
        """That a value is none of its choices, and what these are."""
        return f"unknown {self.name} {value!r}. There are {', '.join(self.choices)}."

    @property
    def body_field(self) -> str:
        """The field of request bodies that it is, of an option that is sent."""
        return self.option.sent_as or self.name

    @property
    def is_stored(self) -> bool:
        """Whether its value can be written down: it is declared so, or it can hold no text of anybody's."""
        return self.option.stored or self.kind in (bool, int, float) or bool(self.choices)


def _declared(options: type[Any]) -> tuple[Declared, ...]:
    """The options of a class, in the order of its signature."""
    return tuple(
        _declared_field(each)
        for each in sorted(fields(options), key=lambda each: bool(each.kw_only))
        if METADATA in each.metadata
    )


def _declared_field(each: "Field[Any]") -> Declared:
    kind, default = _without_none(each.type), default_of(each)
    choices = get_args(kind) if get_origin(kind) is Literal else ()
    classes = classes_of(kind if default is not None else Union[kind, None])  # noqa: UP007
    return Declared(each.name, kind, default, each.metadata[METADATA], choices, classes)


declared = cast(Callable[[type[Any]], tuple[Declared, ...]], cache(_declared))  # a class declares its options once


def default_of(each: "Field[Any]") -> Any:
    """What holds where nothing is given, as a signature shows it."""
    return {} if each.default is MISSING and each.default_factory is not MISSING else each.default


def changed(options: Any) -> dict[str, Any]:
    """The options that are not what they would be anyway, and are part of a command that is written down."""
    values = ((each, getattr(options, each.name)) for each in declared(type(options)) if each.option.recorded)
    return {each.name: value for each, value in values if value != each.default}


def part_of(options: Any, kind: type[T]) -> T:
    """Those of the options that another class declares, as a value of it."""
    return kind(**{each.name: getattr(options, each.name) for each in fields(kind)})  # type: ignore[arg-type]


class NotesGiven:
    """Options that note which of them were given, since one may be given the value that it has by default."""

    given: frozenset[str] = frozenset()

    def is_given(self, name: str) -> bool:
        """Whether an option was given; where nobody noted it, whether it has another value than by default."""
        return name in self.given or name in changed(self)


def note_given(options: T, given: Iterable[str]) -> T:
    """The options themselves; those that note which of them were given have noted these."""
    if isinstance(options, NotesGiven):
        object.__setattr__(options, "given", frozenset(given))
    return options


def replaced(options: T, **values: Any) -> T:
    """The options with other values for some, and and a note on those that were given."""
    found: T = replace(options, **values)  # type: ignore[type-var]
    return note_given(found, options.given) if isinstance(options, NotesGiven) else found


def put_over(options: T, values: Mapping[str, Any]) -> T:
    """The options with other values for some; what is a mapping in both is merged.

    Raises:
        InputError: A value is of no kind that its option takes, or out of its bounds.
    """
    before = {name: getattr(options, name) for name in values}
    merged = {
        name: {**before[name], **value} if isinstance(value, Mapping) and isinstance(before[name], Mapping) else value
        for name, value in values.items()
    }
    found: T = replace(options, **merged)  # type: ignore[type-var]
    settle(found)
    return found


def names(given: Names) -> list[str]:
    """One name, or several: text is one, not its letters."""
    if not isinstance(given, Iterable):
        raise InputError(f"{given!r} is no name. Give one as text, or several.")
    several = [given] if isinstance(given, str) else list(given)
    if wrong := [name for name in several if not isinstance(name, str)]:
        raise InputError(f"{wrong[0]!r} is no name. Give one as text, or several.")
    return several


def files(given: Files) -> list[Path]:
    """One file, or several."""
    return [Path(given)] if isinstance(given, str | Path) else [Path(file) for file in given]


def refuse_no_name(name: str, value: object) -> None:
    """InputError where a choice that is one name is no text."""
    if not isinstance(value, str):
        raise InputError(f"{name}: expected text, not {type(value).__name__}.")


def settle(options: Any) -> None:
    """Have lists of names and of files be lists, and refuse a value that is of no kind that its option takes, or out of
    the bounds that are declared.
    """
    for each in declared(type(options)):
        value = getattr(options, each.name)
        if value is None and each.default is None:
            continue
        if each.option.form != "levels":  # whose faults are reported in their own words
            _refuse_another_kind(each, value)
        if isinstance(value, Real):
            _refuse_out_of_bounds(each, value)
        if each.option.form in ("names", "repeated"):
            object.__setattr__(options, each.name, names(value))
        if each.option.form == "files" and not isinstance(value, Mapping):  # numbers at hand, in place of a table
            object.__setattr__(options, each.name, files(value))


@dataclass(frozen=True)
class Settled:
    """Options that are settled as soon as they are given."""

    def __post_init__(self) -> None:
        settle(self)


# what a value may be, by the type that is declared: what it is an instance of, and how that is called
KINDS: Mapping[Any, tuple[Any, str]] = {
    bool: (bool, "True or False"),
    int: (Integral, "a whole number"),
    float: (Real, "a number"),
    str: (str, "text"),
    Path: (PathLike, "a path"),
    Mapping: (Mapping, "a mapping"),
    Iterable: (Iterable, "a list of these"),
}


def alternatives(kind: Any) -> tuple[Any, ...]:
    """The types that a value may have."""
    return get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)


def classes_of(kind: Any) -> tuple[Any, ...]:
    """The classes that a value of this type may be of; none where that cannot be looked at, as of a function."""
    parts = [part for part in alternatives(kind) if part is not Any]
    classes = [str if get_origin(part) is Literal else get_origin(part) or part for part in parts]
    return tuple(classes) if all(isinstance(one, type) for one in classes) else ()


def _refuse_another_kind(each: Declared, value: Any) -> None:
    if each.classes and not any(_is_of(one, value) for one in each.classes):
        raise _of_another_kind(each.name, each.classes, value)
    if each.choices and value not in each.choices:
        raise InputError(each.unknown_choice(value))


def _refuse_out_of_bounds(each: Declared, value: Any) -> None:
    least, most = each.option.least, each.option.most
    if not ((least is None or value >= least) and (most is None or value <= most)):  # nan is within no bounds
        bounds = f"{least} or more" if most is None else f"{most} or less" if least is None else f"{least} to {most}"
        raise InputError(f"{each.flag} {value}: give {bounds}.")


def refuse_another_kind(name: str, kind: Any, value: Any) -> None:
    """Raise InputError for a value that is of no kind which is declared. Of a kind that cannot be looked at, nothing is
    said.
    """
    classes = classes_of(kind)
    if classes and not any(_is_of(one, value) for one in classes):
        raise _of_another_kind(name, classes, value)


def _of_another_kind(name: str, classes: Iterable[Any], value: Any) -> InputError:
    *others, last = (KINDS[one][1] if one in KINDS else _called(one) for one in classes)
    wanted = f"{', '.join(others)} or {last}" if others else last
    given = "None" if value is None else type(value).__name__  # the value is not shown: it may hold a key
    return InputError(f"{name}: expected {wanted}, not {given}.")


def _called(kind: type[Any]) -> str:
    return "None" if kind is types.NoneType else f"a {kind.__name__}"


def _is_of(kind: Any, value: Any) -> bool:
    """Whether a value is of a kind; Python counts True among the numbers."""
    return (
        kind in (bool, object)
        if isinstance(value, bool)
        else isinstance(value, KINDS[kind][0] if kind in KINDS else kind)
    )


def _without_none(kind: Any) -> Any:
    parts = tuple(part for part in alternatives(kind) if part is not types.NoneType)
    return Union[parts]  # noqa: UP007
