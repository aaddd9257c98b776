"""Options of commands that are declared elsewhere, as fields of classes (`selfexec.options`): from a field to an option
of the command line, and from what was typed to a value of the class."""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import click

from selfexec.cli.completion import complete_experiments, complete_items, complete_model_to_ask
from selfexec.cli.options import FacetsOption, InSection, PathArgument, PresetOption, levels_of, separate_names
from selfexec.errors import InputError
from selfexec.options import Declared, declared

T = TypeVar("T")
Command = TypeVar("Command", bound=Callable[..., Any])
COMPLETE = {"models": complete_model_to_ask, "experiments": complete_experiments, "items": complete_items}
CLASSES: Mapping[str, type[click.Option]] = {"preset": PresetOption, "facets": FacetsOption}


def options_of(
    kind: type[Any],
    *,
    only: Collection[str] = (),
    without: Collection[str] = (),
    section: str | None = None,
    also: Mapping[str, str] | None = None,
) -> Callable[[Command], Command]:
    """Give a command the options that a class declares.

    Args:
        kind: The class.
        only: Only these fields of it.
        without: Not these.
        section: The heading for all of them, in place of each one's own.
        also: Another name for some of them, like `-o` for `out`.
    """
    named = [
        each
        for each in declared(kind)
        if each.name not in without and (not only or each.name in only) and each.name != "on_progress"
    ]

    def decorate(command: Command) -> Command:
        for each in reversed(named):
            command = _option(each, section, (also or {}).get(each.name))(command)
        return command

    return decorate


def collect(kind: type[T], given: dict[str, Any], **more: Any) -> T:
    """Take the options of a class out of the parameters of a command, and make a value of the class of them.

    Args:
        kind: The class.
        given: The parameters by name; those of the class are removed.
        more: Fields that are no options of the command.

    Raises:
        InputError: A value is not written as its option has it.
    """
    typed = [(each, given.pop(each.name)) for each in declared(kind) if each.name in given]
    values = {each.name: _parsed(each, value) for each, value in typed if is_given(value)}
    return kind(**values, **more)


def is_given(value: Any) -> bool:
    """Whether the parameter of a command was typed: 0 is a value, a switch that is off is none."""
    return value is not None and value is not False and value != () and value != {}


# --- from a field to an option ---------------------------------------------------------------------------------------


def _option(each: Declared, section: str | None, short: str | None) -> Callable[[Command], Command]:
    option, repeated = each.option, each.option.form not in ("value", "object")
    further: dict[str, Any] = {}
    if each.is_switch:
        further["is_flag"] = True
    elif each.option.form == "value" and each.default is not None:
        further |= {"default": each.default, "show_default": True}
    if each.option.form == "names":
        further["callback"] = separate_names
    if each.option.form == "levels":
        further["callback"] = levels_of
    return click.option(
        *([short] if short else []),
        each.flag,
        each.name,
        cls=CLASSES.get(each.name, InSection),
        section=section or option.section,
        type=_type(each),
        metavar=option.metavar or ("NAME[,NAME]" if option.form == "names" else None),
        multiple=repeated,
        help=f"{option.help} Repeat." if repeated else option.help,
        shell_complete=COMPLETE.get(each.name),
        **further,
    )


def _type(each: Declared) -> Any:
    if each.choices:
        return click.Choice(each.choices)
    if each.name == "out":
        return PathArgument()
    return each.kind if each.kind in (int, float) else None


# --- from what was typed to a value ----------------------------------------------------------------------------------


def _parsed(each: Declared, value: Any) -> Any:
    if each.option.form == "pairs":
        return dict(_pair(each.flag, text) for text in value)
    if each.option.form == "settings":
        return _settings(each.flag, value)
    if each.option.form == "object":
        return _json_object(each.flag, value)
    return list(value) if isinstance(value, tuple) else value


def _pair(flag: str, text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise InputError(f"{flag}: write it as NAME=VALUE, like X-Team=research.")
    return name.strip(), value.strip()


def _settings(flag: str, texts: Sequence[str]) -> dict[str, object]:
    """Settings by name. One that is given twice, with two values, is refused."""
    settings: dict[str, object] = {}
    for name, value in _each_setting(flag, texts):
        if name in settings and json.dumps(settings[name]) != json.dumps(value):
            before, now = json.dumps(settings[name]), json.dumps(value)
            raise InputError(f"{flag} {name}: given twice, as {before} and as {now}. Give one of them.")
        settings[name] = value
    return settings


WITHOUT_ZERO = re.compile(r"(?P<sign>-?)(?P<digits>\.\d+)")  # a number as people write it and JSON does not


def _each_setting(flag: str, texts: Sequence[str]) -> Iterator[tuple[str, object]]:
    """'execute.temperature=1' as a name and a JSON value; what is not JSON is text, but for numbers like .5."""
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InputError(f"{flag} {text}: write it as NAME=VALUE, like temperature=0 or execute.temperature=1.")
        try:
            yield name, json.loads(_as_json(value))
        except (ValueError, RecursionError):
            yield name, value


def _as_json(value: str) -> str:
    number = WITHOUT_ZERO.fullmatch(value)
    return f"{number['sign']}0{number['digits']}" if number else value


def _json_object(flag: str, text: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise InputError(f"{flag}: not valid JSON ({fault}).") from None
    if not isinstance(value, dict):
        raise InputError(f"{flag}: it must be a JSON object.")
    return value
